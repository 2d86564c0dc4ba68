//! The published data sets: the paper's figures from the authors' choices, and ours in any order.
//!
//! They are not part of this repository. Where the directory `../shared/data`, or the one that `CSTGL_DATA` names, is
//! absent, every test here says so and passes.
#![cfg(feature = "cli")]

#[allow(dead_code)]
#[path = "../src/bin/cstgl/error.rs"]
mod error;
mod guarded;
#[allow(dead_code)]
#[path = "../src/bin/cstgl/read/mod.rs"]
mod read;
mod runs;

use cstgl::{Config, Scalar};
use read::views::{Input, Views};
use runs::{Data, max_difference, reordered, run, score, shuffle};
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    std::env::var_os("CSTGL_DATA").map_or_else(beside, PathBuf::from)
}

/// A data set with its classes, or a sentence on standard error.
fn load<T: Scalar>(name: &str) -> Option<(Data<T>, Vec<u32>, usize)> {
    let path = directory().join(name);
    if !path.exists() {
        eprintln!("SKIPPED: {} is not there, so nothing was tried on it.", path.display());
        return None;
    }
    let views = Views::read(&Input { inputs: vec![path], ..Input::default() }).unwrap();
    let labels = views.labels.as_ref().expect("published data has labels");
    let dense = |view: &read::views::View| {
        let mut data = vec![T::ZERO; view.features() * views.n];
        view.for_each(|sample, feature, value| data[feature * views.n + sample] = T::from_f64(value));
        data
    };
    let data = Data { n: views.n, views: views.views.iter().map(dense).collect() };
    let truth = labels.values.clone();
    Some((data, truth, labels.classes.len()))
}

const SETS: [(&str, [f64; 3]); 3] = [
    ("3-sources.mat", [1.0, 100.0, 1000.0]),
    ("bbcsport_2view.mat", [1.0, 10.0, 100.0]),
    ("webkb.mat", [0.1, 10.0, 100.0]),
];

fn defaults<T: Scalar>(data: &Data<T>, clusters: usize) -> Config<T> {
    Config { clusters, threads: 2, ..Config::new(data.n, data.views.len()) }
}

/// The authors' choices, samples in the order of the files, which are sorted by class.
#[test]
fn the_papers_figures_by_the_authors_program() {
    for (name, [alpha, beta, gamma]) in SETS {
        let Some((data, truth, clusters)) = load::<f64>(name) else { continue };
        let (n, m) = (data.n, data.views.len());
        let config = Config { clusters, threads: 2, ..Config::reference(n, m, alpha, beta, gamma) };
        let s = score(&truth, &run(&config, &data).unwrap().labels);
        println!("{name}, reference: ACC {:.4} NMI {:.4} ARI {:.4} F {:.4}", s.acc, s.nmi, s.ari, s.fscore);
        match name {
            "3-sources.mat" => {
                let figures = [(s.acc, 0.7751), (s.nmi, 0.6783), (s.ari, 0.6252), (s.fscore, 0.7193)];
                for (found, expected) in figures {
                    assert!((found - expected).abs() <= 0.5e-4, "{name}: {found:.4} is not {expected}");
                }
            }
            "webkb.mat" => assert!(s.acc >= 0.763, "{name}: {:.4}", s.acc),
            _ => assert!(s.acc >= 0.996, "{name}: {:.4}", s.acc),
        }
    }
}

#[test]
fn our_default_is_as_good_as_it_was() {
    for ((name, _), least) in SETS.into_iter().zip([0.78, 0.975, 0.65]) {
        let Some((data, truth, clusters)) = load::<f64>(name) else { continue };
        let acc = score(&truth, &run(&defaults(&data, clusters), &data).unwrap().labels).acc;
        println!("{name}, default: ACC {acc:.4}");
        assert!(acc >= least, "{name}: {acc:.4}");
    }
}

#[test]
fn single_precision_finds_the_same_clusters() {
    for (name, _) in SETS {
        let Some((data, _, clusters)) = load::<f64>(name) else { continue };
        let narrow = |view: &Vec<f64>| view.iter().map(|&x| x as f32).collect();
        let single = Data { n: data.n, views: data.views.iter().map(narrow).collect() };
        let double = run(&defaults(&data, clusters), &data).unwrap();
        let single = run(&defaults(&single, clusters), &single).unwrap();
        let ari = score(&double.labels, &single.labels).ari;
        println!("{name}: ARI {ari:.4} between the precisions");
        assert!(ari >= 0.99, "{name}: {ari}");
    }
}

#[test]
fn shuffled_samples_get_the_same_clusters() {
    for (name, [alpha, beta, gamma]) in SETS {
        let Some((data, _, clusters)) = load::<f64>(name) else { continue };
        let (n, m) = (data.n, data.views.len());
        let paper = Config { clusters, threads: 2, ..Config::paper(n, m, alpha, beta, gamma) };
        for (profile, config) in [("default", defaults(&data, clusters)), ("paper", paper)] {
            let straight = run(&config, &data).unwrap();
            for seed in 0..10 {
                let order = shuffle(n, seed);
                let shuffled = run(&config, &data.reordered(&order)).unwrap();
                let rows = order.iter().flat_map(|&i| order.iter().map(move |&j| i * n + j));
                let permuted: Vec<f64> = rows.map(|k| straight.affinity[k]).collect();
                let error = max_difference(&shuffled.affinity, &permuted);
                assert!(error <= 1e-9, "{name}, {profile}, shuffle {seed}: {error:e}");
                let ari = score(&reordered(&straight.labels, &order), &shuffled.labels).ari;
                assert_eq!(ari, 1.0, "{name}, {profile}, shuffle {seed}");
            }
        }
    }
}
