//! `cstgl bench --ratios`: what we say of our speed, each as a ratio of times of one run.

use super::{Bench, Stream, Times};
use crate::error::Result;
use crate::parameters::Parameters;
use crate::run::{Precision, refusal};
use crate::table::Table;
use cstgl::config::Axis;
use cstgl::graph::sparse::Csr;
use cstgl::rng::Rng;
use cstgl::workspace::{Layout, Workspace};
use cstgl::{Config, Model};
use std::time::Instant;

/// Runs of each kind, of which the fastest counts, iteration by iteration.
const ROUNDS: usize = 5;
/// Features and samples of the sparse view.
const SPARSE: [usize; 2] = [34_000, 600];

/// All of them, beside what we aim at.
pub fn table(bench: &Bench) -> Result<String> {
    let mut table = Table::new("").column("ratio", 0).column("measured", 2).column("aim", 0);
    let mut row =
        |what: String, measured: f64, aim: &str| table.row([what.into(), measured.into(), aim.into()]);
    let n = bench.samples;
    let mut memory = Workspace::new(Layout::EMPTY);
    let mut streaming = [f64::INFINITY; 2];
    for axis in [Axis::Views, Axis::Samples] {
        let own = parameters(bench, axis);
        let data = [n / 2, n, 2 * n].map(|n| bench.data(n));
        let [small, middle, large] = data;
        let (small, middle, large) = (small?, middle?, large?);
        let ways = [
            (1, Precision::F64, &large),
            (1, Precision::F64, &small),
            (1, Precision::F64, &middle),
            (2, Precision::F64, &middle),
            (1, Precision::F32, &middle),
        ];
        let (mut bandwidths, mut best) = ([0.0_f64; 2], ways.map(|_| None));
        // In turns, so that a machine that slows down does so for all; then each iteration has its best, or long runs, of
        // which no whole one is undisturbed, would look slower than short ones. All in the same memory, the largest first:
        // how long a system takes to supply a page is not what is compared.
        for _ in 0..ROUNDS {
            for (threads, bandwidth) in (1..).zip(&mut bandwidths) {
                let measured = super::copy_bandwidth(threads).map_err(|error| refusal(error, &[]))?;
                *bandwidth = bandwidth.max(measured);
            }
            for ((threads, precision, data), best) in ways.into_iter().zip(&mut best) {
                let parameters = Parameters { threads: Some(threads), precision, ..own.clone() };
                let run = bench.timed(&parameters, data, &mut memory)?;
                match best {
                    Some((_, fastest)) => keep_fastest(fastest, &run.1),
                    None => *best = Some(run),
                }
            }
            for (samples, seconds) in [n / 2, 2 * n].into_iter().zip(&mut streaming) {
                let measured = stream_tensors(samples * samples * bench.views, &mut memory);
                *seconds = seconds.min(measured.map_err(|error| refusal(error, &[]))?);
            }
        }
        let [large, small, one, two, single] = best;
        let [Some((_, large)), Some((_, small)), Some((config, one))] = [large, small, one] else { continue };
        let [Some((_, two)), Some((_, single))] = [two, single] else { continue };
        let [bandwidth, shared_bandwidth] = bandwidths;
        let stream = Stream::of(&config, Precision::F64, bandwidth).seconds();
        row(format!("{axis:?}: iteration over streaming its bytes"), one.iteration() / stream, "2.5 at most");
        row(format!("{axis:?}: the median iteration"), one.median() / stream, "2.5 at most");
        row(format!("{axis:?}: one thread over two"), one.iteration() / two.iteration(), "1.7 at least");
        // What memory alone would allow, at this moment: two processors may have one way to it, or two.
        row(format!("{axis:?}: a copy on two threads over one"), shared_bandwidth / bandwidth, "");
        row(format!("{axis:?}: f64 over f32"), one.iteration() / single.iteration(), "1.6 at least");
        let growth = large.solve() / small.solve();
        row(format!("{axis:?}: {} samples over {}", 2 * n, n / 2), growth, "20 at most");
    }
    // A small problem's tensors may be in a cache, and a large one's cannot: then they grow by more than their number.
    let [small, large] = streaming;
    row(format!("streaming the tensors: {} samples over {}", 2 * n, n / 2), large / small, "");
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

/// Seconds of reading six tensors of so many numbers side by side and writing all but one, as a step must.
fn stream_tensors(length: usize, memory: &mut Workspace) -> std::result::Result<f64, cstgl::Error> {
    let mut arena = memory.arena();
    let d = &*arena.take::<u64>(length)?;
    let mut tensor = || arena.take::<u64>(length);
    let (b, s1, e, q1, q2) = (tensor()?, tensor()?, tensor()?, tensor()?, tensor()?);
    let start = Instant::now();
    for (((((d, b), s1), e), q1), q2) in d.iter().zip(b).zip(s1).zip(e).zip(q1).zip(q2) {
        for x in [b, s1, e, q1, q2] {
            *x = x.wrapping_add(*d);
        }
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Every iteration becomes the faster of two.
fn keep_fastest(fastest: &mut Times, run: &Times) {
    for ((seconds, _), (others, _)) in fastest.iterations.iter_mut().zip(&run.iterations) {
        *seconds = seconds.min(*others);
    }
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
