//! Between a row-major matrix and a strip of its columns.

use super::butterfly::Row;
use crate::Scalar;
use num_complex::Complex;

/// The columns from `first` on of row `row`, at most `W` of them.
#[inline(always)]
pub(super) fn columns<E, const W: usize>(matrix: &[E], width: usize, row: usize, first: usize) -> &[E] {
    let start = row * width;
    matrix.get(start + first..start + width.min(first + W)).unwrap_or(&[])
}

/// The same, to write.
#[inline(always)]
pub(super) fn columns_mut<E, const W: usize>(
    matrix: &mut [E],
    width: usize,
    row: usize,
    first: usize,
) -> &mut [E] {
    let start = row * width;
    matrix.get_mut(start + first..start + width.min(first + W)).unwrap_or(&mut [])
}

/// Numbers into one part of a strip's row; columns that the matrix does not have are zero.
#[inline(always)]
pub(super) fn load_part<T: Scalar, const W: usize>(from: &[T], part: &mut [T; W]) {
    if let Ok(whole) = <&[T; W]>::try_from(from) {
        *part = *whole;
        return;
    }
    *part = [T::ZERO; W];
    for (part, &x) in part.iter_mut().zip(from) {
        *part = x;
    }
}

/// Complex numbers into a strip's row, each through `f`; columns that the matrix does not have are zero.
#[inline(always)]
pub(super) fn load<T: Scalar, const W: usize>(
    from: &[Complex<T>],
    [re, im]: &mut Row<T, W>,
    f: impl Fn(Complex<T>) -> Complex<T>,
) {
    if from.len() < W {
        (*re, *im) = ([T::ZERO; W], [T::ZERO; W]);
    }
    for ((re, im), &z) in re.iter_mut().zip(im).zip(from) {
        let z = f(z);
        (*re, *im) = (z.re, z.im);
    }
}

/// A strip's row back into complex numbers, each through `f`.
#[inline(always)]
pub(super) fn store<T: Scalar, const W: usize>(
    [re, im]: &Row<T, W>,
    to: &mut [Complex<T>],
    f: impl Fn(Complex<T>) -> Complex<T>,
) {
    for ((&re, &im), z) in re.iter().zip(im).zip(to) {
        *z = f(Complex::new(re, im));
    }
}

/// One part of a strip's row back into numbers.
#[inline(always)]
pub(super) fn store_part<T: Scalar, const W: usize>(part: &[T; W], to: &mut [T]) {
    if let Ok(whole) = <&mut [T; W]>::try_from(&mut *to) {
        *whole = *part;
        return;
    }
    for (&x, to) in part.iter().zip(to) {
        *to = x;
    }
}
