//! Complex transforms of a batch of columns.

use super::core::{Core, scratch_layout, tables_layout, with_columns};
use super::strip;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};
use num_complex::Complex;

/// A plan for transforms of `n` complex rows.
///
/// ```
/// use cstgl::fft::Fft;
/// use cstgl::workspace::Workspace;
/// use cstgl::Complex;
///
/// let mut tables = Workspace::new(Fft::<f64>::layout(3)?);
/// let fft = Fft::new(3, &mut tables.arena())?;
/// let mut work = Workspace::new(fft.scratch()?);
/// // Two columns: a constant and an impulse.
/// let (zero, one) = (Complex::new(0.0, 0.0), Complex::new(1.0, 0.0));
/// let mut data = [one, one, one, zero, one, zero];
/// fft.forward(&mut data, 2, &mut work.arena())?;
/// assert_eq!(data, [3.0 * one, one, zero, one, zero, one]);
/// # Ok::<(), cstgl::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fft<'w, T> {
    length: usize,
    core: Core<'w, T>,
}

impl<'w, T: Scalar> Fft<'w, T> {
    /// Memory for the plan's tables.
    pub fn layout(n: usize) -> Result<Layout, Error> {
        tables_layout::<T>(n)
    }

    /// Makes the tables in the caller's memory.
    pub fn new(n: usize, arena: &mut Arena<'w>) -> Result<Self, Error> {
        Ok(Self { length: n, core: Core::new(n, arena)? })
    }

    /// Samples `n`.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Never: a plan has at least one sample.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Memory for one call of length `n`, whatever the number of columns.
    pub fn scratch_layout(n: usize) -> Result<Layout, Error> {
        scratch_layout::<T>(n)
    }

    /// [`Self::scratch_layout`] of this plan's length.
    pub fn scratch(&self) -> Result<Layout, Error> {
        Self::scratch_layout(self.length)
    }

    /// `X(k, c) = sum_j x(j, c) exp(-2 pi i j k / n)` for every column `c` of the row-major matrix, in place. A
    /// column's result does not depend on its neighbours.
    pub fn forward(
        &self,
        data: &mut [Complex<T>],
        columns: usize,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.check(data, columns)?;
        with_columns!(T, self.transform(data, columns, work, |z| z, |z| z))
    }

    /// The inverse of [`Self::forward`], division by `n` included.
    pub fn inverse(
        &self,
        data: &mut [Complex<T>],
        columns: usize,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.check(data, columns)?;
        let scale = T::ONE / T::from_usize(self.length);
        // The forward transform with the parts exchanged before and after.
        let before = |z: Complex<T>| Complex::new(z.im * scale, z.re * scale);
        let after = |z: Complex<T>| Complex::new(z.im, z.re);
        with_columns!(T, self.transform(data, columns, work, before, after))
    }

    fn check(&self, data: &[Complex<T>], columns: usize) -> Result<(), Error> {
        check::shape("data", data, &[self.length, columns])?;
        check::finite("data", data)
    }

    fn transform<const W: usize>(
        &self,
        data: &mut [Complex<T>],
        columns: usize,
        work: &mut Arena<'_>,
        before: impl Fn(Complex<T>) -> Complex<T>,
        after: impl Fn(Complex<T>) -> Complex<T>,
    ) -> Result<(), Error> {
        let mut scratch = self.core.scratch::<W>(&mut work.scope())?;
        for first in (0..columns).step_by(W) {
            self.core.spectrum(&mut scratch, |sample, row| {
                strip::load(strip::columns::<_, W>(data, columns, sample, first), row, &before);
            });
            for (k, row) in scratch.rows.iter().enumerate().take(self.length) {
                strip::store(row, strip::columns_mut::<_, W>(data, columns, k, first), &after);
            }
        }
        Ok(())
    }
}
