//! The Gram matrix `G = X^T X` of a view while it grows.
//!
//! Every block adds to the lower triangle, row by row up to the diagonal. What stands above it has no meaning until
//! [`finish_gram`](super::distance::finish_gram) overwrites it.

use super::distance::check_pairs;
use crate::linalg::triangle::for_each_pair;
use crate::linalg::vector::{at, put};
use crate::{Error, Scalar, check};

/// `G += H`, the Gram matrix of features that somebody else has multiplied out.
///
/// Where `H` is symmetric to rounding only, the mean of its two halves counts.
pub fn accumulate_gram<T: Scalar>(
    gram: &mut [T],
    view: usize,
    given: &[T],
    samples: usize,
) -> Result<(), Error> {
    check::positive("samples", samples)?;
    check::shape("gram", gram, &[samples, samples])?;
    check_pairs(given, view, samples)?;
    if given.iter().step_by(samples.saturating_add(1)).any(|&square| square < T::ZERO) {
        let requirement = "without negative elements on its diagonal";
        return Err(Error::Parameter { what: "Gram matrix", requirement });
    }
    for (i, row) in gram.chunks_exact_mut(samples.max(1)).enumerate() {
        let below = given.iter().skip(i.saturating_mul(samples));
        let above = given.iter().skip(i).step_by(samples.max(1));
        for (g, (&low, &high)) in row.iter_mut().zip(below.zip(above)).take(i.saturating_add(1)) {
            *g += T::HALF * low + T::HALF * high;
        }
    }
    Ok(())
}

/// The lower triangle becomes the upper one as well.
pub(crate) fn mirror<T: Scalar>(gram: &mut [T], samples: usize) {
    for_each_pair(samples, |below, above| put(gram, above, at(gram, below)));
}

/// Rows of a symmetric matrix up to the diagonal: what is accumulated.
pub(crate) fn lower_rows<T>(gram: &[T], samples: usize) -> impl Iterator<Item = &[T]> {
    let rows = gram.chunks_exact(samples.max(1)).enumerate();
    rows.map(|(i, row)| row.get(..=i).unwrap_or(row))
}
