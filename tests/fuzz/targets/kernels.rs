//! Every kernel on any shape and any numbers: NaN and infinities are refused, huge and subnormal ones end in an error or in
//! numbers, memory is used to the byte.
#![no_main]

#[path = "../../no_panic/src/exercises.rs"]
mod exercises;

use cstgl::config::Distance;
use cstgl::graph::{adaptive, dense, distance, gram, knn, sparse};
use cstgl::linalg::{Mat, MatMut};
use cstgl::prox::group::{self, Group};
use cstgl::prox::{simplex, tubal};
use cstgl::workspace::{Arena, Layout};
use cstgl::{Complex, Error, Scalar, kmeans, metrics, order, spectral};
use cstgl_fuzz::{Bytes, Exact};

/// Runs a kernel in memory of exactly its layout; in a byte less it is refused.
fn exactly<R>(layout: Layout, mut kernel: impl FnMut(&mut Arena<'_>) -> Result<R, Error>) -> Result<R, Error> {
    let mut memory = Exact::new(layout);
    if layout.bytes() > 0 {
        let short = kernel(&mut Arena::new(&mut memory.slice()[..layout.bytes() - 1]));
        assert!(short.is_err(), "a byte too few was enough");
    }
    kernel(&mut Arena::new(&mut memory.slice()[..layout.bytes()]))
}

/// Refused where a number is none, and otherwise numbers.
fn judge<T: Scalar, R>(what: &str, given: &[T], result: &Result<R, Error>, found: &[T]) {
    let sound = given.iter().all(|x| x.is_finite());
    assert!(sound || result.is_err(), "{what} took what is no number");
    if result.is_ok() {
        assert!(found.iter().all(|x| x.is_finite()), "{what}: {given:?} became {found:?}");
    }
}

fn simplex_row<T: Scalar>(input: &mut Bytes<'_>) {
    let length = input.below(20);
    let row = input.numbers::<T>(length);
    let mut projected = row.clone();
    let result = simplex::project_row(&mut projected);
    judge("simplex", &row, &result, &projected);
    if result.is_ok() {
        let sum: f64 = projected.iter().map(|x| x.to_f64()).sum();
        assert!(projected.iter().all(|&x| x >= T::ZERO), "{row:?} became {projected:?}");
        assert!((sum - 1.0).abs() <= 4.0 * row.len() as f64 * T::EPSILON.to_f64(), "{row:?} adds up to {sum}");
    } else {
        assert_eq!(bits(&row), bits(&projected), "refused and changed");
    }
}

fn bits<T: Scalar>(numbers: &[T]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_f64().to_bits()).collect()
}

fn groups<T: Scalar>(input: &mut Bytes<'_>) {
    let shape = [input.below(5), input.below(7), input.below(7)];
    let tensor = input.numbers::<T>(shape.iter().product());
    let kind = if input.byte() & 1 == 0 { Group::Tube } else { Group::Column };
    let t = input.number::<T>();
    let Ok(layout) = group::shrink_layout::<T>(shape) else { return };
    let mut shrunk = tensor.clone();
    let result = exactly(layout, |work| group::shrink(&mut shrunk, shape, kind, t, work));
    judge("group", &tensor, &result, &shrunk);
    if result.is_ok() {
        assert!(tensor.iter().zip(&shrunk).all(|(x, y)| y.to_f64().abs() <= x.to_f64().abs()));
    } else {
        assert_eq!(bits(&tensor), bits(&shrunk), "refused and changed");
    }
    let _ = exactly(layout, |work| group::l21_norm(&tensor, shape, kind, work));
}

fn tubes<T: Scalar>(input: &mut Bytes<'_>) {
    let n = input.below(8);
    let shape = [input.below(6), n, n];
    let tensor = input.numbers::<T>(shape.iter().product());
    let tau = input.number::<T>();
    let way = match input.byte() % 3 {
        0 => None,
        1 => Some(tubal::views::Way::Dense),
        _ => Some(tubal::views::Way::LowRank { max_rank: input.below(5), seed: 1 }),
    };
    let layout = match way {
        None => tubal::samples::shrink_layout::<T>(shape),
        Some(way) => tubal::views::shrink_layout::<T>(shape, way),
    };
    let Ok(layout) = layout else { return };
    let mut shrunk = tensor.clone();
    let result = exactly(layout, |work| match way {
        None => tubal::samples::shrink(&mut shrunk, shape, tau, work).map(|_| ()),
        Some(way) => tubal::views::shrink(&mut shrunk, shape, tau, way, work).map(|_| ()),
    });
    judge("tubal", &tensor, &result, &shrunk);
}

/// The families whose exercises are proved not to panic with sound arguments: here with any.
fn families<T: Scalar>(input: &mut Bytes<'_>) {
    let mut memory = Exact::bytes(1 << 16);
    let work = &mut Arena::new(memory.slice());
    match input.byte() % 6 {
        0 => {
            let (n, columns) = (1 + input.below(40), 1 + input.below(3));
            let mut data = input.numbers::<T>(n * columns);
            let _ = exercises::fft(&mut data, n, work);
        }
        1 => {
            let (cols, more) = (input.below(9), input.below(5));
            let a = input.numbers::<T>((cols + more) * cols);
            let _ = exercises::linalg(&a, cols + more, cols, work);
            let complex: Vec<_> = a.iter().map(|&x| Complex::new(x, input.number())).collect();
            let _ = exercises::linalg(&complex, cols + more, cols, work);
        }
        2 => {
            let n = input.below(10);
            let (mut a, tau) = (input.numbers::<T>(n * n), input.number());
            let given = a.clone();
            let result = exercises::shrinkage(&mut a, n, tau, work);
            judge("shrinkage", &given, &result, &a);
            let mut complex: Vec<_> = given.iter().map(|&x| Complex::new(x, input.number())).collect();
            let _ = exercises::shrinkage(&mut complex, n, tau, work);
        }
        3 => {
            let n = input.below(12);
            let a = input.numbers::<T>(n * n);
            let _ = exercises::leading(&a, n, work);
        }
        4 => {
            let (n, slices) = (input.below(6), input.below(6));
            let mut a = input.numbers::<T>(n * n * slices);
            let _ = exercises::algebra(&mut a, n, slices, work);
        }
        _ => {
            let shape = [input.below(5), input.below(7), input.below(7)];
            let mut a = input.numbers::<T>(shape.iter().product());
            let _ = exercises::tubal(&mut a, shape, input.number(), work);
        }
    }
}

fn graphs<T: Scalar>(input: &mut Bytes<'_>) {
    let (n, features, neighbours) = (input.below(9), input.below(5), input.count());
    let mut pairs = vec![T::ZERO; n * n];
    match input.byte() % 3 {
        0 => {
            let view = input.numbers::<T>(n * features);
            let strides = [(n, 1), (1, features), (input.count(), input.count())][input.below(3)];
            if let Ok(block) = dense::Dense::strided(&view, features, n, strides.0, strides.1) {
                let layout = dense::accumulate_dense_layout::<T>(n).unwrap();
                let result = exactly(layout, |work| {
                    pairs.fill(T::ZERO);
                    dense::accumulate_dense(&mut pairs, 0, &block, work)
                });
                if result.is_err() {
                    return;
                }
            }
        }
        1 => {
            let rows = input.below(6);
            let pointers: Vec<usize> = (0..=rows).map(|_| input.count()).collect();
            let indices: Vec<u32> = (0..input.below(12)).map(|_| input.count() as u32).collect();
            let values = input.numbers::<T>(indices.len());
            let by_sample = input.byte() & 1 != 0;
            let block = match by_sample {
                true => sparse::Csr::by_sample(&pointers, &indices, &values, features, rows),
                false => sparse::Csr::by_feature(&pointers, &indices, &values, rows, n),
            };
            let Ok(block) = block else { return };
            // Rows that are features need no memory.
            let need = if by_sample { sparse::accumulate_sparse_layout::<T>(n).unwrap() } else { Layout::EMPTY };
            if exactly(need, |work| sparse::accumulate_sparse(&mut pairs, 0, &block, work)).is_err() {
                return;
            }
        }
        _ => {
            let given = input.numbers::<T>(n * n);
            if gram::accumulate_gram(&mut pairs, 0, &given, n).is_err() {
                return;
            }
        }
    }
    let kind = if input.byte() & 1 == 0 { Distance::Stiefel } else { Distance::Euclidean };
    let unit = input.byte() & 1 == 0;
    let layout = distance::finish_gram_layout::<T>(n).unwrap();
    let (before, work) = (pairs.clone(), &mut Exact::new(layout));
    let result = distance::finish_gram(&mut pairs, 0, n, kind, unit, &mut Arena::new(work.slice()));
    judge("distance", &before, &result, &pairs);
    if result.is_err() {
        return;
    }
    let mut graph = vec![T::ZERO; n * n];
    if let Ok(layout) = knn::knn_layout(n, neighbours) {
        let result = exactly(layout, |work| knn::knn(&mut graph, &pairs, 0, n, neighbours, work));
        judge("knn", &pairs, &result, &graph);
    }
    if let Ok(layout) = adaptive::adaptive_layout::<T>(n, neighbours) {
        let (before, weight) = (pairs.clone(), input.number());
        let result =
            exactly(layout, |work| adaptive::adaptive(&mut pairs, 0, n, neighbours, weight, work));
        judge("adaptive", &before, &result, &pairs);
    }
}

fn clusters<T: Scalar>(input: &mut Bytes<'_>) {
    let (n, dimension, k) = (input.below(12), input.below(4), input.below(14));
    let points = input.numbers::<T>(n * dimension);
    let order: Vec<u32> = match input.byte() & 3 {
        0 => input.labels(n),
        _ => (0..n as u32).rev().collect(),
    };
    let options = kmeans::Options { restarts: 2, rounds: 40, ..kmeans::Options::new(k, input.word()) };
    let mut labels = vec![u32::MAX; n];
    if let Ok(layout) = kmeans::cluster_layout::<T>(n, dimension, k) {
        let result = exactly(layout, |work| {
            kmeans::cluster(Mat::new("points", &points, n, dimension)?, &order, &options, &mut labels, work)
        });
        if let Ok(fit) = &result {
            assert!(fit.inertia.is_finite() && fit.inertia >= T::ZERO, "{fit:?} of {points:?}");
            assert!(labels.iter().all(|&label| (label as usize) < k), "{labels:?}");
        } else {
            assert!(labels.iter().all(|&label| label == u32::MAX), "refused and changed");
        }
        judge("kmeans", &points, &result, &[]);
    }
}

fn scores(input: &mut Bytes<'_>) {
    let n = input.below(40);
    let (truth, labels) = (input.labels(n), input.labels(n));
    let Ok(layout) = metrics::scores_layout(n) else { return };
    let found = exactly(layout, |work| metrics::scores(&truth, &labels, work)).expect("labels of one length");
    for x in [found.acc, found.nmi, found.nmi_arithmetic, found.fscore, found.precision, found.recall, found.purity] {
        assert!((0.0..=1.0 + 1e-12).contains(&x), "{found:?} of {truth:?} and {labels:?}");
    }
    assert!((-1.0..=1.0 + 1e-12).contains(&found.ari), "{found:?}");
}

fn spectra<T: Scalar>(input: &mut Bytes<'_>) {
    let (n, k) = (1 + input.below(9), 1 + input.below(9));
    let Ok(length) = spectral::packed_length(n) else { return };
    let given = input.numbers::<T>(length);
    let (mut triangle, mut degrees, mut order) = (given.clone(), vec![T::ZERO; n], vec![0; n]);
    let result = spectral::normalise_packed(&mut triangle, &mut degrees);
    judge("normalise", &given, &result, &triangle);
    if result.is_err() || order::canonical_order(&degrees, &mut order).is_err() {
        return;
    }
    let graph = spectral::Graph { triangle: &triangle, degrees: &degrees, order: &order, threads: 1 };
    let (mut embedding, mut values) = (vec![T::ZERO; n * k], vec![T::ZERO; k]);
    if let Ok(layout) = spectral::embed_layout::<T>(n, k) {
        let result =
            exactly(layout, |work| spectral::embed(&graph, 0, &mut embedding, &mut values, work));
        judge("embed", &given, &result, &embedding);
        judge("eigenvalues", &given, &result, &values);
    }
    let mut values = vec![T::ZERO; spectral::eigenvalue_count(n, k)];
    if let Ok(layout) = spectral::estimate_clusters_layout::<T>(n, k) {
        let result =
            exactly(layout, |work| spectral::estimate_clusters(&graph, k, 0, &mut values, work));
        judge("estimate", &given, &result, &values);
        if let Ok(found) = result {
            assert!(found >= 1 && found <= n, "{found} clusters of {n}");
        }
    }
    let full = input.numbers::<T>(n * n);
    let (mut embedding, mut values) = (vec![T::ZERO; n * k], vec![T::ZERO; k]);
    if let Ok(layout) = spectral::reference::embed_layout::<T>(n) {
        let mut consumed = full.clone();
        let result = exactly(layout, |work| {
            consumed.copy_from_slice(&full);
            spectral::reference::embed(&mut consumed, n, &mut embedding, &mut values, work)
        });
        judge("reference", &full, &result, &embedding);
        judge("singular values", &full, &result, &values);
    }
}

fn kernel<T: Scalar>(which: u8, input: &mut Bytes<'_>) {
    match which {
        0 => simplex_row::<T>(input),
        1 => groups::<T>(input),
        2 => tubes::<T>(input),
        3 => families::<T>(input),
        4 => graphs::<T>(input),
        5 => clusters::<T>(input),
        6 => spectra::<T>(input),
        _ => {
            let length = input.below(20);
            let _ = MatMut::new("matrix", &mut input.numbers::<T>(length), input.count(), input.count());
            scores(input);
        }
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut input = Bytes(data);
    let which = input.byte();
    match which & 8 {
        0 => kernel::<f32>(which & 7, &mut input),
        _ => kernel::<f64>(which & 7, &mut input),
    }
});
