//! How many clusters a graph has, by the gap in its spectrum.

use super::{Graph, leading, leading_layout, tolerance};
use crate::linalg::MatMut;
use crate::linalg::vector::{self, at};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};

/// A second eigenvalue up to this means one cluster.
const SINGLE: f64 = 0.1;

/// Eigenvalues that are looked at for estimates up to `limit`: one more, as far as there are samples.
#[must_use]
pub const fn eigenvalue_count(n: usize, limit: usize) -> usize {
    let count = limit.saturating_add(1);
    if count < n { count } else { n }
}

/// What [`estimate_clusters`] needs.
pub fn estimate_clusters_layout<T: Scalar>(n: usize, limit: usize) -> Result<Layout, Error> {
    check::positive("samples", n)?;
    let count = eigenvalue_count(n, limit);
    Layout::array::<T>(check::product("eigenvectors", &[count, n])?)?
        .and_array::<T>(count)?
        .and(leading_layout::<T>(n, count)?)
}

/// The number of clusters up to `limit` (20 is common) and below the number of samples, by the eigengap.
///
/// The `k` with the largest gap `lambda_k - lambda_(k+1)` between eigenvalues of `N`, of `k` from 2 on, and the last
/// of those that are equal to rounding. `values`, [`eigenvalue_count`] of them, are the eigenvalues, descending.
///
/// **Why not from 1 on.** `lambda_1 = 1` whatever the graph, and in any connected graph with some noise between its
/// clusters the first gap is the largest: it tells how connected the whole is, not how many parts it has. So one
/// cluster is the answer only where `lambda_2 <= 0.1`: by Cheeger's inequality every cut in two then severs at least
/// 45% of the weight at its smaller side, where a cut through a structureless graph severs about half.
pub fn estimate_clusters<T: Scalar>(
    graph: &Graph<'_, T>,
    limit: usize,
    seed: u64,
    values: &mut [T],
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let n = graph.check()?;
    check::positive("limit", limit)?;
    let count = eigenvalue_count(n, limit);
    check::shape("eigenvalues", values, &[count])?;
    work.require(estimate_clusters_layout::<T>(n, limit)?)?;
    let mut work = work.scope();
    let vectors = work.take(check::product("eigenvectors", &[count, n])?)?;
    let found = work.take(count)?;
    leading(graph, seed, found, MatMut::new("eigenvectors", vectors, count, n)?, &mut work)?;
    vector::copy(found, values);
    Ok(largest_gap(values))
}

/// Of `k >= 2`, the one with the largest gap after `lambda_k`; 1 where `lambda_2` says that there is one block.
fn largest_gap<T: Scalar>(values: &[T]) -> usize {
    if values.len() <= 2 || at(values, 1) <= T::from_f64(SINGLE) {
        return 1;
    }
    let mut best = (2, -T::ONE);
    for (k, pair) in (2..).zip(values.windows(2).skip(1)) {
        let gap = at(pair, 0) - at(pair, 1);
        if gap >= best.1 - tolerance() {
            best = (k, Scalar::max(gap, best.1));
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::largest_gap;

    #[test]
    fn gaps() {
        assert_eq!(largest_gap(&[1.0, 0.3, 0.28, 0.27, 0.05]), 4, "the first gap does not count");
        assert_eq!(largest_gap(&[1.0, 1.0, 0.2, 0.1]), 2);
        assert_eq!(largest_gap(&[1.0, 0.02, 0.01, 0.0]), 1, "one block");
        assert_eq!(largest_gap(&[1.0, 1.0, 1.0, 1.0]), 3, "more components than the limit");
        assert_eq!(largest_gap(&[0.0_f32, 0.0, 0.0]), 1, "no edge");
        assert_eq!((largest_gap(&[1.0]), largest_gap(&[1.0, 1.0])), (1, 1), "too few samples to tell");
    }
}
