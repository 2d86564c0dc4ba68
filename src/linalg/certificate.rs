//! Proofs that a positive semidefinite operator `M` has no further eigenvalue above a threshold.
//!
//! In both, `V` is an orthonormal set of vectors and `M'` is `M` on what is orthogonal to it. By Cauchy's
//! interlacing, `M` has at most as many eigenvalues above `t` as `V` has vectors once `M'` has none.
//!
//! **By the trace.** In a basis that extends `V`, `M'` is `[H B; B^H C]` with `H` the part that was explored. It is
//! positive semidefinite, so its largest eigenvalue is at most that of `H` plus that of `C`, which is at most the
//! trace of `C`: the trace of `M` less everything explored. If the sum is at most `t`, that is a proof.
//!
//! **By probes.** Let `v` be the unit eigenvector of `M'` with the largest eigenvalue `l`, and suppose `l > t`.
//! Draw a block of `b` vectors `w` uniformly from the cube [-1/2, 1/2)^n **after** `V` is fixed, so that `v` does not
//! depend on them. By Ball's theorem on slices of the cube the density of `<w, x>` is at most sqrt 2 for a unit `x`;
//! the real or the imaginary part of a complex `v` has at least half of its square, so the density is at most 2,
//! and `P(|<w, v>| < d for all w) <= (4 d)^b = 2^-40` with `d = 2^(-40/b)/4`. Otherwise some `w` has a component
//! of at least `d`. The Krylov space of depth `q` contains `p(M') w` for every polynomial `p` of degree `q - 1`; take the
//! Chebyshev polynomial that is at most one on [0, l/(1 + e)]. It multiplies the component along `v` by
//! `T = T_(q-1)(1 + 2 e)`, and the Rayleigh quotient of the result is at least `l/(1 + e)` as soon as
//! `e T^2 d^2 >= n/4 >= |w|^2`. So the largest Ritz value `h` of `M'` on that space is at least `l/(1 + e) > t/(1 + e)`.
//! With `e = t/h - 1` this is a contradiction: if `T d sqrt e >= sqrt(n)/2`, nothing above `t` exists, but for an
//! event of probability 2^-40 over the draw. (Probes that helped to find `V` prove nothing about it: of nine equal
//! eigenvalues eight probes see eight, and the ninth is orthogonal to them all. So each proof draws its own.)
//!
//! **What probes cannot do.** Fewer than `n` products leave a direction on which the operator was never seen. Who knows the
//! seed can hide an eigenvalue there, from any method that only multiplies. The seed is therefore the caller's,
//! and the proof is worth what its secrecy, or its independence of the data, is worth. The trace cannot be fooled.

use crate::Scalar;

/// The probability that the probes miss a direction is at most 2 to the minus this.
const DOUBT_BITS: usize = 40;

/// The proof by the trace: `explored` is the sum of all Ritz values, `next` the largest that `V` does not hold.
///
/// `trace` and `explored` may be off by eight roundings for each of the `n` dimensions.
pub(crate) fn by_trace<T: Scalar>(trace: T, explored: T, next: T, threshold: T, n: usize) -> bool {
    let rounding = T::from_f64(8.0) * T::EPSILON * T::from_usize(n) * trace;
    let unexplored = Scalar::max(trace - explored, T::ZERO);
    Scalar::max(next, T::ZERO) + unexplored + rounding <= threshold
}

/// The depth at which `probes` vectors of length `n` prove that nothing exceeds `threshold`, given that the largest
/// Ritz value is `next`; at most `limit`.
pub(crate) fn depth_by_probes<T: Scalar>(
    n: usize,
    probes: usize,
    next: T,
    threshold: T,
    limit: usize,
) -> Option<usize> {
    if next >= threshold && next > T::ZERO {
        return None;
    }
    // Beyond this, two products prove everything; and a quotient by zero is avoided.
    let largest = T::from_f64(1e6);
    let excess = if next * largest <= threshold { largest } else { (threshold - next) / next };
    let halvings = DOUBT_BITS.div_ceil(probes.max(1));
    let component = (0..halvings.saturating_add(2)).fold(T::ONE, |d, _| d * T::HALF);
    let wanted = T::from_usize(n).sqrt() * T::HALF;
    let x = T::ONE + T::TWO * excess;
    let (mut last, mut this) = (T::ONE, x);
    // Depth q has degree q - 1, and a depth of two is the least that has seen a product of a product.
    for depth in 2..=limit {
        if this * component * excess.sqrt() >= wanted {
            return Some(depth);
        }
        (last, this) = (this, T::TWO * x * this - last);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_follows_the_formula() {
        // T_k(x) = cosh(k arcosh x), computed another way.
        for (n, next) in [(1000, 0.5), (1000, 0.9), (50, 0.99), (1_000_000, 0.75)] {
            let e: f64 = 1.0 / next - 1.0;
            let x = 1.0 + 2.0 * e;
            let arcosh = libm::log(x + libm::sqrt(x * x - 1.0));
            let enough = |q: usize| {
                let t = libm::cosh((q - 1) as f64 * arcosh);
                t * libm::sqrt(e) / 128.0 >= libm::sqrt(n as f64) / 2.0
            };
            let exact = (2..).find(|&q| enough(q));
            assert_eq!(depth_by_probes(n, 8, next, 1.0, 1000), exact);
        }
    }

    #[test]
    fn no_gap_no_proof() {
        assert_eq!(depth_by_probes(100, 8, 1.0, 1.0, 1000), None);
        assert_eq!(depth_by_probes(100, 8, 0.999, 1.0, 20), None);
        assert_eq!(depth_by_probes(100, 8, 0.0, 1.0, 20), Some(2));
        assert_eq!(depth_by_probes(100, 8, 0.0_f32, 0.0, 20), Some(2));
    }

    #[test]
    fn the_trace_counts_what_was_not_seen() {
        assert!(by_trace(10.0, 9.5, 0.4, 1.0, 10));
        assert!(!by_trace(10.0, 9.5, 0.6, 1.0, 10));
        assert!(!by_trace(10.0, 9.0, 0.0, 1.0 - 1e-14, 10));
    }
}
