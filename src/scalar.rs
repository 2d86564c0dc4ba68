//! The numbers: [`Scalar`] is `f32` or `f64`, [`Field`] is a scalar or a complex number over one.
//!
//! Only addition, multiplication, division and square root are used in results, all of which IEEE 754
//! defines to the last bit. That is why a result has the same bits on every machine.

use crate::workspace::Pod;
use core::fmt::Debug;
use core::ops::Neg;
use num_complex::Complex;
use num_traits::NumAssign;

/// An element of a matrix: real or complex, so that each algorithm is written once.
pub trait Field:
    Copy + Debug + Default + Neg<Output = Self> + NumAssign + Pod + Send + Sync + 'static
{
    /// The type of absolute values, norms and singular values.
    type Real: Scalar;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// True where the imaginary part is a number of its own.
    const IS_COMPLEX: bool;

    /// The real number `x` as an element.
    fn from_real(x: Self::Real) -> Self;
    /// The complex number `z` as an element; a real one keeps the real part.
    fn from_complex(z: Complex<Self::Real>) -> Self;
    /// Complex conjugate.
    #[must_use]
    fn conj(self) -> Self;
    /// Real part.
    fn re(self) -> Self::Real;
    /// Imaginary part; zero for a real number.
    fn im(self) -> Self::Real;
    /// `|x|^2`.
    fn abs2(self) -> Self::Real;
    /// Product with a real number.
    #[must_use]
    fn scale(self, by: Self::Real) -> Self;
    /// Quotient by a real number, part by part.
    #[must_use]
    fn unscale(self, by: Self::Real) -> Self;
    /// Neither NaN nor infinite in any part.
    fn is_finite(self) -> bool;

    /// `|x|`, without overflow or underflow of the square.
    fn abs(self) -> Self::Real;
    /// The largest absolute value of the parts: within a factor of 1.42 of `|x|`, and exact to scale by.
    fn abs_max(self) -> Self::Real;
}

/// `f32` or `f64`.
pub trait Scalar: Field<Real = Self> + PartialOrd {
    /// Distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;
    /// The largest finite number.
    const MAX: Self;
    /// One half.
    const HALF: Self;
    /// Two.
    const TWO: Self;
    /// The ratio of a circle's circumference to its diameter.
    const PI: Self;
    /// Terms after which the Taylor series of sine and cosine on [0, pi/4] are exact to rounding.
    const TAYLOR_TERMS: usize;

    /// The nearest number to `x`.
    fn from_f64(x: f64) -> Self;
    /// The same number, exactly.
    fn to_f64(self) -> f64;
    /// The nearest number to a count.
    fn from_usize(x: usize) -> Self;
    /// A number in [0, 1) from the top bits of `bits`, every representable step equally likely.
    fn from_bits(bits: u64) -> Self;
    /// Square root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;

    /// An in-place forward transform of this length by a table in flash; false where there is none.
    #[cfg(feature = "microfft")]
    #[doc(hidden)]
    fn flash_fft(_column: &mut [Complex<Self>]) -> bool {
        false
    }

    /// The larger of two numbers.
    #[must_use]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    /// The smaller of two numbers.
    #[must_use]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    /// `exp(2 pi i k / n)` to about one unit in the last place, for `n >= 1`.
    ///
    /// The angle is reduced to an eighth of a turn in integers, so multiples of a quarter are exact, and the
    /// remaining series uses this type's arithmetic alone: no table, no double precision on small targets.
    fn root_of_unity(k: usize, n: usize) -> Complex<Self> {
        // Eighths of a turn: 8 k = octant n + rest, a doubling at a time, so that nothing overflows and small targets
        // need no 64-bit quotient.
        let n = n.max(1);
        let (mut octant, mut rest) = (0, k % n);
        for _ in 0..3 {
            let left = n - rest;
            (octant, rest) =
                if rest >= left { (2 * octant + 1, rest - left) } else { (2 * octant, 2 * rest) };
        }
        // An odd octant is measured backwards from its far end, so the angle stays in [0, pi/4].
        let numerator = if octant & 1 == 0 { rest } else { n - rest };
        let angle = Self::PI * (Self::from_usize(numerator) / Self::from_usize(n)) / Self::from_f64(4.0);
        let (sin, cos) = sin_cos_series(angle);
        match octant {
            0 => Complex::new(cos, sin),
            1 => Complex::new(sin, cos),
            2 => Complex::new(-sin, cos),
            3 => Complex::new(-cos, sin),
            4 => Complex::new(-cos, -sin),
            5 => Complex::new(-sin, -cos),
            6 => Complex::new(sin, -cos),
            _ => Complex::new(cos, -sin),
        }
    }
}

/// `sin x = x (1 - x^2/(2 3) (1 - x^2/(4 5) (...)))` and its sister, for `0 <= x <= pi/4`.
fn sin_cos_series<T: Scalar>(x: T) -> (T, T) {
    let square = x * x;
    let (mut sin, mut cos) = (T::ONE, T::ONE);
    for term in (1..=T::TAYLOR_TERMS).rev() {
        let even = T::from_usize(2 * term);
        sin = T::ONE - square / (even * (even + T::ONE)) * sin;
        cos = T::ONE - square / (even * (even - T::ONE)) * cos;
    }
    (x * sin, cos)
}

macro_rules! real {
    ($type:ident, $sqrt:path, $mantissa:literal, $terms:literal $(, $flash:path)?) => {
        impl Field for $type {
            type Real = $type;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const IS_COMPLEX: bool = false;

            #[inline(always)]
            fn from_real(x: $type) -> Self {
                x
            }
            #[inline(always)]
            fn from_complex(z: Complex<$type>) -> Self {
                z.re
            }
            #[inline(always)]
            fn conj(self) -> Self {
                self
            }
            #[inline(always)]
            fn re(self) -> $type {
                self
            }
            #[inline(always)]
            fn im(self) -> $type {
                0.0
            }
            #[inline(always)]
            fn abs2(self) -> $type {
                self * self
            }
            #[inline(always)]
            fn scale(self, by: $type) -> Self {
                self * by
            }
            #[inline(always)]
            fn unscale(self, by: $type) -> Self {
                self / by
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }
            #[inline(always)]
            fn abs(self) -> $type {
                $type::abs(self)
            }
            #[inline(always)]
            fn abs_max(self) -> $type {
                $type::abs(self)
            }
        }

        impl Scalar for $type {
            const EPSILON: Self = $type::EPSILON;
            const MIN_POSITIVE: Self = $type::MIN_POSITIVE;
            const MAX: Self = $type::MAX;
            const HALF: Self = 0.5;
            const TWO: Self = 2.0;
            const PI: Self = core::$type::consts::PI;
            const TAYLOR_TERMS: usize = $terms;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn from_usize(x: usize) -> Self {
                x as $type
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                (bits >> (64 - $mantissa)) as $type / (1_u64 << $mantissa) as $type
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                #[cfg(feature = "std")]
                return $type::sqrt(self);
                #[cfg(not(feature = "std"))]
                return $sqrt(self);
            }
            $(
                #[cfg(feature = "microfft")]
                fn flash_fft(column: &mut [Complex<Self>]) -> bool {
                    $flash(column)
                }
            )?
        }
    };
}

real!(f32, libm::sqrtf, 24, 6, crate::fft::flash_fft);
real!(f64, libm::sqrt, 53, 10);

impl<T: Scalar> Field for Complex<T> {
    type Real = T;
    const ZERO: Self = Complex::new(T::ZERO, T::ZERO);
    const ONE: Self = Complex::new(T::ONE, T::ZERO);
    const IS_COMPLEX: bool = true;

    #[inline(always)]
    fn from_real(x: T) -> Self {
        Complex::new(x, T::ZERO)
    }
    #[inline(always)]
    fn from_complex(z: Self) -> Self {
        z
    }
    #[inline(always)]
    fn conj(self) -> Self {
        Complex::new(self.re, -self.im)
    }
    #[inline(always)]
    fn re(self) -> T {
        self.re
    }
    #[inline(always)]
    fn im(self) -> T {
        self.im
    }
    #[inline(always)]
    fn abs2(self) -> T {
        self.re * self.re + self.im * self.im
    }
    #[inline(always)]
    fn scale(self, by: T) -> Self {
        Complex::new(self.re * by, self.im * by)
    }
    #[inline(always)]
    fn unscale(self, by: T) -> Self {
        Complex::new(self.re / by, self.im / by)
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
    fn abs(self) -> T {
        let size = self.abs_max();
        if size == T::ZERO || !size.is_finite() {
            return size;
        }
        size * self.unscale(size).abs2().sqrt()
    }
    #[inline(always)]
    fn abs_max(self) -> T {
        Scalar::max(self.re.abs(), self.im.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact() {
        assert_eq!(f64::root_of_unity(0, 5), Complex::new(1.0, 0.0));
        assert_eq!(f64::root_of_unity(3, 12), Complex::new(-0.0, 1.0));
        assert_eq!(f32::root_of_unity(7, 14), Complex::new(-1.0, -0.0));
        assert_eq!(f64::root_of_unity(9, 12), Complex::new(0.0, -1.0));
    }

    #[test]
    fn roots_agree_with_libm() {
        for n in 1..400_usize {
            for k in 0..n {
                let angle = 2.0 * core::f64::consts::PI * k as f64 / n as f64;
                let (double, single) = (f64::root_of_unity(k, n), f32::root_of_unity(k, n));
                let exact = Complex::new(libm::cos(angle), libm::sin(angle));
                // The comparison's own angle is off by up to pi eps, hence 8 eps for f64.
                assert!((double - exact).abs() <= 8.0 * f64::EPSILON, "{k}/{n}: {double} {exact}");
                let wide = Complex::new(f64::from(single.re), f64::from(single.im));
                assert!((wide - exact).abs() <= f64::from(f32::EPSILON), "{k}/{n}: {single} {exact}");
            }
        }
    }

    #[test]
    fn absolute_value_neither_overflows_nor_vanishes() {
        assert_eq!(Field::abs(Complex::new(3e300_f64, 4e300)), 5e300);
        assert_eq!(Field::abs(Complex::new(3e-200_f64, 4e-200)), 5e-200);
        assert_eq!(Field::abs(Complex::new(0.0_f32, 0.0)), 0.0);
    }
}
