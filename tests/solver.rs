//! The solver against the oracle: every run of its fixtures, in both precisions.

mod common;
mod guarded;

use cstgl::Scalar;
use cstgl::config::{Config, Distance, GraphTerm};
use cstgl::graph::dense::Dense;
use cstgl::session::{Flow, Outcome, Parts, Session};
use guarded::Workspace;
use serde_json::Value;

struct Case {
    name: String,
    n: usize,
    dims: Vec<usize>,
    views: Vec<Vec<f64>>,
    runs: Vec<Run>,
}

struct Run {
    config: Config<f64>,
    label: String,
    /// rho, change, and the three residuals of every step.
    trace: Vec<Vec<f64>>,
    /// `S1`, `S2`, `E`, each `[v][i][j]`.
    tensors: [Vec<f64>; 3],
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn cases() -> Vec<Case> {
    let document: Value = serde_json::from_str(include_str!("fixtures/runs.json")).unwrap();
    let mut bytes = include_bytes!("fixtures/runs.bin").chunks_exact(6);
    let mut tensor = |count: usize| -> Vec<f64> {
        let number = |six: &[u8]| {
            let mut eight = [0; 8];
            eight[2..].copy_from_slice(six);
            (i64::from_le_bytes(eight) >> 16) as f64 / (1_u64 << 44) as f64
        };
        bytes.by_ref().take(count).map(number).collect()
    };
    let mut cases = Vec::new();
    for case in document["cases"].as_array().unwrap() {
        let n = case["n"].as_u64().unwrap() as usize;
        let dims: Vec<usize> = numbers(&case["dims"]).into_iter().map(|d| d as usize).collect();
        let m = dims.len();
        let mut runs = Vec::new();
        for run in case["runs"].as_array().unwrap() {
            let number = |key: &str| run[key].as_f64().unwrap();
            let profile = run["profile"].as_str().unwrap();
            let mut config = match profile {
                "paper" => Config::paper(n, m, number("alpha"), number("beta"), number("gamma")),
                "reference" => Config::reference(n, m, number("alpha"), number("beta"), number("gamma")),
                "default" => Config {
                    graph: GraphTerm::Adaptive {
                        neighbours: number("neighbours") as usize,
                        weight: number("weight"),
                    },
                    beta: number("beta"),
                    gamma: number("gamma"),
                    ..Config::new(n, m)
                },
                other => panic!("a profile {other}"),
            };
            if run["distance"] == "euclidean" {
                config.distance = Distance::Euclidean;
            }
            let parameters =
                ["alpha", "neighbours", "beta", "gamma"].map(|key| format!("{key} {}", run[key]));
            let label = format!("{} {profile} {} {}", case["case"], run["distance"], parameters.join(" "));
            let trace = run["trace"].as_array().unwrap().iter().map(numbers).collect();
            let tensors = [(); 3].map(|()| tensor(m * n * n));
            runs.push(Run { config, label, trace, tensors });
        }
        let views = case["views"].as_array().unwrap().iter().map(numbers).collect();
        cases.push(Case { name: case["case"].to_string(), n, dims, views, runs });
    }
    assert!(bytes.next().is_none(), "bytes are left over");
    cases
}

fn narrow<T: Scalar>(c: &Config<f64>) -> Config<T> {
    let t = T::from_f64;
    let mut config = Config::new(c.samples, c.views);
    config.graph = match c.graph {
        GraphTerm::Fixed { alpha } => GraphTerm::Fixed { alpha: t(alpha) },
        GraphTerm::Adaptive { neighbours, weight } => GraphTerm::Adaptive { neighbours, weight: t(weight) },
    };
    (config.distance, config.self_loops, config.axis) = (c.distance, c.self_loops, c.axis);
    (config.noise, config.threshold) = (c.noise, c.threshold);
    (config.affinity, config.spectral) = (c.affinity, c.spectral);
    (config.beta, config.gamma, config.rho, config.mu) = (t(c.beta), t(c.gamma), t(c.rho), t(c.mu));
    config
}

fn largest_difference<T: Scalar>(x: &[T], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| (x.to_f64() - y).abs()).fold(0.0, f64::max)
}

/// `mean over v of (S1 + S2)`, made symmetric: the affinity by its definition.
fn affinity(run: &Run, n: usize, m: usize) -> Vec<f64> {
    let fused = |i: usize, j: usize| {
        let sum = |v: usize| run.tensors[0][(v * n + i) * n + j] + run.tensors[1][(v * n + i) * n + j];
        (0..m).map(sum).sum::<f64>() / m as f64
    };
    (0..n * n).map(|k| (fused(k / n, k % n) + fused(k % n, k / n)) / 2.0).collect()
}

fn check<T: Scalar>(case: &Case, run: &Run, tolerance: f64) {
    let (n, m) = (case.n, case.dims.len());
    let config = narrow::<T>(&run.config);
    let layout = Session::layout(&config).unwrap();
    let mut memory = Workspace::new(layout);
    let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
    for (v, (data, &d)) in case.views.iter().zip(&case.dims).enumerate() {
        let data: Vec<T> = data.iter().map(|&x| T::from_f64(x)).collect();
        session.push_dense(v, &Dense::by_feature(&data, d, n).unwrap()).unwrap();
    }
    assert_eq!(session.run(|_| Flow::Continue).unwrap(), Outcome::IterationLimit);

    let mut matrix = vec![T::ZERO; n * n];
    for v in 0..m {
        for (part, expected) in run.tensors.iter().enumerate() {
            match part {
                0 => session.consistent(v, &mut matrix),
                1 => session.specific(v, &mut matrix),
                _ => session.noise(v, &mut matrix),
            }
            .unwrap();
            let error = largest_difference(&matrix, &expected[v * n * n..][..n * n]);
            assert!(error <= tolerance, "{}, view {v}, part {part}: {error:e}", run.label);
        }
    }
    session.affinity(Parts::default(), &mut matrix).unwrap();
    let error = largest_difference(&matrix, &affinity(run, n, m));
    assert!(error <= tolerance, "{}, affinity: {error:e}", run.label);

    assert_eq!(run.trace.len(), session.iteration().unwrap());
    for (step, expected) in run.trace.iter().enumerate() {
        let r = session.record(step).unwrap();
        let ours = [r.rho, r.change, r.split_residual, r.low_rank_residual, r.noise_residual];
        let error = largest_difference(&ours[1..], &expected[1..]);
        assert!(error <= tolerance, "{}, step {step}: {error:e}", run.label);
        assert!((ours[0].to_f64() - expected[0]).abs() <= 1e-6 * expected[0]);
    }
}

#[test]
fn every_run_of_the_oracle_in_double_precision() {
    let cases = cases();
    assert_eq!(cases.iter().map(|case| case.runs.len()).sum::<usize>(), 56);
    for case in &cases {
        for run in &case.runs {
            check::<f64>(case, run, 1e-10);
        }
        println!("{}: {} runs", case.name, case.runs.len());
    }
}

#[test]
fn every_run_of_the_oracle_in_single_precision() {
    for case in &cases() {
        for run in &case.runs {
            check::<f32>(case, run, 1e-3);
        }
    }
}
