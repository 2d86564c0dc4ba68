//! The widest registers that the machine has, for code that the compiler vectorises by itself.
//!
//! A loop is compiled once for every machine of the target and again for those with wider registers, and the
//! choice is made at run time. The arithmetic is the same operation for operation (Rust never contracts a product
//! and a sum), sums keep their fixed lanes, and so the bits are the same too. Without `std` nothing can be asked
//! at run time and the target's own registers are used.
//!
//! Long formulas over many arrays are written once for anything [`Lanewise`]: for a number, and for [`Lanes`] of
//! numbers where the compiler would not see by itself that neighbours can be computed together.

use crate::Scalar;
use crate::linalg::vector::LANES;
use crate::workspace::LINE;
use core::ops::{Add, AddAssign, Mul, Sub};

/// What the elementwise formulas are made of.
pub(crate) trait Lanewise<T>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// The same number in every lane.
    fn splat(x: T) -> Self;
    /// The larger of two.
    fn max(self, other: Self) -> Self;
}

impl<T: Scalar> Lanewise<T> for T {
    #[inline(always)]
    fn splat(x: T) -> Self {
        x
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Scalar::max(self, other)
    }
}

/// Neighbouring numbers, each computed as if it were alone.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<T, const L: usize>(pub(crate) [T; L]);

impl<T: Scalar, const L: usize> Lanewise<T> for Lanes<T, L> {
    #[inline(always)]
    fn splat(x: T) -> Self {
        Self([x; L])
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, Scalar::max)
    }
}

impl<T: Scalar, const L: usize> Lanes<T, L> {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        for (x, y) in self.0.iter_mut().zip(other.0) {
            *x = f(*x, y);
        }
        self
    }
}

impl<T: Scalar, const L: usize> Add for Lanes<T, L> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |x, y| x + y)
    }
}

impl<T: Scalar, const L: usize> Sub for Lanes<T, L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |x, y| x - y)
    }
}

impl<T: Scalar, const L: usize> Mul for Lanes<T, L> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |x, y| x * y)
    }
}

impl<T: Scalar, const L: usize> AddAssign for Lanes<T, L> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Runs `f`, compiled for the widest registers of this machine. What `f` calls takes part as far as it is inlined.
#[inline(always)]
pub(crate) fn widest<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
        #[target_feature(enable = "avx2,avx512f,avx512vl")]
        fn avx512<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the line above has seen the features that the function is compiled for.
        #[expect(unsafe_code, reason = "the compiler cannot see that the check guards the call")]
        return unsafe { avx512(f) };
    } else if std::arch::is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn avx2<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the line above has seen the feature that the function is compiled for.
        #[expect(unsafe_code, reason = "the compiler cannot see that the check guards the call")]
        return unsafe { avx2(f) };
    }
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        #[inline(never)] // What it keeps on the stack is not on that of a machine with wider registers as well.
        fn narrow<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        narrow(f)
    }
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    f()
}

/// The same lanes, of which the compiler does not know what made them. Where their sum follows soon, it takes lanes apart and
/// computes all that leads to it in narrow registers.
#[inline(always)]
pub(crate) fn kept_whole<T, const L: usize>(lanes: [T; L]) -> [T; L] {
    /// In one line, or two.
    #[repr(align(64))]
    struct Line<L>(L);
    if cfg!(feature = "std") { core::hint::black_box(Line(lanes)).0 } else { lanes }
}

/// Whether the registers of this machine have room for so many vectors of [`LANES`] numbers.
#[inline(always)]
pub(crate) fn registers_hold<T>(vectors: usize) -> bool {
    let bytes = vectors.saturating_mul(LANES).saturating_mul(size_of::<T>());
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
        return bytes <= 32 * 64;
    } else if std::arch::is_x86_feature_detected!("avx2") {
        return bytes <= 16 * 32;
    }
    let registers = if cfg!(target_arch = "aarch64") { 32 } else { 16 };
    bytes <= registers * 16
}

/// How many pieces of so many bytes come from memory together; at least one.
pub(crate) const fn pieces_in_line(bytes: usize) -> usize {
    if bytes >= LINE { 1 } else { LINE / bytes }
}

/// Asks for element `i` of `x` to be brought near, where a machine can be asked; whether it exists does not matter. Near is
/// a second-level cache: what is asked for long before it is needed would drive out of the first what is in use.
#[inline(always)]
pub(crate) fn fetch<T>(x: &[T], i: usize) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    hint::<T, { core::arch::x86_64::_MM_HINT_T1 }>(x, i);
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    let _ = (x, i);
}

/// The same for what is read once and then written by another thread, perhaps: no copy of its line is to stay, for who
/// writes would have to wait until all copies are gone, which takes several times as long as the writing.
#[inline(always)]
pub(crate) fn fetch_once<T>(x: &[T], i: usize) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    hint::<T, { core::arch::x86_64::_MM_HINT_NTA }>(x, i);
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    let _ = (x, i);
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(always)]
fn hint<T, const HOW: i32>(x: &[T], i: usize) {
    // SAFETY: it is a hint: it reads and writes nothing that a program can see, and no address is wrong.
    #[expect(unsafe_code, reason = "the hint takes a pointer")]
    unsafe {
        core::arch::x86_64::_mm_prefetch::<HOW>(x.as_ptr().wrapping_add(i).cast());
    }
}
