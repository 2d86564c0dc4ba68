//! All singular triplets above a threshold, of a matrix that is known only by its products.
//!
//! The eigenpairs of `A^H A` above `tau^2` ([`super::krylov`]) with a proof that none is missing
//! ([`super::certificate`]). Where that does not succeed the answer is [`Outcome::Undecided`] and a dense method
//! must do ([`super::dense_svd`]); it is never a guess.

pub use super::above::{Outcome, Proof};

use super::above::Above;
use super::krylov::Operator;
use super::narrow;
use super::normal::{self, BLOCK, panel_length};
use super::product::agree;
use super::rotate::{rows_of, rows_of_mut};
use super::tridiagonal::scale_to_one;
use super::vector::put;
use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Band, Layout};
use crate::{Error, Field, Scalar, check, parallel};
use core::sync::atomic::AtomicUsize;

/// A matrix, by its products with rows of vectors.
pub trait Map<F: Field> {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn cols(&self) -> usize;
    /// `y_i = A x_i`; `x` is `count x cols`, `y` is `count x rows`.
    fn apply(&mut self, x: Mat<'_, F>, y: MatMut<'_, F>) -> Result<(), Error>;
    /// `x_i = A^H y_i`.
    fn apply_adjoint(&mut self, y: Mat<'_, F>, x: MatMut<'_, F>) -> Result<(), Error>;

    /// `y_i = A^H s A x_i`, with `count x rows` elements of scratch; returns the largest element of `A x`, part by
    /// part. A map that has its rows at hand does both products of a row while it is hot.
    fn apply_normal(
        &mut self,
        x: Mat<'_, F>,
        s: F::Real,
        mut middle: MatMut<'_, F>,
        y: MatMut<'_, F>,
    ) -> Result<F::Real, Error> {
        self.apply(x, middle.as_mut())?;
        check::finite("matrix", middle.as_ref().data())?;
        let largest = vector::max_abs(middle.as_ref().data());
        vector::scale(middle.data_mut(), s);
        self.apply_adjoint(middle.as_ref(), y)?;
        Ok(largest)
    }
}

/// A matrix in memory as a [`Map`].
#[derive(Debug)]
pub struct Matrix<'a, F> {
    a: Mat<'a, F>,
    panels: &'a mut [F],
    threads: usize,
    /// How many use these threads at the moment.
    users: Option<&'a AtomicUsize>,
}

/// Panels that products need: the vectors, and the sums of two halves of the rows.
const PANELS: usize = 3;

impl<'a, F: Field> Matrix<'a, F> {
    /// Scratch elements for products of a matrix of so many columns with any number of vectors.
    pub fn scratch(cols: usize) -> Result<usize, Error> {
        check::product("panels", &[PANELS, panel_length::<F>(cols)?])
    }

    /// `scratch` has [`Self::scratch`] elements.
    pub const fn new(a: Mat<'a, F>, scratch: &'a mut [F]) -> Self {
        Self { a, panels: scratch, threads: 1, users: None }
    }

    /// The same, with products on several threads; two are used, and any number gives the same bits.
    #[must_use]
    pub const fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The same, where others use these threads as well; `users` is their number, which may change at any time.
    pub(crate) const fn shared_by(self, users: &'a AtomicUsize) -> Self {
        Self { users: Some(users), ..self }
    }

    /// The panels.
    fn panels(&mut self) -> Result<[&mut [F]; PANELS], Error> {
        let (length, expected) = (panel_length::<F>(self.a.cols())?, Self::scratch(self.a.cols())?);
        let found = self.panels.len();
        let short = Error::Length { what: "scratch", expected, found };
        let (x, rest) = self.panels.split_at_mut_checked(length).ok_or(short)?;
        let (y, rest) = rest.split_at_mut_checked(length).ok_or(short)?;
        Ok([x, y, rest.get_mut(..length).ok_or(short)?])
    }
}

impl<F: Field> Map<F> for Matrix<'_, F> {
    fn rows(&self) -> usize {
        self.a.rows()
    }

    fn cols(&self) -> usize {
        self.a.cols()
    }

    fn apply(&mut self, x: Mat<'_, F>, mut y: MatMut<'_, F>) -> Result<(), Error> {
        let (a, threads) = (self.a, parallel::share(self.threads, self.users));
        agree_on_shapes(x, &y, a.cols(), a.rows())?;
        let [panel, ..] = self.panels()?;
        let middle = half(a.rows());
        for group in normal::groups::<F>(x.rows()) {
            normal::pack(x, group, normal::same, panel);
            let mut below = Band::whole(y.data_mut(), a.rows());
            let above = below.split_off(middle);
            parallel::for_each(
                threads,
                a.data().len(),
                [(0..middle, above), (middle..a.rows(), below)].into_iter(),
                &mut Arena::new(&mut []),
                |_| Ok(()),
                |(rows, mut y), ()| {
                    normal::multiply_panel(rows_of(a, rows)?, group, panel, |vector, i, x| {
                        put(y.block_mut(vector), i, x);
                    });
                    Ok(())
                },
            )?;
        }
        Ok(())
    }

    fn apply_adjoint(&mut self, y: Mat<'_, F>, mut x: MatMut<'_, F>) -> Result<(), Error> {
        let a = self.a;
        agree_on_shapes(y, &x, a.rows(), a.cols())?;
        let [panel, ..] = self.panels()?;
        x.clear();
        for group in normal::groups::<F>(y.rows()) {
            panel.fill(F::ZERO);
            normal::add_adjoint_panel(a, group, y, 0, panel);
            normal::unpack_add(panel, group, normal::same, &mut x);
        }
        Ok(())
    }

    fn apply_normal(
        &mut self,
        x: Mat<'_, F>,
        s: F::Real,
        _: MatMut<'_, F>,
        mut y: MatMut<'_, F>,
    ) -> Result<F::Real, Error> {
        let (a, threads) = (self.a, parallel::share(self.threads, self.users));
        agree_on_shapes(x, &y, a.cols(), a.cols())?;
        let [panel, sums, more_sums] = self.panels()?;
        // The two halves of the rows are summed apart, so that a thread can have each.
        let middle = half(a.rows());
        let mut largest = [F::Real::ZERO; 2];
        y.clear();
        for group in normal::groups::<F>(x.rows()) {
            let narrow = narrow::suits::<F>(x.rows());
            if !narrow {
                normal::pack(x, group, normal::same, panel);
            }
            let (sums, more_sums) = (&mut *sums, &mut *more_sums);
            let halves = [(0..middle, &mut *sums), (middle..a.rows(), &mut *more_sums)];
            parallel::for_each(
                threads,
                a.data().len(),
                halves.into_iter().zip(&mut largest),
                &mut Arena::new(&mut []),
                |_| Ok(()),
                |((rows, sums), largest), ()| {
                    sums.fill(F::ZERO);
                    let rows = rows_of(a, rows)?;
                    let part = if narrow {
                        narrow::add_normal(rows, x, s, sums)?
                    } else {
                        normal::add_normal(rows, group, panel, s, sums)?
                    };
                    *largest = Scalar::max(*largest, part);
                    Ok(())
                },
            )?;
            for sums in [sums, more_sums] {
                if narrow {
                    vector::axpy(F::ONE, sums, y.data_mut());
                } else {
                    normal::unpack_add(sums, group, normal::same, &mut y);
                }
            }
        }
        let [first, second] = largest;
        Ok(Scalar::max(first, second))
    }
}

/// As many vectors come out as go in, of these lengths.
pub(crate) fn agree_on_shapes<F: Field>(
    from: Mat<'_, F>,
    to: &MatMut<'_, F>,
    length: usize,
    image_length: usize,
) -> Result<(), Error> {
    agree("rows of the product", from.rows(), to.rows())?;
    agree("length of the vectors", length, from.cols())?;
    agree("columns of the product", image_length, to.cols())
}

/// Where the second half of so many rows begins: after whole blocks.
pub(crate) const fn half(rows: usize) -> usize {
    let middle = (rows / 2).next_multiple_of(BLOCK);
    if middle < rows { middle } else { rows }
}

/// What [`singular_above`] should find, and what is known beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Wish<T> {
    /// Singular values above this.
    pub tau: T,
    /// The Frobenius norm of the matrix, if known to a rounding per column. Where what was found almost exhausts
    /// it, it proves that nothing is missing ([`Proof::Norm`]).
    pub norm: Option<T>,
    /// So many rows of the vectors are guesses to start from, good or bad.
    pub warm: usize,
}

/// How [`singular_above`] should look.
#[derive(Clone, Copy, Debug)]
pub struct Options<T> {
    /// Triplets at most; more are [`Outcome::TooMany`].
    pub max_rank: usize,
    /// Vectors in the basis at most; at least three times `max_rank + probes`, or all columns. More certify
    /// thresholds that lie nearer to a singular value.
    pub capacity: usize,
    /// Random vectors in a block, 1 to 64.
    pub probes: usize,
    /// Products with `A^H A` at most, counted by vectors.
    pub max_products: usize,
    /// Error of the shrunk matrix, relative to the largest singular value, where the search ends early.
    pub tolerance: T,
    /// The same where squares have lost digits. A threshold below ten roundings divided by this, relative to the
    /// largest singular value (2e-5 in double precision, 1e-2 in single), is undecided.
    pub squaring: T,
    /// Of the probes. Who knows it can build a matrix that fools [`Proof::Probes`].
    pub seed: u64,
}

impl<T: Scalar> Options<T> {
    /// What suits most: blocks of four probes, 1e-10 in double and 1e-4 in single precision.
    #[must_use]
    pub fn new(max_rank: usize, seed: u64) -> Self {
        let probes = 4;
        let capacity = max_rank.saturating_add(4 * probes).saturating_mul(4);
        let tolerance = if T::EPSILON < T::from_f64(1e-10) { 1e-10 } else { 1e-4 };
        Self {
            max_rank,
            capacity,
            probes,
            max_products: capacity.saturating_mul(8),
            tolerance: T::from_f64(tolerance),
            squaring: T::from_f64(tolerance),
            seed,
        }
    }

    fn above(&self, tau: T, norm: Option<T>) -> Above<T> {
        Above {
            threshold: tau * tau,
            trace: norm.map(|norm| norm * norm),
            accuracy: self.tolerance,
            squaring: self.squaring,
            max_rank: self.max_rank,
            capacity: self.capacity,
            probes: self.probes,
            max_products: self.max_products,
            seed: self.seed,
        }
    }

    fn block(&self, cols: usize) -> usize {
        self.max_rank.saturating_add(self.probes).min(cols)
    }
}

/// What [`singular_above`] needs for a matrix of `rows x cols`.
pub fn singular_above_layout<F: Field>(
    rows: usize,
    cols: usize,
    options: &Options<F::Real>,
) -> Result<Layout, Error> {
    check::positive("matrix", rows)?;
    check::positive("matrix", cols)?;
    let middle = check::product("block", &[options.block(cols), rows])?;
    Layout::array::<F>(middle)?.and(options.above(F::Real::ONE, None).layout::<F>(cols)?)
}

/// All singular triplets of `map` with a value above `tau`: values descending, right singular vectors as rows.
///
/// `values` has `max_rank` elements and `vectors` is `max_rank x cols`. Both are written only where the outcome is
/// [`Outcome::Found`], and then only the first `count`.
pub fn singular_above<F: Field>(
    map: &mut impl Map<F>,
    wish: &Wish<F::Real>,
    options: &Options<F::Real>,
    values: &mut [F::Real],
    mut vectors: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<Outcome, Error> {
    let &Wish { tau, norm, warm } = wish;
    let (rows, cols) = (map.rows(), map.cols());
    let need = singular_above_layout::<F>(rows, cols, options)?;
    check::not_negative("threshold", tau)?;
    if let Some(norm) = norm {
        check::not_negative("norm", norm)?;
    }
    check::shape("singular values", values, &[options.max_rank])?;
    agree("rows of the singular vectors", options.max_rank, vectors.rows())?;
    agree("columns of the singular vectors", cols, vectors.cols())?;
    if warm > options.max_rank {
        return Err(Error::Parameter { what: "warm", requirement: "at most the rank" });
    }
    check::finite("singular vectors", rows_of(vectors.as_ref(), 0..warm)?.data())?;
    work.require(need)?;

    let mut work = work.scope();
    let block = options.block(cols);
    let middle = MatMut::new("block", work.take(check::product("block", &[block, rows])?)?, block, rows)?;
    // The threshold decides what matters, so its square is the one that must not leave the range.
    let scale = scale_to_one(tau);
    let mut normal = Normal { map, middle, scale, overflow: false, is_zero: true };
    let norm = norm.map(|norm| norm * scale).filter(|norm| (*norm * *norm).is_finite());
    let above = options.above(tau * scale, norm);
    let outcome = above.search(&mut normal, warm, values, &mut vectors, &mut work);
    if normal.overflow {
        // The largest values are further above the threshold than squares can hold.
        return Ok(Outcome::Undecided);
    }
    if let Ok(Outcome::Found { count, proof }) = outcome {
        if tau == F::Real::ZERO && !normal.is_zero {
            // Squares may have vanished, and no threshold says that this is harmless.
            return Ok(Outcome::Undecided);
        }
        values.iter_mut().take(count).for_each(|v| *v = v.sqrt().unscale(scale));
        // A square above the threshold's may have its root on the threshold.
        let count = values.iter().take(count).take_while(|&&v| v > tau).count();
        return Ok(Outcome::Found { count, proof });
    }
    outcome
}

/// `(s A)^H (s A)`.
struct Normal<'a, 'b, M, F: Field> {
    map: &'a mut M,
    middle: MatMut<'b, F>,
    scale: F::Real,
    overflow: bool,
    is_zero: bool,
}

impl<F: Field, M: Map<F>> Operator<F> for Normal<'_, '_, M, F> {
    fn dimension(&self) -> usize {
        self.map.cols()
    }

    fn apply(&mut self, x: Mat<'_, F>, mut y: MatMut<'_, F>) -> Result<(), Error> {
        let middle = rows_of_mut(&mut self.middle, 0..x.rows())?;
        let largest = self.map.apply_normal(x, self.scale, middle, y.as_mut())?;
        self.is_zero &= largest == F::Real::ZERO;
        vector::scale(y.data_mut(), self.scale);
        check::finite("matrix", y.as_ref().data()).inspect_err(|_| self.overflow = true)
    }
}
