//! The two halves of a square matrix.

use super::vector::{at, put};
use crate::Scalar;

/// Side of the tiles in which the halves are walked: two of them fit in a first-level cache.
const TILE: usize = 32;

/// Calls `f` with the places of `(i, j)` and `(j, i)` for all `j < i`, tile by tile.
pub(crate) fn for_each_pair(n: usize, mut f: impl FnMut(usize, usize)) {
    let tiles = || (0..n).step_by(TILE).map(|start| start..start.saturating_add(TILE).min(n));
    for rows in tiles() {
        for cols in tiles().take_while(|cols| cols.start <= rows.start) {
            for i in rows.clone() {
                for j in cols.start..cols.end.min(i) {
                    f(i.wrapping_mul(n).wrapping_add(j), j.wrapping_mul(n).wrapping_add(i));
                }
            }
        }
    }
}

/// `S` becomes `(S + S^T)/2`.
pub(crate) fn symmetrise<T: Scalar>(matrix: &mut [T], n: usize) {
    for_each_pair(n, |below, above| {
        let mean = (at(matrix, below) + at(matrix, above)) * T::HALF;
        put(matrix, below, mean);
        put(matrix, above, mean);
    });
}
