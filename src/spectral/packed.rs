//! A symmetric matrix as the lower half of itself, and its products.

use crate::linalg::krylov::Operator;
use crate::linalg::reflectors::triangle_length;
use crate::linalg::vector::{at, put};
use crate::linalg::{Mat, MatMut};
use crate::{Error, Scalar, check, simd};
use core::ops::Range;

/// Elements on and below the diagonal: `n (n + 1) / 2`.
pub fn packed_length(n: usize) -> Result<usize, Error> {
    triangle_length(n)
}

/// Where row `i` begins.
#[inline(always)]
pub(crate) const fn start(i: usize) -> usize {
    if i & 1 == 0 { (i / 2).wrapping_mul(i | 1) } else { (i / 2 + 1).wrapping_mul(i) }
}

/// The rows of the triangle in `range`, one after the other.
#[inline(always)]
pub(super) fn rows<T>(triangle: &[T], range: Range<usize>) -> &[T] {
    triangle.get(start(range.start)..start(range.end)).unwrap_or(&[])
}

/// The rows, one at a time.
pub(crate) fn rows_mut<T>(triangle: &mut [T]) -> impl Iterator<Item = &mut [T]> {
    let mut rest = triangle;
    (1..).map_while(move |length: usize| {
        let (row, tail) = core::mem::take(&mut rest).split_at_mut_checked(length)?;
        rest = tail;
        Some(row)
    })
}

/// `S` becomes `D^-1/2 S D^-1/2`, and `degrees`, one per sample, the diagonal of `D`: the row sums of `S`.
///
/// A sample whose degree is not above zero is cut off: its row becomes zero. (Only a graph with negative weights, such
/// as the paper's own, has such degrees other than zero.) Degrees beyond the range of the type are an error, which
/// leaves the triangle as it was.
pub fn normalise_packed<T: Scalar>(triangle: &mut [T], degrees: &mut [T]) -> Result<(), Error> {
    let n = degrees.len();
    check::positive("degrees", n)?;
    check::equal("triangle", packed_length(n)?, triangle.len())?;
    check::finite("triangle", triangle)?;
    degrees.fill(T::ZERO);
    for (i, row) in rows_mut(triangle).enumerate() {
        let Some((&mut diagonal, before)) = row.split_last_mut() else { continue };
        let mut sum = diagonal;
        for (degree, &mut x) in degrees.iter_mut().zip(before) {
            sum += x;
            *degree += x;
        }
        put(degrees, i, at(degrees, i) + sum);
    }
    check::finite("degrees", degrees)?;
    for (i, row) in rows_mut(triangle).enumerate() {
        let own = at(degrees, i);
        simd::widest(
            #[inline(always)]
            || {
                for (x, &other) in row.iter_mut().zip(&*degrees) {
                    // The product of the roots, because it is the same with the two samples exchanged.
                    let share = *x / (own.sqrt() * other.sqrt());
                    *x = if own > T::ZERO && other > T::ZERO { share } else { T::ZERO };
                }
            },
        );
    }
    Ok(())
}

/// `P N P^T` for a packed `N`, where `P` brings the samples into canonical order.
pub(super) struct Ordered<'a, 'b, T> {
    pub(super) triangle: &'a [T],
    pub(super) order: &'a [u32],
    /// A block of vectors in the order of the samples.
    pub(super) x: MatMut<'b, T>,
    /// Its image.
    pub(super) y: MatMut<'b, T>,
}

impl<T: Scalar> Operator<T> for Ordered<'_, '_, T> {
    fn dimension(&self) -> usize {
        self.order.len()
    }

    fn apply(&mut self, x: Mat<'_, T>, mut y: MatMut<'_, T>) -> Result<(), Error> {
        let step = self.x.rows().max(1);
        for first in (0..x.rows()).step_by(step) {
            let count = x.rows().saturating_sub(first).min(step);
            for v in 0..count {
                let to = self.x.row_mut(v);
                for (&value, &i) in x.row(first.wrapping_add(v)).iter().zip(self.order) {
                    put(to, i as usize, value);
                }
            }
            multiply(self.triangle, count, self.x.as_ref(), &mut self.y);
            for v in 0..count {
                let from = self.y.as_ref().row(v);
                for (value, &i) in y.row_mut(first.wrapping_add(v)).iter_mut().zip(self.order) {
                    *value = at(from, i as usize);
                }
            }
        }
        Ok(())
    }
}

/// Bytes of a strip of columns: those of some twenty vectors and their images stay in the second-level cache.
const STRIP_BYTES: usize = 2048;

/// `y_v = N x_v` for the first `count` rows of `x` and `y`: one pass over the triangle for all of them.
///
/// An element on the left of the diagonal is also one above it: a row gives an inner product with `x` and is itself
/// added to `y`. Strip by strip of columns, four rows together, so that every number that is loaded is used often.
#[cfg_attr(not(feature = "std"), inline(never))] // Its lanes are gone before the next part: small stacks.
pub(super) fn multiply<T: Scalar>(triangle: &[T], count: usize, x: Mat<'_, T>, y: &mut MatMut<'_, T>) {
    simd::widest(
        #[inline(always)]
        || {
            if size_of::<T>() < 8 {
                multiply_in::<T, 8>(triangle, count, x, y);
            } else {
                multiply_in::<T, 4>(triangle, count, x, y);
            }
        },
    );
}

#[inline(always)]
fn multiply_in<T: Scalar, const L: usize>(
    triangle: &[T],
    count: usize,
    x: Mat<'_, T>,
    y: &mut MatMut<'_, T>,
) {
    let n = x.cols();
    y.clear();
    let strip = STRIP_BYTES / size_of::<T>().max(1);
    for start in (0..n).step_by(strip.max(1)) {
        let end = start.saturating_add(strip).min(n);
        // The corner: a row ends at the diagonal.
        for i in start..end {
            one_row::<T, L>(triangle, i, start..i, count, x, y);
            let diagonal = at(rows(triangle, i..i.wrapping_add(1)), i);
            for v in 0..count {
                let (x, y) = (x.row(v), y.row_mut(v));
                put(y, i, at(y, i) + diagonal * at(x, i));
            }
        }
        // Below it.
        let fours = end.saturating_add(n.saturating_sub(end) & !3);
        for i in (end..fours).step_by(4) {
            four_rows::<T, L>(triangle, i, start..end, count, x, y);
        }
        for i in fours..n {
            one_row::<T, L>(triangle, i, start..end, count, x, y);
        }
    }
}

#[inline(always)]
fn part<T>(row: &[T], columns: Range<usize>) -> &[T] {
    row.get(columns).unwrap_or(&[])
}

#[inline(always)]
fn one_row<T: Scalar, const L: usize>(
    triangle: &[T],
    i: usize,
    columns: Range<usize>,
    count: usize,
    x: Mat<'_, T>,
    y: &mut MatMut<'_, T>,
) {
    let row = part(rows(triangle, i..i.wrapping_add(1)), columns.clone());
    for v in 0..count {
        let (x, y) = (x.row(v), y.row_mut(v));
        let weight = at(x, i);
        let x = part(x, columns.clone());
        let mut sums = [T::ZERO; L];
        let image = y.get_mut(columns.clone()).unwrap_or(&mut []);
        let blocks = row.chunks(L).zip(x.chunks(L)).zip(image.chunks_mut(L));
        for ((row, x), image) in blocks {
            for (((sum, &a), &x), y) in sums.iter_mut().zip(row).zip(x).zip(image) {
                *sum += a * x;
                *y += weight * a;
            }
        }
        put(y, i, at(y, i) + total(sums));
    }
}

#[inline(always)]
fn four_rows<T: Scalar, const L: usize>(
    triangle: &[T],
    i: usize,
    columns: Range<usize>,
    count: usize,
    x: Mat<'_, T>,
    y: &mut MatMut<'_, T>,
) {
    let indices: [usize; 4] = core::array::from_fn(|k| i.wrapping_add(k));
    let four = indices.map(|i| part(rows(triangle, i..i.wrapping_add(1)), columns.clone()));
    for v in 0..count {
        let (x, y) = (x.row(v), y.row_mut(v));
        let weights = indices.map(|i| at(x, i));
        let image = y.get_mut(columns.clone()).unwrap_or(&mut []);
        let sums = fused::<T, L>(four, weights, part(x, columns.clone()), image);
        for (i, sum) in indices.into_iter().zip(sums) {
            put(y, i, at(y, i) + sum);
        }
    }
}

/// `y += (w_0 r_0 + w_1 r_1) + (w_2 r_2 + w_3 r_3)`; returns the inner products of the rows with `x`.
#[inline(always)]
fn fused<T: Scalar, const L: usize>(
    [r0, r1, r2, r3]: [&[T]; 4],
    [w0, w1, w2, w3]: [T; 4],
    x: &[T],
    y: &mut [T],
) -> [T; 4] {
    let (r0, r0_tail) = r0.as_chunks::<L>();
    let (r1, r1_tail) = r1.as_chunks::<L>();
    let (r2, r2_tail) = r2.as_chunks::<L>();
    let (r3, r3_tail) = r3.as_chunks::<L>();
    let (x, x_tail) = x.as_chunks::<L>();
    let (y, y_tail) = y.as_chunks_mut::<L>();
    let mut sums = [[T::ZERO; L]; 4];
    let image = |y: &mut [T], r0: &[T], r1: &[T], r2: &[T], r3: &[T]| {
        for ((((y, &r0), &r1), &r2), &r3) in y.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
            *y += (w0 * r0 + w1 * r1) + (w2 * r2 + w3 * r3);
        }
    };
    for (((((y, x), r0), r1), r2), r3) in y.iter_mut().zip(x).zip(r0).zip(r1).zip(r2).zip(r3) {
        let [s0, s1, s2, s3] = sums;
        sums = [add(s0, r0, x), add(s1, r1, x), add(s2, r2, x), add(s3, r3, x)];
        image(y, r0, r1, r2, r3);
    }
    let [s0, s1, s2, s3] = sums;
    image(y_tail, r0_tail, r1_tail, r2_tail, r3_tail);
    [add(s0, r0_tail, x_tail), add(s1, r1_tail, x_tail), add(s2, r2_tail, x_tail), add(s3, r3_tail, x_tail)]
        .map(total)
}

/// `sums + a * x`, lane by lane.
#[inline(always)]
fn add<T: Scalar, const L: usize>(mut sums: [T; L], a: &[T], x: &[T]) -> [T; L] {
    for ((sum, &a), &x) in sums.iter_mut().zip(a).zip(x) {
        *sum += a * x;
    }
    sums
}

/// The lanes together, first to last.
#[inline(always)]
fn total<T: Scalar, const L: usize>(lanes: [T; L]) -> T {
    lanes.into_iter().fold(T::ZERO, |sum, lane| sum + lane)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::vec;
    use std::vec::Vec;

    /// Sizes on both sides of the strips, every remainder of four rows; integers, so that sums are exact.
    fn products_are_those_of_the_whole_matrix<T: Scalar>() {
        let mut rng = Rng::new(5);
        let mut small = |length: usize| -> Vec<T> {
            (0..length).map(|_| T::from_usize((rng.next_u64() % 16) as usize) - T::from_f64(8.0)).collect()
        };
        for n in [1, 2, 3, 4, 5, 6, 7, 255, 256, 257, 511, 515, 521] {
            let triangle = small(packed_length(n).unwrap());
            let count = 3;
            let x = small(count * n);
            let mut y = vec![T::ONE; count * n];
            let vectors = Mat::new("x", &x, count, n).unwrap();
            multiply(&triangle, count, vectors, &mut MatMut::new("y", &mut y, count, n).unwrap());
            let whole = |i: usize, j: usize| triangle[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
            for (x, y) in x.chunks(n).zip(y.chunks(n)) {
                for (i, &y) in y.iter().enumerate() {
                    let exact = x.iter().enumerate().fold(T::ZERO, |sum, (j, &x)| sum + whole(i, j) * x);
                    assert_eq!(y, exact, "n = {n}, row {i}");
                }
            }
        }
    }

    #[test]
    fn products() {
        products_are_those_of_the_whole_matrix::<f32>();
        products_are_those_of_the_whole_matrix::<f64>();
    }
}
