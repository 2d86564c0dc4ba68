//! Definitions 4 and 5: the t-SVD and the nuclear norm.

use super::spectrum::transform;
use super::{Shape, load_slice, multiplicity, store_slice};
use crate::fft::RealFft;
use crate::linalg::jacobi_svd::{singular_values, singular_values_layout, svd, svd_layout};
use crate::linalg::qr::complete_basis;
use crate::linalg::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};
use num_complex::Complex;

/// What [`tsvd`] needs.
pub fn tsvd_layout<T: Scalar>(shape: Shape) -> Result<Layout, Error> {
    let [slices, rows, cols] = shape;
    let (area, small) = (check::product("slice", &[rows, cols])?, rows.min(cols));
    let (left, right) = (check::product("slice", &[rows, rows])?, check::product("slice", &[cols, cols])?);
    let packed = [area, left, area, right];
    let mut layout = RealFft::<T>::layout(slices)?;
    for length in packed {
        layout = layout.and_array::<T>(check::product("tensor", &[slices, length])?)?;
    }
    for length in [area, check::product("slice", &[rows, small])?, left, right] {
        layout = layout.and_array::<Complex<T>>(length)?;
    }
    let inner = svd_layout::<Complex<T>>(rows, cols)?.or(RealFft::<T>::scratch_layout(slices)?);
    layout.and_array::<T>(small)?.and(inner)
}

/// Definition 4, `A = U * G * V^T`: `U` and `V` are orthogonal, `[n3, n1, n1]` and `[n3, n2, n2]`, and `G` is
/// f-diagonal, of `A`'s own shape. Every slice of the spectrum has its singular values in descending order.
pub fn tsvd<T: Scalar>(
    a: &[T],
    shape: Shape,
    u: &mut [T],
    g: &mut [T],
    v: &mut [T],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let [slices, rows, cols] = shape;
    check::shape("tensor", a, &shape)?;
    check::positive("tensor", a.len())?;
    check::shape("u", u, &[slices, rows, rows])?;
    check::shape("g", g, &shape)?;
    check::shape("v", v, &[slices, cols, cols])?;
    check::finite("tensor", a)?;
    work.require(tsvd_layout::<T>(shape)?)?;

    let small = rows.min(cols);
    let mut work = work.scope();
    let fft = RealFft::new(slices, &mut work)?;
    let packed_a = work.take::<T>(a.len())?;
    let (packed_u, packed_g) = (work.take::<T>(u.len())?, work.take_filled(g.len(), T::ZERO)?);
    let packed_v = work.take::<T>(v.len())?;
    let (slice, thin) = (work.take::<Complex<T>>(rows * cols)?, work.take::<Complex<T>>(rows * small)?);
    let (left, right) = (work.take::<Complex<T>>(rows * rows)?, work.take::<Complex<T>>(cols * cols)?);
    let values = work.take::<T>(small)?;
    transform(&fft, a, rows * cols, packed_a, &mut work)?;
    for k in 0..fft.spectrum_len() {
        load_slice(&fft, packed_a, k, slice);
        let adjoint = right.get_mut(..small * cols).unwrap_or(&mut []);
        svd(
            Mat::new("slice", slice, rows, cols)?,
            MatMut::new("left vectors", thin, rows, small)?,
            values,
            MatMut::new("right vectors", adjoint, small, cols)?,
            &mut work,
        )?;
        // Vectors as rows, as many as make a basis; then as columns.
        transpose_into(thin, rows, small, left);
        complete_basis(MatMut::new("left vectors", left, rows, rows)?, small)?;
        transpose_in_place(left, rows, |z| z);
        store_slice(&fft, left, k, packed_u);
        complete_basis(MatMut::new("right vectors", right, cols, cols)?, small)?;
        transpose_in_place(right, cols, Field::conj);
        store_slice(&fft, right, k, packed_v);
        slice.fill(Complex::new(T::ZERO, T::ZERO));
        for (i, &value) in values.iter().enumerate() {
            vector::put(slice, i * cols + i, Complex::new(value, T::ZERO));
        }
        store_slice(&fft, slice, k, packed_g);
    }
    for (packed, area) in
        [(&mut *packed_u, rows * rows), (&mut *packed_g, rows * cols), (&mut *packed_v, cols * cols)]
    {
        fft.inverse_packed(packed, area, &mut work)?;
    }
    vector::copy(packed_u, u);
    vector::copy(packed_g, g);
    vector::copy(packed_v, v);
    Ok(())
}

/// `to(j, i) = from(i, j)` for `from` of `rows x cols`.
fn transpose_into<F: Field>(from: &[F], rows: usize, cols: usize, to: &mut [F]) {
    for i in 0..rows {
        for j in 0..cols {
            vector::put(to, j * rows + i, vector::at(from, i * cols + j));
        }
    }
}

/// `a(j, i) = f(a(i, j))` for a square matrix.
fn transpose_in_place<F: Field>(a: &mut [F], n: usize, f: impl Fn(F) -> F) {
    for i in 0..n {
        for j in 0..=i {
            let (low, high) = (i * n + j, j * n + i);
            let (x, y) = (f(vector::at(a, low)), f(vector::at(a, high)));
            vector::put(a, low, y);
            vector::put(a, high, x);
        }
    }
}

/// What [`nuclear_norm`] needs.
pub fn nuclear_norm_layout<T: Scalar>(shape: Shape) -> Result<Layout, Error> {
    let [slices, rows, cols] = shape;
    RealFft::<T>::layout(slices)?
        .and_array::<T>(check::product("tensor", &shape)?)?
        .and_array::<Complex<T>>(check::product("slice", &[rows, cols])?)?
        .and_array::<T>(rows.min(cols))?
        .and(singular_values_layout::<Complex<T>>(rows, cols)?.or(RealFft::<T>::scratch_layout(slices)?))
}

/// Definition 5, Eq. (6): the sum of the singular values of all frontal slices of the spectrum.
pub fn nuclear_norm<T: Scalar>(a: &[T], shape: Shape, work: &mut Arena<'_>) -> Result<T, Error> {
    let [slices, rows, cols] = shape;
    check::shape("tensor", a, &shape)?;
    check::positive("tensor", a.len())?;
    check::finite("tensor", a)?;
    work.require(nuclear_norm_layout::<T>(shape)?)?;
    let mut work = work.scope();
    let fft = RealFft::new(slices, &mut work)?;
    let packed = work.take::<T>(a.len())?;
    let slice = work.take::<Complex<T>>(rows * cols)?;
    let values = work.take::<T>(rows.min(cols))?;
    transform(&fft, a, rows * cols, packed, &mut work)?;
    let mut sum = T::ZERO;
    for k in 0..fft.spectrum_len() {
        load_slice(&fft, packed, k, slice);
        singular_values(Mat::new("slice", slice, rows, cols)?, values, &mut work)?;
        let slice_sum = values.iter().fold(T::ZERO, |sum, &s| sum + s);
        sum += T::from_usize(multiplicity(&fft, k)) * slice_sum;
    }
    Ok(sum)
}
