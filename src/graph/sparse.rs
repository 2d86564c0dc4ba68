//! Sparse blocks of features.
//!
//! A feature adds the products of its non-zeros and costs no more. Rows that are samples are transposed window by
//! window: as many features as fit in a buffer linear in the samples. Both orders add the same products in the same
//! order, and so do blocks of any size.

use super::dense::depth;
use crate::linalg::vector::put;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};

/// What a row of a sparse block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Feature,
    Sample,
}

/// A block of a view in compressed sparse rows: row r has its columns, strictly ascending, at
/// `indices[pointers[r]..pointers[r + 1]]` and its values beside them.
///
/// The first pointer need not be zero, so some rows of a larger matrix are a block as they stand.
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a, T> {
    pointers: &'a [usize],
    indices: &'a [u32],
    values: &'a [T],
    features: usize,
    samples: usize,
    row: Row,
}

impl<'a, T: Scalar> Csr<'a, T> {
    /// Rows are features, indices are samples.
    pub fn by_feature(
        pointers: &'a [usize],
        indices: &'a [u32],
        values: &'a [T],
        features: usize,
        samples: usize,
    ) -> Result<Self, Error> {
        Self { pointers, indices, values, features, samples, row: Row::Feature }.checked(features, samples)
    }

    /// Rows are samples, indices are features of this block.
    pub fn by_sample(
        pointers: &'a [usize],
        indices: &'a [u32],
        values: &'a [T],
        features: usize,
        samples: usize,
    ) -> Result<Self, Error> {
        Self { pointers, indices, values, features, samples, row: Row::Sample }.checked(samples, features)
    }

    fn checked(self, rows: usize, cols: usize) -> Result<Self, Error> {
        check::positive("samples", self.samples)?;
        check::equal("pointers", check::sum("pointers", rows, 1)?, self.pointers.len())?;
        check::equal("values", self.indices.len(), self.values.len())?;
        let bad = |what, index| Error::BadIndex { what, index };
        let ends = self.pointers.iter().zip(self.pointers.iter().skip(1));
        for (r, (&start, &end)) in ends.enumerate() {
            // The end is what breaks the order, or goes too far.
            let row = self.indices.get(start..end).ok_or(bad("pointers", r.saturating_add(1)))?;
            let mut least = 0;
            for (k, &index) in row.iter().enumerate() {
                if (index as usize) < least || index as usize >= cols {
                    return Err(bad("indices", start.saturating_add(k)));
                }
                least = (index as usize).saturating_add(1);
            }
        }
        Ok(self)
    }

    /// Features in this block.
    #[must_use]
    pub const fn features(&self) -> usize {
        self.features
    }

    /// Samples, as many as the view has.
    #[must_use]
    pub const fn samples(&self) -> usize {
        self.samples
    }

    /// Columns and values of the rows, one after the other.
    fn rows(&self) -> impl Iterator<Item = (&'a [u32], &'a [T])> {
        let (indices, values) = (self.indices, self.values);
        self.pointers.iter().zip(self.pointers.iter().skip(1)).map(move |(&start, &end)| {
            (indices.get(start..end).unwrap_or(&[]), values.get(start..end).unwrap_or(&[]))
        })
    }

    fn check_finite(&self, view: usize) -> Result<(), Error> {
        for (r, (indices, values)) in self.rows().enumerate() {
            if let Some((&index, _)) = indices.iter().zip(values).find(|(_, x)| !x.is_finite()) {
                let (feature, sample) = match self.row {
                    Row::Feature => (r, index as usize),
                    Row::Sample => (index as usize, r),
                };
                return Err(Error::BadSample { view, feature, sample });
            }
        }
        Ok(())
    }
}

/// Non-zeros that are transposed at a time: at least one feature's.
const fn capacity(samples: usize) -> usize {
    samples.saturating_mul(depth(samples))
}

/// What [`accumulate_sparse`] needs for rows that are samples: at most 64 non-zeros a sample. Rows that are
/// features need nothing.
pub const fn accumulate_sparse_layout<T: Scalar>(samples: usize) -> Result<Layout, Error> {
    Window::<T>::layout(samples)
}

/// `G += X^T X` over the features of a block, in the lower triangle of `gram`.
pub fn accumulate_sparse<T: Scalar>(
    gram: &mut [T],
    view: usize,
    block: &Csr<'_, T>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let n = block.samples;
    check::shape("gram", gram, &[n, n])?;
    if block.row == Row::Sample {
        work.require(accumulate_sparse_layout::<T>(n)?)?;
    }
    block.check_finite(view)?;
    match block.row {
        Row::Feature => block.rows().for_each(|(samples, values)| add_outer(gram, n, samples, values)),
        Row::Sample => {
            let mut work = work.scope();
            let mut window = Window::carve(&mut work, n)?;
            while window.advance(block) {
                window.features().for_each(|(samples, values)| add_outer(gram, n, samples, values));
            }
        }
    }
    Ok(())
}

/// `G += x x^T` for the non-zeros of one feature, in ascending order of the samples.
fn add_outer<T: Scalar>(gram: &mut [T], n: usize, samples: &[u32], values: &[T]) {
    for (k, (&i, &x)) in samples.iter().zip(values).enumerate() {
        let start = (i as usize).wrapping_mul(n);
        let Some(row) = gram.get_mut(start..start.wrapping_add(n)) else { return };
        for (&j, &y) in samples.iter().zip(values).take(k.saturating_add(1)) {
            if let Some(g) = row.get_mut(j as usize) {
                *g += x * y;
            }
        }
    }
}

/// The next features of a block whose rows are samples, transposed.
struct Window<'a, T> {
    /// The first feature of the window.
    first: usize,
    /// Non-zeros of each sample that are done.
    taken: &'a mut [usize],
    /// Where the non-zeros of the window's features end.
    ends: &'a mut [usize],
    samples: &'a mut [u32],
    values: &'a mut [T],
    /// Features in the window.
    width: usize,
}

impl<'a, T: Scalar> Window<'a, T> {
    const fn layout(samples: usize) -> Result<Layout, Error> {
        let cursors = match check::product("window", &[2, samples]) {
            Ok(both) => Layout::array::<usize>(both),
            Err(error) => Err(error),
        };
        let values = match cursors {
            Ok(cursors) => cursors.and_array::<T>(capacity(samples)),
            error => error,
        };
        match values {
            Ok(values) => values.and_array::<u32>(capacity(samples)),
            error => error,
        }
    }

    fn carve(work: &mut Arena<'a>, samples: usize) -> Result<Self, Error> {
        Ok(Self {
            first: 0,
            taken: work.take_filled(samples, 0)?,
            ends: work.take(samples)?,
            values: work.take(capacity(samples))?,
            samples: work.take(capacity(samples))?,
            width: 0,
        })
    }

    /// Transposes the next features, as many as there is room for; false where none are left. Features that no sample
    /// has cost nothing, however many.
    fn advance(&mut self, block: &Csr<'_, T>) -> bool {
        let next =
            block.rows().zip(&*self.taken).filter_map(|((indices, _), &taken)| indices.get(taken)).min();
        let Some(&next) = next else { return false };
        self.first = next as usize;
        self.count(block);
        self.width = self.fit();
        self.fill(block);
        self.width > 0
    }

    /// The non-zeros of the next features, as many features as samples.
    fn count(&mut self, block: &Csr<'_, T>) {
        self.ends.fill(0);
        for ((indices, _), &taken) in block.rows().zip(&*self.taken) {
            for &index in indices.get(taken..).unwrap_or(&[]) {
                match self.ends.get_mut((index as usize).wrapping_sub(self.first)) {
                    Some(count) => *count = count.saturating_add(1),
                    None => break,
                }
            }
        }
    }

    /// Counts become starts; how many features fit.
    fn fit(&mut self) -> usize {
        let mut start: usize = 0;
        for (width, count) in self.ends.iter_mut().enumerate() {
            let end = start.saturating_add(*count);
            if end > self.values.len() {
                return width;
            }
            *count = start;
            start = end;
        }
        self.ends.len()
    }

    /// Each non-zero to its place, which moves the start of its feature to the end.
    fn fill(&mut self, block: &Csr<'_, T>) {
        let ends = self.ends.get_mut(..self.width).unwrap_or(&mut []);
        for (sample, ((indices, values), taken)) in (0..).zip(block.rows().zip(&mut *self.taken)) {
            for (&index, &value) in indices.iter().zip(values).skip(*taken) {
                let Some(place) = ends.get_mut((index as usize).wrapping_sub(self.first)) else { break };
                put(self.samples, *place, sample);
                put(self.values, *place, value);
                *place = place.saturating_add(1);
                *taken = taken.saturating_add(1);
            }
        }
    }

    /// Samples and values of the window's features, one after the other.
    fn features(&self) -> impl Iterator<Item = (&[u32], &[T])> {
        let ends = self.ends.iter().take(self.width);
        core::iter::once(&0).chain(ends.clone()).zip(ends).map(|(&start, &end)| {
            (self.samples.get(start..end).unwrap_or(&[]), self.values.get(start..end).unwrap_or(&[]))
        })
    }
}
