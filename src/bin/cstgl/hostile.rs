//! Every fixture cut at every byte, and with every byte changed: an error or some views, never a panic.
use crate::info;
use crate::read::views::{Input, Truth, Views};
use crate::read::{File, labels};
use std::cell::Cell;
use std::path::{Path, PathBuf};

thread_local! {
    /// Files that this test has tried.
    static TRIED: Cell<usize> = const { Cell::new(0) };
}

fn tried(what: &str) {
    println!("TRIED {} files {what}", TRIED.get());
}

fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/files");
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let data = paths.filter(|path| !matches!(path.extension().unwrap().to_str(), Some("py" | "json")));
    let files: Vec<_> = data.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    assert!(files.len() > 30, "the fixtures are missing");
    files
}

/// Everything that a command does with the bytes of a file; whether there were views in it.
fn take(bytes: &[u8], path: &Path) -> bool {
    TRIED.set(TRIED.get() + 1);
    let _ = labels::parse(bytes, path, None);
    let input = Input { inputs: vec![path.to_owned()], ..Input::default() };
    let Ok(file) = File::parse(bytes, path) else {
        return false;
    };
    let Ok(views) = Views::assemble(vec![file], &input, Truth::Infer) else {
        return false;
    };
    let _ = views.require_finite();
    !info::text_and_json(&views).is_empty()
}

#[test]
fn whole_files_are_read() {
    let labels_only = |path: &Path| path.file_stem().unwrap().to_str().unwrap().starts_with("labels");
    for (path, bytes) in fixtures() {
        assert!(labels_only(&path) || take(&bytes, &path), "{}", path.display());
    }
}

#[test]
fn a_file_cut_anywhere_never_panics() {
    for (path, bytes) in fixtures() {
        for len in 0..bytes.len() {
            take(&bytes[..len], &path);
        }
    }
    tried("cut short");
}

#[test]
fn a_binary_file_cut_short_is_an_error() {
    for (path, bytes) in fixtures() {
        let cut = &bytes[..bytes.len() - 1];
        match path.extension().unwrap().to_str() {
            // The last byte of an uncompressed .mat may be padding.
            Some("npy" | "npz") => assert!(!take(cut, &path), "{}", path.display()),
            Some("mat") => {
                assert!(File::parse(&bytes[..bytes.len() - 8], &path).is_err(), "{}", path.display())
            }
            _ => {}
        }
    }
}

#[test]
fn a_changed_byte_never_panics() {
    for (path, mut bytes) in fixtures() {
        for i in 0..bytes.len() {
            let original = bytes[i];
            for changed in [0, 0xff, 0x7f, original ^ 1, original ^ 0x80, original.wrapping_add(8)] {
                bytes[i] = changed;
                take(&bytes, &path);
            }
            bytes[i] = original;
        }
    }
    tried("with a byte changed");
}

#[test]
fn noise_never_panics() {
    // A linear congruential generator: the same bytes on every machine.
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    for name in ["noise.mat", "noise.npy", "noise.npz", "noise.csv"] {
        for (path, mut bytes) in fixtures() {
            // Noise behind a good beginning gets further than noise alone.
            for keep in [0, 10, 64, 128, 136, 200] {
                bytes.iter_mut().skip(keep).for_each(|b| *b = byte());
                take(&bytes, &path);
                take(&bytes, Path::new(name));
            }
        }
    }
    tried("of noise");
}
