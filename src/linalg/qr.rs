//! Householder QR, with and without column pivoting, and the completion of a basis.
//!
//! Inside, a matrix is held by its columns (row j is column j), and a reflector is `H = I - v v^H` with
//! `||v||^2 = 2`, or `v = 0` where there is nothing to reflect: no factor beside the vector is needed.

use super::product::agree;
use super::vector::{LANES, axpy, dot, max_abs, norm, norm2, pairwise};
use super::{Mat, MatMut};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check, simd};

/// What [`qr`] needs.
pub const fn qr_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    match columns_layout::<F>(rows, cols) {
        Ok(columns) => columns.and_array::<F>(cols),
        Err(error) => Err(error),
    }
}

/// What [`qr_pivoted`] needs.
pub const fn qr_pivoted_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    match qr_layout::<F>(rows, cols) {
        Ok(plain) => plain.and_array::<[F::Real; 2]>(cols),
        Err(error) => Err(error),
    }
}

const fn columns_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    match check::product("a", &[rows, cols]) {
        Ok(length) => Layout::array::<F>(length),
        Err(error) => Err(error),
    }
}

/// `A = Q R` for `rows >= cols >= 1`: `q` is `rows x cols` with orthonormal columns whatever the rank of A, `r` is
/// `cols x cols`, upper triangular, with a real diagonal that is not negative.
pub fn qr<F: Field>(
    a: Mat<'_, F>,
    q: MatMut<'_, F>,
    r: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    check_shapes(a, &q, &r)?;
    work.require(qr_layout::<F>(a.rows(), a.cols())?)?;
    let mut work = work.scope();
    let mut x = MatMut::new("columns", work.take(a.data().len())?, a.cols(), a.rows())?;
    let diagonal = work.take(a.cols())?;
    transpose(a, &mut x);
    reflect_columns(&mut x, diagonal, None);
    write_factors(x, diagonal, q, r);
    Ok(())
}

/// `A P = Q R` as [`qr`], each step taking the column with the largest remainder: column j of `A P` is column
/// `permutation[j]` of A, and the diagonal of R descends.
pub fn qr_pivoted<F: Field>(
    a: Mat<'_, F>,
    q: MatMut<'_, F>,
    r: MatMut<'_, F>,
    permutation: &mut [usize],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    check_shapes(a, &q, &r)?;
    agree("permutation", a.cols(), permutation.len())?;
    work.require(qr_pivoted_layout::<F>(a.rows(), a.cols())?)?;
    let mut work = work.scope();
    let mut x = MatMut::new("columns", work.take(a.data().len())?, a.cols(), a.rows())?;
    let diagonal = work.take(a.cols())?;
    let norms = work.take(a.cols())?;
    transpose(a, &mut x);
    reflect_columns(&mut x, diagonal, Some(Pivoting { permutation, norms }));
    write_factors(x, diagonal, q, r);
    Ok(())
}

/// Fills rows `from..` so that all rows are orthonormal, given that rows `0..from` are, for `rows <= cols`.
///
/// Each new row is the coordinate vector that is farthest from the rows before it, made orthogonal to them twice.
pub fn complete_basis<F: Field>(mut vectors: MatMut<'_, F>, from: usize) -> Result<(), Error> {
    if vectors.rows() > vectors.cols() {
        return Err(Error::Parameter { what: "basis", requirement: "no more vectors than their length" });
    }
    if from > vectors.rows() {
        return Err(Error::Parameter { what: "from", requirement: "at most the number of vectors" });
    }
    // The given rows alone: the others may hold anything.
    let given = from.saturating_mul(vectors.cols());
    check::finite("basis", vectors.data_mut().get(..given).unwrap_or(&[]))?;
    for new in from..vectors.rows() {
        // The share of coordinate j that the rows before already span: sum over i of |v_ij|^2.
        vectors.row_mut(new).fill(F::ZERO);
        for old in 0..new {
            let (share, row) = vectors.two_rows_mut(new, old);
            for (share, x) in share.iter_mut().zip(row) {
                *share += F::from_real(x.abs2());
            }
        }
        let shares = vectors.row_mut(new).iter().map(|share| share.re()).enumerate();
        let farthest = shares.reduce(|best, next| if next.1 < best.1 { next } else { best });
        vectors.row_mut(new).fill(F::ZERO);
        vectors.set(new, farthest.map_or(0, |(j, _)| j), F::ONE);
        for _ in 0..2 {
            for old in 0..new {
                let (vector, row) = vectors.two_rows_mut(new, old);
                axpy(-dot(row, vector), row, vector);
            }
        }
        let vector = vectors.row_mut(new);
        let length = norm2(vector).sqrt();
        vector.iter_mut().for_each(|x| *x = x.unscale(length));
    }
    Ok(())
}

fn check_shapes<F: Field>(a: Mat<'_, F>, q: &MatMut<'_, F>, r: &MatMut<'_, F>) -> Result<(), Error> {
    check::positive("a", a.cols())?;
    if a.rows() < a.cols() {
        return Err(Error::Parameter { what: "a", requirement: "at least as many rows as columns" });
    }
    agree("rows of q", a.rows(), q.rows())?;
    agree("columns of q", a.cols(), q.cols())?;
    agree("rows of r", a.cols(), r.rows())?;
    agree("columns of r", a.cols(), r.cols())?;
    check_norm(a)
}

/// Every element is a number, and so is the norm, with room for the sums of an algorithm.
pub(super) fn check_norm<F: Field>(a: Mat<'_, F>) -> Result<(), Error> {
    check::finite("a", a.data())?;
    let room = norm(a.data()) * F::Real::TWO * F::Real::TWO;
    if room.is_finite() {
        Ok(())
    } else {
        Err(Error::Parameter { what: "a", requirement: "scaled down: its norm is beyond the largest number" })
    }
}

/// `x = a^T`: the columns of `a` as rows.
pub(super) fn transpose<F: Field>(a: Mat<'_, F>, x: &mut MatMut<'_, F>) {
    for i in 0..a.rows() {
        for (j, &value) in a.row(i).iter().enumerate() {
            x.set(j, i, value);
        }
    }
}

/// The state of column pivoting: where each column came from, and the norms of what is left of it, beside the
/// norms at the last time they were computed and not updated.
pub(super) struct Pivoting<'a, F: Field> {
    pub permutation: &'a mut [usize],
    pub norms: &'a mut [[F::Real; 2]],
}

impl<F: Field> Pivoting<'_, F> {
    fn start(&mut self, x: &MatMut<'_, F>) {
        for (j, (origin, norms)) in self.permutation.iter_mut().zip(self.norms.iter_mut()).enumerate() {
            *origin = j;
            *norms = [norm(x.as_ref().row(j)); 2];
        }
    }

    /// Moves the column with the largest remainder to place `j`; the first of equals, so that ties are decided.
    fn bring_largest(&mut self, x: &mut MatMut<'_, F>, j: usize) {
        let remainders = self.norms.iter().enumerate().skip(j);
        let largest = remainders.reduce(|best, next| if next.1[0] > best.1[0] { next } else { best });
        let Some((other, _)) = largest else { return };
        if other != j {
            x.swap_rows(j, other);
            swap(self.permutation, j, other);
            swap(self.norms, j, other);
        }
    }

    /// Takes element `j`, which now belongs to R, out of the norm of column `l`.
    fn shorten(&mut self, column: &[F], j: usize, l: usize) {
        let Some([remainder, computed]) = self.norms.get_mut(l) else { return };
        let Some((head, tail)) = column.get(j..).and_then(|rest| rest.split_first()) else { return };
        if *remainder == F::Real::ZERO {
            return;
        }
        let ratio = head.abs() / *remainder;
        let share = Scalar::max(F::Real::ONE - ratio * ratio, F::Real::ZERO);
        let kept = *remainder / *computed;
        // Differences lose bits: below the square root of epsilon too few are left to choose by.
        if share * kept * kept <= F::Real::EPSILON.sqrt() {
            *remainder = norm(tail);
            *computed = *remainder;
        } else {
            *remainder *= share.sqrt();
        }
    }
}

/// Exchanges two elements.
pub(super) fn swap<T>(slice: &mut [T], i: usize, j: usize) {
    if let Ok([first, second]) = slice.get_disjoint_mut([i, j]) {
        core::mem::swap(first, second);
    }
}

/// From element `start` on.
pub(super) fn tail<F>(row: &[F], start: usize) -> &[F] {
    row.get(start..).unwrap_or(&[])
}

/// From element `start` on, to change.
pub(super) fn tail_mut<F>(row: &mut [F], start: usize) -> &mut [F] {
    row.get_mut(start..).unwrap_or(&mut [])
}

/// `y <- H y` with `H = I - v v^H`.
fn reflect<F: Field>(v: &[F], y: &mut [F]) {
    axpy(-dot(v, y), v, y);
}

/// Rows of a length that are best reflected together. A sum waits for its last addition, and four that wait
/// together take the time of one, as long as the cache holds them; small targets have one copy of the loop.
pub(super) const fn rows_together<F>(length: usize) -> usize {
    if cfg!(feature = "std") && length.saturating_mul(size_of::<F>()) <= 4096 { 4 } else { 1 }
}

/// `y <- H y` for every row of `rows`, each of the length of `row`, where v is `row` from element `start` on.
pub(super) fn reflect_rows<F: Field>(row: &[F], start: usize, rows: &mut [F]) {
    let (length, v) = (row.len().max(1), tail(row, start));
    let mut rest = rows;
    if rows_together::<F>(length) == 4 {
        simd::widest(
            #[inline(always)]
            || {
                let mut fours = core::mem::take(&mut rest).chunks_exact_mut(length.saturating_mul(4));
                for four in fours.by_ref() {
                    reflect_four(v, start, four, length);
                }
                rest = fours.into_remainder();
            },
        );
    }
    rest.chunks_exact_mut(length).for_each(|y| reflect(v, tail_mut(y, start)));
}

/// Four rows of [`reflect_rows`], with the bits of [`reflect`].
#[inline(always)]
fn reflect_four<F: Field>(v: &[F], start: usize, four: &mut [F], length: usize) {
    let mut ys = four.chunks_exact_mut(length).map(|y| tail_mut(y, start).get_mut(..v.len()));
    let (Some(Some(a)), Some(Some(b)), Some(Some(c)), Some(Some(d))) =
        (ys.next(), ys.next(), ys.next(), ys.next())
    else {
        return;
    };
    let weights = sums_over(v, [a, b, c, d]).map(|sum| -sum);
    for (y, weight) in [a, b, c, d].into_iter().zip(weights) {
        for (y, &v) in y.iter_mut().zip(v) {
            *y += weight * v;
        }
    }
}

/// `v^H y` for four y of the length of v, each in the order of [`dot`].
#[inline(always)]
fn sums_over<F: Field>(v: &[F], ys: [&[F]; 4]) -> [F; 4] {
    let mut sums = [[F::ZERO; LANES]; 4];
    let (v_blocks, v_tail) = v.as_chunks::<LANES>();
    let [a, b, c, d] = ys.map(|y| y.as_chunks::<LANES>());
    let add = |sums: &mut [F; LANES], v: &[F], y: &[F]| {
        for ((sum, v), &y) in sums.iter_mut().zip(v).zip(y) {
            *sum += v.conj() * y;
        }
    };
    let [a_sums, b_sums, c_sums, d_sums] = &mut sums;
    for ((((v, a), b), c), d) in v_blocks.iter().zip(a.0).zip(b.0).zip(c.0).zip(d.0) {
        add(a_sums, v, a);
        add(b_sums, v, b);
        add(c_sums, v, c);
        add(d_sums, v, d);
    }
    for (sums, y_tail) in sums.iter_mut().zip([a.1, b.1, c.1, d.1]) {
        add(sums, v_tail, y_tail);
    }
    sums.map(pairwise)
}

/// Turns columns (as rows of `x`) into reflectors: afterwards row j holds column j of R above the diagonal and the
/// vector of `H_j` from there on, with `A = H_0 H_1 ... R`.
pub(super) fn reflect_columns<F: Field>(
    x: &mut MatMut<'_, F>,
    diagonal: &mut [F],
    mut pivoting: Option<Pivoting<'_, F>>,
) {
    if let Some(pivoting) = &mut pivoting {
        pivoting.start(x);
    }
    for (j, diagonal) in diagonal.iter_mut().enumerate() {
        if let Some(pivoting) = &mut pivoting {
            pivoting.bring_largest(x, j);
        }
        *diagonal = make_reflector(tail_mut(x.row_mut(j), j));
        let (v, after) = x.row_and_after_mut(j);
        reflect_rows(v, j, after);
        if let Some(pivoting) = &mut pivoting {
            for l in j.wrapping_add(1)..x.rows() {
                pivoting.shorten(x.as_ref().row(l), j, l);
            }
        }
    }
}

/// Replaces `x` by the v of the reflector with `H x = r e_0`, and returns r.
///
/// `v = (x/||x|| + p e_0) / sqrt(1 + |x_0|/||x||)` with p the phase of `x_0`, hence `r = -p ||x||`.
fn make_reflector<F: Field>(x: &mut [F]) -> F {
    let length = norm(x);
    if length == F::Real::ZERO {
        return F::ZERO;
    }
    if length < F::Real::MIN_POSITIVE / F::Real::EPSILON {
        // Subnormal numbers have too few bits for a unit vector: they are brought to size one first.
        let size = max_abs(x);
        x.iter_mut().for_each(|x| *x = x.unscale(size));
        return make_reflector(x).scale(size);
    }
    let Some(head) = x.first().copied() else { return F::ZERO };
    let phase = phase(head);
    let factor = F::Real::ONE / (F::Real::ONE + head.abs() / length).sqrt();
    x.iter_mut().for_each(|x| *x = x.unscale(length).scale(factor));
    if let Some(head) = x.first_mut() {
        *head += phase.scale(factor);
    }
    -phase.scale(length)
}

/// Writes Q and R from reflectors, with the phases of R's diagonal moved to Q.
fn write_factors<F: Field>(mut x: MatMut<'_, F>, diagonal: &[F], mut q: MatMut<'_, F>, mut r: MatMut<'_, F>) {
    r.clear();
    for (i, &d) in diagonal.iter().enumerate() {
        r.set(i, i, F::from_real(d.abs()));
        let turn = phase(d).conj();
        for j in i.wrapping_add(1)..r.cols() {
            r.set(i, j, x.at(j, i) * turn);
        }
    }
    reflectors_to_columns(&mut x, diagonal);
    transpose(x.as_ref(), &mut q);
}

/// Turns reflectors into the columns of Q, as rows, and each by the phase that makes R's diagonal positive.
pub(super) fn reflectors_to_columns<F: Field>(x: &mut MatMut<'_, F>, diagonal: &[F]) {
    // Backwards, column j of Q is H_j e_j, and the columns after it are reflected by H_j.
    for (j, &d) in diagonal.iter().enumerate().rev() {
        let (v, after) = x.row_and_after_mut(j);
        reflect_rows(v, j, after);
        reflect_unit(x.row_mut(j), j, phase(d));
    }
}

/// `factor * H e_j` in place of the vector of H.
fn reflect_unit<F: Field>(row: &mut [F], j: usize, factor: F) {
    let head = row.get(j).copied().unwrap_or(F::ZERO);
    let (above, v) = row.split_at_mut_checked(j).unwrap_or((&mut [], &mut []));
    above.fill(F::ZERO);
    let weight = -(head.conj() * factor);
    v.iter_mut().for_each(|x| *x *= weight);
    if let Some(head) = v.first_mut() {
        *head += factor;
    }
}

/// `x/|x|`, or one for zero.
fn phase<F: Field>(x: F) -> F {
    let size = x.abs_max();
    if size == F::Real::ZERO {
        return F::ONE;
    }
    // In two steps, because the absolute value of a subnormal number has too few bits to divide by.
    let x = x.unscale(size);
    x.unscale(x.abs())
}
