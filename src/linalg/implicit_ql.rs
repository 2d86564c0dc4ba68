//! The implicit QL method with Wilkinson's shift, for a real symmetric tridiagonal matrix.
//!
//! A sweep costs O(n) on the matrix and O(n^2) on the eigenvectors. So the rotations of several sweeps wait in
//! a queue, and are then applied to a strip of columns at a time, which stays in the cache meanwhile; and two sweeps go
//! down the strip together, the second a row behind the first, so that a row is loaded and stored once for both.

use super::MatMut;
use super::vector::{at, put};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, simd};

/// Sweeps that may take place per eigenvalue, on average; two are common.
const SWEEPS: usize = 40;
/// Full sweeps that the queue holds.
const QUEUED_SWEEPS: usize = 16;
/// Columns that are rotated together, from registers; two sweeps at a time need twice as many.
const STRIP: usize = if cfg!(feature = "std") { 8 } else { 16 };

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
    let mut queue = Queue { runs: work.take(length)?, turns: work.take(length)?, sweeps: 0, count: 0 };
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
    queue.begin(m);
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
        queue.push(cos, sin);
    }
    put(d, l, at(d, l) - p);
    put(e, l, g);
    put(e, m, T::ZERO);
}

/// Rotations that wait, sweep by sweep.
struct Queue<'a, T> {
    /// Two numbers a sweep: the row that it begins at, and how many rotations it has.
    runs: &'a mut [usize],
    turns: &'a mut [[T; 2]],
    sweeps: usize,
    count: usize,
}

/// A sweep: the first of the rotations turns rows `below - 1` and `below`, the next the rows above them, and so on.
#[derive(Clone, Copy)]
struct Sweep<'a, T> {
    below: usize,
    turns: &'a [[T; 2]],
}

impl<'a, T: Scalar> Sweep<'a, T> {
    /// The rotations before row `below` is reached from below, and the rest.
    #[inline(always)]
    fn split(self, below: usize) -> (Self, Self) {
        let middle = self.below.saturating_sub(below).min(self.turns.len());
        let (before, after) = self.turns.split_at_checked(middle).unwrap_or((self.turns, &[]));
        (Self { turns: before, ..self }, Self { below: self.below.wrapping_sub(middle), turns: after })
    }

    /// Each rotation with the upper of its rows.
    #[inline(always)]
    fn rotations(self) -> impl Iterator<Item = (usize, [T; 2])> + use<'a, T> {
        self.turns.iter().zip(1..).map(move |(&turn, k)| (self.below.wrapping_sub(k), turn))
    }
}

impl<T: Scalar> Queue<'_, T> {
    /// Rotations that the next sweep may have.
    fn room(&self) -> usize {
        let full = self.sweeps.wrapping_add(1).saturating_mul(2) > self.runs.len();
        if full { 0 } else { self.turns.len().saturating_sub(self.count) }
    }

    /// A sweep that begins with row `below` and the one above it.
    fn begin(&mut self, below: usize) {
        if let Some([row, count]) = self.runs.as_chunks_mut().0.get_mut(self.sweeps) {
            (*row, *count) = (below, 0);
            self.sweeps = self.sweeps.wrapping_add(1);
        }
    }

    fn push(&mut self, cos: T, sin: T) {
        let sweep = self.runs.as_chunks_mut().0.get_mut(self.sweeps.wrapping_sub(1));
        if let (Some([_, count]), Some(turn)) = (sweep, self.turns.get_mut(self.count)) {
            *turn = [cos, sin];
            *count = count.wrapping_add(1);
            self.count = self.count.wrapping_add(1);
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
                for sweep in self.sweeps() {
                    rotate_from(sweep, whole, z);
                }
            },
        );
        (self.sweeps, self.count) = (0, 0);
    }

    #[inline(always)]
    fn sweeps(&self) -> impl Iterator<Item = Sweep<'_, T>> {
        let mut rest: &[[T; 2]] = self.turns;
        self.runs.as_chunks().0.iter().take(self.sweeps).map(move |&[below, count]| {
            let (turns, after) = rest.split_at_checked(count).unwrap_or((&[], &[]));
            rest = after;
            Sweep { below, turns }
        })
    }

    /// Applies everything to [`STRIP`] columns.
    #[inline(always)]
    fn rotate_strip(&self, start: usize, z: &mut MatMut<'_, T>) {
        let mut sweeps = self.sweeps();
        while let Some(first) = sweeps.next() {
            // Small targets have one copy of the loop.
            match if cfg!(feature = "std") { sweeps.next() } else { None } {
                Some(second) => rotate_two(first, second, start, z),
                None => rotate_one(first, start, z),
            }
        }
    }
}

/// One sweep down a strip. The row that two rotations share in turn stays in registers.
#[inline(always)]
fn rotate_one<T: Scalar>(sweep: Sweep<'_, T>, start: usize, z: &mut MatMut<'_, T>) {
    if sweep.turns.is_empty() {
        return;
    }
    let mut carried = load(z, sweep.below, start);
    for (i, turn) in sweep.rotations() {
        let (x, y) = rotated(turn, load(z, i, start), carried);
        store(z, i.wrapping_add(1), start, y);
        carried = x;
    }
    store(z, sweep.below.wrapping_sub(sweep.turns.len()), start, carried);
}

/// Two sweeps down a strip. A rotation commutes with those that are two rows away: the second sweep may turn rows `j`
/// and `j + 1` as soon as the first has left row `j`.
#[inline(always)]
fn rotate_two<T: Scalar>(first: Sweep<'_, T>, second: Sweep<'_, T>, start: usize, z: &mut MatMut<'_, T>) {
    // Together from where the first turns (below - 1, below) and the second then (below, below + 1).
    let below = first.below.min(second.below.wrapping_sub(1));
    let (first_before, first) = first.split(below);
    let (second_before, second) = second.split(below.wrapping_add(1));
    rotate_one(first_before, start, z);
    // Where the second begins lower, it has rows to itself that the first does not reach.
    rotate_one(second_before, start, z);
    let count = first.turns.len().min(second.turns.len());
    let (together, first_after) = first.split(below.wrapping_sub(count));
    let (behind, second_after) = second.split(below.wrapping_add(1).wrapping_sub(count));
    if count > 0 {
        let (mut upper, mut lower) = (load(z, below, start), load(z, below.wrapping_add(1), start));
        for ((i, turn), &follow) in together.rotations().zip(behind.turns) {
            let (x, y) = rotated(turn, load(z, i, start), upper);
            let (y, done) = rotated(follow, y, lower);
            store(z, i.wrapping_add(2), start, done);
            (upper, lower) = (x, y);
        }
        let top = below.wrapping_sub(count);
        store(z, top, start, upper);
        store(z, top.wrapping_add(1), start, lower);
    }
    rotate_one(first_after, start, z);
    rotate_one(second_after, start, z);
}

/// One sweep of the columns from `start` on, which are fewer than a strip.
#[inline(always)]
fn rotate_from<T: Scalar>(sweep: Sweep<'_, T>, start: usize, z: &mut MatMut<'_, T>) {
    for (i, [cos, sin]) in sweep.rotations() {
        let (x, y) = z.two_rows_mut(i, i.wrapping_add(1));
        for (x, y) in x.iter_mut().zip(y).skip(start) {
            (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
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
fn load<T: Scalar>(z: &mut MatMut<'_, T>, i: usize, start: usize) -> [T; STRIP] {
    strip_mut(z, i, start).map_or([T::ZERO; STRIP], |row| *row)
}

#[inline(always)]
fn store<T: Scalar>(z: &mut MatMut<'_, T>, i: usize, start: usize, row: [T; STRIP]) {
    if let Some(to) = strip_mut(z, i, start) {
        *to = row;
    }
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
