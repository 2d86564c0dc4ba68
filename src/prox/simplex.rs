//! The `A` step: rows projected on the simplex, Eq. (21).
//!
//! The nearest point to `x` in `{a >= 0, sum a = 1}` is `a_j = (x_j - eta)_+`, where `eta` is the root of
//! `h(eta) = sum (x_j - eta)_+ - 1`, a convex, decreasing, piecewise linear function. Newton's method on it,
//! started left of the root (Michelot's algorithm), needs no sorted copy: a round is one pass over the row.
//!
//! **Rounds.** With the excess `h` and the count `g` of elements above the threshold, convexity gives
//! `h'/h + g'/g <= 1` from one round to the next, so `h g` falls at least fourfold. It starts below `n^2`, and
//! at the unit roundoff the search is over: not more than about `log2 n + p/2` rounds for a `p`-bit mantissa,
//! whatever the row; two to ten on rows of ten thousand uniform numbers.
//!
//! **Precision.** The threshold is kept as two numbers, `eta = base + rest`. One number near 1 has a resolution
//! of `eps`, which `n` elements add up; the difference `x_j - base` is exact where it matters, and `rest` holds
//! what `base` cannot. The row then sums to 1 within a few `eps` even where `x` is large or `n` is.

use crate::linalg::MatMut;
use crate::linalg::vector::{LANES, pairwise};
use crate::simd::{self, Lanewise};
use crate::{Error, Scalar, check};

/// Elements summed in a lane before the sum of the lanes joins the compensated total. Seven additions in a lane and three
/// across them cost at most `5 eps`, however long the row.
const BLOCK: usize = 8;

/// The `eta` of Eq. (21), as `base + rest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold<T> {
    base: T,
    rest: T,
}

impl<T: Scalar> Threshold<T> {
    /// `(x - eta)_+`.
    #[inline(always)]
    #[must_use]
    pub fn apply(self, x: T) -> T {
        self.apply_lanewise(x)
    }

    /// The same for as many numbers as there are lanes.
    #[inline(always)]
    pub(crate) fn apply_lanewise<V: Lanewise<T>>(self, x: V) -> V {
        ((x - V::splat(self.base)) - V::splat(self.rest)).max(V::splat(T::ZERO))
    }

    /// `eta`, rounded to one number.
    #[must_use]
    pub fn eta(self) -> T {
        self.base + self.rest
    }
}

/// The threshold that makes `sum (x_j - eta)_+ = 1`, for a row of at least one element, all of them finite.
#[inline(always)]
#[must_use]
pub fn threshold<T: Scalar>(row: &[T]) -> Threshold<T> {
    let largest = largest(row);
    threshold_near(row, largest, largest - T::ONE, &mut || ())
}

/// The same, where the largest element is known and `guess` may be near `eta`: the search starts there. The row is in a cache,
/// and memory has nothing to do: `meanwhile` is called now and then, to ask for what comes next.
#[inline(always)]
pub(crate) fn threshold_near<T: Scalar>(
    row: &[T],
    largest: T,
    guess: T,
    meanwhile: &mut impl FnMut(),
) -> Threshold<T> {
    // Relative to the largest element the root lies in [-1, -1/n], however large the elements are.
    let latest = -T::ONE / T::from_usize(row.len());
    let start = Scalar::max(Scalar::min(guess - largest, latest), -T::ONE);
    let rest = root(row, largest, start, meanwhile);
    let base = largest + rest;
    // From just left of the root the way is a climb, which ends where it passes no element.
    let margin = T::from_f64(16.0) * T::EPSILON;
    Threshold { base, rest: root(row, base, rest + (largest - base) - margin, meanwhile) }
}

/// A Newton step from a guess, taken while the elements of a row pass by: not exact, but near enough to start from.
#[derive(Clone, Copy)]
pub(crate) struct Guess<T> {
    pub(crate) from: T,
    /// The sum and the number of the elements above it.
    pub(crate) sums: [T; LANES],
    pub(crate) counts: [T; LANES],
}

impl<T: Scalar> Guess<T> {
    /// Before the first element.
    #[inline(always)]
    pub(crate) const fn new(from: T) -> Self {
        Self { from, sums: [T::ZERO; LANES], counts: [T::ZERO; LANES] }
    }

    /// Where the step leads, or a little less: from the left the way is shorter.
    #[inline(always)]
    pub(crate) fn step(self) -> T {
        let eta = (pairwise(simd::kept_whole(self.sums)) - T::ONE) / pairwise(simd::kept_whole(self.counts));
        eta - (eta.abs() + T::ONE) * T::from_f64(64.0) * T::EPSILON
    }
}

/// The largest element, by lanes.
#[inline(always)]
fn largest<T: Scalar>(row: &[T]) -> T {
    let mut lanes = [-T::MAX; LANES];
    let (blocks, tail) = row.as_chunks::<LANES>();
    for block in blocks {
        for (lane, &x) in lanes.iter_mut().zip(block) {
            *lane = Scalar::max(x, *lane);
        }
    }
    lanes.iter().chain(tail).fold(-T::MAX, |largest, &x| Scalar::max(x, largest))
}

/// The root of `h(base + rest)` in `rest`, by Newton's method from either side.
#[inline(always)]
fn root<T: Scalar>(row: &[T], base: T, start: T, meanwhile: &mut impl FnMut()) -> T {
    // A tangent lies below a convex function: the first step lands left of the root, and the next ones climb.
    // The step depends on the set of elements above alone and the set shrinks, so the climb ends.
    let (mut from, mut step) = (start, newton(row, base, start, meanwhile));
    // Where a climb passes no element, the set is what it was, and another step would stand still.
    while !(from <= step.rest && step.rest < step.least) {
        let next = newton(row, base, step.rest, meanwhile);
        if next.rest > step.rest {
            (from, step) = (step.rest, next);
        } else {
            break;
        }
    }
    step.rest
}

/// Where a Newton step leads.
#[derive(Clone, Copy)]
struct Step<T> {
    rest: T,
    /// The least of the elements that were above, less the base.
    least: T,
}

/// One Newton step: the threshold if the elements above `base + rest` are the support.
#[cfg_attr(feature = "std", inline(always))] // Compiled for wide registers only where it is inlined;
#[cfg_attr(not(feature = "std"), inline(never))] // elsewhere one copy is enough, and small.
fn newton<T: Scalar>(row: &[T], base: T, rest: T, meanwhile: &mut impl FnMut()) -> Step<T> {
    let (vectors, tail) = row.as_chunks::<LANES>();
    let (blocks, end) = vectors.split_at_checked(vectors.len() / BLOCK * BLOCK).unwrap_or((&[], vectors));
    // Below everything, infinitely.
    let mut last = [-T::MAX - T::MAX; LANES];
    last.iter_mut().zip(tail).for_each(|(to, &x)| *to = x);
    let mut above = Above { counts: [T::ZERO; LANES], least: [T::MAX; LANES] };
    let mut total = Total { sum: T::ZERO, lost: T::ZERO };
    // A chunk is a block, which the compiler shall not know: of a loop of known length it makes scalar code.
    for block in blocks.chunks(BLOCK) {
        meanwhile();
        let mut sums = [T::ZERO; LANES];
        above.add(block, base, rest, &mut sums);
        total.add(pairwise(simd::kept_whole(sums)));
    }
    let mut sums = [T::ZERO; LANES];
    above.add(end, base, rest, &mut sums);
    above.add(&[last], base, rest, &mut sums);
    total.add(pairwise(simd::kept_whole(sums)));
    Step {
        rest: ((total.sum - T::ONE) + total.lost) / pairwise(simd::kept_whole(above.counts)),
        least: simd::kept_whole(above.least).into_iter().fold(T::MAX, Scalar::min),
    }
}

/// A sum, and what rounding has taken from it.
struct Total<T> {
    sum: T,
    lost: T,
}

impl<T: Scalar> Total<T> {
    /// Knuth's two-sum: what the rounding of the new sum took from it, exactly.
    #[inline(always)]
    fn add(&mut self, x: T) {
        let (old, new) = (self.sum, self.sum + x);
        let added = new - old;
        self.lost += (old - (new - added)) + (x - added);
        self.sum = new;
    }
}

/// What lies above a threshold, lane by lane.
struct Above<T> {
    /// How many: a count is exact in any order, and can wait until the end.
    counts: [T; LANES],
    /// The least of them.
    least: [T; LANES],
}

impl<T: Scalar> Above<T> {
    /// Adds the `x_j - base` above `rest` to the sums of the lanes.
    #[cfg_attr(feature = "std", inline(always))]
    #[cfg_attr(not(feature = "std"), inline(never))]
    fn add(&mut self, vectors: &[[T; LANES]], base: T, rest: T, sums: &mut [T; LANES]) {
        for vector in vectors {
            let lanes = sums.iter_mut().zip(&mut self.counts).zip(&mut self.least);
            for (((sum, count), least), &x) in lanes.zip(vector) {
                let y = x - base;
                let above = y > rest;
                *sum += if above { y } else { T::ZERO };
                *count += if above { T::ONE } else { T::ZERO };
                *least = Scalar::min(if above { y } else { T::MAX }, *least);
            }
        }
    }
}

/// The projection of a row known to be finite and not empty.
#[inline(always)]
pub(crate) fn project_row_unchecked<T: Scalar>(row: &mut [T]) {
    let threshold = threshold(row);
    for x in row {
        *x = threshold.apply(*x);
    }
}

/// The row becomes its Euclidean projection on `{a >= 0, sum a = 1}`, Eq. (21).
pub fn project_row<T: Scalar>(row: &mut [T]) -> Result<(), Error> {
    check::positive("row", row.len())?;
    check::finite("row", row)?;
    project_row_unchecked(row);
    Ok(())
}

/// Every row of the matrix becomes its projection; the index in an error counts row after row.
pub fn project_rows<T: Scalar>(mut matrix: MatMut<'_, T>) -> Result<(), Error> {
    check::positive("row", matrix.cols())?;
    check::finite("rows", matrix.data_mut())?;
    for i in 0..matrix.rows() {
        project_row_unchecked(matrix.row_mut(i));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Newton steps until the threshold stands still, as [`root`] takes them from -1.
    fn rounds(row: &[f64]) -> u32 {
        let (largest, mut rest, mut rounds) = (largest(row), -1.0, 0);
        loop {
            let next = newton(row, largest, rest, &mut || ()).rest;
            rounds += 1;
            if rounds > 1 && next <= rest {
                return rounds;
            }
            rest = next;
        }
    }

    #[test]
    fn usual_rows_take_few_rounds() {
        let mut rng = Rng::new(6);
        let uniform: std::vec::Vec<f64> = (0..4096).map(|_| 2.0 * rng.uniform::<f64>()).collect();
        assert!(rounds(&uniform) <= 10, "{}", rounds(&uniform));
    }

    /// Two zeros have the threshold -1/2. Each further element lies below it just so deep that it is let go one
    /// round before the one above it: as many rounds as elements, until the depth is 1/2.
    #[test]
    fn the_hardest_row_ends_with_the_digits() {
        let mut row = std::vec![0.0, 0.0];
        let (mut depth, mut threshold_depth) = (4.0 * f64::EPSILON, 0.0);
        while depth < 0.5 {
            let count = row.len() as f64;
            row.push(-0.5 - depth);
            threshold_depth = (count * threshold_depth + depth) / (count + 1.0);
            depth = 1.01 * ((count + 2.0) * depth - (count + 1.0) * threshold_depth);
        }
        let (hard, limit) = (rounds(&row), row.len().ilog2() + 53 / 2 + 2);
        assert!((10..=limit).contains(&hard), "{hard} rounds on {} elements", row.len());
        row.resize(5000, -0.9);
        assert!(rounds(&row) <= hard + 2, "{} rounds", rounds(&row));
    }

    #[test]
    fn a_guess_changes_the_way_and_not_the_end() {
        let mut rng = Rng::new(7);
        for n in [1, 2, 7, 64, 500] {
            let row: std::vec::Vec<f64> = (0..n).map(|_| 3.0 * rng.uniform::<f64>() - 1.0).collect();
            let (largest, expected) = (largest(&row), threshold(&row));
            for shift in [-1e300, -3.0, -0.3, -1e-9, 0.0, 1e-9, 0.3, 3.0, 1e300] {
                let found = threshold_near(&row, largest, expected.eta() + shift, &mut || ());
                assert_eq!(found, expected, "{n} elements, {shift} off");
            }
        }
    }

    #[test]
    fn the_largest_element_is_found_in_every_lane_and_in_the_tail() {
        for length in 1..40 {
            for place in 0..length {
                let mut row = [-7.0_f32; 40];
                row[place] = -6.0;
                assert_eq!(largest(&row[..length]), -6.0);
            }
        }
    }
}
