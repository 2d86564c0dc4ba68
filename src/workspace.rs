//! Memory belongs to the caller. A [`Layout`] says how much a kernel needs, an [`Arena`] carves it.
//!
//! Every kernel has a sibling that returns its `Layout`. A caller asks, provides one buffer of that size and
//! alignment, and passes an arena over it; the kernel carves what it needs and gives it back on return.
//!
//! ```
//! use cstgl::workspace::{Arena, Layout};
//!
//! const NEED: Layout = match Layout::array::<f64>(3) {
//!     Ok(three) => match three.and(Layout::EMPTY) { Ok(sum) => sum, Err(_) => panic!() },
//!     Err(_) => panic!(),
//! };
//! #[repr(align(8))]
//! struct Buffer([u8; NEED.bytes()]);
//!
//! let mut buffer = Buffer([0; NEED.bytes()]);
//! let mut arena = Arena::new(&mut buffer.0);
//! let numbers: &mut [f64] = arena.take(3)?;
//! numbers.fill(1.0);
//! assert!(arena.take::<u8>(1).is_err(), "not a byte more than the layout said");
//! # Ok::<(), cstgl::Error>(())
//! ```
#![allow(unsafe_code)] // The only place outside `capi` that may: it turns bytes into slices of numbers.

use crate::Error;
use crate::config::usual_rank;
use core::marker::PhantomData;
use num_complex::Complex;

/// Plain data: any bytes are a value, and a value is only its bytes.
///
/// # Safety
///
/// The type has no padding, no invalid bit pattern, no pointer and no destructor.
pub unsafe trait Pod: Copy + 'static {}

// SAFETY: numbers; every bit pattern is one.
unsafe impl Pod for u8 {}
// SAFETY: as above.
unsafe impl Pod for u32 {}
// SAFETY: as above.
unsafe impl Pod for u64 {}
// SAFETY: as above.
unsafe impl Pod for usize {}
// SAFETY: as above.
unsafe impl Pod for f32 {}
// SAFETY: as above.
unsafe impl Pod for f64 {}
// SAFETY: `repr(C)`, two numbers of one type: no padding.
unsafe impl<T: Pod> Pod for Complex<T> {}
// SAFETY: an array has its element's stride and no padding of its own.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}

/// Pairs of numbers as complex numbers, in place; an odd last one is left out.
pub(crate) const fn as_complex_mut<T: Pod>(pairs: &mut [T]) -> &mut [Complex<T>] {
    let length = pairs.len() / 2;
    // SAFETY: `Complex<T>` is `repr(C)` with two fields of type T, so `length` of them have the size, the alignment
    // and the valid values of `2 * length` numbers; the borrow is passed on whole.
    unsafe { core::slice::from_raw_parts_mut(pairs.as_mut_ptr().cast(), length) }
}

/// Pairs of numbers as complex numbers; an odd last one is left out.
pub(crate) const fn as_complex<T: Pod>(pairs: &[T]) -> &[Complex<T>] {
    let length = pairs.len() / 2;
    // SAFETY: as in `as_complex_mut`.
    unsafe { core::slice::from_raw_parts(pairs.as_ptr().cast(), length) }
}

/// The parts of elements, side by side, in place; nothing where the types do not lie over each other.
pub(crate) const fn as_parts_mut<F: crate::Field>(elements: &mut [F]) -> &mut [F::Real] {
    let (whole, part) = (size_of::<F>(), size_of::<F::Real>());
    if part == 0 || !whole.is_multiple_of(part) || align_of::<F::Real>() > align_of::<F>() {
        return &mut [];
    }
    let length = elements.len().wrapping_mul(whole / part);
    // SAFETY: both are plain data, an element is a whole number of parts, and its alignment is enough for them.
    unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), length) }
}

/// The parts of elements, side by side; nothing where the types do not lie over each other.
pub(crate) const fn as_parts<F: crate::Field>(elements: &[F]) -> &[F::Real] {
    let (whole, part) = (size_of::<F>(), size_of::<F::Real>());
    if part == 0 || !whole.is_multiple_of(part) || align_of::<F::Real>() > align_of::<F>() {
        return &[];
    }
    let length = elements.len().wrapping_mul(whole / part);
    // SAFETY: as in `as_parts_mut`.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), length) }
}

/// Bytes that memory comes in.
pub(crate) const LINE: usize = 64;
/// Samples from which on tensors begin with a line.
const WORTH_A_LINE: usize = 512;

/// How many bytes a computation needs, and from what alignment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    bytes: usize,
    align: usize,
}

impl Layout {
    /// No memory at all.
    pub const EMPTY: Self = Self { bytes: 0, align: 1 };

    /// `length` elements of one type.
    pub const fn array<T: Pod>(length: usize) -> Result<Self, Error> {
        match length.checked_mul(size_of::<T>()) {
            // No allocation may exceed isize::MAX, so no slice may either.
            Some(bytes) if bytes <= isize::MAX as usize => Ok(Self { bytes, align: align_of::<T>() }),
            _ => Err(Error::SizeOverflow { what: "workspace" }),
        }
    }

    /// Both at once: this, then `next` at its own alignment.
    pub const fn and(self, next: Self) -> Result<Self, Error> {
        let padding = self.bytes.wrapping_neg() & (next.align - 1);
        let Some(start) = self.bytes.checked_add(padding) else {
            return Err(Error::SizeOverflow { what: "workspace" });
        };
        match start.checked_add(next.bytes) {
            Some(bytes) if bytes <= isize::MAX as usize => {
                let align = if self.align > next.align { self.align } else { next.align };
                Ok(Self { bytes, align })
            }
            _ => Err(Error::SizeOverflow { what: "workspace" }),
        }
    }

    /// Both at once: this, then `length` elements of one type.
    pub const fn and_array<T: Pod>(self, length: usize) -> Result<Self, Error> {
        match Self::array::<T>(length) {
            Ok(next) => self.and(next),
            Err(error) => Err(error),
        }
    }

    /// One after the other in the same memory: enough for either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            bytes: if self.bytes > other.bytes { self.bytes } else { other.bytes },
            align: if self.align > other.align { self.align } else { other.align },
        }
    }

    /// This up to the end of its last cache line, for as many samples that it is worth while: rows that begin with a line are
    /// read faster. For fewer, where every byte counts, just this.
    pub(crate) const fn to_line(self, samples: usize) -> Result<Self, Error> {
        if !cfg!(feature = "large") || samples < WORTH_A_LINE {
            return Ok(self);
        }
        self.and_array::<u8>(self.bytes.wrapping_neg() & (LINE - 1))
    }

    /// Bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.bytes
    }

    /// Alignment in bytes, a power of two.
    #[must_use]
    pub const fn align(self) -> usize {
        self.align
    }
}

/// Bytes that are enough for a [`Session`](crate::Session) of so many samples, views and clusters, known when the program
/// is compiled: for a `static` where there is no allocator.
///
/// They are enough for all three profiles with the other fields as by default (20 iterations, 1 thread, any rank), and at
/// most 10 % and 4 KiB more than [`Session::layout`](crate::Session::layout) says, up to 300 samples, 8 views and 12
/// clusters. Where the number of clusters is estimated, it is `max_clusters + 1` here. `CSTGL_WORKSPACE_BYTES_F32` and
/// `_F64` of the C interface are the same numbers.
///
/// ```
/// use cstgl::{Config, Session, workspace};
///
/// const SAMPLES: usize = 40;
/// #[repr(align(8))]
/// struct Memory([u8; workspace::bytes::<f32>(SAMPLES, 2, 3)]);
///
/// let mut memory = Memory([0; _]); // in firmware, a static
/// let config = Config { clusters: 3, ..Config::<f32>::new(SAMPLES, 2) };
/// assert!(Session::new(&mut memory.0, &config).is_ok());
/// ```
#[must_use]
pub const fn bytes<T>(samples: usize, views: usize, clusters: usize) -> usize {
    let (n, m, k) = (samples, views, clusters);
    let small = match m {
        0..=2 => (if n <= 60 { 3 * n * n } else { 10 * n * n / 3 }) + 50 * n + 540,
        _ => 5 * n * n + 24 * n * m + if n > 7 && n < 11 && m > 7 { 1280 } else { 900 },
    };
    let rank = usual_rank(n);
    let search = (13 * rank + 180) * n + 76 * (rank + 16) * (rank + 16);
    let large = 2 * rank * n * m
        + m * m
        + 4 * m
        + match m {
            0..=2 => larger(5 * n * n / 2 + 125 * n + 400, search),
            _ => larger(4 * n * n + 230 * n + 2000, 2 * search),
        };
    let many_clusters = if k > 12 && 21 * k >= n { 3 * n * n / 2 } else { 0 };
    let many_views = if m > 8 { (12 + if n < 256 { n } else { 8 * n }) * m * m } else { 0 };
    let numbers = 7 * n * n * m + if n <= 128 { small } else { large } + many_clusters + many_views;
    size_of::<T>() * numbers
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Carves aligned slices, front to back, from one buffer.
#[derive(Debug)]
pub struct Arena<'a> {
    rest: &'a mut [u8],
}

impl<'a> Arena<'a> {
    /// An arena over the whole buffer.
    #[must_use]
    pub const fn new(buffer: &'a mut [u8]) -> Self {
        Self { rest: buffer }
    }

    /// Bytes not yet carved.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Refuses unless `need` fits from here on. Kernels call this before they touch anything, so a buffer that
    /// is a byte too short stops them at the door and not half way.
    #[cfg_attr(not(feature = "std"), inline(never))] // One copy is small.
    pub fn require(&self, need: Layout) -> Result<(), Error> {
        let padding = self.padding(need.align);
        // The layout was computed from an aligned start, so only an arena that stands at one keeps its promise.
        // Carving `need` after an odd-sized piece costs the padding as well.
        match padding.checked_add(need.bytes) {
            Some(total) if total <= self.rest.len() => Ok(()),
            _ if padding != 0 && need.bytes <= self.rest.len() => {
                Err(Error::WorkspaceMisaligned { align: need.align })
            }
            _ => Err(Error::WorkspaceTooSmall { needed: need.bytes, given: self.rest.len() }),
        }
    }

    /// The next `length` elements. Their values are whatever the bytes happen to be.
    pub fn take<T: Pod>(&mut self, length: usize) -> Result<&'a mut [T], Error> {
        let piece = self.carve(Layout::array::<T>(length)?)?;
        // SAFETY: `piece` is exclusively borrowed for 'a, holds exactly `length` elements, starts at a multiple
        // of T's alignment (that is what `padding` is), and T: Pod takes any bytes as a value.
        Ok(unsafe { core::slice::from_raw_parts_mut(piece.as_mut_ptr().cast::<T>(), length) })
    }

    /// The next bytes: exactly as many as the layout says, and from its alignment on.
    #[cfg_attr(not(feature = "std"), inline(never))] // One copy for all types is small.
    fn carve(&mut self, need: Layout) -> Result<&'a mut [u8], Error> {
        self.require(need)?;
        let padding = self.padding(need.align);
        let buffer = core::mem::take(&mut self.rest);
        let split =
            buffer.split_at_mut_checked(padding).and_then(|(_, b)| b.split_at_mut_checked(need.bytes));
        let Some((piece, rest)) = split else {
            return Err(Error::WorkspaceTooSmall { needed: need.bytes, given: 0 });
        };
        self.rest = rest;
        Ok(piece)
    }

    /// Skips what [`Layout::to_line`] adds to a piece.
    pub(crate) fn skip_to_line(&mut self, piece: Layout, samples: usize) -> Result<(), Error> {
        let bytes = piece.to_line(samples)?.bytes.saturating_sub(piece.bytes);
        self.take::<u8>(bytes).map(|_| ())
    }

    /// The next `length` elements, all of them `value`.
    pub fn take_filled<T: Pod>(&mut self, length: usize, value: T) -> Result<&'a mut [T], Error> {
        let slice = self.take(length)?;
        slice.fill(value);
        Ok(slice)
    }

    /// An arena over what remains; dropping it gives everything back.
    #[must_use]
    pub const fn scope(&mut self) -> Arena<'_> {
        Arena { rest: self.rest }
    }

    /// An arena of its own over the next bytes, enough for `need`: for a worker beside others.
    pub(crate) fn part(&mut self, need: Layout) -> Result<Self, Error> {
        self.require(need)?;
        let bytes = self.padding(need.align).saturating_add(need.bytes);
        let (piece, rest) =
            core::mem::take(&mut self.rest).split_at_mut_checked(bytes).unwrap_or((&mut [], &mut []));
        self.rest = rest;
        Ok(Self { rest: piece })
    }

    /// Bytes to the next multiple of an alignment.
    pub(crate) fn padding(&self, align: usize) -> usize {
        (self.rest.as_ptr() as usize).wrapping_neg() & (align - 1)
    }
}

/// The same run of elements of every block of a buffer. Bands of one buffer lie apart, so that each can be written by a thread
/// of its own although none is in one piece.
pub(crate) struct Band<'a, T> {
    /// The first of them in the first block.
    start: *mut T,
    blocks: usize,
    /// Elements from block to block, and how many of them are in the band.
    stride: usize,
    length: usize,
    buffer: PhantomData<&'a mut [T]>,
}

// SAFETY: a band is an exclusive borrow of elements that nobody else has.
unsafe impl<T: Send> Send for Band<'_, T> {}

impl<'a, T> Band<'a, T> {
    /// All of a buffer whose blocks have so many elements; what is left over behind the last block is in no band.
    pub(crate) const fn whole(buffer: &'a mut [T], block: usize) -> Self {
        let blocks = match buffer.len().checked_div(block) {
            Some(blocks) => blocks,
            None => 0,
        };
        Self { start: buffer.as_mut_ptr(), blocks, stride: block, length: block, buffer: PhantomData }
    }

    /// Of no buffer.
    pub(crate) const fn empty() -> Self {
        Self::whole(&mut [], 0)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.blocks == 0 || self.length == 0
    }

    /// Takes the first elements of every block, at most `length`, off the band.
    pub(crate) fn split_off(&mut self, length: usize) -> Self {
        let length = length.min(self.length);
        let front = Self { length, buffer: PhantomData, ..*self };
        self.start = self.start.wrapping_add(length);
        self.length = self.length.wrapping_sub(length);
        front
    }

    /// What of a block is in the band.
    #[inline(always)]
    pub(crate) const fn block(&self, block: usize) -> &[T] {
        if block >= self.blocks {
            return &[];
        }
        // SAFETY: as in `block_mut`, and borrowed shared with the band.
        unsafe { core::slice::from_raw_parts(self.start.add(block.wrapping_mul(self.stride)), self.length) }
    }

    /// The same, to write.
    #[inline(always)]
    pub(crate) const fn block_mut(&mut self, block: usize) -> &mut [T] {
        if block >= self.blocks {
            return &mut [];
        }
        // SAFETY: `whole` borrowed all blocks exclusively for 'a and `split_off` parts them without overlap: of each block
        // these elements belong to this band alone, which is borrowed with them.
        unsafe {
            core::slice::from_raw_parts_mut(self.start.add(block.wrapping_mul(self.stride)), self.length)
        }
    }
}

/// A workspace that owns its memory: the convenience that `std` adds. It begins with a cache line.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct Workspace {
    words: std::vec::Vec<u64>,
    bytes: usize,
}

/// Words for so many bytes, wherever in them a line begins.
#[cfg(feature = "std")]
const fn words_for(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { bytes.div_ceil(size_of::<u64>()).saturating_add(LINE / size_of::<u64>() - 1) }
}

#[cfg(feature = "std")]
impl Workspace {
    /// Memory for `need`, all zero.
    #[must_use]
    pub fn new(need: Layout) -> Self {
        Self { words: std::vec![0; words_for(need.bytes)], bytes: need.bytes }
    }

    /// The same, or an error where the machine has not so much memory.
    pub fn try_new(need: Layout) -> Result<Self, Error> {
        let refused = Error::OutOfMemory { bytes: need.bytes };
        let length = words_for(need.bytes);
        let Ok(layout) = std::alloc::Layout::array::<u64>(length) else { return Err(refused) };
        if length == 0 {
            return Ok(Self { words: std::vec::Vec::new(), bytes: 0 });
        }
        // SAFETY: the layout is not empty.
        let words = unsafe { std::alloc::alloc_zeroed(layout) };
        if words.is_null() {
            return Err(refused);
        }
        advise_large_pages(words, layout.size());
        // SAFETY: the global allocator gave these words for exactly this layout, and zero is a u64.
        let words = unsafe { std::vec::Vec::from_raw_parts(words.cast::<u64>(), length, length) };
        Ok(Self { words, bytes: need.bytes })
    }

    /// Bytes that were asked for.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Exactly the bytes asked for.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let memory = self.words.as_mut_ptr();
        // Words before the first line; a pointer that will not tell loses speed alone.
        let before =
            Some(memory.align_offset(LINE)).filter(|&words| words < LINE / size_of::<u64>()).unwrap_or(0);
        // SAFETY: the vector owns `bytes` initialised bytes and all words of a line but one, borrowed exclusively through
        // self; u64 has no invalid bit pattern, and no Pod type here needs more than its alignment.
        unsafe {
            let first = if self.bytes == 0 { memory } else { memory.add(before) };
            core::slice::from_raw_parts_mut(first.cast(), self.bytes)
        }
    }

    /// An arena over them.
    #[must_use]
    pub fn arena(&mut self) -> Arena<'_> {
        Arena::new(self.bytes_mut())
    }
}

/// Asks for large pages, where a system grants them to those who ask: half a gigabyte is a hundred thousand of the usual
/// ones, and the first touch of each is a trap. The advice may be declined; nothing depends on it.
#[cfg(feature = "std")]
fn advise_large_pages(memory: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 12;
        const LARGE_PAGE: usize = 1 << 21;
        let before = memory.align_offset(PAGE);
        if let Some(inside) = bytes.checked_sub(before).filter(|&inside| inside >= 2 * LARGE_PAGE) {
            // SAFETY: the range lies in memory that was just allocated, and the advice changes no byte of it.
            unsafe { libc::madvise(memory.wrapping_add(before).cast(), inside, libc::MADV_HUGEPAGE) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_aligned_and_maxima_are_shared() -> Result<(), Error> {
        let byte = Layout::array::<u8>(1)?;
        let double = Layout::array::<f64>(2)?;
        assert_eq!(byte.and(double)?, Layout { bytes: 24, align: 8 });
        assert_eq!(double.and(byte)?, Layout { bytes: 17, align: 8 });
        assert_eq!(byte.or(double), double);
        Ok(())
    }

    #[test]
    fn overflow_is_an_error() {
        let overflow = Err(Error::SizeOverflow { what: "workspace" });
        assert_eq!(Layout::array::<f64>(usize::MAX / 4), overflow);
        assert_eq!(Layout::array::<u8>(usize::MAX), overflow);
        let half = Layout { bytes: isize::MAX as usize, align: 1 };
        assert_eq!(half.and(half), overflow);
        assert_eq!(Layout { bytes: usize::MAX, align: 1 }.and(Layout { bytes: 0, align: 8 }), overflow);
    }

    #[test]
    fn a_byte_too_few_and_a_byte_aside_are_refused() -> Result<(), Error> {
        let need = Layout::array::<f64>(2)?;
        let mut words = Workspace::new(Layout::array::<f64>(4)?);
        let mut outer = words.arena();
        let bytes: &mut [u8] = outer.take(32)?;
        let (short, _) = bytes.split_at_mut(15);
        assert_eq!(
            Arena::new(short).take::<f64>(2).err(),
            Some(Error::WorkspaceTooSmall { needed: 16, given: 15 })
        );
        assert_eq!(Arena::new(&mut bytes[1..17]).require(need), Err(Error::WorkspaceMisaligned { align: 8 }));
        assert_eq!(Arena::new(&mut bytes[..16]).take::<f64>(2)?.len(), 2);
        Ok(())
    }

    #[test]
    fn bands_are_written_on_threads_of_their_own() {
        // Three blocks of five and one element that is in none, in bands of two, two and one.
        let mut buffer: std::vec::Vec<u32> = (0..16).collect();
        let mut rest = Band::whole(&mut buffer, 5);
        std::thread::scope(|scope| {
            for (number, length) in [(100, 2), (200, 2), (300, 1)] {
                let mut band = rest.split_off(2);
                assert_eq!(band.block(1).len(), length);
                assert!(band.block(3).is_empty() && band.block_mut(usize::MAX).is_empty());
                scope.spawn(move || {
                    for block in 0..3 {
                        band.block_mut(block).iter_mut().for_each(|x| *x += number);
                    }
                });
            }
        });
        assert!(rest.is_empty() && rest.block(0).is_empty() && rest.split_off(1).is_empty());
        let expected = [100, 101, 202, 203, 304, 105, 106, 207, 208, 309, 110, 111, 212, 213, 314, 15];
        assert_eq!(buffer, expected);
        assert!(Band::<u32>::empty().is_empty() && Band::whole(&mut [1], 2).is_empty());
    }

    #[test]
    fn a_scope_gives_back_what_it_took() -> Result<(), Error> {
        let mut words = Workspace::new(Layout::array::<u32>(8)?);
        let mut arena = words.arena();
        let kept = arena.take_filled::<u32>(4, 7)?;
        assert_eq!(arena.scope().take::<u32>(4)?.len(), 4);
        assert_eq!(arena.scope().take::<u32>(4)?.len(), 4, "the same bytes again");
        assert_eq!(kept, [7; 4]);
        Ok(())
    }
}
