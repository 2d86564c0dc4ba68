//! Splitting a length into the radices the passes know.

use heapless::Vec;

/// Radices in the order of the passes. A length below 2^32 has at most 20 odd factors, and fewer with fours.
pub(super) type Factors = Vec<usize, 24>;

/// The largest prime that is worth a pass of its own; a length with a larger one is convolved (Bluestein).
///
/// The pass costs 2p operations an element, the convolution some 250 whatever the length.
const LARGEST_RADIX: usize = 61;

/// The odd primes up to [`LARGEST_RADIX`], the largest first.
const ODD_RADICES: [usize; 17] = [LARGEST_RADIX, 59, 53, 47, 43, 41, 37, 31, 29, 23, 19, 17, 13, 11, 7, 5, 3];

/// `n` as a product of 2, 3, 4, 5, 7 and odd primes up to [`LARGEST_RADIX`]; `None` where a larger prime is left.
///
/// Large radices come first: the first pass needs no twiddles, and they would have the most of them. A single 2
/// comes before the fours for the same reason.
pub(super) fn factorise(n: usize) -> Option<Factors> {
    let mut factors = Factors::new();
    let mut rest = n.max(1);
    for odd in ODD_RADICES {
        // Checked, though no radix is zero: not every optimiser sees it, and a panic would be linked.
        while let (Some(0), Some(quotient)) = (rest.checked_rem(odd), rest.checked_div(odd)) {
            factors.push(odd).ok()?;
            rest = quotient;
        }
    }
    if !rest.is_power_of_two() {
        return None;
    }
    let twos = rest.trailing_zeros();
    if twos % 2 == 1 {
        factors.push(2).ok()?;
    }
    for _ in 0..twos / 2 {
        factors.push(4).ok()?;
    }
    Some(factors)
}

/// The convolution length of a Bluestein transform: the smallest 2^a, 3 2^a or 5 2^a that is at least `2n - 1`.
pub(super) const fn convolution_length(n: usize) -> Option<usize> {
    let Some(twice) = n.checked_mul(2) else { return None };
    let least = twice.saturating_sub(1);
    let Some(mut best) = least.checked_next_power_of_two() else { return None };
    // With best/2 < least <= best, the candidates between are 5/8 and 3/4 of best.
    if best.is_multiple_of(8) && best / 8 * 5 >= least {
        best = best / 8 * 5;
    } else if best.is_multiple_of(4) && best / 4 * 3 >= least {
        best = best / 4 * 3;
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_the_length_and_are_prime_or_four() {
        let is_prime = |p: usize| (2..p).all(|d| !p.is_multiple_of(d));
        for n in 1..5000 {
            let Some(factors) = factorise(n) else {
                assert!((LARGEST_RADIX + 1..=n).any(|p| n.is_multiple_of(p) && is_prime(p)), "{n}");
                continue;
            };
            assert_eq!(factors.iter().product::<usize>(), n);
            assert!(factors.iter().all(|&r| r == 4 || is_prime(r)), "{n}: {factors:?}");
        }
    }

    #[test]
    fn convolutions_are_long_enough_and_not_twice_too_long() {
        for n in 2..5000 {
            let length = convolution_length(n).unwrap();
            assert!(length >= 2 * n - 1 && length < 4 * n, "{n}: {length}");
            assert!(factorise(length).is_some());
        }
        assert_eq!(convolution_length(4999), Some(10240));
    }
}
