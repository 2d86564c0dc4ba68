//! The frontal slices of a transformed tensor.
//!
//! A real tensor's spectrum is kept in the memory of the tensor ([`RealFft::forward_packed`]): the real and the
//! imaginary part of a slice are *planes* of their own.

use crate::Scalar;
use crate::fft::RealFft;
use crate::linalg::vector;
use num_complex::Complex;

/// Plane `row` of a packed spectrum whose slices have `area` elements.
pub(crate) fn plane<T>(packed: &[T], area: usize, row: usize) -> &[T] {
    let start = row.wrapping_mul(area);
    packed.get(start..start.wrapping_add(area)).unwrap_or(&[])
}

/// The same, to write.
pub(crate) fn plane_mut<T>(packed: &mut [T], area: usize, row: usize) -> &mut [T] {
    let start = row.wrapping_mul(area);
    packed.get_mut(start..start.wrapping_add(area)).unwrap_or(&mut [])
}

/// How often frequency `k` of the half spectrum stands in the whole one.
pub(crate) const fn multiplicity<T: Scalar>(fft: &RealFft<'_, T>, k: usize) -> usize {
    if fft.packed_rows(k).1.is_some() { 2 } else { 1 }
}

/// Slice `k` as complex numbers.
pub(crate) fn load_slice<T: Scalar>(fft: &RealFft<'_, T>, packed: &[T], k: usize, slice: &mut [Complex<T>]) {
    let area = slice.len();
    let (real, imaginary) = fft.packed_rows(k);
    match imaginary {
        Some(imaginary) => {
            let parts = plane(packed, area, real).iter().zip(plane(packed, area, imaginary));
            slice.iter_mut().zip(parts).for_each(|(z, (&re, &im))| *z = Complex::new(re, im));
        }
        None => {
            let parts = slice.iter_mut().zip(plane(packed, area, real));
            parts.for_each(|(z, &re)| *z = Complex::new(re, T::ZERO));
        }
    }
}

/// Undoes [`load_slice`].
pub(crate) fn store_slice<T: Scalar>(fft: &RealFft<'_, T>, slice: &[Complex<T>], k: usize, packed: &mut [T]) {
    let area = slice.len();
    let (real, imaginary) = fft.packed_rows(k);
    plane_mut(packed, area, real).iter_mut().zip(slice).for_each(|(x, z)| *x = z.re);
    if let Some(imaginary) = imaginary {
        plane_mut(packed, area, imaginary).iter_mut().zip(slice).for_each(|(x, z)| *x = z.im);
    }
}

/// The spectrum of `tensor` along its third mode, in `packed`.
pub(super) fn transform<T: Scalar>(
    fft: &RealFft<'_, T>,
    tensor: &[T],
    area: usize,
    packed: &mut [T],
    work: &mut crate::workspace::Arena<'_>,
) -> Result<(), crate::Error> {
    vector::copy(tensor, packed);
    fft.forward_packed(packed, area, work)
}
