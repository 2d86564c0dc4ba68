//! Real samples and the half of their spectrum that says it all.
//!
//! An even length folds into a complex transform of half the length: samples `2j` and `2j + 1` are the parts of one
//! complex sample, and the two interleaved spectra are told apart by their symmetry. An odd length goes through a
//! complex transform with imaginary parts of zero.

use super::butterfly::Row;
use super::core::{Core, Scratch, scratch_layout, tables_layout, with_columns};
use super::strip;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, simd};
use num_complex::Complex;

/// A plan for transforms of `n` real rows to `n/2 + 1` complex rows and back.
///
/// ```
/// use cstgl::fft::RealFft;
/// use cstgl::workspace::Workspace;
/// use cstgl::Complex;
///
/// let mut tables = Workspace::new(RealFft::<f64>::layout(4)?);
/// let fft = RealFft::new(4, &mut tables.arena())?;
/// let mut work = Workspace::new(fft.scratch()?);
/// // One column: 4 rows in, 3 rows out.
/// let mut spectrum = [Complex::default(); 3];
/// fft.forward(&[1.0, 2.0, 3.0, 4.0], 1, &mut spectrum, &mut work.arena())?;
/// assert_eq!(spectrum, [Complex::new(10.0, 0.0), Complex::new(-2.0, 2.0), Complex::new(-2.0, 0.0)]);
/// # Ok::<(), cstgl::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RealFft<'w, T> {
    length: usize,
    core: Core<'w, T>,
    /// `exp(-2 pi i k / n)` for `k <= n/4`, which tell the interleaved halves of an even length apart.
    halves: &'w [Complex<T>],
}

/// Entries of [`RealFft::halves`].
const fn halves(n: usize) -> usize {
    if n.is_multiple_of(2) { n / 4 + 1 } else { 0 }
}

/// Length of the complex transform inside.
const fn inner_length(n: usize) -> usize {
    if n.is_multiple_of(2) { n / 2 } else { n }
}

impl<'w, T: Scalar> RealFft<'w, T> {
    /// Memory for the plan's tables.
    pub fn layout(n: usize) -> Result<Layout, Error> {
        check::positive("transform length", n)?;
        tables_layout::<T>(inner_length(n))?.and_array::<Complex<T>>(halves(n))
    }

    /// Makes the tables in the caller's memory.
    pub fn new(n: usize, arena: &mut Arena<'w>) -> Result<Self, Error> {
        arena.require(Self::layout(n)?)?;
        let core = Core::new(inner_length(n), arena)?;
        let halves = arena.take::<Complex<T>>(halves(n))?;
        for (k, entry) in halves.iter_mut().enumerate() {
            *entry = T::root_of_unity(k, n).conj();
        }
        Ok(Self { length: n, core, halves })
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

    /// Rows of the half spectrum, `n/2 + 1`.
    #[must_use]
    pub const fn spectrum_len(&self) -> usize {
        self.length / 2 + 1
    }

    /// Memory for one call of length `n`, whatever the number of columns.
    pub fn scratch_layout(n: usize) -> Result<Layout, Error> {
        scratch_layout::<T>(inner_length(n))
    }

    /// [`Self::scratch_layout`] of this plan's length.
    pub fn scratch(&self) -> Result<Layout, Error> {
        Self::scratch_layout(self.length)
    }

    /// `spectrum(k, c) = sum_j samples(j, c) exp(-2 pi i j k / n)` for `k <= n/2` and every column `c`. Both
    /// matrices are row-major with `columns` columns. A column's result does not depend on its neighbours.
    pub fn forward(
        &self,
        samples: &[T],
        columns: usize,
        spectrum: &mut [Complex<T>],
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        check::shape("samples", samples, &[self.length, columns])?;
        check::shape("spectrum", spectrum, &[self.spectrum_len(), columns])?;
        check::finite("samples", samples)?;
        with_columns!(T, self.forward_strips(samples, columns, spectrum, work))
    }

    /// The real samples of a half spectrum, divided by `n`, so that it undoes [`Self::forward`]. The imaginary
    /// parts of row 0 and, for even `n`, of row `n/2` are taken as zero, which in a real signal's spectrum they are.
    pub fn inverse(
        &self,
        spectrum: &[Complex<T>],
        columns: usize,
        samples: &mut [T],
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        check::shape("samples", samples, &[self.length, columns])?;
        check::shape("spectrum", spectrum, &[self.spectrum_len(), columns])?;
        check::finite("spectrum", spectrum)?;
        with_columns!(T, self.inverse_strips(spectrum, columns, samples, work))
    }

    /// [`Self::forward`] in place. The half spectrum fills exactly the memory of the samples: its real and
    /// imaginary parts are rows of their own, in the order of [`Self::packed_rows`].
    pub fn forward_packed(&self, data: &mut [T], columns: usize, work: &mut Arena<'_>) -> Result<(), Error> {
        check::shape("data", data, &[self.length, columns])?;
        check::finite("data", data)?;
        with_columns!(T, self.forward_packed_strips(data, columns, work))
    }

    /// [`Self::forward_packed`] of one strip, `W` columns that are known to be finite.
    pub(crate) fn forward_strip<const W: usize>(
        &self,
        strip: &mut [[T; W]],
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.forward_packed_strips::<W>(strip.as_flattened_mut(), W, work)
    }

    /// Undoes [`Self::forward_strip`].
    pub(crate) fn inverse_strip<const W: usize>(
        &self,
        strip: &mut [[T; W]],
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.inverse_packed_strips::<W>(strip.as_flattened_mut(), W, work)
    }

    /// Undoes [`Self::forward_packed`].
    pub fn inverse_packed(&self, data: &mut [T], columns: usize, work: &mut Arena<'_>) -> Result<(), Error> {
        check::shape("data", data, &[self.length, columns])?;
        check::finite("data", data)?;
        with_columns!(T, self.inverse_packed_strips(data, columns, work))
    }

    /// Where frequency `k <= n/2` stands in a packed spectrum: the row of its real part and that of its imaginary
    /// part, which frequency 0 and, for even `n`, frequency `n/2` do not have. The order is 0, 1, 1i, 2, 2i, ...
    #[must_use]
    pub const fn packed_rows(&self, k: usize) -> (usize, Option<usize>) {
        let real = (2 * k).saturating_sub(1);
        (real, if k == 0 || 2 * k == self.length { None } else { Some(2 * k) })
    }

    /// Calls `transform` for every strip of columns, with its first column.
    #[inline(always)]
    fn each_strip<const W: usize>(
        &self,
        columns: usize,
        work: &mut Arena<'_>,
        mut transform: impl FnMut(&mut Scratch<'_, T, W>, usize),
    ) -> Result<(), Error> {
        let mut scratch = self.core.scratch::<W>(&mut work.scope())?;
        simd::widest(
            #[inline(always)]
            || {
                // A loop and not `for_each`, whose body would be compiled apart, for narrow registers.
                for first in (0..columns).step_by(W) {
                    transform(&mut scratch, first);
                }
            },
        );
        Ok(())
    }

    fn forward_strips<const W: usize>(
        &self,
        samples: &[T],
        columns: usize,
        spectrum: &mut [Complex<T>],
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.each_strip::<W>(
            columns,
            work,
            #[inline(always)]
            |scratch, first| {
                self.analyse(scratch, |j, part| {
                    strip::load_part(strip::columns::<_, W>(samples, columns, j, first), part);
                });
                self.tell_frequencies(scratch, |k, row| {
                    strip::store(row, strip::columns_mut::<_, W>(spectrum, columns, k, first), |z| z);
                });
            },
        )
    }

    fn inverse_strips<const W: usize>(
        &self,
        spectrum: &[Complex<T>],
        columns: usize,
        samples: &mut [T],
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.each_strip::<W>(
            columns,
            work,
            #[inline(always)]
            |scratch, first| {
                self.synthesise(scratch, |k, row| {
                    strip::load(strip::columns::<_, W>(spectrum, columns, k, first), row, |z| z);
                });
                self.tell_samples(scratch, |j, part| {
                    strip::store_part(part, strip::columns_mut::<_, W>(samples, columns, j, first));
                });
            },
        )
    }

    fn forward_packed_strips<const W: usize>(
        &self,
        data: &mut [T],
        columns: usize,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.each_strip::<W>(
            columns,
            work,
            #[inline(always)]
            |scratch, first| {
                self.analyse(scratch, |j, part| {
                    strip::load_part(strip::columns::<_, W>(data, columns, j, first), part);
                });
                self.tell_frequencies(scratch, |k, [re, im]| {
                    let (real, imaginary) = self.packed_rows(k);
                    strip::store_part(re, strip::columns_mut::<_, W>(data, columns, real, first));
                    if let Some(row) = imaginary {
                        strip::store_part(im, strip::columns_mut::<_, W>(data, columns, row, first));
                    }
                });
            },
        )
    }

    fn inverse_packed_strips<const W: usize>(
        &self,
        data: &mut [T],
        columns: usize,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        self.each_strip::<W>(
            columns,
            work,
            #[inline(always)]
            |scratch, first| {
                self.synthesise(scratch, |k, [re, im]| {
                    let (real, imaginary) = self.packed_rows(k);
                    strip::load_part(strip::columns::<_, W>(data, columns, real, first), re);
                    if let Some(row) = imaginary {
                        strip::load_part(strip::columns::<_, W>(data, columns, row, first), im);
                    }
                });
                self.tell_samples(scratch, |j, part| {
                    strip::store_part(part, strip::columns_mut::<_, W>(data, columns, j, first));
                });
            },
        )
    }

    /// The complex transform of the samples that `load` brings.
    #[inline(always)]
    fn analyse<const W: usize>(
        &self,
        scratch: &mut Scratch<'_, T, W>,
        mut load: impl FnMut(usize, &mut [T; W]),
    ) {
        let even = self.length.is_multiple_of(2);
        self.core.spectrum(
            scratch,
            #[inline(always)]
            |sample, [re, im]| {
                if even {
                    load(2 * sample, re);
                    load(2 * sample + 1, im);
                } else {
                    load(sample, re);
                    *im = [T::ZERO; W];
                }
            },
        );
    }

    /// Hands out every frequency of the half spectrum. For even lengths
    /// `X_k = (Z_k + conj Z_{h-k})/2 + exp(-2 pi i k/n) (Z_k - conj Z_{h-k})/2i`, and `X_{h-k}` from the same two.
    #[inline(always)]
    fn tell_frequencies<const W: usize>(
        &self,
        scratch: &Scratch<'_, T, W>,
        mut store: impl FnMut(usize, &Row<T, W>),
    ) {
        if !self.length.is_multiple_of(2) {
            for (k, row) in scratch.rows.iter().enumerate().take(self.spectrum_len()) {
                store(k, row);
            }
            return;
        }
        let half = self.length / 2;
        for (k, &root) in self.halves.iter().enumerate() {
            let mirror = half - k;
            let (Some(low), Some(high)) = (scratch.rows.get(k), scratch.rows.get(mirror % half.max(1)))
            else {
                return;
            };
            let (mut at_k, mut at_mirror) = (*low, *high);
            for_each_column(&mut at_k, &mut at_mirror, |low, high| {
                let even = (low + high.conj()).scale(T::HALF);
                let odd = (low - high.conj()).scale(T::HALF) * root;
                let odd = Complex::new(odd.im, -odd.re);
                (even + odd, (even - odd).conj())
            });
            store(mirror, &at_mirror);
            store(k, &at_k);
        }
    }

    /// The inverse complex transform of the half spectrum that `load` brings, its parts exchanged. For even lengths
    /// of `Z_k = (X_k + conj X_{h-k})/2 + i exp(2 pi i k/n) (X_k - conj X_{h-k})/2`, which interleaves the samples.
    #[inline(always)]
    fn synthesise<const W: usize>(
        &self,
        scratch: &mut Scratch<'_, T, W>,
        mut load: impl FnMut(usize, &mut Row<T, W>),
    ) {
        let scale = T::ONE / T::from_usize(self.length);
        let half = self.length / 2;
        let mut load_real_ends = |k: usize, row: &mut Row<T, W>| {
            load(k, row);
            if self.packed_rows(k).1.is_none() {
                let [_, im] = row;
                *im = [T::ZERO; W];
            }
        };
        // The inverse is the forward transform with the parts exchanged before and after.
        if self.length.is_multiple_of(2) {
            self.core.spectrum(
                scratch,
                #[inline(always)]
                |k, row| {
                    let mut mirror = [[T::ZERO; W]; 2];
                    load_real_ends(k, row);
                    load_real_ends(half - k, &mut mirror);
                    let root = self.root(k).conj();
                    for_each_column(row, &mut mirror, |low, high| {
                        let even = low + high.conj();
                        let odd = (low - high.conj()) * root;
                        let z = Complex::new(even.re - odd.im, even.im + odd.re).scale(scale);
                        (Complex::new(z.im, z.re), high)
                    });
                },
            );
        } else {
            self.core.spectrum(
                scratch,
                #[inline(always)]
                |k, row| {
                    let (source, sign) = if k > half { (self.length - k, -scale) } else { (k, scale) };
                    load_real_ends(source, row);
                    let [re, im] = row;
                    for (re, im) in re.iter_mut().zip(im) {
                        (*re, *im) = (*im * sign, *re * scale);
                    }
                },
            );
        }
    }

    /// Hands out every sample after [`Self::synthesise`].
    #[inline(always)]
    fn tell_samples<const W: usize>(
        &self,
        scratch: &Scratch<'_, T, W>,
        mut store: impl FnMut(usize, &[T; W]),
    ) {
        if self.length.is_multiple_of(2) {
            for (j, [odd, even]) in scratch.rows.iter().enumerate().take(self.length / 2) {
                store(2 * j, even);
                store(2 * j + 1, odd);
            }
        } else {
            for (j, [_, re]) in scratch.rows.iter().enumerate().take(self.length) {
                store(j, re);
            }
        }
    }

    /// `exp(-2 pi i k / n)` for `k < n/2`, from the quarter that is stored.
    #[inline(always)]
    fn root(&self, k: usize) -> Complex<T> {
        let half = self.length / 2;
        match self.halves.get(k) {
            Some(&root) => root,
            // A half turn minus the mirrored angle.
            None => match self.halves.get(half - k) {
                Some(mirror) => Complex::new(-mirror.re, mirror.im),
                None => Complex::new(T::ZERO, T::ZERO),
            },
        }
    }
}

/// `(x, y) <- f(x, y)`, column by column.
#[inline(always)]
fn for_each_column<T: Scalar, const W: usize>(
    [x_re, x_im]: &mut Row<T, W>,
    [y_re, y_im]: &mut Row<T, W>,
    f: impl Fn(Complex<T>, Complex<T>) -> (Complex<T>, Complex<T>),
) {
    for ((x_re, x_im), (y_re, y_im)) in x_re.iter_mut().zip(x_im).zip(y_re.iter_mut().zip(y_im)) {
        let (x, y) = f(Complex::new(*x_re, *x_im), Complex::new(*y_re, *y_im));
        (*x_re, *x_im, *y_re, *y_im) = (x.re, x.im, y.re, y.im);
    }
}
