//! Orders that do not depend on the order in which the samples came, and a sort that cannot panic.
//!
//! What draws at random along the samples (the start of an eigensolver, the seeds of k-means) draws along a
//! *canonical* order: by a key that a sample keeps however the samples are shuffled, such as its degree in the graph.

use crate::linalg::vector::at;
use crate::{Error, Scalar, check};

/// The samples by ascending key; equal keys keep the order they came in.
pub fn canonical_order<T: Scalar>(keys: &[T], order: &mut [u32]) -> Result<(), Error> {
    check::equal("order", keys.len(), order.len())?;
    check_count(keys.len())?;
    check::finite("keys", keys)?;
    for (place, i) in order.iter_mut().zip(0..) {
        *place = i;
    }
    sort_by(order, |i, j| {
        let (x, y) = (at(keys, i as usize), at(keys, j as usize));
        if x == y { i < j } else { x < y }
    });
    Ok(())
}

/// Samples are numbered by `u32`.
pub(crate) fn check_count(n: usize) -> Result<(), Error> {
    match u32::try_from(n) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::SizeOverflow { what: "samples" }),
    }
}

/// `order` is a permutation of its indices. The marks are scratch of the same length.
pub(crate) fn check_order(order: &[u32], marks: &mut [u32]) -> Result<(), Error> {
    marks.fill(0);
    for &i in order {
        match marks.get_mut(i as usize) {
            Some(mark) if *mark == 0 => *mark = 1,
            _ => return Err(Error::Parameter { what: "order", requirement: "a permutation of the samples" }),
        }
    }
    Ok(())
}

/// Heap sort, because the library's own sorts may allocate or panic. `before` says which of two comes first.
pub(crate) fn sort_by<T: Copy>(items: &mut [T], before: impl Fn(T, T) -> bool) {
    for root in (0..items.len() / 2).rev() {
        sift(items, root, &before);
    }
    for end in (1..items.len()).rev() {
        // The root comes last of what is left.
        if let Ok([root, last]) = items.get_disjoint_mut([0, end]) {
            core::mem::swap(root, last);
        }
        sift(items.get_mut(..end).unwrap_or(&mut []), 0, &before);
    }
}

/// Lets the item at `root` sink below every child that comes after it.
fn sift<T: Copy>(heap: &mut [T], mut root: usize, before: &impl Fn(T, T) -> bool) {
    loop {
        let first = root.saturating_mul(2).saturating_add(1);
        let second = first.saturating_add(1);
        let child = match (heap.get(first), heap.get(second)) {
            (Some(&x), Some(&y)) if before(x, y) => second,
            (Some(_), _) => first,
            (None, _) => return,
        };
        let Ok([parent, child_item]) = heap.get_disjoint_mut([root, child]) else { return };
        if !before(*parent, *child_item) {
            return;
        }
        core::mem::swap(parent, child_item);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::vec::Vec;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut rng = Rng::new(3);
        for length in 0..200 {
            let mut found: Vec<u64> = (0..length).map(|_| rng.next_u64() % 50).collect();
            let mut expected = found.clone();
            sort_by(&mut found, |x, y| x < y);
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn equal_keys_keep_their_order() -> Result<(), Error> {
        let mut order = [9; 6];
        canonical_order(&[2.0_f64, 1.0, 2.0, 0.5, 1.0, 2.0], &mut order)?;
        assert_eq!(order, [3, 1, 4, 0, 2, 5]);
        let nan = Err(Error::NotFinite { what: "keys", index: 1 });
        assert_eq!(canonical_order(&[0.0, f32::NAN], &mut order[..2]), nan);
        assert!(canonical_order(&[0.0_f32], &mut order).is_err());
        Ok(())
    }

    #[test]
    fn permutations_are_told_from_others() {
        assert_eq!(check_order(&[2, 0, 1], &mut [7; 3]), Ok(()));
        assert!(check_order(&[2, 0, 2], &mut [0; 3]).is_err());
        assert!(check_order(&[3, 0, 1], &mut [0; 3]).is_err());
    }
}
