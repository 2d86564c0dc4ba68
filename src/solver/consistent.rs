//! The `K` step of the solver, Eq. (26), and rows of its result.
//!
//! On the views axis `K` stays what its shrunk slices are: nothing where a norm proves it, factors where the rank is
//! low, dense slices elsewhere. On the samples axis it is a tensor, in strips.

use super::Progress;
use super::factors::{self, Factors, Sizes, search};
use super::spectrum::{Argument, frequencies, is_complex, is_real, planes, planes_mut};
use crate::config::{Axis, Config};
use crate::linalg::product::adjoint_multiply;
use crate::linalg::{Mat, MatMut, vector};
use crate::prox::tubal::views::{Way, shrink_slice};
use crate::prox::tubal::{Ranks, samples, strips, vanishing};
use crate::workspace::{Arena, Band, Layout, as_complex, as_complex_mut};
use crate::{Error, Field, Scalar, check};
use num_complex::Complex;

/// Elements of a view that are made of all planes before the next: they stay in a first-level cache.
const PART: usize = 1024;

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
    let small = small_layout::<T>(m)?.to_line(n)?;
    let kept = Layout::array::<T>(sizes.dense)?.and_array::<T>(n)?.and(small)?;
    let scratch = if config.axis() == Axis::Samples {
        samples::shrink_strips_layout::<T>([n, m, n], config.threads)?
    } else {
        factors::scratch_layout(config)?
    };
    Ok((kept, scratch))
}

/// The transform of `m` views.
fn small_layout<T: Scalar>(m: usize) -> Result<Layout, Error> {
    Layout::array::<T>(check::product("views", &[m, m])?)?.and_array::<Complex<T>>(m)
}

/// `K = D_tau(S1 + Q2/rho)`.
#[inline(never)] // Its locals are gone before the next part of the step: small stacks.
pub(super) fn update<'a, T: Scalar>(
    config: &Config<T>,
    mut factors: Factors<'a, T>,
    (s1, q2, norms): (&[T], &[T], &mut [T]),
    progress: &Progress<T>,
    work: &mut Arena<'a>,
) -> Result<(Consistent<'a, T>, Ranks), Error> {
    let (n, m) = (config.samples, config.views);
    let dense = work.take::<T>(Sizes::of(config)?.dense)?;
    let zeros = work.take_filled::<T>(n, T::ZERO)?;
    let inverse = work.take::<T>(check::product("views", &[m, m])?)?;
    let roots = work.take::<Complex<T>>(m)?;
    if cfg!(feature = "large") {
        work.skip_to_line(small_layout::<T>(m)?, n)?;
    }
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
        let work = &mut work.scope();
        if !progress.in_strips {
            let ahead = strips::ROWS * m;
            let load = move |row: usize, first: usize, to: &mut [T]| argument.load(row, first, ahead, to);
            strips::fill(dense, [n, m, n], config.threads, load, work)?;
        }
        let ranks = samples::shrink_strips(dense, [n, m, n], tau, config.threads, work)?;
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
    factors.remember(ranks.largest);
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

impl<'a, T: Scalar> Consistent<'a, T> {
    /// Whether nothing is left.
    pub(super) fn is_zero(&self) -> bool {
        self.form == Form::Zero
    }

    /// Whether nothing may be left of slice `f` in the next step, so that its norms are worth summing up. Where something is
    /// left now, more will be; but where no slice can be kept, norms are all there is to prove a search by.
    pub(super) fn may_vanish(&self, f: usize) -> bool {
        match self.form {
            Form::Zero => true,
            Form::Factors => self.dense.is_empty() || self.factors.count(f) == 0,
            Form::Slices | Form::Strips => false,
        }
    }

    /// The strips, to be read and then written row by row; empty in every other form.
    pub(super) fn take_strips(&mut self) -> Band<'a, T> {
        if !cfg!(feature = "reference") || self.form != Form::Strips {
            return Band::empty();
        }
        strips::band(core::mem::take(&mut self.dense), self.samples)
    }

    /// Makes the rows `first..first + count` ready to be asked for by [`Self::row`], of which the strips, where there are
    /// any, hold the first at `row` of their band.
    pub(super) fn prepare(
        &self,
        first: usize,
        count: usize,
        (strips, row): (&Band<'_, T>, usize),
        rows: &mut Rows<'_, T>,
    ) -> Result<(), Error> {
        let (n, m) = (self.samples, self.views);
        let area = count * n;
        match self.form {
            Form::Zero => return Ok(()),
            Form::Strips => {
                let rows = rows.views.get_mut(..m * area).unwrap_or(&mut []);
                strips::read_rows(strips, [n, m, n], row, rows);
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
            for (part, view) in view.chunks_mut(PART).enumerate() {
                view.fill(T::ZERO);
                for (&weight, plane) in weights.iter().zip(rows.planes.chunks_exact(area.max(1))) {
                    vector::axpy(weight, plane.get(part.wrapping_mul(PART)..).unwrap_or(&[]), view);
                }
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
