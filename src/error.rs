//! Errors are values: what was wrong, where, and what would be right.

use core::fmt;

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

/// A piece of a message.
#[derive(Clone, Copy)]
pub(crate) enum Piece {
    Text(&'static str),
    Number(usize),
}

impl Error {
    /// The message in pieces, so that it can be had without `core::fmt` as well.
    pub(crate) const fn pieces(&self) -> [Piece; 7] {
        use Piece::{Number as N, Text as T};
        const NONE: Piece = T("");
        match *self {
            Self::SizeOverflow { what } => {
                [T(what), T(": the size does not fit in memory"), NONE, NONE, NONE, NONE, NONE]
            }
            Self::WorkspaceTooSmall { needed, given } => {
                [T("workspace: "), N(given), T(" bytes given, "), N(needed), T(" needed"), NONE, NONE]
            }
            Self::OutOfMemory { bytes } => {
                [N(bytes), T(" bytes are needed and not to be had"), NONE, NONE, NONE, NONE, NONE]
            }
            Self::WorkspaceMisaligned { align } => {
                [T("workspace: must start at a multiple of "), N(align), T(" bytes"), NONE, NONE, NONE, NONE]
            }
            Self::Length { what, expected, found } => {
                [T(what), T(": "), N(found), T(" elements given, "), N(expected), T(" expected"), NONE]
            }
            Self::Empty { what } => [T(what), T(": must not be empty"), NONE, NONE, NONE, NONE, NONE],
            Self::NotFinite { what, index } => {
                [T(what), T(": element "), N(index), T(" is not finite"), NONE, NONE, NONE]
            }
            Self::BadSample { view, feature, sample } => [
                T("view "),
                N(view),
                T(": feature "),
                N(feature),
                T(" of sample "),
                N(sample),
                T(" is not finite"),
            ],
            Self::BadIndex { what, index } => [
                T(what),
                T(": element "),
                N(index),
                T(" is outside the block or out of order"),
                NONE,
                NONE,
                NONE,
            ],
            Self::Range { view } => [
                T("view "),
                N(view),
                T(": squares exceed the range; scale the view down"),
                NONE,
                NONE,
                NONE,
                NONE,
            ],
            Self::Sequence { requirement } => {
                [T("out of order: "), T(requirement), NONE, NONE, NONE, NONE, NONE]
            }
            Self::Parameter { what, requirement } => {
                [T(what), T(": must be "), T(requirement), NONE, NONE, NONE, NONE]
            }
            Self::RankExceeded { allowed } => {
                [T("rank of the consistent part: above "), N(allowed), NONE, NONE, NONE, NONE, NONE]
            }
            Self::NotConverged { what, limit } => {
                [T(what), T(": not settled after "), N(limit), T(" rounds"), NONE, NONE, NONE]
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in self.pieces() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Number(number) => write!(f, "{number}")?,
            }
        }
        Ok(())
    }
}

impl core::error::Error for Error {}
