//! The one pass of a step over the six tensors.
//!
//! Sample by sample, and view by view within it: the row of `B` becomes the row of `A` (Eq. 21), and while it is hot
//! everything else follows element by element (Eqs. 24, 28, 30, 32 and the multipliers), down to the next `B`. A
//! tensor is `[i][v][j]`, so that a sample's rows of all views lie together and any run of samples is one slice.
//!
//! Sums run in *spans* of samples whose number depends on `n` alone, and the spans are added in order: one thread or
//! many, the bits are the same.

use super::consistent::{Consistent, Rows};
use super::factors::searched;
use super::spectrum::{Argument, Norms, Sums, Watch, argument_row};
use crate::config::{Axis, Config};
use crate::linalg::vector::{self, LANES, pairwise};
use crate::prox::group::Group;
use crate::prox::simplex::{self, Guess, Threshold};
use crate::prox::tubal::strips;
use crate::simd::{self, Lanes, Lanewise};
use crate::workspace::{Arena, Band, LINE, Layout};
use crate::{Error, Scalar, check, parallel};

/// Runs of samples whose sums are kept apart.
const SPANS: usize = 32;
/// Views whose last threshold is remembered; more share them.
const GUESSES: usize = 8;
/// Rows of `K` that are made at a time. Between reading rows of strips and writing those that take their place, all tensors
/// pass by: not more of them than leave the strips in a second-level cache.
fn rows_at_a_time<T: Scalar>(config: &Config<T>) -> usize {
    const MOST: usize = 8;
    const CACHE: usize = 1 << 20;
    match config.axis() {
        Axis::Views => MOST,
        Axis::Samples if config.samples < strips::SMALL => 1,
        Axis::Samples => {
            let row = config.samples.saturating_mul(config.views).saturating_mul(8 * size_of::<T>());
            (CACHE / row.max(1)).clamp(1, MOST)
        }
    }
}

/// Bytes ahead of an element at which a tensor is asked for. The arithmetic of an element is long, and a machine that looks
/// ahead by itself does not look so far.
const AHEAD: usize = 4096;

/// Sums of squares of a span: the change of `S1`, three residuals, and the next argument of the tubal shrinkage.
pub(super) const SUMS: usize = 5;

/// What is constant in a step.
#[derive(Clone, Copy)]
pub(super) struct Weights<T> {
    /// `rho`, `1/rho` and `1/rho` of the next step.
    pub(super) rho: T,
    pub(super) inverse: T,
    pub(super) next_inverse: T,
    /// `1/(2 alpha + rho)`, Eq. (21).
    pub(super) graph: T,
    /// `1/(2 gamma + rho)`, Eq. (28).
    pub(super) specific: T,
    pub(super) self_loops: bool,
    /// Is this the first step, in which every tensor but the distances is zero, whatever its memory holds?
    pub(super) first: bool,
    pub(super) noise: Group,
    /// Should the slices of the next argument be summed up?
    pub(super) watched: bool,
}

/// The tensors: distances, `B` and so on, `[i][v][j]` each.
pub(super) struct Tensors<'a, T> {
    pub(super) d: &'a [T],
    pub(super) b: &'a mut [T],
    pub(super) s1: &'a mut [T],
    pub(super) e: &'a mut [T],
    pub(super) q1: &'a mut [T],
    pub(super) q2: &'a mut [T],
}

/// A span of samples, and what it sums up.
struct Span<'a, T> {
    first: usize,
    tensors: Tensors<'a, T>,
    /// Rows of `K`, each of which becomes that of the next argument; empty where it is not in strips.
    strips: Band<'a, T>,
    columns: &'a mut [T],
    sums: &'a mut [T],
    /// What [`Watch`] sums up; empty where it does not.
    slices: &'a mut [T],
    /// Sizes of the next argument of the tubal shrinkage, by view and column; empty where nobody asks.
    sizes: &'a mut [T],
}

const fn span_rows(samples: usize) -> usize {
    samples.div_ceil(SPANS)
}

/// Sizes that a span sums up. Along the samples they bound every slice of the spectrum, better than a norm does.
fn sizes_length<T: Scalar>(config: &Config<T>) -> usize {
    let wanted =
        cfg!(feature = "reference") && config.axis() == Axis::Samples && config.samples >= strips::SMALL;
    if wanted { config.samples.saturating_mul(config.views) } else { 0 }
}

/// Scratch of one worker.
struct Scratch<'a, T> {
    rows: Rows<'a, T>,
    /// Shrinkage of the tubes of one sample.
    tubes: &'a mut [T],
    /// A row of a slice.
    slice: &'a mut [T],
}

impl<'a, T: Scalar> Scratch<'a, T> {
    fn layout(config: &Config<T>) -> Result<Layout, Error> {
        Rows::layout(config, rows_at_a_time(config))?
            .and_array::<T>(config.samples)?
            .and_array::<T>(Self::slice_length(config)?)
    }

    fn slice_length(config: &Config<T>) -> Result<usize, Error> {
        let watched = cfg!(feature = "large") && searched(config)? > 0;
        Ok(if watched { Watch::<T>::row_length(config.samples, config.views) } else { 0 })
    }

    fn carve(config: &Config<T>, work: &mut Arena<'a>) -> Result<Self, Error> {
        Ok(Self {
            rows: Rows::carve(config, rows_at_a_time(config), work)?,
            tubes: work.take(config.samples)?,
            slice: work.take(Self::slice_length(config)?)?,
        })
    }
}

/// What [`run`] needs.
pub(super) fn layout<T: Scalar>(config: &Config<T>) -> Result<Layout, Error> {
    let columns = check::product("columns", &[SPANS, config.samples])?;
    let mut layout =
        Layout::array::<T>(columns)?.and_array::<T>(SPANS * SUMS)?.and_array::<T>(config.samples)?;
    if cfg!(feature = "large") {
        layout =
            layout.and_array::<T>(check::product("sums of slices", &[SPANS, slices_length(config)?])?)?;
    }
    if cfg!(feature = "reference") {
        layout = layout.and_array::<T>(check::product("columns", &[SPANS, sizes_length(config)])?)?;
    }
    for _ in 0..parallel::workers(config.threads) {
        layout = layout.and(Scratch::layout(config)?)?;
    }
    Ok(layout)
}

/// Numbers that a span sums up for the slices of the next argument.
fn slices_length<T: Scalar>(config: &Config<T>) -> Result<usize, Error> {
    check::product("sums of slices", &[searched(config)?, Sums::<T>::length(config.samples)])
}

/// One pass. `columns` holds the sums of squares of the columns of `E + Q1/rho`, and afterwards those of the next step, and
/// `norms` those of its slices. Returns the sums over all elements.
#[inline(never)] // Its locals are gone before the next part of the step: small stacks.
pub(super) fn run<T: Scalar>(
    config: &Config<T>,
    weights: &Weights<T>,
    tensors: Tensors<'_, T>,
    (k, mut strips): (&Consistent<'_, T>, Band<'_, T>),
    (columns, norms): (&mut [T], &mut [T]),
    work: &mut Arena<'_>,
) -> Result<[T; SUMS], Error> {
    let (n, m) = (config.samples, config.views);
    let mut work = work.scope();
    let partial_columns = work.take_filled::<T>(SPANS * n, T::ZERO)?;
    let partial_sums = work.take_filled::<T>(SPANS * SUMS, T::ZERO)?;
    let slices = if cfg!(feature = "large") && weights.watched { slices_length(config)? } else { 0 };
    let partial_slices = work.take_filled::<T>(SPANS * slices, T::ZERO)?;
    // Where something is left of the argument, more will be left of the next.
    let sizes = if k.is_zero() { sizes_length(config) } else { 0 };
    let partial_sizes = work.take_filled::<T>(SPANS * sizes, T::ZERO)?;
    let shrinkage = work.take::<T>(n)?;
    for (factor, &squares) in shrinkage.iter_mut().zip(&*columns) {
        *factor = shrink(squares, weights.inverse);
    }

    let area = (span_rows(n) * m * n).max(1);
    let (mut unused, mut unused_sizes) = (&mut *partial_slices, &mut *partial_sizes);
    let Tensors { d, b, s1, e, q1, q2 } = tensors;
    let spans = d
        .chunks(area)
        .zip(b.chunks_mut(area))
        .zip(s1.chunks_mut(area))
        .zip(e.chunks_mut(area))
        .zip(q1.chunks_mut(area))
        .zip(q2.chunks_mut(area))
        .zip(partial_columns.chunks_exact_mut(n.max(1)))
        .zip(partial_sums.chunks_exact_mut(SUMS))
        .enumerate()
        .map(|(s, (((((((d, b), s1), e), q1), q2), columns), sums))| Span {
            first: s * span_rows(n),
            tensors: Tensors { d, b, s1, e, q1, q2 },
            strips: strips::split_samples(&mut strips, span_rows(n), n),
            columns,
            sums,
            slices: unused.split_off_mut(..slices).unwrap_or(&mut []),
            sizes: unused_sizes.split_off_mut(..sizes).unwrap_or(&mut []),
        });
    parallel::for_each(
        config.threads,
        m.saturating_mul(n).saturating_mul(n),
        spans,
        &mut work,
        |work| Scratch::carve(config, work),
        |span, scratch| span.run(config, weights, k, shrinkage, scratch),
    )?;

    columns.fill(T::ZERO);
    for partial in partial_columns.chunks_exact(n.max(1)) {
        for (column, &x) in columns.iter_mut().zip(partial) {
            *column += x;
        }
    }
    norms.fill(T::MAX);
    let slice = Sums::<T>::length(n);
    let watched = |&(f, _): &(usize, _)| slices > 0 && k.may_vanish(f);
    for (f, norms) in norms.as_chunks_mut().0.iter_mut().enumerate().filter(watched) {
        let start = f.wrapping_mul(slice);
        let parts = partial_slices.chunks_exact(slices.max(1));
        let own = parts.map(|part| part.get(start..start.wrapping_add(slice)).unwrap_or(&[]));
        let Norms { frobenius, spectral } = Sums::norms(own, shrinkage);
        *norms = [frobenius, spectral];
    }
    let mut sums = [T::ZERO; SUMS];
    for partial in partial_sums.chunks_exact(SUMS) {
        for (sum, &x) in sums.iter_mut().zip(partial) {
            *sum += x;
        }
    }
    if let [.., argument] = &mut sums
        && sizes > 0
    {
        *argument = Scalar::min(*argument, spectral_bound(partial_sizes, sizes, n));
    }
    Ok(sums)
}

/// `b` such that no slice along the samples has a Frobenius norm above `sqrt(n b)`, from the sizes that spans summed up.
///
/// An element of a slice is a sum of elements of a column, each times a number of size one. So it is at most the sum of
/// their sizes.
fn spectral_bound<T: Scalar>(partial: &mut [T], length: usize, n: usize) -> T {
    let (sizes, others) = partial.split_at_mut_checked(length).unwrap_or((&mut [], &mut []));
    for other in others.chunks_exact(length.max(1)) {
        vector::axpy(T::ONE, other, sizes);
    }
    // Rounding can take `n eps` off a sum.
    let margin = T::ONE + T::TWO * T::from_usize(n) * T::EPSILON;
    let bound = vector::norm(sizes) * margin;
    bound * bound * margin / T::from_usize(n)
}

/// `(1 - t/||c||)_+` from `||c||^2`, Eq. (24).
#[inline(always)]
fn shrink<T: Scalar>(squares: T, t: T) -> T {
    let norm = squares.sqrt();
    if norm > t { (norm - t) / norm } else { T::ZERO }
}

impl<T: Scalar> Span<'_, T> {
    fn run(
        self,
        config: &Config<T>,
        weights: &Weights<T>,
        k: &Consistent<'_, T>,
        shrinkage: &[T],
        scratch: &mut Scratch<'_, T>,
    ) -> Result<(), Error> {
        let (n, m) = (config.samples, config.views);
        let Self { first, tensors, mut strips, columns, sums, slices, sizes } = self;
        // A copy of this thread's own. Beside the original lies what the thread writes that called, and with every such
        // writing a line would have to come over.
        let copy;
        let weights = if cfg!(feature = "parallel") {
            copy = *weights;
            &copy
        } else {
            weights
        };
        let sample = (m * n).max(1);
        let samples = tensors.d.len() / sample;
        let step = rows_at_a_time(config);
        let mut guesses = [-T::MAX; GUESSES];
        // Not where it stays: the line has other spans' sums, which other threads write.
        let mut own_sums = [T::ZERO; SUMS];
        for start in (0..samples).step_by(step.max(1)) {
            let count = step.min(samples.wrapping_sub(start));
            k.prepare(first.wrapping_add(start), count, (&strips, start), &mut scratch.rows)?;
            for row in 0..count {
                let local = start.wrapping_add(row);
                let i = first.wrapping_add(local);
                let range = local.wrapping_mul(sample)..local.wrapping_add(1).wrapping_mul(sample);
                let d = tensors.d.get(range.clone()).unwrap_or(&[]);
                let b = tensors.b.get_mut(range.clone()).unwrap_or(&mut []);
                let s1 = tensors.s1.get_mut(range.clone()).unwrap_or(&mut []);
                let e = tensors.e.get_mut(range.clone()).unwrap_or(&mut []);
                let q1 = tensors.q1.get_mut(range.clone()).unwrap_or(&mut []);
                let q2 = tensors.q2.get_mut(range).unwrap_or(&mut []);
                if weights.first {
                    for rows in [&mut *b, &mut *s1, &mut *e, &mut *q1, &mut *q2] {
                        rows.fill(T::ZERO);
                    }
                }
                let factors = match weights.noise {
                    Group::Column => shrinkage,
                    Group::Tube => {
                        tube_shrinkage(e, q1, weights.inverse, scratch.tubes);
                        &*scratch.tubes
                    }
                };
                let rows = d
                    .chunks_exact(n.max(1))
                    .zip(b.chunks_exact_mut(n.max(1)))
                    .zip(s1.chunks_exact_mut(n.max(1)))
                    .zip(e.chunks_exact_mut(n.max(1)))
                    .zip(q1.chunks_exact_mut(n.max(1)))
                    .zip(q2.chunks_exact_mut(n.max(1)));
                for (v, (((((d, b), s1), e), q1), q2)) in rows.enumerate() {
                    let k = k.row(v, row, count, &scratch.rows);
                    let Some(guess) = guesses.get_mut(v % GUESSES) else { continue };
                    simd::widest(
                        #[inline(always)]
                        || {
                            let others = [&*s1, &*e, &*q1, &*q2];
                            let eta = project(b, d, i, guess, weights, others);
                            let row = Row { b, s1: &mut *s1, e, q1, q2: &mut *q2, k, factors, columns };
                            let squares = row.update(weights, eta);
                            own_sums.iter_mut().zip(squares).for_each(|(sum, x)| *sum += x);
                            let sizes = sizes.get_mut(v.wrapping_mul(n)..).unwrap_or(&mut []);
                            for ((size, &s1), &q2) in sizes.iter_mut().zip(&*s1).zip(&*q2) {
                                *size += (s1 + q2 * weights.next_inverse).abs();
                            }
                            if cfg!(feature = "reference") && !strips.is_empty() {
                                strips::write_row(&mut strips, [n, m, n], (local, v), |column, to| {
                                    argument_row(s1, q2, weights.next_inverse, column, to);
                                });
                            }
                        },
                    );
                }
                if cfg!(feature = "large") && !slices.is_empty() {
                    let (s1, q2, inverse) = (&*tensors.s1, &*tensors.q2, weights.next_inverse);
                    let argument = Argument { s1, q2, inverse, samples: n, step: 0, roots: k.roots };
                    Watch { argument, sums: slices, row: scratch.slice }.add(local, |f| k.may_vanish(f));
                }
            }
        }
        sums.iter_mut().zip(&own_sums).for_each(|(sum, &x)| *sum = x);
        Ok(())
    }
}

/// The factors of Eq. (24) for the tubes of one sample: `e` and `q1` are its rows of all views.
fn tube_shrinkage<T: Scalar>(e: &[T], q1: &[T], inverse: T, factors: &mut [T]) {
    let n = factors.len().max(1);
    factors.fill(T::ZERO);
    for (e, q1) in e.chunks_exact(n).zip(q1.chunks_exact(n)) {
        for ((squares, &e), &q1) in factors.iter_mut().zip(e).zip(q1) {
            let c = e + q1 * inverse;
            *squares += c * c;
        }
    }
    for factor in factors {
        *factor = shrink(*factor, inverse);
    }
}

/// The row of `B` becomes what the row of `A` is the projection of, Eq. (21); the threshold that makes it so is returned.
/// It is near that of the view's last row, which `guess` is. The `others` are the rows that are needed next.
#[inline(always)]
fn project<T: Scalar>(
    b: &mut [T],
    d: &[T],
    i: usize,
    guess: &mut T,
    weights: &Weights<T>,
    others: [&[T]; 4],
) -> Threshold<T> {
    let own = if weights.self_loops { b.len() } else { i };
    let (left, rest) = b.split_at_mut_checked(own).unwrap_or((&mut [], &mut []));
    let (d_left, d_rest) = d.split_at_checked(own).unwrap_or((&[], &[]));
    let mut near = Guess::new(*guess);
    let mut largest = weights.attract(left, d_left, &mut near);
    if let (Some((own, right)), Some((_, d_right))) = (rest.split_first_mut(), d_rest.split_first()) {
        // Below everything, and far enough from the end of the range to be subtracted from.
        *own = -T::MAX / T::from_f64(8.0);
        largest = Scalar::max(Scalar::max(largest, weights.attract(right, d_right, &mut near)), *own);
    }
    // Their beginnings have been asked for with the ends of the rows before them.
    let mut next = AHEAD / size_of::<T>();
    let mut meanwhile = || {
        if cfg!(feature = "std") {
            others.iter().for_each(|row| simd::fetch(row, next));
            next = next.wrapping_add(LINE / size_of::<T>());
        }
    };
    let start = if cfg!(feature = "std") { near.step() } else { *guess };
    let threshold = simplex::threshold_near(b, largest, start, &mut meanwhile);
    *guess = threshold.eta();
    threshold
}

/// A row of every tensor.
struct Row<'a, T> {
    /// What `A` is the projection of, and then the next `B`.
    b: &'a mut [T],
    s1: &'a mut [T],
    e: &'a mut [T],
    q1: &'a mut [T],
    q2: &'a mut [T],
    k: &'a [T],
    factors: &'a [T],
    columns: &'a mut [T],
}

/// One element of every tensor, or as many as there are lanes, after an update, and the squares of its part in the sums.
struct Element<V> {
    b: V,
    s1: V,
    e: V,
    q1: V,
    q2: V,
    column: V,
    squares: [V; SUMS],
}

impl<T: Scalar> Weights<T> {
    /// `b` becomes `(rho b - d)/(2 alpha + rho)`, and its largest element is returned; `near` sees all of them.
    #[cfg_attr(feature = "std", inline(always))] // Compiled for wide registers only where it is inlined;
    #[cfg_attr(not(feature = "std"), inline(never))] // elsewhere one copy is enough, and small.
    fn attract(&self, b: &mut [T], d: &[T], near: &mut Guess<T>) -> T {
        let &Self { rho, graph, .. } = self;
        let mut lanes = [-T::MAX; LANES];
        let &mut Guess { from, ref mut sums, ref mut counts } = near;
        let mut attract = |b: &mut [T], d: &[T]| {
            let lanes = lanes.iter_mut().zip(&mut *sums).zip(&mut *counts);
            simd::fetch(b, AHEAD / size_of::<T>());
            simd::fetch(d, AHEAD / size_of::<T>());
            for ((b, &d), ((largest, sum), count)) in b.iter_mut().zip(d).zip(lanes) {
                *b = (rho * *b - d) * graph;
                *largest = Scalar::max(*b, *largest);
                if cfg!(feature = "std") {
                    let (part, one) = if *b > from { (*b, T::ONE) } else { (T::ZERO, T::ZERO) };
                    *sum += part;
                    *count += one;
                }
            }
        };
        let (blocks, tail) = b.as_chunks_mut::<LANES>();
        let (d_blocks, d_tail) = d.as_chunks::<LANES>();
        for (b, d) in blocks.iter_mut().zip(d_blocks) {
            attract(b, d);
        }
        attract(tail, d_tail);
        simd::kept_whole(lanes).into_iter().fold(-T::MAX, Scalar::max)
    }

    /// Eqs. (24) to (35) of one element. `Q3 = Q1`, so that the `E` step needs no multiplier of its own.
    #[inline(always)]
    fn update<V: Lanewise<T>>(&self, eta: Threshold<T>, [b, s1, e, q1, q2, k, factor]: [V; 7]) -> Element<V> {
        let a = eta.apply_lanewise(b);
        let (rho, inverse) = (V::splat(self.rho), V::splat(self.inverse));
        let (next_inverse, half) = (V::splat(self.next_inverse), V::splat(T::HALF));
        let scaled = q1 * inverse;
        let w = factor * (e + scaled);
        let s2 = (rho * (a - s1 - e) + q1) * V::splat(self.specific);
        let consistent = (k - q2 * inverse - (s2 + e - (a + scaled))) * half;
        let noise = (a + w - consistent - s2) * half;
        let (split, low_rank, group) = (a - consistent - s2 - noise, consistent - k, noise - w);
        let (q1, q2) = (q1 + rho * group, q2 + rho * low_rank);
        let (change, next) = (consistent - s1, consistent + q2 * next_inverse);
        let scaled = q1 * next_inverse;
        let column = noise + scaled;
        Element {
            b: consistent + s2 + noise - scaled,
            s1: consistent,
            e: noise,
            q1,
            q2,
            column: column * column,
            squares: [change * change, split * split, low_rank * low_rank, group * group, next * next],
        }
    }
}

impl<T: Scalar> Row<'_, T> {
    #[inline(always)]
    fn update(self, weights: &Weights<T>, eta: Threshold<T>) -> [T; SUMS] {
        let mut sums = [Lanes::splat(T::ZERO); SUMS];
        let (b, b_tail) = self.b.as_chunks_mut::<LANES>();
        let (s1, s1_tail) = self.s1.as_chunks_mut::<LANES>();
        let (e, e_tail) = self.e.as_chunks_mut::<LANES>();
        let (q1, q1_tail) = self.q1.as_chunks_mut::<LANES>();
        let (q2, q2_tail) = self.q2.as_chunks_mut::<LANES>();
        let (k, k_tail) = self.k.as_chunks::<LANES>();
        let (factors, factors_tail) = self.factors.as_chunks::<LANES>();
        let (columns, columns_tail) = self.columns.as_chunks_mut::<LANES>();
        let blocks = b.iter_mut().zip(s1).zip(e).zip(q1).zip(q2).zip(k).zip(factors).zip(columns);
        for (((((((b, s1), e), q1), q2), k), factors), columns) in blocks {
            if cfg!(feature = "std") {
                for tensor in [&*s1, &*e, &*q1, &*q2] {
                    simd::fetch(tensor, AHEAD / size_of::<T>());
                }
                update_block(weights, eta, &mut sums, [b, s1, e, q1, q2], [k, factors], columns);
            } else {
                update_elements(weights, eta, &mut sums, [b, s1, e, q1, q2], [k, factors], columns);
            }
        }
        let tails = [b_tail, s1_tail, e_tail, q1_tail, q2_tail];
        update_elements(weights, eta, &mut sums, tails, [k_tail, factors_tail], columns_tail);
        sums.map(|sum| pairwise(sum.0))
    }
}

/// [`LANES`] elements together.
#[inline(always)]
fn update_block<T: Scalar>(
    weights: &Weights<T>,
    eta: Threshold<T>,
    sums: &mut [Lanes<T, LANES>; SUMS],
    [b, s1, e, q1, q2]: [&mut [T; LANES]; 5],
    [k, factors]: [&[T; LANES]; 2],
    columns: &mut [T; LANES],
) {
    let new = weights.update(eta, [*b, *s1, *e, *q1, *q2, *k, *factors].map(Lanes));
    (*b, *s1, *e, *q1, *q2) = (new.b.0, new.s1.0, new.e.0, new.q1.0, new.q2.0);
    *columns = (Lanes(*columns) + new.column).0;
    sums.iter_mut().zip(new.squares).for_each(|(sum, x)| *sum += x);
}

/// Up to [`LANES`] elements one by one, each in its own lane of the sums.
#[cfg_attr(feature = "std", inline(always))] // The end of a row;
#[cfg_attr(not(feature = "std"), inline(never))] // without wide registers all of it, in one small copy.
fn update_elements<T: Scalar>(
    weights: &Weights<T>,
    eta: Threshold<T>,
    sums: &mut [Lanes<T, LANES>; SUMS],
    [b, s1, e, q1, q2]: [&mut [T]; 5],
    [k, factors]: [&[T]; 2],
    columns: &mut [T],
) {
    let elements = b.iter_mut().zip(s1).zip(e).zip(q1).zip(q2).zip(k).zip(factors).zip(columns);
    for (lane, (((((((b, s1), e), q1), q2), &k), &factor), column)) in elements.enumerate() {
        let new = weights.update(eta, [*b, *s1, *e, *q1, *q2, k, factor]);
        (*b, *s1, *e, *q1, *q2) = (new.b, new.s1, new.e, new.q1, new.q2);
        *column += new.column;
        for (sum, x) in sums.iter_mut().zip(new.squares) {
            if let Some(sum) = sum.0.get_mut(lane) {
                *sum += x;
            }
        }
    }
}
