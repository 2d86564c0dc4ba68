//! What must hold whatever the data: proptest makes the data, and shrinks what does not hold.
//!
//! `CSTGL_CASES` is the number of cases of every property (24 where nobody says), and each prints what it tried.

mod guarded;
mod runs;

use cstgl::config::{GraphTerm, Rank};
use cstgl::prox::simplex;
use cstgl::session::{Flow, Parts, Session};
use cstgl::{Config, Scalar};
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use runs::hidden::Hidden;
use runs::{Data, max_difference, memory, profiles, reordered, run, score};
use std::cell::Cell;

/// Tries a property on so many cases of a strategy.
#[track_caller]
fn always<S: Strategy>(name: &str, strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let cases = std::env::var("CSTGL_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(24);
    let persistence = FileFailurePersistence::Direct("tests/properties.txt");
    let config = ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    };
    if let Err(error) = TestRunner::new(config).run(&strategy, property) {
        panic!("{name}: {error}");
    }
    println!("TRIED {cases} {name}");
}

/// Data of `n` samples in `m` views of three to six features, and a permutation of the samples.
fn data(
    n: std::ops::Range<usize>,
    m: std::ops::Range<usize>,
) -> impl Strategy<Value = (Data<f64>, Vec<usize>)> {
    (n, m).prop_flat_map(|(n, m)| {
        let view = (3_usize..7).prop_flat_map(move |d| prop::collection::vec(-1.0..1.0, d * n));
        let views = prop::collection::vec(view, m).prop_map(move |views| Data { n, views });
        (views, Just((0..n).collect::<Vec<_>>()).prop_shuffle())
    })
}

/// The default and the paper's profile; the reference profile depends on the order of the samples, and says so.
fn invariant<T: Scalar>(n: usize, m: usize) -> [(&'static str, Config<T>); 2] {
    let [default, paper, _] = profiles(n, m, 2);
    [default, paper]
}

/// The affinity of a run, and the tensors `S1`, `S2`, `E` of one view.
fn learn(config: &Config<f64>, data: &Data<f64>) -> runs::Snapshot<f64> {
    run(config, data).unwrap()
}

fn permuted(matrix: &[f64], order: &[usize]) -> Vec<f64> {
    order.iter().flat_map(|&i| reordered(&matrix[i * order.len()..][..order.len()], order)).collect()
}

#[track_caller]
fn close(what: &str, x: &[f64], y: &[f64], tolerance: f64) -> Result<(), TestCaseError> {
    let error = max_difference(x, y);
    prop_assert!(error <= tolerance, "{what}: {error:e}");
    Ok(())
}

#[test]
fn the_order_of_the_samples_permutes_the_graph() {
    always("order of the samples", data(4..24, 1..5), |(data, order)| {
        for (name, config) in invariant(data.n, data.views.len()) {
            let (straight, shuffled) = (learn(&config, &data), learn(&config, &data.reordered(&order)));
            close(name, &shuffled.affinity, &permuted(&straight.affinity, &order), 1e-8)?;
            for (x, y) in shuffled.s1.iter().zip(&straight.s1) {
                close(name, x, &permuted(y, &order), 1e-8)?;
            }
        }
        Ok(())
    });
}

/// The symmetries of a transform along the views. (Other orders of four views or more may give slightly different
/// graphs: the nuclear norm of the tensor is that of the views' Fourier coefficients.)
#[test]
fn cyclic_shifts_and_reversal_of_the_views_change_nothing() {
    let shifted = (data(4..20, 2..6), 0_usize..6, any::<bool>());
    always("cyclic shifts and reversal of the views", shifted, |((data, _), shift, reverse)| {
        let m = data.views.len();
        let mut order: Vec<usize> = (0..m).collect();
        order.rotate_left(shift % m);
        if reverse {
            order.reverse();
        }
        let turned = Data { n: data.n, views: order.iter().map(|&v| data.views[v].clone()).collect() };
        for (name, config) in invariant(data.n, m) {
            let (straight, turned) = (learn(&config, &data), learn(&config, &turned));
            close(name, &turned.affinity, &straight.affinity, 1e-8)?;
            for (place, &v) in order.iter().enumerate() {
                close(name, &turned.s1[place], &straight.s1[v], 1e-8)?;
                close(name, &turned.s2[place], &straight.s2[v], 1e-8)?;
            }
        }
        Ok(())
    });
}

#[test]
fn the_length_of_a_sample_does_not_matter() {
    let scaled = (data(3..20, 1..4), prop::collection::vec(1e-3..1e3, 3 * 20));
    always("scaling of samples", scaled, |((data, _), scales)| {
        let mut other = data.clone();
        for (v, view) in other.views.iter_mut().enumerate() {
            for (k, x) in view.iter_mut().enumerate() {
                *x *= scales[v * 20 + k % data.n];
            }
        }
        for (name, config) in profiles(data.n, data.views.len(), 2) {
            let (plain, scaled) = (learn(&config, &data), learn(&config, &other));
            close(name, &scaled.affinity, &plain.affinity, 1e-8)?;
        }
        Ok(())
    });
}

/// The affinity learned from given distances.
fn from_distances(config: &Config<f64>, distances: &[Vec<f64>]) -> Vec<f64> {
    let mut memory = memory(config).unwrap();
    let mut session = Session::new(memory.bytes_mut(), config).unwrap();
    for (v, matrix) in distances.iter().enumerate() {
        session.push_distances(v, matrix).unwrap();
    }
    session.run(|_| Flow::Continue).unwrap();
    let mut affinity = vec![0.0; config.samples * config.samples];
    session.affinity(Parts::default(), &mut affinity).unwrap();
    affinity
}

/// The simplex projection does not see it. (The adaptive term asks for the least distance of the view, so there the
/// constant is one for all rows.)
#[test]
fn a_constant_added_to_distances_does_not_matter() {
    let moved = (3_usize..16, 1_usize..4).prop_flat_map(|(n, m)| {
        let matrices = prop::collection::vec(prop::collection::vec(0.0..4.0, n * n), m);
        (Just(n), matrices, prop::collection::vec(-8.0..8.0, n))
    });
    always("a constant added to a row of distances", moved, |(n, matrices, constants)| {
        let raised = |by: &dyn Fn(usize) -> f64| -> Vec<Vec<f64>> {
            let raise = |m: &Vec<f64>| m.iter().enumerate().map(|(k, x)| x + by(k / n)).collect();
            matrices.iter().map(raise).collect()
        };
        for (name, config) in profiles(n, matrices.len(), 2) {
            let rows = matches!(config.graph, GraphTerm::Fixed { .. });
            let other = if rows { raised(&|i| constants[i]) } else { raised(&|_| constants[0]) };
            let (plain, other) = (from_distances(&config, &matrices), from_distances(&config, &other));
            close(name, &other, &plain, 1e-7)?;
        }
        Ok(())
    });
}

/// A row on the simplex; a constant added and a larger scale do what the equation says.
#[test]
fn projections_are_on_the_simplex_and_order_is_kept() {
    let rows = (prop::collection::vec(-1e3..1e3, 1..40), -1e3..1e3);
    always("simplex projection", rows, |(row, constant)| {
        let project = |row: &[f64]| {
            let mut row = row.to_vec();
            simplex::project_row(&mut row).unwrap();
            row
        };
        let found = project(&row);
        prop_assert!(found.iter().all(|&x| (0.0..=1.0).contains(&x)));
        prop_assert!((found.iter().sum::<f64>() - 1.0).abs() <= 1e-12);
        for (i, &x) in row.iter().enumerate() {
            for (j, &y) in row.iter().enumerate() {
                prop_assert!(x > y || found[i] <= found[j], "a larger one became smaller");
            }
        }
        // Nothing moves a second time, and a constant moves nothing.
        close("twice", &project(&found), &found, 1e-12)?;
        let raised: Vec<f64> = row.iter().map(|x| x + constant).collect();
        close("raised", &project(&raised), &found, 1e-9)
    });
}

/// At every step the rows of `A` are on the simplex, without self-loops where there are none, and the step reports what
/// can be recomputed.
#[test]
fn rows_of_a_are_on_the_simplex_and_residuals_are_what_they_say() {
    let steps = Cell::new(0);
    always("rows of A and residuals, step by step", data(3..16, 1..4), |(data, _)| {
        let (n, m) = (data.n, data.views.len());
        for (name, config) in profiles::<f64>(n, m, 0) {
            let mut memory = memory(&config).unwrap();
            let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
            data.push(&mut session).unwrap();
            let mut hidden = Hidden::new(&mut session);
            for _ in 0..config.iterations {
                let r = session.step().unwrap();
                let expected = hidden.follow(&mut session);
                let reported = [r.change, r.split_residual, r.low_rank_residual, r.noise_residual];
                close(name, &reported, &expected, 1e-9)?;
                for (at, row) in hidden.a.chunks(n).enumerate() {
                    prop_assert!(row.iter().all(|&x| x >= -1e-9), "{name}: {row:?}");
                    prop_assert!((row.iter().sum::<f64>() - 1.0).abs() <= 1e-9, "{name}: {row:?}");
                    prop_assert!(config.self_loops || row[at % n].abs() <= 1e-9, "{name}: a self-loop");
                }
                steps.set(steps.get() + 1);
            }
        }
        Ok(())
    });
    println!("{} steps were followed", steps.get());
}

/// Classes that are far apart are found, whichever they are and however the samples lie.
#[test]
fn separate_classes_are_found() {
    let classes = (2_usize..5, 6_usize..10, 1_usize..4, any::<u64>());
    always("separate classes", classes, |(k, each, m, seed)| {
        let (n, order) = (k * each, runs::shuffle(k * each, seed));
        let mut rng = cstgl::rng::Rng::new(seed);
        let mut view = || -> Vec<f64> {
            let value = |f: usize, i: usize| if order[i] % k == f { 1.0 } else { 0.0 };
            (0..k * n).map(|at| value(at / n, at % n) + 0.2 * rng.uniform::<f64>()).collect()
        };
        let data = Data { n, views: (0..m).map(|_| view()).collect() };
        let truth: Vec<u32> = order.iter().map(|&i| (i % k) as u32).collect();
        let graph = GraphTerm::Adaptive { neighbours: 4, weight: 100.0 };
        let config = Config { clusters: k, graph, rank: Rank::Any { expected: 8 }, ..Config::new(n, m) };
        prop_assert_eq!(score(&truth, &learn(&config, &data).labels).ari, 1.0);
        Ok(())
    });
}
