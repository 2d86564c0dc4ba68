//! From files to views: MAT-files, NumPy arrays and tables of text.
pub mod labels;
mod mat;
pub mod matrix;
mod npy;
mod npz;
mod text;
pub mod value;
pub mod views;

use crate::error::{Error, Result};
use std::io::Read;
use std::path::Path;
use value::{Leaf, Variable};

/// Deflate packs no better than this, so a larger claim is a lie and need not be tried.
const DEFLATE_RATIO: u64 = 1032;

/// A file as read: its variables, and what should be said about how they were taken.
#[derive(Debug)]
pub struct File {
    /// As the user wrote it.
    pub path: String,
    /// What kind of file it is.
    pub format: Format,
    /// What is in it, in its order.
    pub variables: Vec<Variable>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// The kinds of files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Mat,
    Npy,
    Npz,
    Text,
}

impl Format {
    /// By the first bytes, else by the extension.
    pub fn of(bytes: &[u8], path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            _ if bytes.is_empty() => Err(Error::new("the file is empty")),
            _ if bytes.starts_with(npy::MAGIC) => Ok(Self::Npy),
            _ if npz::looks_like(bytes) => Ok(Self::Npz),
            _ if mat::looks_like(bytes) => Ok(Self::Mat),
            "mat" => Ok(Self::Mat),
            "npy" => Ok(Self::Npy),
            "npz" => Ok(Self::Npz),
            "csv" | "tsv" | "txt" | "dat" | "data" => Ok(Self::Text),
            _ => Err(Error::new("this is not a kind of file that is read")
                .remedy("files that are read: .mat, .npy, .npz, .csv, .tsv, .txt")),
        }
    }

    /// Whether one file holds one matrix and no names.
    pub fn is_single(self) -> bool {
        matches!(self, Self::Npy | Self::Text)
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mat => "MAT-file",
            Self::Npy => "NumPy array",
            Self::Npz => "NumPy archive",
            Self::Text => "text table",
        }
    }
}

impl File {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&bytes(path)?, path).map_err(|error| error.at(path.display().to_string()))
    }

    /// Reads the bytes of a file.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        let format = Format::of(bytes, path)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (variables, notes) = match format {
            Format::Mat => (mat::read(bytes)?, Vec::new()),
            Format::Npz => (npz::read(bytes, &stem)?, Vec::new()),
            Format::Npy => (vec![Variable { name: stem, value: npy::read(bytes)? }], Vec::new()),
            Format::Text => {
                let (value, notes) = text::read(bytes)?;
                (vec![Variable { name: stem, value }], notes)
            }
        };
        Ok(Self { path: path.display().to_string(), format, variables, notes })
    }

    /// The matrices and other ends of the tree.
    pub fn into_leaves(self) -> Vec<Leaf> {
        self.variables.into_iter().flat_map(Variable::into_leaves).collect()
    }
}

/// The bytes of a file or a pipe.
fn bytes(path: &Path) -> Result<Vec<u8>> {
    let wrong = |what: String| Error::new(what).at(path.display().to_string());
    let unreadable = |error: std::io::Error| wrong(format!("cannot be read ({error})"));
    let mut file = std::fs::File::open(path).map_err(unreadable)?;
    let kind = file.metadata().map_err(unreadable)?.file_type();
    if kind.is_dir() {
        return Err(wrong("this is a directory".into()).remedy("name the files in it"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_char_device(&kind) {
        return Err(wrong("this is a device, not a file".into()));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// A list in a sentence, not longer than a few lines.
pub fn listed(items: &[String]) -> String {
    const MOST: usize = 12;
    match items.len() {
        0 => "nothing".into(),
        len if len > MOST => {
            let shown: Vec<&str> = items.iter().take(MOST).map(String::as_str).collect();
            format!("{} and {} more", shown.join(", "), len - MOST)
        }
        _ => items.join(", "),
    }
}
