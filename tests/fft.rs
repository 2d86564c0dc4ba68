//! The transforms against their definition, against rustfft, and against their own laws.

mod common;
mod guarded;

use common::{complexes, exactly, reals, relative_error};
use cstgl::fft::{Fft, RealFft};
use cstgl::workspace::{Arena, Layout};
use cstgl::{Complex, Error, Scalar};
use guarded::Workspace;
use proptest::prelude::*;

const WIDTHS: [usize; 5] = [1, 2, 3, 7, 64];
const LONG: [usize; 5] = [2000, 2003, 4096, 4999, 5000];

/// `20 eps log2(2n)`: the accuracy we promise for every length.
fn bound<T: Scalar>(n: usize) -> f64 {
    20.0 * T::EPSILON.to_f64() * (2.0 * n as f64).log2()
}

/// An f64 as an unevaluated sum of two: 106 bits, for a reference that owes nothing to the code under test.
#[derive(Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    const ZERO: Self = Self { high: 0.0, low: 0.0 };

    /// Adds `x * y` exactly up to the last of the 106 bits.
    fn add_product(self, x: f64, y: f64) -> Self {
        let product = x * y;
        let product_error = x.mul_add(y, -product);
        let sum = self.high + product;
        let other = sum - self.high;
        let sum_error = (self.high - (sum - other)) + (product - other);
        let low = self.low + sum_error + product_error;
        Self { high: sum, low }
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

/// One column's transform by its definition, roots from the platform's sine and cosine.
fn definition(x: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let n = x.len();
    let roots: Vec<(f64, f64)> = (0..n)
        .map(|k| {
            // A quarter of the circle at most, so that the angle's rounding stays relative.
            let (quarter, rest) = (4 * k / n, 4 * k % n);
            let (sin, cos) = (core::f64::consts::FRAC_PI_2 * rest as f64 / n as f64).sin_cos();
            match quarter {
                0 => (cos, -sin),
                1 => (-sin, -cos),
                2 => (-cos, sin),
                _ => (sin, cos),
            }
        })
        .collect();
    (0..n)
        .map(|k| {
            let (mut re, mut im) = (Double::ZERO, Double::ZERO);
            for (j, z) in x.iter().enumerate() {
                let (cos, sin) = roots[j * k % n];
                re = re.add_product(z.re, cos).add_product(-z.im, sin);
                im = im.add_product(z.re, sin).add_product(z.im, cos);
            }
            Complex::new(re.value(), im.value())
        })
        .collect()
}

fn widen<T: Scalar>(z: &[Complex<T>]) -> Vec<Complex<f64>> {
    z.iter().map(|z| Complex::new(z.re.to_f64(), z.im.to_f64())).collect()
}

fn column<E: Copy>(matrix: &[E], width: usize, c: usize) -> Vec<E> {
    matrix.iter().skip(c).step_by(width).copied().collect()
}

struct Plans<'w, T> {
    complex: Fft<'w, T>,
    real: RealFft<'w, T>,
}

fn with_plans<T: Scalar, R>(n: usize, test: impl FnOnce(Plans<'_, T>, &mut Arena<'_>) -> R) -> R {
    let complex = Fft::<T>::layout(n).unwrap();
    let real = RealFft::<T>::layout(n).unwrap();
    let (mut complex, mut real) = (Workspace::new(complex), Workspace::new(real));
    let plans = Plans {
        complex: Fft::new(n, &mut complex.arena()).unwrap(),
        real: RealFft::new(n, &mut real.arena()).unwrap(),
    };
    let scratch = plans.complex.scratch().unwrap().or(plans.real.scratch().unwrap());
    test(plans, &mut Workspace::new(scratch).arena())
}

/// Forward and inverse, complex and real, at every batch width; the first and last columns against the definition,
/// all others against the same column alone, bit for bit.
fn against_definition<T: Scalar>(n: usize) {
    with_plans::<T, _>(n, |plans, work| {
        let widest = *WIDTHS.last().unwrap();
        let wide = complexes::<T>(n as u64, n * widest);
        let wide_real = reals::<T>(n as u64 + 1, n * widest);
        let exact = |c: usize| definition(&widen(&column(&wide, widest, c)));
        let exact_real = |c: usize| {
            let x: Vec<_> =
                column(&wide_real, widest, c).iter().map(|x| Complex::new(x.to_f64(), 0.0)).collect();
            definition(&x)
        };
        let (first, first_real) = (exact(0), exact_real(0));
        let rows = n / 2 + 1;
        for width in WIDTHS {
            let narrow: Vec<_> =
                (0..n).flat_map(|j| &wide[j * widest..j * widest + width]).copied().collect();
            let mut spectrum = narrow.clone();
            plans.complex.forward(&mut spectrum, width, work).unwrap();
            let error = relative_error(&widen(&column(&spectrum, width, 0)), &first);
            assert!(error <= bound::<T>(n), "n = {n}, width {width}: {error:e}");

            let samples: Vec<_> =
                (0..n).flat_map(|j| &wide_real[j * widest..j * widest + width]).copied().collect();
            let mut half = vec![Complex::default(); rows * width];
            plans.real.forward(&samples, width, &mut half, work).unwrap();
            let error = relative_error(&widen(&column(&half, width, 0)), &first_real[..rows]);
            assert!(error <= bound::<T>(n), "real, n = {n}, width {width}: {error:e}");

            if width == widest {
                let last = width - 1;
                let error = relative_error(&widen(&column(&spectrum, width, last)), &exact(last));
                assert!(error <= bound::<T>(n), "n = {n}, last column: {error:e}");
                let error = relative_error(&widen(&column(&half, width, last)), &exact_real(last)[..rows]);
                assert!(error <= bound::<T>(n), "real, n = {n}, last column: {error:e}");
                // Neighbours never matter.
                let mut alone = column(&narrow, width, last);
                plans.complex.forward(&mut alone, 1, work).unwrap();
                assert_eq!(alone, column(&spectrum, width, last), "n = {n}");
            }

            let mut packed = samples.clone();
            plans.real.forward_packed(&mut packed, width, work).unwrap();
            for (k, row) in half.chunks_exact(width).enumerate() {
                let (real, imaginary) = plans.real.packed_rows(k);
                assert!(row.iter().map(|z| z.re).eq(packed[real * width..][..width].iter().copied()));
                if let Some(imaginary) = imaginary {
                    assert!(
                        row.iter().map(|z| z.im).eq(packed[imaginary * width..][..width].iter().copied())
                    );
                }
            }
            plans.real.inverse_packed(&mut packed, width, work).unwrap();
            let error = relative_error(&packed, &samples);
            assert!(error <= bound::<T>(n), "packed inverse, n = {n}, width {width}: {error:e}");

            plans.complex.inverse(&mut spectrum, width, work).unwrap();
            let error = relative_error(&spectrum, &narrow);
            assert!(error <= bound::<T>(n), "inverse, n = {n}, width {width}: {error:e}");
            let mut back = vec![T::ZERO; n * width];
            plans.real.inverse(&half, width, &mut back, work).unwrap();
            let error = relative_error(&back, &samples);
            assert!(error <= bound::<T>(n), "real inverse, n = {n}, width {width}: {error:e}");
        }
    });
}

#[test]
fn every_length_to_1024_in_f64() {
    (1..=1024).for_each(against_definition::<f64>);
}

#[test]
fn every_length_to_1024_in_f32() {
    (1..=1024).for_each(against_definition::<f32>);
}

#[test]
fn long_lengths() {
    for n in LONG {
        against_definition::<f64>(n);
        against_definition::<f32>(n);
    }
}

#[test]
fn rustfft_agrees() {
    let mut planner = rustfft::FftPlanner::<f64>::new();
    for n in (1..300).chain([512, 544, 600, 997, 1009]).chain(LONG) {
        let x = complexes::<f64>(n as u64, n);
        let (mut ours, mut theirs) = (x.clone(), x.clone());
        with_plans::<f64, _>(n, |plans, work| plans.complex.forward(&mut ours, 1, work)).unwrap();
        planner.plan_fft_forward(n).process(&mut theirs);
        assert!(relative_error(&ours, &theirs) <= 2.0 * bound::<f64>(n), "n = {n}");
    }
}

proptest! {
    #[test]
    fn linear(n in 1_usize..200, seed: u64, a in -2.0..2.0_f64) {
        let (x, y) = (complexes::<f64>(seed, n), complexes::<f64>(!seed, n));
        let combined: Vec<_> = x.iter().zip(&y).map(|(x, y)| x * a + y).collect();
        let transform = |mut z: Vec<_>| {
            with_plans::<f64, _>(n, |plans, work| plans.complex.forward(&mut z, 1, work)).unwrap();
            z
        };
        let separately: Vec<_> =
            transform(x).iter().zip(&transform(y)).map(|(x, y)| x * a + y).collect();
        prop_assert!(relative_error(&transform(combined), &separately) <= 10.0 * bound::<f64>(n));
    }

    #[test]
    fn energy_is_kept(n in 1_usize..200, seed: u64) {
        let x = complexes::<f64>(seed, n);
        let mut spectrum = x.clone();
        with_plans::<f64, _>(n, |plans, work| plans.complex.forward(&mut spectrum, 1, work)).unwrap();
        let energy = |z: &[Complex<f64>]| z.iter().map(|z| z.norm_sqr()).sum::<f64>();
        let (before, after) = (energy(&x), energy(&spectrum) / n as f64);
        prop_assert!((before - after).abs() <= 10.0 * bound::<f64>(n) * before);
    }

    #[test]
    fn a_shift_turns_the_phases(n in 1_usize..200, seed: u64, by in 0_usize..200) {
        let by = by % n;
        let x = complexes::<f64>(seed, n);
        let mut shifted = x.clone();
        shifted.rotate_left(by);
        let mut spectrum = x;
        with_plans::<f64, _>(n, |plans, work| {
            plans.complex.forward(&mut spectrum, 1, work)?;
            plans.complex.forward(&mut shifted, 1, work)
        }).unwrap();
        for (k, z) in spectrum.iter_mut().enumerate() {
            *z *= Complex::from_polar(1.0, std::f64::consts::TAU * (k * by % n) as f64 / n as f64);
        }
        prop_assert!(relative_error(&shifted, &spectrum) <= 10.0 * bound::<f64>(n));
    }
}

#[test]
fn bad_input_is_refused_and_nothing_is_touched() {
    assert_eq!(Fft::<f64>::layout(0), Err(Error::Empty { what: "transform length" }));
    assert_eq!(RealFft::<f32>::layout(0), Err(Error::Empty { what: "transform length" }));
    let overflow = Err(Error::SizeOverflow { what: "transform length" });
    assert_eq!(Fft::<f64>::layout(usize::MAX), overflow);
    assert_eq!(RealFft::<f64>::layout(usize::MAX), overflow);
    with_plans::<f64, _>(6, |plans, work| {
        let mut data = complexes::<f64>(1, 12);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            data[7].im = bad;
            let before: Vec<_> = data.iter().map(|z| (z.re.to_bits(), z.im.to_bits())).collect();
            for refused in
                [plans.complex.forward(&mut data, 2, work), plans.complex.inverse(&mut data, 2, work)]
            {
                assert_eq!(refused, Err(Error::NotFinite { what: "data", index: 7 }));
            }
            assert!(
                before.iter().eq(data
                    .iter()
                    .map(|z| (z.re.to_bits(), z.im.to_bits()))
                    .collect::<Vec<_>>()
                    .iter())
            );
        }
        let length = Err(Error::Length { what: "data", expected: 18, found: 12 });
        assert_eq!(plans.complex.forward(&mut data, 3, work), length);
        let overflow = Err(Error::SizeOverflow { what: "data" });
        assert_eq!(plans.complex.forward(&mut data, usize::MAX, work), overflow);
        let mut half = complexes::<f64>(2, 8);
        let untouched = half.clone();
        let refused = plans.real.forward(&[1.0; 12], 2, &mut half[..7], work);
        assert_eq!(refused, Err(Error::Length { what: "spectrum", expected: 8, found: 7 }));
        let refused = plans.real.forward(&[f64::NAN; 12], 2, &mut half, work);
        assert_eq!(refused, Err(Error::NotFinite { what: "samples", index: 0 }));
        assert_eq!(half, untouched);
        let mut samples = [5.0; 12];
        let refused = plans.real.inverse(&data[..8], 2, &mut samples, work);
        assert_eq!(refused, Err(Error::NotFinite { what: "spectrum", index: 7 }));
        assert_eq!(samples, [5.0; 12]);
    });
}

#[test]
fn no_columns_are_no_work() {
    with_plans::<f64, _>(5, |plans, work| {
        plans.complex.forward(&mut [], 0, work).unwrap();
        plans.real.forward(&[], 0, &mut [], work).unwrap();
    });
}

#[test]
fn exact_memory_is_enough_and_a_byte_less_is_refused() {
    for n in [1, 2, 3, 8, 13, 60, 61, 67, 134, 169, 2003] {
        exactly(Fft::<f64>::layout(n).unwrap(), |tables| Fft::<f64>::new(n, tables).map(|_| ())).unwrap();
        exactly(RealFft::<f32>::layout(n).unwrap(), |tables| RealFft::<f32>::new(n, tables).map(|_| ()))
            .unwrap();
        let mut tables = Workspace::new(RealFft::<f64>::layout(n).unwrap());
        let fft = RealFft::new(n, &mut tables.arena()).unwrap();
        let (samples, mut spectrum) = (reals::<f64>(1, 3 * n), vec![Complex::default(); 3 * (n / 2 + 1)]);
        let scratch: Layout = fft.scratch().unwrap();
        exactly(scratch, |work| fft.forward(&samples, 3, &mut spectrum, work)).unwrap();
    }
}
