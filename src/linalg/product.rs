//! Matrix products, blocked so that the inner loops run from the first-level cache.
//!
//! The order in which an element of the result is summed depends on the inner dimension alone: not on its place
//! in the matrix, nor on how many rows are computed at a time. NaN and infinity pass through as in any formula.

use super::vector;
use super::{Mat, MatMut};
use crate::{Error, Field, simd};
use core::ops::Range;

/// Rows of `B` that are kept in the cache while all of `A` passes by.
const DEPTH: usize = 8;
/// Bytes of such a row: together 16 KiB, half of a common first-level cache.
const WIDTH_BYTES: usize = 2048;
/// Elements of two rows that are multiplied before the sum is put away.
const DOT_DEPTH: usize = 256;
/// Rows of `B` that are kept in the cache while all of `A` passes by, where products are inner products.
const DOT_ROWS: usize = 8;
/// Bytes of partial sums per inner product: a tile of four such products fills half of a common register file.
const LANE_BYTES: usize = 64;

/// `C = A B`.
pub fn multiply<F: Field>(a: Mat<'_, F>, b: Mat<'_, F>, mut c: MatMut<'_, F>) -> Result<(), Error> {
    agree("rows of the second factor", a.cols(), b.rows())?;
    agree("rows of the product", a.rows(), c.rows())?;
    agree("columns of the product", b.cols(), c.cols())?;
    c.clear();
    combine_rows(|i, k| a.at(i, k), b, &mut c);
    Ok(())
}

/// `C = A^H B`.
pub fn adjoint_multiply<F: Field>(a: Mat<'_, F>, b: Mat<'_, F>, mut c: MatMut<'_, F>) -> Result<(), Error> {
    agree("rows of the second factor", a.rows(), b.rows())?;
    agree("rows of the product", a.cols(), c.rows())?;
    agree("columns of the product", b.cols(), c.cols())?;
    c.clear();
    combine_rows(|i, k| a.at(k, i).conj(), b, &mut c);
    Ok(())
}

/// `C = A B^H`.
pub fn multiply_adjoint<F: Field>(a: Mat<'_, F>, b: Mat<'_, F>, mut c: MatMut<'_, F>) -> Result<(), Error> {
    agree("columns of the second factor", a.cols(), b.cols())?;
    agree("rows of the product", a.rows(), c.rows())?;
    agree("columns of the product", b.rows(), c.cols())?;
    inner_products(a, b, &mut c, |_| 0);
    Ok(())
}

/// `C = A A^H`: Hermitian to the last bit, with a real diagonal, for half the price.
pub fn gram<F: Field>(a: Mat<'_, F>, mut c: MatMut<'_, F>) -> Result<(), Error> {
    agree("rows of the product", a.rows(), c.rows())?;
    agree("columns of the product", a.rows(), c.cols())?;
    // Column j is computed from row j on, which is the lower triangle.
    inner_products(a, a, &mut c, |j| j);
    for i in 0..c.rows() {
        c.set(i, i, F::from_real(c.at(i, i).re()));
        for j in 0..i {
            c.set(j, i, c.at(i, j).conj());
        }
    }
    Ok(())
}

/// Two dimensions that must be equal are.
pub(crate) const fn agree(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// The parts of `0..length`, each `step >= 1` long but the last.
fn blocks(length: usize, step: usize) -> impl Iterator<Item = Range<usize>> {
    (0..length).step_by(step.max(1)).map(move |start| start..start.saturating_add(step).min(length))
}

fn part<'a, F>(row: &'a [F], range: &Range<usize>) -> &'a [F] {
    row.get(range.clone()).unwrap_or(&[])
}

/// `C_i += sum over k of coefficient(i, k) B_k`, rows of C being combinations of rows of B.
fn combine_rows<F: Field>(coefficient: impl Fn(usize, usize) -> F, b: Mat<'_, F>, c: &mut MatMut<'_, F>) {
    simd::widest(
        #[inline(always)]
        || combine_blocks(coefficient, b, c),
    );
}

#[inline(always)]
fn combine_blocks<F: Field>(coefficient: impl Fn(usize, usize) -> F, b: Mat<'_, F>, c: &mut MatMut<'_, F>) {
    // Rows of B one after the other: a large B comes from memory, which likes that.
    for depth in blocks(b.rows(), DEPTH) {
        for columns in blocks(b.cols(), WIDTH_BYTES / size_of::<F>().max(1)) {
            for i in (0..c.rows()).step_by(2) {
                // A last odd row pairs with an empty one.
                let (first, second) = c.two_rows_mut(i, i.wrapping_add(1));
                if first.is_empty() {
                    let row = c.row_mut(i);
                    combine_into(row, &mut [], &columns, depth.clone(), b, |k| (coefficient(i, k), F::ZERO));
                } else {
                    let pair = |k| (coefficient(i, k), coefficient(i.wrapping_add(1), k));
                    combine_into(first, second, &columns, depth.clone(), b, pair);
                }
            }
        }
    }
}

/// Adds `sum over k in depth` of `(x_k B_k, y_k B_k)` to two rows of the result, four rows of B at a time.
#[inline(always)]
fn combine_into<F: Field>(
    first: &mut [F],
    second: &mut [F],
    columns: &Range<usize>,
    depth: Range<usize>,
    b: Mat<'_, F>,
    coefficients: impl Fn(usize) -> (F, F),
) {
    let first = first.get_mut(columns.clone()).unwrap_or(&mut []);
    let second = second.get_mut(columns.clone()).unwrap_or(&mut []);
    for four in blocks_from(depth, 4) {
        let row = |k: usize| part(b.row(four.start.wrapping_add(k)), columns);
        if four.len() == 4 {
            let weights: [(F, F); 4] = core::array::from_fn(|k| coefficients(four.start.wrapping_add(k)));
            let rows: [&[F]; 4] = core::array::from_fn(row);
            if second.is_empty() {
                add_four(first, weights.map(|(x, _)| x), rows);
            } else {
                add_four_twice(first, second, weights, rows);
            }
        } else {
            for k in four {
                let (x, y) = coefficients(k);
                let row = part(b.row(k), columns);
                vector::axpy(x, row, first);
                vector::axpy(y, row, second);
            }
        }
    }
}

fn blocks_from(range: Range<usize>, step: usize) -> impl Iterator<Item = Range<usize>> {
    let start = range.start;
    blocks(range.len(), step).map(move |part| start.wrapping_add(part.start)..start.wrapping_add(part.end))
}

/// `c += (x_0 b_0 + x_1 b_1) + (x_2 b_2 + x_3 b_3)`.
#[inline(always)]
fn add_four<F: Field>(c: &mut [F], [x0, x1, x2, x3]: [F; 4], [b0, b1, b2, b3]: [&[F]; 4]) {
    for ((((c, &b0), &b1), &b2), &b3) in c.iter_mut().zip(b0).zip(b1).zip(b2).zip(b3) {
        *c += (x0 * b0 + x1 * b1) + (x2 * b2 + x3 * b3);
    }
}

/// [`add_four`] for two rows, which share the loads of B.
#[inline(always)]
fn add_four_twice<F: Field>(
    c: &mut [F],
    d: &mut [F],
    [(x0, y0), (x1, y1), (x2, y2), (x3, y3)]: [(F, F); 4],
    [b0, b1, b2, b3]: [&[F]; 4],
) {
    for (((((c, d), &b0), &b1), &b2), &b3) in c.iter_mut().zip(d).zip(b0).zip(b1).zip(b2).zip(b3) {
        *c += (x0 * b0 + x1 * b1) + (x2 * b2 + x3 * b3);
        *d += (y0 * b0 + y1 * b1) + (y2 * b2 + y3 * b3);
    }
}

/// `C_ij = a_i b_j^H` for `i >= top(j)`, with as many partial sums as the registers hold.
fn inner_products<F: Field>(
    a: Mat<'_, F>,
    b: Mat<'_, F>,
    c: &mut MatMut<'_, F>,
    top: impl Fn(usize) -> usize,
) {
    simd::widest(
        #[inline(always)]
        || match LANE_BYTES / size_of::<F>().max(1) {
            16.. => inner_products_in::<F, 16>(a, b, c, top),
            8.. => inner_products_in::<F, 8>(a, b, c, top),
            _ => inner_products_in::<F, 4>(a, b, c, top),
        },
    );
}

#[inline(always)]
fn inner_products_in<F: Field, const L: usize>(
    a: Mat<'_, F>,
    b: Mat<'_, F>,
    c: &mut MatMut<'_, F>,
    top: impl Fn(usize) -> usize,
) {
    c.clear();
    // Rows of B one after the other, as above.
    for columns in blocks(b.rows(), DOT_ROWS) {
        for depth in blocks(a.cols(), DOT_DEPTH) {
            // Blocks start at even columns, so rounding down keeps the pairs of rows where they are.
            for i in (top(columns.start) & !1..a.rows()).step_by(2) {
                let x = [part(a.row(i), &depth), part(a.row(i.wrapping_add(1)), &depth)];
                for j in columns.clone().step_by(2) {
                    let y = [part(b.row(j), &depth), part(b.row(j.wrapping_add(1)), &depth)];
                    add_tile(c, i, j, tile::<F, L>(x, y));
                }
            }
        }
    }
}

/// Adds a 2 x 2 tile of sums at row `i`, column `j`; what lies outside the matrix is lost.
#[inline(always)]
fn add_tile<F: Field>(c: &mut MatMut<'_, F>, i: usize, j: usize, [top, bottom]: [[F; 2]; 2]) {
    for (row, sums) in [(i, top), (i.wrapping_add(1), bottom)] {
        for (element, sum) in c.row_mut(row).iter_mut().skip(j).zip(sums) {
            *element += sum;
        }
    }
}

/// The four products `x_p y_q^H`; an empty vector takes part as zero.
#[inline(always)]
fn tile<F: Field, const L: usize>([x0, x1]: [&[F]; 2], [y0, y1]: [&[F]; 2]) -> [[F; 2]; 2] {
    if x1.is_empty() || y1.is_empty() {
        let single = lane_dot::<F, L>;
        return [[single(x0, y0), single(x0, y1)], [single(x1, y0), single(x1, y1)]];
    }
    let mut sums = [[F::ZERO; L]; 4];
    let (x0, x0_tail) = x0.as_chunks::<L>();
    let (x1, x1_tail) = x1.as_chunks::<L>();
    let (y0, y0_tail) = y0.as_chunks::<L>();
    let (y1, y1_tail) = y1.as_chunks::<L>();
    for (((x0, x1), y0), y1) in x0.iter().zip(x1).zip(y0).zip(y1) {
        let [s00, s01, s10, s11] = sums;
        sums = [add(s00, x0, y0), add(s01, x0, y1), add(s10, x1, y0), add(s11, x1, y1)];
    }
    let [s00, s01, s10, s11] = sums;
    [
        [total(s00, x0_tail, y0_tail), total(s01, x0_tail, y1_tail)],
        [total(s10, x1_tail, y0_tail), total(s11, x1_tail, y1_tail)],
    ]
}

/// One product `x y^H`, in the order of [`tile`].
#[inline(always)]
fn lane_dot<F: Field, const L: usize>(x: &[F], y: &[F]) -> F {
    let (x, x_tail) = x.as_chunks::<L>();
    let (y, y_tail) = y.as_chunks::<L>();
    let sums = x.iter().zip(y).fold([F::ZERO; L], |sums, (x, y)| add(sums, x, y));
    total(sums, x_tail, y_tail)
}

/// `sums + x * conj(y)`, lane by lane.
#[inline(always)]
fn add<F: Field, const L: usize>(mut sums: [F; L], x: &[F; L], y: &[F; L]) -> [F; L] {
    for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
        *sum += x * y.conj();
    }
    sums
}

/// The last products into the first lanes, and then the lanes together, first to last.
#[inline(always)]
fn total<F: Field, const L: usize>(mut lanes: [F; L], x: &[F], y: &[F]) -> F {
    for ((lane, &x), &y) in lanes.iter_mut().zip(x).zip(y) {
        *lane += x * y.conj();
    }
    lanes.into_iter().fold(F::ZERO, |sum, lane| sum + lane)
}
