//! Distances between the samples of a view.
//!
//! The pseudo-Stiefel distance of Eq. (10) is `d - <x, y>`. A constant added to a row never matters to its projection
//! on the simplex, so `d` is dropped: in single precision at `d = 34121` one unit in its last place is 0.004.

use super::gram::{lower_rows, mirror};
use crate::config::Distance;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, simd};

/// What [`finish_gram`] needs.
pub const fn finish_gram_layout<T: Scalar>(samples: usize) -> Result<Layout, Error> {
    Layout::array::<T>(samples)
}

/// The Gram matrix that the blocks of a view have added up becomes the view's distances, in place, symmetric to the
/// last bit.
///
/// With `unit_length` every sample is scaled to length one first, by its diagonal element; a sample whose features
/// are all zero (or so small that their squares vanish) stays zero.
pub fn finish_gram<T: Scalar>(
    gram: &mut [T],
    view: usize,
    samples: usize,
    distance: Distance,
    unit_length: bool,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    check_gram(gram, view, samples, unit_length)?;
    work.require(finish_gram_layout::<T>(samples)?)?;
    let mut work = work.scope();
    let sizes = work.take::<T>(samples)?;
    for (size, &g) in sizes.iter_mut().zip(gram.iter().step_by(samples.saturating_add(1))) {
        let square = Scalar::max(g, T::ZERO);
        *size = if unit_length { square.sqrt() } else { square };
    }
    // `<x, x>` and `<x, y>`, after scaling.
    let square = |size: T| match unit_length {
        true if size > T::ZERO => T::ONE,
        _ => size,
    };
    let inner = |g: T, here: T, there: T| if unit_length { cosine(g, here * there) } else { g };
    for (i, (row, &here)) in gram.chunks_exact_mut(samples.max(1)).zip(&*sizes).enumerate() {
        for (g, &there) in row.iter_mut().zip(&*sizes).take(i) {
            *g = apart(distance, square(here), square(there), inner(*g, here, there));
        }
        for g in row.iter_mut().skip(i).take(1) {
            *g = apart(distance, square(here), square(here), square(here));
        }
    }
    mirror(gram, samples);
    Ok(())
}

/// The sums have stayed within the range that distances need: what [`finish_gram`] refuses, before anything is changed.
pub(crate) fn check_gram<T: Scalar>(
    gram: &[T],
    view: usize,
    samples: usize,
    unit_length: bool,
) -> Result<(), Error> {
    check::positive("samples", samples)?;
    check::shape("gram", gram, &[samples, samples])?;
    // A distance is at most four inner products; cosines are bounded anyway.
    let room = if unit_length { T::ONE } else { T::from_f64(4.0) * headroom(samples) };
    if lower_rows(gram, samples).all(|row| within(row, room)) { Ok(()) } else { Err(Error::Range { view }) }
}

/// The distance of two samples, from the squares of their lengths and their inner product.
#[inline(always)]
fn apart<T: Scalar>(distance: Distance, here: T, there: T, inner: T) -> T {
    match distance {
        // Not `-inner`: nothing here needs a negative zero.
        Distance::Stiefel => T::ZERO - inner,
        Distance::Euclidean => Scalar::max((here + there) - T::TWO * inner, T::ZERO),
    }
}

/// `<x, y> / (||x|| ||y||)`, zero where a sample is.
///
/// One division by the product treats both samples alike, so their order never matters, and a length that is a
/// power of two times another's cancels to the last bit.
#[inline(always)]
fn cosine<T: Scalar>(inner: T, lengths: T) -> T {
    if lengths > T::ZERO { Scalar::max(Scalar::min(inner / lengths, T::ONE), -T::ONE) } else { T::ZERO }
}

/// A whole matrix of similarities becomes distances in place: `e = -s`, for a constant in a row never matters.
pub fn from_similarity<T: Scalar>(pairs: &mut [T], view: usize, samples: usize) -> Result<(), Error> {
    check_distances(pairs, view, samples)?;
    for pair in pairs {
        *pair = T::ZERO - *pair;
    }
    Ok(())
}

/// A whole matrix of distances, as it may be given: n x n, finite, and small enough to add up a row. It need not be
/// symmetric.
pub fn check_distances<T: Scalar>(pairs: &[T], view: usize, samples: usize) -> Result<(), Error> {
    check_pairs(pairs, view, samples)?;
    if within(pairs, headroom(samples)) { Ok(()) } else { Err(Error::Range { view }) }
}

/// n x n and finite.
pub(super) fn check_pairs<T: Scalar>(pairs: &[T], view: usize, samples: usize) -> Result<(), Error> {
    check::positive("samples", samples)?;
    check::shape("pairs", pairs, &[samples, samples])?;
    match check::finite("pairs", pairs) {
        Err(Error::NotFinite { index, .. }) => {
            let samples = samples.max(1);
            Err(Error::BadSample { view, feature: index / samples, sample: index % samples })
        }
        other => other,
    }
}

/// What a distance may be multiplied with: differences of a row's distances can be added up.
fn headroom<T: Scalar>(samples: usize) -> T {
    T::from_f64(4.0) * T::from_usize(samples)
}

/// So many times each number is still one.
fn within<T: Scalar>(numbers: &[T], times: T) -> bool {
    simd::widest(
        #[inline(always)]
        || numbers.iter().fold(true, |sound, &x| sound & (x * times).is_finite()),
    )
}
