//! Sums over vectors, in a fixed order.
//!
//! A sum is taken in [`LANES`] interleaved partial sums which are then added pairwise. The compiler can hold
//! the lanes in registers of any width, and the result has the same bits whichever width it chose.

use crate::{Field, Scalar, simd};

/// Partial sums kept side by side.
pub const LANES: usize = 8;

/// `sum of f(x_i, y_i)` over the common length, in lane order.
#[inline(always)]
pub(crate) fn sum_over<F: Field, G: Field, R: Field>(x: &[F], y: &[G], f: impl Fn(F, G) -> R) -> R {
    let mut sums = [R::ZERO; LANES];
    // Equal lengths first, or the tails would not face each other.
    let length = x.len().min(y.len());
    let (x, y) = (x.get(..length).unwrap_or(x), y.get(..length).unwrap_or(y));
    let (x_blocks, x_tail) = x.as_chunks::<LANES>();
    let (y_blocks, y_tail) = y.as_chunks::<LANES>();
    for (x, y) in x_blocks.iter().zip(y_blocks) {
        for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
            *sum += f(x, y);
        }
    }
    for ((sum, &x), &y) in sums.iter_mut().zip(x_tail).zip(y_tail) {
        *sum += f(x, y);
    }
    pairwise(sums)
}

/// The sum of the lanes.
#[cfg_attr(feature = "std", inline(always))] // Compiled for wide registers only where it is inlined;
#[cfg_attr(not(feature = "std"), inline(never))] // elsewhere one copy is enough, and small.
pub(crate) fn pairwise<F: Field>([a, b, c, d, e, f, g, h]: [F; LANES]) -> F {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Inner product `x^H y` over the common length.
#[must_use]
pub fn dot<F: Field>(x: &[F], y: &[F]) -> F {
    simd::widest(
        #[inline(always)]
        || sum_over(x, y, |x, y| x.conj() * y),
    )
}

/// Sum of squares `||x||^2`; infinite where that overflows.
#[must_use]
pub fn norm2<F: Field>(x: &[F]) -> F::Real {
    simd::widest(
        #[inline(always)]
        || sum_over(x, x, |x, _| x.abs2()),
    )
}

/// `||x - y||^2` over the common length.
#[must_use]
pub fn distance2<F: Field>(x: &[F], y: &[F]) -> F::Real {
    simd::widest(
        #[inline(always)]
        || sum_over(x, y, |x, y| (x - y).abs2()),
    )
}

/// `|x|` for many `x`: the root of the square, because a comparison would not vectorise; what underflows is nothing.
#[inline(always)]
pub(crate) fn size<F: Field>(x: F) -> F::Real {
    if F::IS_COMPLEX { x.abs2().sqrt() } else { x.abs() }
}

/// The largest absolute value, part by part.
#[must_use]
pub fn max_abs<F: Field>(x: &[F]) -> F::Real {
    x.iter().fold(F::Real::ZERO, |largest, x| Scalar::max(largest, x.abs_max()))
}

/// Euclidean norm `||x||`, safe from overflow and from squares that vanish.
#[must_use]
pub fn norm<F: Field>(x: &[F]) -> F::Real {
    let squares = norm2(x);
    // Below this the squares of the largest elements have begun to lose bits to underflow.
    let small = F::Real::MIN_POSITIVE / (F::Real::EPSILON * F::Real::EPSILON);
    if squares.is_finite() && squares > small {
        return squares.sqrt();
    }
    let size = max_abs(x);
    if size == F::Real::ZERO || !size.is_finite() {
        return size;
    }
    // Quotients, not products with 1/size, which overflows where size is subnormal.
    size * sum_over(x, x, |x, _| x.unscale(size).abs2()).sqrt()
}

/// `y += a x`.
#[inline]
pub fn axpy<F: Field>(a: F, x: &[F], y: &mut [F]) {
    simd::widest(
        #[inline(always)]
        || {
            for (y, &x) in y.iter_mut().zip(x) {
                *y += a * x;
            }
        },
    );
}

/// `x *= a`, a real.
#[inline]
pub fn scale<F: Field>(x: &mut [F], a: F::Real) {
    for x in x {
        *x = x.scale(a);
    }
}

/// `y = x` over the common length.
#[inline]
pub fn copy<F: Copy>(x: &[F], y: &mut [F]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = x;
    }
}

/// Element `i`, zero beyond the end.
#[inline(always)]
pub(crate) fn at<F: Field>(x: &[F], i: usize) -> F {
    x.get(i).copied().unwrap_or(F::ZERO)
}

/// Writes element `i`; nothing beyond the end.
#[inline(always)]
pub(crate) fn put<F>(x: &mut [F], i: usize, value: F) {
    if let Some(x) = x.get_mut(i) {
        *x = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    #[test]
    fn norms_at_the_edges_of_the_range() {
        let close = |x: f64, exact: f64| (x - exact).abs() <= 2.0 * f64::EPSILON * exact;
        assert!(close(norm(&[3e200_f64, 4e200]), 5e200));
        assert!(close(norm(&[3e-200_f64, 4e-200]), 5e-200));
        assert_eq!(norm(&[5e-324_f64, 0.0]), 5e-324);
        assert!((norm(&[Complex::new(3e30_f32, 4e30)]) - 5e30).abs() <= 1e24);
        assert_eq!(norm::<f64>(&[]), 0.0);
    }

    #[test]
    fn dot_conjugates_the_first() {
        let i = Complex::new(0.0_f64, 1.0);
        assert_eq!(dot(&[i], &[i]), Complex::new(1.0, 0.0));
        let x: [f64; 19] = core::array::from_fn(|i| i as f64);
        assert_eq!(dot(&x, &x), 18.0 * 19.0 * 37.0 / 6.0);
        assert_eq!(dot(&x, &x[..13]), 12.0 * 13.0 * 25.0 / 6.0, "over the common length");
    }
}
