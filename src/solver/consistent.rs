//! The `K` step of the solver, Eq. (26), and rows of its result.
//!
//! On the views axis `K` stays what its shrunk slices are: nothing where a norm proves it, factors where the rank is
//! low, dense slices elsewhere. On the samples axis it is a tensor, in strips.

use super::Progress;
use super::spectrum::{Argument, Norms, Slice, frequencies, is_complex, is_real, planes, planes_mut};
use crate::config::{Axis, Config, Rank};
use crate::linalg::partial_svd::{
    Map, Matrix, Options, Outcome, Wish, singular_above, singular_above_layout,
};
use crate::linalg::product::adjoint_multiply;
use crate::linalg::schur;
use crate::linalg::shrink::{shrink_dense_layout, shrink_factor};
use crate::linalg::{Mat, MatMut, vector};
use crate::prox::tubal::views::{Way, shrink_slice};
use crate::prox::tubal::{Ranks, samples, vanishing};
use crate::workspace::{Arena, Layout, as_complex, as_complex_mut};
use crate::{Error, Field, Scalar, check, parallel};
use core::sync::atomic::{AtomicBool, Ordering};
use num_complex::Complex;

/// Sizes of the memory.
struct Sizes {
    /// Rows of a slice's factors; zero where none are looked for.
    rank: usize,
    /// Numbers in the factors of all slices.
    factors: usize,
    /// Numbers in a dense `K`.
    dense: usize,
}

impl Sizes {
    fn of<T: Scalar>(config: &Config<T>) -> Result<Self, Error> {
        let (n, m) = (config.samples, config.views);
        let tensor = check::product("tensor", &[m, n, n])?;
        let (rank, dense) = match (config.axis(), config.rank) {
            (Axis::Samples, _) => (0, samples::strips_length::<T>([n, m, n])?),
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
    rank: usize,
    /// Rank of each slice, and last the largest rank of the last step.
    counts: &'a mut [u32],
    right: &'a mut [T],
    left: &'a mut [T],
}

impl<'a, T: Scalar> Factors<'a, T> {
    pub(super) fn layout(config: &Config<T>) -> Result<Layout, Error> {
        let sizes = Sizes::of(config)?;
        Layout::array::<u32>(frequencies(config.views).saturating_add(1))?
            .and_array::<T>(sizes.factors)?
            .and_array::<T>(sizes.factors)
    }

    pub(super) fn carve(config: &Config<T>, arena: &mut Arena<'a>) -> Result<Self, Error> {
        let sizes = Sizes::of(config)?;
        Ok(Self {
            rank: sizes.rank,
            counts: arena.take(frequencies(config.views).saturating_add(1))?,
            right: arena.take(sizes.factors)?,
            left: arena.take(sizes.factors)?,
        })
    }

    /// Nothing to start from.
    pub(super) fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// The rank of slice `f`; bytes that are not ours may say more than there is room for.
    fn count(&self, f: usize) -> usize {
        self.counts.get(f).map_or(0, |&count| self.rank.min(count as usize))
    }

    /// True where the last step found no more than a search can.
    fn promising(&self) -> bool {
        cfg!(feature = "large")
            && self.rank > 0
            && self.counts.last().is_none_or(|&largest| largest as usize <= self.rank)
    }
}

/// In what form `K` is at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Zero,
    Factors,
    Slices,
    Strips,
}

/// `K` after a step.
pub(super) struct Consistent<'a, T> {
    form: Form,
    samples: usize,
    views: usize,
    factors: Factors<'a, T>,
    dense: &'a mut [T],
    /// The inverse transform of the planes: `m x m`.
    inverse: &'a [T],
    /// A row of zeros.
    zeros: &'a [T],
    /// All `m` powers of `exp(-2 pi i / m)`.
    pub(super) roots: &'a [Complex<T>],
}

/// Memory of one step: what `K` stays in, and what [`update`] gives back.
pub(super) fn layouts<T: Scalar>(config: &Config<T>) -> Result<(Layout, Layout), Error> {
    let (n, m) = (config.samples, config.views);
    let sizes = Sizes::of(config)?;
    let kept = Layout::array::<T>(sizes.dense)?
        .and_array::<T>(check::product("views", &[m, m])?)?
        .and_array::<T>(n)?
        .and_array::<Complex<T>>(m)?;
    let scratch = if config.axis() == Axis::Samples {
        samples::shrink_strips_layout::<T>([n, m, n], config.threads)?
    } else {
        let mut layout = Layout::EMPTY;
        if cfg!(feature = "large") && sizes.rank > 0 {
            for _ in 0..parallel::workers(searchers(config, sizes.rank)?) {
                layout = layout.and(search_layouts(config, sizes.rank)?)?;
            }
        }
        layout.or(dense_layouts(config)?)
    };
    Ok((kept, scratch))
}

/// `K = D_tau(S1 + Q2/rho)`.
#[inline(never)] // Its locals are gone before the next part of the step: small stacks.
pub(super) fn update<'a, T: Scalar>(
    config: &Config<T>,
    mut factors: Factors<'a, T>,
    (s1, q2, norms): (&[T], &[T], &[T]),
    progress: &Progress<T>,
    work: &mut Arena<'a>,
) -> Result<(Consistent<'a, T>, Ranks), Error> {
    let (n, m) = (config.samples, config.views);
    let dense = work.take::<T>(Sizes::of(config)?.dense)?;
    let inverse = work.take::<T>(check::product("views", &[m, m])?)?;
    let zeros = work.take_filled::<T>(n, T::ZERO)?;
    let roots = work.take::<Complex<T>>(m)?;
    for (v, root) in roots.iter_mut().enumerate() {
        *root = T::root_of_unity(v, m).conj();
    }
    write_inverse(roots, inverse);

    let (rho, norm) = (progress.rho, progress.argument.sqrt());
    let tau = config.tau(rho);
    let transformed = if config.axis() == Axis::Views { m } else { n };
    let argument = Argument { s1, q2, inverse: T::ONE / rho, samples: n, step: progress.iteration, roots };
    let (form, ranks) = if vanishing(norm, transformed, tau) {
        factors.clear();
        (Form::Zero, Ranks::default())
    } else if config.axis() == Axis::Samples {
        let load = |row: usize, first: usize, to: &mut [T]| argument.load(row, first, to);
        let work = &mut work.scope();
        let ranks = samples::shrink_strips(dense, [n, m, n], tau, config.threads, load, work)?;
        (if ranks.total == 0 { Form::Zero } else { Form::Strips }, ranks)
    } else if let Some(ranks) =
        search(config, &mut factors, (argument, norms), tau, dense, &mut work.scope())?
    {
        (Form::Factors, ranks)
    } else {
        (Form::Slices, shrink_slices(argument, tau, dense, &mut work.scope())?)
    };
    if form == Form::Slices {
        // Nothing to start the next search from.
        factors.clear();
    }
    if let Some(last) = factors.counts.last_mut() {
        *last = u32::try_from(ranks.largest).unwrap_or(u32::MAX);
    }
    Ok((Consistent { form, samples: n, views: m, factors, dense, inverse, zeros, roots }, ranks))
}

/// Element `(v, p)`: what plane `p` of a spectrum contributes to view `v`.
fn write_inverse<T: Scalar>(roots: &[Complex<T>], inverse: &mut [T]) {
    let m = roots.len().max(1);
    let scale = T::ONE / T::from_usize(m);
    for (v, row) in inverse.chunks_exact_mut(m).enumerate() {
        for (p, x) in row.iter_mut().enumerate() {
            // Planes 2f - 1 and 2f are the parts of frequency f, which stands twice in the spectrum unless it is real.
            let f = p.div_ceil(2);
            let root = vector::at(roots, f.wrapping_mul(v) % m);
            *x = match (is_real(f, m), p % 2) {
                (true, _) => root.re * scale,
                (false, 1) => root.re * scale * T::TWO,
                (false, _) => root.im * scale * T::TWO,
            };
        }
    }
}

/// All slices, formed and shrunk where they stay.
fn shrink_slices<T: Scalar>(
    argument: Argument<'_, T>,
    tau: T,
    dense: &mut [T],
    work: &mut Arena<'_>,
) -> Result<Ranks, Error> {
    let (n, m) = (argument.samples, argument.roots.len());
    let mut ranks = Ranks::default();
    for f in 0..frequencies(m) {
        let slice = planes_mut(dense, n * n, f, m);
        let (rank, multiplicity) = if is_real(f, m) {
            (form_and_shrink::<T, T>(argument, f, tau, slice, work)?, 1)
        } else {
            (form_and_shrink::<T, Complex<T>>(argument, f, tau, as_complex_mut(slice), work)?, 2)
        };
        ranks.add(rank, multiplicity);
    }
    Ok(ranks)
}

/// One slice, formed and shrunk where it stays.
#[inline(never)] // Real and complex locals need not share a frame.
fn form_and_shrink<T: Scalar, F: Field<Real = T>>(
    argument: Argument<'_, T>,
    f: usize,
    tau: T,
    slice: &mut [F],
    work: &mut Arena<'_>,
) -> Result<usize, Error> {
    let n = argument.samples;
    for (i, row) in slice.chunks_exact_mut(n.max(1)).enumerate() {
        argument.slice_row(f, i, row);
    }
    shrink_slice(MatMut::new("slice", slice, n, n)?, tau, Way::Dense, work)
}

/// The factors of all slices, or none where a dense method must do. The slices are kept in
/// `dense` where there is memory for them, and formed again for every product elsewhere.
fn search<T: Scalar>(
    config: &Config<T>,
    factors: &mut Factors<'_, T>,
    (argument, norms): (Argument<'_, T>, &[T]),
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
    let vanishes = |f: usize| Norms::read(norms, f).is_some_and(|norms| norms.spectral <= tau);
    let busy = (0..frequencies(m)).filter(|&f| !vanishes(f)).count();
    let searchers = searchers(config, most)?;
    let threads = config.threads / busy.min(searchers).max(1);
    let (mut right, mut left, mut dense) = (&mut *factors.right, &mut *factors.left, dense);
    let slices = factors.counts.iter_mut().take(frequencies(m)).enumerate().map(|(f, count)| {
        let planes = if is_real(f, m) { 1 } else { 2 };
        let (area, slice) = (planes * area, planes * n * n);
        (f, count, next(&mut right, area), next(&mut left, area), next(&mut dense, slice))
    });
    let need = search_layouts(config, most)?;
    // Where a dense method has to do it all, no other slice need be searched.
    let dense_must = AtomicBool::new(false);
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
            let norm = Norms::read(norms, f).map(|norms| norms.frobenius);
            let task = Task { argument, config, f, threads, wish: Wish { tau, norm, warm } };
            *count = if is_real(f, m) {
                task.search::<T>(SliceFactors { right, left }, slice, work)?
            } else {
                let (right, left) = (as_complex_mut(right), as_complex_mut(left));
                task.search::<Complex<T>>(SliceFactors { right, left }, as_complex_mut(slice), work)?
            };
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
    threads: usize,
    wish: Wish<T>,
}

impl<T: Scalar> Task<'_, T> {
    /// How many there are.
    fn search<F: Field<Real = T>>(
        &self,
        factors: SliceFactors<'_, F>,
        memory: &mut [F],
        work: &mut Arena<'_>,
    ) -> Result<u32, Error> {
        let &Self { argument, config, f, threads, ref wish } = self;
        let n = argument.samples;
        let options = Options { seed: seed_of(config.seed, argument.step, f), ..options(config) };
        let mut work = work.scope();
        let values = work.take::<T>(options.max_rank)?;
        if memory.is_empty() {
            let count = options.max_rank.saturating_add(options.probes);
            let mut slice = Slice::new(argument, f, count, &mut work)?;
            return find(&mut slice, wish, &options, values, factors, &mut work);
        }
        argument.form(f, memory, threads)?;
        let formed = Mat::new("slice", memory, n, n)?;
        // What was found last time is larger than the sizes could ever exclude.
        if wish.warm == 0 {
            let mut work = work.scope();
            if schur::at_most(formed, wish.tau, work.take(n)?, work.take(n)?) {
                return Ok(0);
            }
        }
        let panels = work.take(Matrix::<F>::scratch(n)?)?;
        let mut matrix = Matrix::new(formed, panels).with_threads(threads);
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

/// Scratch for rows of `K`, one a worker.
pub(super) struct Rows<'a, T> {
    /// `count` rows of every plane of the spectrum, and of every view.
    planes: &'a mut [T],
    views: &'a mut [T],
    /// Left factors of these rows, and as many complex rows.
    left: &'a mut [T],
    complex: &'a mut [T],
}

impl<'a, T: Scalar> Rows<'a, T> {
    /// For `count` rows at a time.
    pub(super) fn layout(config: &Config<T>, count: usize) -> Result<Layout, Error> {
        let [planes, views, left, complex] = Self::sizes(config, count)?;
        Layout::array::<T>(planes)?.and_array::<T>(views)?.and_array::<T>(left)?.and_array::<T>(complex)
    }

    pub(super) fn carve(config: &Config<T>, count: usize, work: &mut Arena<'a>) -> Result<Self, Error> {
        let [planes, views, left, complex] = Self::sizes(config, count)?;
        Ok(Self {
            planes: work.take(planes)?,
            views: work.take(views)?,
            left: work.take(left)?,
            complex: work.take(complex)?,
        })
    }

    fn sizes(config: &Config<T>, count: usize) -> Result<[usize; 4], Error> {
        let (n, m) = (config.samples, config.views);
        let rows = check::product("rows", &[count, m, n])?;
        if config.axis() == Axis::Samples {
            return Ok([0, rows, 0, 0]);
        }
        let complex = if is_complex(m) { 2 } else { 0 };
        Ok([
            rows,
            rows,
            check::product("rows", &[count, Sizes::of(config)?.rank, 2])?,
            check::product("rows", &[count, n, complex])?,
        ])
    }
}

impl<T: Scalar> Consistent<'_, T> {
    /// Whether nothing is left.
    pub(super) fn is_zero(&self) -> bool {
        self.form == Form::Zero
    }

    /// Makes the rows `first..first + count` ready to be asked for by [`Self::row`].
    pub(super) fn prepare(&self, first: usize, count: usize, rows: &mut Rows<'_, T>) -> Result<(), Error> {
        let (n, m) = (self.samples, self.views);
        let area = count * n;
        match self.form {
            Form::Zero => return Ok(()),
            Form::Strips => {
                let rows = rows.views.get_mut(..m * area).unwrap_or(&mut []);
                samples::read_rows(self.dense, [n, m, n], first, rows);
                return Ok(());
            }
            Form::Factors | Form::Slices => (),
        }
        for f in 0..frequencies(m) {
            if is_real(f, m) {
                let plane = planes_mut(rows.planes, area, f, m);
                self.real_rows(f, first, MatMut::new("rows", plane, count, n)?, rows.left)?;
            } else {
                let complex = as_complex_mut(rows.complex.get_mut(..2 * area).unwrap_or(&mut []));
                self.complex_rows(
                    f,
                    first,
                    MatMut::new("rows", complex, count, n)?,
                    as_complex_mut(rows.left),
                )?;
                let parts = planes_mut(rows.planes, area, f, m);
                let (re, im) = parts.split_at_mut_checked(area).unwrap_or((&mut [], &mut []));
                for ((re, im), z) in re.iter_mut().zip(im).zip(&*complex) {
                    (*re, *im) = (z.re, z.im);
                }
            }
        }
        let weights = self.inverse.chunks_exact(m.max(1));
        for (view, weights) in rows.views.chunks_exact_mut(area.max(1)).zip(weights) {
            view.fill(T::ZERO);
            for (&weight, plane) in weights.iter().zip(rows.planes.chunks_exact(area.max(1))) {
                vector::axpy(weight, plane, view);
            }
        }
        Ok(())
    }

    fn real_rows(&self, f: usize, first: usize, rows: MatMut<'_, T>, left: &mut [T]) -> Result<(), Error> {
        let (n, m) = (self.samples, self.views);
        if !cfg!(feature = "large") || self.form == Form::Slices {
            copy_rows(planes(self.dense, n * n, f, m), first, rows);
            return Ok(());
        }
        let area = self.factors.rank * n;
        let (right, from) = (planes(self.factors.right, area, f, m), planes(self.factors.left, area, f, m));
        combine(self.factors.count(f), right, from, first, rows, left)
    }

    /// Rows of the slice's conjugate where it is kept in factors, of the slice itself conjugated elsewhere.
    fn complex_rows(
        &self,
        f: usize,
        first: usize,
        mut rows: MatMut<'_, Complex<T>>,
        left: &mut [Complex<T>],
    ) -> Result<(), Error> {
        let (n, m) = (self.samples, self.views);
        if !cfg!(feature = "large") || self.form == Form::Slices {
            copy_rows(as_complex(planes(self.dense, n * n, f, m)), first, rows.as_mut());
            return Ok(());
        }
        let area = self.factors.rank * n;
        let (right, from) = (planes(self.factors.right, area, f, m), planes(self.factors.left, area, f, m));
        combine(self.factors.count(f), as_complex(right), as_complex(from), first, rows.as_mut(), left)?;
        // The product with an adjoint is the conjugate of what the factors mean.
        rows.data_mut().iter_mut().for_each(|z| *z = z.conj());
        Ok(())
    }

    /// Of `K(v)`, the `k`-th of the `count` rows that were prepared.
    #[inline(always)]
    pub(super) fn row<'b>(&'b self, v: usize, k: usize, count: usize, rows: &'b Rows<'_, T>) -> &'b [T] {
        let n = self.samples;
        let (from, row) = match self.form {
            Form::Zero => (self.zeros, 0),
            Form::Strips => (&*rows.views, k.wrapping_mul(self.views).wrapping_add(v)),
            Form::Factors | Form::Slices => (&*rows.views, v.wrapping_mul(count).wrapping_add(k)),
        };
        let start = row.wrapping_mul(n);
        from.get(start..start.wrapping_add(n)).unwrap_or(&[])
    }
}

fn copy_rows<F: Field>(slice: &[F], first: usize, mut rows: MatMut<'_, F>) {
    let start = first.wrapping_mul(rows.cols());
    vector::copy(slice.get(start..).unwrap_or(&[]), rows.data_mut());
}

/// `conj(sum over k of left_k(i) conj(right_k))` for the rows `i` from `first` on.
fn combine<F: Field>(
    count: usize,
    right: &[F],
    left: &[F],
    first: usize,
    rows: MatMut<'_, F>,
    part: &mut [F],
) -> Result<(), Error> {
    let n = rows.cols();
    let width = rows.rows();
    for (to, from) in part.chunks_exact_mut(width.max(1)).zip(left.chunks_exact(n.max(1))).take(count) {
        vector::copy(from.get(first..).unwrap_or(&[]), to);
    }
    let part = Mat::new("left factors", part.get(..count * width).unwrap_or(&[]), count, width)?;
    let right = Mat::new("right vectors", right.get(..count * n).unwrap_or(&[]), count, n)?;
    adjoint_multiply(part, right, rows)
}
