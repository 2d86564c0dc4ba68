//! The ADMM of Eqs. (15) to (35), one step at a time.
//!
//! The paper's iteration has twelve tensors and transforms most of them in every step. Algebra leaves six and no
//! transform but the one that the tubal shrinkage is made of:
//!
//! - the updates of `S1`, `S2` and `E` are linear, so the transforms around them cancel: they are elementwise;
//! - `Q3 = Q1` after every step (that is the optimality of the `E` step), so `Q3` need not exist and
//!   `E = (A + W - S1 - S2)/2`;
//! - `W` is its argument times a factor a group, known from norms that the last pass has summed;
//! - `A` is needed only while its row is hot, `S2` only inside `B = S1 + S2 + E - Q1/rho`, the argument of the next
//!   projection, from which it can be had back;
//! - `K` comes from `S1` and `Q2` of the *last* step, before the pass: zero where a norm proves it, factors where the
//!   rank is low (`consistent.rs`, `factors.rs`).
//!
//! So a step is `K`, and then one pass (`pass.rs`) that reads `D, B, S1, E, Q1, Q2` and writes all but `D`.

mod consistent;
mod factors;
mod pass;
mod spectrum;

use crate::config::Config;
use crate::prox::tubal::vanishing;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};
use factors::Factors;
use pass::{Tensors, Weights};
use spectrum::Norms;

/// What one step reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record<T> {
    /// Steps so far.
    pub iteration: usize,
    /// The penalty of this step.
    pub rho: T,
    /// `||S1_new - S1||_F`.
    pub change: T,
    /// `||A - S1 - S2 - E||_F`.
    pub split_residual: T,
    /// `||S1 - K||_F`.
    pub low_rank_residual: T,
    /// `||E - W||_F`.
    pub noise_residual: T,
    /// The largest rank of a slice of `K`.
    pub rank: usize,
    /// The sum of the ranks of all slices.
    pub total_rank: usize,
}

/// Numbers that last from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Progress<T> {
    pub(crate) iteration: usize,
    /// The penalty of the next step.
    pub(crate) rho: T,
    /// `||S1 + Q2/rho||_F^2` with that penalty, or less where no slice of the spectrum can have more.
    pub(crate) argument: T,
    /// Whether the transient memory of the step still holds `S1 + Q2/rho` in strips, where the last pass has left it.
    pub(crate) in_strips: bool,
}

/// The state of a run in one buffer.
pub(crate) struct State<'a, T> {
    /// Distances, `[i][v][j]` as every tensor here.
    pub(crate) d: &'a mut [T],
    /// `S1 + S2 + E - Q1/rho`.
    pub(crate) b: &'a mut [T],
    pub(crate) s1: &'a mut [T],
    pub(crate) e: &'a mut [T],
    pub(crate) q1: &'a mut [T],
    pub(crate) q2: &'a mut [T],
    /// Sums of squares of the columns of `E + Q1/rho`.
    columns: &'a mut [T],
    /// Norms of the slices of `S1 + Q2/rho` in which factors are looked for.
    norms: &'a mut [T],
    factors: Factors<'a, T>,
}

impl<'a, T: Scalar> State<'a, T> {
    /// Memory that lasts: `D` and `B`, and the rest, which nobody needs before the first step.
    pub(crate) fn layouts(config: &Config<T>) -> Result<(Layout, Layout), Error> {
        let tensor = check::product("tensor", &[config.samples, config.views, config.samples])?;
        let pair = Layout::array::<T>(tensor)?.and_array::<T>(tensor)?;
        let small = Self::small_layout(config)?.to_line(config.samples)?;
        Ok((pair, pair.and(pair)?.and_array::<T>(config.samples)?.and(small)?))
    }

    /// What follows the tensors.
    fn small_layout(config: &Config<T>) -> Result<Layout, Error> {
        Factors::layout(config)?.and_array::<T>(Self::norms_length(config)?)
    }

    fn norms_length(config: &Config<T>) -> Result<usize, Error> {
        Ok(factors::searched(config)? * Norms::<T>::LENGTH)
    }

    /// Memory of a step.
    pub(crate) fn step_layout(config: &Config<T>) -> Result<Layout, Error> {
        let (kept, search) = consistent::layouts(config)?;
        kept.and(search.or(pass::layout(config)?))
    }

    /// Carves the state; the contents are those of an earlier call.
    pub(crate) fn carve(config: &Config<T>, arena: &mut Arena<'a>) -> Result<Self, Error> {
        let tensor = check::product("tensor", &[config.samples, config.views, config.samples])?;
        let state = Self {
            d: arena.take(tensor)?,
            b: arena.take(tensor)?,
            s1: arena.take(tensor)?,
            e: arena.take(tensor)?,
            q1: arena.take(tensor)?,
            q2: arena.take(tensor)?,
            columns: arena.take(config.samples)?,
            factors: Factors::carve(config, arena)?,
            norms: arena.take(Self::norms_length(config)?)?,
        };
        if cfg!(feature = "large") {
            arena.skip_to_line(Self::small_layout(config)?, config.samples)?;
        }
        Ok(state)
    }

    /// Zeros where views are added up before the first step, in the place of `B`.
    pub(crate) fn clear_views(self) {
        self.b.fill(T::ZERO);
    }

    /// The state before the first step. Its tensors are zero, but the first pass is who writes that, row by row while it
    /// has them at hand.
    pub(crate) fn start(&mut self, config: &Config<T>) -> Progress<T> {
        self.columns.fill(T::ZERO);
        self.norms.fill(T::MAX);
        self.factors.clear();
        Progress { iteration: 0, rho: config.rho, argument: T::ZERO, in_strips: false }
    }

    /// One iteration of Algorithm 1. An error leaves the tensors as they were.
    pub(crate) fn step(
        self,
        config: &Config<T>,
        progress: &mut Progress<T>,
        work: &mut Arena<'_>,
    ) -> Result<Record<T>, Error> {
        work.require(Self::step_layout(config)?)?;
        let mut work = work.scope();
        let rho = progress.rho;
        let next = next_penalty(config, rho);
        let Self { d, b, s1, e, q1, q2, columns, norms, factors } = self;
        let (mut k, ranks) = consistent::update(config, factors, (s1, q2, norms), progress, &mut work)?;
        let weights = Weights {
            rho,
            inverse: T::ONE / rho,
            next_inverse: T::ONE / next,
            graph: T::ONE / (T::TWO * config.alpha() + rho),
            specific: T::ONE / (T::TWO * config.gamma + rho),
            self_loops: config.self_loops,
            first: progress.iteration == 0,
            noise: config.noise,
            // Where the norm of the whole is far from the threshold now, it will decide the next step too.
            watched: !vanishing(T::from_f64(8.0) * progress.argument.sqrt(), config.views, config.tau(rho)),
        };
        let tensors = Tensors { d, b, s1, e, q1, q2 };
        let strips = k.take_strips();
        let in_strips = !strips.is_empty();
        let [change, split, low_rank, noise, argument] =
            pass::run(config, &weights, tensors, (&k, strips), (columns, norms), &mut work)?;
        *progress =
            Progress { iteration: progress.iteration.saturating_add(1), rho: next, argument, in_strips };
        Ok(Record {
            iteration: progress.iteration,
            rho,
            change: change.sqrt(),
            split_residual: split.sqrt(),
            low_rank_residual: low_rank.sqrt(),
            noise_residual: noise.sqrt(),
            rank: ranks.largest,
            total_rank: ranks.total,
        })
    }
}

/// Where row `i` of view `v` lies in a tensor of `[i][v][j]`.
pub(crate) fn row_range<T: Scalar>(
    config: &Config<T>,
    v: usize,
    i: usize,
    length: usize,
) -> core::ops::Range<usize> {
    let start = i.wrapping_mul(config.views).wrapping_add(v).wrapping_mul(config.samples).min(length);
    start..start.saturating_add(config.samples).min(length)
}

/// `mu rho`, but no further than where a step can still change a digit, so that no number of steps overflows.
fn next_penalty<T: Scalar>(config: &Config<T>, rho: T) -> T {
    let limit = T::ONE / T::EPSILON;
    if rho >= limit { rho } else { Scalar::min(rho * config.mu, limit) }
}
