//! Householder reflections that lie in the rows of a packed triangle, applied to many vectors at once.
//!
//! `H_i = I - f_i u_i u_i^H` acts on the first `i` coordinates. A panel of reflections, in the order in which they
//! take place, is `x <- x - sum of y_i s_i` with `y_i = u_i^H x` and `s_i = f_i (u_i - sum over later j of
//! (u_j^H u_i) s_j)`: two products of matrices instead of many of vectors.

use super::combine::{Combiner, ROWS, combine_layout};
use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, check};
use core::ops::Range;

/// Reflections in a panel: enough to make products of matrices of them, and no more than a share of the memory.
#[inline(always)] // That it is not zero must be seen where it divides.
fn panel_of(n: usize) -> usize {
    (n / 8).clamp(4, 32)
}

/// Elements on and below the diagonal.
#[cfg_attr(not(feature = "std"), inline(never))] // One copy is small.
pub(crate) fn triangle_length(n: usize) -> Result<usize, Error> {
    // One of two neighbours is even: halve it first, and nothing is lost.
    check::product(
        "matrix",
        &[if n & 1 == 0 { n / 2 } else { n }, if n & 1 == 0 { n + 1 } else { n / 2 + 1 }],
    )
}

/// Row `i` of a packed lower triangle: `i + 1` elements.
pub(crate) fn triangle_row<F>(triangle: &[F], i: usize) -> &[F] {
    let next = i.wrapping_add(1);
    let start = triangle_length(i).unwrap_or(usize::MAX);
    triangle.get(start..start.wrapping_add(next)).unwrap_or(&[])
}

/// Row `i` of a packed lower triangle, to change.
pub(crate) fn triangle_row_mut<F>(triangle: &mut [F], i: usize) -> &mut [F] {
    let next = i.wrapping_add(1);
    let start = triangle_length(i).unwrap_or(usize::MAX);
    triangle.get_mut(start..start.wrapping_add(next)).unwrap_or(&mut [])
}

/// The reflections of a reduction of order `n`: `u_i` in row `i`, before its last element.
#[derive(Clone, Copy)]
pub(crate) struct Reflectors<'a, F: Field> {
    pub(crate) triangle: &'a [F],
    pub(crate) factors: &'a [F::Real],
}

/// Which reflection comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// `H_1`, then `H_2` and so on.
    Up,
    /// The inverse of `Up`.
    Down,
}

/// What [`Reflectors::apply`] needs.
pub(crate) fn reflect_layout<F: Field>(n: usize) -> Result<Layout, Error> {
    let most = panel_of(n);
    let panel = check::product("panel", &[n, most])?;
    Layout::array::<F>(panel)?
        .and_array::<F>(panel)?
        .and_array::<F>(most.saturating_mul(ROWS))?
        .and(combine_layout::<F>(n.max(most))?)
}

impl<'a, F: Field> Reflectors<'a, F> {
    /// Reflects every row of `x`, from column `from` on.
    pub(crate) fn apply(
        &self,
        order: Order,
        x: &mut MatMut<'_, F>,
        from: usize,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        let n = self.factors.len();
        let mut work = work.scope();
        let most = panel_of(n);
        let length = check::product("panel", &[n, most])?;
        let (us, ss) = (work.take::<F>(length)?, work.take::<F>(length)?);
        let along = work.take::<F>(most.saturating_mul(ROWS))?;
        let mut combiner = Combiner::<F>::new(n.max(most), &mut work)?;
        // H_0 acts on nothing.
        let panels = n.saturating_sub(1).div_ceil(most);
        for panel in 0..panels {
            let panel = if order == Order::Up { panel } else { panels.wrapping_sub(panel).wrapping_sub(1) };
            let first = panel.wrapping_mul(most).wrapping_add(1);
            let range = first..first.wrapping_add(most).min(n);
            let (count, depth) = (range.len(), range.end.wrapping_sub(1));
            let area = count.wrapping_mul(depth);
            let mut us = MatMut::new("panel", us.get_mut(..area).unwrap_or(&mut []), depth, count)?;
            let mut ss = MatMut::new("panel", ss.get_mut(..area).unwrap_or(&mut []), count, depth)?;
            self.gather(order, &range, &mut us, &mut ss);
            let along = along.get_mut(..count.wrapping_mul(ROWS)).unwrap_or(&mut []);
            let mut along = MatMut::new("panel", along, ROWS, count)?;
            reflect(x, from, us.as_ref(), ss.as_ref(), &mut along, &mut combiner);
        }
        Ok(())
    }

    fn vector(&self, i: usize) -> &'a [F] {
        triangle_row(self.triangle, i).get(..i).unwrap_or(&[])
    }

    /// The `u_i^H` of a panel as columns, and its `s_i` as rows, in the order in which they take place.
    fn gather(&self, order: Order, range: &Range<usize>, us: &mut MatMut<'_, F>, ss: &mut MatMut<'_, F>) {
        let number = |place: usize| match order {
            Order::Up => range.start.wrapping_add(place),
            Order::Down => range.end.wrapping_sub(place).wrapping_sub(1),
        };
        for place in (0..range.len()).rev() {
            let i = number(place);
            let u = self.vector(i);
            for k in 0..us.rows() {
                us.set(k, place, vector::at(u, k).conj());
            }
            let s = ss.row_mut(place);
            s.fill(F::ZERO);
            vector::copy(u, s);
            for later in place.wrapping_add(1)..range.len() {
                let (s, s_later) = ss.two_rows_mut(place, later);
                vector::axpy(-vector::dot(self.vector(number(later)), u), s_later, s);
            }
            vector::scale(ss.row_mut(place), vector::at(self.factors, i));
        }
    }
}

/// `x <- x - sum of y_i s_i` for every row of `x`, from column `from` on.
fn reflect<F: Field>(
    x: &mut MatMut<'_, F>,
    from: usize,
    us: Mat<'_, F>,
    ss: Mat<'_, F>,
    along: &mut MatMut<'_, F>,
    combiner: &mut Combiner<'_, F>,
) {
    let (depth, count) = (us.rows(), us.cols());
    for top in (0..x.rows()).step_by(ROWS) {
        let rows = ROWS.min(x.rows().wrapping_sub(top));
        let coordinates = |i: usize| x.as_ref().row(top.wrapping_add(i)).get(from..).unwrap_or(&[]);
        combiner.set_rows(rows, depth, coordinates);
        combiner.store(count, us, along, (0, 0));
        combiner.set_rows(rows, count, |i| along.as_ref().row(i));
        combiner.combine(
            depth,
            |k| ss.row(k),
            |i, at, values| {
                let row = x.row_mut(top.wrapping_add(i)).get_mut(from.wrapping_add(at)..).unwrap_or(&mut []);
                row.iter_mut().zip(values).for_each(|(x, &value)| *x -= value);
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles() {
        assert_eq!([0, 1, 2, 3, 4].map(|n| triangle_length(n).ok()), [0, 1, 3, 6, 10].map(Some));
        assert!(triangle_length(usize::MAX - 1).is_err());
        let data = [0, 1, 2, 3, 4, 5];
        assert_eq!([0, 1, 2, 3].map(|i| triangle_row(&data, i)), [&data[..1], &data[1..3], &data[3..], &[]]);
    }
}
