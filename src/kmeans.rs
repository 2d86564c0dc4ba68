//! k-means: greedy k-means++ seeds, Lloyd's iteration, Hartigan's refinement, the best of several restarts.
//!
//! Lloyd's iteration stops where every row is nearest to its own centre. Hartigan's looks further: a row that changes
//! its cluster takes both centres along, so the move may pay even where the row's own centre is nearest.
//!
//! **No result depends on the order of the samples.** Everything is drawn and summed along a canonical order that
//! the caller gives ([`canonical_order`](crate::order::canonical_order)), and the clusters are numbered by their
//! first appearance in it. Nor does it depend on the axes: only distances are used, so an embedding that comes
//! rotated, as eigenvectors of a multiple eigenvalue do, gives the same clusters. Both hold up to rounding.
//!
//! **Rows that coincide.** Equal rows always share a label, so where there are fewer different rows than clusters
//! the labels are fewer than asked for. They are always below the number of clusters.

use crate::linalg::Mat;
use crate::linalg::tridiagonal::scale_to_one;
use crate::linalg::vector::{self, LANES, at, pairwise, put};
use crate::order::{check_count, check_order};
use crate::rng::Rng;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, simd};

/// How to look for the clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Clusters `k`, from 1 to the number of samples.
    pub clusters: usize,
    /// Starts from new seeds; the least inertia wins, the first of equals.
    pub restarts: usize,
    /// Rounds at most, of Lloyd's iteration and of the refinement together, in each start.
    pub rounds: usize,
    /// Of the random draws.
    pub seed: u64,
}

impl Options {
    /// 20 restarts of at most 1000 rounds.
    #[must_use]
    pub const fn new(clusters: usize, seed: u64) -> Self {
        Self { clusters, restarts: 20, rounds: 1000, seed }
    }
}

/// What was found beside the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit<T> {
    /// Sum of the squared distances to the centres; the largest number where it is beyond the range of the type.
    pub inertia: T,
    /// Different labels: fewer than asked for only where rows coincide.
    pub clusters: usize,
    /// Rounds of the start that won.
    pub rounds: usize,
}

/// [`LANES`] centres side by side: element `c` holds coordinate `c` of each.
type Block<T> = [[T; LANES]];

/// What [`cluster`] needs for `n` rows of `dimension` numbers.
pub fn cluster_layout<T: Scalar>(n: usize, dimension: usize, clusters: usize) -> Result<Layout, Error> {
    Layout::array::<[T; LANES]>(centres_length(dimension, clusters)?)?
        .and_array::<[T; LANES]>(dimension)?
        .and_array::<T>(check::product("points", &[n, dimension])?)?
        .and_array::<T>(n)?
        .and_array::<u32>(n)?
        .and_array::<u32>(n)?
        .and_array::<u32>(clusters)
}

fn centres_length(dimension: usize, clusters: usize) -> Result<usize, Error> {
    check::product("centres", &[dimension, clusters.div_ceil(LANES)])
}

/// Labels the rows of `points` by their cluster.
///
/// `order` is the canonical order: a permutation of the rows. `labels` has an element for every row.
pub fn cluster<T: Scalar>(
    points: Mat<'_, T>,
    order: &[u32],
    options: &Options,
    labels: &mut [u32],
    work: &mut Arena<'_>,
) -> Result<Fit<T>, Error> {
    let (n, dimension) = (points.rows(), points.cols());
    check::positive("points", n)?;
    check::positive("points", dimension)?;
    check_count(n)?;
    check::equal("order", n, order.len())?;
    check::equal("labels", n, labels.len())?;
    if options.clusters == 0 || options.clusters > n {
        return Err(Error::Parameter { what: "clusters", requirement: "1 to the number of samples" });
    }
    check::positive("restarts", options.restarts)?;
    check::positive("rounds", options.rounds)?;
    check::finite("points", points.data())?;
    work.require(cluster_layout::<T>(n, dimension, options.clusters)?)?;

    let mut work = work.scope();
    let centres = work.take(centres_length(dimension, options.clusters)?)?;
    let candidates = work.take(dimension)?;
    let copy = work.take(check::product("points", &[n, dimension])?)?;
    let distances = work.take(n)?;
    let current = work.take::<u32>(n)?;
    let best = work.take::<u32>(n)?;
    let counts = work.take::<u32>(options.clusters)?;
    check_order(order, current)?;

    // Scaled, so that no square leaves the range; by a power of two, which changes no other bit.
    let scale = scale_to_one(vector::max_abs(points.data()));
    let mut rows = copy.chunks_exact_mut(dimension);
    for &i in order {
        let row = rows.next().unwrap_or(&mut []);
        row.iter_mut().zip(points.row(i as usize)).for_each(|(y, &x)| *y = x * scale);
    }
    let points = Mat::new("points", copy, n, dimension)?;
    let mut search = Search { points, centres, candidates, distances, labels: current, counts };
    let mut rng = Rng::new(options.seed);
    let mut fit: Option<Fit<T>> = None;
    for _ in 0..options.restarts {
        search.seed(&mut rng);
        let rounds = search.descend(options.rounds);
        let inertia = sum(search.distances);
        // Equal partitions found from different seeds differ by rounding, which must not decide.
        if fit.is_none_or(|fit| is_less(inertia, fit.inertia)) {
            fit = Some(Fit { inertia, clusters: 0, rounds });
            vector::copy(search.labels, best);
        }
    }
    let mut fit = fit.unwrap_or(Fit { inertia: T::ZERO, clusters: 0, rounds: 0 });
    fit.inertia = Scalar::min(fit.inertia / scale / scale, T::MAX);
    fit.clusters = number_by_appearance(best, counts);
    for (&i, &label) in order.iter().zip(&*best) {
        put_label(labels, i, label);
    }
    Ok(fit)
}

fn put_label(labels: &mut [u32], i: u32, label: u32) {
    if let Some(place) = labels.get_mut(i as usize) {
        *place = label;
    }
}

/// Renames the labels 0, 1, ... in the order they first appear; `names` has an element for every label. Returns how
/// many there are.
fn number_by_appearance(labels: &mut [u32], names: &mut [u32]) -> usize {
    names.fill(u32::MAX);
    let mut next = 0;
    for label in labels {
        let Some(name) = names.get_mut(*label as usize) else { continue };
        if *name == u32::MAX {
            *name = next;
            next = next.wrapping_add(1);
        }
        *label = *name;
    }
    next as usize
}

/// Less by more than rounding.
fn is_less<T: Scalar>(x: T, y: T) -> bool {
    x < y * (T::ONE - T::EPSILON * T::from_f64(64.0))
}

/// The sum, in lane order.
fn sum<T: Scalar>(x: &[T]) -> T {
    let (blocks, tail) = x.as_chunks::<LANES>();
    let mut lanes = [T::ZERO; LANES];
    for block in blocks.iter().map(|block| &block[..]).chain([tail]) {
        lanes.iter_mut().zip(block).for_each(|(lane, &x)| *lane += x);
    }
    pairwise(lanes)
}

/// The squared distances of a row to a block of centres, each summed first coordinate to last.
#[inline(always)]
fn squared_distances<T: Scalar>(row: &[T], block: &Block<T>) -> [T; LANES] {
    let mut sums = [T::ZERO; LANES];
    for (&x, centres) in row.iter().zip(block) {
        for (sum, &centre) in sums.iter_mut().zip(centres) {
            let difference = x - centre;
            *sum += difference * difference;
        }
    }
    sums
}

/// The nearest centre, the first of equals, and its squared distance as `weigh` sees it.
#[inline(always)]
fn nearest<T: Scalar>(
    row: &[T],
    centres: &Block<T>,
    clusters: usize,
    weigh: impl Fn(u32, T) -> T,
) -> (u32, T) {
    let (mut nearest, mut least) = (0, T::MAX);
    let blocks = centres.chunks_exact(row.len().max(1)).zip((0_u32..).step_by(LANES));
    for ((block, first), lanes) in blocks.zip(lane_counts(clusters)) {
        for (d, j) in squared_distances(row, block).into_iter().zip(first..).take(lanes) {
            let d = weigh(j, d);
            if d < least {
                (nearest, least) = (j, d);
            }
        }
    }
    (nearest, least)
}

/// Puts a row into one lane of a block.
fn set_centre<T: Scalar>(block: &mut Block<T>, lane: usize, row: &[T]) {
    for (centres, &x) in block.iter_mut().zip(row) {
        put(centres, lane, x);
    }
}

/// `centre += (row - centre) / size`: the row comes to a cluster that then has `size` rows, or leaves one that then has
/// `-size`.
fn shift_centre<T: Scalar>(centres: &mut Block<T>, cluster: u32, row: &[T], size: T) {
    let (block, lane) = (cluster as usize / LANES, cluster as usize % LANES);
    let block = centres.chunks_exact_mut(row.len().max(1)).nth(block).unwrap_or(&mut []);
    for (centres, &x) in block.iter_mut().zip(row) {
        if let Some(centre) = centres.get_mut(lane) {
            *centre += (x - *centre) / size;
        }
    }
}

/// One start, on rows in canonical order.
struct Search<'a, T> {
    points: Mat<'a, T>,
    centres: &'a mut Block<T>,
    candidates: &'a mut Block<T>,
    /// Squared, to the nearest centre.
    distances: &'a mut [T],
    labels: &'a mut [u32],
    counts: &'a mut [u32],
}

impl<T: Scalar> Search<'_, T> {
    /// Greedy k-means++: of a few rows drawn with probabilities proportional to the squared distance to what was
    /// chosen before, the one that leaves the least inertia.
    fn seed(&mut self, rng: &mut Rng) {
        let (n, dimension, clusters) = (self.points.rows(), self.points.cols().max(1), self.counts.len());
        let trials = (clusters.max(1).ilog2() as usize).saturating_add(2).min(LANES);
        // Every row is as far as any other from no centre at all.
        self.distances.fill(T::ONE);
        let mut first = true;
        for cluster in 0..clusters {
            let total = self.distances.iter().fold(T::ZERO, |sum, &d| sum + d);
            // One trial for the first centre; it has nothing to be compared by.
            let count = if first { 1 } else { trials };
            let mut drawn = [0; LANES];
            for (lane, place) in drawn.iter_mut().enumerate().take(count) {
                *place = draw(self.distances, rng.uniform::<T>() * total);
                set_centre(self.candidates, lane, self.points.row(*place));
            }
            if first {
                self.distances.fill(T::MAX / T::from_usize(n) * T::HALF);
                first = false;
            }
            let lane = self.best_candidate(count);
            let row = self.points.row(drawn.get(lane).copied().unwrap_or(0));
            let block = self.centres.chunks_exact_mut(dimension).nth(cluster / LANES).unwrap_or(&mut []);
            set_centre(block, cluster % LANES, row);
            for (distance, point) in self.distances.iter_mut().zip(self.points.data().chunks_exact(dimension))
            {
                *distance = Scalar::min(*distance, at(&squared_distances(point, self.candidates), lane));
            }
        }
        // No sample has a label yet, so the first assignment changes all of them.
        self.labels.fill(u32::MAX);
    }

    /// The lane of the candidate that leaves the least inertia, the first of equals.
    fn best_candidate(&self, count: usize) -> usize {
        let (points, distances, candidates) = (self.points, &*self.distances, &*self.candidates);
        let totals = simd::widest(
            #[inline(always)]
            || {
                let mut totals = [T::ZERO; LANES];
                for (row, &nearest) in points.data().chunks_exact(points.cols().max(1)).zip(distances) {
                    for (total, distance) in totals.iter_mut().zip(squared_distances(row, candidates)) {
                        *total += Scalar::min(nearest, distance);
                    }
                }
                totals
            },
        );
        smallest(totals.into_iter().take(count)).0
    }

    /// Lloyd's iteration and Hartigan's refinement in turn, until neither moves a row; returns the number of rounds.
    fn descend(&mut self, limit: usize) -> usize {
        let mut rounds = self.settle(limit);
        while rounds < limit && !self.is_exact() && self.refine() {
            rounds = rounds.saturating_add(1);
            // Its first assignment finds distances to centres that are means again, and not sums of small steps.
            rounds = rounds.saturating_add(self.settle(limit.saturating_sub(rounds)));
        }
        rounds
    }

    /// Moves every row whose move lowers the inertia, one after the other. True where there was one.
    ///
    /// Without a row at the squared distance `d` from its centre, a cluster of `c` rows has an inertia less by
    /// `d c/(c - 1)`; with another row, one more by `d c/(c + 1)`. The centres follow at once.
    fn refine(&mut self) -> bool {
        let Self { points, centres, labels, counts, .. } = self;
        let dimension = points.cols().max(1);
        let count_of =
            |counts: &[u32], j: u32| T::from_usize(counts.get(j as usize).map_or(0, |&c| c as usize));
        let moved = simd::widest(
            #[inline(always)]
            || {
                let mut moved = false;
                for (row, label) in points.data().chunks_exact(dimension).zip(labels.iter_mut()) {
                    let (from, size) = (*label, count_of(counts, *label));
                    // Alone, a row is its own centre.
                    if size <= T::ONE {
                        continue;
                    }
                    let block = centres.chunks_exact(dimension).nth(from as usize / LANES).unwrap_or(&[]);
                    let own = at(&squared_distances(row, block), from as usize % LANES);
                    let gain = own * (size / (size - T::ONE));
                    let (to, cost) = nearest(row, centres, counts.len(), |j, d| {
                        let size = count_of(counts, j);
                        if j == from { gain } else { d * (size / (size + T::ONE)) }
                    });
                    if to == from || !is_less(cost, gain) {
                        continue;
                    }
                    shift_centre(centres, from, row, T::ONE - size);
                    shift_centre(centres, to, row, count_of(counts, to) + T::ONE);
                    if let Ok([from, to]) = counts.get_disjoint_mut([from as usize, to as usize]) {
                        (*from, *to) = (from.saturating_sub(1), to.saturating_add(1));
                    }
                    (*label, moved) = (to, true);
                }
                moved
            },
        );
        if moved {
            self.update();
        }
        moved
    }

    /// Lloyd's iteration until no label changes; returns the number of rounds.
    fn settle(&mut self, limit: usize) -> usize {
        let mut rounds = 0;
        loop {
            let changed = self.assign();
            let repaired = self.repair();
            let done = !(changed || repaired) || rounds >= limit;
            // With every row on its centre there is nothing to gain, and a centre without rows has no place.
            if done || self.is_exact() {
                return rounds;
            }
            self.update();
            rounds = rounds.saturating_add(1);
        }
    }

    /// Every row is its own centre.
    fn is_exact(&self) -> bool {
        self.distances.iter().all(|&d| d == T::ZERO)
    }

    /// Every row to its nearest centre, the first of equals. True where a label changed.
    fn assign(&mut self) -> bool {
        let Self { points, centres, distances, labels, counts, .. } = self;
        let dimension = points.cols().max(1);
        counts.fill(0);
        simd::widest(
            #[inline(always)]
            || {
                let mut changed = false;
                let rows = points.data().chunks_exact(dimension);
                for ((row, label), distance) in rows.zip(labels.iter_mut()).zip(distances.iter_mut()) {
                    let (nearest, least) = nearest(row, centres, counts.len(), |_, d| d);
                    changed |= *label != nearest;
                    (*label, *distance) = (nearest, least);
                    if let Some(count) = counts.get_mut(nearest as usize) {
                        *count = count.wrapping_add(1);
                    }
                }
                changed
            },
        )
    }

    /// Gives every empty cluster the row that is farthest from its centre, the first of equals, as long as there is
    /// one off its centre. True where there was.
    fn repair(&mut self) -> bool {
        let mut repaired = false;
        while let Some(empty) = self.counts.iter().position(|&count| count == 0) {
            let (farthest, distance) = smallest(self.distances.iter().map(|&d| -d));
            let (Some(label), true) = (self.labels.get_mut(farthest), distance < T::ZERO) else { break };
            // Each turn puts one more row on its centre, so this ends even where it empties another cluster.
            let from = core::mem::replace(label, empty as u32) as usize;
            if let Ok([from, to]) = self.counts.get_disjoint_mut([from, empty]) {
                (*from, *to) = (from.saturating_sub(1), 1);
            }
            put(self.distances, farthest, T::ZERO);
            repaired = true;
        }
        repaired
    }

    /// Every centre becomes the mean of its rows.
    fn update(&mut self) {
        let dimension = self.points.cols().max(1);
        self.centres.iter_mut().for_each(|centres| centres.fill(T::ZERO));
        for (row, &label) in self.points.data().chunks_exact(dimension).zip(&*self.labels) {
            let label = label as usize;
            let block = self.centres.chunks_exact_mut(dimension).nth(label / LANES).unwrap_or(&mut []);
            for (centres, &x) in block.iter_mut().zip(row) {
                if let Some(sum) = centres.get_mut(label % LANES) {
                    *sum += x;
                }
            }
        }
        let blocks = self.centres.chunks_exact_mut(dimension).zip(self.counts.chunks(LANES));
        for (block, counts) in blocks {
            for centres in block {
                for (sum, &count) in centres.iter_mut().zip(counts) {
                    *sum /= T::from_usize(count.max(1) as usize);
                }
            }
        }
    }
}

/// How many lanes of each block are centres: all of them but in the last.
fn lane_counts(clusters: usize) -> impl Iterator<Item = usize> {
    (0..clusters).step_by(LANES).map(move |first| clusters.saturating_sub(first).min(LANES))
}

/// Index and value of the smallest number, the first of equals.
fn smallest<T: Scalar>(numbers: impl Iterator<Item = T>) -> (usize, T) {
    let best = numbers.enumerate().reduce(|best, next| if next.1 < best.1 { next } else { best });
    best.unwrap_or((0, T::ZERO))
}

/// The first index up to which the weights sum to more than `target`.
fn draw<T: Scalar>(weights: &[T], target: T) -> usize {
    let mut sum = T::ZERO;
    let passed = weights.iter().position(|&weight| {
        sum += weight;
        sum > target
    });
    // A product rounded up to the total is beyond all sums: then the last that has a weight.
    passed.or_else(|| weights.iter().rposition(|&weight| weight > T::ZERO)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    /// Runs `call` on a search over `points` in `k` clusters.
    fn searching<R>(
        points: &[f64],
        dimension: usize,
        k: usize,
        call: impl FnOnce(&mut Search<'_, f64>) -> R,
    ) -> R {
        let n = points.len() / dimension;
        let zero = [0.0; LANES];
        call(&mut Search {
            points: Mat::new("points", points, n, dimension).unwrap(),
            centres: &mut vec![zero; centres_length(dimension, k).unwrap()],
            candidates: &mut vec![zero; dimension],
            distances: &mut vec![1.0; n],
            labels: &mut vec![u32::MAX; n],
            counts: &mut vec![0; k],
        })
    }

    /// 0 and 4 around 2, and 7 alone: every row is nearest to its own centre, at an inertia of 8. With 4 beside 7 it
    /// is 4.5.
    #[test]
    fn the_refinement_leaves_a_fixed_point_of_lloyd() {
        searching(&[0.0, 4.0, 7.0], 1, 2, |search| {
            search.centres[0][..2].copy_from_slice(&[2.0, 7.0]);
            search.settle(100);
            assert_eq!((&*search.labels, sum(search.distances)), (&[0, 0, 1][..], 8.0));
            assert!(search.refine());
            search.settle(100);
            assert_eq!((&*search.labels, sum(search.distances)), (&[0, 1, 1][..], 4.5));
            assert_eq!((search.centres[0][0], search.centres[0][1]), (0.0, 5.5));
            assert!(!search.refine());
        });
    }

    #[test]
    fn the_refinement_never_raises_the_inertia_and_often_lowers_it() {
        let mut lower = 0;
        for seed in 0..100 {
            let (n, dimension, k) = (60, 3, 2 + seed as usize % 15);
            let mut rng = Rng::new(seed);
            let points: Vec<f64> = (0..n * dimension).map(|_| rng.uniform()).collect();
            searching(&points, dimension, k, |search| {
                search.seed(&mut rng);
                search.settle(1000);
                let lloyd = sum(search.distances);
                let rounds = search.descend(1000);
                let refined = sum(search.distances);
                assert!(refined <= lloyd * (1.0 + 1e-14), "seed {seed}: {refined} after {lloyd}");
                assert!(rounds < 1000, "it ends by itself");
                lower += usize::from(refined < lloyd * (1.0 - 1e-6));
            });
        }
        assert!(lower > 50, "of 100 starts it helped {lower}");
    }
}
