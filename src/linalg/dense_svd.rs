//! All singular triplets above a threshold, of a matrix in memory, to full accuracy.
//!
//! The eigenpairs of the Gram matrix `A^H A` are fast, but a square loses the digits of what is small beside the
//! largest. So they are **peeled**: what is within three decades of the largest is accurate and taken off, the
//! remaining directions are a smaller problem with a smaller largest value, and so on. Each level costs less and
//! gains three decades, until the threshold (or the rounding of the whole) is reached.

use super::combine::{Combiner, ROWS, combine_layout, multiply_rows};
use super::product::agree;
use super::reflectors::{triangle_length, triangle_row_mut};
use super::rotate::rows_of_mut;
use super::tridiagonal::{Factored, factored_layout, scale_to_one};
use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};

/// What [`singular_above_dense`] needs for a matrix of `rows x cols`.
pub fn singular_above_dense_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    check::positive("matrix", rows)?;
    check::positive("matrix", cols)?;
    let order = rows.min(cols);
    let own = if rows < cols { check::product("matrix", &[order, order])? } else { 0 };
    Layout::array::<F>(check::product("matrix", &[rows, cols])?)?
        .and_array::<F>(own)?
        .and(peel_layout::<F>(order)?)
}

/// The singular values of `a` above `tau`, descending, and their right singular vectors as rows; returns how many.
///
/// `values` has `min(rows, cols)` elements and `vectors` is `min(rows, cols) x cols`; what lies beyond the count has
/// no meaning. Values that are nothing but the rounding of the largest do not count, even where `tau` is zero.
pub fn singular_above_dense<F: Field>(
    a: Mat<'_, F>,
    tau: F::Real,
    values: &mut [F::Real],
    mut vectors: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let order = a.rows().min(a.cols());
    let need = singular_above_dense_layout::<F>(a.rows(), a.cols())?;
    check::not_negative("threshold", tau)?;
    check::shape("singular values", values, &[order])?;
    agree("rows of the singular vectors", order, vectors.rows())?;
    agree("columns of the singular vectors", a.cols(), vectors.cols())?;
    check::finite("matrix", a.data())?;
    work.require(need)?;

    let mut work = work.scope();
    let scale = scale_to_one(vector::max_abs(a.data()));
    let copy = work.take::<F>(a.data().len())?;
    // A threshold beyond the range is above everything.
    let threshold = tau * scale;
    let count = if a.rows() < a.cols() {
        let mut x = MatMut::new("matrix", copy, a.cols(), order)?;
        write_adjoint(a, &mut x);
        vector::scale(x.data_mut(), scale);
        let mut left = MatMut::new(
            "singular vectors",
            work.take(check::product("matrix", &[order, order])?)?,
            order,
            order,
        )?;
        let count = peel(&mut x, &mut left, (threshold, F::Real::ZERO), values, &mut work)?;
        // Columns of A^H U are s v.
        for i in 0..count {
            let column = |j| x.at(j, i);
            vectors.row_mut(i).iter_mut().enumerate().for_each(|(j, v)| *v = column(j));
            normalise(vectors.row_mut(i));
            // The rounding of a long column is not small beside a short one.
            for j in 0..i {
                let (v, longer) = vectors.two_rows_mut(i, j);
                vector::axpy(-vector::dot(longer, v), longer, v);
            }
            normalise(vectors.row_mut(i));
        }
        count
    } else {
        copy.iter_mut().zip(a.data()).for_each(|(c, x)| *c = x.scale(scale));
        let mut x = MatMut::new("matrix", copy, a.rows(), order)?;
        let count = peel(&mut x, &mut vectors, (threshold, F::Real::ZERO), values, &mut work)?;
        vectors.data_mut().iter_mut().for_each(|v| *v = v.conj());
        count
    };
    values.iter_mut().take(count).for_each(|v| *v = v.unscale(scale));
    // Unscaling may round a value that was above the threshold onto it.
    Ok(values.iter().take(count).filter(|v| **v > tau).count())
}

/// `B = A^H`.
pub(crate) fn write_adjoint<F: Field>(a: Mat<'_, F>, b: &mut MatMut<'_, F>) {
    for i in 0..b.rows() {
        b.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x = a.at(j, i).conj());
    }
}

/// Rows of `X` whose products are summed before the sum is put away.
const DEPTH: usize = 256;
/// Rows of a Gram matrix that are computed together at most.
const MOST_ROWS: usize = 128;

/// Relative size down to which the eigenvectors of a Gram matrix are accurate enough: the error of what is taken off
/// is the rounding divided by this.
pub(crate) fn reach<T: Scalar>() -> T {
    if T::EPSILON < T::from_f64(1e-10) { T::from_f64(1e-3) } else { T::from_f64(3e-2) }
}

/// What [`peel`] needs for `order` columns.
pub(crate) fn peel_layout<F: Field>(order: usize) -> Result<Layout, Error> {
    let level = Layout::array::<F>(triangle_length(order)?)?.and(factored_layout::<F>(order)?)?;
    Ok(level.or(combine_layout::<F>(order)?))
}

/// `X <- X V` with a unitary `V`, such that the columns longer than `threshold` are orthogonal and come first, by
/// length; returns how many there are, and writes their `lengths`. The rows of `adjoint` become those of `V^H`. What
/// lies beyond the count keeps no meaning. What is below the rounding of `whole` does not count.
pub(crate) fn peel<F: Field>(
    x: &mut MatMut<'_, F>,
    adjoint: &mut MatMut<'_, F>,
    (threshold, whole): (F::Real, F::Real),
    lengths: &mut [F::Real],
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let order = x.cols();
    // V itself, until the end: its rows take part in a rotation as those of X do.
    let v = adjoint;
    let (mut done, mut whole) = (0, whole);
    while done < order {
        let mut work = work.scope();
        let left = order.wrapping_sub(done);
        let triangle = work.take::<F>(triangle_length(left)?)?;
        write_gram(x.as_ref(), done, triangle, &mut work)?;
        let eigen = Factored::new(triangle, left, &mut work)?;
        let largest = root(eigen.values().first());
        whole = Scalar::max(whole, largest);
        // Nothing above the threshold is left, or nothing but the rounding of the first level.
        if largest <= threshold || largest <= F::Real::EPSILON * whole {
            break;
        }
        let reach = reach::<F::Real>() * largest;
        let last = reach <= threshold;
        let enough = Scalar::max(reach, threshold);
        let taken = eigen.values().iter().take_while(|&s| root(Some(s)) > enough).count().max(1);
        let taken_lengths = lengths.iter_mut().skip(done).take(taken);
        eigen.values().iter().zip(taken_lengths).for_each(|(s, l)| *l = root(Some(s)));
        let needed = if last { taken } else { left };
        if done == 0 {
            eigen.write_vectors(&mut rows_of_mut(v, 0..needed)?, &mut work)?;
            v.adjoin();
            multiply_rows(x, 0, order, needed, v.as_ref(), &mut work)?;
        } else {
            let basis = eigen.into_basis();
            basis.take_coordinates(x, done, needed, &mut work)?;
            basis.take_coordinates(v, done, needed, &mut work)?;
        }
        done = done.wrapping_add(taken);
        if last {
            break;
        }
    }
    v.adjoin();
    sort_descending(x, v, lengths, done);
    Ok(done)
}

/// The lower triangle of `X^H X`, for the columns of `X` from `from` on.
///
/// Conjugated this is what [`Factored`] calls the triangle of the conjugate matrix, whose eigenvectors are the rows of
/// `V^H`.
pub(crate) fn write_gram<F: Field>(
    x: Mat<'_, F>,
    from: usize,
    triangle: &mut [F],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let mut work = work.scope();
    let order = x.cols().wrapping_sub(from);
    let depth = DEPTH.min(x.cols());
    let mut combiner = Combiner::<F>::new(x.cols(), &mut work)?;
    // More rows at a time spare readings of all others: as many as stay in a second-level cache.
    let step = if cfg!(feature = "large") { combiner.capacity(depth).clamp(ROWS, MOST_ROWS) } else { ROWS };
    triangle.fill(F::ZERO);
    for first in (0..x.rows()).step_by(depth.max(1)) {
        let depth = depth.min(x.rows().wrapping_sub(first));
        for top in (0..order).step_by(step) {
            let rows = step.min(order.wrapping_sub(top));
            let row = |k: usize| x.row(first.wrapping_add(k)).get(from..).unwrap_or(&[]);
            combiner.set(rows, depth, |i, k| vector::at(row(k), top.wrapping_add(i)).conj());
            combiner.combine(top.wrapping_add(rows), row, |i, at, values| {
                let row = triangle_row_mut(triangle, top.wrapping_add(i)).get_mut(at..).unwrap_or(&mut []);
                row.iter_mut().zip(values).for_each(|(t, &value)| *t += value);
            });
        }
    }
    Ok(())
}

fn normalise<F: Field>(x: &mut [F]) {
    let length = vector::norm(x);
    if length > F::Real::ZERO {
        x.iter_mut().for_each(|x| *x = x.unscale(length));
    }
}

pub(crate) fn root<T: Scalar>(square: Option<&T>) -> T {
    square.map_or(T::ZERO, |&s| Scalar::max(s, T::ZERO).sqrt())
}

/// Insertion sort: the lengths are almost in order, off by roundings between neighbours.
fn sort_descending<F: Field>(
    x: &mut MatMut<'_, F>,
    adjoint: &mut MatMut<'_, F>,
    lengths: &mut [F::Real],
    count: usize,
) {
    for end in 1..count {
        for j in (1..=end).rev() {
            let i = j.wrapping_sub(1);
            let Ok([first, second]) = lengths.get_disjoint_mut([i, j]) else { break };
            if *first >= *second {
                break;
            }
            core::mem::swap(first, second);
            for k in 0..x.rows() {
                let (a, b) = (x.at(k, i), x.at(k, j));
                x.set(k, i, b);
                x.set(k, j, a);
            }
            adjoint.swap_rows(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn peeling_reaches_far_below_the_square_root_of_the_rounding() -> Result<(), Error> {
        // Columns at angles, of lengths 1 to 1e-12: a Gram matrix alone sees six decades.
        let data = [1.0, 1e-4, 1e-8, 1.0, -1e-4, 1e-8, 1.0, 0.0, -2e-8, 1e-12, 1e-12, 1e-12];
        let mut transposed = [0.0; 12];
        let mut x = MatMut::new("x", &mut transposed, 3, 4)?;
        write_adjoint(Mat::new("data", &data, 4, 3)?, &mut x);
        let (mut lengths, mut adjoint) = ([0.0; 4], [0.0; 16]);
        let mut adjoint = MatMut::new("v", &mut adjoint, 4, 4)?;
        let mut workspace = Workspace::new(peel_layout::<f64>(4)?);
        let count = peel(&mut x, &mut adjoint, (0.0, 0.0), &mut lengths, &mut workspace.arena())?;
        assert!(count >= 3);
        for i in 0..3 {
            for j in 0..i {
                let product: f64 = (0..3).map(|k| x.at(k, i) * x.at(k, j)).sum();
                let cosine = product / (lengths[i] * lengths[j]);
                assert!(cosine.abs() < 1e-7, "columns {i}, {j}: {cosine:e}");
            }
        }
        Ok(())
    }
}
