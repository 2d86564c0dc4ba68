//! Leading eigenpairs of a Hermitian operator that is known only by its products with blocks of vectors.
//!
//! One engine, `Space`: an orthonormal basis that grows by the images of its newest block, orthogonalised
//! against everything twice; the projected problem is small and dense (Rayleigh-Ritz). Directions that depend on
//! the basis are dropped, which is how an invariant subspace shows. A full basis is rotated onto its leading
//! Ritz vectors and goes on from there (thick restart). The images of the basis are kept too, so that residuals
//! are computed and not inferred.
//!
//! Ritz values never exceed the eigenvalues of the same rank: each is a lower bound, which some proofs rest on.

use super::leading::{eigen_leading, eigen_leading_layout};
use super::product::{agree, multiply, multiply_adjoint};
use super::rotate::{rotate_layout, rotate_rows, rows_of, rows_of_mut};
use super::vector::{self, at, put};
use super::{Mat, MatMut};
use crate::rng::Rng;
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};
use core::ops::Range;

/// A Hermitian operator.
pub trait Operator<F: Field> {
    /// Its order.
    fn dimension(&self) -> usize;
    /// `y_i = A x_i` for every row.
    fn apply(&mut self, x: Mat<'_, F>, y: MatMut<'_, F>) -> Result<(), Error>;
}

/// A real symmetric matrix as an operator.
#[derive(Clone, Copy, Debug)]
pub struct Symmetric<'a, T>(pub Mat<'a, T>);

impl<T: Scalar> Operator<T> for Symmetric<'_, T> {
    fn dimension(&self) -> usize {
        self.0.rows()
    }

    fn apply(&mut self, x: Mat<'_, T>, y: MatMut<'_, T>) -> Result<(), Error> {
        multiply_adjoint(x, self.0, y)
    }
}

/// A relative length below which a direction is the rounding of others. What is just above it has two good
/// digits, which the second orthogonalisation makes whole.
pub(crate) fn dependent<T: Scalar>() -> T {
    T::EPSILON * T::from_f64(64.0)
}

/// The rounding in a product with an operator of size one.
pub(crate) fn noise<T: Scalar>() -> T {
    T::EPSILON * T::from_f64(16.0)
}

/// True of lengths that are no numbers, too.
fn exceeds<T: Scalar>(length: T, allowed: T) -> bool {
    length.partial_cmp(&allowed).is_none_or(core::cmp::Ordering::is_gt)
}

/// Whether Ritz pairs are accurate enough.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Settled<T> {
    /// They are, and this is the part of what is allowed that they take.
    Yes { taken: T },
    /// They are not, as so many of the last have shown.
    No { asked: usize },
}

/// What is known of the parts of candidates along the basis.
#[derive(Clone, Copy)]
enum Parts {
    Unknown,
    /// Everything: the candidates are the newest images, and the projected problem holds their parts.
    Projected,
}

/// An orthonormal basis, its images, and the problem projected on it.
pub(crate) struct Space<'a, F: Field> {
    basis: MatMut<'a, F>,
    images: MatMut<'a, F>,
    /// `v_i^H A v_j` for `j <= i < count`.
    projected: MatMut<'a, F>,
    rotation: &'a mut [F],
    values: &'a mut [F::Real],
    /// Candidates for new directions.
    block: MatMut<'a, F>,
    correction: MatMut<'a, F>,
    coefficients: &'a mut [F],
    lengths: &'a mut [F::Real],
    work: Arena<'a>,
    count: usize,
    newest: usize,
    products: usize,
}

impl<'a, F: Field> Space<'a, F> {
    /// What a space of at most `capacity` vectors of length `n` needs, growing by at most `block` at a time.
    pub(crate) fn layout(n: usize, capacity: usize, block: usize) -> Result<Layout, Error> {
        let basis = check::product("basis", &[capacity, n])?;
        let square = check::product("basis", &[capacity, capacity])?;
        let candidates = check::product("block", &[block, n])?;
        Layout::array::<F>(basis)?
            .and_array::<F>(basis)?
            .and_array::<F>(square)?
            .and_array::<F>(square)?
            .and_array::<F::Real>(capacity)?
            .and_array::<F>(candidates)?
            .and_array::<F>(candidates)?
            .and_array::<F>(check::product("block", &[block, capacity])?)?
            .and_array::<F::Real>(block)?
            .and(eigen_leading_layout::<F>(capacity)?.or(rotate_layout::<F>(capacity)?))
    }

    /// An empty space.
    pub(crate) fn new(n: usize, capacity: usize, block: usize, mut work: Arena<'a>) -> Result<Self, Error> {
        work.require(Self::layout(n, capacity, block)?)?;
        let basis = check::product("basis", &[capacity, n])?;
        let square = check::product("basis", &[capacity, capacity])?;
        let candidates = check::product("block", &[block, n])?;
        Ok(Self {
            basis: MatMut::new("basis", work.take(basis)?, capacity, n)?,
            images: MatMut::new("basis", work.take(basis)?, capacity, n)?,
            projected: MatMut::new("basis", work.take(square)?, capacity, capacity)?,
            rotation: work.take(square)?,
            values: work.take(capacity)?,
            block: MatMut::new("block", work.take(candidates)?, block, n)?,
            correction: MatMut::new("block", work.take(candidates)?, block, n)?,
            coefficients: work.take(check::product("block", &[block, capacity])?)?,
            lengths: work.take(block)?,
            work,
            count: 0,
            newest: 0,
            products: 0,
        })
    }

    /// Vectors in the basis.
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// True where the basis spans everything.
    pub(crate) const fn is_complete(&self) -> bool {
        self.count >= self.basis.cols()
    }

    /// Vectors in the newest block.
    pub(crate) const fn newest(&self) -> usize {
        self.newest
    }

    /// Vectors that may still be added.
    pub(crate) const fn room(&self) -> usize {
        self.basis.rows().saturating_sub(self.count)
    }

    /// Products with the operator so far.
    pub(crate) const fn products(&self) -> usize {
        self.products
    }

    /// The Ritz values, descending.
    pub(crate) fn values(&self) -> &[F::Real] {
        self.values.get(..self.count).unwrap_or(&[])
    }

    /// Row `i` of the candidates.
    pub(crate) fn candidate_mut(&mut self, i: usize) -> &mut [F] {
        self.block.row_mut(i)
    }

    /// Candidates `range` uniform in the cube [-1/2, 1/2)^n.
    ///
    /// They are real over complex fields too: real vectors span the complex space as well, and the bound of
    /// the probes is for such.
    pub(crate) fn random_candidates(&mut self, range: Range<usize>, rng: &mut Rng) {
        for i in range {
            for x in self.block.row_mut(i) {
                *x = F::from_real(rng.uniform::<F::Real>() - F::Real::HALF);
            }
        }
    }

    /// The images of the newest block become candidates; returns how many.
    fn image_candidates(&mut self) -> usize {
        let first = self.count.saturating_sub(self.newest);
        for i in 0..self.newest {
            vector::copy(self.images.as_ref().row(first.wrapping_add(i)), self.block.row_mut(i));
        }
        self.newest
    }

    /// Adds what is new in the images of the newest block, as [`Self::extend`] does.
    pub(crate) fn grow(&mut self, operator: &mut impl Operator<F>, floor: F::Real) -> Result<usize, Error> {
        let candidates = self.image_candidates();
        self.add(operator, candidates, Parts::Projected, floor)
    }

    /// Adds what is new in the first `candidates` rows of the block: directions longer than `floor` after the
    /// basis is taken out. Returns how many there were; the newest block is those.
    pub(crate) fn extend(
        &mut self,
        operator: &mut impl Operator<F>,
        candidates: usize,
        floor: F::Real,
    ) -> Result<usize, Error> {
        self.add(operator, candidates, Parts::Unknown, floor)
    }

    fn add(
        &mut self,
        operator: &mut impl Operator<F>,
        candidates: usize,
        parts: Parts,
        floor: F::Real,
    ) -> Result<usize, Error> {
        let candidates = candidates.min(self.block.rows());
        for i in 0..candidates {
            let row = self.block.row_mut(i);
            let length = vector::norm(row);
            if length > F::Real::ZERO {
                row.iter_mut().for_each(|x| *x = x.unscale(length));
            }
            put(self.lengths, i, length);
        }
        // Once to see what is new, and once more because what is left may be mostly the rounding of the first.
        let kept = self.orthonormalise(candidates, parts, |left, length| {
            left > dependent::<F::Real>() && left * length > floor
        })?;
        let kept =
            self.orthonormalise(kept, Parts::Unknown, |left, _| left > F::Real::HALF)?.min(self.room());
        let first = self.count;
        for i in 0..kept {
            vector::copy(self.block.as_ref().row(i), self.basis.row_mut(first.wrapping_add(i)));
        }
        self.count = first.wrapping_add(kept);
        self.newest = kept;
        self.products = self.products.saturating_add(kept);
        if kept > 0 {
            let rows = first..self.count;
            operator
                .apply(rows_of(self.basis.as_ref(), rows.clone())?, rows_of_mut(&mut self.images, rows)?)?;
            self.project(first)?;
        }
        Ok(kept)
    }

    /// Takes the basis out of the first `candidates` rows of the block without normalising them.
    fn expel_basis(&mut self, candidates: usize, parts: Parts) -> Result<(), Error> {
        let count = self.count;
        let coefficients = self.coefficients.get_mut(..candidates.wrapping_mul(count)).unwrap_or(&mut []);
        let basis = rows_of(self.basis.as_ref(), 0..count)?;
        match parts {
            Parts::Projected => {
                let first = count.saturating_sub(candidates);
                for (i, row) in coefficients.chunks_exact_mut(count.max(1)).enumerate() {
                    let known = self.projected.as_ref().row(first.wrapping_add(i));
                    // A candidate of no length was not scaled.
                    let length =
                        Some(at(self.lengths, i)).filter(|&l| l > F::Real::ZERO).unwrap_or(F::Real::ONE);
                    row.iter_mut().zip(known).for_each(|(x, h)| *x = h.conj().unscale(length));
                }
            }
            Parts::Unknown => {
                let block = rows_of(self.block.as_ref(), 0..candidates)?;
                multiply_adjoint(block, basis, MatMut::new("block", coefficients, candidates, count)?)?;
            }
        }
        let coefficients = Mat::new("block", coefficients, candidates, count)?;
        multiply(coefficients, basis, rows_of_mut(&mut self.correction, 0..candidates)?)?;
        for i in 0..candidates {
            vector::axpy(-F::ONE, self.correction.as_ref().row(i), self.block.row_mut(i));
        }
        Ok(())
    }

    /// Gram-Schmidt on unit candidates; those that `keep(length left, length before)` accepts move to the front.
    fn orthonormalise(
        &mut self,
        candidates: usize,
        parts: Parts,
        keep: impl Fn(F::Real, F::Real) -> bool,
    ) -> Result<usize, Error> {
        self.expel_basis(candidates, parts)?;
        let mut kept = 0;
        for i in 0..candidates {
            for j in 0..kept {
                let (row, other) = self.block.two_rows_mut(i, j);
                vector::axpy(-vector::dot(other, row), other, row);
            }
            let row = self.block.row_mut(i);
            let left = vector::norm(row);
            let before = at(self.lengths, i);
            if keep(left, before) {
                row.iter_mut().for_each(|x| *x = x.unscale(left));
                let (from, to) = self.block.two_rows_mut(i, kept);
                vector::copy(from, to);
                put(self.lengths, kept, before);
                kept = kept.wrapping_add(1);
            }
        }
        Ok(kept)
    }

    /// The rows of the projected problem from `first` on.
    fn project(&mut self, first: usize) -> Result<(), Error> {
        let (count, new) = (self.count, self.count.saturating_sub(first));
        let products = self.coefficients.get_mut(..new.wrapping_mul(count)).unwrap_or(&mut []);
        let images = rows_of(self.images.as_ref(), first..count)?;
        let basis = rows_of(self.basis.as_ref(), 0..count)?;
        multiply_adjoint(images, basis, MatMut::new("block", products, new, count)?)?;
        for (i, row) in products.chunks_exact(count.max(1)).enumerate() {
            let target = self.projected.row_mut(first.wrapping_add(i));
            target.iter_mut().zip(row).for_each(|(h, x)| *h = x.conj());
        }
        Ok(())
    }

    /// Rayleigh-Ritz: all eigenvalues of the projected problem, and as many leading vectors as `wanted` says when it has
    /// seen them.
    pub(crate) fn solve(&mut self, wanted: impl FnOnce(&[F::Real]) -> usize) -> Result<(), Error> {
        self.solve_from(0, wanted)
    }

    /// The largest Ritz value orthogonal to the first `locked` vectors, zero where there is none; the other Ritz
    /// values and vectors are then undefined until the next [`Self::solve`].
    pub(crate) fn solve_deflated(&mut self, locked: usize) -> Result<F::Real, Error> {
        self.solve_from(locked, |_| 0)?;
        Ok(if locked < self.count { at(self.values, 0) } else { F::Real::ZERO })
    }

    fn solve_from(&mut self, first: usize, wanted: impl FnOnce(&[F::Real]) -> usize) -> Result<(), Error> {
        let order = self.count.saturating_sub(first);
        if order == 0 {
            return Ok(());
        }
        let row = |i: usize| self.projected.as_ref().row(first.wrapping_add(i)).get(first..).unwrap_or(&[]);
        let rotation = self.rotation.get_mut(..order.wrapping_mul(order)).unwrap_or(&mut []);
        let values = self.values.get_mut(..order).unwrap_or(&mut []);
        let mut vectors = MatMut::new("basis", rotation, order, order)?;
        eigen_leading(row, values, &mut vectors, wanted, &mut self.work)
    }

    /// `A y - theta y` for the Ritz pairs `range`, at most as many as a block has rows: the first rows of the correction,
    /// and their lengths. The candidates are lost.
    fn write_residuals(&mut self, range: Range<usize>) -> Result<(), Error> {
        let (count, rows) = (self.count, 0..range.len());
        let weights = self.rotation.get(range.start * count..range.end * count).unwrap_or(&[]);
        let weights = Mat::new("basis", weights, rows.len(), count)?;
        let (basis, images) =
            (rows_of(self.basis.as_ref(), 0..count)?, rows_of(self.images.as_ref(), 0..count)?);
        multiply(weights, images, rows_of_mut(&mut self.correction, rows.clone())?)?;
        multiply(weights, basis, rows_of_mut(&mut self.block, rows.clone())?)?;
        for (i, pair) in rows.zip(range) {
            let residual = self.correction.row_mut(i);
            vector::axpy(F::from_real(-at(self.values, pair)), self.block.as_ref().row(i), residual);
            put(self.lengths, i, vector::norm(residual));
        }
        Ok(())
    }

    /// Whether the residuals `r` of the first `count` Ritz pairs take up no more than is allowed: the sum of all
    /// `share(theta, r)` is at most one. The last and slowest are asked first: most often one is answer enough.
    pub(crate) fn settled(
        &mut self,
        count: usize,
        share: impl Fn(F::Real, F::Real) -> F::Real,
    ) -> Result<Settled<F::Real>, Error> {
        let (mut end, mut step, mut taken) = (count.min(self.count), 1, F::Real::ZERO);
        while end > 0 {
            let start = end.saturating_sub(step);
            self.write_residuals(start..end)?;
            taken = self.shares(start..end, &share).fold(taken, |sum, x| sum + x);
            if exceeds(taken, F::Real::ONE) {
                return Ok(Settled::No { asked: count.saturating_sub(start) });
            }
            (end, step) = (start, step.saturating_mul(4).min(self.block.rows()));
        }
        Ok(Settled::Yes { taken })
    }

    /// How many Ritz pairs from the start of a range on may join those that have `taken` their part; at most a block.
    pub(crate) fn settled_also(
        &mut self,
        range: Range<usize>,
        mut taken: F::Real,
        share: impl Fn(F::Real, F::Real) -> F::Real,
    ) -> Result<usize, Error> {
        let range = range.start..range.end.min(range.start.saturating_add(self.block.rows()));
        self.write_residuals(range.clone())?;
        let joins = |share: &F::Real| {
            taken += *share;
            !exceeds(taken, F::Real::ONE)
        };
        Ok(self.shares(range, &share).take_while(joins).count())
    }

    /// The shares of the pairs whose residuals were written last.
    fn shares(
        &self,
        range: Range<usize>,
        share: &impl Fn(F::Real, F::Real) -> F::Real,
    ) -> impl Iterator<Item = F::Real> {
        let pairs = self.values.iter().skip(range.start).zip(self.lengths.iter());
        pairs.take(range.len()).map(|(&theta, &r)| share(theta, r))
    }

    /// The residuals of those among the first `count` Ritz pairs where they exceed `allowed(theta)` become candidates;
    /// returns how many. They span what the images of the whole basis would add for these pairs, and no more.
    pub(crate) fn residual_candidates(
        &mut self,
        count: usize,
        allowed: impl Fn(F::Real) -> F::Real,
    ) -> Result<usize, Error> {
        let count = count.min(self.block.rows());
        self.write_residuals(0..count)?;
        let mut candidates = 0;
        for i in 0..count {
            if exceeds(at(self.lengths, i), allowed(at(self.values, i))) {
                vector::copy(self.correction.as_ref().row(i), self.block.row_mut(candidates));
                candidates = candidates.wrapping_add(1);
            }
        }
        Ok(candidates)
    }

    /// Turns the basis onto its first `keep` Ritz vectors and forgets the rest.
    pub(crate) fn compress(&mut self, keep: usize) -> Result<(), Error> {
        let (count, keep) = (self.count, keep.min(self.count));
        let weights = self.rotation.get(..keep.wrapping_mul(count)).unwrap_or(&[]);
        let q = Mat::new("basis", weights, keep, count)?;
        rotate_rows(q, &mut rows_of_mut(&mut self.basis, 0..count)?, &mut self.work)?;
        rotate_rows(q, &mut rows_of_mut(&mut self.images, 0..count)?, &mut self.work)?;
        for i in 0..keep {
            let value = F::from_real(at(self.values, i));
            self.projected.row_mut(i).fill(F::ZERO);
            self.projected.set(i, i, value);
        }
        (self.count, self.newest) = (keep, 0);
        Ok(())
    }

    /// Thick restart: the first `keep` Ritz vectors and what the newest images add to the basis, as candidates;
    /// returns how many.
    pub(crate) fn restart(&mut self, keep: usize) -> Result<usize, Error> {
        let candidates = self.image_candidates();
        self.expel_basis(candidates, Parts::Unknown)?;
        self.compress(keep)?;
        Ok(candidates)
    }

    /// The first `count` Ritz vectors become rows of `vectors`.
    pub(crate) fn write_vectors(&self, vectors: &mut MatMut<'_, F>, count: usize) -> Result<(), Error> {
        let count = count.min(self.count);
        let weights = self.rotation.get(..count.wrapping_mul(self.count)).unwrap_or(&[]);
        let basis = rows_of(self.basis.as_ref(), 0..self.count)?;
        multiply(Mat::new("basis", weights, count, self.count)?, basis, rows_of_mut(vectors, 0..count)?)
    }
}

/// Random vectors beyond the wanted number: they make room for the rest of a cluster.
const SPARE: usize = 4;

/// How [`top`] should look.
#[derive(Clone, Copy, Debug)]
pub struct TopOptions<T> {
    /// How many eigenpairs.
    pub count: usize,
    /// The largest residual, relative to the largest eigenvalue in absolute value.
    pub tolerance: T,
    /// Vectors in the basis at most; at least three times `count + 4`, or the order of the operator.
    pub capacity: usize,
    /// Products with a vector at most.
    pub max_products: usize,
    /// Of the random start.
    pub seed: u64,
}

impl<T: Scalar> TopOptions<T> {
    /// `count` eigenpairs to about the square root of the rounding, in a basis of eight blocks.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let capacity = count.saturating_add(SPARE).saturating_mul(8);
        Self {
            count,
            tolerance: T::EPSILON.sqrt(),
            capacity,
            max_products: capacity.saturating_mul(50),
            seed: 0,
        }
    }

    fn sizes(&self, n: usize) -> Result<(usize, usize), Error> {
        check::positive("operator", n)?;
        if self.count == 0 || self.count > n {
            return Err(Error::Parameter { what: "count", requirement: "1 to the order of the operator" });
        }
        check::not_negative("tolerance", self.tolerance)?;
        let block = self.count.saturating_add(SPARE).min(n);
        let capacity = self.capacity.min(n);
        if capacity < block.saturating_mul(3).min(n) {
            let requirement = "at least three times count + 4, or the order of the operator";
            return Err(Error::Parameter { what: "capacity", requirement });
        }
        Ok((block, capacity))
    }
}

/// What [`top`] needs for an operator of order `n`.
pub fn top_layout<F: Field>(n: usize, options: &TopOptions<F::Real>) -> Result<Layout, Error> {
    let (block, capacity) = options.sizes(n)?;
    Space::<F>::layout(n, capacity, block)
}

/// The `count` algebraically largest eigenpairs, values descending, vectors as rows.
///
/// The start is a random block larger than `count`, so a multiple eigenvalue comes with all its vectors (with
/// probability one). `values` has `count` elements, `vectors` is `count x n`. Returns the number of products.
pub fn top<F: Field>(
    operator: &mut impl Operator<F>,
    options: &TopOptions<F::Real>,
    values: &mut [F::Real],
    mut vectors: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let n = operator.dimension();
    let wanted = options.count;
    let (block, capacity) = options.sizes(n)?;
    check::shape("eigenvalues", values, &[wanted])?;
    agree("rows of the eigenvectors", wanted, vectors.rows())?;
    agree("columns of the eigenvectors", n, vectors.cols())?;
    work.require(Space::<F>::layout(n, capacity, block)?)?;
    let mut space = Space::<F>::new(n, capacity, block, work.scope())?;

    space.random_candidates(0..block, &mut Rng::new(options.seed));
    let mut new = space.extend(operator, block, F::Real::ZERO)?;
    loop {
        // Half of what the next block leaves free goes to Ritz vectors that are not wanted but near.
        let kept = wanted.saturating_add(capacity.saturating_sub(wanted.saturating_mul(2)) / 2);
        let full = capacity < n && space.room() < new;
        space.solve(|values| if full { kept.min(values.len()) } else { wanted })?;
        let size = space.values().iter().fold(F::Real::ZERO, |m, x| Scalar::max(m, x.abs()));
        let allowed = size * Scalar::max(options.tolerance, F::Real::TWO * noise::<F::Real>());
        let share = |_, r| if exceeds(r, allowed) { F::Real::TWO } else { F::Real::ZERO };
        if space.count() >= wanted && matches!(space.settled(wanted, share)?, Settled::Yes { .. }) {
            break;
        }
        if new == 0 || space.is_complete() || space.products() >= options.max_products {
            return Err(Error::NotConverged { what: "leading eigenpairs", limit: space.products() });
        }
        // What the wanted pairs lack; those that are settled need nothing more.
        let candidates = space.residual_candidates(wanted, |_| allowed)?;
        if full {
            space.compress(kept)?;
        }
        new = space.extend(operator, candidates, size * noise::<F::Real>())?;
    }
    space.values().iter().zip(values).for_each(|(&theta, value)| *value = theta);
    space.write_vectors(&mut vectors, wanted)?;
    Ok(space.products())
}
