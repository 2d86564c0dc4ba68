//! What a session remembers beside its tensors, in plain numbers: the buffer may be copied, and any bytes may be read.

use crate::config::{Affinity, Axis, Config, Distance, GraphTerm, Rank, Spectral, Threshold};
use crate::linalg::vector::{at, put};
use crate::prox::group::Group;
use crate::solver::{Progress, Record};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar};

/// Whole numbers: the mark, the configuration, the phase, and last a checksum of the others.
const WORDS: usize = 28;
/// Numbers of the configuration and of the progress.
const NUMBERS: usize = 10;
/// Numbers of a record, and its ranks.
const RECORD: usize = 5;

/// "cstgl", and the version of this header.
const MARK: u64 = 0x6373_7467_6c00_0001;

/// The word that says whether the transient memory holds the next argument in strips.
const IN_STRIPS: usize = 23;

/// How far a session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Views are coming in.
    Ingest,
    /// The distances are made and the solver has begun.
    Solve,
}

/// What is known of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Nothing,
    /// A sum of products of features, not yet distances.
    Gram,
    /// Distances as the caller gave them.
    Distances,
}

/// The header of a session, in the session's memory.
pub(super) struct Header<'a, T> {
    words: &'a mut [u64],
    numbers: &'a mut [T],
    inputs: &'a mut [u32],
    records: &'a mut [T],
    ranks: &'a mut [u32],
}

impl<'a, T: Scalar> Header<'a, T> {
    pub(super) fn layout(config: &Config<T>) -> Result<Layout, Error> {
        Self::own_layout(config)?.to_line(config.samples)
    }

    fn own_layout(config: &Config<T>) -> Result<Layout, Error> {
        let records = config.iterations.saturating_mul(RECORD);
        fixed_layout::<T>()?
            .and_array::<u32>(config.views)?
            .and_array::<T>(records)?
            .and_array::<u32>(config.iterations.saturating_mul(2))
    }

    fn carve(
        config: &Config<T>,
        words: &'a mut [u64],
        numbers: &'a mut [T],
        arena: &mut Arena<'a>,
    ) -> Result<Self, Error> {
        let header = Self {
            words,
            numbers,
            inputs: arena.take(config.views)?,
            records: arena.take(config.iterations.saturating_mul(RECORD))?,
            ranks: arena.take(config.iterations.saturating_mul(2))?,
        };
        if cfg!(feature = "large") {
            arena.skip_to_line(Self::own_layout(config)?, config.samples)?;
        }
        Ok(header)
    }

    /// A header for a new session.
    pub(super) fn create(config: &Config<T>, arena: &mut Arena<'a>) -> Result<Self, Error> {
        let words = arena.take_filled::<u64>(WORDS, 0)?;
        let numbers = arena.take_filled::<T>(NUMBERS, T::ZERO)?;
        let mut header = Self::carve(config, words, numbers, arena)?;
        header.inputs.fill(0);
        header.records.fill(T::ZERO);
        header.ranks.fill(0);
        header.store_config(config);
        header.seal();
        Ok(header)
    }

    /// The header that is there, and its configuration.
    pub(super) fn open(arena: &mut Arena<'a>) -> Result<(Self, Config<T>), Error> {
        let (words, numbers, config) = open_fixed(arena)?;
        Ok((Self::carve(&config, words, numbers, arena)?, config))
    }

    fn store_config(&mut self, c: &Config<T>) {
        let (graph, neighbours, weight) = match c.graph {
            GraphTerm::Fixed { alpha } => (0, 0, alpha),
            GraphTerm::Adaptive { neighbours, weight } => (1, neighbours as u64, weight),
        };
        let (rank, rank_limit) = match c.rank {
            Rank::Any { expected } => (0, expected as u64),
            Rank::AtMost(rank) => (1, rank as u64),
        };
        let words = [
            mark::<T>(),
            c.samples as u64,
            c.views as u64,
            u64::from(c.distance.code()),
            u64::from(c.unit_length),
            graph,
            neighbours,
            u64::from(c.self_loops),
            u64::from(c.axis.code()),
            u64::from(c.noise.code()),
            u64::from(c.threshold.code()),
            c.iterations as u64,
            rank,
            rank_limit,
            u64::from(c.affinity.code()),
            u64::from(c.spectral.code()),
            c.clusters as u64,
            c.max_clusters as u64,
            c.restarts as u64,
            c.seed,
            c.threads as u64,
        ];
        self.words.iter_mut().zip(words).for_each(|(to, from)| *to = from);
        let numbers = [weight, c.beta, c.gamma, c.rho, c.mu, c.tolerance];
        self.numbers.iter_mut().zip(numbers).for_each(|(to, from)| *to = from);
    }

    fn seal(&mut self) {
        let sum = checksum(self.words);
        if let Some(last) = self.words.last_mut() {
            *last = sum;
        }
    }

    pub(super) fn phase(&self) -> Phase {
        if self.words.get(21) == Some(&0) { Phase::Ingest } else { Phase::Solve }
    }

    /// The solver has begun, or a step is done.
    pub(super) fn store_progress(&mut self, progress: &Progress<T>) {
        put(self.words, 21, 1);
        put(self.words, 22, progress.iteration as u64);
        put(self.numbers, 6, progress.rho);
        put(self.numbers, 7, progress.argument);
        put(self.words, IN_STRIPS, u64::from(progress.in_strips));
        self.seal();
    }

    /// The transient memory is about to be used for something else.
    pub(super) fn forget_transient(&mut self) {
        if cfg!(feature = "reference") {
            put(self.words, IN_STRIPS, 0);
            self.seal();
        }
    }

    pub(super) fn progress(&self) -> Progress<T> {
        Progress {
            iteration: self.iteration(),
            rho: at(self.numbers, 6),
            argument: at(self.numbers, 7),
            in_strips: cfg!(feature = "reference") && self.words.get(IN_STRIPS) == Some(&1),
        }
    }

    /// Steps done; never more than there are records.
    pub(super) fn iteration(&self) -> usize {
        let stored = self.words.get(22).map_or(0, |&word| usize::try_from(word).unwrap_or(usize::MAX));
        stored.min(self.ranks.len() / 2)
    }

    pub(super) fn input(&self, view: usize) -> Input {
        match self.inputs.get(view) {
            Some(1) => Input::Gram,
            Some(2) => Input::Distances,
            _ => Input::Nothing,
        }
    }

    pub(super) fn set_input(&mut self, view: usize, input: Input) {
        put(self.inputs, view, input as u32);
    }

    pub(super) fn store_record(&mut self, record: &Record<T>) {
        let index = record.iteration.wrapping_sub(1);
        let numbers = [
            record.rho,
            record.change,
            record.split_residual,
            record.low_rank_residual,
            record.noise_residual,
        ];
        for (k, x) in numbers.into_iter().enumerate() {
            put(self.records, index.wrapping_mul(RECORD).wrapping_add(k), x);
        }
        for (k, rank) in [record.rank, record.total_rank].into_iter().enumerate() {
            put(self.ranks, index.wrapping_mul(2).wrapping_add(k), u32::try_from(rank).unwrap_or(u32::MAX));
        }
    }

    /// The record of step `index`, counted from zero.
    pub(super) fn record(&self, index: usize) -> Option<Record<T>> {
        if index >= self.iteration() {
            return None;
        }
        let number = |k| at(self.records, index.wrapping_mul(RECORD).wrapping_add(k));
        let rank = |k| self.ranks.get(index.wrapping_mul(2).wrapping_add(k)).map_or(0, |&rank| rank as usize);
        Some(Record {
            iteration: index.wrapping_add(1),
            rho: number(0),
            change: number(1),
            split_residual: number(2),
            low_rank_residual: number(3),
            noise_residual: number(4),
            rank: rank(0),
            total_rank: rank(1),
        })
    }
}

/// Bytes that every session begins with; they tell how many more there are.
pub(super) const fn fixed_bytes<T>() -> usize {
    WORDS * size_of::<u64>() + NUMBERS * size_of::<T>()
}

fn fixed_layout<T: Scalar>() -> Result<Layout, Error> {
    Layout::array::<u64>(WORDS)?.and_array::<T>(NUMBERS)
}

/// What every session begins with, and the configuration that it holds.
type Fixed<'a, T> = (&'a mut [u64], &'a mut [T], Config<T>);

pub(super) fn open_fixed<'a, T: Scalar>(arena: &mut Arena<'a>) -> Result<Fixed<'a, T>, Error> {
    let foreign = Error::Sequence { requirement: "the memory holds no session of this kind" };
    arena.require(fixed_layout::<T>()?)?;
    let words = arena.take::<u64>(WORDS)?;
    let numbers = arena.take::<T>(NUMBERS)?;
    if words.first() != Some(&mark::<T>()) || words.last() != Some(&checksum(words)) {
        return Err(foreign);
    }
    let config = load_config(words, numbers).ok_or(foreign)?;
    config.check()?;
    Ok((words, numbers, config))
}

/// Differs by the kind of number, so that a handle of one kind is not taken for the other.
const fn mark<T>() -> u64 {
    MARK.wrapping_add((size_of::<T>() as u64) << 8)
}

/// Of all words but the last. It finds memory that was never a session or was written over, not malice.
fn checksum(words: &[u64]) -> u64 {
    let (_, words) = words.split_last().unwrap_or((&0, &[]));
    words.iter().fold(MARK, |sum, &word| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}

fn load_config<T: Scalar>(words: &[u64], numbers: &[T]) -> Option<Config<T>> {
    let word = |k: usize| words.get(k).copied().unwrap_or(0);
    let size = |k: usize| usize::try_from(word(k)).ok();
    let code = |k: usize| u32::try_from(word(k)).ok();
    let weight = at(numbers, 0);
    Some(Config {
        samples: size(1)?,
        views: size(2)?,
        distance: Distance::from_code(code(3)?)?,
        unit_length: word(4) != 0,
        graph: match word(5) {
            0 => GraphTerm::Fixed { alpha: weight },
            _ => GraphTerm::Adaptive { neighbours: size(6)?, weight },
        },
        self_loops: word(7) != 0,
        axis: Axis::from_code(code(8)?)?,
        noise: Group::from_code(code(9)?)?,
        threshold: Threshold::from_code(code(10)?)?,
        beta: at(numbers, 1),
        gamma: at(numbers, 2),
        rho: at(numbers, 3),
        mu: at(numbers, 4),
        iterations: size(11)?,
        tolerance: at(numbers, 5),
        rank: match word(12) {
            0 => Rank::Any { expected: size(13)? },
            _ => Rank::AtMost(size(13)?),
        },
        affinity: Affinity::from_code(code(14)?)?,
        spectral: Spectral::from_code(code(15)?)?,
        clusters: size(16)?,
        max_clusters: size(17)?,
        restarts: size(18)?,
        seed: word(19),
        threads: size(20)?,
    })
}
