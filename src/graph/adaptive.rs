//! The adaptive graph term: distances in units of each sample's own neighbourhood.
//!
//! With `k` neighbours and the weight `s`, `c_i = sum over h <= k of (e_(k+1) - e_(h))` from the smallest distances of
//! row i to others, and `e_ij` becomes `s (e_ij - min) / c_i`. Beside `alpha = s/2` the first projection then has k
//! non-zeros in a row, whatever the scale of the distances.

use super::distance::check_distances;
use super::nearest;
use crate::linalg::vector::{self, at};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};

/// No row counts as denser than the median row by more than this: duplicates have no neighbourhood of their own.
const FLOOR: f64 = 0.1;

/// Neighbours of a sample: there must be one more, to tell where the neighbourhood ends.
pub(super) const fn neighbours_among(samples: usize, neighbours: usize) -> usize {
    let others = samples.saturating_sub(2);
    if neighbours < others { neighbours } else { others }
}

/// What [`adaptive`] needs.
pub const fn adaptive_layout<T: Scalar>(samples: usize, neighbours: usize) -> Result<Layout, Error> {
    let nearest = Layout::array::<usize>(neighbours_among(samples, neighbours).saturating_add(1));
    let radii = match nearest {
        Ok(nearest) => nearest.and_array::<T>(samples),
        error => error,
    };
    match radii {
        Ok(radii) => radii.and_array::<T>(samples),
        error => error,
    }
}

/// The distances of a view become `weight (e_ij - min) / c_i`, in place. The diagonal is scaled like the rest of its
/// row but is nobody's neighbour. Of fewer than `neighbours + 2` samples, all but the farthest are neighbours.
pub fn adaptive<T: Scalar>(
    distances: &mut [T],
    view: usize,
    samples: usize,
    neighbours: usize,
    weight: T,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    check::positive("neighbours", neighbours)?;
    check::positive_number("weight", weight)?;
    check_distances(distances, view, samples)?;
    work.require(adaptive_layout::<T>(samples, neighbours)?)?;
    let mut work = work.scope();
    let nearest = work.take::<usize>(neighbours_among(samples, neighbours).saturating_add(1))?;
    let (radii, sorted) = (work.take::<T>(samples)?, work.take::<T>(samples)?);
    if samples > 2 {
        for (i, (row, radius)) in distances.chunks_exact(samples).zip(&mut *radii).enumerate() {
            nearest::find(row, i, nearest);
            *radius = gap(row, nearest);
        }
        vector::copy(radii, sorted);
    } else {
        radii.fill(T::ZERO);
        sorted.fill(T::ZERO);
    }
    // Neighbours that differ by less than their rounding do not differ.
    let count = T::from_usize(nearest.len());
    let noise = T::TWO * T::EPSILON * count * vector::max_abs(distances);
    let floor = floor(sorted, Scalar::max(noise, T::MIN_POSITIVE));
    let least = distances.iter().fold(T::MAX, |least, &e| Scalar::min(e, least));
    // Farther than anything that a projection can reach, and still a number.
    let far = T::MAX.sqrt();
    for (row, &radius) in distances.chunks_exact_mut(samples.max(1)).zip(&*radii) {
        let radius = Scalar::max(radius, floor);
        for e in row {
            *e = Scalar::min(weight * ((*e - least) / radius), far);
        }
    }
    Ok(())
}

/// `sum over h <= k of (e_(k+1) - e_(h))`, from the indices of the k+1 nearest. Differences first: nothing cancels.
pub(super) fn gap<T: Scalar>(row: &[T], nearest: &[usize]) -> T {
    let [neighbours @ .., next] = nearest else { return T::ZERO };
    let end = at(row, *next);
    neighbours.iter().fold(T::ZERO, |sum, &j| sum + (end - at(row, j)))
}

/// A tenth of the median, or of the mean where that is nothing but noise, or one where both are. Sorts its argument.
fn floor<T: Scalar>(radii: &mut [T], noise: T) -> T {
    nearest::sort(radii);
    let n = radii.len();
    let median = (at(radii, n.saturating_sub(1) / 2) + at(radii, n / 2)) * T::HALF;
    // Quotients first: the sum may exceed the range where the mean does not.
    let count = T::from_usize(n.max(1));
    let mean = radii.iter().fold(T::ZERO, |sum, &radius| sum + radius / count);
    let real = [median, mean].into_iter().find(|&radius| radius > noise);
    real.map_or(T::ONE, |radius| T::from_f64(FLOOR) * radius)
}
