//! `K` in factors of low rank, slice by slice of the spectrum: what is kept of it, and the search for it.

use super::spectrum::{Argument, Norms, Slice, frequencies, is_complex, is_real};
use crate::config::{Axis, Config, Rank};
use crate::linalg::partial_svd::{
    Map, Matrix, Options, Outcome, Wish, singular_above, singular_above_layout,
};
use crate::linalg::schur;
use crate::linalg::shrink::{shrink_dense_layout, shrink_factor};
use crate::linalg::{Mat, MatMut};
use crate::prox::tubal::{Ranks, strips};
use crate::workspace::{Arena, Layout, as_complex_mut};
use crate::{Error, Field, Scalar, check, parallel};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use num_complex::Complex;

/// Sizes of the memory.
pub(super) struct Sizes {
    /// Rows of a slice's factors; zero where none are looked for.
    pub(super) rank: usize,
    /// Numbers in the factors of all slices.
    factors: usize,
    /// Numbers in a dense `K`.
    pub(super) dense: usize,
}

impl Sizes {
    pub(super) fn of<T: Scalar>(config: &Config<T>) -> Result<Self, Error> {
        let (n, m) = (config.samples, config.views);
        let tensor = check::product("tensor", &[m, n, n])?;
        let (rank, dense) = match (config.axis(), config.rank) {
            (Axis::Samples, _) => (0, strips::length::<T>([n, m, n])?),
            (Axis::Views, Rank::AtMost(_)) => (config.sought_rank(), 0),
            // A search whose basis would be the whole space is a dense method, and a poor one.
            (Axis::Views, Rank::Any { .. }) => {
                let worthwhile = options(config).capacity < n;
                (if worthwhile { config.sought_rank() } else { 0 }, tensor)
            }
        };
        if rank > 0 {
            check::large()?;
        }
        Ok(Self { rank, factors: check::product("factors", &[m, rank, n])?, dense })
    }
}

/// Slices whose factors are looked for; none where a dense method does it all.
pub(super) fn searched<T: Scalar>(config: &Config<T>) -> Result<usize, Error> {
    if !cfg!(feature = "large") {
        return Ok(0);
    }
    Ok(if Sizes::of(config)?.rank > 0 { frequencies(config.views) } else { 0 })
}

/// The factors `K_hat(f) = L^T conj(R)` of all slices. They last from step to step: a search starts from the last.
pub(super) struct Factors<'a, T> {
    pub(super) rank: usize,
    /// Rank of each slice, and last the largest rank of the last step.
    counts: &'a mut [u32],
    pub(super) right: &'a mut [T],
    pub(super) left: &'a mut [T],
}

impl<'a, T: Scalar> Factors<'a, T> {
    pub(super) fn layout(config: &Config<T>) -> Result<Layout, Error> {
        let sizes = Sizes::of(config)?;
        Layout::array::<T>(sizes.factors)?
            .and_array::<T>(sizes.factors)?
            .and_array::<u32>(frequencies(config.views).saturating_add(1))
    }

    pub(super) fn carve(config: &Config<T>, arena: &mut Arena<'a>) -> Result<Self, Error> {
        let sizes = Sizes::of(config)?;
        Ok(Self {
            rank: sizes.rank,
            right: arena.take(sizes.factors)?,
            left: arena.take(sizes.factors)?,
            counts: arena.take(frequencies(config.views).saturating_add(1))?,
        })
    }

    /// Nothing to start from.
    pub(super) fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// The rank of slice `f`; bytes that are not ours may say more than there is room for.
    pub(super) fn count(&self, f: usize) -> usize {
        self.counts.get(f).map_or(0, |&count| self.rank.min(count as usize))
    }

    /// Remembers the largest rank of a step.
    pub(super) fn remember(&mut self, largest: usize) {
        if let Some(last) = self.counts.last_mut() {
            *last = u32::try_from(largest).unwrap_or(u32::MAX);
        }
    }

    /// True where the last step found no more than a search can.
    fn promising(&self) -> bool {
        cfg!(feature = "large")
            && self.rank > 0
            && self.counts.last().is_none_or(|&largest| largest as usize <= self.rank)
    }
}

/// The factors of all slices, or none where a dense method must do. The slices are kept in
/// `dense` where there is memory for them, and formed again for every product elsewhere.
pub(super) fn search<T: Scalar>(
    config: &Config<T>,
    factors: &mut Factors<'_, T>,
    (argument, norms): (Argument<'_, T>, &mut [T]),
    tau: T,
    dense: &mut [T],
    work: &mut Arena<'_>,
) -> Result<Option<Ranks>, Error> {
    if !factors.promising() {
        return match config.rank {
            Rank::Any { .. } => Ok(None),
            Rank::AtMost(allowed) => Err(Error::RankExceeded { allowed }),
        };
    }
    let (n, m) = (config.samples, config.views);
    let (area, most) = (factors.rank * n, factors.rank);
    if !dense.is_empty() {
        argument.form(norms, tau, dense, config.threads)?;
    }
    let norms = &*norms;
    let vanishes = |f: usize| Norms::vanishes(norms, f, tau);
    let busy = (0..frequencies(m)).filter(|&f| !vanishes(f)).count();
    let searchers = searchers(config, most)?;
    let (mut right, mut left, mut dense) = (&mut *factors.right, &mut *factors.left, dense);
    let slices = factors.counts.iter_mut().take(frequencies(m)).enumerate().map(|(f, count)| {
        let planes = if is_real(f, m) { 1 } else { 2 };
        let (area, slice) = (planes * area, planes * n * n);
        (f, count, next(&mut right, area), next(&mut left, area), next(&mut dense, slice))
    });
    let need = search_layouts(config, most)?;
    // Where a dense method has to do it all, no other slice need be searched.
    let dense_must = AtomicBool::new(false);
    let running = &AtomicUsize::new(0);
    parallel::for_each(
        searchers,
        busy.saturating_sub(1) * n * n,
        slices,
        work,
        |work| work.part(need),
        |(f, count, right, left, slice), work| {
            if vanishes(f) {
                *count = 0;
                return Ok(());
            }
            if dense_must.load(Ordering::Relaxed) {
                return Ok(());
            }
            let warm = most.min(*count as usize);
            let norm = Norms::read(norms, f).map(|norms| norms.frobenius).filter(|&norm| norm < T::MAX);
            let task = Task { argument, config, f, running, wish: Wish { tau, norm, warm } };
            running.fetch_add(1, Ordering::Relaxed);
            let found = if is_real(f, m) {
                task.search::<T>(SliceFactors { right, left }, slice, work)
            } else {
                let (right, left) = (as_complex_mut(right), as_complex_mut(left));
                task.search::<Complex<T>>(SliceFactors { right, left }, as_complex_mut(slice), work)
            };
            running.fetch_sub(1, Ordering::Relaxed);
            *count = found?;
            let without = matches!(*count, TOO_MANY | UNDECIDED) && matches!(config.rank, Rank::Any { .. });
            dense_must.fetch_or(without, Ordering::Relaxed);
            Ok(())
        },
    )?;
    let mut ranks = Ranks::default();
    for f in 0..frequencies(m) {
        let count = factors.counts.get(f).copied().unwrap_or(0);
        if matches!(count, TOO_MANY | UNDECIDED) {
            factors.clear();
        }
        match (count, config.rank) {
            (TOO_MANY | UNDECIDED, Rank::Any { .. }) => return Ok(None),
            (TOO_MANY, Rank::AtMost(allowed)) => return Err(Error::RankExceeded { allowed }),
            (UNDECIDED, Rank::AtMost(_)) => {
                let what = "search for the consistent part without memory for a dense one";
                return Err(Error::NotConverged { what, limit: options(config).max_products });
            }
            _ => ranks.add(count as usize, if is_real(f, m) { 1 } else { 2 }),
        }
    }
    Ok(Some(ranks))
}

/// The next `length` elements; none where they are not there.
fn next<'a, T>(from: &mut &'a mut [T], length: usize) -> &'a mut [T] {
    from.split_off_mut(..length).unwrap_or_default()
}

fn options<T: Scalar>(config: &Config<T>) -> Options<T> {
    let options = Options::new(config.sought_rank(), config.seed);
    // Late in a run thresholds are a thousandth of the largest value. In single precision, where squares see a
    // hundredth to four digits, three digits must do there.
    let squaring = Scalar::max(options.squaring, T::from_f64(8192.0) * T::EPSILON);
    Options { squaring, ..options }
}

/// The seed of one search. No two share one: probes prove nothing about vectors that they helped to find, and the last
/// step's are where this one starts.
const fn seed_of(seed: u64, step: usize, frequency: usize) -> u64 {
    let place = (step as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(frequency as u64);
    seed ^ place.wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// What a step on the views axis needs: for searches, or for the dense method in their place.
pub(super) fn scratch_layout<T: Scalar>(config: &Config<T>) -> Result<Layout, Error> {
    let (rank, mut layout) = (Sizes::of(config)?.rank, Layout::EMPTY);
    if cfg!(feature = "large") && rank > 0 {
        for _ in 0..parallel::workers(searchers(config, rank)?) {
            layout = layout.and(search_layouts(config, rank)?)?;
        }
    }
    Ok(layout.or(dense_layouts(config)?))
}

/// Slices that are searched at the same time: as many as there is memory for without asking for more.
fn searchers<T: Scalar>(config: &Config<T>, rank: usize) -> Result<usize, Error> {
    let (each, there) = (search_layouts(config, rank)?.bytes(), dense_layouts(config)?.bytes());
    Ok(config.threads.min(frequencies(config.views)).min(there / each.max(1)).max(1))
}

/// What a dense method needs, in whichever field; nothing where there is no room for its result.
fn dense_layouts<T: Scalar>(config: &Config<T>) -> Result<Layout, Error> {
    let (n, m) = (config.samples, config.views);
    if Sizes::of(config)?.dense == 0 {
        return Ok(Layout::EMPTY);
    }
    let layout = shrink_dense_layout::<T>(n, n)?;
    Ok(if is_complex(m) { layout.or(shrink_dense_layout::<Complex<T>>(n, n)?) } else { layout })
}

/// What one search needs, in whichever field.
fn search_layouts<T: Scalar>(config: &Config<T>, rank: usize) -> Result<Layout, Error> {
    let layout = search_layout::<T, T>(config, rank)?;
    Ok(if is_complex(config.views) {
        layout.or(search_layout::<T, Complex<T>>(config, rank)?)
    } else {
        layout
    })
}

fn search_layout<T: Scalar, F: Field<Real = T>>(config: &Config<T>, rank: usize) -> Result<Layout, Error> {
    let (n, options) = (config.samples, options(config));
    // Products with a slice that is kept, or with one that is formed again for each.
    let products = match config.rank {
        Rank::Any { .. } => Layout::array::<F>(Matrix::<F>::scratch(n)?)?,
        Rank::AtMost(_) => Slice::<T, F>::layout(n, rank.saturating_add(options.probes))?,
    };
    Layout::array::<T>(rank)?
        .and(products)?
        .and(singular_above_layout::<F>(n, n, &options)?.or(Layout::array::<T>(n)?.and_array::<T>(n)?))
}

/// Right vectors, the first of which are those of the last step, and left factors.
struct SliceFactors<'a, F> {
    right: &'a mut [F],
    left: &'a mut [F],
}

/// In place of a count: more than there is room for.
const TOO_MANY: u32 = u32::MAX;
/// In place of a count: hidden too well for products in this precision to tell.
const UNDECIDED: u32 = u32::MAX - 1;

/// The search for the factors of one slice.
struct Task<'a, T> {
    argument: Argument<'a, T>,
    config: &'a Config<T>,
    f: usize,
    /// Searches that share the threads.
    running: &'a AtomicUsize,
    wish: Wish<T>,
}

impl<T: Scalar> Task<'_, T> {
    /// How many there are. The slice is `formed`, or empty where there is no memory for it.
    fn search<F: Field<Real = T>>(
        &self,
        factors: SliceFactors<'_, F>,
        formed: &[F],
        work: &mut Arena<'_>,
    ) -> Result<u32, Error> {
        let &Self { argument, config, f, running, ref wish } = self;
        let n = argument.samples;
        let options = Options { seed: seed_of(config.seed, argument.step, f), ..options(config) };
        let mut work = work.scope();
        let values = work.take::<T>(options.max_rank)?;
        if formed.is_empty() {
            let count = options.max_rank.saturating_add(options.probes);
            let mut slice = Slice::new(argument, f, count, &mut work)?;
            return find(&mut slice, wish, &options, values, factors, &mut work);
        }
        let formed = Mat::new("slice", formed, n, n)?;
        // What was found last time is larger than the sizes could ever exclude.
        if wish.warm == 0 {
            let mut work = work.scope();
            if schur::at_most(formed, wish.tau, work.take(n)?, work.take(n)?) {
                return Ok(0);
            }
        }
        let panels = work.take(Matrix::<F>::scratch(n)?)?;
        let mut matrix = Matrix::new(formed, panels).with_threads(config.threads).shared_by(running);
        find(&mut matrix, wish, &options, values, factors, &mut work)
    }
}

fn find<F: Field>(
    slice: &mut impl Map<F>,
    wish: &Wish<F::Real>,
    options: &Options<F::Real>,
    values: &mut [F::Real],
    SliceFactors { right, left }: SliceFactors<'_, F>,
    work: &mut Arena<'_>,
) -> Result<u32, Error> {
    let n = slice.cols();
    let basis = MatMut::new("right vectors", right, options.max_rank, n)?;
    match singular_above(slice, wish, options, values, basis, work)? {
        Outcome::Found { count, .. } => {
            let values = values.get(..count).unwrap_or(&[]);
            let right = Mat::new("right vectors", right.get(..count * n).unwrap_or(&[]), count, n)?;
            let left = MatMut::new("left factors", left.get_mut(..count * n).unwrap_or(&mut []), count, n)?;
            shrink_factor(slice, wish.tau, values, right, left)?;
            Ok(u32::try_from(count).unwrap_or(TOO_MANY))
        }
        Outcome::TooMany { .. } => Ok(TOO_MANY),
        Outcome::Undecided => Ok(UNDECIDED),
    }
}
