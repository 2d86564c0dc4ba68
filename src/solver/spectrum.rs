//! The slices of a spectrum along the views, without ever storing the whole of it.
//!
//! `F = S1 + Q2/rho` is not a tensor of its own: rows of `F_hat(f) = sum over v of exp(-2 pi i f v/m) F(v)` are formed
//! where they are needed. Only half of the frequencies differ, and 0 and `m/2` are real: as in a packed real
//! transform, frequency `f` occupies the planes `2f - 1` and `2f` of `m`, a real one a single plane.

use crate::linalg::narrow;
use crate::linalg::normal::{self, BLOCK, panel_length, vectors_of_group, vectors_of_panel};
use crate::linalg::partial_svd::{Map, agree_on_shapes, half};
use crate::linalg::vector::{LANES, pairwise, sum_over};
use crate::linalg::{Mat, MatMut, vector};
use crate::simd::{self, Lanes, Lanewise};
use crate::workspace::{Arena, Layout, as_complex_mut};
use crate::{Error, Field, Scalar, check, parallel};
use num_complex::Complex;

/// Frequencies that differ.
pub(super) const fn frequencies(views: usize) -> usize {
    views / 2 + 1
}

/// True where a slice is real.
#[inline(always)]
pub(super) const fn is_real(frequency: usize, views: usize) -> bool {
    !is_complex(views) || frequency == 0 || 2 * frequency == views
}

/// True where a slice of some frequency is complex; a constant in a library for two views, which has no code for it.
#[inline(always)]
pub(super) const fn is_complex(views: usize) -> bool {
    cfg!(feature = "many-views") && views > 2
}

/// What of `data`, `area` numbers a plane, belongs to a frequency.
pub(super) fn planes<T>(data: &[T], area: usize, frequency: usize, views: usize) -> &[T] {
    let (start, end) = span(area, frequency, views);
    data.get(start..end).unwrap_or(&[])
}

/// The same, to write.
pub(super) fn planes_mut<T>(data: &mut [T], area: usize, frequency: usize, views: usize) -> &mut [T] {
    let (start, end) = span(area, frequency, views);
    data.get_mut(start..end).unwrap_or(&mut [])
}

const fn span(area: usize, frequency: usize, views: usize) -> (usize, usize) {
    let start = (2 * frequency).saturating_sub(1).wrapping_mul(area);
    let planes = if is_real(frequency, views) { 1 } else { 2 };
    (start, start.wrapping_add(area.wrapping_mul(planes)))
}

/// Slices that are formed together: more would leave a first-level cache.
const TOGETHER: usize = 4;

/// Frequencies, parts of their slices, and sums of squares.
type Formed<'a, T> = heapless::Vec<(usize, &'a mut [T], T), TOGETHER>;

/// `F = S1 + Q2/rho`, by its parts, both `[i][v][j]`.
#[derive(Clone, Copy)]
pub(super) struct Argument<'a, T> {
    pub(super) s1: &'a [T],
    pub(super) q2: &'a [T],
    /// `1/rho`.
    pub(super) inverse: T,
    pub(super) samples: usize,
    /// Steps before this one.
    pub(super) step: usize,
    /// All `m` powers of `exp(-2 pi i / m)`.
    pub(super) roots: &'a [Complex<T>],
}

impl<T: Scalar> Argument<'_, T> {
    /// Elements of row `i m + v` of `F` itself, from column `first` on. Those `ahead` rows later are asked for.
    #[inline(always)]
    pub(super) fn load(&self, row: usize, first: usize, ahead: usize, to: &mut [T]) {
        let start = row.wrapping_mul(self.samples).wrapping_add(first);
        let next = start.wrapping_add(ahead.wrapping_mul(self.samples));
        simd::fetch_once(self.s1, next);
        simd::fetch_once(self.q2, next);
        argument_row(self.s1, self.q2, self.inverse, start, to);
    }

    /// Forms the slices in `dense`, the planes of all of them, whose `norms` do not say that nothing above `tau` is in
    /// them, and adds their Frobenius norms to these. A row of the argument is read once for all of them.
    pub(super) fn form(&self, norms: &mut [T], tau: T, dense: &mut [T], threads: usize) -> Result<(), Error> {
        let (n, m) = (self.samples, self.roots.len());
        let (middle, mut rest) = (half(n), dense);
        for first in (0..frequencies(m)).step_by(TOGETHER) {
            let (mut upper, mut lower) = (Formed::<T>::new(), Formed::<T>::new());
            for f in (first..frequencies(m)).take(TOGETHER) {
                let width = if is_real(f, m) { n } else { 2 * n };
                let slice = rest.split_off_mut(..width * n).unwrap_or_default();
                if !Norms::vanishes(norms, f, tau) {
                    let (above, below) = slice.split_at_mut_checked(middle * width).unwrap_or_default();
                    // There is room for as many as are formed together.
                    let _ = upper.push((f, above, T::ZERO));
                    let _ = lower.push((f, below, T::ZERO));
                }
            }
            parallel::for_each(
                threads,
                upper.len().saturating_mul(n).saturating_mul(n),
                [(0..middle, &mut upper), (middle..n, &mut lower)].into_iter(),
                &mut Arena::new(&mut []),
                |_| Ok(()),
                |(rows, slices), ()| {
                    // A copy of this thread's own: beside the original lies what another thread writes.
                    let argument = *self;
                    for (k, i) in rows.enumerate() {
                        for (f, slice, squares) in slices.iter_mut() {
                            *squares += argument.form_row(*f, i, k, slice);
                        }
                    }
                    Ok(())
                },
            )?;
            for ((f, _, above), (_, _, below)) in upper.iter().zip(&lower) {
                Norms::add_frobenius(norms, *f, (*above + *below).sqrt());
            }
        }
        Ok(())
    }

    /// Row `i` of slice `f` becomes row `k` of `to`; returns the sum of its squares.
    fn form_row(&self, f: usize, i: usize, k: usize, to: &mut [T]) -> T {
        let (n, m) = (self.samples, self.roots.len());
        let width = if is_real(f, m) { n } else { 2 * n };
        let start = k.wrapping_mul(width);
        let row = to.get_mut(start..start.wrapping_add(width)).unwrap_or(&mut []);
        simd::widest(
            #[inline(always)]
            || {
                if is_real(f, m) {
                    self.slice_row(f, i, row);
                } else {
                    self.slice_row(f, i, as_complex_mut(row));
                }
                sum_over(row, row, |x, _| x * x)
            },
        )
    }

    /// Row `i` of slice `f`.
    #[inline(always)]
    pub(super) fn slice_row<F: Field<Real = T>>(&self, f: usize, i: usize, row: &mut [F]) {
        let (n, views) = (self.samples, self.roots.len().max(1));
        let inverse = self.inverse;
        for v in 0..views {
            let root = F::from_complex(vector::at(self.roots, f.wrapping_mul(v) % views));
            let start = i.wrapping_mul(views).wrapping_add(v).wrapping_mul(n);
            let range = start..start.wrapping_add(n);
            let (s1, q2) = (self.s1.get(range.clone()).unwrap_or(&[]), self.q2.get(range).unwrap_or(&[]));
            if v == 0 {
                // The first root is one.
                for ((x, &s1), &q2) in row.iter_mut().zip(s1).zip(q2) {
                    *x = F::from_real(s1 + q2 * inverse);
                }
            } else {
                for ((x, &s1), &q2) in row.iter_mut().zip(s1).zip(q2) {
                    *x += root.scale(s1 + q2 * inverse);
                }
            }
        }
    }
}

/// `S1 + Q2/rho` from element `start` on.
#[inline(always)]
pub(super) fn argument_row<T: Scalar>(s1: &[T], q2: &[T], inverse: T, start: usize, to: &mut [T]) {
    let (s1, q2) = (s1.get(start..).unwrap_or(&[]), q2.get(start..).unwrap_or(&[]));
    for ((f, &s1), &q2) in to.iter_mut().zip(s1).zip(q2) {
        *f = s1 + q2 * inverse;
    }
}

/// Norms of a slice that say how large a singular value can be.
#[derive(Clone, Copy)]
pub(super) struct Norms<T> {
    pub(super) frobenius: T,
    /// No singular value is larger.
    pub(super) spectral: T,
}

impl<T: Scalar> Norms<T> {
    /// Numbers of which norms are made, in memory that lasts.
    pub(super) const LENGTH: usize = 2;

    /// The norms of slice `f`; the largest number stands where one is not known.
    pub(super) fn read(norms: &[T], f: usize) -> Option<Self> {
        norms.as_chunks().0.get(f).map(|&[frobenius, spectral]| Self { frobenius, spectral })
    }
}

impl<T: Scalar> Norms<T> {
    /// Whether nothing above `tau` is in slice `f`.
    pub(super) fn vanishes(norms: &[T], f: usize, tau: T) -> bool {
        Self::read(norms, f).is_some_and(|norms| norms.spectral <= tau)
    }

    fn add_frobenius(norms: &mut [T], f: usize, norm: T) {
        if let Some([frobenius, _]) = norms.as_chunks_mut::<2>().0.get_mut(f) {
            *frobenius = norm;
        }
    }
}

/// Sums over rows of a slice, of which its norms are made.
#[derive(Clone, Copy)]
pub(super) struct Sums<T> {
    /// All squares.
    squares: T,
    /// The largest sum of the sizes in a row.
    row: T,
}

impl<T: Scalar> Sums<T> {
    /// Numbers that [`Watch`] keeps for a slice: these sums, and the sizes in each column.
    pub(super) const fn length(samples: usize) -> usize {
        samples.saturating_add(2)
    }

    /// Of no row.
    pub(super) const ZERO: Self = Self { squares: T::ZERO, row: T::ZERO };

    /// From sums over parts of the rows, in order; `total` is scratch for the columns.
    pub(super) fn norms<'a>(parts: impl Iterator<Item = &'a [T]>, total: &mut [T]) -> Norms<T> {
        total.fill(T::ZERO);
        let mut sums = Self::ZERO;
        for part in parts {
            let (columns, own) = part.split_at_checked(total.len()).unwrap_or((&[], &[]));
            vector::axpy(T::ONE, columns, total);
            sums.squares += vector::at(own, 0);
            sums.row = Scalar::max(sums.row, vector::at(own, 1));
        }
        let (frobenius, column) = (sums.squares.sqrt(), vector::max_abs(total));
        // Neither `||A||_F` nor `sqrt(||A||_1 ||A||_inf)` is exceeded. Above the rounding of the sums, so that a value
        // on a threshold is decided by the singular values.
        let margin = T::ONE + T::from_f64(1024.0) * T::EPSILON;
        let spectral = Scalar::min(frobenius, sums.row.sqrt() * column.sqrt()) * margin;
        Norms { frobenius, spectral }
    }
}

/// Sums up the slices of the next step's argument while its rows are hot.
pub(super) struct Watch<'a, T> {
    pub(super) argument: Argument<'a, T>,
    /// [`Sums::length`] numbers for each frequency.
    pub(super) sums: &'a mut [T],
    /// A row of a slice.
    pub(super) row: &'a mut [T],
}

impl<T: Scalar> Watch<'_, T> {
    /// Numbers in a row of a slice.
    pub(super) const fn row_length(samples: usize, views: usize) -> usize {
        if is_complex(views) { samples.saturating_mul(2) } else { samples }
    }

    /// Takes sample `i` of the argument into account, for the frequencies that are `wanted`.
    pub(super) fn add(&mut self, i: usize, wanted: impl Fn(usize) -> bool) {
        let (n, m) = (self.argument.samples, self.argument.roots.len());
        let slices = self.sums.chunks_exact_mut(Sums::<T>::length(n)).enumerate();
        for (f, sums) in slices.filter(|&(f, _)| wanted(f)) {
            if is_real(f, m) {
                let row = self.row.get_mut(..n).unwrap_or(&mut []);
                add_slice_row(&self.argument, f, i, row, sums);
            } else {
                add_slice_row(&self.argument, f, i, as_complex_mut(self.row), sums);
            }
        }
    }
}

/// Forms row `i` of slice `f` and adds it to the sums.
fn add_slice_row<T: Scalar, F: Field<Real = T>>(
    argument: &Argument<'_, T>,
    f: usize,
    i: usize,
    row: &mut [F],
    sums: &mut [T],
) {
    let Some((columns, &mut [ref mut squares, ref mut largest])) = sums.split_last_chunk_mut() else {
        return;
    };
    simd::widest(
        #[inline(always)]
        || {
            argument.slice_row(f, i, row);
            let mut sums = Sums { squares: *squares, row: *largest };
            sums.add_row(row, columns);
            (*squares, *largest) = (sums.squares, sums.row);
        },
    );
}

impl<T: Scalar> Sums<T> {
    /// Takes a row into account; `columns` are the sums of the sizes in the columns so far.
    #[inline(always)]
    fn add_row<F: Field<Real = T>>(&mut self, row: &[F], columns: &mut [T]) {
        let (mut squares, mut sizes) = (Lanes::splat(T::ZERO), Lanes::splat(T::ZERO));
        let (row, row_tail) = row.as_chunks::<LANES>();
        let (columns, columns_tail) = columns.as_chunks_mut::<LANES>();
        for (row, columns) in row.iter().zip(columns) {
            let size = Lanes(row.map(vector::size));
            *columns = (Lanes(*columns) + size).0;
            squares += Lanes(row.map(F::abs2));
            sizes += size;
        }
        let lanes = squares.0.iter_mut().zip(&mut sizes.0);
        for ((x, column), (squares, sizes)) in row_tail.iter().zip(columns_tail).zip(lanes) {
            *column += vector::size(*x);
            *squares += x.abs2();
            *sizes += vector::size(*x);
        }
        self.squares += pairwise(squares.0);
        self.row = Scalar::max(self.row, pairwise(sizes.0));
    }
}

/// One slice of the spectrum of an [`Argument`], by its products.
pub(super) struct Slice<'a, T, F> {
    argument: Argument<'a, T>,
    frequency: usize,
    /// `BLOCK` rows of the slice.
    rows: &'a mut [F],
    /// Panels of all vectors, and of their images.
    panels: &'a mut [F],
    images: &'a mut [F],
}

impl<'a, T: Scalar, F: Field<Real = T>> Slice<'a, T, F> {
    /// Memory for products with up to `count` vectors.
    pub(super) fn layout(samples: usize, count: usize) -> Result<Layout, Error> {
        let panels = Self::panels_length(samples, count)?;
        Layout::array::<F>(check::product("block", &[BLOCK, samples])?)?
            .and_array::<F>(panels)?
            .and_array::<F>(panels)
    }

    fn panels_length(samples: usize, count: usize) -> Result<usize, Error> {
        check::product("panels", &[count.div_ceil(vectors_of_panel::<F>()), panel_length::<F>(samples)?])
    }

    /// The slice of one frequency.
    pub(super) fn new(
        argument: Argument<'a, T>,
        frequency: usize,
        count: usize,
        work: &mut Arena<'a>,
    ) -> Result<Self, Error> {
        let n = argument.samples;
        let panels = Self::panels_length(n, count)?;
        Ok(Self {
            argument,
            frequency,
            rows: work.take(check::product("block", &[BLOCK, n])?)?,
            panels: work.take(panels)?,
            images: work.take(panels)?,
        })
    }

    /// Calls `use_block(rows, first, panels, images)` for all blocks of rows; `first` is the number of the first row.
    fn for_blocks(
        &mut self,
        mut use_block: impl FnMut(Mat<'_, F>, usize, &mut [F], &mut [F]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let n = self.argument.samples;
        for first in (0..n).step_by(BLOCK) {
            let count = self.form(first);
            let block = Mat::new("block", self.rows.get(..count * n).unwrap_or(&[]), count, n)?;
            use_block(block, first, self.panels, self.images)?;
        }
        Ok(())
    }

    /// Packs all vectors.
    fn pack(&mut self, x: Mat<'_, F>) {
        for (group, panel) in by_panel(x.rows(), x.cols(), self.panels) {
            normal::pack(x, group, normal::same, panel);
        }
    }

    /// What the images have become.
    fn unpack(&mut self, mut y: MatMut<'_, F>) {
        y.clear();
        for (group, panel) in by_panel(y.rows(), y.cols(), self.images) {
            normal::unpack_add(panel, group, normal::same, &mut y);
        }
    }

    /// Forms the rows from `first` on, at most a block of them; returns how many.
    fn form(&mut self, first: usize) -> usize {
        let n = self.argument.samples;
        let count = BLOCK.min(n.saturating_sub(first));
        simd::widest(
            #[inline(always)]
            || {
                for (k, row) in self.rows.chunks_exact_mut(n.max(1)).enumerate().take(count) {
                    self.argument.slice_row(self.frequency, first.wrapping_add(k), row);
                }
            },
        );
        count
    }
}

impl<T: Scalar, F: Field<Real = T>> Map<F> for Slice<'_, T, F> {
    fn rows(&self) -> usize {
        self.argument.samples
    }

    fn cols(&self) -> usize {
        self.argument.samples
    }

    fn apply(&mut self, x: Mat<'_, F>, mut y: MatMut<'_, F>) -> Result<(), Error> {
        let n = self.argument.samples;
        agree_on_shapes(x, &y, n, n)?;
        self.pack(x);
        self.for_blocks(|block, row, panels, _| {
            for (group, panel) in by_panel(x.rows(), n, panels) {
                normal::multiply_panel(block, group, panel, |vector, i, x| {
                    y.set(vector, row.wrapping_add(i), x);
                });
            }
            Ok(())
        })
    }

    fn apply_adjoint(&mut self, y: Mat<'_, F>, x: MatMut<'_, F>) -> Result<(), Error> {
        let n = self.argument.samples;
        agree_on_shapes(y, &x, n, n)?;
        self.images.fill(F::ZERO);
        self.for_blocks(|block, row, _, images| {
            for (group, image) in by_panel(y.rows(), n, images) {
                normal::add_adjoint_panel(block, group, y, row, image);
            }
            Ok(())
        })?;
        self.unpack(x);
        Ok(())
    }

    fn apply_normal(
        &mut self,
        x: Mat<'_, F>,
        s: T,
        _: MatMut<'_, F>,
        mut y: MatMut<'_, F>,
    ) -> Result<T, Error> {
        let n = self.argument.samples;
        agree_on_shapes(x, &y, n, n)?;
        let mut largest = T::ZERO;
        self.images.fill(F::ZERO);
        if narrow::suits::<F>(x.rows()) {
            self.for_blocks(|block, _, _, images| {
                largest = Scalar::max(largest, narrow::add_normal(block, x, s, images)?);
                Ok(())
            })?;
            y.clear();
            vector::axpy(F::ONE, self.images, y.data_mut());
            return Ok(largest);
        }
        self.pack(x);
        self.for_blocks(|block, _, panels, images| {
            let pairs = by_panel(x.rows(), n, panels).zip(by_panel(x.rows(), n, images));
            for ((group, panel), (_, image)) in pairs {
                largest = Scalar::max(largest, normal::add_normal(block, group, panel, s, image)?);
            }
            Ok(())
        })?;
        self.unpack(y);
        Ok(largest)
    }
}

/// The panels of `count` vectors of length `n`, and whose they are.
fn by_panel<F: Field>(
    count: usize,
    n: usize,
    panels: &mut [F],
) -> impl Iterator<Item = (normal::Group, &mut [F])> {
    let length = n.saturating_mul(vectors_of_group::<F>());
    normal::groups::<F>(count).zip(panels.chunks_exact_mut(length.max(1)))
}
