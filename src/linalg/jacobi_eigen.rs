//! Eigenvalues of a Hermitian matrix by cyclic Jacobi rotations.
//!
//! For small matrices: the work grows with n^3 a round, and six to ten rounds are usual. Its merit is accuracy:
//! of a positive definite matrix that is merely badly scaled, small eigenvalues are found as well as large ones.

use super::jacobi_svd::Rotation;
use super::product::agree;
use super::qr::{check_norm, swap};
use super::vector::{copy, max_abs};
use super::{Mat, MatMut};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};

/// Rounds over all pairs of rows.
const SWEEPS: usize = 40;

/// What [`eigen`] needs.
pub const fn eigen_layout<F: Field>(n: usize) -> Result<Layout, Error> {
    match check::product("a", &[n, n, 2]) {
        // The matrix, the rotations, and the eigenvalues.
        Ok(both) => match Layout::array::<F>(both) {
            Ok(both) => both.and_array::<F::Real>(n),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// `A v = lambda v` for a Hermitian `n x n` matrix, of which the lower triangle is read: `values` descend, and the
/// rows of `vectors` are the eigenvectors v, orthonormal.
pub fn eigen<F: Field>(
    a: Mat<'_, F>,
    values: &mut [F::Real],
    mut vectors: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let n = a.rows();
    check::positive("a", n)?;
    agree("columns of a", n, a.cols())?;
    agree("values", n, values.len())?;
    agree("rows of vectors", n, vectors.rows())?;
    agree("columns of vectors", n, vectors.cols())?;
    check_norm(a)?;
    work.require(eigen_layout::<F>(n)?)?;

    let mut work = work.scope();
    let mut x = MatMut::new("a", work.take(a.data().len())?, n, n)?;
    let mut turns = MatMut::new("rotations", work.take(a.data().len())?, n, n)?;
    let diagonal = work.take(n)?;
    copy_hermitian(a, &mut x);
    turns.set_identity();
    diagonalise(&mut x, &mut turns)?;

    for (i, value) in diagonal.iter_mut().enumerate() {
        *value = x.at(i, i).re();
    }
    sort(diagonal, &mut turns);
    copy(diagonal, values);
    // `J A J^H` is diagonal, so the eigenvectors are the columns of J^H.
    for (v, turn) in vectors.data_mut().iter_mut().zip(turns.as_ref().data()) {
        *v = turn.conj();
    }
    Ok(())
}

/// Both halves from the lower one, and a real diagonal.
fn copy_hermitian<F: Field>(a: Mat<'_, F>, x: &mut MatMut<'_, F>) {
    for i in 0..a.rows() {
        for (j, &value) in a.row(i).iter().enumerate().take(i) {
            x.set(i, j, value);
            x.set(j, i, value.conj());
        }
        x.set(i, i, F::from_real(a.at(i, i).re()));
    }
}

/// `x <- J x J^H` until it is diagonal, and `turns <- J turns`.
fn diagonalise<F: Field>(x: &mut MatMut<'_, F>, turns: &mut MatMut<'_, F>) -> Result<(), Error> {
    let n = x.rows();
    // An element below eps^2 of the matrix changes nothing; without this, a zero diagonal would ask for zeros.
    let floor = max_abs(x.as_ref().data()) * F::Real::EPSILON * F::Real::EPSILON;
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p.wrapping_add(1)..n {
                let d = x.at(q, p);
                let (a, b) = (x.at(p, p).re(), x.at(q, q).re());
                let small = F::Real::EPSILON * a.abs().sqrt() * b.abs().sqrt();
                if d.abs_max() <= Scalar::max(small, floor) {
                    continue;
                }
                rotated = true;
                let half = F::Real::HALF;
                let rotation = Rotation::new(b * half - a * half, d);
                rotate_both_sides(x, p, q, &rotation);
                x.set(p, p, F::from_real(a - rotation.shift));
                x.set(q, q, F::from_real(b + rotation.shift));
                let (v, w) = turns.two_rows_mut(p, q);
                rotation.apply(v, w);
            }
        }
        if !rotated {
            return Ok(());
        }
    }
    Err(Error::NotConverged { what: "Jacobi eigenvalues", limit: SWEEPS })
}

/// Rows `p` and `q` are rotated, and the columns follow by symmetry; the two by two crossing becomes zero.
fn rotate_both_sides<F: Field>(x: &mut MatMut<'_, F>, p: usize, q: usize, rotation: &Rotation<F>) {
    let (upper, lower) = x.two_rows_mut(p, q);
    rotation.apply(upper, lower);
    for row in [p, q] {
        x.set(row, p, F::ZERO);
        x.set(row, q, F::ZERO);
        for i in 0..x.cols() {
            x.set(i, row, x.at(row, i).conj());
        }
    }
}

/// The largest first; the first of equals stays first.
fn sort<F: Field>(values: &mut [F::Real], vectors: &mut MatMut<'_, F>) {
    for i in 0..values.len() {
        let rest = values.iter().enumerate().skip(i);
        let largest = rest.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let Some((other, _)) = largest else { return };
        if other != i {
            swap(values, i, other);
            vectors.swap_rows(i, other);
        }
    }
}
