//! The program, run on files.

#![allow(dead_code)] // Each test uses a part.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/files")
}

pub fn cstgl<S: AsRef<OsStr>>(directory: &Path, args: impl IntoIterator<Item = S>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cstgl")).current_dir(directory).args(args).output().unwrap()
}

/// The sentence of a refusal.
pub fn refusal(directory: &Path, args: &[&str]) -> String {
    let out = cstgl(directory, args);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
    assert!(out.stdout.is_empty(), "{args:?} printed besides refusing");
    assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
    said
}

/// A directory of its own, gone at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("cstgl-command-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[track_caller]
pub fn says(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "'{part}' is missing in: {sentence}");
    }
}

/// The paper's data sets, which stand beside the project and not in it.
pub fn published() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared/data"));
    let found = beside.into_iter().find(|data| data.join("webkb.mat").exists());
    if found.is_none() {
        eprintln!("\n*** SKIPPED: the paper's data is not here. ***\n");
    }
    found
}
