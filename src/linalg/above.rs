//! All eigenpairs above a threshold of a positive semidefinite operator, with a proof that there are no others.

use super::certificate::{by_trace, depth_by_probes};
use super::krylov::{Operator, Settled, Space, dependent, noise};
use super::rotate::rows_of;
use super::vector::{self, at};
use super::{Mat, MatMut};
use crate::rng::Rng;
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};

/// Why nothing above the threshold is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// What was not explored is too small altogether: the Frobenius norm says so. It cannot be fooled.
    Norm,
    /// Random probes would have shown it, but for a probability of 2^-40 over the seed.
    Probes,
    /// Every dimension was explored. It cannot be fooled.
    Complete,
}

/// What came of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exactly `count` lie above the threshold, and here they are.
    Found {
        /// How many.
        count: usize,
        /// Why there are no others.
        proof: Proof,
    },
    /// More than the caller's limit lie above the threshold: Ritz values are lower bounds, so this is certain.
    TooMany {
        /// As many at least.
        at_least: usize,
    },
    /// Not settled within the basis and the products allowed, or not to the accuracy promised. A dense method
    /// can tell.
    Undecided,
}

/// The wish, in terms of the operator.
pub(crate) struct Above<T> {
    pub(crate) threshold: T,
    pub(crate) trace: Option<T>,
    /// Relative accuracy of the square root of the operator.
    pub(crate) accuracy: T,
    /// The error that the rounding of the operator, which is a square, may cause.
    pub(crate) squaring: T,
    pub(crate) max_rank: usize,
    pub(crate) capacity: usize,
    pub(crate) probes: usize,
    pub(crate) max_products: usize,
    pub(crate) seed: u64,
}

/// A multiple of the rounding that a converged residual may consist of.
const FLOOR: f64 = 10.0;

/// Between looks the basis grows by one part in this many, as long as the slowest pair is not settled.
const FAR: usize = 5;
/// The same, once it is settled and only others are not.
const NEAR: usize = 16;

/// Products that one more pair takes to settle, about.
const SETTLING: usize = 6;

/// The part of the threshold by which probes prove less than the threshold itself, so that what they leave out need not be
/// settled: see [`Above::shares`].
const SLACK: f64 = 1e-3;

impl<T: Scalar> Above<T> {
    fn block(&self, n: usize) -> usize {
        self.max_rank.saturating_add(self.probes).min(n)
    }

    fn capacity(&self, n: usize) -> usize {
        self.capacity.min(n)
    }

    pub(crate) fn layout<F: Field<Real = T>>(&self, n: usize) -> Result<Layout, Error> {
        check::positive("operator", n)?;
        if !(1..=64).contains(&self.probes) {
            return Err(Error::Parameter { what: "probes", requirement: "1 to 64" });
        }
        if self.capacity(n) < self.block(n).saturating_mul(3).min(n) {
            let requirement = "at least three times the rank and the probes, or all columns";
            return Err(Error::Parameter { what: "capacity", requirement });
        }
        if !(self.accuracy > T::ZERO && self.accuracy < T::ONE) {
            return Err(Error::Parameter { what: "tolerance", requirement: "between zero and one" });
        }
        Space::<F>::layout(n, self.capacity(n), self.block(n))
    }

    /// The part that a residual `r` at a Ritz value takes of what is allowed altogether.
    ///
    /// A residual `r` at the value `s^2` moves the shrunk operator's root by at most `r/s`: it couples to a value
    /// `z^2` by an angle of `r/|s^2 - z^2|`, which matters as `|s - z|` of it. Vectors are orthogonal, and squares add up.
    ///
    /// Pairs below the threshold `t` are only to be out of the probes' way. Let these pairs, of values up to `next`, couple
    /// by `B` to what the probes prove to be at most `u < t`. Together they have no eigenvalue above `t` as long as
    /// `(t - next) (t - u) >= ||B||^2`, which is at most the sum of the squares of their residuals.
    fn shares(&self, view: &View<T>) -> impl Fn(T, T) -> T {
        let &Self { threshold, accuracy, .. } = self;
        let (size, quarter) = (view.size, T::HALF * T::HALF);
        let apart = Scalar::max(threshold - view.next, T::ZERO) * (threshold - self.goal(true));
        move |value, r| {
            // Rounding cannot be iterated away.
            if r <= T::from_f64(FLOOR) * T::EPSILON * size {
                return T::ZERO;
            }
            let moved = r / (accuracy * quarter * (size * Scalar::max(value, T::ZERO)).sqrt());
            let coupled = if value > threshold { T::MAX } else { r * r / (quarter * apart) };
            Scalar::min(moved * moved, coupled)
        }
    }

    /// What probes must prove: the threshold, or a little less where pairs below it are `loose`.
    fn goal(&self, loose: bool) -> T {
        if loose { self.threshold * T::from_f64(1.0 - SLACK) } else { self.threshold }
    }

    /// Looks for the pairs, starting from the first `warm` rows of `vectors`. `values` and `vectors` are written
    /// only where they are found.
    pub(crate) fn search<F: Field<Real = T>>(
        &self,
        operator: &mut impl Operator<F>,
        warm: usize,
        values: &mut [T],
        vectors: &mut MatMut<'_, F>,
        work: &mut Arena<'_>,
    ) -> Result<Outcome, Error> {
        let n = operator.dimension();
        work.require(self.layout::<F>(n)?)?;
        let space = Space::<F>::new(n, self.capacity(n), self.block(n), work.scope())?;
        let rng = Rng::new(self.seed);
        let mut search =
            Search { wish: self, space, rng, n, locked: 0, sure: 0, depth: None, new: 0, growth: FAR };

        // Good guesses need no probes to settle, and probes drawn later prove more; guesses of no use are replaced.
        if warm == 0 || !search.refine(operator, rows_of(vectors.as_ref(), 0..warm)?)? {
            search.probe(operator)?;
        }
        // As many as there were: fewer could hardly be enough.
        while search.depth.is_none() && search.may_grow() && search.space.count() < warm {
            search.grow(operator, F::Real::ZERO)?;
        }
        loop {
            let view = search.look()?;
            match search.judge(&view)? {
                Verdict::Outcome(outcome) => {
                    if let Outcome::Found { count, .. } = outcome {
                        search
                            .space
                            .values()
                            .iter()
                            .zip(values)
                            .take(count)
                            .for_each(|(&v, value)| *value = v);
                        search.space.write_vectors(vectors, count)?;
                    }
                    return Ok(outcome);
                }
                Verdict::Open { wanted } => {
                    if !search.advance(operator, &view, wanted)? {
                        return Ok(Outcome::Undecided);
                    }
                }
            }
        }
    }
}

/// A search under way.
struct Search<'a, 'w, F: Field> {
    wish: &'a Above<F::Real>,
    space: Space<'w, F>,
    rng: Rng,
    n: usize,
    /// Vectors that were fixed when the probes were drawn: the first of the basis.
    locked: usize,
    /// How many of them lay above the threshold, and are therefore settled.
    sure: usize,
    /// Blocks since the probes were drawn, theirs included, while all of them are in the basis.
    depth: Option<usize>,
    /// Directions that the last block added.
    new: usize,
    /// One part in how many the basis grows before the next look: [`FAR`] or [`NEAR`].
    growth: usize,
}

/// What the Ritz values say.
#[derive(Default)]
struct View<T> {
    /// The largest.
    size: T,
    /// How many lie above the threshold.
    found: usize,
    /// The largest of the others.
    next: T,
    /// All together.
    explored: T,
    /// The depth of the probes, and the largest value they have seen, where they were drawn after everything above
    /// the threshold was fixed.
    probed: Option<(usize, T)>,
    /// See [`Search::plan`].
    plan: Option<usize>,
}

enum Verdict {
    Outcome(Outcome),
    /// Go on until the first `wanted` pairs are settled.
    Open {
        wanted: usize,
    },
}

/// What decides how far to go.
struct Planner<'a, T> {
    wish: &'a Above<T>,
    n: usize,
    locked: usize,
}

/// So many wanted pairs, and those after them that may be settled as well, of `count`.
fn with_spare(wanted: usize, count: usize) -> usize {
    wanted.saturating_add(wanted / 4).saturating_add(8).min(count)
}

impl<T: Scalar> Planner<'_, T> {
    /// How many values lie above the threshold.
    fn above(&self, values: &[T]) -> usize {
        values.iter().filter(|&&v| v > self.wish.threshold).count()
    }

    /// How many leading pairs to settle before fresh probes can prove, in the capacity there is, that the rest is
    /// below the threshold: those `found` above it, and those so near below it that it is cheaper to have them out of
    /// the probes' way. Where probes are under way, those that they were `deflated` by, if that is enough. `None` where
    /// no number will do; Ritz values only grow, so it never will.
    fn plan(&self, values: &[T], found: usize, deflated: Option<T>) -> Option<usize> {
        let first = match deflated {
            Some(deflated) if self.depth_needed(self.locked, found, deflated).is_some() => {
                return Some(self.locked);
            }
            Some(_) => self.locked.saturating_add(1),
            None => found,
        };
        let cost = |w: usize| {
            let depth = self.depth_needed(w, found, at(values, w))?;
            Some(depth * self.wish.probes + (w - first) * SETTLING)
        };
        (first..=values.len()).filter_map(|w| Some((cost(w)?, w))).min().map(|(_, w)| w)
    }

    /// The depth at which probes, drawn after `wanted` vectors were fixed of which `found` lay above the threshold, prove
    /// that there are no more, if the largest value that they leave is at least `next`; `None` where there is no room for
    /// that.
    fn depth_needed(&self, wanted: usize, found: usize, next: T) -> Option<usize> {
        let probes = self.wish.probes;
        let limit = self.wish.capacity(self.n).saturating_sub(wanted) / probes.max(1);
        depth_by_probes(self.n, probes, next, self.wish.goal(wanted > found), limit)
    }
}

impl<'a, F: Field> Search<'a, '_, F> {
    const fn planner(&self) -> Planner<'a, F::Real> {
        Planner { wish: self.wish, n: self.n, locked: self.locked }
    }

    fn value(&self, i: usize) -> F::Real {
        self.space.values().get(i).copied().unwrap_or(F::Real::ZERO)
    }

    /// How many Ritz values lie above the threshold.
    fn above(&self) -> usize {
        self.planner().above(self.space.values())
    }

    /// True where the basis may grow until it spans everything.
    fn may_complete(&self) -> bool {
        self.wish.capacity(self.n) == self.n
    }

    /// Adds fresh probes to a basis that is fixed from now on; false where there is no room for any.
    fn probe(&mut self, operator: &mut impl Operator<F>) -> Result<bool, Error> {
        let end = self.wish.probes.min(self.wish.block(self.n));
        self.space.random_candidates(0..end, &mut self.rng);
        self.locked = self.space.count();
        self.sure = self.above();
        // Fewer probes than that, in spaces smaller than a block, prove nothing.
        self.depth = (end == self.wish.probes).then_some(1);
        self.new = self.space.extend(operator, end, F::Real::ZERO)?;
        Ok(self.new > 0)
    }

    /// Starts from `guesses`; false where they have no direction.
    ///
    /// A few combinations of many guesses: powers of the operator tell the guesses apart again, and go on to what
    /// they lack, where a block of them all would be at the same power after as many products as guesses. Fewer come with
    /// random vectors, for the operator is read once for a block, whatever its width.
    fn refine(&mut self, operator: &mut impl Operator<F>, guesses: Mat<'_, F>) -> Result<bool, Error> {
        let count = self.wish.probes.min(self.wish.block(self.n));
        self.space.random_candidates(guesses.rows().min(count)..count, &mut self.rng);
        for i in 0..count.min(guesses.rows()) {
            let candidate = self.space.candidate_mut(i);
            if guesses.rows() <= count {
                vector::copy(guesses.row(i), candidate);
                continue;
            }
            candidate.fill(F::ZERO);
            for j in 0..guesses.rows() {
                let weight = F::from_real(self.rng.uniform::<F::Real>() - F::Real::HALF);
                vector::axpy(weight, guesses.row(j), candidate);
            }
        }
        self.depth = None;
        self.new = self.space.extend(operator, count, F::Real::ZERO)?;
        Ok(self.new > 0)
    }

    fn look(&mut self) -> Result<View<F::Real>, Error> {
        let deflated = match self.depth {
            Some(_) => self.space.solve_deflated(self.locked)?,
            None => F::Real::ZERO,
        };
        let planner = self.planner();
        let (depth, sure, fits) = (self.depth, self.sure, self.space.newest() <= self.space.room());
        let mut view = View::default();
        self.space.solve(|values| {
            let found = planner.above(values);
            let probed = depth.filter(|_| found <= sure).map(|depth| (depth, deflated));
            let plan = planner.plan(values, found, probed.map(|(_, deflated)| deflated));
            view = View {
                size: Scalar::max(at(values, 0), F::Real::ZERO),
                found,
                next: at(values, found),
                explored: values.iter().fold(F::Real::ZERO, |sum, &v| sum + v),
                probed,
                plan,
            };
            // A restart keeps what is near, too.
            if fits { with_spare(plan.unwrap_or(found), values.len()) } else { values.len() }
        })?;
        Ok(view)
    }

    fn judge(&mut self, view: &View<F::Real>) -> Result<Verdict, Error> {
        let wish = self.wish;
        let rounding = view.size * noise::<F::Real>();
        let certain = self.space.values().iter().filter(|&&v| v > wish.threshold + rounding).count();
        if certain > wish.max_rank {
            return Ok(Verdict::Outcome(Outcome::TooMany { at_least: certain }));
        }
        // Squares of what is smaller than this have lost the digits that we promise.
        let resolution = F::Real::from_f64(FLOOR) * F::Real::EPSILON / wish.squaring;
        if view.found > wish.max_rank || wish.threshold < resolution * resolution * view.size {
            return Ok(Verdict::Outcome(Outcome::Undecided));
        }
        match self.proof(view) {
            Some(proof) if self.settled(view.found, view)?.is_some() => {
                return Ok(Verdict::Outcome(Outcome::Found { count: view.found, proof }));
            }
            Some(Proof::Complete) => return Ok(Verdict::Outcome(Outcome::Undecided)),
            _ => (),
        }
        Ok(match view.plan {
            _ if self.space.products() >= wish.max_products => Verdict::Outcome(Outcome::Undecided),
            Some(wanted) => Verdict::Open { wanted },
            None if self.may_complete() || self.trace_may_do(view) => Verdict::Open { wanted: view.found },
            None => Verdict::Outcome(Outcome::Undecided),
        })
    }

    fn proof(&self, view: &View<F::Real>) -> Option<Proof> {
        let &Above { threshold, probes, trace, .. } = self.wish;
        if trace.is_some_and(|trace| by_trace(trace, view.explored, view.next, threshold, self.n)) {
            return Some(Proof::Norm);
        }
        if self.space.is_complete() {
            return Some(Proof::Complete);
        }
        let (depth, deflated) = view.probed?;
        let goal = self.wish.goal(self.locked > self.sure);
        // An exhausted Krylov space is as good as an infinitely deep one, up to what was dropped as dependent.
        let exhausted = self.new == 0 && deflated + view.size * dependent::<F::Real>() <= goal;
        let deep = exhausted || depth_by_probes(self.n, probes, deflated, goal, depth).is_some();
        deep.then_some(Proof::Probes)
    }

    /// A guess whether the trace could still prove something, if all that may be explored is as large as the next.
    fn trace_may_do(&self, view: &View<F::Real>) -> bool {
        let reach = F::Real::from_usize(self.space.room()) * view.next;
        self.wish.trace.is_some_and(|trace| trace - view.explored - reach <= self.wish.threshold)
    }

    /// What part of the error that is allowed is in the first `wanted` Ritz pairs, where they are accurate enough.
    fn settled(&mut self, wanted: usize, view: &View<F::Real>) -> Result<Option<F::Real>, Error> {
        Ok(match self.space.settled(wanted, self.wish.shares(view))? {
            Settled::Yes { taken } => Some(taken),
            Settled::No { asked } => {
                self.growth = if asked > 1 { NEAR } else { FAR };
                None
            }
        })
    }

    /// The next block: fresh probes where everything wanted is settled but not yet out of the probes' way, else what
    /// the wanted pairs lack, or the images of the last block. False where none is possible.
    fn advance(
        &mut self,
        operator: &mut impl Operator<F>,
        view: &View<F::Real>,
        wanted: usize,
    ) -> Result<bool, Error> {
        let stale = view.probed.is_none() || wanted > self.locked;
        let rounding = view.size * noise::<F::Real>();
        if view.plan.is_some()
            && stale
            && let Some(taken) = self.settled(wanted, view)?
        {
            // What else is out of the probes' way is so for nothing.
            let end = with_spare(wanted, self.space.count());
            let also = self.space.settled_also(wanted..end, taken, self.wish.shares(view))?;
            let wanted = wanted.saturating_add(also);
            let next = self.value(wanted);
            self.space.compress(wanted)?;
            return Ok(self.probe(operator)? && self.deepen(operator, next, rounding)?);
        }
        if self.new == 0 {
            // An invariant subspace that proves nothing: go on elsewhere.
            let more = self.probe(operator)?;
            self.depth = None;
            return Ok(more);
        }
        let mut looked = self.space.count();
        if self.space.newest() <= self.space.room() || self.may_complete() {
            self.grow(operator, rounding)?;
        } else {
            self.depth = None;
            let free = self.wish.capacity(self.n).saturating_sub(self.space.newest()).saturating_sub(wanted);
            let candidates = self.space.restart(wanted.saturating_add(free / 2))?;
            looked = self.space.count();
            self.new = self.space.extend(operator, candidates, rounding)?;
        }
        if let Some((_, deflated)) = view.probed {
            return self.deepen(operator, deflated, rounding);
        }
        // Looking costs as much as a few blocks, and tells little before the basis has grown.
        while self.may_grow() && self.space.count() < looked.saturating_add(looked / self.growth.max(1)) {
            self.grow(operator, rounding)?;
        }
        Ok(true)
    }

    /// Goes on where looking would be in vain: before the depth that a proof takes if the largest value that the probes
    /// can see is at least `next`.
    fn deepen(
        &mut self,
        operator: &mut impl Operator<F>,
        next: F::Real,
        rounding: F::Real,
    ) -> Result<bool, Error> {
        let needed = self.planner().depth_needed(self.locked, self.sure, next);
        while self.may_grow() && self.depth.is_some() && self.depth < needed {
            self.grow(operator, rounding)?;
        }
        Ok(true)
    }

    fn may_grow(&self) -> bool {
        self.new > 0
            && self.space.newest() <= self.space.room()
            && self.space.products() < self.wish.max_products
    }

    /// One more block of images.
    fn grow(&mut self, operator: &mut impl Operator<F>, rounding: F::Real) -> Result<(), Error> {
        self.depth = self.depth.map(|depth| depth.saturating_add(1));
        self.new = self.space.grow(operator, rounding)?;
        Ok(())
    }
}
