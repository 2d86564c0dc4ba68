//! What the targets share: choices out of the fuzzer's bytes, and memory of exactly the size asked for.

use cstgl::workspace::Layout;
use cstgl::{Config, Scalar};
use std::alloc;

/// The fuzzer's bytes, one choice at a time. When they end, every choice is zero.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub fn ended(&self) -> bool {
        self.0.is_empty()
    }

    /// Below `end`, which is small.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    pub fn word(&mut self) -> u64 {
        u64::from_le_bytes([(); 8].map(|()| self.byte()))
    }

    /// Mostly a small count, now and then one that nobody expects.
    pub fn count(&mut self) -> usize {
        match self.byte() {
            250 => usize::MAX,
            251 => isize::MAX as usize,
            252 => isize::MAX as usize / 8 + 1,
            253 => 1 << 32,
            254 => u32::MAX as usize,
            255 => self.word() as usize,
            small => usize::from(small) % 10,
        }
    }

    /// A number: ordinary, zero, subnormal, tiny, huge, or none at all.
    pub fn number<T: Scalar>(&mut self) -> T {
        match self.byte() {
            240 => T::ZERO,
            241 => T::MIN_POSITIVE,
            242 => T::MIN_POSITIVE * T::EPSILON,
            243 => T::MAX,
            244 => T::ZERO - T::MAX,
            245 => T::MAX.sqrt(),
            246 => T::MIN_POSITIVE.sqrt(),
            247 => T::EPSILON,
            248 => T::ONE / T::ZERO,
            249 => T::ZERO / T::ZERO,
            // A power of two of any size.
            250 => (0..self.byte()).fold(T::ONE, |x, _| x * T::from_f64(16.0)),
            251 => (0..self.byte()).fold(T::ONE, |x, _| x / T::from_f64(16.0)),
            252..=255 => T::from_f64(f64::from_bits(self.word())),
            small => (T::from_usize(small.into()) - T::from_usize(120)) / T::from_usize(16),
        }
    }

    pub fn finite<T: Scalar>(&mut self) -> T {
        let number = self.number::<T>();
        if number.is_finite() { number } else { T::ONE }
    }

    pub fn numbers<T: Scalar>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.number()).collect()
    }

    pub fn labels(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| u32::from(self.byte())).collect()
    }

    /// Every choice of a run, sound or not, for few samples and steps.
    pub fn config<T: Scalar>(&mut self) -> Config<T> {
        use cstgl::config::{Affinity, Axis, Distance, GraphTerm, Rank, Spectral, Threshold};
        use cstgl::prox::group::Group;
        let (samples, views) = (1 + self.below(9), 1 + self.below(4));
        let mut config = Config::new(samples, views);
        config.clusters = self.below(samples + 1);
        config.restarts = 2;
        config.iterations = 1 + self.below(8);
        config.graph = GraphTerm::Adaptive { neighbours: 1 + self.below(9), weight: T::from_f64(100.0) };
        let choices = self.byte();
        if choices & 1 != 0 {
            config.axis = Axis::Samples;
        }
        if choices & 2 != 0 {
            config.noise = Group::Tube;
        }
        if choices & 4 != 0 {
            config.spectral = Spectral::Reference;
        }
        if choices & 8 != 0 {
            config.affinity = if choices & 4 != 0 { Affinity::UnitColumns } else { Affinity::Symmetric };
        }
        if choices & 16 != 0 {
            config.graph = GraphTerm::Fixed { alpha: T::ONE };
        }
        if choices & 32 != 0 {
            config.rank = Rank::Any { expected: self.below(4) };
        }
        if choices & 64 != 0 {
            config.distance = Distance::Euclidean;
            config.unit_length = false;
        }
        // The weights, each as it is or as it is not.
        if choices & 128 != 0 {
            let which = self.byte();
            let mut perhaps = |bit: u8, field: &mut T| {
                if which & bit != 0 {
                    *field = self.number();
                }
            };
            perhaps(1, &mut config.beta);
            perhaps(2, &mut config.gamma);
            perhaps(4, &mut config.rho);
            perhaps(8, &mut config.mu);
            perhaps(16, &mut config.tolerance);
            match &mut config.graph {
                GraphTerm::Fixed { alpha } => perhaps(32, alpha),
                GraphTerm::Adaptive { weight, .. } => perhaps(32, weight),
            }
            if which & 64 != 0 {
                config.threshold = Threshold::TimesViews;
                config.self_loops = true;
            }
            if which & 128 != 0 {
                config.rank = Rank::AtMost(self.below(4));
            }
        }
        config
    }
}

/// Memory of exactly a layout's size, so that the sanitizer sees the byte before it and the byte behind it.
pub struct Exact {
    start: *mut u8,
    layout: alloc::Layout,
}

impl Exact {
    pub fn new(need: Layout) -> Self {
        Self::bytes(need.bytes())
    }

    /// At a multiple of eight, and full of NaN.
    pub fn bytes(bytes: usize) -> Self {
        let layout = alloc::Layout::from_size_align(bytes.max(1), 8).expect("a small layout");
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc::alloc(layout) };
        assert!(!start.is_null());
        // SAFETY: it was just allocated.
        unsafe { start.write_bytes(0xff, layout.size()) };
        Self { start, layout }
    }

    pub fn copy(other: &[u8]) -> Self {
        let mut exact = Self::bytes(other.len());
        exact.slice()[..other.len()].copy_from_slice(other);
        exact
    }

    pub fn slice(&mut self) -> &mut [u8] {
        // SAFETY: allocated with this size, initialised, and borrowed from self.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.layout.size()) }
    }
}

impl Drop for Exact {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, once.
        unsafe { alloc::dealloc(self.start, self.layout) };
    }
}
