//! A whole run in one buffer: views in, labels out.
//!
//! A [`Session`] is a way to look at the caller's memory; everything it knows is in there, in plain numbers and without
//! addresses. So the memory may be copied elsewhere, and [`Session::attach`] goes on from the copy.
//!
//! 1. `push_*`: views arrive in any number of blocks, in any order, and are not stored ([`crate::graph`]);
//! 2. [`Session::step`] or [`Session::run`]: the solver, one iteration at a time ([`crate::solver`]);
//! 3. [`Session::cluster`]: labels, and readers of everything that was learned, at any time after the first step.
//!
//! | memory | what lies there |
//! |---|---|
//! | header | the configuration, how far we are, the record of every step |
//! | `D, B` | distances; while views come in, `B` holds their Gram matrices |
//! | `S1, E, Q1, Q2`, factors of `K` | the rest of the state; while views come in, scratch |
//! | transient | a dense `K` and scratch of a step, along the samples also the next argument; affinity and scratch of the clustering |

mod cluster;
mod header;
mod ingest;
mod read;

pub use cluster::Clustering;
pub use read::Parts;

use crate::config::Config;
use crate::solver::{Record, State};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar};
use core::marker::PhantomData;
use header::{Header, Phase};

/// Why [`Session::run`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The change of `S1` is at most the tolerance.
    Converged,
    /// All iterations are done.
    IterationLimit,
    /// The caller said stop; the next call goes on.
    Cancelled,
}

/// What a progress callback wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Come back after this step.
    Cancel,
}

/// A run in the caller's memory.
#[derive(Debug)]
pub struct Session<'w, T> {
    memory: &'w mut [u8],
    number: PhantomData<T>,
}

impl<'w, T: Scalar> Session<'w, T> {
    /// The memory that a run needs, to the byte.
    pub fn layout(config: &Config<T>) -> Result<Layout, Error> {
        config.check()?;
        let transient = State::step_layout(config)?.or(cluster::layout(config)?);
        let (distances, rest) = State::layouts(config)?;
        let solve = rest.and(transient)?;
        Header::layout(config)?.and(distances)?.and(solve.or(ingest::layout(config)?))
    }

    /// A new run. The memory may hold anything and may be larger than needed.
    pub fn new(memory: &'w mut [u8], config: &Config<T>) -> Result<Self, Error> {
        check_memory(memory, Self::layout(config)?)?;
        let mut arena = Arena::new(memory);
        Header::create(config, &mut arena)?;
        State::carve(config, &mut arena)?.clear_views();
        Ok(Self { memory, number: PhantomData })
    }

    /// Goes on with the run that [`Session::new`] has begun in this memory, or in memory that this is a copy of.
    pub fn attach(memory: &'w mut [u8]) -> Result<Self, Error> {
        // Before the header is read: at another byte it would be looked for in the wrong place.
        check_alignment(memory, Layout::array::<u64>(1)?.align())?;
        let mut session = Self { memory, number: PhantomData };
        let layout = Self::layout(&session.config()?)?;
        check_memory(session.memory, layout)?;
        Ok(session)
    }

    /// Bytes that every session begins with.
    pub const HEAD: usize = header::fixed_bytes::<T>();

    /// Bytes of the session whose first [`Session::HEAD`] bytes these are: for whoever has kept its address alone.
    pub fn bytes_of(head: &mut [u8]) -> Result<usize, Error> {
        let (_, _, config) = header::open_fixed::<T>(&mut Arena::new(head))?;
        Ok(Self::layout(&config)?.bytes())
    }

    /// Memory in which [`Session::new`] has succeeded.
    #[cfg(feature = "std")]
    pub(crate) const fn trusted(memory: &'w mut [u8]) -> Self {
        Self { memory, number: PhantomData }
    }

    /// The header and what lies behind it.
    fn open(&mut self) -> Result<(Header<'_, T>, Config<T>, Arena<'_>), Error> {
        let mut arena = Arena::new(self.memory);
        let (header, config) = Header::open(&mut arena)?;
        Ok((header, config, arena))
    }

    /// The choices of this run.
    pub fn config(&mut self) -> Result<Config<T>, Error> {
        Ok(self.open()?.1)
    }

    /// One iteration. The first one turns the views into distances; no view can be pushed after it.
    pub fn step(&mut self) -> Result<Record<T>, Error> {
        self.begin()?;
        let (mut header, config, mut arena) = self.open()?;
        if header.iteration() >= config.iterations {
            return Err(Error::Sequence { requirement: "all iterations are done" });
        }
        let state = State::carve(&config, &mut arena)?;
        let mut progress = header.progress();
        // What the strips hold is gone half way through the step, whether it succeeds or not.
        header.forget_transient();
        let record = state.step(&config, &mut progress, &mut arena)?;
        header.store_record(&record);
        header.store_progress(&progress);
        Ok(record)
    }

    /// Steps until converged, done, or cancelled by `progress`, which sees every record.
    ///
    /// To go on after [`Outcome::Cancelled`], call it again: the result has the same bits as that of one long run.
    pub fn run(&mut self, mut progress: impl FnMut(&Record<T>) -> Flow) -> Result<Outcome, Error> {
        self.begin()?;
        loop {
            if let Some(outcome) = self.outcome()? {
                return Ok(outcome);
            }
            let record = self.step()?;
            if progress(&record) == Flow::Cancel {
                return Ok(Outcome::Cancelled);
            }
        }
    }

    /// Converged, or out of iterations; `None` while there is a step to do.
    pub fn outcome(&mut self) -> Result<Option<Outcome>, Error> {
        let (header, config, _) = self.open()?;
        let last = header.iteration().checked_sub(1).and_then(|index| header.record(index));
        Ok(match last {
            Some(record) if record.change <= config.tolerance => Some(Outcome::Converged),
            _ if header.iteration() >= config.iterations => Some(Outcome::IterationLimit),
            _ => None,
        })
    }

    /// Steps done so far.
    pub fn iteration(&mut self) -> Result<usize, Error> {
        Ok(self.open()?.0.iteration())
    }

    /// The record of step `index`, counted from zero.
    pub fn record(&mut self, index: usize) -> Result<Record<T>, Error> {
        let requirement = "a record is there after its step";
        self.open()?.0.record(index).ok_or(Error::Sequence { requirement })
    }
}

/// The memory starts where the layout says, and has as many bytes.
fn check_memory(memory: &mut [u8], layout: Layout) -> Result<(), Error> {
    check_alignment(memory, layout.align())?;
    Arena::new(memory).require(layout)
}

fn check_alignment(memory: &mut [u8], align: usize) -> Result<(), Error> {
    match Arena::new(memory).padding(align) {
        0 => Ok(()),
        _ => Err(Error::WorkspaceMisaligned { align }),
    }
}

fn before_the_first_step() -> Error {
    Error::Sequence { requirement: "views are pushed before the first step" }
}

fn after_the_first_step<T: Scalar>(header: &Header<'_, T>) -> Result<(), Error> {
    match header.phase() {
        Phase::Solve if header.iteration() > 0 => Ok(()),
        _ => Err(Error::Sequence { requirement: "a result is there after the first step" }),
    }
}
