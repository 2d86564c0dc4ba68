//! `cstgl bench --ratios`: what we say of our speed, each as a ratio of times of one run.

use super::{Bench, Stream, Times};
use crate::error::Result;
use crate::parameters::Parameters;
use crate::run::{Precision, refusal};
use crate::table::Table;
use cstgl::config::Axis;
use cstgl::graph::sparse::Csr;
use cstgl::rng::Rng;
use cstgl::{Config, Model};
use std::time::Instant;

/// Runs of each kind, of which the fastest counts.
const ROUNDS: usize = 3;
/// Features and samples of the sparse view.
const SPARSE: [usize; 2] = [34_000, 600];

/// All of them, beside what we aim at.
pub fn table(bench: &Bench) -> Result<String> {
    let mut table = Table::new("").column("ratio", 0).column("measured", 2).column("aim", 0);
    let mut row =
        |what: String, measured: f64, aim: &str| table.row([what.into(), measured.into(), aim.into()]);
    let n = bench.samples;
    for axis in [Axis::Views, Axis::Samples] {
        let data = bench.data(n)?;
        let ways = [(1, Precision::F64), (2, Precision::F64), (1, Precision::F32)];
        let (mut bandwidth, mut best) = (0.0_f64, ways.map(|_| None));
        // In turns, so that a machine that slows down does so for all; then each has its best.
        for _ in 0..ROUNDS {
            bandwidth = bandwidth.max(super::copy_bandwidth().map_err(|error| refusal(error, &[]))?);
            for ((threads, precision), best) in ways.into_iter().zip(&mut best) {
                let parameters = Parameters { threads: Some(threads), precision, ..parameters(bench, axis) };
                let run = bench.timed(&parameters, &data)?;
                if best.as_ref().is_none_or(|(_, times): &(_, Times)| run.1.solve() < times.solve()) {
                    *best = Some(run);
                }
            }
        }
        let [Some((config, one)), Some((_, two)), Some((_, single))] = best else { continue };
        let stream = Stream::of(&config, Precision::F64, bandwidth).seconds();
        row(format!("{axis:?}: iteration over streaming its bytes"), one.iteration() / stream, "2.5 at most");
        row(format!("{axis:?}: the median iteration"), one.median() / stream, "2.5 at most");
        row(format!("{axis:?}: one thread over two"), one.iteration() / two.iteration(), "1.7 at least");
        row(format!("{axis:?}: f64 over f32"), one.iteration() / single.iteration(), "1.6 at least");
        let growth = [n / 2, 2 * n].map(|n| -> Result<f64> {
            Ok(bench
                .timed(&Parameters { threads: Some(1), ..parameters(bench, axis) }, &bench.data(n)?)?
                .1
                .solve())
        });
        let [small, large] = growth;
        let (small, large) = (small?, large?);
        row(format!("{axis:?}: {} samples over {}", 2 * n, n / 2), large / small, "20 at most");
    }
    let [thin, dense] = [0.002, 0.004].map(sparse_gram);
    let (thin, dense) = (thin?, dense?);
    row("sparse Gram: twice the non-zeros".into(), dense / thin, "4 at most: pairs in a feature");
    Ok(format!(
        "{}sparse Gram of {} x {}, 0.2 % filled: {thin:.4} s\n",
        table.markdown(),
        SPARSE[0],
        SPARSE[1]
    ))
}

/// The setting that speed is compared in, unless other parameters are asked for.
fn parameters(bench: &Bench, axis: Axis) -> Parameters {
    let own = bench.parameters.clone();
    Parameters {
        axis: Some(axis),
        alpha: own.alpha.or(Some(1e-3)),
        self_loops: own.self_loops.or(Some(true)),
        ..own
    }
}

/// Seconds of the Gram matrix of a view of which so much is not zero.
fn sparse_gram(filled: f64) -> Result<f64> {
    let [features, samples] = SPARSE;
    let mut rng = Rng::new(1);
    let (mut starts, mut indices, mut values) = (vec![0_usize], Vec::new(), Vec::new());
    for _ in 0..features {
        for i in 0..samples {
            if rng.uniform::<f64>() < filled {
                indices.push(i as u32);
                values.push(rng.uniform::<f64>());
            }
        }
        starts.push(indices.len());
    }
    let time = || -> std::result::Result<f64, cstgl::Error> {
        let config = Config { clusters: 2, ..Config::<f64>::new(samples, 2) };
        let mut model = Model::new(&config)?;
        let block = Csr::by_feature(&starts, &indices, &values, features, samples)?;
        let start = Instant::now();
        model.session().push_sparse(0, &block)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let times = (0..5).map(|_| time()).collect::<std::result::Result<Vec<_>, _>>();
    let times = times.map_err(|error| refusal(error, &[]))?;
    Ok(times.into_iter().fold(f64::INFINITY, f64::min))
}
