//! Every kernel family once, on the caller's numbers and in the caller's memory.
//!
//! One list for two proofs: the probes beside it show that nothing here can panic, and `tests/allocation.rs` that
//! nothing here allocates.

use core::hint::black_box;
use cstgl::fft::{Fft, RealFft};
use cstgl::linalg::krylov::{Symmetric, TopOptions, top};
use cstgl::linalg::partial_svd::{Matrix, Options, Wish, singular_above};
use cstgl::linalg::product::{adjoint_multiply, gram, multiply, multiply_adjoint};
use cstgl::linalg::qr::{complete_basis, qr, qr_pivoted};
use cstgl::linalg::shrink::{multiply_factors, shrink_dense, shrink_factor};
use cstgl::linalg::{Mat, MatMut, dense_svd, jacobi_eigen, jacobi_svd, tridiagonal};
use cstgl::prox::tubal::{samples, views};
use cstgl::tensor::{self, Shape};
use cstgl::workspace::Arena;
use cstgl::{Complex, Error, Field, Scalar};

/// Real transforms of `n` rows, and complex ones of half the columns.
pub fn fft<T: Scalar>(data: &mut [T], n: usize, work: &mut Arena<'_>) -> Result<(), Error> {
    let columns = data.len().checked_div(n).unwrap_or(0);
    {
        let mut work = work.scope();
        let fft = RealFft::<T>::new(n, &mut work)?;
        let spectrum = work.take(fft.spectrum_len().saturating_mul(columns))?;
        fft.forward(data, columns, spectrum, &mut work)?;
        fft.inverse(spectrum, columns, data, &mut work)?;
        fft.forward_packed(data, columns, &mut work)?;
        fft.inverse_packed(data, columns, &mut work)?;
    }
    let mut work = work.scope();
    let fft = Fft::<T>::new(n, &mut work)?;
    let copy = work.take::<Complex<T>>(data.len())?;
    copy.iter_mut().zip(data.iter()).for_each(|(z, &x)| *z = Complex::new(x, x));
    fft.forward(copy, columns, &mut work)?;
    fft.inverse(copy, columns, &mut work)?;
    black_box(copy);
    Ok(())
}

/// Products, QR and the decompositions of a `rows x cols` matrix, tall or square; then everything again that wants a
/// square, of its first rows.
pub fn linalg<F: Field>(a: &[F], rows: usize, cols: usize, work: &mut Arena<'_>) -> Result<(), Error> {
    let mut work = work.scope();
    let a = Mat::new("a", a, rows, cols)?;
    let (length, square) = (rows.saturating_mul(cols), cols.saturating_mul(cols));
    let (q, r, v) = (work.take::<F>(length)?, work.take::<F>(square)?, work.take::<F>(square)?);
    let (values, order) = (work.take::<F::Real>(cols)?, work.take::<usize>(cols)?);

    qr(a, MatMut::new("q", q, rows, cols)?, MatMut::new("r", r, cols, cols)?, &mut work)?;
    let (q_out, r_out) = (MatMut::new("q", q, rows, cols)?, MatMut::new("r", r, cols, cols)?);
    qr_pivoted(a, q_out, r_out, order, &mut work)?;
    jacobi_svd::singular_values(a, values, &mut work)?;
    let (u, vh) = (MatMut::new("u", q, rows, cols)?, MatMut::new("v", v, cols, cols)?);
    jacobi_svd::svd(a, u, values, vh, &mut work)?;
    complete_basis(MatMut::new("v", v, cols, cols)?, 1)?;

    adjoint_multiply(a, a, MatMut::new("gram", r, cols, cols)?)?;
    let small = Mat::new("a", a.data().get(..square).unwrap_or(&[]), cols, cols)?;
    multiply(a, small, MatMut::new("product", q, rows, cols)?)?;
    multiply_adjoint(a, small, MatMut::new("product", q, rows, cols)?)?;
    gram(small, MatMut::new("gram", r, cols, cols)?)?;
    let hermitian = Mat::new("gram", r, cols, cols)?;
    jacobi_eigen::eigen(hermitian, values, MatMut::new("v", v, cols, cols)?, &mut work)?;
    tridiagonal::eigen_dense(hermitian, values, MatMut::new("v", v, cols, cols)?, &mut work)?;
    black_box((values, v, q));
    Ok(())
}

/// Singular values above a threshold, searched and dense, and the shrinkage that they are for.
pub fn shrinkage<F: Field>(a: &mut [F], n: usize, tau: F::Real, work: &mut Arena<'_>) -> Result<(), Error> {
    let mut work = work.scope();
    let square = n.saturating_mul(n);
    let (values, vectors) = (work.take::<F::Real>(n)?, work.take::<F>(square)?);
    let (left, k) = (work.take::<F>(square)?, work.take::<F>(square)?);
    {
        let a = Mat::new("a", a, n, n)?;
        let options = Options { max_rank: n, capacity: n, ..Options::new(n, 1) };
        let panels = work.take::<F>(Matrix::<F>::scratch(n)?)?;
        let mut map = Matrix::new(a, panels);
        let wish = Wish { tau, norm: None, warm: 0 };
        let basis = MatMut::new("v", vectors, n, n)?;
        black_box(singular_above(&mut map, &wish, &options, values, basis, &mut work)?);
        let basis = MatMut::new("v", vectors, n, n)?;
        let count = dense_svd::singular_above_dense(a, tau, values, basis, &mut work)?;
        let values = values.get(..count).unwrap_or(&[]);
        let used = count.saturating_mul(n);
        let vectors = Mat::new("v", vectors.get(..used).unwrap_or(&[]), count, n)?;
        let left = left.get_mut(..used).unwrap_or(&mut []);
        shrink_factor(&mut map, tau, values, vectors, MatMut::new("left", left, count, n)?)?;
        multiply_factors(Mat::new("left", left, count, n)?, vectors, MatMut::new("k", k, n, n)?)?;
    }
    black_box(k);
    shrink_dense(MatMut::new("a", a, n, n)?, tau, &mut work)?;
    Ok(())
}

/// The leading eigenpair of `A^T A`.
pub fn leading<T: Scalar>(a: &[T], n: usize, work: &mut Arena<'_>) -> Result<(), Error> {
    let mut work = work.scope();
    let square = work.take::<T>(n.saturating_mul(n))?;
    let (values, vectors) = (work.take::<T>(1)?, work.take::<T>(n)?);
    gram(Mat::new("a", a, n, n)?, MatMut::new("gram", square, n, n)?)?;
    let mut operator = Symmetric(Mat::new("gram", square, n, n)?);
    let vectors = MatMut::new("v", vectors, 1, n)?;
    black_box(top(&mut operator, &TopOptions::new(1), values, vectors, &mut work)?);
    Ok(())
}

/// Definitions 1 to 5 on a tensor of square slices.
pub fn algebra<T: Scalar>(a: &mut [T], n: usize, slices: usize, work: &mut Arena<'_>) -> Result<(), Error> {
    let mut work = work.scope();
    let shape = [slices, n, n];
    let (u, g, v) = (work.take::<T>(a.len())?, work.take::<T>(a.len())?, work.take::<T>(a.len())?);
    tensor::tsvd(a, shape, u, g, v, &mut work)?;
    black_box(tensor::f_diagonal_defect(g, shape)?);
    black_box(tensor::orthogonality_defect(u, n, slices, &mut work)?);
    black_box(tensor::nuclear_norm(a, shape, &mut work)?);
    black_box(tensor::frobenius_norm(a)?);
    tensor::product(u, shape, g, shape, v, &mut work)?;
    tensor::transpose(v, shape, u)?;
    tensor::unfold(u, shape, v)?;
    tensor::fold(v, shape, u)?;
    tensor::rotate(u, shape, v)?;
    tensor::identity(u, n, slices)?;
    black_box((u, v));
    Ok(())
}

/// Tubal shrinkage on both axes, dense and searched.
pub fn tubal<T: Scalar>(a: &mut [T], shape: Shape, tau: T, work: &mut Arena<'_>) -> Result<(), Error> {
    samples::shrink(a, shape, tau, work)?;
    views::shrink(a, shape, tau, black_box(views::Way::Dense), work)?;
    views::shrink(a, shape, tau, black_box(views::Way::LowRank { max_rank: 1, seed: 1 }), work)?;
    Ok(())
}
