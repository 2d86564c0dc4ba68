//! Structs of the C interface have `double` fields for both types. A target without double arithmetic still moves
//! doubles; so they are converted by their bits, to the same result as `as`, and no helper for doubles is linked.

use super::types::{cstgl_f32, cstgl_f64};
use crate::Scalar;

/// A type of number that C functions come in.
pub(super) trait Number: Scalar {
    /// What a handle points to.
    type Handle;
    /// The nearest number to a double.
    fn narrow(x: f64) -> Self;
    /// The same number as a double.
    fn widen(self) -> f64;
}

impl Number for f64 {
    type Handle = cstgl_f64;
    fn narrow(x: f64) -> Self {
        x
    }
    fn widen(self) -> f64 {
        self
    }
}

impl Number for f32 {
    type Handle = cstgl_f32;
    fn narrow(x: f64) -> Self {
        Self::from_bits(narrow_bits(x.to_bits()))
    }
    fn widen(self) -> f64 {
        f64::from_bits(widen_bits(self.to_bits()))
    }
}

/// Bits of a double's fraction that a float does not have.
const LOST: u32 = 52 - 23;
/// What a double's exponent is counted from, less what a float's is.
const BIAS: u64 = 1023 - 127;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0xff << 23;
const QUIET: u32 = 1 << 22;
const FRACTION: u64 = (1 << 52) - 1;

/// `x >> shift`, to the nearest, ties to even. `shift` is 1 to 63.
const fn shift_rounded(x: u64, shift: u32) -> u64 {
    let (quotient, rest, half) = (x >> shift, x & ((1 << shift) - 1), 1 << (shift - 1));
    let up = rest > half || (rest == half && quotient & 1 == 1);
    quotient + up as u64
}

/// The float nearest to a double, ties to even.
const fn narrow_bits(double: u64) -> u32 {
    let sign = (double >> 32) as u32 & SIGN;
    let (exponent, fraction) = (double >> 52 & 0x7ff, double & FRACTION);
    let magnitude = if exponent == 0x7ff {
        if fraction == 0 { INFINITY } else { INFINITY | QUIET | (fraction >> LOST) as u32 }
    } else if exponent > BIAS + 0xfe {
        INFINITY
    } else if exponent > BIAS {
        // Rounding up carries into the exponent, and from the largest number on to infinity: both are right.
        shift_rounded((exponent - BIAS) << 52 | fraction, LOST) as u32
    } else {
        // Too small for a full fraction; below half of the smallest number nothing is left.
        let shift = LOST as u64 + 1 + BIAS - exponent;
        if shift > 63 { 0 } else { shift_rounded(1 << 52 | fraction, shift as u32) as u32 }
    };
    sign | magnitude
}

/// A float as a double, exactly.
const fn widen_bits(float: u32) -> u64 {
    let sign = ((float & SIGN) as u64) << 32;
    let (exponent, fraction) = ((float >> 23 & 0xff) as u64, (float & ((1 << 23) - 1)) as u64);
    let magnitude = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => {
            // Doubles that small have a leading one of their own again.
            let shift = fraction.leading_zeros() - 40;
            (BIAS + 1 - shift as u64) << 52 | (fraction << (shift + LOST) & FRACTION)
        }
        (0xff, 0) => 0x7ff << 52,
        (0xff, _) => 0x7ff << 52 | (fraction | QUIET as u64) << LOST,
        _ => (exponent + BIAS) << 52 | fraction << LOST,
    };
    sign | magnitude
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn check(x: f64) {
        let (ours, theirs) = (f32::narrow(x), x as f32);
        assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()), "{x:e}: {ours:e}");
    }

    #[test]
    fn every_kind_of_double_narrows_as_the_hardware_does() {
        let special =
            [0.0, -0.0, f64::INFINITY, -f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::MAX, 1e-310];
        special.into_iter().for_each(check);
        let mut rng = Rng::new(5);
        for exponent in 0..0x7ff_u64 {
            for k in 0..64 {
                let random = rng.next_u64();
                // Fractions near and at a tie are where roundings differ.
                let fraction = match k % 4 {
                    0 => random,
                    1 => (random << LOST) | 1 << (LOST - 1),
                    2 => ((random << LOST) | 1 << (LOST - 1)) ^ 1,
                    _ => u64::MAX << (random % 53),
                };
                check(f64::from_bits((random & 1) << 63 | exponent << 52 | (fraction & FRACTION)));
            }
        }
    }

    #[test]
    fn every_float_widens_exactly_and_comes_back() {
        // All exponents, and all fractions of some of them.
        let all = (0..=u32::MAX).step_by(257).chain(0..1 << 16).chain(INFINITY..INFINITY + 3);
        for bits in all {
            let x = f32::from_bits(bits);
            if x.is_nan() {
                assert!(x.widen().is_nan() && f32::narrow(x.widen()).is_nan());
            } else {
                assert_eq!(x.widen().to_bits(), f64::from(x).to_bits(), "{x:e}");
                assert_eq!(f32::narrow(x.widen()).to_bits(), bits);
            }
        }
    }
}
