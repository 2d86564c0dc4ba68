//! The pass of a generic odd radix, by the symmetry of cosine and sine.

use super::butterfly::{Row, multiply};
use crate::Scalar;
use num_complex::Complex;

/// Like the fixed radices, with the rows of a butterfly gathered in `spare`. The table begins with the roots.
#[inline(always)]
pub(super) fn blocks<T: Scalar, const W: usize, const TRANSPOSED: bool>(
    rows: &mut [Row<T, W>],
    spare: &mut [Row<T, W>],
    radix: usize,
    length: usize,
    table: &[Complex<T>],
) {
    let (Some((roots, twiddles)), Some(spare)) = (table.split_at_checked(radix), spare.get_mut(..radix))
    else {
        return;
    };
    for block in rows.chunks_exact_mut((radix * length).max(1)) {
        for (k, twiddles) in twiddles.chunks_exact((radix - 1).max(1)).enumerate() {
            for (q, copy) in spare.iter_mut().enumerate() {
                let Some(row) = block.get(k + q * length) else { return };
                *copy = *row;
            }
            if !TRANSPOSED {
                twist(spare, twiddles);
            }
            fold(spare);
            for j in 0..=radix / 2 {
                let (near, far) = pair(spare, roots, j);
                let mirror = if j == 0 { 0 } else { radix - j };
                // For j = 0 both are the plain sum.
                if let Some(row) = block.get_mut(k + mirror * length) {
                    *row = far;
                }
                if let Some(row) = block.get_mut(k + j * length) {
                    *row = near;
                }
            }
            if TRANSPOSED {
                for (q, &twiddle) in (1..radix).zip(twiddles) {
                    if let Some(row) = block.get_mut(k + q * length) {
                        multiply(row, twiddle);
                    }
                }
            }
        }
    }
}

/// Twiddles on all rows but the first.
#[inline(always)]
fn twist<T: Scalar, const W: usize>(rows: &mut [Row<T, W>], twiddles: &[Complex<T>]) {
    for (row, &twiddle) in rows.iter_mut().skip(1).zip(twiddles) {
        multiply(row, twiddle);
    }
}

/// `x_k, x_{p-k} <- x_k + x_{p-k}, x_k - x_{p-k}`.
#[inline(always)]
fn fold<T: Scalar, const W: usize>(x: &mut [Row<T, W>]) {
    let mut inner = x.iter_mut().skip(1);
    while let (Some(low), Some(high)) = (inner.next(), inner.next_back()) {
        for (low, high) in low.iter_mut().zip(high) {
            for (low, high) in low.iter_mut().zip(high) {
                (*low, *high) = (*low + *high, *low - *high);
            }
        }
    }
}

/// Outputs `j` and `p - j` from folded inputs: `x_0 + sum cos s_k -+ i sum sin d_k`.
#[inline(always)]
fn pair<T: Scalar, const W: usize>(
    folded: &[Row<T, W>],
    roots: &[Complex<T>],
    j: usize,
) -> (Row<T, W>, Row<T, W>) {
    let zero = [T::ZERO; W];
    let [mut even_re, mut even_im] = folded.first().copied().unwrap_or([zero; 2]);
    let (mut odd_re, mut odd_im) = (zero, zero);
    let mut inner = folded.iter().skip(1);
    let mut exponent = 0;
    while let (Some([sum_re, sum_im]), Some([difference_re, difference_im])) =
        (inner.next(), inner.next_back())
    {
        exponent += j;
        if exponent >= roots.len() {
            exponent -= roots.len();
        }
        let root = roots.get(exponent).copied().unwrap_or_default();
        add_scaled(&mut even_re, root.re, sum_re);
        add_scaled(&mut even_im, root.re, sum_im);
        add_scaled(&mut odd_re, root.im, difference_re);
        add_scaled(&mut odd_im, root.im, difference_im);
    }
    // i times odd is added for j and taken away for p - j; the root's own sign makes it forward.
    let (mut near, mut far) = ([even_re, even_im], [even_re, even_im]);
    let ([near_re, near_im], [far_re, far_im]) = (&mut near, &mut far);
    add_scaled(near_re, -T::ONE, &odd_im);
    add_scaled(near_im, T::ONE, &odd_re);
    add_scaled(far_re, T::ONE, &odd_im);
    add_scaled(far_im, -T::ONE, &odd_re);
    (near, far)
}

/// `y += a x`.
#[inline(always)]
fn add_scaled<T: Scalar, const W: usize>(y: &mut [T; W], a: T, x: &[T; W]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}
