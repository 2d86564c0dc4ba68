//! Whole runs for several test files: data, sessions over exact memory, and everything that can be read from one.
#![allow(dead_code)] // Each test binary uses its own part.

pub mod hidden;

use crate::guarded::Workspace;
use cstgl::demo::Demo;
use cstgl::graph::dense::Dense;
use cstgl::metrics::{Scores, scores, scores_layout};
use cstgl::rng::Rng;
use cstgl::session::{Flow, Outcome, Parts, Session};
use cstgl::{Config, Error, Scalar};

/// Views of the same samples, a row a feature.
#[derive(Clone, Debug)]
pub struct Data<T> {
    pub n: usize,
    pub views: Vec<Vec<T>>,
}

/// The demo data at another size, and its classes.
pub fn demo<T: Scalar>(n: usize, views: usize, seed: u64) -> (Data<T>, Vec<u32>) {
    let dimensions = &[20, 30, 25, 10, 15, 12, 18, 22][..views];
    let demo = Demo { samples: n, seed, dimensions, ..Demo::small() };
    let views = (0..views).map(|v| demo.view(v).unwrap()).collect();
    (Data { n, views }, (0..n).map(|i| demo.label(i)).collect())
}

impl<T: Scalar> Data<T> {
    pub fn features(&self, v: usize) -> usize {
        self.views[v].len() / self.n
    }

    /// Sample `j` is what was sample `order[j]`.
    pub fn reordered(&self, order: &[usize]) -> Self {
        let column = |view: &Vec<T>| {
            view.chunks(self.n).flat_map(|row| order.iter().map(|&j| row[j]).collect::<Vec<_>>()).collect()
        };
        Self { n: self.n, views: self.views.iter().map(column).collect() }
    }

    pub fn push(&self, session: &mut Session<'_, T>) -> Result<(), Error> {
        for (v, view) in self.views.iter().enumerate() {
            session.push_dense(v, &Dense::by_feature(view, self.features(v), self.n)?)?;
        }
        Ok(())
    }
}

/// A random order of `n` things.
pub fn shuffle(n: usize, seed: u64) -> Vec<usize> {
    let mut rng = Rng::new(seed);
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
    }
    order
}

pub fn reordered<X: Copy>(items: &[X], order: &[usize]) -> Vec<X> {
    order.iter().map(|&i| items[i]).collect()
}

/// Memory of exactly the size of a session.
pub fn memory<T: Scalar>(config: &Config<T>) -> Result<Workspace, Error> {
    Session::layout(config).map(Workspace::new)
}

/// Everything that can be read from a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot<T> {
    /// `[v]`, each `n x n`.
    pub s1: Vec<Vec<T>>,
    pub s2: Vec<Vec<T>>,
    pub e: Vec<Vec<T>>,
    pub affinity: Vec<T>,
    /// `rho`, the change and the three residuals of every step.
    pub records: Vec<[T; 5]>,
    pub ranks: Vec<(usize, usize)>,
    pub labels: Vec<u32>,
    pub clusters: usize,
    pub estimated: bool,
}

/// A reader of a view's part.
type Read<T> = fn(&mut Session<'_, T>, usize, &mut [T]) -> Result<(), Error>;

pub fn snapshot<T: Scalar>(session: &mut Session<'_, T>) -> Result<Snapshot<T>, Error> {
    let config = session.config()?;
    let (n, m) = (config.samples, config.views);
    let mut part = |read: Read<T>| {
        let mut tensor = vec![vec![T::ZERO; n * n]; m];
        tensor.iter_mut().enumerate().try_for_each(|(v, matrix)| read(session, v, matrix))?;
        Ok(tensor)
    };
    let s1 = part(|session, v, matrix| session.consistent(v, matrix))?;
    let s2 = part(|session, v, matrix| session.specific(v, matrix))?;
    let e = part(|session, v, matrix| session.noise(v, matrix))?;
    let mut affinity = vec![T::ZERO; n * n];
    session.affinity(Parts::default(), &mut affinity)?;
    let mut labels = vec![u32::MAX; n];
    let found = session.cluster(&mut labels)?;
    let (mut records, mut ranks) = (Vec::new(), Vec::new());
    for step in 0..session.iteration()? {
        let r = session.record(step)?;
        records.push([r.rho, r.change, r.split_residual, r.low_rank_residual, r.noise_residual]);
        ranks.push((r.rank, r.total_rank));
    }
    let (clusters, estimated) = (found.clusters, found.estimated);
    Ok(Snapshot { s1, s2, e, affinity, records, ranks, labels, clusters, estimated })
}

impl<T: Scalar> Snapshot<T> {
    /// All numbers, one after the other.
    pub fn numbers(&self) -> impl Iterator<Item = T> {
        let tensors = self.s1.iter().chain(&self.s2).chain(&self.e).chain([&self.affinity]).flatten();
        tensors.chain(self.records.iter().flatten()).copied()
    }

    /// The same to the last bit, also where a zero has a sign.
    #[track_caller]
    pub fn assert_same_bits(&self, other: &Self, what: &str) {
        let bits = |x: T| x.to_f64().to_bits();
        let different = self.numbers().zip(other.numbers()).position(|(x, y)| bits(x) != bits(y));
        assert_eq!(different, None, "{what}: the first number that differs");
        assert_eq!((&self.labels, &self.ranks), (&other.labels, &other.ranks), "{what}");
        assert_eq!((self.clusters, self.estimated), (other.clusters, other.estimated), "{what}");
    }
}

/// A run from views to everything that can be read.
pub fn run<T: Scalar>(config: &Config<T>, data: &Data<T>) -> Result<Snapshot<T>, Error> {
    let mut memory = memory(config)?;
    let mut session = Session::new(memory.bytes_mut(), config)?;
    data.push(&mut session)?;
    assert_eq!(session.run(|_| Flow::Continue)?, Outcome::IterationLimit);
    snapshot(&mut session)
}

pub fn score(truth: &[u32], labels: &[u32]) -> Scores {
    let mut work = Workspace::new(scores_layout(truth.len()).unwrap());
    scores(truth, labels, &mut work.arena()).unwrap()
}

pub fn max_difference<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(&x, &y)| (x - y).to_f64().abs()).fold(0.0, f64::max)
}

/// The three profiles, for the demo data.
pub fn profiles<T: Scalar>(n: usize, m: usize, clusters: usize) -> [(&'static str, Config<T>); 3] {
    let t = T::from_f64;
    [
        ("default", Config { clusters, ..Config::new(n, m) }),
        ("paper", Config { clusters, ..Config::paper(n, m, t(0.1), t(1.0), t(10.0)) }),
        ("reference", Config { clusters, ..Config::reference(n, m, t(0.1), t(1.0), t(10.0)) }),
    ]
}
