//! The readers of MAT, NPY, NPZ and text files on any bytes: an error in words or views, and nothing else.
//!
//! The first byte is the extension of the file's name.
#![no_main]

#[allow(dead_code)]
#[path = "../../../src/bin/cstgl/error.rs"]
mod error;
#[allow(dead_code)]
#[path = "../../../src/bin/cstgl/read/mod.rs"]
mod read;

use read::views::{Input, Truth, Views};
use read::{File, labels};
use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, bytes)) = data.split_first() else { return };
    let extensions = ["mat", "npy", "npz", "csv", "tsv", "txt"];
    let name = format!("file.{}", extensions[usize::from(kind) % extensions.len()]);
    let path = Path::new(&name);
    if let Err(error) = labels::parse(bytes, path, None) {
        assert!(!error.to_string().is_empty());
    }
    let file = match File::parse(bytes, path) {
        Ok(file) => file,
        Err(error) => return assert!(!error.to_string().contains(char::is_control)),
    };
    let input = Input { inputs: vec![path.to_owned()], ..Input::default() };
    if let Ok(views) = Views::assemble(vec![file], &input, Truth::Infer) {
        assert!(!views.views.is_empty());
        let _ = views.require_finite();
        for view in &views.views {
            let (rows, cols) = view.matrix.shape();
            let samples = if view.samples_are_rows { rows } else { cols };
            assert_eq!(samples, views.n);
            view.for_each(|sample, feature, _| assert!(sample < views.n && feature < view.features()));
        }
    }
});
