//! The implicit QL method with Wilkinson's shift, for a real symmetric tridiagonal matrix.
//!
//! A sweep costs O(n) on the matrix and O(n^2) on the eigenvectors. So the rotations of several sweeps wait in
//! a queue, and are then applied to a strip of columns at a time, which stays in the cache meanwhile.

use super::MatMut;
use super::vector::{at, put};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, simd};

/// Sweeps that may take place per eigenvalue, on average; two are common.
const SWEEPS: usize = 40;
/// Full sweeps that the queue holds.
const QUEUED_SWEEPS: usize = 16;
/// Columns that are rotated together, from registers.
const STRIP: usize = 16;

/// What [`ql`] needs for a matrix of order `n`.
pub(crate) fn ql_layout<T: Scalar>(n: usize) -> Result<Layout, Error> {
    let queue = queue_length(n);
    Layout::array::<usize>(queue)?.and_array::<[T; 2]>(queue)
}

const fn queue_length(n: usize) -> usize {
    n.saturating_mul(QUEUED_SWEEPS)
}

/// Diagonalises `T`, with `T_ii = d_i` and `T_(i+1,i) = e_i`: `d` becomes its eigenvalues, in no order, and the
/// rotations are applied to the rows of `z`, so that the identity becomes the eigenvectors, as rows.
pub(crate) fn ql<T: Scalar>(
    d: &mut [T],
    e: &mut [T],
    mut z: MatMut<'_, T>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    work.require(ql_layout::<T>(d.len())?)?;
    let mut work = work.scope();
    let length = queue_length(d.len());
    let mut queue = Queue { rows: work.take(length)?, turns: work.take(length)?, count: 0 };
    // Couplings below the rounding of the largest element change no eigenvalue by more than that.
    let size = d.iter().chain(e.iter()).fold(T::ZERO, |size, x| Scalar::max(size, x.abs()));
    let negligible = Scalar::max(T::EPSILON * T::HALF * size, T::MIN_POSITIVE);
    let limit = d.len().saturating_mul(SWEEPS);
    let mut sweeps: usize = 0;
    for l in 0..d.len() {
        loop {
            let m = end_of_block(d, e, l, negligible);
            if m == l {
                break;
            }
            if sweeps == limit {
                return Err(Error::NotConverged { what: "implicit QL", limit });
            }
            sweeps = sweeps.wrapping_add(1);
            if queue.room() < m.wrapping_sub(l) {
                queue.flush(&mut z);
            }
            sweep(d, e, l, m, &mut queue);
        }
    }
    queue.flush(&mut z);
    Ok(())
}

/// The first `m >= l` whose coupling to `m + 1` is negligible.
fn end_of_block<T: Scalar>(d: &[T], e: &[T], l: usize, negligible: T) -> usize {
    let pairs = d.iter().zip(d.iter().skip(1)).zip(e).skip(l);
    let coupled =
        pairs.take_while(|((a, b), e)| e.abs() > negligible && e.abs() > T::EPSILON * (a.abs() + b.abs()));
    l.wrapping_add(coupled.count())
}

/// One sweep of shifted rotations, from row `m` up to row `l`.
fn sweep<T: Scalar>(d: &mut [T], e: &mut [T], l: usize, m: usize, queue: &mut Queue<'_, T>) {
    // Wilkinson: the eigenvalue of the leading 2 x 2 block that is nearer to d_l.
    let slope = (at(d, l.wrapping_add(1)) - at(d, l)) / (T::TWO * at(e, l));
    let root = hypot(slope, T::ONE);
    let shift = at(e, l) / (slope + if slope < T::ZERO { -root } else { root });
    let mut g = at(d, m) - at(d, l) + shift;
    let (mut sin, mut cos, mut p) = (T::ONE, T::ONE, T::ZERO);
    for i in (l..m).rev() {
        let below = i.wrapping_add(1);
        let (f, b) = (sin * at(e, i), cos * at(e, i));
        let r = hypot(f, g);
        put(e, below, r);
        if r == T::ZERO {
            // The block has fallen apart in the middle of the sweep; the next one sees the pieces.
            put(d, below, at(d, below) - p);
            put(e, m, T::ZERO);
            return;
        }
        (sin, cos) = (f / r, g / r);
        g = at(d, below) - p;
        let r = (at(d, i) - g) * sin + T::TWO * cos * b;
        p = sin * r;
        put(d, below, g + p);
        g = cos * r - b;
        queue.push(i, cos, sin);
    }
    put(d, l, at(d, l) - p);
    put(e, l, g);
    put(e, m, T::ZERO);
}

/// Rotations that wait, each for rows `i` and `i + 1`.
struct Queue<'a, T> {
    rows: &'a mut [usize],
    turns: &'a mut [[T; 2]],
    count: usize,
}

impl<T: Scalar> Queue<'_, T> {
    fn room(&self) -> usize {
        self.rows.len().saturating_sub(self.count)
    }

    fn push(&mut self, i: usize, cos: T, sin: T) {
        if let (Some(row), Some(turn)) = (self.rows.get_mut(self.count), self.turns.get_mut(self.count)) {
            (*row, *turn) = (i, [cos, sin]);
            self.count += 1;
        }
    }

    fn flush(&mut self, z: &mut MatMut<'_, T>) {
        simd::widest(
            #[inline(always)]
            || {
                let whole = z.cols() / STRIP * STRIP;
                for start in (0..whole).step_by(STRIP) {
                    self.rotate_strip(start, z);
                }
                self.rotate_from(whole, z);
            },
        );
        self.count = 0;
    }

    #[inline(always)]
    fn rotations(&self) -> impl Iterator<Item = (usize, [T; 2])> {
        self.rows.iter().copied().zip(self.turns.iter().copied()).take(self.count)
    }

    /// Applies the rotations to [`STRIP`] columns. A row that two rotations share in turn stays in registers.
    #[inline(always)]
    fn rotate_strip(&self, start: usize, z: &mut MatMut<'_, T>) {
        let (mut held, mut upper) = (usize::MAX, [T::ZERO; STRIP]);
        for (i, turn) in self.rotations() {
            let below = i.wrapping_add(1);
            if held != below {
                if let Some(row) = strip_mut(z, held, start) {
                    *row = upper;
                }
                if let Some(row) = strip_mut(z, below, start) {
                    upper = *row;
                }
            }
            let Some(&mut row) = strip_mut(z, i, start) else { continue };
            let (x, y) = rotated(turn, row, upper);
            if let Some(row) = strip_mut(z, below, start) {
                *row = y;
            }
            (held, upper) = (i, x);
        }
        if let Some(row) = strip_mut(z, held, start) {
            *row = upper;
        }
    }

    /// Applies the rotations to the columns from `start` on, which are fewer than a strip.
    #[inline(always)]
    fn rotate_from(&self, start: usize, z: &mut MatMut<'_, T>) {
        for (i, [cos, sin]) in self.rotations() {
            let (x, y) = z.two_rows_mut(i, i.wrapping_add(1));
            for (x, y) in x.iter_mut().zip(y).skip(start) {
                (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
            }
        }
    }
}

/// Row `i`, from column `start` on.
#[inline(always)]
fn strip_mut<'b, T: Scalar>(z: &'b mut MatMut<'_, T>, i: usize, start: usize) -> Option<&'b mut [T; STRIP]> {
    let start = i.wrapping_mul(z.cols()).wrapping_add(start);
    z.data_mut().get_mut(start..).and_then(|row| row.first_chunk_mut())
}

#[inline(always)]
fn rotated<T: Scalar>([cos, sin]: [T; 2], mut x: [T; STRIP], mut y: [T; STRIP]) -> ([T; STRIP], [T; STRIP]) {
    for (x, y) in x.iter_mut().zip(&mut y) {
        (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
    }
    (x, y)
}

/// `sqrt(x^2 + y^2)`, without overflow or underflow of the squares.
fn hypot<T: Scalar>(x: T, y: T) -> T {
    let squares = x * x + y * y;
    if squares > T::MIN_POSITIVE / (T::EPSILON * T::EPSILON) && squares.is_finite() {
        return squares.sqrt();
    }
    let size = Scalar::max(x.abs(), y.abs());
    if size == T::ZERO {
        return size;
    }
    let (x, y) = (x / size, y / size);
    size * (x * x + y * y).sqrt()
}
