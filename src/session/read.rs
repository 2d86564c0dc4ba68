//! What was learned.

use super::{Session, after_the_first_step};
use crate::config::Config;
use crate::linalg::triangle::symmetrise;
use crate::linalg::vector;
use crate::solver::{State, row_range};
use crate::{Error, Scalar, check, simd};
use core::ops::Range;

/// Which parts of the graphs are fused. [`Parts::default`] is Eq. (36): the consistent and the specific one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// `S1`.
    pub consistent: bool,
    /// `S2`.
    pub specific: bool,
    /// `E`.
    pub noise: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Self { consistent: true, specific: true, noise: false }
    }
}

/// One of the three parts.
#[derive(Clone, Copy)]
enum Part {
    Consistent,
    Specific,
    Noise,
}

/// The state after a step, to read.
pub(super) struct Reader<'a, T> {
    pub(super) config: Config<T>,
    state: State<'a, T>,
    /// The penalty of the next step.
    rho: T,
}

impl<'a, T: Scalar> Reader<'a, T> {
    pub(super) fn new(config: Config<T>, state: State<'a, T>, rho: T) -> Self {
        Self { config, state, rho }
    }

    /// Row `i` of view `v`, from column `first` on.
    fn row_of<'b>(&self, tensor: &'b [T], v: usize, (i, first): (usize, usize)) -> &'b [T] {
        let Range { start, end } = row_range(&self.config, v, i, tensor.len());
        tensor.get(start.wrapping_add(first)..end).unwrap_or(&[])
    }

    /// Hands elements of row `i` of a part of view `v`, from column `first` on, to `put`, beside those of `row`.
    #[inline(always)]
    fn part_row(&self, part: Part, v: usize, place: (usize, usize), row: &mut [T], put: impl Fn(&mut T, T)) {
        let of = |tensor| self.row_of(tensor, v, place);
        match part {
            Part::Consistent => row.iter_mut().zip(of(self.state.s1)).for_each(|(x, &s1)| put(x, s1)),
            Part::Noise => row.iter_mut().zip(of(self.state.e)).for_each(|(x, &e)| put(x, e)),
            Part::Specific => {
                let inverse = T::ONE / self.rho;
                let known = of(self.state.s1).iter().zip(of(self.state.e)).zip(of(self.state.q1));
                // `B` holds it beside the others.
                for ((x, &b), ((&s1, &e), &q1)) in row.iter_mut().zip(of(self.state.b)).zip(known) {
                    put(x, b - s1 - e + q1 * inverse);
                }
            }
        }
    }

    #[cfg_attr(not(feature = "std"), inline(never))] // One copy for the three parts is enough, and small.
    fn add_part_row(&self, part: Part, v: usize, place: (usize, usize), row: &mut [T]) {
        simd::widest(
            #[inline(always)]
            || self.part_row(part, v, place, row, |sum, x| *sum += x),
        );
    }

    /// Elements of row `i` of `Sa`, Eq. (36), the mean over the views of the chosen parts, from column `first` on.
    pub(super) fn fused_row(&self, parts: Parts, (i, first): (usize, usize), row: &mut [T]) {
        row.fill(T::ZERO);
        let chosen = [
            (parts.consistent, Part::Consistent),
            (parts.specific, Part::Specific),
            (parts.noise, Part::Noise),
        ];
        for v in 0..self.config.views {
            for (_, part) in chosen.iter().filter(|(wanted, _)| *wanted) {
                self.add_part_row(*part, v, (i, first), row);
            }
        }
        vector::scale(row, T::ONE / T::from_usize(self.config.views));
    }

    /// `||S1(v) - S1(w)||_F^2`.
    fn slice_distance(&self, v: usize, w: usize) -> T {
        let mut sum = T::ZERO;
        for i in 0..self.config.samples {
            let (x, y) = (self.row_of(self.state.s1, v, (i, 0)), self.row_of(self.state.s1, w, (i, 0)));
            sum += vector::distance2(x, y);
        }
        sum
    }
}

impl<T: Scalar> Session<'_, T> {
    pub(super) fn reader(&mut self) -> Result<Reader<'_, T>, Error> {
        let (header, config, mut arena) = self.open()?;
        after_the_first_step(&header)?;
        let rho = header.progress().rho;
        Ok(Reader::new(config, State::carve(&config, &mut arena)?, rho))
    }

    fn read_part(&mut self, part: Part, view: usize, matrix: &mut [T]) -> Result<(), Error> {
        let reader = self.reader()?;
        let n = reader.config.samples;
        if view >= reader.config.views {
            return Err(Error::Parameter { what: "view", requirement: "below the number of views" });
        }
        check::shape("matrix", matrix, &[n, n])?;
        for (i, row) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
            reader.part_row(part, view, (i, 0), row, |to, x| *to = x);
        }
        Ok(())
    }

    /// `S1` of a view, the part that the views share: `n x n`, row after row.
    pub fn consistent(&mut self, view: usize, matrix: &mut [T]) -> Result<(), Error> {
        self.read_part(Part::Consistent, view, matrix)
    }

    /// `S2` of a view, the part that is its own: `n x n`, row after row.
    pub fn specific(&mut self, view: usize, matrix: &mut [T]) -> Result<(), Error> {
        self.read_part(Part::Specific, view, matrix)
    }

    /// `E` of a view, the noise: `n x n`, row after row.
    pub fn noise(&mut self, view: usize, matrix: &mut [T]) -> Result<(), Error> {
        self.read_part(Part::Noise, view, matrix)
    }

    /// `Sa`, Eq. (36), of the chosen parts: `n x n`, row after row.
    pub fn fused(&mut self, parts: Parts, matrix: &mut [T]) -> Result<(), Error> {
        let reader = self.reader()?;
        let n = reader.config.samples;
        check::shape("matrix", matrix, &[n, n])?;
        for (i, row) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
            reader.fused_row(parts, (i, 0), row);
        }
        Ok(())
    }

    /// `(Sa + Sa^T)/2` of the chosen parts: `n x n`, row after row.
    pub fn affinity(&mut self, parts: Parts, matrix: &mut [T]) -> Result<(), Error> {
        self.fused(parts, matrix)?;
        let n = self.config()?.samples;
        symmetrise(matrix, n);
        Ok(())
    }

    /// `||S1(v) - S1(w)||_F` for all pairs of views, `m x m`: how alike the consistent parts have become (Fig. 2).
    pub fn slice_distances(&mut self, matrix: &mut [T]) -> Result<(), Error> {
        let reader = self.reader()?;
        let m = reader.config.views;
        check::shape("matrix", matrix, &[m, m])?;
        for (v, row) in matrix.chunks_exact_mut(m.max(1)).enumerate() {
            for (w, x) in row.iter_mut().enumerate() {
                *x = reader.slice_distance(v, w).sqrt();
            }
        }
        Ok(())
    }
}
