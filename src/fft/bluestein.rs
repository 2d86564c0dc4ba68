//! Lengths with a large prime factor: the transform as a convolution with a chirp (Bluestein).
//!
//! With `c_k = exp(-pi i k^2 / n)`, `j k = (j^2 + k^2 - (k - j)^2) / 2` turns the transform into
//! `X_k = c_k sum_j (x_j c_j) conj(c_{k-j})`, a convolution that a longer, smooth transform does.

use super::butterfly::{Row, multiply};
use super::factors::convolution_length;
use super::mixed::{self, Mixed};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar};
use num_complex::Complex;

/// The tables of one length.
#[derive(Clone, Debug)]
pub(super) struct Bluestein<'w, T> {
    smooth: Mixed<'w, T>,
    /// `c_k` for `k < n`.
    chirp: &'w [Complex<T>],
    /// Spectrum of `conj(c)`, divided by its length, in the order that decimation in frequency leaves.
    filter: &'w [Row<T, 1>],
}

/// Memory for the tables of length `n`.
pub(super) fn tables_layout<T: Scalar>(n: usize) -> Result<Layout, Error> {
    let overflow = Error::SizeOverflow { what: "transform length" };
    let length = convolution_length(n).ok_or(overflow)?;
    let smooth = mixed::tables_layout::<T>(length).ok_or(overflow)??;
    smooth.and_array::<Complex<T>>(n)?.and_array::<Row<T, 1>>(length)
}

impl<'w, T: Scalar> Bluestein<'w, T> {
    /// Makes the tables.
    pub(super) fn new(n: usize, arena: &mut Arena<'w>) -> Result<Self, Error> {
        let overflow = Error::SizeOverflow { what: "transform length" };
        let length = convolution_length(n).ok_or(overflow)?;
        let smooth = Mixed::new(length, arena).ok_or(overflow)??;
        let chirp = arena.take::<Complex<T>>(n)?;
        for (k, c) in chirp.iter_mut().enumerate() {
            // k^2 modulo the period 2n, in integers: the angle stays exact for every length.
            let square = (k as u64 * k as u64) % (2 * n as u64).max(1);
            *c = T::root_of_unity(square as usize, 2 * n).conj();
        }
        let filter = arena.take_filled::<Row<T, 1>>(length, [[T::ZERO]; 2])?;
        let scale = T::from_usize(length);
        for (k, c) in chirp.iter().enumerate() {
            let value = c.conj().unscale(scale);
            for position in [k, (length - k) % length.max(1)] {
                if let Some(entry) = filter.get_mut(position) {
                    *entry = [[value.re], [value.im]];
                }
            }
        }
        // Powers of two, three and five have passes of their own: no spare rows.
        smooth.in_frequency(filter, &mut []);
        Ok(Self { smooth, chirp, filter })
    }

    /// The spectrum of the loaded samples, in natural order in the first `n` rows.
    #[inline(always)]
    pub(super) fn spectrum<const W: usize>(
        &self,
        rows: &mut [Row<T, W>],
        mut load: impl FnMut(usize, &mut Row<T, W>),
    ) {
        rows.fill([[T::ZERO; W]; 2]);
        for ((k, row), &c) in rows.iter_mut().enumerate().zip(self.chirp) {
            load(k, row);
            multiply(row, c);
        }
        self.smooth.in_frequency(rows, &mut []);
        for (row, &[[re], [im]]) in rows.iter_mut().zip(self.filter) {
            multiply(row, Complex::new(re, im));
            // The inverse transform is the forward one with the parts exchanged before and after.
            row.reverse();
        }
        self.smooth.in_time(rows, &mut []);
        for (row, &c) in rows.iter_mut().zip(self.chirp) {
            row.reverse();
            multiply(row, c);
        }
    }
}
