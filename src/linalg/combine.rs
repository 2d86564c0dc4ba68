//! Combinations of rows, `C_i = sum over k of a_ik B_k`, held in registers from the first term to the last.
//!
//! A complex product of a number and a row needs no shuffling of parts: `Re(a) b` and `Im(a) b` are summed apart,
//! as real vectors, and meet once at the end. So four real coefficients (four real rows, or two complex ones) and
//! a tile of [`TILE_BYTES`] of each row of `B` are all that the inner loop knows. The sum runs over `k` in order,
//! whatever the size of the blocks.
//!
//! The coefficients are copied before anything is written, so the results may take their place.

use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check, simd};
use num_complex::Complex;

/// Rows that are combined together, while a tile stays in the first-level cache.
pub(crate) const ROWS: usize = 32;
/// Real coefficients that meet in registers.
const GROUP: usize = 4;
/// Bytes of a row that are in registers at a time; times [`GROUP`] this is half of a common register file.
const TILE_BYTES: usize = if cfg!(target_pointer_width = "64") { 64 } else { 16 };

/// Terms of a block of a long sum.
const DEPTH: usize = 256;
/// Sums that are long: what their tile has beyond a block holds the sums of [`ROWS`] rows, of two parts.
const BLOCKED: usize = DEPTH + 2 * ROWS;

/// What [`Combiner::new`] needs for sums of `depth` terms.
pub(crate) fn combine_layout<F: Field>(depth: usize) -> Result<Layout, Error> {
    Layout::array::<[F::Real; GROUP]>(coefficient_groups::<F>(depth)?)?
        .and_array::<F::Real>(tile_length::<F::Real>(depth)?)
}

fn coefficient_groups<F: Field>(depth: usize) -> Result<usize, Error> {
    check::product("coefficients", &[depth, ROWS / rows_of_group::<F>()])
}

fn tile_length<T: Scalar>(depth: usize) -> Result<usize, Error> {
    check::product("tile", &[depth, TILE_BYTES / size_of::<T>().max(1)])
}

/// Real numbers in an element.
const fn parts<F: Field>() -> usize {
    if F::IS_COMPLEX { 2 } else { 1 }
}

const fn rows_of_group<F: Field>() -> usize {
    GROUP / parts::<F>()
}

/// Rows of coefficients, [`ROWS`] of the greatest depth or more of a lesser one, and memory for a tile.
pub(crate) struct Combiner<'a, F: Field> {
    coefficients: &'a mut [[F::Real; GROUP]],
    tile: &'a mut [F::Real],
    rows: usize,
    depth: usize,
}

impl<'a, F: Field> Combiner<'a, F> {
    pub(crate) fn new(depth: usize, work: &mut Arena<'a>) -> Result<Self, Error> {
        let coefficients = work.take(coefficient_groups::<F>(depth)?)?;
        Ok(Self { coefficients, tile: work.take(tile_length::<F::Real>(depth)?)?, rows: 0, depth: 0 })
    }

    /// Rows of so many terms that there is memory for.
    pub(crate) fn capacity(&self, depth: usize) -> usize {
        self.coefficients.len() / depth.max(1) * rows_of_group::<F>()
    }

    /// Keeps `a_ik` for `rows` rows, at most [`Self::capacity`], and `depth` terms.
    #[inline(always)]
    pub(crate) fn set(&mut self, rows: usize, depth: usize, a: impl Fn(usize, usize) -> F) {
        (self.rows, self.depth) = (rows.min(self.capacity(depth)), depth);
        let height = rows_of_group::<F>();
        for (group, terms) in self.coefficients.chunks_exact_mut(depth.max(1)).enumerate() {
            let first = group.wrapping_mul(height);
            if first >= self.rows {
                break;
            }
            for (k, term) in terms.iter_mut().enumerate() {
                *term = core::array::from_fn(|q| {
                    let i = first.wrapping_add(q / parts::<F>());
                    match (i < rows, q % parts::<F>()) {
                        (false, _) => F::Real::ZERO,
                        (true, 0) => a(i, k).re(),
                        (true, _) => a(i, k).im(),
                    }
                });
            }
        }
    }

    /// The same where `a_ik` is element `k` of the slice `a(i)`.
    #[inline(always)]
    pub(crate) fn set_rows<'b>(&mut self, rows: usize, depth: usize, a: impl Fn(usize) -> &'b [F]) {
        if cfg!(not(feature = "std")) {
            return self.set(rows, depth, |i, k| vector::at(a(i), k));
        }
        (self.rows, self.depth) = (rows.min(ROWS), depth);
        let groups = self.coefficients.chunks_exact_mut(depth.max(1));
        for (first, terms) in (0..self.rows).step_by(rows_of_group::<F>()).zip(groups) {
            let row = |q: usize| if first.wrapping_add(q) < rows { a(first.wrapping_add(q)) } else { &[] };
            if F::IS_COMPLEX {
                interleave([row(0), row(1)], terms, |[x, y]| [x.re(), x.im(), y.re(), y.im()]);
            } else {
                interleave([row(0), row(1), row(2), row(3)], terms, |x| x.map(F::re));
            }
        }
    }

    /// Columns `0..cols` of all combinations of the rows of `b`, written to `into` from row `top` and column `from` on.
    #[inline(never)] // All the work is inside: one copy is enough.
    pub(crate) fn store<G: Field<Real = F::Real>>(
        &mut self,
        cols: usize,
        b: Mat<'_, G>,
        into: &mut MatMut<'_, F>,
        (top, from): (usize, usize),
    ) {
        self.combine(
            cols,
            |k| b.row(k),
            |i, at, values| {
                let row = into.row_mut(top.wrapping_add(i)).get_mut(from.wrapping_add(at)..);
                vector::copy(values, row.unwrap_or(&mut []));
            },
        );
    }

    /// Columns `0..cols` of all combinations: `write(i, c, values)` for the elements of row `i` from column `c` on.
    ///
    /// `b` are the rows, which may be real where the coefficients are complex.
    #[inline(never)] // Callers combine more than once: one tile of sums on the stack, not one for each.
    pub(crate) fn combine<'b, G: Field<Real = F::Real>>(
        &mut self,
        cols: usize,
        b: impl Fn(usize) -> &'b [G],
        write: impl FnMut(usize, usize, &[F]),
    ) {
        #[cfg(not(feature = "std"))] // One copy of the loop for all callers is enough, and small.
        let (b, mut write) = (&b as &dyn Fn(usize) -> &'b [G], write);
        #[cfg(not(feature = "std"))]
        let write = &mut write as &mut dyn FnMut(usize, usize, &[F]);
        simd::widest(
            #[inline(always)]
            || match TILE_BYTES / size_of::<F::Real>().max(1) {
                16.. => self.combine_in::<G, 16>(cols, b, write),
                8.. => self.combine_in::<G, 8>(cols, b, write),
                4.. => self.combine_in::<G, 4>(cols, b, write),
                _ => self.combine_in::<G, 2>(cols, b, write),
            },
        );
    }

    #[cfg_attr(feature = "std", inline(always))] // Compiled for wide registers only where it is inlined.
    fn combine_in<'b, G: Field<Real = F::Real>, const W: usize>(
        &mut self,
        cols: usize,
        b: impl Fn(usize) -> &'b [G],
        mut write: impl FnMut(usize, usize, &[F]),
    ) {
        let (height, width) = (rows_of_group::<F>(), W / parts::<G>());
        let (tile, _) = self.tile.as_chunks_mut::<W>();
        // A long tile leaves the first-level cache: it is taken in blocks then, and the sums wait where the rest of it
        // would have been.
        let block = if cfg!(feature = "large") && BLOCKED <= self.depth { DEPTH } else { self.depth };
        let (tile, waiting) = tile.split_at_mut_checked(block).unwrap_or((&mut [], &mut []));
        let (waiting, _) = waiting.as_chunks_mut::<GROUP>();
        for start in (0..cols).step_by(width.max(1)) {
            let groups = || self.coefficients.chunks_exact(self.depth.max(1));
            let mut from: usize = 0;
            while from.wrapping_add(block) < self.depth {
                fill(tile, from, start, &b);
                for (terms, sums) in groups().zip(waiting.iter_mut()).take(self.rows.div_ceil(height.max(1)))
                {
                    let zero = [[F::Real::ZERO; W]; GROUP];
                    *sums = accumulate(
                        if from == 0 { zero } else { *sums },
                        terms.get(from..).unwrap_or(&[]),
                        tile,
                    );
                }
                from = from.wrapping_add(block);
            }
            let tile = tile.get_mut(..self.depth.wrapping_sub(from)).unwrap_or(&mut []);
            fill(tile, from, start, &b);
            for (group, (first, terms)) in (0..self.rows).step_by(height.max(1)).zip(groups()).enumerate() {
                let sums = waiting.get(group).filter(|_| from > 0).copied();
                let sums = sums.unwrap_or([[F::Real::ZERO; W]; GROUP]);
                let sums = accumulate(sums, terms.get(from..).unwrap_or(&[]), tile);
                for (i, parts) in (first..self.rows).zip(sums.chunks_exact(parts::<F>())) {
                    // A real row has one part, which is its first and its last.
                    let (Some(re), Some(im)) = (parts.first(), parts.last()) else { continue };
                    let values = join::<F, G, W>(re, im);
                    write(i, start, values.get(..width.min(cols.wrapping_sub(start))).unwrap_or(&values));
                }
            }
        }
    }
}

/// Each row `x` of a matrix becomes `sum over k < depth of x_(from + k) b_k`, in place: `count` elements from column
/// `from` on, and what lies beyond keeps no meaning.
pub(crate) fn multiply_rows<F: Field, G: Field<Real = F::Real>>(
    x: &mut MatMut<'_, F>,
    from: usize,
    depth: usize,
    count: usize,
    b: Mat<'_, G>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let mut work = work.scope();
    let mut combiner = Combiner::<F>::new(depth, &mut work)?;
    for top in (0..x.rows()).step_by(ROWS) {
        let rows = ROWS.min(x.rows().wrapping_sub(top));
        combiner.set_rows(rows, depth, |i| x.as_ref().row(top.wrapping_add(i)).get(from..).unwrap_or(&[]));
        combiner.store(count, b, x, (top, from));
    }
    Ok(())
}

/// What the elements `k` of some rows are together, for every `k`; a short row goes on with zeros.
#[inline(always)]
fn interleave<F: Field, const R: usize>(
    rows: [&[F]; R],
    terms: &mut [[F::Real; GROUP]],
    together: impl Fn([F; R]) -> [F::Real; GROUP],
) {
    let length = rows.iter().fold(terms.len(), |length, row| length.min(row.len()));
    let whole = rows.map(|row| row.get(..length).unwrap_or(&[]));
    for (k, term) in terms.iter_mut().enumerate() {
        let rows = if k < length { &whole } else { &rows };
        *term = together(rows.map(|row| vector::at(row, k)));
    }
}

/// Columns from `start` on of the rows from `from` on.
#[inline(always)]
fn fill<'b, G: Field, const W: usize>(
    tile: &mut [[G::Real; W]],
    from: usize,
    start: usize,
    b: impl Fn(usize) -> &'b [G],
) {
    for (k, tile) in tile.iter_mut().enumerate() {
        *tile = spread(b(from.wrapping_add(k)).get(start..).unwrap_or(&[]));
    }
}

/// The parts of the first elements, side by side; zero beyond the end.
#[inline(always)]
fn spread<G: Field, const W: usize>(row: &[G]) -> [G::Real; W] {
    let mut out = [G::Real::ZERO; W];
    // A whole tile needs no counting.
    if let Some(row) = row.get(..W / parts::<G>()).filter(|_| cfg!(feature = "std")) {
        for (out, x) in out.chunks_exact_mut(parts::<G>()).zip(row) {
            if let [re, im] = out {
                (*re, *im) = (x.re(), x.im());
            } else if let [re] = out {
                *re = x.re();
            }
        }
        return out;
    }
    if G::IS_COMPLEX {
        for (pair, x) in out.as_chunks_mut::<2>().0.iter_mut().zip(row) {
            *pair = [x.re(), x.im()];
        }
    } else {
        for (out, x) in out.iter_mut().zip(row) {
            *out = x.re();
        }
    }
    out
}

/// The sums and, over `k`, each coefficient times the tile.
#[cfg_attr(feature = "std", inline(always))] // Compiled for wide registers only where it is inlined;
#[cfg_attr(not(feature = "std"), inline(never))] // elsewhere one copy is enough, and small.
fn accumulate<T: Scalar, const W: usize>(
    mut sums: [[T; W]; GROUP],
    terms: &[[T; GROUP]],
    tile: &[[T; W]],
) -> [[T; W]; GROUP] {
    for (coefficients, tile) in terms.iter().zip(tile) {
        let [s0, s1, s2, s3] = sums;
        let &[a, b, c, d] = coefficients;
        sums = [add(s0, a, tile), add(s1, b, tile), add(s2, c, tile), add(s3, d, tile)];
    }
    sums
}

#[inline(always)]
fn add<T: Scalar, const W: usize>(mut sums: [T; W], a: T, tile: &[T; W]) -> [T; W] {
    for (sum, &b) in sums.iter_mut().zip(tile) {
        *sum += a * b;
    }
    sums
}

/// The elements of a row from the sums of its coefficients' parts.
#[inline(always)]
fn join<F: Field, G: Field<Real = F::Real>, const W: usize>(re: &[F::Real; W], im: &[F::Real; W]) -> [F; W] {
    let mut values = [F::ZERO; W];
    if !F::IS_COMPLEX {
        values.iter_mut().zip(re).for_each(|(value, &x)| *value = F::from_real(x));
    } else if G::IS_COMPLEX {
        let pairs = re.as_chunks::<2>().0.iter().zip(im.as_chunks::<2>().0);
        for (value, (&[xx, xy], &[yx, yy])) in values.iter_mut().zip(pairs) {
            *value = F::from_complex(Complex::new(xx - yy, xy + yx));
        }
    } else {
        let pairs = re.iter().zip(im);
        values
            .iter_mut()
            .zip(pairs)
            .for_each(|(value, (&x, &y))| *value = F::from_complex(Complex::new(x, y)));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::workspace::Workspace;
    use std::vec::Vec;

    /// Against the definition, at shapes that leave tails everywhere.
    fn check<F: Field, G: Field<Real = F::Real>>(
        draw: impl Fn(&mut Rng) -> F,
        draw_row: impl Fn(&mut Rng) -> G,
        product: impl Fn(F, G) -> F,
    ) -> Result<(), Error> {
        let mut rng = Rng::new(3);
        for (rows, depth, cols) in [(1, 1, 1), (3, 5, 7), (32, 20, 33), (31, 2, 16)] {
            let a: Vec<F> = (0..rows * depth).map(|_| draw(&mut rng)).collect();
            let b: Vec<G> = (0..depth * cols).map(|_| draw_row(&mut rng)).collect();
            let mut c = std::vec![F::ONE; rows * cols];
            let mut workspace = Workspace::new(combine_layout::<F>(depth)?);
            let mut combiner = Combiner::new(depth, &mut workspace.arena())?;
            combiner.set(rows, depth, |i, k| a[i * depth + k]);
            combiner.combine(
                cols,
                |k| &b[k * cols..(k + 1) * cols],
                |i, at, values: &[F]| {
                    c[i * cols + at..i * cols + at + values.len()].copy_from_slice(values);
                },
            );
            for i in 0..rows {
                for j in 0..cols {
                    let sum = (0..depth).fold(F::ZERO, |s, k| s + product(a[i * depth + k], b[k * cols + j]));
                    let error = (sum - c[i * cols + j]).abs();
                    assert!(error <= F::Real::from_f64(40.0) * F::Real::EPSILON, "{rows} {depth} {cols}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn combinations_are_sums_of_products() -> Result<(), Error> {
        let complex = |rng: &mut Rng| Complex::new(rng.uniform::<f64>() - 0.5, rng.uniform::<f64>() - 0.5);
        check(|rng| rng.uniform::<f64>() - 0.5, |rng| rng.uniform::<f64>() - 0.5, |a, b| a * b)?;
        check(|rng| rng.uniform::<f32>() - 0.5, |rng| rng.uniform::<f32>() - 0.5, |a, b| a * b)?;
        check(complex, complex, |a, b| a * b)?;
        check(complex, |rng| rng.uniform::<f64>() - 0.5, |a, b| a * b)
    }
}
