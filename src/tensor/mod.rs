//! Tensor algebra: the paper's Definitions 1 to 5.
//!
//! A tensor `A(i, j, k)` of `n1 x n2 x n3` is stored as its frontal slices, one after the other, each row-major: the
//! slice index `k` is the slowest. Its [`Shape`] is written in that order, `[n3, n1, n2]`. The transform runs along
//! the third mode, which is the row index of the `n3 x (n1 n2)` matrix that the same memory is.
//!
//! The solver has its tensors as `[v][i][j]`: view, row, column. On the *views* axis that is what is meant here, `n x
//! n x m`. On the *samples* axis the paper's authors rotate it to `n x m x n` so that the row index is transformed:
//! that is [`rotate`].
//!
//! The l2,1 norm stands beside its proximal step, in [`crate::prox::group`].

mod product;
mod spectrum;
mod tsvd;

pub(crate) use spectrum::{load_slice, multiplicity, plane, plane_mut, store_slice};

pub use product::{orthogonality_defect, orthogonality_defect_layout, product, product_layout};
pub use tsvd::{nuclear_norm, nuclear_norm_layout, tsvd, tsvd_layout};

use crate::linalg::vector;
use crate::{Error, Scalar, check};

/// Slices, rows and columns, `[n3, n1, n2]`.
pub type Shape = [usize; 3];

/// The element `(i, j, k)` stands here.
const fn index([_, rows, cols]: Shape, i: usize, j: usize, k: usize) -> usize {
    (k * rows + i) * cols + j
}

/// The transpose: every slice transposed, and slices `2..n3` in reverse order. `transposed` is `[n3, n2, n1]`.
pub fn transpose<T: Scalar>(a: &[T], shape: Shape, transposed: &mut [T]) -> Result<(), Error> {
    let [slices, rows, cols] = shape;
    check::shape("tensor", a, &shape)?;
    check::shape("transposed tensor", transposed, &shape)?;
    for k in 0..slices {
        let mirror = if k == 0 { 0 } else { slices - k };
        for i in 0..rows {
            for j in 0..cols {
                let x = vector::at(a, index(shape, i, j, k));
                vector::put(transposed, index([slices, cols, rows], j, i, mirror), x);
            }
        }
    }
    Ok(())
}

/// The identity of the t-product, `[n3, n, n]`: the identity matrix in the first slice, zeros in the others.
pub fn identity<T: Scalar>(tensor: &mut [T], n: usize, slices: usize) -> Result<(), Error> {
    let shape = [slices, n, n];
    check::shape("tensor", tensor, &shape)?;
    tensor.fill(T::ZERO);
    for i in 0..n {
        vector::put(tensor, index(shape, i, i, 0), T::ONE);
    }
    Ok(())
}

/// Definition 2: the largest absolute value off the diagonals of the frontal slices, zero for an f-diagonal tensor.
pub fn f_diagonal_defect<T: Scalar>(a: &[T], shape: Shape) -> Result<T, Error> {
    let [slices, rows, cols] = shape;
    check::shape("tensor", a, &shape)?;
    check::finite("tensor", a)?;
    let mut largest = T::ZERO;
    for k in 0..slices {
        for i in 0..rows {
            for j in (0..cols).filter(|&j| j != i) {
                largest = Scalar::max(largest, vector::at(a, index(shape, i, j, k)).abs());
            }
        }
    }
    Ok(largest)
}

/// The Frobenius norm.
pub fn frobenius_norm<T: Scalar>(a: &[T]) -> Result<T, Error> {
    check::finite("tensor", a)?;
    Ok(vector::norm(a))
}

/// The mode-3 unfolding `A_(3)`: row `k` is slice `k` read column by column, `n3 x (n1 n2)`.
pub fn unfold<T: Scalar>(a: &[T], shape: Shape, unfolded: &mut [T]) -> Result<(), Error> {
    each_place(a, shape, unfolded, |_, column_major| column_major, |row_major, _| row_major)
}

/// Undoes [`unfold`].
pub fn fold<T: Scalar>(unfolded: &[T], shape: Shape, a: &mut [T]) -> Result<(), Error> {
    each_place(unfolded, shape, a, |row_major, _| row_major, |_, column_major| column_major)
}

/// `to[place(...)] = from[place(...)]` over all elements, given where each stands row-major and column-major.
fn each_place<T: Scalar>(
    from: &[T],
    shape: Shape,
    to: &mut [T],
    target: impl Fn(usize, usize) -> usize,
    source: impl Fn(usize, usize) -> usize,
) -> Result<(), Error> {
    let [slices, rows, cols] = shape;
    check::shape("tensor", from, &shape)?;
    check::shape("result", to, &shape)?;
    for k in 0..slices {
        for i in 0..rows {
            for j in 0..cols {
                let (row_major, column_major) = (index(shape, i, j, k), index([slices, cols, rows], j, i, k));
                let x = vector::at(from, source(row_major, column_major));
                vector::put(to, target(row_major, column_major), x);
            }
        }
    }
    Ok(())
}

/// From the solver's `[v][i][j]` to the rotated tensor of the samples axis, `R(j, v, i) = A(i, j, v)`: its shape is
/// `[rows, cols, slices]`, and its third mode is the row index.
pub fn rotate<T: Scalar>(a: &[T], shape: Shape, rotated: &mut [T]) -> Result<(), Error> {
    let [slices, rows, cols] = shape;
    check::shape("tensor", a, &shape)?;
    check::shape("rotated tensor", rotated, &shape)?;
    for k in 0..slices {
        for i in 0..rows {
            for j in 0..cols {
                vector::put(
                    rotated,
                    index([rows, cols, slices], j, k, i),
                    vector::at(a, index(shape, i, j, k)),
                );
            }
        }
    }
    Ok(())
}
