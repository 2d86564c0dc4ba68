//! What went wrong, as one sentence: which file, where in it, what is wrong, what would be right.
use std::fmt;

/// Why a command stopped. The process ends with [`EXIT_CODE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// From the outside in: the file, the variable, the byte or line.
    places: Vec<String>,
    what: String,
    remedy: Option<String>,
}

/// Bad usage or bad input; the argument parser uses the same number.
pub const EXIT_CODE: u8 = 2;

/// The result of everything that reads or writes files.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// States what is wrong.
    pub fn new(what: impl Into<String>) -> Self {
        Self { places: Vec::new(), what: what.into(), remedy: None }
    }

    /// Says where: called on the way out, so that the last place named is the first one read.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.places.insert(0, place.into());
        self
    }

    /// Says what would be right.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in &self.places {
            write!(f, "{}: ", printable(place))?;
        }
        f.write_str(&printable(&self.what))?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {}", printable(remedy)),
            None => Ok(()),
        }
    }
}

/// Text out of a file, without what a terminal would obey.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
