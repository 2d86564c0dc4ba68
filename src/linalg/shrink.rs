//! Singular value shrinkage, `K = sum over s_i > tau of (s_i - tau) u_i v_i^H`, from the triplets above `tau`.
//!
//! `K = sum of l_i v_i^H` with `l_i = (1 - tau/s_i) A v_i`: the left vectors need not be known, and `K` may stay
//! in factors. Shrinkage moves by no more than its argument moves, so an error in the triplets that amounts to
//! a small change of `A` amounts to one no larger of `K`.

use super::combine::multiply_rows;
use super::dense_svd::{peel, peel_layout, write_adjoint};
use super::partial_svd::Map;
use super::product::{adjoint_multiply, agree};
use super::shrink_whole::shrink_whole;
use super::tridiagonal::scale_to_one;
use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, check};

/// The left factor: row `i` of `left` is `l_i`, `count x rows`. The right one is `vectors`, `count x cols`.
pub fn shrink_factor<F: Field>(
    map: &mut impl Map<F>,
    tau: F::Real,
    values: &[F::Real],
    vectors: Mat<'_, F>,
    mut left: MatMut<'_, F>,
) -> Result<(), Error> {
    check::not_negative("threshold", tau)?;
    agree("singular values", vectors.rows(), values.len())?;
    agree("columns of the singular vectors", map.cols(), vectors.cols())?;
    agree("rows of the factor", vectors.rows(), left.rows())?;
    agree("columns of the factor", map.rows(), left.cols())?;
    check::finite("singular values", values)?;
    check::finite("singular vectors", vectors.data())?;
    map.apply(vectors, left.as_mut())?;
    for (i, &value) in values.iter().enumerate() {
        vector::scale(left.row_mut(i), if value > tau { F::Real::ONE - tau / value } else { F::Real::ZERO });
    }
    Ok(())
}

/// `K = sum of l_i v_i^H`, `rows x cols`.
pub fn multiply_factors<F: Field>(
    left: Mat<'_, F>,
    vectors: Mat<'_, F>,
    mut k: MatMut<'_, F>,
) -> Result<(), Error> {
    adjoint_multiply(left, vectors, k.as_mut())?;
    if F::IS_COMPLEX {
        k.data_mut().iter_mut().for_each(|x| *x = x.conj());
    }
    Ok(())
}

/// What [`shrink_dense`] needs: for a square matrix of order `n` two and a half times its size if it is real, twice its
/// size if it is complex, and strips of rows.
pub fn shrink_dense_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    check::positive("matrix", rows)?;
    check::positive("matrix", cols)?;
    let order = rows.min(cols);
    let copy = if rows < cols { check::product("matrix", &[rows, cols])? } else { 0 };
    Layout::array::<F>(copy)?
        .and_array::<F>(check::product("matrix", &[order, order])?)?
        .and_array::<F::Real>(order)?
        .and(peel_layout::<F>(order)?)
}

/// `A` becomes `K`, in place, by all its singular values ([`super::dense_svd`]); returns the rank.
///
/// An error that says `NotConverged` leaves a matrix without meaning; any other leaves it untouched.
pub fn shrink_dense<F: Field>(
    mut a: MatMut<'_, F>,
    tau: F::Real,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let (rows, cols) = (a.rows(), a.cols());
    let need = shrink_dense_layout::<F>(rows, cols)?;
    check::not_negative("threshold", tau)?;
    check::finite("matrix", a.data_mut())?;
    work.require(need)?;

    let mut work = work.scope();
    if rows >= cols {
        return shrink_tall(&mut a, tau, &mut work);
    }
    let mut adjoint =
        MatMut::new("matrix", work.take(check::product("matrix", &[rows, cols])?)?, cols, rows)?;
    write_adjoint(a.as_ref(), &mut adjoint);
    let rank = shrink_tall(&mut adjoint, tau, &mut work)?;
    write_adjoint(adjoint.as_ref(), &mut a);
    Ok(rank)
}

/// As [`shrink_dense`], for no more columns than rows.
fn shrink_tall<F: Field>(a: &mut MatMut<'_, F>, tau: F::Real, work: &mut Arena<'_>) -> Result<usize, Error> {
    let order = a.cols();
    let mut square = work.part(Layout::array::<F>(check::product("matrix", &[order, order])?)?)?;
    let values = work.take::<F::Real>(order)?;
    let scale = scale_to_one(vector::max_abs(a.as_ref().data()));
    vector::scale(a.data_mut(), scale);
    // A threshold beyond the range is above everything.
    let threshold = tau * scale;
    let rank = match shrink_whole(a, threshold, values, &mut square, work)? {
        Some(rank) => rank,
        None => shrink_peeled(a, (threshold, F::Real::ZERO), values, &mut square, work)?,
    };
    a.data_mut().iter_mut().for_each(|x| *x = x.unscale(scale));
    Ok(rank)
}

/// `K = (X diag(1 - threshold/s)) V^H` with `X = A V`, all of it where `A` was; `square` is for `V`.
pub(crate) fn shrink_peeled<F: Field>(
    a: &mut MatMut<'_, F>,
    (threshold, whole): (F::Real, F::Real),
    values: &mut [F::Real],
    square: &mut Arena<'_>,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let order = a.cols();
    let mut square = square.scope();
    let square = square.take::<F>(check::product("matrix", &[order, order])?)?;
    let mut adjoint = MatMut::new("singular vectors", square, order, order)?;
    let rank = peel(a, &mut adjoint, (threshold, whole), values, work)?;
    let values = values.get(..rank).unwrap_or(&[]);
    if rank == 0 {
        a.clear();
        return Ok(0);
    }
    for i in 0..a.rows() {
        for (x, &s) in a.row_mut(i).iter_mut().zip(values) {
            *x = x.scale(F::Real::ONE - threshold / s);
        }
    }
    multiply_rows(a, 0, rank, order, adjoint.as_ref(), work)?;
    Ok(rank)
}
