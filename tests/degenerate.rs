//! Data that nobody means to cluster: a sensible answer or a clear error, and never a number that is none.

mod guarded;
mod runs;

use cstgl::config::{GraphTerm, Rank};
use cstgl::demo::Demo;
use cstgl::{Config, Error, Scalar};
use runs::{Data, Snapshot, demo, profiles, run, score};

/// Finite tensors, labels below the number of clusters, which is the one that was asked for.
#[track_caller]
fn assert_sensible<T: Scalar>(found: &Snapshot<T>, config: &Config<T>, what: &str) {
    assert!(found.numbers().all(|x| x.is_finite()), "{what}: not a number");
    let clusters = found.clusters as u32;
    assert!(found.labels.iter().all(|&label| label < clusters), "{what}: {:?} of {clusters}", found.labels);
    assert_eq!(found.estimated, config.clusters == 0, "{what}");
    if config.clusters > 0 {
        assert_eq!(found.clusters, config.clusters, "{what}");
    }
}

fn sensible<T: Scalar>(data: &Data<T>, clusters: usize, what: &str) -> [Snapshot<T>; 3] {
    profiles(data.n, data.views.len(), clusters).map(|(name, config)| {
        let what = format!("{what}, {} bytes, {name}", size_of::<T>());
        let found = run(&config, data).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_sensible(&found, &config, &what);
        found
    })
}

fn in_both_precisions(
    view: impl Fn(usize, usize, usize) -> f64,
    n: usize,
    m: usize,
    clusters: usize,
    what: &str,
) {
    // Six features a view.
    let numbers = |v: usize| (0..6 * n).map(|k| view(v, k / n, k % n)).collect::<Vec<_>>();
    let views: Vec<Vec<f64>> = (0..m).map(numbers).collect();
    let narrow = views.iter().map(|view| view.iter().map(|&x| x as f32).collect()).collect();
    sensible(&Data { n, views: narrow }, clusters, what);
    sensible(&Data { n, views }, clusters, what);
}

fn ordinary(v: usize, f: usize, i: usize) -> f64 {
    Demo::<f64> { dimensions: &[6; 8], samples: 1000, ..Demo::small() }.value(v, f, i)
}

#[test]
fn few_samples_and_every_number_of_clusters() {
    for n in 1..=8 {
        for m in 1..=4 {
            for k in 0..=n {
                in_both_precisions(ordinary, n, m, k, &format!("n = {n}, m = {m}, k = {k}"));
            }
        }
    }
}

#[test]
fn one_cluster_is_all_samples_and_as_many_as_samples_are_singletons() {
    let (data, _) = demo::<f64>(17, 2, 1);
    for found in sensible(&data, 1, "k = 1") {
        assert_eq!(found.labels, [0; 17]);
    }
    let [default, ..] = sensible(&data, 17, "k = n");
    let mut labels = default.labels.clone();
    labels.sort_unstable();
    assert_eq!(labels, (0..17).collect::<Vec<u32>>(), "different samples, as many clusters: each its own");
}

#[test]
fn samples_without_differences() {
    for k in [0, 1, 2, 3, 12] {
        in_both_precisions(|_, _, _| 1.0, 12, 2, k, "all samples equal");
        in_both_precisions(|_, _, _| 0.0, 12, 2, k, "all samples zero");
        in_both_precisions(
            |v, f, i| if v == 1 { 0.0 } else { ordinary(v, f, i) },
            12,
            3,
            k,
            "a view of zeros",
        );
        in_both_precisions(|_, f, i| ordinary(0, f, i), 12, 3, k, "identical views");
        in_both_precisions(|v, f, i| ordinary(v, f, i / 3), 12, 2, k, "every sample three times");
        in_both_precisions(|v, f, i| ordinary(v, f, i % 2), 12, 2, k, "two samples six times");
        in_both_precisions(
            |v, f, i| if f < 4 { 3.0 } else { ordinary(v, f, i) },
            12,
            2,
            k,
            "constant features",
        );
        in_both_precisions(
            |v, f, i| if i < 6 { 0.0 } else { ordinary(v, f, i) },
            12,
            2,
            k,
            "half of them zero",
        );
        in_both_precisions(
            |v, f, i| if i == f { 1.0 } else { 0.0 * v as f64 },
            12,
            2,
            k,
            "no two with a feature",
        );
        let outlier = |v, f, i| if i == 5 { 1e8 } else { 1.0 } * ordinary(v, f, i);
        in_both_precisions(outlier, 12, 2, k, "one huge sample");
    }
}

/// Groups of equal samples are found, and what is the same in every view shares a label.
#[test]
fn duplicates_share_a_label() {
    let views = (0..2).map(|v| (0..6 * 20).map(|k| ordinary(v, k / 20, (k % 20) % 4)).collect()).collect();
    let data = Data::<f64> { n: 20, views };
    let truth: Vec<u32> = (0..20).map(|i| i % 4).collect();
    for (found, name) in sensible(&data, 4, "duplicates").iter().zip(["default", "paper", "reference"]) {
        assert_eq!(score(&truth, &found.labels).ari, 1.0, "{name}: {:?}", found.labels);
    }
}

#[test]
fn more_neighbours_than_samples() {
    for neighbours in [1, 9, 10, 11, 12, 13, 1000, usize::MAX] {
        let (data, _) = demo::<f64>(12, 2, 1);
        let graph = GraphTerm::Adaptive { neighbours, weight: 100.0 };
        let config = Config { graph, clusters: 3, ..Config::new(12, 2) };
        assert_sensible(&run(&config, &data).unwrap(), &config, &format!("{neighbours} neighbours"));
    }
}

/// Samples are scaled to unit length: the size of a view changes nothing, up to the edges of the range.
#[test]
fn the_scale_of_a_view_does_not_matter() {
    fn check<T: Scalar>(scales: &[[f64; 3]], tolerance: f64) {
        let (data, _) = demo::<T>(40, 3, 1);
        let plain = sensible(&data, 4, "scaled by one");
        for scale in scales {
            let scaled = |(view, &by): (&Vec<T>, &f64)| view.iter().map(|&x| x * T::from_f64(by)).collect();
            let data = Data { n: 40, views: data.views.iter().zip(scale).map(scaled).collect() };
            for (found, plain) in sensible(&data, 4, &format!("scaled by {scale:?}")).iter().zip(&plain) {
                let error = runs::max_difference(&found.affinity, &plain.affinity);
                assert!(error <= tolerance, "{scale:?}: {error:e}");
                assert_eq!(found.labels, plain.labels, "{scale:?}");
            }
        }
    }
    check::<f64>(
        &[[1e-150, 1.0, 1e150], [1e150, 1e150, 1e-150], [1e-150; 3], [1e150; 3], [1e-9, 1e9, 3.0]],
        1e-10,
    );
    check::<f32>(&[[1e-15, 1.0, 1e15], [1e15, 1e15, 1e-15], [1e-15; 3], [1e15; 3], [1e-9, 1e9, 3.0]], 1e-3);
}

/// Parameters at the ends of their domains.
#[test]
fn extreme_parameters() {
    fn check<T: Scalar>() {
        let (data, _) = demo::<T>(20, 3, 1);
        let t = T::from_f64;
        for (name, good) in profiles::<T>(20, 3, 3) {
            for (what, config) in [
                ("beta 0", Config { beta: T::ZERO, ..good }),
                ("beta large", Config { beta: t(1e12), ..good }),
                ("gamma small", Config { gamma: t(1e-12), ..good }),
                ("gamma large", Config { gamma: t(1e12), ..good }),
                ("rho small", Config { rho: t(1e-12), ..good }),
                ("rho large", Config { rho: t(1e6), ..good }),
                ("mu 1", Config { mu: T::ONE, ..good }),
                ("mu large", Config { mu: t(1e6), ..good }),
                ("many iterations", Config { iterations: 200, ..good }),
                ("one iteration", Config { iterations: 1, ..good }),
                ("rank 0 expected", Config { rank: Rank::Any { expected: 0 }, ..good }),
            ] {
                let what = format!("{} bytes, {name}, {what}", size_of::<T>());
                let found = run(&config, &data).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_sensible(&found, &config, &what);
            }
        }
    }
    check::<f64>();
    check::<f32>();
}

/// No memory for factors at all: an error as soon as there is something to factor, and never before.
#[test]
fn no_rank_allowed() {
    let (data, _) = demo::<f64>(20, 2, 1);
    let config = Config { rank: Rank::AtMost(0), ..Config::new(20, 2) };
    assert_eq!(run(&config, &data).err(), Some(Error::RankExceeded { allowed: 0 }));
    let config = Config { beta: 1e12, clusters: 2, ..config };
    assert_sensible(&run(&config, &data).unwrap(), &config, "a consistent part of zero");
}

/// Well separated clusters are counted.
#[test]
fn the_number_of_clusters_is_estimated() {
    fn check<T: Scalar>(k: usize) {
        let demo = Demo::<T> {
            samples: 30 * k,
            clusters: k,
            noise: T::from_f64(0.2),
            specific: T::from_f64(0.1),
            outliers: T::ZERO,
            merge: false,
            ..Demo::small()
        };
        let views = (0..3).map(|v| demo.view(v).unwrap()).collect();
        let truth: Vec<u32> = (0..30 * k).map(|i| demo.label(i)).collect();
        let config = Config::new(30 * k, 3);
        let found = run(&config, &Data { n: 30 * k, views }).unwrap();
        assert!(found.estimated);
        assert_eq!((found.clusters, score(&truth, &found.labels).ari), (k, 1.0));
    }
    for k in [2, 3, 4, 5, 7] {
        check::<f64>(k);
        check::<f32>(k);
    }
}
