//! Why a call was refused, in numbers and in words.

use super::status::*;
use crate::Error;
use crate::error::{Message, Piece};
use core::convert::Infallible;
use core::ffi::c_char;

/// A number of `cstgl_error` that means nothing for its status.
pub const CSTGL_NONE: u64 = u64::MAX;
/// Bytes of `cstgl_error.message`.
pub const CSTGL_MESSAGE_BYTES: usize = 128;

/// Why a call was refused. Written only when a call fails, and only where the caller passed one; it refers to nothing,
/// so it may be kept, copied and printed at any time. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cstgl_error {
    /// What the function returned.
    pub status: cstgl_status,
    /// Zero.
    pub reserved: u32,
    /// The view at fault, or `CSTGL_NONE`; so for all numbers below.
    pub view: u64,
    /// The feature within the block that was pushed; of a matrix of pairs, its row.
    pub feature: u64,
    /// The sample; of a matrix of pairs, its column.
    pub sample: u64,
    /// The element of the array at fault.
    pub index: u64,
    /// What would have been right: bytes of memory, elements of an array, or an alignment.
    pub needed: u64,
    /// What was given.
    pub given: u64,
    /// All of it in English, such as "view 1: feature 3 of sample 17 is not finite". Zero-terminated.
    pub message: [c_char; CSTGL_MESSAGE_BYTES],
}

/// Why a call of the C interface was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refusal {
    Null { what: &'static str },
    Abi { what: &'static str },
    Handle,
    Misaligned { what: &'static str, align: usize },
    Overlap { what: &'static str },
    Core(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl Refusal {
    pub(super) const fn parameter(what: &'static str, requirement: &'static str) -> Self {
        Self::Core(Error::Parameter { what, requirement })
    }

    const fn status(&self) -> cstgl_status {
        match self {
            Self::Null { .. } => CSTGL_ERROR_NULL,
            Self::Abi { .. } => CSTGL_ERROR_ABI,
            Self::Handle => CSTGL_ERROR_HANDLE,
            Self::Misaligned { .. } => CSTGL_ERROR_ALIGNMENT,
            Self::Overlap { .. } => CSTGL_ERROR_OVERLAP,
            Self::Core(error) => match error {
                Error::SizeOverflow { .. } => CSTGL_ERROR_OVERFLOW,
                Error::WorkspaceTooSmall { .. } | Error::OutOfMemory { .. } => CSTGL_ERROR_MEMORY,
                Error::WorkspaceMisaligned { .. } => CSTGL_ERROR_ALIGNMENT,
                Error::Length { .. } => CSTGL_ERROR_LENGTH,
                Error::Empty { .. } => CSTGL_ERROR_EMPTY,
                Error::NotFinite { .. } | Error::BadSample { .. } => CSTGL_ERROR_NOT_FINITE,
                Error::BadIndex { .. } => CSTGL_ERROR_INDEX,
                Error::Range { .. } => CSTGL_ERROR_RANGE,
                Error::Sequence { .. } => CSTGL_ERROR_SEQUENCE,
                Error::Parameter { .. } => CSTGL_ERROR_PARAMETER,
                Error::RankExceeded { .. } => CSTGL_ERROR_RANK,
                Error::NotConverged { .. } => CSTGL_ERROR_NOT_CONVERGED,
            },
        }
    }

    const fn message(&self) -> Message {
        let (pattern, what, align) = match *self {
            Self::Null { what } => ("$: must not be NULL", what, 0),
            Self::Abi { what } => ("$: not what this library's cstgl_config_init writes", what, 0),
            Self::Handle => ("$: the memory holds no run of this kind", "handle", 0),
            Self::Misaligned { what, align } => ("$: must be at a multiple of # bytes", what, align),
            Self::Overlap { what } => ("$: overlaps memory of another argument", what, 0),
            Self::Core(error) => return error.message(),
        };
        Message::new(pattern, [what, ""], [align, 0, 0])
    }

    fn report(&self) -> cstgl_error {
        let mut report = cstgl_error {
            status: self.status(),
            reserved: 0,
            view: CSTGL_NONE,
            feature: CSTGL_NONE,
            sample: CSTGL_NONE,
            index: CSTGL_NONE,
            needed: CSTGL_NONE,
            given: CSTGL_NONE,
            message: [0; CSTGL_MESSAGE_BYTES],
        };
        let numbers = |needed: usize, given: usize| (needed as u64, given as u64);
        match *self {
            Self::Misaligned { align, .. } | Self::Core(Error::WorkspaceMisaligned { align }) => {
                report.needed = align as u64;
            }
            Self::Core(error) => match error {
                Error::WorkspaceTooSmall { needed, given } => {
                    (report.needed, report.given) = numbers(needed, given);
                }
                Error::Length { expected, found, .. } => {
                    (report.needed, report.given) = numbers(expected, found);
                }
                Error::OutOfMemory { bytes } => report.needed = bytes as u64,
                Error::NotFinite { index, .. } | Error::BadIndex { index, .. } => report.index = index as u64,
                Error::BadSample { view, feature, sample } => {
                    report.view = view as u64;
                    (report.feature, report.sample) = numbers(feature, sample);
                }
                Error::Range { view } => report.view = view as u64,
                Error::RankExceeded { allowed } => report.given = allowed as u64,
                Error::NotConverged { limit, .. } => report.given = limit as u64,
                _ => (),
            },
            _ => (),
        }
        write_message(&mut report.message, &self.message());
        report
    }
}

/// As much of the message as there is room for, and at least one zero. Without `core::fmt`: its calls through tables
/// hide the depth of the stack, and a small target has no room for it.
fn write_message(to: &mut [c_char; CSTGL_MESSAGE_BYTES], message: &Message) {
    let mut places = to.iter_mut().take(CSTGL_MESSAGE_BYTES - 1);
    let mut say = |byte: u8| {
        if let Some(place) = places.next() {
            *place = byte as c_char;
        }
    };
    let Ok(()) = message.tell(|piece| {
        match piece {
            Piece::Letter(letter) => say(letter),
            Piece::Word(word) => word.bytes().for_each(&mut say),
            Piece::Number(number) => decimal(number, &mut say),
        }
        Ok::<(), Infallible>(())
    });
}

/// The digits of a number, the first one first.
fn decimal(number: usize, say: &mut impl FnMut(u8)) {
    let mut unit = 1_usize;
    while number.checked_div(unit).is_some_and(|rest| rest >= 10) {
        unit = unit.wrapping_mul(10);
    }
    let mut rest = number;
    while let Some(digit) = rest.checked_div(unit) {
        say(b'0'.wrapping_add(digit as u8));
        rest = rest.wrapping_sub(digit.wrapping_mul(unit));
        unit /= 10;
    }
}

/// Runs a call; tells why where it was refused.
///
/// # Safety
///
/// `error` is NULL or points to a `cstgl_error` that may be written.
pub(super) unsafe fn answer(
    error: *mut cstgl_error,
    call: impl FnOnce() -> Result<(), Refusal>,
) -> cstgl_status {
    match call() {
        Ok(()) => CSTGL_OK,
        // SAFETY: the caller's promise.
        Err(refusal) => unsafe { refuse(error, &refusal) },
    }
}

/// Tells why a call was refused.
///
/// # Safety
///
/// As for [`answer`].
#[cold]
#[inline(never)] // The report is on the stack only while it is written, not beneath the whole of every call.
unsafe fn refuse(error: *mut cstgl_error, refusal: &Refusal) -> cstgl_status {
    if !error.is_null() {
        // SAFETY: the caller's promise; the alignment is not relied upon.
        unsafe { error.write_unaligned(refusal.report()) };
    }
    refusal.status()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};

    fn message(refusal: Refusal) -> String {
        refusal.report().message.iter().take_while(|&&c| c != 0).map(|&c| c as u8 as char).collect()
    }

    #[test]
    fn messages_are_those_of_the_rust_interface() {
        for error in [
            Error::SizeOverflow { what: "view" },
            Error::WorkspaceTooSmall { needed: usize::MAX, given: 0 },
            Error::OutOfMemory { bytes: 100 },
            Error::WorkspaceMisaligned { align: 8 },
            Error::Length { what: "labels", expected: 10, found: 1009 },
            Error::Empty { what: "samples" },
            Error::NotFinite { what: "pairs", index: 100 },
            Error::BadSample { view: 1, feature: 3, sample: 17 },
            Error::BadIndex { what: "indices", index: 9 },
            Error::Range { view: 2 },
            Error::Sequence { requirement: "all iterations are done" },
            Error::Parameter { what: "mu", requirement: "finite and at least one" },
            Error::RankExceeded { allowed: 99 },
            Error::NotConverged { what: "sweeps", limit: 30 },
        ] {
            assert_eq!(message(error.into()), error.to_string());
        }
        assert_eq!(message(Refusal::Null { what: "config" }), "config: must not be NULL");
    }

    #[test]
    fn a_long_message_is_cut_and_ends() {
        let mut bytes = [1; CSTGL_MESSAGE_BYTES];
        bytes[CSTGL_MESSAGE_BYTES - 1] = 0;
        let long = "0123456789012345678901234567890123456789012345678901234567890123456789";
        write_message(&mut bytes, &Message::new("$$", [long; 2], [0; 3]));
        assert_eq!(bytes[CSTGL_MESSAGE_BYTES - 1], 0);
        assert_eq!(bytes[CSTGL_MESSAGE_BYTES - 2], b'6' as c_char);
    }
}
