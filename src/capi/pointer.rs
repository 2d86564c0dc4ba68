//! A caller's pointer and length become a slice here, or a refusal.

use super::error::Refusal;
use crate::Error;
use crate::workspace::Pod;
use core::ptr::NonNull;

/// An array of the caller, as far as an address can tell: it is there, aligned, of a possible size.
pub(super) struct Span<T> {
    what: &'static str,
    start: *mut T,
    length: usize,
    bytes: usize,
}

impl<T> Span<T> {
    /// An array; NULL only where it is empty.
    pub(super) fn new(what: &'static str, start: *const T, length: usize) -> Result<Self, Refusal> {
        let bytes = length.checked_mul(size_of::<T>()).filter(|&bytes| {
            // No object is larger than half of the address space, and none goes around its end.
            bytes <= isize::MAX as usize && start.addr().checked_add(bytes).is_some()
        });
        let bytes = bytes.ok_or(Error::SizeOverflow { what })?;
        if start.is_null() && length > 0 {
            return Err(Refusal::Null { what });
        }
        if !start.is_aligned() {
            return Err(Refusal::Misaligned { what, align: align_of::<T>() });
        }
        Ok(Self { what, start: start.cast_mut(), length, bytes })
    }

    /// A place for one result, at any address but NULL.
    pub(super) fn place(what: &'static str, start: *mut T) -> Result<Self, Refusal> {
        if start.is_null() {
            return Err(Refusal::Null { what });
        }
        Ok(Self { what, start, length: 1, bytes: size_of::<T>() })
    }

    /// A place for a result that nobody need want.
    pub(super) fn optional_place(what: &'static str, start: *mut T) -> Option<Self> {
        Self::place(what, start).ok()
    }

    /// Refuses unless this and the other have no byte in common.
    pub(super) fn apart_from<U>(&self, other: &Span<U>) -> Result<(), Refusal> {
        let (a, b) = (self.start.addr(), other.start.addr());
        let apart = a.saturating_add(self.bytes) <= b || b.saturating_add(other.bytes) <= a;
        let empty = self.bytes == 0 || other.bytes == 0;
        if apart || empty { Ok(()) } else { Err(Refusal::Overlap { what: self.what }) }
    }

    /// Writes the result.
    ///
    /// # Safety
    ///
    /// The memory is the caller's to write, and no reference to it is alive.
    pub(super) unsafe fn put(&self, value: T) {
        // SAFETY: not NULL, by construction; the rest is the caller's promise.
        unsafe { self.start.write_unaligned(value) }
    }
}

impl<T: Pod> Span<T> {
    /// The address, or for an empty array without one an address that suits every type.
    fn address(&self) -> *mut T {
        if self.start.is_null() { NonNull::<u64>::dangling().as_ptr().cast() } else { self.start }
    }

    /// To read.
    ///
    /// # Safety
    ///
    /// The array exists as the caller of the C function says, and nobody writes to it while the slice is in use.
    pub(super) unsafe fn slice<'a>(&self) -> &'a [T] {
        // SAFETY: not NULL, aligned, and of a possible size, by construction; the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts(self.address(), self.length) }
    }

    /// To write.
    ///
    /// # Safety
    ///
    /// The array exists as the caller of the C function says, and nobody else uses it while the slice is in use.
    pub(super) unsafe fn slice_mut<'a>(&self) -> &'a mut [T] {
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.address(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_looked_at_before_they_are_used() {
        let data = [0_u32; 4];
        let start = data.as_ptr();
        assert!(Span::new("x", start, 4).is_ok());
        assert!(Span::<u32>::new("x", core::ptr::null(), 0).is_ok());
        let refusal = |start, length| Span::<u32>::new("x", start, length).err();
        assert_eq!(refusal(core::ptr::null(), 1), Some(Refusal::Null { what: "x" }));
        let aside = start.cast::<u8>().wrapping_add(1).cast();
        assert_eq!(refusal(aside, 1), Some(Refusal::Misaligned { what: "x", align: 4 }));
        for length in [usize::MAX, usize::MAX / 4, isize::MAX as usize / 4 + 1] {
            assert_eq!(refusal(start, length), Some(Error::SizeOverflow { what: "x" }.into()));
        }
    }

    #[test]
    fn a_byte_in_common_is_an_overlap() -> Result<(), Refusal> {
        let data = [0_u32; 4];
        let whole = Span::new("whole", data.as_ptr(), 2)?;
        let next = Span::new("next", data.as_ptr().wrapping_add(2), 2)?;
        let across = Span::new("across", data.as_ptr().cast::<u8>().wrapping_add(7), 2)?;
        assert_eq!(whole.apart_from(&next), Ok(()));
        assert_eq!(across.apart_from(&whole), Err(Refusal::Overlap { what: "across" }));
        assert_eq!(next.apart_from(&across), Err(Refusal::Overlap { what: "next" }));
        assert_eq!(Span::new("empty", data.as_ptr(), 0)?.apart_from(&whole), Ok(()));
        Ok(())
    }
}
