//! The discrete Fourier transforms of 2, 3, 4, 5 and 7 points, and a row of a strip to apply them to.

use crate::Scalar;
use num_complex::Complex;

/// `W` columns of one row: their real parts, then their imaginary parts, so that a butterfly over all columns is
/// plain arithmetic on contiguous numbers.
pub(super) type Row<T, const W: usize> = [[T; W]; 2];

/// A row times a complex number.
#[inline(always)]
pub(super) fn multiply<T: Scalar, const W: usize>([re, im]: &mut Row<T, W>, by: Complex<T>) {
    for (re, im) in re.iter_mut().zip(im) {
        let z = Complex::new(*re, *im) * by;
        (*re, *im) = (z.re, z.im);
    }
}

/// A transform of `R` points, written for one column.
pub(super) trait Butterfly<const R: usize> {
    /// `y_k = sum_j x_j exp(-2 pi i j k / R)`.
    fn dft<T: Scalar>(x: [Complex<T>; R]) -> [Complex<T>; R];
}

/// `-i z`.
#[inline(always)]
fn turn<T: Scalar>(z: Complex<T>) -> Complex<T> {
    Complex::new(z.im, -z.re)
}

pub(super) struct Two;
pub(super) struct Three;
pub(super) struct Four;
pub(super) struct Five;
pub(super) struct Seven;

impl Butterfly<2> for Two {
    #[inline(always)]
    fn dft<T: Scalar>([a, b]: [Complex<T>; 2]) -> [Complex<T>; 2] {
        [a + b, a - b]
    }
}

impl Butterfly<3> for Three {
    #[inline(always)]
    fn dft<T: Scalar>([a, b, c]: [Complex<T>; 3]) -> [Complex<T>; 3] {
        let sin = T::from_f64(0.866_025_403_784_438_6);
        let sum = b + c;
        let even = a - sum.unscale(T::TWO);
        let odd = turn(b - c).scale(sin);
        [a + sum, even + odd, even - odd]
    }
}

impl Butterfly<4> for Four {
    #[inline(always)]
    fn dft<T: Scalar>([a, b, c, d]: [Complex<T>; 4]) -> [Complex<T>; 4] {
        let (even_sum, even_difference) = (a + c, a - c);
        let (odd_sum, odd_difference) = (b + d, turn(b - d));
        [
            even_sum + odd_sum,
            even_difference + odd_difference,
            even_sum - odd_sum,
            even_difference - odd_difference,
        ]
    }
}

impl Butterfly<5> for Five {
    #[inline(always)]
    fn dft<T: Scalar>([a, b, c, d, e]: [Complex<T>; 5]) -> [Complex<T>; 5] {
        let [cos1, cos2] = [0.309_016_994_374_947_45, -0.809_016_994_374_947_5].map(T::from_f64);
        let [sin1, sin2] = [0.951_056_516_295_153_5, 0.587_785_252_292_473_1].map(T::from_f64);
        let (sum1, difference1) = (b + e, turn(b - e));
        let (sum2, difference2) = (c + d, turn(c - d));
        let even1 = a + sum1.scale(cos1) + sum2.scale(cos2);
        let even2 = a + sum1.scale(cos2) + sum2.scale(cos1);
        let odd1 = difference1.scale(sin1) + difference2.scale(sin2);
        let odd2 = difference1.scale(sin2) - difference2.scale(sin1);
        [a + sum1 + sum2, even1 + odd1, even2 + odd2, even2 - odd2, even1 - odd1]
    }
}

impl Butterfly<7> for Seven {
    #[inline(always)]
    fn dft<T: Scalar>([a, b, c, d, e, f, g]: [Complex<T>; 7]) -> [Complex<T>; 7] {
        let [cos1, cos2, cos3] =
            [0.623_489_801_858_733_5, -0.222_520_933_956_314_4, -0.900_968_867_902_419_1].map(T::from_f64);
        let [sin1, sin2, sin3] =
            [0.781_831_482_468_029_8, 0.974_927_912_181_823_6, 0.433_883_739_117_558_1].map(T::from_f64);
        let (sum1, difference1) = (b + g, turn(b - g));
        let (sum2, difference2) = (c + f, turn(c - f));
        let (sum3, difference3) = (d + e, turn(d - e));
        let even1 = a + sum1.scale(cos1) + sum2.scale(cos2) + sum3.scale(cos3);
        let even2 = a + sum1.scale(cos2) + sum2.scale(cos3) + sum3.scale(cos1);
        let even3 = a + sum1.scale(cos3) + sum2.scale(cos1) + sum3.scale(cos2);
        let odd1 = difference1.scale(sin1) + difference2.scale(sin2) + difference3.scale(sin3);
        let odd2 = difference1.scale(sin2) - difference2.scale(sin3) - difference3.scale(sin1);
        let odd3 = difference1.scale(sin3) - difference2.scale(sin1) + difference3.scale(sin2);
        [
            a + sum1 + sum2 + sum3,
            even1 + odd1,
            even2 + odd2,
            even3 + odd3,
            even3 - odd3,
            even2 - odd2,
            even1 - odd1,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const R: usize, B: Butterfly<R>>() {
        let x: [Complex<f64>; R] =
            core::array::from_fn(|j| Complex::new(1.0 + j as f64, (j * j) as f64 - 2.0));
        let y = B::dft(x);
        for (k, y) in y.iter().enumerate() {
            let exact: Complex<f64> = (0..R)
                .map(|j| x[j] * f64::root_of_unity(j * k, R).conj())
                .fold(Complex::new(0.0, 0.0), |s, z| s + z);
            assert!((y - exact).norm() < 1e-13, "radix {R}, frequency {k}: {y} {exact}");
        }
    }

    #[test]
    fn small_transforms_match_their_definition() {
        check::<2, Two>();
        check::<3, Three>();
        check::<4, Four>();
        check::<5, Five>();
        check::<7, Seven>();
    }
}
