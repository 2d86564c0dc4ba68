//! Every method of a session once, in the caller's memory.
//!
//! As `exercises`: one list for two proofs.

use core::hint::black_box;
use cstgl::config::{Axis, Rank};
use cstgl::demo::Demo;
use cstgl::graph::dense::Dense;
use cstgl::graph::sparse::Csr;
use cstgl::session::{Flow, Parts, Session};
use cstgl::workspace::Arena;
use cstgl::{Config, Error, Scalar};

/// What is not the same in all runs.
pub struct Shape {
    /// Samples.
    pub n: usize,
    /// Views, at most three: the demo data has no more.
    pub views: usize,
    /// Clusters, zero for an estimate.
    pub clusters: usize,
    /// 0: our default, 1: the paper's text, 2: the authors' program, 3: slices instead of factors, 4: limited rank.
    pub profile: usize,
}

fn config<T: Scalar>(shape: &Shape) -> Config<T> {
    let &Shape { n, views, clusters, profile } = shape;
    let (tenth, ten) = (T::from_f64(0.1), T::from_f64(10.0));
    let config = match profile {
        1 => Config::paper(n, views, tenth, T::ONE, ten),
        2 => Config::reference(n, views, tenth, T::ONE, ten),
        3 => Config { beta: tenth, rank: Rank::Any { expected: 2 }, ..Config::new(n, views) },
        4 => Config { rank: Rank::AtMost(n), iterations: 12, ..Config::new(n, views) },
        _ => Config { axis: Axis::Views, ..Config::new(n, views) },
    };
    Config { clusters, ..config }
}

/// From demo data to everything that can be read. The memory holds the session, and behind it what is read.
pub fn whole_run<T: Scalar>(memory: &mut [u8], shape: &Shape) -> Result<u32, Error> {
    let (n, views) = (shape.n, shape.views);
    let config = config::<T>(shape);
    let layout = Session::layout(&config)?;
    let mut arena = Arena::new(memory);
    let memory = arena.take::<u64>(layout.bytes().div_ceil(8))?;
    let matrix = arena.take::<T>(n.saturating_mul(n))?;
    let labels = arena.take::<u32>(n)?;
    let memory = as_bytes(memory);
    Session::new(memory, &config)?;
    push(memory, views, n, matrix)?;

    let mut session = Session::<T>::attach(memory)?;
    black_box(session.config()?);
    black_box(session.step()?);
    black_box(session.run(|_| black_box(Flow::Cancel))?);
    black_box(session.cluster(labels)?);
    black_box(session.run(|_| black_box(Flow::Continue))?);
    black_box((session.iteration()?, session.record(black_box(0))?));
    for view in 0..views {
        session.consistent(view, matrix)?;
        session.specific(view, matrix)?;
        session.noise(view, matrix)?;
    }
    let parts = black_box(Parts { noise: true, ..Parts::default() });
    session.fused(parts, matrix)?;
    session.affinity(parts, matrix)?;
    let pairs = matrix.get_mut(..views.saturating_mul(views)).unwrap_or(&mut []);
    session.slice_distances(pairs)?;
    black_box(session.cluster_parts(parts, labels, &mut [])?);
    Ok(labels.iter().fold(0, |sum, &label| sum ^ label))
}

/// The views, each in another way.
fn push<T: Scalar>(memory: &mut [u8], views: usize, n: usize, matrix: &mut [T]) -> Result<(), Error> {
    let demo = Demo::<T> { samples: n, ..Demo::small() };
    let mut session = Session::<T>::attach(memory)?;
    for view in 0..views {
        for feature in 0..12 {
            let row = matrix.get_mut(..n).unwrap_or(&mut []);
            demo.feature(view, feature, row)?;
            session.push_dense(view, &Dense::by_feature(row, 1, n)?)?;
            session.push_dense(view, &Dense::by_sample(row, 1, n)?)?;
        }
        let one = [T::ONE];
        session.push_sparse(view, &Csr::by_feature(&[0, 1], &[0], &one, 1, n)?)?;
        matrix.fill(T::ONE);
        session.push_gram(view, matrix)?;
    }
    // The other kinds are refused here, and yet reached.
    let late =
        session.push_distances(black_box(0), matrix).and(session.push_similarities(black_box(0), matrix));
    if late.is_ok() { Err(Error::Empty { what: "refusal" }) } else { Ok(()) }
}

/// Aligned memory, as a session takes it.
fn as_bytes(words: &mut [u64]) -> &mut [u8] {
    let length = words.len().saturating_mul(8);
    // SAFETY: the same bytes, exclusively borrowed; any of them is a number.
    unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), length) }
}
