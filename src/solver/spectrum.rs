//! The slices of a spectrum along the views, without ever storing the whole of it.
//!
//! `F = S1 + Q2/rho` is not a tensor of its own: rows of `F_hat(f) = sum over v of exp(-2 pi i f v/m) F(v)` are formed
//! where they are needed. Only half of the frequencies differ, and 0 and `m/2` are real: as in a packed real
//! transform, frequency `f` occupies the planes `2f - 1` and `2f` of `m`, a real one a single plane.

use crate::linalg::partial_svd::{BLOCK, Map, Matrix, add_normal, conjugate, half};
use crate::linalg::product::multiply_add;
use crate::linalg::vector::{LANES, pairwise};
use crate::linalg::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check, parallel, simd};
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
    /// Elements of row `i m + v` of `F` itself, from column `first` on.
    #[inline(always)]
    pub(super) fn load(&self, row: usize, first: usize, to: &mut [T]) {
        let start = row.wrapping_mul(self.samples).wrapping_add(first);
        let (s1, q2) = (self.s1.get(start..).unwrap_or(&[]), self.q2.get(start..).unwrap_or(&[]));
        for ((f, &s1), &q2) in to.iter_mut().zip(s1).zip(q2) {
            *f = s1 + q2 * self.inverse;
        }
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

/// Norms of a slice that say how large a singular value can be.
#[derive(Clone, Copy)]
pub(super) struct Bounds<T> {
    /// Sum of all squares.
    squares: T,
    /// The largest sum of the sizes in a row, and in a column.
    row: T,
    column: T,
}

impl<T: Scalar> Bounds<T> {
    pub(super) fn frobenius(&self) -> T {
        self.squares.sqrt()
    }

    /// No singular value is larger: neither than `||A||_F` nor than `sqrt(||A||_1 ||A||_inf)`.
    pub(super) fn spectral_norm(&self) -> T {
        // Above the rounding of the sums, so that a value on a threshold is decided by the singular values.
        let margin = T::ONE + T::from_f64(1024.0) * T::EPSILON;
        Scalar::min(self.frobenius(), self.row.sqrt() * self.column.sqrt()) * margin
    }
}

impl<T: Scalar> Bounds<T> {
    /// Takes a row into account; `columns` are the sums of the sizes in the columns so far.
    #[inline(always)]
    fn add_row<F: Field<Real = T>>(&mut self, row: &[F], columns: &mut [T]) {
        let (mut squares, mut sizes) = ([T::ZERO; LANES], [T::ZERO; LANES]);
        let mut add = |row: &[F], columns: &mut [T]| {
            let lanes = squares.iter_mut().zip(&mut sizes);
            for ((x, column), (squares, sizes)) in row.iter().zip(columns).zip(lanes) {
                let square = x.abs2();
                // The root of the square, because a comparison would not vectorise; what underflows is nothing.
                let size = if F::IS_COMPLEX { square.sqrt() } else { x.abs() };
                *column += size;
                *squares += square;
                *sizes += size;
            }
        };
        let (row, row_tail) = row.as_chunks::<LANES>();
        let (columns, columns_tail) = columns.as_chunks_mut::<LANES>();
        for (row, columns) in row.iter().zip(columns) {
            add(row, columns);
        }
        add(row_tail, columns_tail);
        self.squares += pairwise(squares);
        self.row = Scalar::max(self.row, pairwise(sizes));
    }
}

/// One slice of the spectrum of an [`Argument`], by its products.
pub(super) struct Slice<'a, T, F> {
    argument: Argument<'a, T>,
    frequency: usize,
    /// `BLOCK` rows of the slice.
    rows: &'a mut [F],
    /// `count` vectors: their conjugates, and their products with the block.
    conjugates: &'a mut [F],
    parts: &'a mut [F],
}

impl<'a, T: Scalar, F: Field<Real = T>> Slice<'a, T, F> {
    /// Memory for products with up to `count` vectors.
    pub(super) fn layout(samples: usize, count: usize) -> Result<Layout, Error> {
        let block = check::product("block", &[count, samples])?;
        Layout::array::<F>(check::product("block", &[BLOCK, samples])?)?
            .and_array::<F>(block)?
            .and_array::<F>(check::product("block", &[count, BLOCK])?)
    }

    /// The slice of one frequency.
    pub(super) fn new(
        argument: Argument<'a, T>,
        frequency: usize,
        count: usize,
        work: &mut Arena<'a>,
    ) -> Result<Self, Error> {
        let n = argument.samples;
        Ok(Self {
            argument,
            frequency,
            rows: work.take(BLOCK * n)?,
            conjugates: work.take(count * n)?,
            parts: work.take(count * BLOCK)?,
        })
    }

    /// The norms of the slice, and the slice itself where `memory` has room for it. `columns` is scratch, twice as many
    /// numbers as there are samples.
    pub(super) fn measure(
        &mut self,
        memory: &mut [F],
        columns: &mut [T],
        threads: usize,
    ) -> Result<Bounds<T>, Error> {
        let n = self.argument.samples;
        let middle = half(n);
        columns.fill(T::ZERO);
        let (argument, frequency) = (self.argument, self.frequency);
        let mut bounds = [Bounds { squares: T::ZERO, row: T::ZERO, column: T::ZERO }; 2];
        // As in the products, a thread can have each half of the rows.
        let [first, second] = &mut bounds;
        let (upper, lower) = memory.split_at_mut_checked(middle * n).unwrap_or((&mut [], &mut []));
        let (one, other) = self.rows.split_at_mut_checked(n).unwrap_or((&mut [], &mut []));
        let (columns, more_columns) = columns.split_at_mut_checked(n).unwrap_or((&mut [], &mut []));
        let halves = [
            (0..middle, upper, one, &mut *columns, first),
            (middle..n, lower, other, &mut *more_columns, second),
        ];
        parallel::for_each(
            threads,
            n.saturating_mul(n),
            halves.into_iter(),
            &mut Arena::new(&mut []),
            |_| Ok(()),
            |(rows, memory, spare, columns, bounds), ()| {
                let mut memory = memory.chunks_exact_mut(n.max(1));
                for i in rows {
                    let row = match memory.next() {
                        Some(row) => row,
                        None => spare.get_mut(..n).unwrap_or(&mut []),
                    };
                    simd::widest(
                        #[inline(always)]
                        || {
                            argument.slice_row(frequency, i, row);
                            bounds.add_row(row, columns);
                        },
                    );
                }
                Ok(())
            },
        )?;
        let [first, second] = bounds;
        vector::axpy(T::ONE, more_columns, columns);
        Ok(Bounds {
            squares: first.squares + second.squares,
            row: Scalar::max(first.row, second.row),
            column: vector::max_abs(columns),
        })
    }

    /// Memory for conjugates, for a matrix that needs no forming any more.
    pub(super) fn into_conjugates(self) -> &'a mut [F] {
        self.conjugates
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
        for first in (0..n).step_by(BLOCK) {
            let count = self.form(first);
            let block = Mat::new("block", self.rows.get(..count * n).unwrap_or(&[]), count, n)?;
            let parts = self.parts.get_mut(..x.rows() * count).unwrap_or(&mut []);
            let products = MatMut::new("parts", parts, x.rows(), count)?;
            Matrix::new(block, self.conjugates).apply(x, products)?;
            for (c, part) in parts.chunks_exact(count.max(1)).enumerate() {
                vector::copy(part, y.row_mut(c).get_mut(first..).unwrap_or(&mut []));
            }
        }
        Ok(())
    }

    fn apply_adjoint(&mut self, y: Mat<'_, F>, mut x: MatMut<'_, F>) -> Result<(), Error> {
        let n = self.argument.samples;
        x.clear();
        for first in (0..n).step_by(BLOCK) {
            let count = self.form(first);
            let block = Mat::new("block", self.rows.get(..count * n).unwrap_or(&[]), count, n)?;
            let parts = self.parts.get_mut(..y.rows() * count).unwrap_or(&mut []);
            for (c, part) in parts.chunks_exact_mut(count.max(1)).enumerate() {
                let from = y.row(c).get(first..).unwrap_or(&[]);
                part.iter_mut().zip(from).for_each(|(to, from)| *to = from.conj());
            }
            multiply_add(Mat::new("parts", parts, y.rows(), count)?, block, x.as_mut())?;
        }
        conjugate(x);
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
        let mut largest = T::ZERO;
        y.clear();
        for first in (0..n).step_by(BLOCK) {
            let count = self.form(first);
            let block = Mat::new("block", self.rows.get(..count * n).unwrap_or(&[]), count, n)?;
            let conjugates = Matrix::conjugated(self.conjugates, x)?;
            largest = Scalar::max(largest, add_normal(block, conjugates, s, &mut y)?);
        }
        conjugate(y);
        Ok(largest)
    }
}
