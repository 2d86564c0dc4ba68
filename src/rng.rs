//! Our own generator, so that a seed means the same numbers on every machine and in every version.

use crate::Scalar;

/// SplitMix64: one word of state, equidistributed, and good enough for probes and seeds.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The generator that `seed` names.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniform number in [0, 1).
    pub fn uniform<T: Scalar>(&mut self) -> T {
        T::from_bits(self.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published first outputs of SplitMix64 for seed 1234567.
    #[test]
    fn known_answers() {
        let mut rng = Rng::new(1_234_567);
        let first: [u64; 3] = core::array::from_fn(|_| rng.next_u64());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        let mut rng = Rng::new(1);
        let mean = (0..4096).map(|_| rng.uniform::<f64>()).sum::<f64>() / 4096.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert!((0..4096).map(|_| rng.uniform::<f32>()).all(|x| (0.0..1.0).contains(&x)));
    }
}
