//! Tubal shrinkage along the samples: the authors' rotated tensor, never rotated in memory.
//!
//! A tensor is kept here as the solver keeps it, `[i][v][j]`: sample `i`'s rows of all views together. In the spectrum
//! along `i`, frequency `f` is a matrix of one column a view and as many rows as there are `j`. Each view's column is
//! contiguous, so the slice is `m` rows of `n`: `Y = L diag(s) R^H` with a small `L`, and shrinkage is `P Y` with
//! `P = L diag((1 - tau/s)_+) L^H`, an `m x m` matrix.

use super::{Ranks, vanishes};
use crate::fft::RealFft;
use crate::linalg::jacobi_eigen::{eigen, eigen_layout};
use crate::linalg::jacobi_svd::{svd, svd_layout};
use crate::linalg::product::{gram, multiply};
use crate::linalg::{Mat, MatMut, vector};
use crate::tensor::{Shape, load_slice, multiplicity, plane_mut, store_slice};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};
use num_complex::Complex;

/// What [`shrink`] needs.
pub fn shrink_layout<T: Scalar>(shape: Shape) -> Result<Layout, Error> {
    let [samples, views, cols] = shape;
    let area = check::product("slice", &[views, cols])?;
    let slice = slice_layout::<T>(views, cols)?
        .or(Layout::array::<Complex<T>>(area)?.and(slice_layout::<Complex<T>>(views, cols)?)?);
    RealFft::<T>::layout(samples)?.and(slice.or(RealFft::<T>::scratch_layout(samples)?))
}

/// `F` becomes `D_tau(F)`, Eq. (26), the transform along the first index of `[samples, views, cols]`.
///
/// An error that says `NotConverged` leaves a tensor without meaning; any other leaves it untouched.
pub fn shrink<T: Scalar>(
    tensor: &mut [T],
    shape: Shape,
    tau: T,
    work: &mut Arena<'_>,
) -> Result<Ranks, Error> {
    let [samples, views, cols] = shape;
    check::shape("tensor", tensor, &shape)?;
    check::positive("tensor", tensor.len())?;
    check::not_negative("tau", tau)?;
    check::finite("tensor", tensor)?;
    work.require(shrink_layout::<T>(shape)?)?;
    let mut ranks = Ranks::default();
    if vanishes(tensor, samples, tau) {
        tensor.fill(T::ZERO);
        return Ok(ranks);
    }
    let mut work = work.scope();
    let fft = RealFft::new(samples, &mut work)?;
    let area = views * cols;
    fft.forward_packed(tensor, area, &mut work)?;
    for f in 0..fft.spectrum_len() {
        let mut work = work.scope();
        let rank = match fft.packed_rows(f) {
            (real, None) => shrink_slice(plane_mut(tensor, area, real), views, cols, tau, &mut work)?,
            (_, Some(_)) => {
                let slice = work.take::<Complex<T>>(area)?;
                load_slice(&fft, tensor, f, slice);
                let rank = shrink_slice(slice, views, cols, tau, &mut work)?;
                store_slice(&fft, slice, f, tensor);
                rank
            }
        };
        ranks.add(rank, multiplicity(&fft, f));
    }
    fft.inverse_packed(tensor, area, &mut work)?;
    Ok(ranks)
}

/// What [`shrink_slice`] needs.
fn slice_layout<F: Field>(views: usize, cols: usize) -> Result<Layout, Error> {
    let length = check::product("slice", &[views, cols])?;
    let square = check::product("slice", &[views, views])?;
    Layout::array::<F>(length)?.and_array::<F>(square)?.and(
        // The two ways to find the projection.
        by_gram_layout::<F>(views)?.or(by_svd_layout::<F>(views, cols)?),
    )
}

/// One frequency, `views x cols`, in place; returns its rank.
fn shrink_slice<F: Field>(
    slice: &mut [F],
    views: usize,
    cols: usize,
    tau: F::Real,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let mut work = work.scope();
    let norm = vector::norm(slice);
    if norm == F::Real::ZERO || norm < tau {
        slice.fill(F::ZERO);
        return Ok(0);
    }
    let copy = work.take::<F>(views * cols)?;
    vector::copy(slice, copy);
    let y = Mat::new("slice", copy, views, cols)?;
    let mut p = MatMut::new("shrinkage", work.take(views * views)?, views, views)?;
    p.clear();
    // A square loses what is below the root of a rounding; one more root keeps the error of `P Y` a hundred
    // times smaller than what we promise.
    let squares_do = tau >= norm * F::Real::EPSILON.sqrt().sqrt()
        && (norm * norm).is_finite()
        && tau * tau > F::Real::MIN_POSITIVE / F::Real::EPSILON;
    let rank =
        if squares_do { by_gram(y, tau, &mut p, &mut work)? } else { by_svd(y, tau, &mut p, &mut work)? };
    multiply(p.as_ref(), y, MatMut::new("slice", slice, views, cols)?)?;
    Ok(rank)
}

fn by_gram_layout<F: Field>(views: usize) -> Result<Layout, Error> {
    let square = check::product("slice", &[views, views])?;
    let vectors = Layout::array::<F>(square)?.and_array::<F>(square)?;
    vectors.and_array::<F::Real>(views)?.and(eigen_layout::<F>(views)?)
}

/// `P` from the eigenvectors of `Y Y^H`, whose eigenvalues are the squares of the singular values.
fn by_gram<F: Field>(
    y: Mat<'_, F>,
    tau: F::Real,
    p: &mut MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let mut work = work.scope();
    let views = y.rows();
    let (square, vectors) = (work.take::<F>(views * views)?, work.take::<F>(views * views)?);
    let values = work.take::<F::Real>(views)?;
    gram(y, MatMut::new("gram", square, views, views)?)?;
    let mut vectors = MatMut::new("vectors", vectors, views, views)?;
    eigen(Mat::new("gram", square, views, views)?, values, vectors.as_mut(), &mut work)?;
    let rank = values.iter().filter(|&&value| value > tau * tau).count();
    for (i, value) in values.iter().enumerate().take(rank) {
        add_projection(p, F::Real::ONE - tau / value.sqrt(), |a| vectors.at(i, a));
    }
    Ok(rank)
}

fn by_svd_layout<F: Field>(views: usize, cols: usize) -> Result<Layout, Error> {
    let small = views.min(cols);
    Layout::array::<F>(check::product("slice", &[views, small])?)?
        .and_array::<F::Real>(small)?
        .and_array::<F>(check::product("slice", &[small, cols])?)?
        .and(svd_layout::<F>(views, cols)?)
}

/// `P` from the left singular vectors of `Y`, to full accuracy.
fn by_svd<F: Field>(
    y: Mat<'_, F>,
    tau: F::Real,
    p: &mut MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let mut work = work.scope();
    let (views, cols) = (y.rows(), y.cols());
    let small = views.min(cols);
    let mut left = MatMut::new("left vectors", work.take(views * small)?, views, small)?;
    let values = work.take::<F::Real>(small)?;
    let right = MatMut::new("right vectors", work.take(small * cols)?, small, cols)?;
    svd(y, left.as_mut(), values, right, &mut work)?;
    let rank = values.iter().filter(|&&value| value > tau).count();
    for (i, &value) in values.iter().enumerate().take(rank) {
        add_projection(p, F::Real::ONE - tau / value, |a| left.at(a, i));
    }
    Ok(rank)
}

/// `P += gain l l^H`.
fn add_projection<F: Field>(p: &mut MatMut<'_, F>, gain: F::Real, l: impl Fn(usize) -> F) {
    for a in 0..p.rows() {
        for b in 0..p.cols() {
            p.set(a, b, p.at(a, b) + (l(a) * l(b).conj()).scale(gain));
        }
    }
}
