//! Definitions 1 and 3: the t-product and orthogonality.

use super::spectrum::transform;
use super::{Shape, identity, load_slice, store_slice, transpose};
use crate::fft::RealFft;
use crate::linalg::product::multiply;
use crate::linalg::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};
use num_complex::Complex;

/// What [`product`] needs.
pub fn product_layout<T: Scalar>(a: Shape, b: Shape) -> Result<Layout, Error> {
    let [slices, rows, inner] = a;
    let [_, _, cols] = b;
    RealFft::<T>::layout(slices)?
        .and_array::<T>(check::product("tensor", &a)?)?
        .and_array::<T>(check::product("tensor", &b)?)?
        .and_array::<Complex<T>>(check::product("slice", &[rows, inner])?)?
        .and_array::<Complex<T>>(check::product("slice", &[inner, cols])?)?
        .and_array::<Complex<T>>(check::product("slice", &[rows, cols])?)?
        .and(RealFft::<T>::scratch_layout(slices)?)
}

/// Definition 1, `C = A * B = fold(bcirc(A) bvec(B))`: a circular convolution of slices along the third mode, and
/// so a product of slices of the spectra. `C` is `[n3, n1, n4]` for `A` of `[n3, n1, n2]` and `B` of `[n3, n2, n4]`.
pub fn product<T: Scalar>(
    a: &[T],
    a_shape: Shape,
    b: &[T],
    b_shape: Shape,
    c: &mut [T],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let ([slices, rows, inner], [b_slices, b_rows, cols]) = (a_shape, b_shape);
    check::equal("slices of the second factor", slices, b_slices)?;
    check::equal("rows of the second factor", inner, b_rows)?;
    check::shape("first factor", a, &a_shape)?;
    check::shape("second factor", b, &b_shape)?;
    check::shape("product", c, &[slices, rows, cols])?;
    check::finite("first factor", a)?;
    check::finite("second factor", b)?;
    work.require(product_layout::<T>(a_shape, b_shape)?)?;

    let mut work = work.scope();
    let fft = RealFft::new(slices, &mut work)?;
    let (packed_a, packed_b) = (work.take::<T>(a.len())?, work.take::<T>(b.len())?);
    let slice_a = work.take::<Complex<T>>(rows * inner)?;
    let slice_b = work.take::<Complex<T>>(inner * cols)?;
    let slice_c = work.take::<Complex<T>>(rows * cols)?;
    transform(&fft, a, rows * inner, packed_a, &mut work)?;
    transform(&fft, b, inner * cols, packed_b, &mut work)?;
    for k in 0..fft.spectrum_len() {
        load_slice(&fft, packed_a, k, slice_a);
        load_slice(&fft, packed_b, k, slice_b);
        multiply(
            Mat::new("slice", slice_a, rows, inner)?,
            Mat::new("slice", slice_b, inner, cols)?,
            MatMut::new("slice", slice_c, rows, cols)?,
        )?;
        store_slice(&fft, slice_c, k, c);
    }
    fft.inverse_packed(c, rows * cols, &mut work)
}

/// What [`orthogonality_defect`] needs.
pub fn orthogonality_defect_layout<T: Scalar>(n: usize, slices: usize) -> Result<Layout, Error> {
    let shape = [slices, n, n];
    let length = check::product("tensor", &shape)?;
    Layout::array::<T>(length)?
        .and_array::<T>(length)?
        .and_array::<T>(length)?
        .and(product_layout::<T>(shape, shape)?)
}

/// Definition 3: the largest element of `Q^T * Q - I` and of `Q * Q^T - I`, zero for an orthogonal tensor of
/// `[n3, n, n]`.
pub fn orthogonality_defect<T: Scalar>(
    q: &[T],
    n: usize,
    slices: usize,
    work: &mut Arena<'_>,
) -> Result<T, Error> {
    let shape = [slices, n, n];
    check::shape("tensor", q, &shape)?;
    check::finite("tensor", q)?;
    work.require(orthogonality_defect_layout::<T>(n, slices)?)?;
    let mut work = work.scope();
    let (adjoint, unit) = (work.take::<T>(q.len())?, work.take::<T>(q.len())?);
    let square = work.take::<T>(q.len())?;
    transpose(q, shape, adjoint)?;
    identity(unit, n, slices)?;
    let mut defect = T::ZERO;
    for (left, right) in [(&*adjoint, q), (q, &*adjoint)] {
        product(left, shape, right, shape, square, &mut work)?;
        vector::axpy(-T::ONE, unit, square);
        defect = Scalar::max(defect, vector::max_abs(square));
    }
    Ok(defect)
}
