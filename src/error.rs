//! Errors are values: what was wrong, where, and what would be right.

use core::fmt::{self, Write as _};

/// Why a call was refused. A refused call has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A size computed from the caller's numbers does not fit in `usize`.
    SizeOverflow {
        /// The quantity that overflowed.
        what: &'static str,
    },
    /// The workspace has fewer bytes than the call's layout asks for.
    WorkspaceTooSmall {
        /// Bytes that would be enough.
        needed: usize,
        /// Bytes that were there.
        given: usize,
    },
    /// The machine has not the memory that an owning workspace asked for.
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: usize,
    },
    /// The workspace does not start at a multiple of the layout's alignment.
    WorkspaceMisaligned {
        /// The alignment that would be right, in bytes.
        align: usize,
    },
    /// A slice has another length than its shape says.
    Length {
        /// The argument.
        what: &'static str,
        /// Elements that would be right.
        expected: usize,
        /// Elements that were there.
        found: usize,
    },
    /// An argument that must not be empty is.
    Empty {
        /// The argument.
        what: &'static str,
    },
    /// A number is NaN or infinite.
    NotFinite {
        /// The argument.
        what: &'static str,
        /// Position of the first such element.
        index: usize,
    },
    /// A value of a view is NaN or infinite.
    BadSample {
        /// The view.
        view: usize,
        /// The feature within the block that was pushed; of a matrix of pairs, its row.
        feature: usize,
        /// The sample; of a matrix of pairs, its column.
        sample: usize,
    },
    /// A position in a sparse block is outside its matrix, or not in ascending order.
    BadIndex {
        /// The array it stands in.
        what: &'static str,
        /// Its place in that array.
        index: usize,
    },
    /// Sums of products of a view left the range of the type: scale the view down.
    Range {
        /// The view.
        view: usize,
    },
    /// A call came too early or too late.
    Sequence {
        /// What would have to come first, or what has already happened.
        requirement: &'static str,
    },
    /// A parameter is outside its domain.
    Parameter {
        /// The parameter.
        what: &'static str,
        /// The domain, in words.
        requirement: &'static str,
    },
    /// The consistent part has a higher rank than the caller allowed memory for.
    RankExceeded {
        /// The rank that was allowed.
        allowed: usize,
    },
    /// An iteration did not settle within its limit.
    NotConverged {
        /// The iteration.
        what: &'static str,
        /// The limit that was reached.
        limit: usize,
    },
}

/// A message, so kept that it can be had without `core::fmt` as well.
pub(crate) struct Message {
    /// ASCII. A `$` stands for the next word, a `#` for the next number.
    pattern: &'static str,
    words: [&'static str; 2],
    numbers: [usize; 3],
}

/// A piece of a message.
pub(crate) enum Piece {
    Letter(u8),
    Word(&'static str),
    Number(usize),
}

impl Message {
    pub(crate) const fn new(pattern: &'static str, words: [&'static str; 2], numbers: [usize; 3]) -> Self {
        Self { pattern, words, numbers }
    }

    /// Hands out piece after piece.
    pub(crate) fn tell<E>(&self, mut say: impl FnMut(Piece) -> Result<(), E>) -> Result<(), E> {
        let (mut words, mut numbers) = (self.words.iter(), self.numbers.iter());
        for letter in self.pattern.bytes() {
            say(match letter {
                b'$' => Piece::Word(words.next().unwrap_or(&"")),
                b'#' => Piece::Number(*numbers.next().unwrap_or(&0)),
                _ => Piece::Letter(letter),
            })?;
        }
        Ok(())
    }
}

impl Error {
    pub(crate) const fn message(&self) -> Message {
        let (pattern, words, numbers) = match *self {
            Self::SizeOverflow { what } => ("$: the size does not fit in memory", [what, ""], [0; 3]),
            Self::WorkspaceTooSmall { needed, given } => {
                ("workspace: # bytes given, # needed", [""; 2], [given, needed, 0])
            }
            Self::OutOfMemory { bytes } => ("# bytes are needed and not to be had", [""; 2], [bytes, 0, 0]),
            Self::WorkspaceMisaligned { align } => {
                ("workspace: must start at a multiple of # bytes", [""; 2], [align, 0, 0])
            }
            Self::Length { what, expected, found } => {
                ("$: # elements given, # expected", [what, ""], [found, expected, 0])
            }
            Self::Empty { what } => ("$: must not be empty", [what, ""], [0; 3]),
            Self::NotFinite { what, index } => ("$: element # is not finite", [what, ""], [index, 0, 0]),
            Self::BadSample { view, feature, sample } => {
                ("view #: feature # of sample # is not finite", [""; 2], [view, feature, sample])
            }
            Self::BadIndex { what, index } => {
                ("$: element # is outside the block or out of order", [what, ""], [index, 0, 0])
            }
            Self::Range { view } => {
                ("view #: squares exceed the range; scale the view down", [""; 2], [view, 0, 0])
            }
            Self::Sequence { requirement } => ("out of order: $", [requirement, ""], [0; 3]),
            Self::Parameter { what, requirement } => ("$: must be $", [what, requirement], [0; 3]),
            Self::RankExceeded { allowed } => {
                ("rank of the consistent part: above #", [""; 2], [allowed, 0, 0])
            }
            Self::NotConverged { what, limit } => {
                ("$: not settled after # rounds", [what, ""], [limit, 0, 0])
            }
        };
        Message::new(pattern, words, numbers)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().tell(|piece| match piece {
            Piece::Letter(letter) => f.write_char(char::from(letter)),
            Piece::Word(word) => f.write_str(word),
            Piece::Number(number) => write!(f, "{number}"),
        })
    }
}

impl core::error::Error for Error {}
