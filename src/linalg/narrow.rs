//! `A^T A x` for up to four real vectors, with registers along the rows.
//!
//! Where vectors stand side by side in registers ([`super::normal`]), every element of the matrix is read alone, and few
//! vectors fill little of a wide register. Here registers hold neighbours in a row: four rows meet four vectors, and an
//! element that was read takes part in four products each way. A sum runs in lanes over parts of a row, and the parts in
//! order; how many rows meet the vectors at a time is up to the machine, and changes no sum.

use super::normal::BLOCK;
use super::vector::{LANES, pairwise};
use super::{Mat, vector};
use crate::simd::{self, Lanes, Lanewise};
use crate::workspace::{as_parts, as_parts_mut};
use crate::{Error, Field, Scalar, check};
use core::array;

/// Vectors at most, and rows that meet them.
pub(crate) const VECTORS: usize = 4;
/// Elements of a row that are multiplied while those of the vectors stay in a first-level cache.
const DEPTH: usize = 1024;

/// Four rows or vectors, part by part.
type Four<'a, T> = [&'a [T]; VECTORS];

/// Whether these products are the faster ones for so many vectors.
pub(crate) const fn suits<F: Field>(vectors: usize) -> bool {
    !F::IS_COMPLEX && vectors <= VECTORS
}

/// `y += A^T s A x` for the rows of `x`, at most [`VECTORS`], where [they suit](suits); `y` has as many rows as that is at
/// most. Returns the largest element of `A x`.
pub(crate) fn add_normal<F: Field>(
    a: Mat<'_, F>,
    x: Mat<'_, F>,
    s: F::Real,
    y: &mut [F],
) -> Result<F::Real, Error> {
    let (rows, cols) = (a.rows(), a.cols());
    let a = Mat::new("matrix", as_parts(a.data()), rows, cols)?;
    let x = Mat::new("vectors", as_parts(x.data()), x.rows(), cols)?;
    let y = as_parts_mut(y);
    simd::widest(
        #[inline(always)]
        || {
            let mut largest = F::Real::ZERO;
            for first in (0..rows).step_by(BLOCK) {
                let mut parts = multiply(a, first, x);
                for (i, part) in parts.iter_mut().enumerate() {
                    if first.wrapping_add(i) >= rows {
                        *part = [F::Real::ZERO; VECTORS];
                    }
                    check::finite("matrix", part)?;
                    largest = Scalar::max(largest, vector::max_abs(part));
                    part.iter_mut().for_each(|p| *p *= s);
                }
                add_adjoint(a, first, &parts, y);
            }
            Ok(largest)
        },
    )
}

/// Elements of row `i` from `start` on; beyond the end of the matrix the last row stands again.
#[inline(always)]
fn part<'a, T: Scalar>(a: Mat<'a, T>, i: usize, start: usize) -> &'a [T] {
    let row = a.row(i.min(a.rows().saturating_sub(1)));
    row.get(start..start.saturating_add(DEPTH).min(row.len())).unwrap_or(&[])
}

/// Half of the rows of the block after `first`, for one of two ways. A block comes from memory while the one before it is
/// multiplied, one half on the way there and one on the way back; so neither has to wait.
#[inline(always)]
fn ahead<T: Scalar>(a: Mat<'_, T>, first: usize, way: usize, group: usize, start: usize) -> [&[T]; 2] {
    let top = first.wrapping_add(BLOCK).wrapping_add(way.wrapping_mul(VECTORS));
    array::from_fn(|i| part(a, top.wrapping_add(2_usize.wrapping_mul(group)).wrapping_add(i), start))
}

/// Asks for the elements of rows that lie as far on as vector `k` of registers.
#[inline(always)]
fn fetch<T>(rows: [&[T]; 2], k: usize) {
    if k.is_multiple_of(simd::pieces_in_line(LANES * size_of::<T>())) {
        rows.iter().for_each(|row| simd::fetch(row, k.wrapping_mul(LANES)));
    }
}

/// `A x` for a block of rows from `first` on.
#[inline(always)]
fn multiply<T: Scalar>(a: Mat<'_, T>, first: usize, x: Mat<'_, T>) -> [[T; VECTORS]; BLOCK] {
    let mut sums = [[T::ZERO; VECTORS]; BLOCK];
    for start in (0..a.cols()).step_by(DEPTH) {
        let vectors = array::from_fn(|c| part(x, c, start));
        for (group, sums) in sums.as_chunks_mut::<VECTORS>().0.iter_mut().enumerate() {
            let top = first.wrapping_add(group.wrapping_mul(VECTORS));
            let rows = array::from_fn(|i| part(a, top.wrapping_add(i), start));
            let products = inner_products(rows, ahead(a, first, 0, group, start), vectors);
            for (sum, product) in sums.as_flattened_mut().iter_mut().zip(products.as_flattened()) {
                *sum += *product;
            }
        }
    }
    sums
}

/// The inner products of four rows with four vectors, row by row.
#[inline(always)]
fn inner_products<T: Scalar>(
    rows: Four<'_, T>,
    ahead: [&[T]; 2],
    vectors: Four<'_, T>,
) -> [[T; VECTORS]; VECTORS] {
    // Beside the sums, the elements that are multiplied.
    let sums = if simd::registers_hold::<T>(VECTORS * VECTORS + VECTORS) {
        four_rows(lanes(rows), ahead, lanes(vectors))
    } else {
        // Any number of registers holds the sums of one.
        let whole = lanes(vectors);
        lanes(rows).map(|row| one_row(row, whole))
    };
    let mut products = [[T::ZERO; VECTORS]; VECTORS];
    for ((products, sums), row) in products.iter_mut().zip(&sums).zip(rows) {
        for ((product, sum), vector) in products.iter_mut().zip(sums).zip(vectors) {
            *product = pairwise(sum.0);
            for (&a, &x) in tail(row).iter().zip(tail(vector)) {
                *product += a * x;
            }
        }
    }
    products
}

/// The sums of four rows' products with four vectors, in lanes.
#[inline(always)]
fn four_rows<T: Scalar>(
    [a, b, c, d]: [&[[T; LANES]]; VECTORS],
    ahead: [&[T]; 2],
    [w, x, y, z]: [&[[T; LANES]]; VECTORS],
) -> [[Lanes<T, LANES>; VECTORS]; VECTORS] {
    let [mut s, mut t, mut u, mut v] = [[Lanes::splat(T::ZERO); VECTORS]; VECTORS];
    let blocks = a.iter().zip(b).zip(c).zip(d).zip(w.iter().zip(x).zip(y).zip(z));
    for (k, ((((a, b), c), d), (((w, x), y), z))) in blocks.enumerate() {
        fetch(ahead, k);
        let vectors = [Lanes(*w), Lanes(*x), Lanes(*y), Lanes(*z)];
        (s, t, u, v) = (add(s, a, vectors), add(t, b, vectors), add(u, c, vectors), add(v, d, vectors));
    }
    simd::kept_whole([s, t, u, v])
}

/// The same for one row.
#[inline(always)]
fn one_row<T: Scalar>(
    row: &[[T; LANES]],
    [w, x, y, z]: [&[[T; LANES]]; VECTORS],
) -> [Lanes<T, LANES>; VECTORS] {
    let mut sums = [Lanes::splat(T::ZERO); VECTORS];
    for ((((a, w), x), y), z) in row.iter().zip(w).zip(x).zip(y).zip(z) {
        sums = add(sums, a, [Lanes(*w), Lanes(*x), Lanes(*y), Lanes(*z)]);
    }
    simd::kept_whole(sums)
}

/// `sums + a x` for four vectors `x`.
#[inline(always)]
fn add<T: Scalar>(
    [p, q, r, s]: [Lanes<T, LANES>; VECTORS],
    a: &[T; LANES],
    [w, x, y, z]: [Lanes<T, LANES>; VECTORS],
) -> [Lanes<T, LANES>; VECTORS] {
    let a = Lanes(*a);
    [p + a * w, q + a * x, r + a * y, s + a * z]
}

/// `y += A^T parts` for a block of rows from `first` on.
#[inline(always)]
fn add_adjoint<T: Scalar>(a: Mat<'_, T>, first: usize, parts: &[[T; VECTORS]; BLOCK], y: &mut [T]) {
    let n = a.cols();
    for start in (0..n).step_by(DEPTH) {
        for (group, parts) in parts.as_chunks::<VECTORS>().0.iter().enumerate() {
            let top = first.wrapping_add(group.wrapping_mul(VECTORS));
            let rows = array::from_fn(|i| part(a, top.wrapping_add(i), start));
            let mut columns = y.chunks_exact_mut(n.max(1)).map(|y| {
                let end = start.saturating_add(DEPTH).min(n);
                y.get_mut(start..end).unwrap_or(&mut [])
            });
            let y = array::from_fn(|_| columns.next().unwrap_or(&mut []));
            add_rows(rows, ahead(a, first, 1, group, start), parts, y);
        }
    }
}

/// Adds four rows to each of four vectors, each `parts[row][vector]` times.
#[inline(always)]
fn add_rows<T: Scalar>(
    rows: Four<'_, T>,
    ahead: [&[T]; 2],
    parts: &[[T; VECTORS]; VECTORS],
    vectors: [&mut [T]; VECTORS],
) {
    let [a, b, c, d] = lanes(rows);
    let [o, p, q, r] = *parts;
    let [w, x, y, z] = vectors;
    let (w, w_tail) = w.as_chunks_mut::<LANES>();
    let (x, x_tail) = x.as_chunks_mut::<LANES>();
    let (y, y_tail) = y.as_chunks_mut::<LANES>();
    let (z, z_tail) = z.as_chunks_mut::<LANES>();
    let blocks = a.iter().zip(b).zip(c).zip(d).zip(w.iter_mut().zip(x).zip(y).zip(z));
    for (k, ((((a, b), c), d), (((w, x), y), z))) in blocks.enumerate() {
        fetch(ahead, k);
        let (a, b, c, d) = (Lanes(*a), Lanes(*b), Lanes(*c), Lanes(*d));
        let add = |y: &mut [T; LANES], o: T, p: T, q: T, r: T| {
            let sum = Lanes(*y) + a * Lanes::splat(o) + b * Lanes::splat(p) + c * Lanes::splat(q);
            *y = (sum + d * Lanes::splat(r)).0;
        };
        add(w, o[0], p[0], q[0], r[0]);
        add(x, o[1], p[1], q[1], r[1]);
        add(y, o[2], p[2], q[2], r[2]);
        add(z, o[3], p[3], q[3], r[3]);
    }
    for (v, y) in [w_tail, x_tail, y_tail, z_tail].into_iter().enumerate() {
        for (row, parts) in rows.iter().zip(parts) {
            let weight = vector::at(parts, v);
            y.iter_mut().zip(tail(row)).for_each(|(y, &a)| *y += a * weight);
        }
    }
}

/// The whole vectors of registers.
#[inline(always)]
fn lanes<'a, T>([a, b, c, d]: Four<'a, T>) -> [&'a [[T; LANES]]; VECTORS] {
    [a.as_chunks().0, b.as_chunks().0, c.as_chunks().0, d.as_chunks().0]
}

/// What is left after them.
#[inline(always)]
fn tail<T>(row: &[T]) -> &[T] {
    row.as_chunks::<LANES>().1
}
