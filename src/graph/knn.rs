//! The probabilistic k-nearest-neighbour graph that initialises Algorithm 1.
//!
//! `a_ij = (e_(k+1) - e_ij)_+ / sum over h <= k of (e_(k+1) - e_(h))`, the distances of row i to others in order: the
//! projection of Eq. (19) at the `alpha` that leaves k neighbours. (It never influences the iterates, whose first
//! step overwrites it; it is a graph of its own.)

use super::adaptive::{gap, neighbours_among};
use super::distance::check_distances;
use super::nearest;
use crate::linalg::Mat;
use crate::linalg::vector::{at, put};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};

/// What [`knn`] needs.
pub const fn knn_layout(samples: usize, neighbours: usize) -> Result<Layout, Error> {
    Layout::array::<usize>(neighbours_among(samples, neighbours).saturating_add(1))
}

/// The graph: `neighbours` non-zeros in a row, adding up to one, and a diagonal of zeros.
///
/// Where the nearest are all as far as the next one they share evenly, the first ones by index. Of fewer than
/// `neighbours + 2` samples all but the farthest are neighbours; two have each other, and one has none.
pub fn knn<T: Scalar>(
    graph: &mut [T],
    distances: &[T],
    view: usize,
    samples: usize,
    neighbours: usize,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    check::positive("neighbours", neighbours)?;
    check_distances(distances, view, samples)?;
    check::shape("graph", graph, &[samples, samples])?;
    work.require(knn_layout(samples, neighbours)?)?;
    let mut work = work.scope();
    let nearest = work.take::<usize>(neighbours_among(samples, neighbours).saturating_add(1))?;
    graph.fill(T::ZERO);
    if samples < 2 {
        return Ok(());
    }
    let distances = Mat::new("distances", distances, samples, samples)?;
    for (i, weights) in graph.chunks_exact_mut(samples).enumerate() {
        let row = distances.row(i);
        nearest::find(row, i, nearest);
        let (near, end) = match &*nearest {
            // Two samples: there is no next one.
            [only] => (core::slice::from_ref(only), at(row, *only)),
            [near @ .., next] => (near, at(row, *next)),
            [] => continue,
        };
        let sum = gap(row, nearest);
        let share = T::ONE / T::from_usize(near.len());
        for &j in near {
            put(weights, j, if sum > T::ZERO { (end - at(row, j)) / sum } else { share });
        }
    }
    Ok(())
}
