//! Singular value shrinkage of a matrix that keeps most of its rank, as a function of a tridiagonal matrix.
//!
//! `K = A f(A^H A)` with `f(x) = (1 - tau/sqrt(x))_+`, and `A^H A = Q D T D^H Q^H`: so `K = (A Q D) f(T) (Q D)^H`, where
//! `f(T)` is real, and no eigenvector of the large matrix is formed. Where all is kept, `f(T) = 1 - tau T^(-1/2)` needs
//! no eigenvectors of `T` either. Where nearly all is, it needs the few `Z` of what is not: they are projected out, and
//! what a square cannot see of them, the shrinkage of `A Q D Z` alone can.

use super::combine::{Combiner, ROWS, multiply_rows};
use super::dense_svd::{reach, root, write_adjoint, write_gram};
use super::inverse_iteration::inverse_iteration;
use super::inverse_root::write_inverse_root;
use super::reflectors::triangle_length;
use super::shrink::shrink_peeled;
use super::tridiagonal::{Reduced, is_large};
use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};

/// Vectors that are projected out are at most this share of all.
const SHARE: usize = 8;

/// `A` becomes `K`, and its rank is returned; nothing where another method must do, and then `A` is what it was.
///
/// `values` has as many elements as `A` has columns, `square` is as large as `A^H A`, and `work` is what
/// [`peel_layout`](super::dense_svd::peel_layout) says.
pub(crate) fn shrink_whole<F: Field>(
    a: &mut MatMut<'_, F>,
    threshold: F::Real,
    values: &mut [F::Real],
    square: &mut Arena<'_>,
    work: &mut Arena<'_>,
) -> Result<Option<usize>, Error> {
    let n = a.cols();
    if !is_large(n) || a.rows() != n {
        return Ok(None);
    }
    let mut work = work.scope();
    let triangle = work.take::<F>(triangle_length(n)?)?;
    write_gram(a.as_ref(), 0, triangle, &mut work)?;
    let function = work.take::<F::Real>(check::product("matrix", &[n, n])?)?;
    let mut function = MatMut::new("function", function, n, n)?;
    let mut reduced = Reduced::new(triangle, n, &mut work)?;
    reduced.write_eigenvalues(values, square.scope().take(n)?, &mut work)?;

    let unit = reduced.scale.sqrt();
    let largest = root(values.first()).unscale(unit);
    if largest <= threshold {
        a.clear();
        return Ok(Some(0));
    }
    let reached = reach::<F::Real>() * largest;
    let cut = Scalar::max(reached, threshold) * unit;
    let kept = values.iter().take_while(|&s| root(Some(s)) > cut).count();
    let spectrum = Spectrum { values, kept, threshold: threshold * unit };
    let left = n.wrapping_sub(kept);
    if left <= n / SHARE {
        let mut square = square.scope();
        let z = square.take::<F::Real>(check::product("vectors", &[left, n])?)?;
        let mut z = MatMut::new("vectors", z, left, n)?;
        if inverse_root_function(&reduced, &spectrum, &mut function, &mut z, &mut square, &mut work)? {
            reduced.enter(a, &mut work)?;
            let function = function.as_ref();
            let rank = if reached > threshold && left > 0 {
                shrink_apart(a, z.as_ref(), function, (threshold, largest), &mut square, &mut work)?
            } else {
                multiply_rows(a, 0, n, n, function, &mut work)?;
                0
            };
            reduced.leave(a, &mut work)?;
            return Ok(Some(kept.wrapping_add(rank)));
        }
    }
    if reached <= threshold && kept > n / 2 {
        eigenvector_function(&mut reduced, &spectrum, &mut function, square, &mut work)?;
        reduced.enter(a, &mut work)?;
        multiply_rows(a, 0, n, n, function.as_ref(), &mut work)?;
        reduced.leave(a, &mut work)?;
        return Ok(Some(kept));
    }
    Ok(None)
}

/// What is known of `T`.
struct Spectrum<'a, T> {
    /// Its eigenvalues, descending.
    values: &'a [T],
    /// How many are kept.
    kept: usize,
    /// Where their roots are shrunk to nothing.
    threshold: T,
}

/// `f(T) = P (1 - threshold T^(-1/2)) P`, where `P` takes away the eigenvectors `z` that are not kept. False where they
/// were not found.
fn inverse_root_function<F: Field>(
    reduced: &Reduced<'_, F>,
    spectrum: &Spectrum<'_, F::Real>,
    function: &mut MatMut<'_, F::Real>,
    z: &mut MatMut<'_, F::Real>,
    square: &mut Arena<'_>,
    work: &mut Arena<'_>,
) -> Result<bool, Error> {
    let t = (&*reduced.diagonal, &*reduced.coupling);
    let Spectrum { values, kept, threshold } = *spectrum;
    let (kept, left) = values.split_at_checked(kept).unwrap_or((values, &[]));
    if !inverse_iteration(t, left, z, &mut square.scope())? {
        return Ok(false);
    }
    let (Some(&high), Some(&low)) = (kept.first(), kept.last()) else { return Ok(false) };
    write_inverse_root(t, (low, high), function, &mut square.scope())?;
    vector::scale(function.data_mut(), -threshold);
    for i in 0..function.rows() {
        function.set(i, i, F::Real::ONE + function.at(i, i));
    }
    project_out(z.as_ref(), function, &mut square.scope(), work)?;
    Ok(true)
}

/// `S <- P S P` with `P = 1 - Z^T Z`, for a symmetric `S` and orthonormal rows `Z`.
///
/// With `G = Z S` and `U = G - (G Z^T) Z / 2` this is `S - Z^T U - U^T Z`.
fn project_out<T: Scalar>(
    z: Mat<'_, T>,
    s: &mut MatMut<'_, T>,
    square: &mut Arena<'_>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let (count, n) = (z.rows(), z.cols());
    let u = square.take::<T>(check::product("vectors", &[count, n])?)?;
    let mut u = MatMut::new("vectors", u, count, n)?;
    vector::copy(z.data(), u.data_mut());
    multiply_rows(&mut u, 0, n, n, s.as_ref(), work)?;
    let along = square.take::<T>(count)?;
    for i in 0..count {
        let row = u.row_mut(i);
        along.iter_mut().enumerate().for_each(|(j, x)| *x = vector::dot(row, z.row(j)));
        for (j, &x) in along.iter().enumerate() {
            vector::axpy(-x * T::HALF, z.row(j), row);
        }
    }
    let mut work = work.scope();
    let mut combiner = Combiner::<T>::new(2 * count, &mut work)?;
    let u = u.as_ref();
    for top in (0..n).step_by(ROWS) {
        let rows = ROWS.min(n.wrapping_sub(top));
        let pair =
            |k: usize| if k < count { (z.row(k), u.row(k)) } else { (u.row(k - count), z.row(k - count)) };
        combiner.set(rows, 2 * count, |i, k| vector::at(pair(k).0, top.wrapping_add(i)));
        combiner.combine(
            n,
            |k| pair(k).1,
            |i, at, values| {
                let row = s.row_mut(top.wrapping_add(i)).get_mut(at..).unwrap_or(&mut []);
                row.iter_mut().zip(values).for_each(|(x, &value)| *x -= value);
            },
        );
    }
    Ok(())
}

/// `f(T) = sum of (1 - threshold/s_i) z_i z_i^T` over what is kept. `T` is taken apart, and is no more.
fn eigenvector_function<F: Field>(
    reduced: &mut Reduced<'_, F>,
    spectrum: &Spectrum<'_, F::Real>,
    function: &mut MatMut<'_, F::Real>,
    square: &mut Arena<'_>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let n = reduced.diagonal.len();
    let Spectrum { values, kept, threshold } = *spectrum;
    let mut square = square.scope();
    let z = square.take::<F::Real>(check::product("matrix", &[n, n])?)?;
    let mut z = MatMut::new("eigenvectors", z, n, n)?;
    reduced.diagonalise_into(&mut z, work)?;
    let weight = |k: usize| F::Real::ONE - threshold / root(values.get(k));
    let mut work = work.scope();
    let mut combiner = Combiner::<F::Real>::new(kept, &mut work)?;
    let z = z.as_ref();
    for top in (0..n).step_by(ROWS) {
        let rows = ROWS.min(n.wrapping_sub(top));
        combiner.set(rows, kept, |i, k| weight(k) * z.at(k, top.wrapping_add(i)));
        combiner.store(top.wrapping_add(rows), z, function, (top, 0));
    }
    for i in 0..n {
        for j in 0..i {
            function.set(j, i, function.at(i, j));
        }
    }
    Ok(())
}

/// `A <- A f(T) + K Z`, where `K` is what `A Z^T` shrinks to; returns its rank.
///
/// `whole` is the largest singular value of `A`.
fn shrink_apart<F: Field>(
    a: &mut MatMut<'_, F>,
    z: Mat<'_, F::Real>,
    function: Mat<'_, F::Real>,
    (threshold, whole): (F::Real, F::Real),
    square: &mut Arena<'_>,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let (n, count) = (a.cols(), z.rows());
    let area = check::product("part", &[n, count])?;
    let mut part = MatMut::new("part", square.take::<F>(area)?, n, count)?;
    multiply_by_transpose(a.as_ref(), z, &mut part, &mut square.scope(), work)?;
    multiply_rows(a, 0, n, n, function, work)?;
    let values = square.take::<F::Real>(count)?;
    let mut vectors = square.part(Layout::array::<F>(check::product("part", &[count, count])?)?)?;
    let rank = shrink_peeled(&mut part, (threshold, whole), values, &mut vectors, square)?;
    if rank > 0 {
        let mut work = work.scope();
        let mut combiner = Combiner::<F>::new(count, &mut work)?;
        for top in (0..n).step_by(ROWS) {
            combiner.set(ROWS.min(n.wrapping_sub(top)), count, |i, k| part.at(top.wrapping_add(i), k));
            combiner.combine(
                n,
                |k| z.row(k),
                |i, at, values| {
                    let row = a.row_mut(top.wrapping_add(i)).get_mut(at..).unwrap_or(&mut []);
                    row.iter_mut().zip(values).for_each(|(x, &value)| *x += value);
                },
            );
        }
    }
    Ok(rank)
}

/// `part = A Z^T`.
fn multiply_by_transpose<F: Field>(
    a: Mat<'_, F>,
    z: Mat<'_, F::Real>,
    part: &mut MatMut<'_, F>,
    square: &mut Arena<'_>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let (n, count) = (a.cols(), z.rows());
    let transposed = square.take::<F::Real>(check::product("part", &[n, count])?)?;
    let mut transposed = MatMut::new("part", transposed, n, count)?;
    write_adjoint(z, &mut transposed);
    let mut work = work.scope();
    let mut combiner = Combiner::<F>::new(n, &mut work)?;
    for top in (0..n).step_by(ROWS) {
        combiner.set(ROWS.min(n.wrapping_sub(top)), n, |i, k| a.at(top.wrapping_add(i), k));
        combiner.store(count, transposed.as_ref(), part, (top, 0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::shrink::shrink_dense_layout;
    use crate::rng::Rng;
    use crate::workspace::Workspace;
    use num_complex::Complex;
    use std::vec::Vec;

    /// Against peeling; true where this method did it.
    fn agrees<F: Field>(data: &[F], n: usize, threshold: f64, error: f64) -> Result<bool, Error> {
        let threshold = F::Real::from_f64(threshold);
        let (mut whole, mut peeled) = (data.to_vec(), data.to_vec());
        let mut values = std::vec![F::Real::ZERO; n];
        let mut workspace = Workspace::new(shrink_dense_layout::<F>(n, n)?);
        let mut work = workspace.arena();
        let mut square = work.part(Layout::array::<F>(n * n)?)?;
        let mut a = MatMut::new("a", &mut whole, n, n)?;
        let rank = shrink_whole(&mut a, threshold, &mut values, &mut square, &mut work)?;
        let mut b = MatMut::new("b", &mut peeled, n, n)?;
        let thresholds = (threshold, F::Real::ZERO);
        let expected = shrink_peeled(&mut b, thresholds, &mut values, &mut square, &mut work)?;
        if let Some(rank) = rank {
            assert_eq!(rank, expected);
            for (x, y) in whole.iter().zip(&peeled) {
                assert!((*x - *y).abs() < F::Real::from_f64(error), "{x:?} {y:?}");
            }
        }
        Ok(rank.is_some())
    }

    fn check<F: Field>(draw: impl Fn(&mut Rng) -> F, error: f64) -> Result<(), Error> {
        let n = 150;
        let mut rng = Rng::new(5);
        let mut data: Vec<F> = (0..n * n).map(|_| draw(&mut rng).scale(F::Real::from_f64(0.1))).collect();
        (0..n).for_each(|i| data[i * n + i] += F::from_real(F::Real::from_f64(2.0)));
        // All is kept; then some, by their own vectors; then half, by all vectors.
        for threshold in [0.01, 1.3, 2.0] {
            assert!(agrees(&data, n, threshold, error)?, "{threshold}");
        }
        // Columns that others make up, and some that nearly are.
        for row in data.chunks_exact_mut(n) {
            (0..12).for_each(|j| {
                let small = if j < 3 { F::Real::from_f64(1e-4) } else { F::Real::ZERO };
                row[j] = row[j + 20] - row[j + 40] + row[j].scale(small);
            });
        }
        for threshold in [1e-5, 0.2] {
            assert!(agrees(&data, n, threshold, error)?, "{threshold}");
        }
        Ok(())
    }

    #[test]
    fn it_is_what_peeling_makes() -> Result<(), Error> {
        let draw = |rng: &mut Rng| rng.uniform::<f64>() - 0.5;
        check(draw, 1e-12)?;
        check(|rng| Complex::new(draw(rng), draw(rng)), 1e-12)
    }

    #[test]
    fn it_is_what_peeling_makes_in_single_precision() -> Result<(), Error> {
        let n = 150;
        let mut rng = Rng::new(5);
        let mut data: Vec<f32> = (0..n * n).map(|_| 0.1 * (rng.uniform::<f32>() - 0.5)).collect();
        (0..n).for_each(|i| data[i * n + i] += 2.0);
        for threshold in [0.01, 1.7, 2.0] {
            assert!(agrees(&data, n, threshold, 2e-5)?, "{threshold}");
        }
        Ok(())
    }
}
