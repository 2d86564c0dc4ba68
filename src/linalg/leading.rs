//! All eigenvalues of a dense Hermitian matrix, and the vectors of as many as they make one want.
//!
//! The values are a small part of the work once the matrix is tridiagonal. Where few vectors are wanted, inverse iteration
//! spares the rotations of all others.

use super::inverse_iteration::{inverse_iteration, inverse_iteration_layout};
use super::reflectors::{triangle_length, triangle_row_mut};
use super::rotate::rows_of_mut;
use super::tridiagonal::{Reduced, factored_layout};
use super::{MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, check};

/// What [`eigen_leading`] needs for a matrix of order `n`.
pub(crate) fn eigen_leading_layout<F: Field>(n: usize) -> Result<Layout, Error> {
    Layout::array::<F>(triangle_length(n)?)?
        .and_array::<F::Real>(n)?
        .and_array::<F::Real>(n)?
        .and(factored_layout::<F>(n)?.or(inverse_iteration_layout::<F::Real>(n)?))
}

/// Row `i` of the matrix begins with the `i + 1` elements of `row(i)`. `values` descend, and row `i` of `vectors`, which
/// is as large as the matrix, is a unit eigenvector of `values[i]` for the first `wanted(values)`; what lies beyond keeps
/// no meaning.
pub(crate) fn eigen_leading<'a, F: Field>(
    row: impl Fn(usize) -> &'a [F],
    values: &mut [F::Real],
    vectors: &mut MatMut<'_, F>,
    wanted: impl FnOnce(&[F::Real]) -> usize,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let n = values.len();
    work.require(eigen_leading_layout::<F>(n)?)?;
    let mut work = work.scope();
    let triangle = work.take::<F>(triangle_length(n)?)?;
    for i in 0..n {
        let lower = row(i);
        let lower = lower.get(..=i).unwrap_or(lower);
        check::finite("operator", lower)?;
        triangle_row_mut(triangle, i).iter_mut().zip(lower).for_each(|(t, x)| *t = x.conj());
    }
    let (scaled, spare) = (work.take::<F::Real>(n)?, work.take::<F::Real>(n)?);
    let square = check::product("matrix", &[n, n])?;
    let z = work.take::<F::Real>(square)?;
    let reduced = Reduced::new(triangle, n, &mut work)?;
    reduced.write_eigenvalues(scaled, spare, &mut work)?;
    values.iter_mut().zip(scaled.iter()).for_each(|(value, s)| *value = s.unscale(reduced.scale));
    let count = wanted(values);
    if cfg!(feature = "large")
        && let Some(few) = scaled.get(..count).filter(|_| count <= n / 2)
    {
        let t = (&*reduced.diagonal, &*reduced.coupling);
        let z = z.get_mut(..count.wrapping_mul(n)).unwrap_or(&mut []);
        if inverse_iteration(t, few, &mut MatMut::new("vectors", z, count, n)?, &mut work)? {
            let mut vectors = rows_of_mut(vectors, 0..count)?;
            let numbers = vectors.data_mut().iter_mut().zip(z.iter());
            numbers.for_each(|(x, &z)| *x = F::from_real(z));
            return reduced.leave(&mut vectors, &mut work);
        }
    }
    let eigen = reduced.diagonalise(MatMut::new("eigenvectors", z, n, n)?, &mut work)?;
    vector::copy(eigen.values(), values);
    eigen.write_vectors(vectors, &mut work)
}
