//! Schur's test: no singular value of `A` is larger than a bound, seen from the sizes of its elements alone.
//!
//! For any positive `x` and `y = |A| x` the square of the largest singular value is at most the largest quotient of
//! `|A|^T y` and `x`, element by element. Taking `|A|^T y` for the next `x` brings that down to the square of the
//! largest singular value of `|A|`, which is that of `A` where its elements are not negative. Such a proof costs a few
//! readings of the matrix, no probability and no products with vectors that must be orthogonal.

use super::Mat;
use super::vector::{self, size};
use crate::{Field, Scalar, simd};

/// Steps at most: quotients that are not below the bound by then converge too slowly.
const STEPS: usize = 8;

/// True where Schur's test proves that no singular value of `a` exceeds `bound`; `x` and `next` are scratch, a number a
/// column each. False proves nothing.
pub(crate) fn at_most<F: Field>(
    a: Mat<'_, F>,
    bound: F::Real,
    x: &mut [F::Real],
    next: &mut [F::Real],
) -> bool {
    // Above the rounding of the sums, each of as many positive terms as there are rows or columns.
    let terms = F::Real::from_usize(a.rows().saturating_add(a.cols()).saturating_add(64));
    let bound = bound * (F::Real::ONE - terms * F::Real::EPSILON);
    let square = bound * bound;
    let cubed = F::Real::EPSILON * F::Real::EPSILON * F::Real::EPSILON;
    // Otherwise what is lost below the range might matter.
    let resolved = square * cubed >= F::Real::MIN_POSITIVE;
    if !resolved {
        return false;
    }
    let (mut x, mut next) = (x, next);
    x.fill(F::Real::ONE);
    for _ in 0..STEPS {
        next.fill(F::Real::ZERO);
        let squares = multiply(a, x, next);
        if next.iter().zip(&*x).all(|(&z, &x)| z <= square * x) {
            return true;
        }
        // The largest singular value of |A| is not smaller than |A x|/|x|.
        let possible = squares <= square * vector::norm2(x);
        if !possible {
            return false;
        }
        // Near one and never near nothing, so that neither many steps nor a small column leave the range.
        let size = vector::max_abs(next);
        next.iter_mut().for_each(|x| *x = Scalar::max(*x / size, F::Real::EPSILON));
        core::mem::swap(&mut x, &mut next);
    }
    false
}

/// `z += |A|^T y` with `y = |A| x`; returns `||y||^2`.
fn multiply<F: Field>(a: Mat<'_, F>, x: &[F::Real], z: &mut [F::Real]) -> F::Real {
    let mut squares = F::Real::ZERO;
    for i in 0..a.rows() {
        let row = a.row(i);
        simd::widest(
            #[inline(always)]
            || {
                let y = vector::sum_over(row, x, |a, x| size(a) * x);
                squares += y * y;
                for (z, &a) in z.iter_mut().zip(row) {
                    *z += size(a) * y;
                }
            },
        );
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    fn test<F: Field>(data: &[F], rows: usize, cols: usize, bound: F::Real) -> bool {
        let (mut x, mut next) = (std::vec![F::Real::ZERO; cols], std::vec![F::Real::ZERO; cols]);
        at_most(Mat::new("a", data, rows, cols).unwrap(), bound, &mut x, &mut next)
    }

    #[test]
    fn the_norm_of_a_positive_matrix_is_found_from_above() {
        // u v^T with |u| = 3 and |v| = 7, and a column of zeros.
        let data = [2.0, 3.0, 6.0, 0.0, 4.0, 6.0, 12.0, 0.0, 4.0, 6.0, 12.0, 0.0];
        assert!(test(&data, 3, 4, 21.0 + 1e-9));
        assert!(!test(&data, 3, 4, 21.0 - 1e-9));
        assert!(test(&data.map(|x| -x), 3, 4, 21.0 + 1e-9));
        assert!(test(&data.map(|x| Complex::new(0.6 * x, -0.8 * x)), 3, 4, 21.0 + 1e-9));
    }

    #[test]
    fn what_signs_hide_is_not_proven() {
        // Both singular values are the root of two; that of the sizes is two.
        let data = [1.0_f32, 1.0, 1.0, -1.0];
        assert!(!test(&data, 2, 2, 1.5));
        assert!(test(&data, 2, 2, 2.001));
    }

    #[test]
    fn nothing_is_proven_of_what_is_no_number() {
        assert!(test(&[0.0_f64; 4], 2, 2, 1e-9));
        assert!(!test(&[1e-170, 1e-170], 1, 2, 1e-180));
        assert!(!test(&[0.0, f64::NAN, 0.0, 0.0], 2, 2, 1.0));
        assert!(!test(&[0.0, f64::INFINITY, 0.0, 0.0], 2, 2, f64::MAX));
        assert!(!test(&[1e300, 1e300], 1, 2, 1.0));
    }
}
