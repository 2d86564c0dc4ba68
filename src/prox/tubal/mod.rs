//! The `K` step: tubal shrinkage `D_tau(F) = U * D_tau(G) * V^T`, Eq. (26).
//!
//! In the spectrum along one axis, every frontal slice has `tau` taken off its singular values, those below vanish.
//! It is the proximal step of the nuclear norm (Eq. 6) times `tau`, up to the number of slices: transforms without
//! normalisation, as in the paper, make `D_tau` minimise `tau ||K||_* / n3 + ||K - F||_F^2 / 2`.
//!
//! - [`views`]: the transform runs along the slices of `[m, n, n]`, and each slice is a square matrix of low rank;
//! - [`samples`]: it runs along the row index, and each slice is a tall matrix with a column a view.
//!   `strips.rs` keeps the tensor such that this is not slow.
//!
//! A norm often decides first. A spectrum has `n3` times the energy of its tensor (Parseval), so where `sqrt(n3)
//! ||F||_F <= tau` no slice has a singular value above `tau`, and `K = 0` without a transform.

pub mod samples;
pub(crate) mod strips;
pub mod views;

use crate::Scalar;
use crate::linalg::vector;

/// What is left after shrinkage, over all slices of the whole spectrum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// The largest rank of a slice.
    pub largest: usize,
    /// The sum of the ranks, which is the tubal rank where all slices have the same.
    pub total: usize,
}

impl Ranks {
    /// Counts a slice that stands `multiplicity` times in the spectrum.
    pub(crate) fn add(&mut self, rank: usize, multiplicity: usize) {
        self.largest = self.largest.max(rank);
        self.total = self.total.saturating_add(rank.saturating_mul(multiplicity));
    }
}

/// True where the norm of a tensor alone says that nothing of it survives.
pub(crate) fn vanishing<T: Scalar>(norm: T, transformed: usize, tau: T) -> bool {
    // Above the rounding of the norm, so that a value on the threshold is decided by the singular values.
    let margin = T::ONE + T::from_f64(16.0) * T::EPSILON;
    T::from_usize(transformed).sqrt() * norm * margin <= tau
}

fn vanishes<T: Scalar>(tensor: &[T], transformed: usize, tau: T) -> bool {
    vanishing(vector::norm(tensor), transformed, tau)
}
