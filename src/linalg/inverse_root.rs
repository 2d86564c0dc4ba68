//! The inverse square root of a positive definite tridiagonal matrix, without its eigenvectors.
//!
//! `x^(-1/2) = (2/pi) integral of dt / (t^2 + x)`. In the elliptic variable `t = sqrt(low) sn(u)/cn(u)` the midpoint rule
//! converges as fast as any sum of poles can on `low..=high`, so some thirty terms `w / (x + shift)` are exact to
//! rounding where `high` is a million times `low`. And the inverse of `T + shift`, which is positive definite too, is known
//! element by element from the pivots of its elimination: row `i` is row `i + 1` times a number, and its diagonal.

use super::MatMut;
use super::vector::at;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, simd};

/// Steps after which the arithmetic-geometric mean of 1 and a thousandth has converged, and more.
const STEPS: usize = 8;

/// Poles that make the sum exact to rounding on `low..=high`: as many as the doublings from one to the other ask for.
fn pole_count<T: Scalar>(low: T, high: T) -> usize {
    let doublings = (0..2 * MOST_DOUBLINGS).scan(low, |x, _| {
        *x *= T::TWO;
        (*x < high).then_some(())
    });
    poles_for::<T>(doublings.count().wrapping_add(1).min(MOST_DOUBLINGS))
}

/// The range is at most the square of a thousandth, rounded up.
const MOST_DOUBLINGS: usize = 21;

/// The error of `count` poles is `exp(-2 pi^2 count / (log(high/low) + 3))`.
fn poles_for<T: Scalar>(doublings: usize) -> usize {
    let digits: usize = if T::EPSILON < T::from_f64(1e-10) { 37 } else { 17 };
    (7 * doublings + 30) * digits / 197 + 1
}

/// What [`write_inverse_root`] needs for order `n`.
pub(crate) fn inverse_root_layout<T: Scalar>(n: usize) -> Result<Layout, Error> {
    let most = poles_for::<T>(MOST_DOUBLINGS);
    let rows = check::product("poles", &[most, n])?;
    Layout::array::<T>(rows)?.and_array::<T>(rows)?.and_array::<Pole<T>>(most)?.and_array::<usize>(most)
}

/// A term `weight / (x + shift)`: the shift, and then the weight.
type Pole<T> = [T; 2];

/// The poles of `x^(-1/2)` on `low..=high`.
///
/// The functions of Jacobi come down Landen's transformation, from an angle that is a fraction of a turn. The
/// complementary moduli are ratios of the means, and no difference of near numbers is formed.
fn write_poles<T: Scalar>(low: T, high: T, poles: &mut [Pole<T>]) {
    let (mut arithmetic, mut geometric) = (T::ONE, (low / high).sqrt());
    let moduli: [T; STEPS] = core::array::from_fn(|_| {
        let modulus = Scalar::min(geometric / arithmetic, T::ONE);
        (arithmetic, geometric) =
            ((arithmetic + geometric) * T::HALF, Scalar::max(arithmetic * geometric, T::ZERO).sqrt());
        modulus
    });
    let count = poles.len();
    let step = low.sqrt() / (T::from_usize(count) * arithmetic);
    for (j, pole) in poles.iter_mut().enumerate() {
        let angle = T::root_of_unity(j.wrapping_mul(2).wrapping_add(1), count.wrapping_mul(8));
        let (mut sn, mut cn, mut dn) = (angle.im, angle.re, T::ONE);
        for &modulus in moduli.iter().rev() {
            let next = (T::ONE - modulus) / (T::ONE + modulus);
            let under = T::ONE + next * sn * sn;
            (sn, cn) = ((T::ONE + next) * sn / under, cn * dn / under);
            let square = modulus * modulus;
            dn = (square + (T::ONE - square) * cn * cn).sqrt();
        }
        let tangent = sn / cn;
        *pole = [low * tangent * tangent, step * dn / (cn * cn)];
    }
}

/// `root = T^(-1/2)` for `T_ii = diagonal_i` and `T_(i,i-1) = coupling_i`, right for the eigenvalues in `low..=high`.
///
/// An eigenvalue below `low` gets a number that is no larger than a few `low^(-1/2)`.
pub(crate) fn write_inverse_root<T: Scalar>(
    (diagonal, coupling): (&[T], &[T]),
    (low, high): (T, T),
    root: &mut MatMut<'_, T>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let n = diagonal.len();
    work.require(inverse_root_layout::<T>(n)?)?;
    let mut work = work.scope();
    let count = pole_count(low, high);
    let rows = work.take::<T>(check::product("poles", &[count, n])?)?;
    let pivots = work.take::<T>(check::product("poles", &[count, n])?)?;
    let poles = work.take::<Pole<T>>(count)?;
    let ends = work.take_filled::<usize>(count, n)?;
    write_poles(low, high, poles);
    for (pivots, &[shift, _]) in pivots.chunks_exact_mut(n.max(1)).zip(poles.iter()) {
        // The first coupling leads nowhere.
        let mut before = T::ZERO;
        for (i, (pivot, &d)) in pivots.iter_mut().zip(diagonal).enumerate() {
            *pivot = d + shift - before;
            let e = at(coupling, i.wrapping_add(1));
            before = e * e / *pivot;
        }
    }
    root.clear();
    for i in (0..n).rev() {
        let next = at(coupling, i.wrapping_add(1));
        let each = rows.chunks_exact_mut(n.max(1)).zip(pivots.chunks_exact(n.max(1)));
        for (((row, pivots), end), &[_, weight]) in each.zip(ends.iter_mut()).zip(poles.iter()) {
            let (pivot, sum) = (at(pivots, i), root.row_mut(i));
            *end = add_row((row, i, *end), weight / pivot, -next / pivot, sum);
        }
    }
    for i in 0..n {
        for j in 0..i {
            root.set(i, j, root.at(j, i));
        }
    }
    Ok(())
}

/// Row `i` of an inverse from the one after it, which ends at `end`; returns where this one does.
fn add_row<T: Scalar>((row, i, end): (&mut [T], usize, usize), own: T, ratio: T, sum: &mut [T]) -> usize {
    let mut end = end;
    let below = i.wrapping_add(1);
    let (Some(row), Some(sum)) = (row.get_mut(i..end), sum.get_mut(i..end)) else { return end };
    let Some((diagonal, rest)) = row.split_first_mut() else { return end };
    *diagonal = own + ratio * ratio * at(rest, 0);
    simd::widest(
        #[inline(always)]
        || rest.iter_mut().for_each(|x| *x *= ratio),
    );
    // What has fallen so far below the diagonal does not rise again, and would end among subnormal numbers.
    let negligible = T::EPSILON * T::EPSILON * *diagonal;
    while end > below && at(rest, end.wrapping_sub(below).wrapping_sub(1)).abs() < negligible {
        end = end.wrapping_sub(1);
    }
    simd::widest(
        #[inline(always)]
        || {
            let row = row.get(..end.wrapping_sub(i)).unwrap_or(&[]);
            sum.iter_mut().zip(row).for_each(|(s, &x)| *s += x);
        },
    );
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::workspace::Workspace;
    use std::vec;

    fn worst<T: Scalar>(ratio: f64) -> f64 {
        let high = T::from_f64(ratio);
        let mut poles = vec![[T::ZERO; 2]; pole_count(T::ONE, high)];
        write_poles(T::ONE, high, &mut poles);
        let points = (0..200).map(|k| ratio.powf(f64::from(k) / 199.0));
        let error = |x: f64| {
            let sum: f64 = poles.iter().map(|[s, w]| w.to_f64() / (x + s.to_f64())).sum();
            (sum * x.sqrt() - 1.0).abs()
        };
        points.map(error).fold(0.0, f64::max)
    }

    #[test]
    fn poles_are_exact_to_rounding() {
        for ratio in [1.0, 1.5, 30.0, 1e3, 1e6] {
            assert!(worst::<f64>(ratio) < 4e-15, "{ratio}: {:e}", worst::<f64>(ratio));
        }
        for ratio in [1.0, 1.5, 30.0, 1e3] {
            assert!(worst::<f32>(ratio) < 1e-6, "{ratio}: {:e}", worst::<f32>(ratio));
        }
    }

    #[test]
    fn its_square_is_the_inverse() -> Result<(), Error> {
        // A path with weights, eigenvalues from about 0.02 to 4.
        let n = 150;
        let diagonal: vec::Vec<f64> = (0..n).map(|i| 2.02 + 0.3 * f64::from(i % 3)).collect();
        let coupling = vec![1.0; diagonal.len()];
        let mut root = vec![0.0; diagonal.len() * diagonal.len()];
        let n = diagonal.len();
        let mut work = Workspace::new(inverse_root_layout::<f64>(n)?);
        let mut out = MatMut::new("root", &mut root, n, n)?;
        write_inverse_root((&diagonal, &coupling), (0.01, 5.0), &mut out, &mut work.arena())?;
        let root = Mat::new("root", &root, n, n)?;
        let square = |i, j| (0..n).map(|k| root.at(i, k) * root.at(k, j)).sum::<f64>();
        for (i, d) in diagonal.iter().enumerate() {
            for j in 0..n {
                // T times the square.
                let below = if i + 1 < n { square(i + 1, j) } else { 0.0 };
                let above = if i > 0 { square(i - 1, j) } else { 0.0 };
                let unit = d * square(i, j) + below + above - if i == j { 1.0 } else { 0.0 };
                assert!(unit.abs() < 1e-13, "{i} {j}: {unit:e}");
            }
        }
        Ok(())
    }
}
