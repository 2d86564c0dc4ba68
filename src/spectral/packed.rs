//! A symmetric matrix as the lower half of itself, and its products.

use super::Graph;
use crate::linalg::krylov::Operator;
use crate::linalg::normal::{self, panel_length};
use crate::linalg::reflectors::triangle_length;
use crate::linalg::vector::{at, put};
use crate::linalg::{Mat, MatMut};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, parallel, simd};
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

/// The row, the first of a block, where the second half of the triangle's elements begins: at seven tenths of the rows.
const fn half(n: usize) -> usize {
    let middle = (n / 10 * 7).next_multiple_of(normal::BLOCK);
    if middle < n { middle } else { n }
}

/// Two runs of rows of the triangle with as many elements, about.
pub(crate) fn halves<T>(triangle: &mut [T], n: usize) -> [(Range<usize>, &mut [T]); 2] {
    let middle = half(n);
    let (above, below) = triangle.split_at_mut_checked(start(middle)).unwrap_or_default();
    [(0..middle, above), (middle..n, below)]
}

/// `P N P^T` for a packed `N`, where `P` brings the samples into canonical order.
pub(super) struct Ordered<'a, 'b, T> {
    triangle: &'a [T],
    order: &'a [u32],
    threads: usize,
    /// A few vectors in the order of the samples, side by side, and the images that two parts of the rows give.
    panels: [&'b mut [T]; 3],
}

impl<'a, 'b, T: Scalar> Ordered<'a, 'b, T> {
    /// What [`Self::new`] needs for `n` samples.
    pub(super) fn layout(n: usize) -> Result<Layout, Error> {
        let length = panel_length::<T>(n)?;
        Layout::array::<T>(length)?.and_array::<T>(length)?.and_array::<T>(length)
    }

    pub(super) fn new(graph: &Graph<'a, T>, work: &mut Arena<'b>) -> Result<Self, Error> {
        let &Graph { triangle, order, threads, .. } = graph;
        let length = panel_length::<T>(order.len())?;
        Ok(Self {
            triangle,
            order,
            threads,
            panels: [work.take(length)?, work.take(length)?, work.take(length)?],
        })
    }
}

impl<T: Scalar> Operator<T> for Ordered<'_, '_, T> {
    fn dimension(&self) -> usize {
        self.order.len()
    }

    fn apply(&mut self, x: Mat<'_, T>, mut y: MatMut<'_, T>) -> Result<(), Error> {
        let &mut Self { triangle, order, threads, panels: [ref mut panel, ref mut images, ref mut more] } =
            self;
        let middle = half(order.len());
        let place = |k: usize| order.get(k).map_or(usize::MAX, |&i| i as usize);
        y.clear();
        for group in normal::groups::<T>(x.rows()) {
            normal::pack(x, group, place, panel);
            let row = |i: usize| rows(triangle, i..i.wrapping_add(1));
            // Two parts are summed apart, so that a thread can have each.
            let parts = [(0..middle, &mut **images), (middle..order.len(), &mut **more)];
            parallel::for_each(
                threads,
                triangle.len(),
                parts.into_iter(),
                &mut Arena::new(&mut []),
                |_| Ok(()),
                |(range, images), ()| {
                    images.fill(T::ZERO);
                    normal::add_symmetric(range, row, group, panel, images);
                    Ok(())
                },
            )?;
            normal::unpack_add(images, group, place, &mut y);
            normal::unpack_add(more, group, place, &mut y);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::workspace::Workspace;
    use std::vec;
    use std::vec::Vec;

    /// Every remainder of a block of rows, fewer vectors than a panel and more; integers, so that sums are exact.
    fn products_are_those_of_the_whole_matrix<T: Scalar>() {
        let mut rng = Rng::new(5);
        let mut small = |length: usize| -> Vec<T> {
            (0..length).map(|_| T::from_usize((rng.next_u64() % 16) as usize) - T::from_f64(8.0)).collect()
        };
        for (n, count) in [1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 256, 257, 521]
            .into_iter()
            .zip([3, 1, 9, 17, 8].into_iter().cycle())
        {
            let triangle = small(packed_length(n).unwrap());
            let x = small(count * n);
            let mut y = vec![T::ONE; count * n];
            // Backwards, as an order that is not the samples'.
            let order: Vec<u32> = (0..n as u32).rev().collect();
            let mut workspace = Workspace::new(Ordered::<T>::layout(n).unwrap());
            let mut work = workspace.arena();
            let graph = Graph { triangle: &triangle, degrees: &[], order: &order, threads: 2 };
            let mut operator = Ordered::new(&graph, &mut work).unwrap();
            let vectors = Mat::new("x", &x, count, n).unwrap();
            operator.apply(vectors, MatMut::new("y", &mut y, count, n).unwrap()).unwrap();
            let element = |i: usize, j: usize| triangle[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
            let whole = |i: usize, j: usize| element(n - 1 - i, n - 1 - j);
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
