//! Products of a matrix with a few vectors, its rows passing by once: `A x`, `A^H y` and `A^H A x`, and `A x` for half
//! of a symmetric matrix.
//!
//! Vectors are packed side by side into a *panel*: element `k` of all of them fills a register or two, and meets
//! element `k` of several rows of `A`. Parts of a complex element are coefficients of their own, as in
//! [`super::combine`], so the inner loops know real coefficients alone. A sum runs over its terms in order, whatever
//! the size of the blocks and the number of vectors.

use super::{Mat, MatMut, vector};
use crate::{Error, Field, Scalar, check, simd};
use core::ops::Range;
use num_complex::Complex;

/// Rows of a matrix that pass by together: they stay in a second-level cache from one product to the next.
pub(crate) const BLOCK: usize = 8;
/// Elements of a row that are multiplied while the panel's stay in a first-level cache.
const DEPTH: usize = 128;

/// Vectors that there is memory for in a panel: two registers of 32 bytes.
pub(crate) const fn vectors_of_panel<F>() -> usize {
    match 64 / size_of::<F>() {
        16.. => 16,
        8.. => 8,
        _ => 4,
    }
}

/// Vectors that are side by side in a panel at most. Of a loop over sixteen numbers a compiler for the widest registers
/// makes gathers across the rows, ten times slower.
pub(crate) const fn vectors_of_group<F>() -> usize {
    if vectors_of_panel::<F>() > 8 { 8 } else { vectors_of_panel::<F>() }
}

/// Elements of a full panel of vectors of length `n`.
pub(crate) fn panel_length<F: Field>(n: usize) -> Result<usize, Error> {
    check::product("panel", &[n, vectors_of_panel::<F>()])
}

/// Vectors side by side in a panel for `count` of them: a full panel, or in double precision half of one where that is
/// enough. (In single precision the compiler makes worse code of half a panel.)
const fn width<F: Field>(count: usize) -> usize {
    let full = vectors_of_group::<F>();
    if size_of::<F::Real>() == 8 && 2 * count <= full { full / 2 } else { full }
}

/// Calls a function, compiled for the widest registers, with these constants: the vectors side by side in a panel for
/// `count` of them, the rows that meet them in registers, and the elements of a row that do on the way back.
macro_rules! with_panel {
    ($field:ty, $count:expr, $function:ident($($argument:expr),* $(,)?)) => {
        simd::widest(
            #[inline(always)]
            || match (width::<$field>($count), <$field>::IS_COMPLEX) {
                (8, false) => $function::<$field, 8, 4, 4>($($argument),*),
                (_, false) => $function::<$field, 4, 8, 8>($($argument),*),
                (8, true) => $function::<$field, 8, 2, 4>($($argument),*),
                (4, true) => $function::<$field, 4, 2, 4>($($argument),*),
                (_, true) => $function::<$field, 2, 4, 8>($($argument),*),
            },
        )
    };
}

/// Vectors of a matrix that a panel holds: so many rows from `first` on.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    first: usize,
    count: usize,
}

/// The groups of `count` vectors.
pub(crate) fn groups<F: Field>(count: usize) -> impl Iterator<Item = Group> {
    let most = vectors_of_group::<F>();
    (0..count).step_by(most).map(move |first| Group { first, count: most.min(count.wrapping_sub(first)) })
}

/// Packs rows of `x`: their element `k` stands at `place(k)`.
pub(crate) fn pack<F: Field>(x: Mat<'_, F>, group: Group, place: impl Fn(usize) -> usize, panel: &mut [F]) {
    with_panel!(F, group.count, pack_in(x, group, place, panel));
}

#[inline(always)]
fn pack_in<F: Field, const V: usize, const R: usize, const T: usize>(
    x: Mat<'_, F>,
    group: Group,
    place: impl Fn(usize) -> usize,
    panel: &mut [F],
) {
    let panel = panel.as_chunks_mut::<V>().0;
    for k in 0..x.cols() {
        let Some(to) = panel.get_mut(place(k)) else { continue };
        for (c, to) in to.iter_mut().enumerate() {
            *to = if c < group.count { x.at(group.first.wrapping_add(c), k) } else { F::ZERO };
        }
    }
}

/// Adds a panel to rows of `y`: what stands at `place(k)` is for their element `k`.
pub(crate) fn unpack_add<F: Field>(
    panel: &[F],
    group: Group,
    place: impl Fn(usize) -> usize,
    y: &mut MatMut<'_, F>,
) {
    with_panel!(F, group.count, unpack_add_in(panel, group, place, y));
}

#[inline(always)]
fn unpack_add_in<F: Field, const V: usize, const R: usize, const T: usize>(
    panel: &[F],
    group: Group,
    place: impl Fn(usize) -> usize,
    y: &mut MatMut<'_, F>,
) {
    let panel = panel.as_chunks::<V>().0;
    for c in 0..group.count {
        for (k, y) in y.row_mut(group.first.wrapping_add(c)).iter_mut().enumerate() {
            *y += panel.get(place(k)).map_or(F::ZERO, |x| vector::at(x, c));
        }
    }
}

/// The place of an element in a panel that keeps the order.
pub(crate) const fn same(k: usize) -> usize {
    k
}

/// `y += A^H s A x` for panels `x` and `y` and any rows of `A`; returns the largest element of `A x`.
pub(crate) fn add_normal<F: Field>(
    a: Mat<'_, F>,
    group: Group,
    x: &[F],
    s: F::Real,
    y: &mut [F],
) -> Result<F::Real, Error> {
    with_panel!(F, group.count, add_normal_in(a, x, s, y))
}

#[inline(always)]
fn add_normal_in<F: Field, const V: usize, const R: usize, const T: usize>(
    a: Mat<'_, F>,
    x: &[F],
    s: F::Real,
    y: &mut [F],
) -> Result<F::Real, Error> {
    let (x, y) = (elements::<F, V>(a, x), elements_mut::<F, V>(a, y));
    let mut largest = F::Real::ZERO;
    for first in (0..a.rows()).step_by(BLOCK) {
        let block = Block::new(a, first);
        let mut parts = block.multiply::<V, R>(x);
        for part in &mut parts {
            check::finite("matrix", part)?;
            largest = Scalar::max(largest, vector::max_abs(part));
            part.iter_mut().for_each(|x| *x = x.scale(s));
        }
        block.add_adjoint::<V, T>(&parts, y);
    }
    Ok(largest)
}

/// `y += A x` for panels `x` and `y` and a symmetric `A` whose row `i` begins with the `i + 1` elements of `row(i)`, and that
/// is zero outside the rows of a range and the columns that mirror them. The range begins with a block.
pub(crate) fn add_symmetric<'a, F: Field>(
    range: Range<usize>,
    row: impl Fn(usize) -> &'a [F],
    group: Group,
    x: &[F],
    y: &mut [F],
) {
    with_panel!(F, group.count, add_symmetric_in(range, row, x, y));
}

#[inline(always)]
fn add_symmetric_in<'a, F: Field, const V: usize, const R: usize, const T: usize>(
    range: Range<usize>,
    row: impl Fn(usize) -> &'a [F],
    x: &[F],
    y: &mut [F],
) {
    let (x, y) = (x.as_chunks::<V>().0, y.as_chunks_mut::<V>().0);
    let n = range.end;
    for first in range.step_by(BLOCK) {
        let (Some((x, x_own)), Some((y, y_own))) = (x.split_at_checked(first), y.split_at_mut_checked(first))
        else {
            break;
        };
        // Left of the corner on the diagonal, rows are of equal length; each element stands above the diagonal as well.
        let last = n.wrapping_sub(1);
        let rows_from = |first: usize| core::array::from_fn(|i| row(first.wrapping_add(i).min(last)));
        let (rows, ahead): ([&[F]; BLOCK], _) = (rows_from(first), rows_from(first.wrapping_add(BLOCK)));
        let left = rows.map(|row| row.get(..first).unwrap_or(&[]));
        let block = Block { rows: left, inside: n.wrapping_sub(first), ahead };
        for (y, part) in y_own.iter_mut().zip(block.multiply::<V, R>(x)) {
            add(y, F::Real::ONE, &part);
        }
        let own = core::array::from_fn(|i| x_own.get(i).copied().unwrap_or([F::ZERO; V]));
        block.add_adjoint::<V, T>(&own, y);
        for (i, row) in rows.iter().enumerate().take(block.inside) {
            for (j, a) in row.iter().skip(first).enumerate() {
                let (Some(x_i), Some(x_j)) = (x_own.get(i), x_own.get(j)) else { continue };
                if let Some(y) = y_own.get_mut(i) {
                    add(y, a.re(), x_j);
                }
                if let Some(y) = y_own.get_mut(j).filter(|_| j < i) {
                    add(y, a.re(), x_i);
                }
            }
        }
    }
}

/// `A x` for the vectors of a panel: `put(vector, row, element)` is told all elements.
pub(crate) fn multiply_panel<F: Field>(
    a: Mat<'_, F>,
    group: Group,
    x: &[F],
    put: impl FnMut(usize, usize, F),
) {
    with_panel!(F, group.count, multiply_panel_in(a, group, x, put));
}

#[inline(always)]
fn multiply_panel_in<F: Field, const V: usize, const R: usize, const T: usize>(
    a: Mat<'_, F>,
    group: Group,
    x: &[F],
    mut put: impl FnMut(usize, usize, F),
) {
    for top in (0..a.rows()).step_by(BLOCK) {
        let parts = Block::new(a, top).multiply::<V, R>(elements(a, x));
        for (i, part) in (top..a.rows()).zip(&parts) {
            for (c, &value) in part.iter().enumerate().take(group.count) {
                put(group.first.wrapping_add(c), i, value);
            }
        }
    }
}

/// `x += A^H y` for a panel `x` and the columns of `y` from `at` on.
pub(crate) fn add_adjoint_panel<F: Field>(
    a: Mat<'_, F>,
    group: Group,
    y: Mat<'_, F>,
    at: usize,
    x: &mut [F],
) {
    with_panel!(F, group.count, add_adjoint_panel_in(a, group, y, at, x));
}

#[inline(always)]
fn add_adjoint_panel_in<F: Field, const V: usize, const R: usize, const T: usize>(
    a: Mat<'_, F>,
    group: Group,
    y: Mat<'_, F>,
    at: usize,
    x: &mut [F],
) {
    for top in (0..a.rows()).step_by(BLOCK) {
        let column = at.wrapping_add(top);
        let element = |i: usize, c: usize| {
            let inside = c < group.count && top.wrapping_add(i) < a.rows();
            if inside { y.at(group.first.wrapping_add(c), column.wrapping_add(i)) } else { F::ZERO }
        };
        let parts = core::array::from_fn(|i| core::array::from_fn(|c| element(i, c)));
        Block::new(a, top).add_adjoint::<V, T>(&parts, elements_mut(a, x));
    }
}

/// A panel's elements, as many as a row of `a` has: a narrow panel leaves memory unused.
#[inline(always)]
fn elements<'a, F: Field, const V: usize>(a: Mat<'_, F>, panel: &'a [F]) -> &'a [[F; V]] {
    panel.as_chunks().0.get(..a.cols()).unwrap_or(&[])
}

#[inline(always)]
fn elements_mut<'a, F: Field, const V: usize>(a: Mat<'_, F>, panel: &'a mut [F]) -> &'a mut [[F; V]] {
    panel.as_chunks_mut().0.get_mut(..a.cols()).unwrap_or(&mut [])
}

/// A few rows of a matrix; beyond its end the last one stands again, and its products are not used.
struct Block<'a, F> {
    rows: [&'a [F]; BLOCK],
    inside: usize,
    /// The rows after these. The way back does not wait for memory, and is when they are asked for.
    ahead: [&'a [F]; BLOCK],
}

impl<'a, F: Field> Block<'a, F> {
    #[inline(always)]
    fn new(a: Mat<'a, F>, first: usize) -> Self {
        let last = a.rows().saturating_sub(1);
        let rows = |first: usize| core::array::from_fn(|i| a.row(first.wrapping_add(i).min(last)));
        let ahead = rows(first.wrapping_add(BLOCK));
        Self { rows: rows(first), inside: a.rows().saturating_sub(first), ahead }
    }

    /// `A x`, a row of the result for each row of the block; those beyond the end of the matrix are zero.
    #[inline(always)]
    fn multiply<const V: usize, const R: usize>(&self, x: &[[F; V]]) -> [[F; V]; BLOCK] {
        let (mut re, mut im) = ([[F::ZERO; V]; BLOCK], [[F::ZERO; V]; BLOCK]);
        for (start, x) in (0..).step_by(DEPTH).zip(x.chunks(DEPTH)) {
            let sums = re.as_chunks_mut::<R>().0.iter_mut().zip(im.as_chunks_mut::<R>().0);
            for (rows, (re, im)) in self.rows.as_chunks::<R>().0.iter().zip(sums) {
                add_products(rows, start, x, re, im);
            }
        }
        for (i, (re, im)) in re.iter_mut().zip(im).enumerate() {
            for (re, im) in re.iter_mut().zip(im) {
                // Re(a) x + i Im(a) x.
                *re = if i >= self.inside { F::ZERO } else { *re + turned(im) };
            }
        }
        re
    }

    /// `x += A^H parts`.
    #[inline(always)]
    fn add_adjoint<const V: usize, const T: usize>(&self, parts: &[[F; V]; BLOCK], x: &mut [[F; V]]) {
        // conj(a) p = Re(a) p + Im(a) (-i p).
        let turned = parts.map(|part| part.map(|p| -turned(p)));
        let (tiles, tail) = x.as_chunks_mut::<T>();
        let rows = self.rows.map(|row| row.as_chunks::<T>().0);
        let end = tiles.len().wrapping_mul(T);
        for (t, tile) in tiles.iter_mut().enumerate() {
            if t % simd::pieces_in_line(T * size_of::<F>()) == 0 {
                self.ahead.iter().for_each(|row| simd::fetch(row, t.wrapping_mul(T)));
            }
            let mut sums = *tile;
            for ((row, part), turned) in rows.iter().zip(parts).zip(&turned).take(self.inside) {
                let Some(a) = row.get(t) else { continue };
                for (sum, a) in sums.iter_mut().zip(a) {
                    add_conjugate(sum, *a, part, turned);
                }
            }
            *tile = sums;
        }
        for (sum, k) in tail.iter_mut().zip(end..) {
            for ((row, part), turned) in self.rows.iter().zip(parts).zip(&turned).take(self.inside) {
                add_conjugate(sum, vector::at(row, k), part, turned);
            }
        }
    }
}

/// `re_i + i im_i += sum over k of a_i(start + k) x_k`, the products with both parts of `a` apart.
#[inline(always)]
fn add_products<F: Field, const V: usize, const R: usize>(
    rows: &[&[F]; R],
    start: usize,
    x: &[[F; V]],
    re: &mut [[F; V]; R],
    im: &mut [[F; V]; R],
) {
    let (mut s, mut t) = (*re, *im);
    // One iterator over all rows: no element needs a check of its own.
    let x = x.iter();
    match rows.map(|row| row.get(start..).unwrap_or(&[])).as_slice() {
        [a, b] => {
            for ((x, &a), &b) in x.zip(*a).zip(*b) {
                add_each(&mut s, &mut t, x, &[a, b]);
            }
        }
        [a, b, c, d] => {
            for ((((x, &a), &b), &c), &d) in x.zip(*a).zip(*b).zip(*c).zip(*d) {
                add_each(&mut s, &mut t, x, &[a, b, c, d]);
            }
        }
        [a, b, c, d, e, f, g, h] => {
            let (first, second) = (a.iter().zip(*b).zip(*c).zip(*d), e.iter().zip(*f).zip(*g).zip(*h));
            for ((x, (((&a, &b), &c), &d)), (((&e, &f), &g), &h)) in x.zip(first).zip(second) {
                add_each(&mut s, &mut t, x, &[a, b, c, d, e, f, g, h]);
            }
        }
        _ => (),
    }
    (*re, *im) = (s, t);
}

/// `re_i += Re(a_i) x` and `im_i += Im(a_i) x`.
#[inline(always)]
fn add_each<F: Field, const V: usize>(re: &mut [[F; V]], im: &mut [[F; V]], x: &[F; V], a: &[F]) {
    for ((re, im), a) in re.iter_mut().zip(im).zip(a) {
        add(re, a.re(), x);
        if F::IS_COMPLEX {
            add(im, a.im(), x);
        }
    }
}

/// `sums += conj(a) x`, where `turned` is `-i x`.
#[inline(always)]
fn add_conjugate<F: Field, const V: usize>(sums: &mut [F; V], a: F, x: &[F; V], turned: &[F; V]) {
    add(sums, a.re(), x);
    if F::IS_COMPLEX {
        add(sums, a.im(), turned);
    }
}

#[inline(always)]
fn add<F: Field, const V: usize>(sums: &mut [F; V], a: F::Real, x: &[F; V]) {
    for (sum, x) in sums.iter_mut().zip(x) {
        *sum += x.scale(a);
    }
}

/// `i x`, which is nothing where `x` is real: such an `x` is the product with an imaginary part that is none.
#[inline(always)]
fn turned<F: Field>(x: F) -> F {
    F::from_complex(Complex::new(-x.im(), x.re()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::narrow;
    use crate::linalg::partial_svd::{Map, Matrix};
    use crate::rng::Rng;
    use std::vec::Vec;

    /// Against the definition, at shapes that leave tails everywhere, and as many vectors as panels come in.
    fn check<F: Field>(draw: impl Fn(&mut Rng) -> F) {
        let mut rng = Rng::new(5);
        for (rows, cols) in [(1, 1), (3, 2), (8, 9), (9, 8), (21, 133), (40, 40)] {
            let a: Vec<F> = (0..rows * cols).map(|_| draw(&mut rng)).collect();
            let mut scratch = std::vec![F::ZERO; Matrix::<F>::scratch(cols).unwrap()];
            let mut map = Matrix::new(Mat::new("a", &a, rows, cols).unwrap(), &mut scratch);
            for count in [1, 2, 3, 4, 5, 8, 9, 16, 17, 35] {
                let x: Vec<F> = (0..count * cols).map(|_| draw(&mut rng)).collect();
                let (mut y, mut z) = (std::vec![F::ONE; count * rows], std::vec![F::ONE; count * cols]);
                let mut normal = z.clone();
                let vectors = Mat::new("x", &x, count, cols).unwrap();
                map.apply(vectors, MatMut::new("y", &mut y, count, rows).unwrap()).unwrap();
                let images = Mat::new("y", &y, count, rows).unwrap();
                map.apply_adjoint(images, MatMut::new("z", &mut z, count, cols).unwrap()).unwrap();
                let mut none = [];
                let middle = MatMut::new("middle", &mut none, 0, 0).unwrap();
                let two = F::Real::TWO;
                let out = MatMut::new("normal", &mut normal, count, cols).unwrap();
                let largest = map.apply_normal(vectors, two, middle, out).unwrap();
                let allowed = F::Real::from_usize(8 * rows * cols) * F::Real::EPSILON;
                // The same sums, but where registers lie along the rows.
                let off = if narrow::suits::<F>(count) { allowed } else { F::Real::ZERO };
                assert!((largest - vector::max_abs(&y)).abs() <= off, "{rows} {cols} {count}");
                for c in 0..count {
                    for i in 0..rows {
                        let sum = (0..cols).fold(F::ZERO, |s, k| s + a[i * cols + k] * x[c * cols + k]);
                        assert!((sum - y[c * rows + i]).abs() <= allowed, "{rows} {cols} {count}");
                    }
                    for k in 0..cols {
                        let sum =
                            (0..rows).fold(F::ZERO, |s, i| s + a[i * cols + k].conj() * y[c * rows + i]);
                        assert!((sum - z[c * cols + k]).abs() <= allowed, "{rows} {cols} {count}");
                        assert!((sum.scale(two) - normal[c * cols + k]).abs() <= allowed * two);
                    }
                }
            }
        }
    }

    #[test]
    fn products_are_sums_of_products() {
        let part = |rng: &mut Rng| rng.uniform::<f64>() - 0.5;
        check(part);
        check(|rng| rng.uniform::<f32>() - 0.5);
        check(|rng| Complex::new(part(rng), part(rng)));
        check(|rng| Complex::new(rng.uniform::<f32>() - 0.5, rng.uniform::<f32>() - 0.5));
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        let mut scratch = std::vec![0.0; Matrix::<f64>::scratch(2).unwrap()];
        let a = [1.0, 2.0, f64::INFINITY, 1.0];
        let mut map = Matrix::new(Mat::new("a", &a, 2, 2).unwrap(), &mut scratch);
        let (x, mut y, mut none) = ([1.0, 1.0], [0.0; 2], []);
        let middle = MatMut::new("middle", &mut none, 0, 0).unwrap();
        let out = MatMut::new("y", &mut y, 1, 2).unwrap();
        assert!(map.apply_normal(Mat::new("x", &x, 1, 2).unwrap(), 1.0, middle, out).is_err());
    }
}
