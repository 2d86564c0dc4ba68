//! A few eigenvectors of a tridiagonal matrix, from eigenvalues that are known.

use super::vector::{at, put};
use super::{MatMut, vector};
use crate::rng::Rng;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar};

/// Solutions that may be needed for a vector; two are common.
const SOLUTIONS: usize = 6;

/// What [`inverse_iteration`] needs for order `n`.
pub(crate) fn inverse_iteration_layout<T: Scalar>(n: usize) -> Result<Layout, Error> {
    Layout::array::<[T; 4]>(n)?.and_array::<usize>(n)
}

/// Row `i` of `vectors` becomes a unit eigenvector of `values[i]`, orthogonal to those before it. False where one was
/// not found, and then they have no meaning: another method must do.
pub(crate) fn inverse_iteration<T: Scalar>(
    (diagonal, coupling): (&[T], &[T]),
    values: &[T],
    vectors: &mut MatMut<'_, T>,
    work: &mut Arena<'_>,
) -> Result<bool, Error> {
    let n = diagonal.len();
    work.require(inverse_iteration_layout::<T>(n)?)?;
    let mut work = work.scope();
    let mut shifted = Shifted { upper: work.take(n)?, swapped: work.take(n)? };
    let size = Scalar::max(vector::max_abs(diagonal), vector::max_abs(coupling));
    // Eigenvalues are known up to some roundings, and these add up like a random walk.
    let limit = T::from_usize(4) * T::from_usize(n).sqrt() * T::EPSILON * size;
    let aside = T::from_usize(8) * T::EPSILON * size;
    let mut rng = Rng::new(1);
    for (i, &value) in values.iter().enumerate() {
        // Beside the value, not at it: or one of a cluster would outgrow the others by chance, and most often one
        // that is known.
        shifted.factor(diagonal, coupling, value - aside, size);
        vectors.row_mut(i).iter_mut().for_each(|x| *x = rng.uniform::<T>() - T::HALF);
        let mut found = false;
        for _ in 0..SOLUTIONS {
            shifted.solve(vectors.row_mut(i));
            // Twice is enough: the first time may take away nearly all.
            for _ in 0..2 {
                if !normalise(vectors.row_mut(i)) {
                    return Ok(false);
                }
                for j in 0..i {
                    let (x, known) = vectors.two_rows_mut(i, j);
                    vector::axpy(-vector::dot(known, x), known, x);
                }
            }
            if !normalise(vectors.row_mut(i)) {
                return Ok(false);
            }
            if residual(diagonal, coupling, value, vectors.as_ref().row(i)) <= limit {
                // Once more than it takes, or the next would inherit what is left.
                if found {
                    break;
                }
                found = true;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

/// False for a vector that has no direction.
fn normalise<T: Scalar>(x: &mut [T]) -> bool {
    let norm = vector::norm(x);
    let usable = norm > T::ZERO && norm.is_finite();
    if usable {
        x.iter_mut().for_each(|x| *x = x.unscale(norm));
    }
    usable
}

/// `|T x - value x|`.
fn residual<T: Scalar>(diagonal: &[T], coupling: &[T], value: T, x: &[T]) -> T {
    let row = |i: usize| {
        let (next, last) = (i.wrapping_add(1), i.wrapping_sub(1));
        // The first coupling leads nowhere, and neither does what lies before the first element.
        (at(diagonal, i) - value) * at(x, i)
            + at(coupling, i) * at(x, last)
            + at(coupling, next) * at(x, next)
    };
    (0..x.len()).fold(T::ZERO, |sum, i| sum + row(i) * row(i)).sqrt()
}

/// `T - value = P L U`, by elimination with exchanges of neighbouring rows.
struct Shifted<'a, T> {
    /// The diagonal of `U` and the two above it, and the element of `L`.
    upper: &'a mut [[T; 4]],
    /// One where a row was exchanged with the next.
    swapped: &'a mut [usize],
}

impl<T: Scalar> Shifted<'_, T> {
    fn factor(&mut self, diagonal: &[T], coupling: &[T], value: T, size: T) {
        let least = Scalar::max(T::EPSILON * size, T::MIN_POSITIVE);
        let away = |x: T| if x.abs() < least { least } else { x };
        let (mut a, mut b) = (at(diagonal, 0) - value, at(coupling, 1));
        for (i, (upper, swapped)) in self.upper.iter_mut().zip(self.swapped.iter_mut()).enumerate() {
            let (l, d) = (at(coupling, i.wrapping_add(1)), at(diagonal, i.wrapping_add(1)) - value);
            let u = at(coupling, i.wrapping_add(2));
            if a.abs() >= l.abs() {
                let pivot = away(a);
                let factor = l / pivot;
                (*upper, *swapped) = ([pivot, b, T::ZERO, factor], 0);
                (a, b) = (d - factor * b, u);
            } else {
                let pivot = away(l);
                let factor = a / pivot;
                (*upper, *swapped) = ([pivot, d, u, factor], 1);
                (a, b) = (b - factor * d, -factor * u);
            }
        }
    }

    fn solve(&self, x: &mut [T]) {
        let n = x.len();
        for (i, (&[.., factor], &swapped)) in self.upper.iter().zip(self.swapped.iter()).enumerate() {
            let next = i.wrapping_add(1);
            let (mut first, mut second) = (at(x, i), at(x, next));
            if swapped == 1 {
                core::mem::swap(&mut first, &mut second);
            }
            put(x, i, first);
            put(x, next, second - factor * first);
        }
        let (mut next, mut second) = (T::ZERO, T::ZERO);
        for (x, &[pivot, b, c, _]) in x.iter_mut().zip(self.upper.iter()).rev().take(n) {
            *x = (*x - b * next - c * second) / pivot;
            (next, second) = (*x, next);
        }
    }
}
