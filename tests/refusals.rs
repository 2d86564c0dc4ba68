//! Calls that are refused: the right error, and not a byte changed.

mod guarded;
mod runs;

use cstgl::config::{Axis, GraphTerm, Rank};
use cstgl::graph::dense::Dense;
use cstgl::graph::sparse::Csr;
use cstgl::session::{Flow, Outcome, Parts, Session};
use cstgl::{Config, Error, Scalar};
use guarded::Workspace;
use runs::{demo, memory, run, snapshot};

const N: usize = 24;
const M: usize = 3;

thread_local! {
    /// Refused calls of this test.
    static REFUSED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Makes the call on the session in `memory`, which must be refused with `expected` and leave every byte as it was.
#[track_caller]
fn refused<T: Scalar, R: core::fmt::Debug>(
    memory: &mut Workspace,
    expected: Error,
    call: impl FnOnce(&mut Session<'_, T>) -> Result<R, Error>,
) {
    let before = memory.bytes_mut().to_vec();
    let result = call(&mut Session::attach(memory.bytes_mut()).unwrap());
    assert_eq!(result.err(), Some(expected));
    let changed = before.iter().zip(&*memory.bytes_mut()).position(|(x, y)| x != y);
    assert_eq!(changed, None, "the first byte that {expected:?} changed");
    REFUSED.set(REFUSED.get() + 1);
}

fn sequence(requirement: &'static str) -> Error {
    Error::Sequence { requirement }
}

fn one_kind() -> Error {
    sequence("a view is features, or one matrix of distances")
}

fn no_such_view() -> Error {
    Error::Parameter { what: "view", requirement: "below the number of views" }
}

fn length(what: &'static str, expected: usize, found: usize) -> Error {
    Error::Length { what, expected, found }
}

/// Everything that may be wrong with a view while views come in. Where features have come already, a matrix of distances
/// is refused as such.
fn bad_views<T: Scalar>(memory: &mut Workspace, features: bool) {
    let matrix = |error: Error| if features { one_kind() } else { error };
    let (one, nan) = (T::ONE, T::from_f64(f64::NAN));
    let good = vec![one; N * N];
    let view = &[one; 5 * N];
    let dense = |n: usize| Dense::by_feature(&view[..n], 1, n).unwrap();
    refused::<T, _>(memory, no_such_view(), |session| session.push_dense(M, &dense(N)));
    refused::<T, _>(memory, no_such_view(), |session| session.push_gram(usize::MAX, &good));
    refused::<T, _>(memory, no_such_view(), |session| session.push_distances(M, &good));
    for n in [1, N - 1, N + 1] {
        refused::<T, _>(memory, length("samples", N, n), |session| session.push_dense(0, &dense(n)));
        let (pointers, indices, values) = ([0, 1], [0], [one]);
        let block = Csr::by_feature(&pointers, &indices, &values, 1, n).unwrap();
        refused::<T, _>(memory, length("samples", N, n), |session| session.push_sparse(0, &block));
    }
    for wrong in [0, N, N * N - 1, 4 * N] {
        refused::<T, _>(memory, length("pairs", N * N, wrong), |session| {
            session.push_gram(0, &good[..wrong])
        });
        refused::<T, _>(memory, matrix(length("pairs", N * N, wrong)), |session| {
            session.push_distances(2, &good[..wrong])
        });
        refused::<T, _>(memory, matrix(length("pairs", N * N, wrong)), |session| {
            session.push_similarities(2, &good[..wrong])
        });
    }
    for bad in [nan, one / T::ZERO, -one / T::ZERO] {
        // Feature 3 of sample 7, by feature, by sample, and sparse.
        let place = Error::BadSample { view: 1, feature: 3, sample: 7 };
        let mut data = vec![one; 5 * N];
        data[3 * N + 7] = bad;
        refused::<T, _>(memory, place, |session| {
            session.push_dense(1, &Dense::by_feature(&data, 5, N).unwrap())
        });
        let mut data = vec![one; 5 * N];
        data[7 * 5 + 3] = bad;
        refused::<T, _>(memory, place, |session| {
            session.push_dense(1, &Dense::by_sample(&data, 5, N).unwrap())
        });
        let (pointers, indices, values) = ([0, 1, 1, 1, 3, 3], [0, 2, 7], [one, one, bad]);
        let block = Csr::by_feature(&pointers, &indices, &values, 5, N).unwrap();
        refused::<T, _>(memory, place, |session| session.push_sparse(1, &block));
        // Of a matrix of pairs, row and column.
        let mut pairs = good.clone();
        pairs[9 * N + 4] = bad;
        let place = Error::BadSample { view: 2, feature: 9, sample: 4 };
        refused::<T, _>(memory, place, |session| session.push_gram(2, &pairs));
        refused::<T, _>(memory, matrix(place), |session| session.push_distances(2, &pairs));
        refused::<T, _>(memory, matrix(place), |session| session.push_similarities(2, &pairs));
    }
    let mut negative = good.clone();
    negative[5 * (N + 1)] = -one;
    let requirement = "without negative elements on its diagonal";
    refused::<T, _>(memory, Error::Parameter { what: "Gram matrix", requirement }, |session| {
        session.push_gram(1, &negative)
    });
    refused::<T, _>(memory, matrix(Error::Range { view: 1 }), |session| {
        session.push_distances(1, &[T::MAX; N * N])
    });
}

/// Nothing can be read before there is something.
fn too_early<T: Scalar>(memory: &mut Workspace) {
    let early = sequence("a result is there after the first step");
    let mut matrix = vec![T::ZERO; N * N];
    let mut labels = vec![7; N];
    refused::<T, _>(memory, early, |session| session.cluster(&mut labels));
    refused::<T, _>(memory, early, |session| session.consistent(0, &mut matrix));
    refused::<T, _>(memory, early, |session| session.specific(0, &mut matrix));
    refused::<T, _>(memory, early, |session| session.noise(0, &mut matrix));
    refused::<T, _>(memory, early, |session| session.fused(Parts::default(), &mut matrix));
    refused::<T, _>(memory, early, |session| session.affinity(Parts::default(), &mut matrix));
    refused::<T, _>(memory, early, |session| session.slice_distances(&mut matrix[..M * M]));
    refused::<T, _>(memory, sequence("a record is there after its step"), |session| session.record(0));
    assert_eq!(labels, [7; N]);
    assert!(matrix.iter().all(|&x| x == T::ZERO));
}

/// Wrong lengths and views, and calls that come too late.
fn too_late<T: Scalar>(memory: &mut Workspace, done: usize) {
    let late = sequence("views are pushed before the first step");
    let matrix = vec![T::ONE; N * N];
    refused::<T, _>(memory, late, |session| {
        session.push_dense(0, &Dense::by_feature(&matrix, N, N).unwrap())
    });
    refused::<T, _>(memory, late, |session| session.push_gram(0, &matrix));
    refused::<T, _>(memory, late, |session| session.push_distances(0, &matrix));
    refused::<T, _>(memory, late, |session| session.push_similarities(0, &matrix));
    let block = Csr::by_feature(&[0, 1], &[0], &matrix[..1], 1, N).unwrap();
    refused::<T, _>(memory, late, |session| session.push_sparse(0, &block));

    let mut matrix = [T::ZERO; N * N + 1];
    for wrong in [0, 1, N * N - 1, N * N + 1] {
        let expected = length("matrix", N * N, wrong);
        let matrix = &mut matrix[..wrong];
        refused::<T, _>(memory, expected, |session| session.consistent(0, matrix));
        refused::<T, _>(memory, expected, |session| session.specific(0, matrix));
        refused::<T, _>(memory, expected, |session| session.noise(0, matrix));
        refused::<T, _>(memory, expected, |session| session.fused(Parts::default(), matrix));
        refused::<T, _>(memory, expected, |session| session.affinity(Parts::default(), matrix));
        refused::<T, _>(memory, length("matrix", M * M, wrong), |session| session.slice_distances(matrix));
    }
    let square = &mut matrix[..N * N];
    refused::<T, _>(memory, no_such_view(), |session| session.consistent(M, square));
    refused::<T, _>(memory, no_such_view(), |session| session.specific(M, square));
    refused::<T, _>(memory, no_such_view(), |session| session.noise(usize::MAX, square));
    assert!(matrix.iter().all(|&x| x == T::ZERO));

    let mut labels = [7; N + 1];
    for wrong in [0, N - 1, N + 1] {
        refused::<T, _>(memory, length("labels", N, wrong), |session| session.cluster(&mut labels[..wrong]));
    }
    refused::<T, _>(memory, length("embedding", 4 * N, 4 * N - 1), |session| {
        session.cluster_parts(Parts::default(), &mut labels[..N], &mut matrix[..4 * N - 1])
    });
    assert!(labels.iter().all(|&label| label == 7));
    for index in [done, usize::MAX] {
        refused::<T, _>(memory, sequence("a record is there after its step"), |session| {
            session.record(index)
        });
    }
}

fn every_refusal<T: Scalar>(config: &Config<T>) {
    let mut memory = memory(config).unwrap();
    Session::new(memory.bytes_mut(), config).unwrap();
    let missing = sequence("every view is pushed before a step");
    bad_views::<T>(&mut memory, false);
    too_early::<T>(&mut memory);
    refused::<T, _>(&mut memory, missing, |session| session.step());
    refused::<T, _>(&mut memory, missing, |session| session.run(|_| Flow::Continue));

    let (data, _) = demo::<T>(N, M, 1);
    let distances = vec![T::ONE; N * N];
    for (v, view) in data.views.iter().enumerate() {
        refused::<T, _>(&mut memory, missing, |session| session.step());
        let block = Dense::by_feature(view, data.features(v), N).unwrap();
        Session::attach(memory.bytes_mut()).unwrap().push_dense(v, &block).unwrap();
        refused::<T, _>(&mut memory, one_kind(), |session| session.push_distances(v, &distances));
        refused::<T, _>(&mut memory, one_kind(), |session| session.push_similarities(v, &distances));
    }
    bad_views::<T>(&mut memory, true);
    too_early::<T>(&mut memory);

    for done in 1..=config.iterations {
        Session::<T>::attach(memory.bytes_mut()).unwrap().step().unwrap();
        too_late::<T>(&mut memory, done);
    }
    refused::<T, _>(&mut memory, sequence("all iterations are done"), |session| session.step());
    let mut session = Session::<T>::attach(memory.bytes_mut()).unwrap();
    assert_eq!(session.run(|_| Flow::Continue), Ok(Outcome::IterationLimit));
    let found = snapshot(&mut session).unwrap();
    found.assert_same_bits(&run(config, &data).unwrap(), "as if nothing had been refused");
}

#[test]
fn refused_calls_change_nothing() {
    for axis in [Axis::Views, Axis::Samples] {
        every_refusal::<f64>(&Config { clusters: 4, iterations: 12, axis, ..Config::new(N, M) });
        every_refusal::<f32>(&Config { clusters: 4, iterations: 12, axis, ..Config::new(N, M) });
    }
    println!("TRIED {} refused calls, every byte compared", REFUSED.get());
}

#[test]
fn distances_come_whole_and_once() {
    let config = Config::<f64>::new(N, M);
    let mut memory = memory(&config).unwrap();
    let distances: Vec<f64> = (0..N * N).map(|k| (k / N).abs_diff(k % N) as f64).collect();
    let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
    session.push_distances(1, &distances).unwrap();
    refused::<f64, _>(&mut memory, one_kind(), |session| session.push_distances(1, &distances));
    refused::<f64, _>(&mut memory, one_kind(), |session| session.push_gram(1, &distances));
    let block = Dense::by_feature(&distances, N, N).unwrap();
    refused::<f64, _>(&mut memory, one_kind(), |session| session.push_dense(1, &block));
}

/// A view whose squares leave the range is refused when it is needed; the others are then still as they came.
#[test]
fn squares_that_overflow_are_refused_at_the_first_step() {
    let config = Config::<f64> { clusters: 2, ..Config::new(N, 2) };
    let mut memory = memory(&config).unwrap();
    let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
    let view: Vec<f64> = (0..N).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    session.push_dense(0, &Dense::by_feature(&view, 1, N).unwrap()).unwrap();
    let huge: Vec<f64> = view.iter().map(|x| x * 1e200).collect();
    session.push_dense(1, &Dense::by_feature(&huge, 1, N).unwrap()).unwrap();
    refused::<f64, _>(&mut memory, Error::Range { view: 1 }, |session| session.step());
}

/// Rank above the caller's limit: the error, and what was learned so far stays readable to the bit.
#[test]
fn a_rank_above_the_limit_is_an_error() {
    let (data, _) = demo::<f64>(60, M, 1);
    let free = Config { beta: 0.5, clusters: 4, ..Config::<f64>::new(60, M) };
    let ranks = run(&free, &data).unwrap().ranks;
    let largest = ranks.iter().map(|ranks| ranks.0).max().unwrap();
    assert!(largest > 3);
    let first = ranks.iter().position(|ranks| ranks.0 > 3).unwrap();
    let config = Config { rank: Rank::AtMost(3), ..free };
    let mut memory = memory(&config).unwrap();
    let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
    data.push(&mut session).unwrap();
    assert_eq!(session.run(|_| Flow::Continue), Err(Error::RankExceeded { allowed: 3 }));
    assert_eq!(session.iteration(), Ok(first));
    let stopped = snapshot(&mut session).unwrap();
    assert_eq!(session.step(), Err(Error::RankExceeded { allowed: 3 }), "and again");
    stopped.assert_same_bits(&snapshot(&mut session).unwrap(), "after the refused step");
    let shorter = run(&Config { iterations: first, ..free }, &data).unwrap();
    for (x, y) in stopped.s1.iter().flatten().zip(shorter.s1.iter().flatten()) {
        assert!((x - y).abs() <= 1e-12);
    }
}

#[test]
fn parameters_outside_their_domain_are_refused() {
    let good = Config::<f64>::new(10, 2);
    let empty = |what| Some(Error::Empty { what });
    let mut memory = memory(&good).unwrap();
    let before = memory.bytes_mut().to_vec();
    let mut refused = |config: Config<f64>| {
        let error = Session::new(memory.bytes_mut(), &config).err();
        assert_eq!(Session::layout(&config).err(), error, "the query refuses what the call refuses");
        assert!(before == memory.bytes_mut(), "{error:?} has written");
        error
    };
    assert_eq!(refused(Config { samples: 0, ..good }), empty("samples"));
    assert_eq!(refused(Config { views: 0, ..good }), empty("views"));
    assert_eq!(refused(Config { iterations: 0, ..good }), empty("iterations"));
    assert_eq!(refused(Config { restarts: 0, ..good }), empty("restarts"));
    assert_eq!(refused(Config { threads: 0, ..good }), empty("threads"));
    assert_eq!(refused(Config { max_clusters: 0, ..good }), empty("max_clusters"));
    let graph = |neighbours, weight| GraphTerm::Adaptive { neighbours, weight };
    assert_eq!(refused(Config { graph: graph(0, 1.0), ..good }), empty("neighbours"));
    let parameter = |error: Option<Error>| match error {
        Some(Error::Parameter { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(parameter(refused(Config { clusters: 11, ..good })), "clusters");
    assert_eq!(parameter(refused(Config { rho: 1e-200, ..good })), "rho", "its inverse squared is no number");
    for bad in [f64::NAN, f64::INFINITY, -1.0, -0.5] {
        assert_eq!(parameter(refused(Config { graph: graph(10, bad), ..good })), "weight");
        assert_eq!(parameter(refused(Config { graph: GraphTerm::Fixed { alpha: bad }, ..good })), "alpha");
        assert_eq!(parameter(refused(Config { beta: bad, ..good })), "beta");
        assert_eq!(parameter(refused(Config { gamma: bad, ..good })), "gamma");
        assert_eq!(parameter(refused(Config { rho: bad, ..good })), "rho");
        assert_eq!(parameter(refused(Config { mu: bad, ..good })), "mu");
        assert_eq!(parameter(refused(Config { tolerance: bad, ..good })), "tolerance");
    }
    assert_eq!(parameter(refused(Config { mu: 0.999, ..good })), "mu");
    // Sizes that no memory has are an error of the query, whatever they are the size of.
    let most = usize::MAX;
    for config in [
        Config { samples: most, ..good },
        Config { samples: 1 << 31, ..good },
        Config { views: most, ..good },
        Config { iterations: most, ..good },
        Config { iterations: u32::MAX as usize, views: most / 2, ..good },
        Config { samples: 1 << 20, views: 1 << 30, ..good },
    ] {
        assert!(matches!(Session::layout(&config), Err(Error::SizeOverflow { .. })), "{config:?}");
    }
    for config in [
        Config { rank: Rank::AtMost(most), ..good },
        Config { rank: Rank::Any { expected: most }, ..good },
        Config { max_clusters: most, ..good },
        Config { graph: graph(most, 1.0), ..good },
        Config { seed: u64::MAX, restarts: most, ..good },
    ] {
        assert!(Session::layout(&config).is_ok(), "more than there is room for means all: {config:?}");
    }
}
