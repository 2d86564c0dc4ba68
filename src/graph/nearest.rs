//! The nearest samples of a sample, in order.
//!
//! A heap with the farthest of the nearest on top: one comparison for most of the row, `O(n log k)` at worst, and
//! no memory but the result. Equal distances are ordered by index, so there is one result.

use crate::Scalar;
use crate::linalg::vector::{at, put};

/// Fills `nearest` with the other samples nearest to sample `own`, nearest first. There are at least as many.
pub(super) fn find<T: Scalar>(row: &[T], own: usize, nearest: &mut [usize]) {
    let mut others = (0..row.len()).filter(|&j| j != own);
    for (place, other) in nearest.iter_mut().zip(&mut others) {
        *place = other;
    }
    let before = |a: usize, b: usize| is_before(row, a, b);
    for top in (0..nearest.len() / 2).rev() {
        sift(nearest, top, before);
    }
    let farthest = |nearest: &[usize]| nearest.first().map(|&j| at(row, j));
    let Some(mut limit) = farthest(nearest) else { return };
    for j in others {
        // Of equals the earlier one stays.
        if at(row, j) < limit {
            put(nearest, 0, j);
            sift(nearest, 0, before);
            limit = farthest(nearest).unwrap_or(limit);
        }
    }
    unheap(nearest, before);
}

/// Sorts the numbers, all of them finite, in ascending order.
pub(super) fn sort<T: Scalar>(numbers: &mut [T]) {
    let before = |a: T, b: T| a < b;
    for top in (0..numbers.len() / 2).rev() {
        sift(numbers, top, before);
    }
    unheap(numbers, before);
}

/// Nearer, or as near and earlier.
fn is_before<T: Scalar>(row: &[T], a: usize, b: usize) -> bool {
    let (x, y) = (at(row, a), at(row, b));
    x < y || (x == y && a < b)
}

/// Moves the element at `top` down until none below comes after it.
fn sift<K: Copy>(heap: &mut [K], mut top: usize, before: impl Fn(K, K) -> bool) {
    let Some(&moved) = heap.get(top) else { return };
    loop {
        let left = top.saturating_mul(2).saturating_add(1);
        let Some(&first) = heap.get(left) else { break };
        let (below, last) = match heap.get(left.saturating_add(1)) {
            Some(&second) if before(first, second) => (left.saturating_add(1), second),
            _ => (left, first),
        };
        if !before(moved, last) {
            break;
        }
        put(heap, top, last);
        top = below;
    }
    put(heap, top, moved);
}

/// A heap with the last on top becomes ascending.
fn unheap<K: Copy>(mut heap: &mut [K], before: impl Fn(K, K) -> bool) {
    while let [first, .., last] = heap {
        core::mem::swap(first, last);
        let [rest @ .., _] = heap else { return };
        sift(rest, 0, &before);
        heap = rest;
    }
}
