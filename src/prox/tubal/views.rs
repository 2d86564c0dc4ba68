//! Tubal shrinkage along the slices: the paper's text.

use super::{Ranks, vanishes};
use crate::fft::RealFft;
use crate::linalg::partial_svd::{Matrix, Options, Outcome, Wish, singular_above, singular_above_layout};
use crate::linalg::shrink::{multiply_factors, shrink_dense, shrink_dense_layout, shrink_factor};
use crate::linalg::{Mat, MatMut, vector};
use crate::tensor::{Shape, load_slice, multiplicity, plane_mut, store_slice};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};
use num_complex::Complex;

/// How the singular values above the threshold are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All singular values of every slice: right for full rank and for small matrices.
    Dense,
    /// By products with a few vectors where at most `max_rank` values are above the threshold, with a proof that
    /// none was missed; a slice where that does not succeed goes the dense way.
    LowRank {
        /// Vectors to expect at most.
        max_rank: usize,
        /// Of the random probes behind the proof.
        seed: u64,
    },
}

impl Way {
    /// The search's options, where a search is worth while: its basis must be smaller than the matrix.
    fn options<T: Scalar>(self, rows: usize, cols: usize) -> Option<Options<T>> {
        match self {
            Self::Dense => None,
            Self::LowRank { max_rank, seed } => {
                let options = Options::new(max_rank, seed);
                (options.capacity < rows.min(cols)).then_some(options)
            }
        }
    }
}

/// What [`shrink`] needs.
pub fn shrink_layout<T: Scalar>(shape: Shape, way: Way) -> Result<Layout, Error> {
    let [slices, rows, cols] = shape;
    let real = slice_layout::<T>(rows, cols, way)?;
    let slice = if slices > 2 {
        let area = check::product("slice", &[rows, cols])?;
        real.or(Layout::array::<Complex<T>>(area)?.and(slice_layout::<Complex<T>>(rows, cols, way)?)?)
    } else {
        real
    };
    RealFft::<T>::layout(slices)?.and(slice.or(RealFft::<T>::scratch_layout(slices)?))
}

/// `F` becomes `D_tau(F)`, Eq. (26), the transform along the slices of `[n3, n1, n2]`.
///
/// An error that says `NotConverged` leaves a tensor without meaning; any other leaves it untouched.
pub fn shrink<T: Scalar>(
    tensor: &mut [T],
    shape: Shape,
    tau: T,
    way: Way,
    work: &mut Arena<'_>,
) -> Result<Ranks, Error> {
    let [slices, rows, cols] = shape;
    check::shape("tensor", tensor, &shape)?;
    check::positive("tensor", tensor.len())?;
    check::not_negative("tau", tau)?;
    check::finite("tensor", tensor)?;
    work.require(shrink_layout::<T>(shape, way)?)?;
    let mut ranks = Ranks::default();
    if vanishes(tensor, slices, tau) {
        tensor.fill(T::ZERO);
        return Ok(ranks);
    }
    let mut work = work.scope();
    let fft = RealFft::new(slices, &mut work)?;
    let area = rows * cols;
    fft.forward_packed(tensor, area, &mut work)?;
    for k in 0..fft.spectrum_len() {
        let rank = match fft.packed_rows(k) {
            (real, None) => {
                let slice = MatMut::new("slice", plane_mut(tensor, area, real), rows, cols)?;
                shrink_slice(slice, tau, way, &mut work)?
            }
            (_, Some(_)) => {
                let mut work = work.scope();
                let slice = work.take::<Complex<T>>(area)?;
                load_slice(&fft, tensor, k, slice);
                let rank = shrink_slice(MatMut::new("slice", slice, rows, cols)?, tau, way, &mut work)?;
                store_slice(&fft, slice, k, tensor);
                rank
            }
        };
        ranks.add(rank, multiplicity(&fft, k));
    }
    fft.inverse_packed(tensor, area, &mut work)?;
    Ok(ranks)
}

/// What [`shrink_slice`] needs.
fn slice_layout<F: Field>(rows: usize, cols: usize, way: Way) -> Result<Layout, Error> {
    let dense = shrink_dense_layout::<F>(rows, cols)?;
    match way.options::<F::Real>(rows, cols) {
        None => Ok(dense),
        Some(options) => {
            let search = triplets_layout::<F>(options.max_rank, rows, cols)?
                .and_array::<F>(Matrix::<F>::scratch(cols)?)?
                .and(singular_above_layout::<F>(rows, cols, &options)?)?;
            Ok(search.or(dense))
        }
    }
}

/// Values, right vectors and left factor of `count` triplets.
fn triplets_layout<F: Field>(count: usize, rows: usize, cols: usize) -> Result<Layout, Error> {
    Layout::array::<F::Real>(count)?
        .and_array::<F>(check::product("right vectors", &[count, cols])?)?
        .and_array::<F>(check::product("left factor", &[count, rows])?)
}

/// One slice, in place; returns its rank.
pub(crate) fn shrink_slice<F: Field>(
    mut slice: MatMut<'_, F>,
    tau: F::Real,
    way: Way,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let (rows, cols) = (slice.rows(), slice.cols());
    let norm = vector::norm(slice.as_ref().data());
    if norm == F::Real::ZERO || norm < tau {
        slice.clear();
        return Ok(0);
    }
    if let Some(options) = way.options(rows, cols) {
        let mut work = work.scope();
        let rank = options.max_rank;
        let values = work.take::<F::Real>(rank)?;
        let (vectors, left) = (work.take::<F>(rank * cols)?, work.take::<F>(rank * rows)?);
        let panels = work.take::<F>(Matrix::<F>::scratch(cols)?)?;
        let mut map = Matrix::new(slice.as_ref(), panels);
        let wish = Wish { tau, norm: Some(norm), warm: 0 };
        let basis = MatMut::new("right vectors", vectors, rank, cols)?;
        if let Outcome::Found { count, .. } =
            singular_above(&mut map, &wish, &options, values, basis, &mut work)?
        {
            rebuild(&mut slice, tau, count, values, vectors, left, panels)?;
            return Ok(count);
        }
    }
    shrink_dense(slice, tau, work)
}

/// The slice from its first `count` triplets, shrunk.
fn rebuild<F: Field>(
    slice: &mut MatMut<'_, F>,
    tau: F::Real,
    count: usize,
    values: &[F::Real],
    vectors: &[F],
    left: &mut [F],
    panels: &mut [F],
) -> Result<(), Error> {
    let (rows, cols) = (slice.rows(), slice.cols());
    let values = values.get(..count).unwrap_or(&[]);
    let vectors = Mat::new("right vectors", vectors.get(..count * cols).unwrap_or(&[]), count, cols)?;
    let left = left.get_mut(..count * rows).unwrap_or(&mut []);
    let mut map = Matrix::new(slice.as_ref(), panels);
    shrink_factor(&mut map, tau, values, vectors, MatMut::new("left factor", left, count, rows)?)?;
    multiply_factors(Mat::new("left factor", left, count, rows)?, vectors, slice.as_mut())
}
