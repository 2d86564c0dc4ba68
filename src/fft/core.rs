//! One complex transform of any length, on strips of columns.

use super::bluestein::{self, Bluestein};
use super::butterfly::Row;
use super::factors::{convolution_length, factorise};
#[cfg(feature = "microfft")]
use super::flash;
use super::mixed::{self, Mixed};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};
use num_complex::Complex;

/// Columns transformed side by side: a cache line of numbers, which is whole registers for every SIMD width.
pub(crate) const fn columns_in_strip<T>() -> usize {
    64 / size_of::<T>()
}

/// Calls a method with the number of columns of a strip as its constant.
macro_rules! with_columns {
    ($scalar:ty, $object:ident.$method:ident($($argument:expr),* $(,)?)) => {
        if const { $crate::fft::core::columns_in_strip::<$scalar>() == 16 } {
            $object.$method::<16>($($argument),*)
        } else {
            $object.$method::<8>($($argument),*)
        }
    };
}
pub(super) use with_columns;

/// What a call works in.
pub(super) struct Scratch<'a, T, const W: usize> {
    pub(super) rows: &'a mut [Row<T, W>],
    spare: &'a mut [Row<T, W>],
    #[cfg_attr(
        not(feature = "microfft"),
        expect(dead_code, reason = "one column, for the crate that wants it so")
    )]
    column: &'a mut [Complex<T>],
}

/// A complex transform of one length.
#[derive(Clone, Debug)]
pub(super) struct Core<'w, T> {
    way: Way<'w, T>,
    scratch: [usize; 3],
}

/// The way that fits the length.
#[derive(Clone, Debug)]
enum Way<'w, T> {
    Mixed(Mixed<'w, T>),
    Bluestein(Bluestein<'w, T>),
    #[cfg(feature = "microfft")]
    Flash,
}

/// Memory for the tables of length `n`.
pub(super) fn tables_layout<T: Scalar>(n: usize) -> Result<Layout, Error> {
    check::positive("transform length", n)?;
    if u32::try_from(n).is_err() {
        return Err(Error::SizeOverflow { what: "transform length" });
    }
    #[cfg(feature = "microfft")]
    if flash::serves::<T>(n) {
        return Ok(Layout::EMPTY);
    }
    mixed::tables_layout::<T>(n).unwrap_or_else(|| bluestein::tables_layout::<T>(n))
}

/// Rows of the strip, spare rows, and complex numbers of one column that a call needs.
#[cfg_attr(
    not(feature = "microfft"),
    expect(clippy::extra_unused_type_parameters, reason = "only some types have tables in flash")
)]
fn scratch_lengths<T: Scalar>(n: usize) -> Result<[usize; 3], Error> {
    #[cfg(feature = "microfft")]
    if flash::serves::<T>(n) {
        return Ok([n, 0, n]);
    }
    match factorise(n) {
        Some(factors) => Ok([n, mixed::spare_rows(&factors), 0]),
        None => match convolution_length(n) {
            Some(length) => Ok([length, 0, 0]),
            None => Err(Error::SizeOverflow { what: "transform length" }),
        },
    }
}

/// Memory for one call of length `n`.
pub(super) fn scratch_layout<T: Scalar>(n: usize) -> Result<Layout, Error> {
    check::positive("transform length", n)?;
    let [rows, spare, column] = scratch_lengths::<T>(n)?;
    let strip =
        check::product("transform length", &[rows.saturating_add(spare), 2, columns_in_strip::<T>()])?;
    Layout::array::<T>(strip)?.and_array::<Complex<T>>(column)
}

impl<'w, T: Scalar> Core<'w, T> {
    /// Makes the tables; nothing is carved unless all of it fits.
    pub(super) fn new(n: usize, arena: &mut Arena<'w>) -> Result<Self, Error> {
        arena.require(tables_layout::<T>(n)?)?;
        let scratch = scratch_lengths::<T>(n)?;
        #[cfg(feature = "microfft")]
        if flash::serves::<T>(n) {
            return Ok(Self { way: Way::Flash, scratch });
        }
        let way = match Mixed::new(n, arena) {
            Some(mixed) => Way::Mixed(mixed?),
            None => Way::Bluestein(Bluestein::new(n, arena)?),
        };
        Ok(Self { way, scratch })
    }

    /// The memory for one call, carved.
    pub(super) fn scratch<'a, const W: usize>(
        &self,
        arena: &mut Arena<'a>,
    ) -> Result<Scratch<'a, T, W>, Error> {
        let [rows, spare, column] = self.scratch;
        let strip = check::product("transform length", &[rows.saturating_add(spare), 2, W])?;
        arena.require(Layout::array::<T>(strip)?.and_array::<Complex<T>>(column)?)?;
        Ok(Scratch { rows: arena.take(rows)?, spare: arena.take(spare)?, column: arena.take(column)? })
    }

    /// The spectrum of the samples that `load` brings (in whatever order it is asked for), in natural order in
    /// the first rows of the scratch.
    #[inline(always)]
    pub(super) fn spectrum<const W: usize>(
        &self,
        scratch: &mut Scratch<'_, T, W>,
        mut load: impl FnMut(usize, &mut Row<T, W>),
    ) {
        match &self.way {
            Way::Mixed(mixed) => {
                for (row, &sample) in scratch.rows.iter_mut().zip(mixed.order()) {
                    load(sample as usize, row);
                }
                mixed.in_time(scratch.rows, scratch.spare);
            }
            Way::Bluestein(bluestein) => bluestein.spectrum(scratch.rows, load),
            #[cfg(feature = "microfft")]
            Way::Flash => {
                for (sample, row) in scratch.rows.iter_mut().enumerate() {
                    load(sample, row);
                }
                flash::transform(scratch.rows, scratch.column);
            }
        }
    }
}
