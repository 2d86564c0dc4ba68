//! The spectral step of the authors' program, which does not make its graph symmetric.

use super::check_dimensions;
use crate::linalg::product::gram;
use crate::linalg::reflectors::{triangle_length, triangle_row_mut};
use crate::linalg::tridiagonal::{Factored, factored_layout};
use crate::linalg::vector::{self, at, put};
use crate::linalg::{Mat, MatMut};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};

/// What [`embed`] needs for `n` samples.
pub fn embed_layout<T: Scalar>(n: usize) -> Result<Layout, Error> {
    check::positive("affinity", n)?;
    let square = Layout::array::<T>(check::product("affinity", &[n, n])?)?;
    Layout::array::<T>(n)?.and_array::<T>(triangle_length(n)?)?.and(square.or(factored_layout::<T>(n)?))
}

/// Row `i` of `embedding` (`n x k`): the coordinates of sample `i` in the right singular vectors of the `k` smallest
/// singular values of `L = I - D^-1/2 S D^-1/2`, scaled to unit length.
///
/// `affinity` is `S`, `n x n`, **and is consumed**: afterwards it holds nothing of use. `D` has the column sums of `S`;
/// a sample whose sum is not above zero is cut off. `values`, `k` of them, are the singular values, ascending. The
/// vectors are those of `L^T L`, so singular values below the root of the rounding are no more than that.
pub fn embed<T: Scalar>(
    affinity: &mut [T],
    n: usize,
    embedding: &mut [T],
    values: &mut [T],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let k = values.len();
    check::positive("affinity", n)?;
    check_dimensions(n, k)?;
    check::shape("affinity", affinity, &[n, n])?;
    check::shape("embedding", embedding, &[n, k])?;
    check::finite("affinity", affinity)?;
    work.require(embed_layout::<T>(n)?)?;
    let mut work = work.scope();
    let scales = work.take::<T>(n)?;
    let triangle = work.take::<T>(triangle_length(n)?)?;
    let mut laplacian = MatMut::new("affinity", affinity, n, n)?;
    column_sums(laplacian.as_ref(), scales);
    check::finite("column sums", scales)?;
    scales.iter_mut().for_each(|sum| *sum = inverse_root(*sum));
    transposed_laplacian(&mut laplacian, scales);

    square_of(laplacian.as_ref(), triangle, &mut work.scope())?;
    let eigen = Factored::new(triangle, n, &mut work)?;
    // The Laplacian has been used: its memory takes the vectors.
    eigen.write_vectors(&mut laplacian, &mut work)?;
    for (value, &square) in values.iter_mut().zip(eigen.values().iter().rev()) {
        *value = Scalar::max(square, T::ZERO).sqrt();
    }
    for (i, row) in embedding.chunks_exact_mut(k.max(1)).enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = laplacian.at(n.wrapping_sub(j).wrapping_sub(1), i);
        }
        // As the authors': a row that is zero stays so.
        let length = vector::norm(row) + T::EPSILON;
        row.iter_mut().for_each(|x| *x /= length);
    }
    Ok(())
}

/// The lower triangle of `M M^T`, packed.
fn square_of<T: Scalar>(matrix: Mat<'_, T>, triangle: &mut [T], work: &mut Arena<'_>) -> Result<(), Error> {
    let n = matrix.rows();
    let square = work.take::<T>(matrix.data().len())?;
    gram(matrix, MatMut::new("affinity", square, n, n)?)?;
    for (i, row) in square.chunks_exact(n.max(1)).enumerate() {
        vector::copy(row, triangle_row_mut(triangle, i));
    }
    Ok(())
}

fn column_sums<T: Scalar>(affinity: Mat<'_, T>, sums: &mut [T]) {
    sums.fill(T::ZERO);
    for i in 0..affinity.rows() {
        vector::axpy(T::ONE, affinity.row(i), sums);
    }
}

/// `1 / sqrt(sum + eps)`.
fn inverse_root<T: Scalar>(sum: T) -> T {
    let sum = sum + T::EPSILON;
    if sum > T::ZERO { T::ONE / sum.sqrt() } else { T::ZERO }
}

/// `S` becomes `(I - R S R)^T` for the diagonal `R`.
fn transposed_laplacian<T: Scalar>(matrix: &mut MatMut<'_, T>, roots: &[T]) {
    for i in 0..matrix.rows() {
        let own = at(roots, i);
        for j in 0..i {
            let (row, other) = matrix.two_rows_mut(i, j);
            let weight = own * at(roots, j);
            let (below, above) = (at(row, j), at(other, i));
            put(row, j, -(above * weight));
            put(other, i, -(below * weight));
        }
        let row = matrix.row_mut(i);
        put(row, i, T::ONE - at(row, i) * own * own);
    }
}
