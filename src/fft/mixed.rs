//! Mixed-radix transforms of a strip, in place.
//!
//! Decimation in time: the rows stand in digit-reversed order ([`Mixed::order`]), the passes combine ever longer
//! blocks, and the spectrum comes out in natural order. Its transpose, decimation in frequency, runs the same
//! passes backwards with the twiddles behind the butterfly and goes from natural to digit-reversed order; a
//! convolution uses both and never reorders.

use super::butterfly::{Butterfly, Five, Four, Row, Seven, Three, Two};
use super::factors::{Factors, factorise};
use super::odd;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, simd};
use num_complex::Complex;

/// The tables of one length.
#[derive(Clone, Debug)]
pub(super) struct Mixed<'w, T> {
    factors: Factors,
    /// Position `p` of the strip holds sample `order[p]`.
    order: &'w [u32],
    /// For each pass: the roots of unity of a generic radix, then its twiddles, block position by block position.
    twiddles: &'w [Complex<T>],
}

/// Radices with a butterfly of their own; the others go through [`odd`] and need their roots.
const fn needs_roots(radix: usize) -> bool {
    !matches!(radix, 2 | 3 | 4 | 5 | 7)
}

/// Table entries of all passes: `sum (r - 1) l` telescopes to `n - 1`, roots come on top.
fn table_length(n: usize, factors: &Factors) -> usize {
    n.saturating_sub(1) + factors.iter().filter(|&&r| needs_roots(r)).sum::<usize>()
}

/// Rows of scratch beside the strip itself: the largest generic radix.
pub(super) fn spare_rows(factors: &Factors) -> usize {
    factors.iter().copied().filter(|&r| needs_roots(r)).max().unwrap_or(0)
}

/// Memory for the tables of length `n`, `None` where `n` has a prime factor that is too large.
pub(super) fn tables_layout<T: Scalar>(n: usize) -> Option<Result<Layout, Error>> {
    let factors = factorise(n)?;
    let layout = Layout::array::<u32>(n).and_then(|l| l.and_array::<Complex<T>>(table_length(n, &factors)));
    Some(layout)
}

impl<'w, T: Scalar> Mixed<'w, T> {
    /// Makes the tables; `None` where `n` has a prime factor that is too large.
    pub(super) fn new(n: usize, arena: &mut Arena<'w>) -> Option<Result<Self, Error>> {
        let factors = factorise(n)?;
        Some(Self::with_factors(n, factors, arena))
    }

    fn with_factors(n: usize, factors: Factors, arena: &mut Arena<'w>) -> Result<Self, Error> {
        let order = arena.take::<u32>(n)?;
        for (position, sample) in order.iter_mut().enumerate() {
            *sample = digit_reversed(position, n, &factors);
        }
        let twiddles = arena.take::<Complex<T>>(table_length(n, &factors))?;
        let mut entries = twiddles.iter_mut();
        let mut length = 1;
        for &radix in &factors {
            if needs_roots(radix) {
                for (j, entry) in entries.by_ref().take(radix).enumerate() {
                    *entry = T::root_of_unity(j, radix).conj();
                }
            }
            for k in 0..length {
                for (q, entry) in (1..radix).zip(entries.by_ref()) {
                    *entry = T::root_of_unity(k * q, radix * length).conj();
                }
            }
            length *= radix;
        }
        Ok(Self { factors, order, twiddles })
    }

    /// Which sample stands where before [`Self::in_time`].
    pub(super) const fn order(&self) -> &'w [u32] {
        self.order
    }

    /// From digit-reversed samples to the spectrum in natural order.
    pub(super) fn in_time<const W: usize>(&self, rows: &mut [Row<T, W>], spare: &mut [Row<T, W>]) {
        simd::widest(
            #[inline(always)]
            || {
                let mut length = 1;
                let mut tables = self.twiddles;
                for &radix in &self.factors {
                    let Some((table, rest)) = tables.split_at_checked(pass_length(radix, length)) else {
                        return;
                    };
                    pass::<T, W, false>(rows, spare, radix, length, table);
                    tables = rest;
                    length *= radix;
                }
            },
        );
    }

    /// From samples in natural order to the digit-reversed spectrum.
    pub(super) fn in_frequency<const W: usize>(&self, rows: &mut [Row<T, W>], spare: &mut [Row<T, W>]) {
        simd::widest(
            #[inline(always)]
            || {
                let mut length = rows.len();
                let mut tables = self.twiddles;
                for &radix in self.factors.iter().rev() {
                    length /= radix.max(1);
                    let start = tables.len().saturating_sub(pass_length(radix, length));
                    let Some((rest, table)) = tables.split_at_checked(start) else { return };
                    pass::<T, W, true>(rows, spare, radix, length, table);
                    tables = rest;
                }
            },
        );
    }
}

/// Entries in the table of one pass.
const fn pass_length(radix: usize, length: usize) -> usize {
    (radix - 1) * length + if needs_roots(radix) { radix } else { 0 }
}

/// The sample that decimation by the last factor, then the one before it, and so on, brings to `position`.
fn digit_reversed(position: usize, n: usize, factors: &Factors) -> u32 {
    let (mut rest, mut block, mut sample, mut step) = (position, n, 0, 1);
    for &radix in factors.iter().rev() {
        block = (block / radix.max(1)).max(1);
        sample += rest / block * step;
        rest %= block;
        step *= radix;
    }
    sample as u32
}

/// One pass: blocks of `radix` spectra of `length` become spectra of `radix * length` (or the transpose of it).
#[inline(always)]
fn pass<T: Scalar, const W: usize, const TRANSPOSED: bool>(
    rows: &mut [Row<T, W>],
    spare: &mut [Row<T, W>],
    radix: usize,
    length: usize,
    table: &[Complex<T>],
) {
    match radix {
        2 => blocks::<T, W, TRANSPOSED, 2, 1, Two>(rows, length, table),
        3 => blocks::<T, W, TRANSPOSED, 3, 2, Three>(rows, length, table),
        4 => blocks::<T, W, TRANSPOSED, 4, 3, Four>(rows, length, table),
        5 => blocks::<T, W, TRANSPOSED, 5, 4, Five>(rows, length, table),
        7 => blocks::<T, W, TRANSPOSED, 7, 6, Seven>(rows, length, table),
        _ => odd::blocks::<T, W, TRANSPOSED>(rows, spare, radix, length, table),
    }
}

/// The pass of one radix `R`; `R1 = R - 1` is the number of its twiddles.
#[inline(always)]
fn blocks<
    T: Scalar,
    const W: usize,
    const TRANSPOSED: bool,
    const R: usize,
    const R1: usize,
    B: Butterfly<R>,
>(
    rows: &mut [Row<T, W>],
    length: usize,
    table: &[Complex<T>],
) {
    let (twiddles, _) = table.as_chunks::<R1>();
    if length == 1 {
        // All twiddles of the first pass are one.
        let (blocks, _) = rows.as_chunks_mut::<R>();
        for block in blocks {
            butterfly::<T, W, R, B>(block.each_mut(), |z| z, |z| z);
        }
        return;
    }
    for block in rows.chunks_exact_mut((R * length).max(1)) {
        for (k, twiddles) in twiddles.iter().enumerate() {
            let Ok(x) = block.get_disjoint_mut(core::array::from_fn(|q| k + q * length)) else { return };
            if TRANSPOSED {
                butterfly::<T, W, R, B>(x, |z| z, |z| twist(z, twiddles));
            } else {
                butterfly::<T, W, R, B>(x, |z| twist(z, twiddles), |z| z);
            }
        }
    }
}

/// One butterfly over all columns, with what comes before and after it.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "columns below W in arrays of W")]
fn butterfly<T: Scalar, const W: usize, const R: usize, B: Butterfly<R>>(
    x: [&mut Row<T, W>; R],
    before: impl Fn([Complex<T>; R]) -> [Complex<T>; R],
    after: impl Fn([Complex<T>; R]) -> [Complex<T>; R],
) {
    // The results wait in a place of their own: the compiler cannot see that the rows are apart, and would not
    // dare to work on several columns at once.
    let mut results = [[[T::ZERO; W]; 2]; R];
    for column in 0..W {
        let z = core::array::from_fn(|q| Complex::new(x[q][0][column], x[q][1][column]));
        for (row, z) in results.iter_mut().zip(after(B::dft(before(z)))) {
            row[0][column] = z.re;
            row[1][column] = z.im;
        }
    }
    for (x, result) in x.into_iter().zip(&results) {
        *x = *result;
    }
}

/// Twiddles on all but the first.
#[inline(always)]
fn twist<T: Scalar, const R: usize>(mut z: [Complex<T>; R], twiddles: &[Complex<T>]) -> [Complex<T>; R] {
    for (z, w) in z.iter_mut().skip(1).zip(twiddles) {
        *z *= *w;
    }
    z
}
