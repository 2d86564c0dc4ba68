//! Tubal shrinkage along the samples: the authors' rotated tensor, never rotated in memory.
//!
//! A tensor is kept by the solver as `[i][v][j]`: sample `i`'s rows of all views together. In the spectrum along `i`,
//! frequency `f` is a matrix of one column a view and as many rows as there are `j`; as `m` rows of `n` it is
//! `Y = L diag(s) R^H` with a small `L`, and shrinkage is `P Y` with `P = L diag((1 - tau/s)_+) L^H`, an `m x m` matrix.
//!
//! `K` lives in strips of columns (`strips.rs`). They are transformed where they are, and summed into `Y Y^H` of every
//! frequency while they are in cache; from these come the `P`; then they are multiplied and transformed back. Who reads a row
//! of `K` may leave that of the next `F` in its place.
//!
//! The products are summed in *spans* of strips whose number depends on `n` alone, and the spans are added in order:
//! one thread or many, the bits are the same.

use super::strips::{pitch, span_area, spans, width, with_width};
use super::{Ranks, strips, vanishes};
use crate::fft::RealFft;
use crate::linalg::jacobi_eigen::{eigen, eigen_layout};
use crate::linalg::jacobi_svd::{svd, svd_layout};
use crate::linalg::vector::pairwise;
use crate::linalg::{MatMut, vector};
use crate::simd::{self, Lanes, Lanewise};
use crate::tensor::{Shape, multiplicity};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check, parallel};
use num_complex::Complex;

/// What [`shrink`] needs.
pub fn shrink_layout<T: Scalar>(shape: Shape) -> Result<Layout, Error> {
    Layout::array::<T>(strips::length::<T>(shape)?)?.and(shrink_strips_layout::<T>(shape, 1)?)
}

/// `F` becomes `D_tau(F)`, Eq. (26), the transform along the first index of `[samples, views, cols]`.
///
/// An error leaves the tensor untouched.
pub fn shrink<T: Scalar>(
    tensor: &mut [T],
    shape: Shape,
    tau: T,
    work: &mut Arena<'_>,
) -> Result<Ranks, Error> {
    check::shape("tensor", tensor, &shape)?;
    check::positive("tensor", tensor.len())?;
    check::not_negative("tau", tau)?;
    check::finite("tensor", tensor)?;
    work.require(shrink_layout::<T>(shape)?)?;
    let [samples, _, cols] = shape;
    if vanishes(tensor, samples, tau) {
        tensor.fill(T::ZERO);
        return Ok(Ranks::default());
    }
    let mut work = work.scope();
    let strips = work.take::<T>(strips::length::<T>(shape)?)?;
    let load = |row: usize, first: usize, to: &mut [T]| {
        vector::copy(tensor.get(row * cols + first..).unwrap_or(&[]), to);
    };
    strips::fill(strips, shape, 1, load, &mut work)?;
    let ranks = shrink_strips(strips, shape, tau, 1, &mut work)?;
    if ranks.total == 0 {
        tensor.fill(T::ZERO);
    } else {
        strips::read_rows(&strips::band(strips, samples), shape, 0, tensor);
    }
    Ok(ranks)
}

/// What [`shrink_strips`] needs.
pub(crate) fn shrink_strips_layout<T: Scalar>(
    [samples, views, cols]: Shape,
    threads: usize,
) -> Result<Layout, Error> {
    let matrices = check::product("slice", &[spans(samples), samples / 2 + 1, views, views])?;
    let mut workers = Layout::EMPTY;
    for _ in 0..parallel::workers(threads) {
        workers = workers.and(Worker::<T>::layout(samples, views)?)?;
    }
    RealFft::<T>::layout(samples)?
        .and_array::<Complex<T>>(matrices)?
        .and(workers.or(by_gram_layout::<Complex<T>>(views)?).or(by_svd_layout::<T>(views, cols)?))
}

/// The strips of `F` become those of `D_tau(F)`, or keep no meaning where its rank is zero.
pub(crate) fn shrink_strips<T: Scalar>(
    strips: &mut [T],
    shape: Shape,
    tau: T,
    threads: usize,
    work: &mut Arena<'_>,
) -> Result<Ranks, Error> {
    check::shape("strips", strips, &[strips::length::<T>(shape)?])?;
    work.require(shrink_strips_layout::<T>(shape, threads)?)?;
    let [samples, views, _] = shape;
    let mut work = work.scope();
    let fft = RealFft::new(samples, &mut work)?;
    let length = fft.spectrum_len() * views * views;
    let matrices = work.take_filled::<Complex<T>>(spans(samples) * length, Complex::new(T::ZERO, T::ZERO))?;
    let (size, area) = (strips.len(), span_area::<T>(shape));
    let axis = Axis { fft: &fft, shape };

    let (mut rest, mut rest_of_matrices) = (&mut *strips, &mut *matrices);
    let pieces = core::iter::from_fn(|| {
        let piece = (split_front(&mut rest, area), split_front(&mut rest_of_matrices, length));
        (!piece.0.is_empty()).then_some(piece)
    });
    parallel::for_each(
        threads,
        size,
        pieces,
        &mut work.scope(),
        |work| Worker::carve(samples, views, work),
        |(strips, sums), worker| with_width!(samples, T, axis.analyse(strips, sums, worker)),
    )?;

    let (shrinkage, others) = matrices.split_at_mut_checked(length).unwrap_or((&mut [], &mut []));
    for span in others.chunks_exact(length.max(1)) {
        shrinkage.iter_mut().zip(span).for_each(|(sum, x)| *sum += x);
    }
    let mut ranks = Ranks::default();
    for (f, matrix) in shrinkage.chunks_exact_mut((views * views).max(1)).enumerate() {
        let matrix = MatMut::new("products", matrix, views, views)?;
        let rank = axis.project(strips, f, tau, matrix, &mut work)?;
        ranks.add(rank, multiplicity(&fft, f));
    }

    if ranks.total == 0 {
        return Ok(ranks);
    }
    let shrinkage = &*shrinkage;
    let mut rest = strips;
    let pieces = core::iter::from_fn(|| Some(split_front(&mut rest, area)).filter(|piece| !piece.is_empty()));
    parallel::for_each(
        threads,
        size,
        pieces,
        &mut work.scope(),
        |work| Worker::carve(samples, views, work),
        |strips, worker| with_width!(samples, T, axis.synthesise(strips, shrinkage, worker)),
    )?;
    Ok(ranks)
}

/// Takes up to `length` elements off the front.
fn split_front<'a, E>(rest: &mut &'a mut [E], length: usize) -> &'a mut [E] {
    let whole = core::mem::take(rest);
    let (front, back) = whole.split_at_mut(length.min(whole.len()));
    *rest = back;
    front
}

/// Memory of one thread.
struct Worker<'a, T> {
    /// Real and imaginary parts of a frequency, for every view.
    parts: &'a mut [T],
    fft: Arena<'a>,
}

impl<'a, T: Scalar> Worker<'a, T> {
    fn parts(samples: usize, views: usize) -> Result<usize, Error> {
        check::product("strips", &[2, views, width::<T>(samples)])
    }

    fn layout(samples: usize, views: usize) -> Result<Layout, Error> {
        Layout::array::<T>(Self::parts(samples, views)?)?.and(RealFft::<T>::scratch_layout(samples)?)
    }

    fn carve(samples: usize, views: usize, work: &mut Arena<'a>) -> Result<Self, Error> {
        let fft = RealFft::<T>::scratch_layout(samples)?;
        Ok(Self { parts: work.take(Self::parts(samples, views)?)?, fft: work.part(fft)? })
    }
}

/// The axis of the samples: how to transform along it, and what lies across.
#[derive(Clone, Copy)]
struct Axis<'a, T> {
    fft: &'a RealFft<'a, T>,
    shape: Shape,
}

impl<T: Scalar> Axis<'_, T> {
    /// Strips become their spectra; their share of `Y Y^H` is added to `sums`, as lower triangles.
    ///
    /// The axis is a copy of this thread's own: beside the original lies what another thread writes.
    fn analyse<const W: usize>(
        self,
        strips: &mut [T],
        sums: &mut [Complex<T>],
        worker: &mut Worker<'_, T>,
    ) -> Result<(), Error> {
        let [samples, views, _] = self.shape;
        let (rows, _) = strips.as_chunks_mut::<W>();
        for strip in rows.chunks_exact_mut((views * pitch(samples)).max(1)) {
            for view in strip.chunks_exact_mut(pitch(samples).max(1)) {
                self.fft.forward_strip(view, &mut worker.fft)?;
            }
            simd::widest(
                #[inline(always)]
                || self.add_products(strip, sums),
            );
        }
        Ok(())
    }

    /// The spectra are multiplied by the matrices and become samples again.
    fn synthesise<const W: usize>(
        &self,
        strips: &mut [T],
        matrices: &[Complex<T>],
        worker: &mut Worker<'_, T>,
    ) -> Result<(), Error> {
        let [samples, views, _] = self.shape;
        let (rows, _) = strips.as_chunks_mut::<W>();
        let (parts, _) = worker.parts.as_chunks_mut::<W>();
        for strip in rows.chunks_exact_mut((views * pitch(samples)).max(1)) {
            simd::widest(
                #[inline(always)]
                || self.multiply(strip, matrices, parts),
            );
            for view in strip.chunks_exact_mut(pitch(samples).max(1)) {
                self.fft.inverse_strip(view, &mut worker.fft)?;
            }
        }
        Ok(())
    }

    /// `Y Y^H` of every frequency, over the columns of one strip.
    #[inline(always)]
    fn add_products<const W: usize>(&self, strip: &[[T; W]], sums: &mut [Complex<T>]) {
        let [_, m, _] = self.shape;
        for (f, sums) in sums.chunks_exact_mut((m * m).max(1)).enumerate() {
            for (a, row) in sums.chunks_exact_mut(m.max(1)).enumerate() {
                let (re_a, im_a) = self.parts(strip, a, f);
                for (b, sum) in row.iter_mut().enumerate().take(a + 1) {
                    let (re_b, im_b) = self.parts(strip, b, f);
                    sum.re += total(re_a * re_b + im_a * im_b);
                    if b < a {
                        sum.im += total(im_a * re_b - re_a * im_b);
                    }
                }
            }
        }
    }

    /// `P Y` of every frequency, for the columns of one strip.
    #[inline(always)]
    fn multiply<const W: usize>(&self, strip: &mut [[T; W]], matrices: &[Complex<T>], parts: &mut [[T; W]]) {
        let [samples, m, _] = self.shape;
        for (f, matrix) in matrices.chunks_exact((m * m).max(1)).enumerate() {
            for (view, parts) in parts.chunks_exact_mut(2).enumerate() {
                if let [re, im] = parts {
                    let (own_re, own_im) = self.parts(strip, view, f);
                    (*re, *im) = (own_re.0, own_im.0);
                }
            }
            let (real, imaginary) = self.fft.packed_rows(f);
            for (a, row) in matrix.chunks_exact(m.max(1)).enumerate() {
                let (mut re, mut im) = (Lanes::splat(T::ZERO), Lanes::splat(T::ZERO));
                for (p, parts) in row.iter().zip(parts.chunks_exact(2)) {
                    if let [re_b, im_b] = parts {
                        let (re_b, im_b) = (Lanes(*re_b), Lanes(*im_b));
                        let (p_re, p_im) = (Lanes::splat(p.re), Lanes::splat(p.im));
                        re += p_re * re_b - p_im * im_b;
                        im += p_re * im_b + p_im * re_b;
                    }
                }
                let view = strip.get_mut(a * pitch(samples)..).unwrap_or(&mut []);
                if let Some(to) = view.get_mut(real) {
                    *to = re.0;
                }
                if let Some(to) = imaginary.and_then(|row| view.get_mut(row)) {
                    *to = im.0;
                }
            }
        }
    }

    /// Real and imaginary parts of frequency `f` of a view.
    #[inline(always)]
    fn parts<const W: usize>(&self, strip: &[[T; W]], view: usize, f: usize) -> (Lanes<T, W>, Lanes<T, W>) {
        let [samples, ..] = self.shape;
        let (real, imaginary) = self.fft.packed_rows(f);
        let row =
            |row: usize| strip.get(view * pitch(samples) + row).map_or(Lanes::splat(T::ZERO), |x| Lanes(*x));
        (row(real), imaginary.map_or(Lanes::splat(T::ZERO), row))
    }

    /// `Y Y^H` of frequency `f`, whose spectrum is in the strips, becomes `P`; returns the rank.
    fn project(
        &self,
        strips: &[T],
        f: usize,
        tau: T,
        mut matrix: MatMut<'_, Complex<T>>,
        work: &mut Arena<'_>,
    ) -> Result<usize, Error> {
        let squares = (0..matrix.rows()).fold(T::ZERO, |sum, a| sum + matrix.at(a, a).re);
        // Below this the squares of the largest elements have begun to lose bits to underflow.
        let small = T::MIN_POSITIVE / (T::EPSILON * T::EPSILON);
        let norm = squares.sqrt();
        if squares.is_finite() && squares > small && tau * tau > T::MIN_POSITIVE / T::EPSILON {
            if norm < tau {
                matrix.clear();
                return Ok(0);
            }
            if let Some(rank) = by_gram(tau, norm, matrix.as_mut(), work)? {
                return Ok(rank);
            }
        }
        self.project_by_svd(strips, f, tau, matrix, work)
    }

    /// `P` from the left singular vectors of `Y`, to full accuracy.
    fn project_by_svd(
        &self,
        strips: &[T],
        f: usize,
        tau: T,
        mut matrix: MatMut<'_, Complex<T>>,
        work: &mut Arena<'_>,
    ) -> Result<usize, Error> {
        let [_, views, cols] = self.shape;
        let mut work = work.scope();
        let small = views.min(cols);
        matrix.clear();
        let mut slice = MatMut::new("slice", work.take::<Complex<T>>(views * cols)?, views, cols)?;
        self.load_slice(strips, f, &mut slice);
        check::finite("spectrum", slice.as_ref().data())?;
        let norm = vector::norm(slice.as_ref().data());
        if norm == T::ZERO || norm < tau {
            return Ok(0);
        }
        let mut left = MatMut::new("left vectors", work.take(views * small)?, views, small)?;
        let values = work.take::<T>(small)?;
        let right = MatMut::new("right vectors", work.take(small * cols)?, small, cols)?;
        svd(slice.as_ref(), left.as_mut(), values, right, &mut work)?;
        let rank = values.iter().filter(|&&value| value > tau).count();
        for (i, &value) in values.iter().enumerate().take(rank) {
            add_projection(&mut matrix, T::ONE - tau / value, |a| left.at(a, i));
        }
        Ok(rank)
    }

    /// Frequency `f`, a row a view.
    fn load_slice(&self, strips: &[T], f: usize, slice: &mut MatMut<'_, Complex<T>>) {
        let [samples, views, _] = self.shape;
        let width = width::<T>(samples);
        let (real, imaginary) = self.fft.packed_rows(f);
        for (s, strip) in strips.chunks_exact((views * pitch(samples) * width).max(1)).enumerate() {
            for v in 0..views {
                let row = |row: usize| strip.get((v * pitch(samples) + row) * width..).unwrap_or(&[]);
                let to = slice.row_mut(v).get_mut(s * width..).unwrap_or(&mut []);
                for ((to, &re), c) in to.iter_mut().zip(row(real)).zip(0..width) {
                    *to = Complex::new(re, imaginary.map_or(T::ZERO, |im| vector::at(row(im), c)));
                }
            }
        }
    }
}

/// The sum of the lanes, in an order that their number alone decides.
#[inline(always)]
fn total<T: Scalar, const W: usize>(Lanes(lanes): Lanes<T, W>) -> T {
    let (eights, rest) = lanes.as_chunks::<8>();
    let sum = eights.iter().fold(T::ZERO, |sum, eight| sum + pairwise(*eight));
    rest.iter().fold(sum, |sum, &x| sum + x)
}

fn by_gram_layout<F: Field>(views: usize) -> Result<Layout, Error> {
    let square = check::product("slice", &[views, views])?;
    Layout::array::<F>(square)?.and_array::<F::Real>(views)?.and(eigen_layout::<F>(views)?)
}

/// `P` from the eigenvectors of `Y Y^H`, whose eigenvalues are the squares of the singular values, and its rank. None
/// where squares do not see enough.
fn by_gram<F: Field>(
    tau: F::Real,
    norm: F::Real,
    mut matrix: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<Option<usize>, Error> {
    let mut work = work.scope();
    let views = matrix.rows();
    let vectors = work.take::<F>(views * views)?;
    let values = work.take::<F::Real>(views)?;
    for a in 0..views {
        for b in 0..a {
            matrix.set(b, a, matrix.at(a, b).conj());
        }
    }
    let mut vectors = MatMut::new("vectors", vectors, views, views)?;
    eigen(matrix.as_ref(), values, vectors.as_mut(), &mut work)?;
    if !values.iter().all(|&value| squares_do(tau, norm, value)) {
        return Ok(None);
    }
    let rank = values.iter().filter(|&&value| value > tau * tau).count();
    matrix.clear();
    for (i, value) in values.iter().enumerate().take(rank) {
        add_projection(&mut matrix, F::Real::ONE - tau / value.sqrt(), |a| vectors.at(i, a));
    }
    Ok(Some(rank))
}

/// Whether the eigenvalue `s^2` of `Y Y^H` says enough about `s` and its vector, to `eps^(3/4) ||Y||`: a hundred times
/// less than what we promise.
///
/// It is wrong by a rounding of `||Y||^2`, and so is what becomes of `s` by `eps tau ||Y||^2 / s^2`. A vector above the
/// threshold mixes with those below it, which matters as `eps ||Y||^2 / s`; we allow thirty times as much of that. Where
/// `s` is clearly below, nothing becomes of it.
fn squares_do<T: Scalar>(tau: T, norm: T, square: T) -> bool {
    let (root, squares) = (T::EPSILON.sqrt(), norm * norm);
    let quarter = root.sqrt();
    let noise = T::from_f64(1024.0) * T::EPSILON * squares;
    let mixed = Scalar::max(root * squares / T::from_f64(900.0), noise);
    let above = square >= Scalar::max(tau * norm * quarter, mixed);
    let below = square <= tau * tau * T::HALF && tau * tau >= noise;
    tau >= norm * quarter || above || below
}

fn by_svd_layout<T: Scalar>(views: usize, cols: usize) -> Result<Layout, Error> {
    let small = views.min(cols);
    Layout::array::<Complex<T>>(check::product("slice", &[views, cols])?)?
        .and_array::<Complex<T>>(check::product("slice", &[views, small])?)?
        .and_array::<T>(small)?
        .and_array::<Complex<T>>(check::product("slice", &[small, cols])?)?
        .and(svd_layout::<Complex<T>>(views, cols)?)
}

/// `P += gain l l^H`.
fn add_projection<F: Field>(p: &mut MatMut<'_, F>, gain: F::Real, l: impl Fn(usize) -> F) {
    for a in 0..p.rows() {
        for b in 0..p.cols() {
            p.set(a, b, p.at(a, b) + (l(a) * l(b).conj()).scale(gain));
        }
    }
}
