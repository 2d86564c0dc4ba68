//! Random numbers and orthonormal vectors, from which tests build matrices with known answers.

use cstgl::rng::Rng;
use cstgl::{Complex, Field, Scalar};

/// Numbers a test can draw at random.
pub trait Random: Field {
    /// Uniform around zero.
    fn random(rng: &mut Rng) -> Self;
}
macro_rules! random {
    ($type:ident) => {
        impl Random for $type {
            fn random(rng: &mut Rng) -> Self {
                rng.uniform::<$type>() - 0.5
            }
        }
        impl Random for Complex<$type> {
            fn random(rng: &mut Rng) -> Self {
                Complex::new($type::random(rng), $type::random(rng))
            }
        }
    };
}
random!(f32);
random!(f64);

/// The real number `x` as an element.
pub fn real<F: Field>(x: f64) -> F {
    F::from_real(F::Real::from_f64(x))
}

/// `sum of conj(x_i) y_i`, in the plainest way.
pub fn inner<F: Field>(x: &[F], y: &[F]) -> F {
    x.iter().zip(y).fold(F::ZERO, |sum, (x, y)| sum + x.conj() * *y)
}

/// `count` random orthonormal rows of length `n`, by Gram-Schmidt done three times.
pub fn orthonormal<F: Random>(rng: &mut Rng, count: usize, n: usize) -> Vec<Vec<F>> {
    let mut rows: Vec<Vec<F>> = Vec::new();
    while rows.len() < count {
        let mut row: Vec<F> = (0..n).map(|_| F::random(rng)).collect();
        for _ in 0..3 {
            for other in &rows {
                let along = inner(other, &row);
                row.iter_mut().zip(other).for_each(|(x, o)| *x -= along * *o);
            }
            let norm = inner(&row, &row).re().sqrt();
            row.iter_mut().for_each(|x| *x = x.unscale(norm));
        }
        rows.push(row);
    }
    rows
}
