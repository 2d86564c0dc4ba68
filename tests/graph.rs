//! From views to distances: Gram matrices against plain sums, distances and graph terms against the oracle.

mod common;
mod guarded;

use common::{exactly, reals, relative_error};
use cstgl::config::Distance;
use cstgl::graph::adaptive::{adaptive, adaptive_layout};
use cstgl::graph::dense::{Dense, accumulate_dense, accumulate_dense_layout};
use cstgl::graph::distance::{check_distances, finish_gram, finish_gram_layout, from_similarity};
use cstgl::graph::gram::accumulate_gram;
use cstgl::graph::knn::{knn, knn_layout};
use cstgl::graph::sparse::{Csr, accumulate_sparse, accumulate_sparse_layout};
use cstgl::prox::simplex;
use cstgl::rng::Rng;
use cstgl::{Error, Scalar};
use guarded::Workspace;
use proptest::prelude::*;
use serde_json::Value;

// ---- helpers -----------------------------------------------------------------------------------

/// A view whose rows are features.
struct View<T> {
    x: Vec<T>,
    d: usize,
    n: usize,
}

impl<T: Scalar> View<T> {
    fn random(d: usize, n: usize) -> Self {
        Self { x: reals(d as u64, d * n), d, n }
    }

    /// One value in `rarity` is not zero.
    fn sparse(d: usize, n: usize, rarity: u64) -> Self {
        let mut rng = Rng::new(rarity);
        let mut view = Self::random(d, n);
        view.x.iter_mut().for_each(|x| *x = if rng.next_u64().is_multiple_of(rarity) { *x } else { T::ZERO });
        view
    }

    fn transposed(&self) -> Vec<T> {
        (0..self.d * self.n).map(|at| self.x[at % self.d * self.n + at / self.d]).collect()
    }

    fn rows(&self, range: std::ops::Range<usize>) -> Dense<'_, T> {
        Dense::by_feature(&self.x[range.start * self.n..range.end * self.n], range.len(), self.n).unwrap()
    }

    /// `X^T X` in f64.
    fn gram(&self) -> Vec<f64> {
        let at = |f: usize, j: usize| self.x[f * self.n + j].to_f64();
        let element = |i, j| (0..self.d).map(|f| at(f, i) * at(f, j)).sum();
        (0..self.n * self.n).map(|at| element(at / self.n, at % self.n)).collect()
    }
}

/// Any block.
#[derive(Clone, Copy)]
enum Block<'a, T> {
    Dense(Dense<'a, T>),
    Sparse(Csr<'a, T>),
}

fn push<T: Scalar>(gram: &mut [T], block: Block<'_, T>) -> Result<(), Error> {
    match block {
        Block::Dense(block) => {
            let layout = accumulate_dense_layout::<T>(block.samples())?;
            accumulate_dense(gram, 3, &block, &mut Workspace::new(layout).arena())
        }
        Block::Sparse(block) => {
            let layout = accumulate_sparse_layout::<T>(block.samples())?;
            accumulate_sparse(gram, 3, &block, &mut Workspace::new(layout).arena())
        }
    }
}

/// The sum over the blocks, the lower triangle on both sides.
fn sum<'a, T: Scalar>(n: usize, blocks: impl IntoIterator<Item = Block<'a, T>>) -> Vec<f64> {
    let mut gram = vec![T::ZERO; n * n];
    blocks.into_iter().for_each(|block| push(&mut gram, block).unwrap());
    (0..n * n).map(|at| (at / n, at % n)).map(|(i, j)| gram[i.max(j) * n + i.min(j)].to_f64()).collect()
}

/// Pointers, indices and values of the non-zeros of rows.
fn compress<T: Scalar>(x: &[T], cols: usize) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let (mut pointers, mut indices, mut values) = (vec![0], vec![], vec![]);
    for row in x.chunks(cols) {
        for (j, &x) in row.iter().enumerate().filter(|(_, x)| **x != T::ZERO) {
            indices.push(j as u32);
            values.push(x);
        }
        pointers.push(indices.len());
    }
    (pointers, indices, values)
}

fn distances<T: Scalar>(view: &View<T>, distance: Distance, unit: bool) -> Vec<T> {
    let mut gram = vec![T::ZERO; view.n * view.n];
    push(&mut gram, Block::Dense(view.rows(0..view.d))).unwrap();
    finished(gram, view.n, distance, unit).unwrap()
}

fn finished<T: Scalar>(mut gram: Vec<T>, n: usize, distance: Distance, unit: bool) -> Result<Vec<T>, Error> {
    exactly(finish_gram_layout::<T>(n)?, |work| finish_gram(&mut gram, 3, n, distance, unit, work))?;
    Ok(gram)
}

fn adapted<T: Scalar>(mut e: Vec<T>, n: usize, k: usize, weight: T) -> Vec<T> {
    exactly(adaptive_layout::<T>(n, k).unwrap(), |work| adaptive(&mut e, 3, n, k, weight, work)).unwrap();
    e
}

fn neighbours<T: Scalar>(e: &[T], n: usize, k: usize) -> Vec<T> {
    let mut graph = vec![T::ONE; n * n];
    exactly(knn_layout(n, k).unwrap(), |work| knn(&mut graph, e, 3, n, k, work)).unwrap();
    graph
}

/// Sample `from[j]` of the old matrix of pairs is sample `j` of the new one.
fn permuted<T: Copy>(pairs: &[T], from: &[usize]) -> Vec<T> {
    let n = from.len();
    (0..n * n).map(|at| pairs[from[at / n] * n + from[at % n]]).collect()
}

fn shuffled(n: usize) -> Vec<usize> {
    let (mut order, mut rng) = ((0..n).collect::<Vec<_>>(), Rng::new(n as u64));
    (1..n).for_each(|j| order.swap(j, (rng.next_u64() % (j as u64 + 1)) as usize));
    order
}

#[track_caller]
fn assert_close<T: Scalar>(found: &[T], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (x, y)) in found.iter().zip(expected).enumerate() {
        let bound = tolerance * (1.0 + y.abs());
        assert!((x.to_f64() - y).abs() <= bound, "{what}, element {index}: {x:?} is not {y}");
    }
}

// ---- Gram matrices -----------------------------------------------------------------------------

/// Views (features, samples) inside one strip and panel, on their borders and across several.
const SHAPES: [(usize, usize); 9] =
    [(1, 1), (3, 2), (5, 7), (8, 8), (64, 9), (65, 70), (200, 33), (7, 129), (129, 65)];

fn dense_agrees<T: Scalar>() {
    for (d, n) in SHAPES {
        let view = View::<T>::random(d, n);
        let (expected, by_sample) = (view.gram(), view.transposed());
        let bound = 4.0 * T::EPSILON.to_f64();
        let whole = sum(n, [Block::Dense(view.rows(0..d))]);
        assert!(relative_error(&whole, &expected) <= bound, "{d} x {n}");
        let rows_are_samples = Block::Dense(Dense::by_sample(&by_sample, d, n).unwrap());
        assert_eq!(sum(n, [rows_are_samples]), whole, "{d} x {n}");
        let single = sum(n, (0..d).map(|f| Block::Dense(view.rows(f..f + 1))));
        assert!(relative_error(&single, &expected) <= 4.0 * bound, "{d} x {n}");
        let halves = [0..d / 2, d / 2..d, d..d].map(|rows| Block::Dense(view.rows(rows)));
        assert!(relative_error(&sum(n, halves), &expected) <= bound, "{d} x {n}");
    }
}

#[test]
fn dense_blocks_add_up_to_the_gram_matrix() {
    dense_agrees::<f64>();
    dense_agrees::<f32>();
}

/// An element's bits do not depend on where its samples stand.
#[test]
fn a_permutation_of_the_samples_permutes_the_gram_matrix_to_the_bit() {
    for (d, n) in SHAPES {
        let (view, order) = (View::<f32>::random(d, n), shuffled(n));
        let x = view.x.chunks(n).flat_map(|row| order.iter().map(|&j| row[j])).collect();
        let other = View { x, d, n };
        let [gram, other] = [&view, &other].map(|view| sum(n, [Block::Dense(view.rows(0..d))]));
        assert_eq!(permuted(&gram, &order), other, "{d} x {n}");
    }
}

fn sparse_agrees<T: Scalar>() {
    for (d, n) in SHAPES.into_iter().chain([(3000, 20), (300, 90)]) {
        for rarity in [1, 3, 40] {
            let view = View::<T>::sparse(d, n, rarity);
            let expected = view.gram();
            let (pointers, indices, values) = compress(&view.x, n);
            let rows = |range: std::ops::Range<usize>| {
                let pointers = &pointers[range.start..=range.end];
                Block::Sparse(Csr::by_feature(pointers, &indices, &values, range.len(), n).unwrap())
            };
            let by_feature = sum(n, [rows(0..d)]);
            assert!(relative_error(&by_feature, &expected) <= 20.0 * T::EPSILON.to_f64(), "{d} x {n}");
            assert_eq!(sum(n, [rows(0..d / 3), rows(d / 3..d)]), by_feature, "{d} x {n}");

            let (pointers, indices, values) = compress(&view.transposed(), d);
            let by_sample = Csr::by_sample(&pointers, &indices, &values, d, n).unwrap();
            assert_eq!(sum(n, [Block::Sparse(by_sample)]), by_feature, "{d} x {n}, 1/{rarity}");

            // Half dense, half sparse.
            let mixed = sum(n, [rows(0..d / 2), Block::Dense(view.rows(d / 2..d))]);
            assert!(relative_error(&mixed, &expected) <= 20.0 * T::EPSILON.to_f64(), "{d} x {n}");
        }
    }
}

#[test]
fn sparse_blocks_add_up_to_the_gram_matrix() {
    sparse_agrees::<f64>();
    sparse_agrees::<f32>();
}

#[test]
fn a_given_gram_matrix_adds_like_its_features() {
    let (view, n) = (View::<f64>::random(40, 11), 11);
    let part = View { x: view.x[..15 * n].to_vec(), d: 15, n };
    let mut gram = vec![0.0; n * n];
    push(&mut gram, Block::Dense(view.rows(15..40))).unwrap();
    accumulate_gram(&mut gram, 0, &part.gram(), n).unwrap();
    let lower = |m: &[f64]| -> Vec<f64> { (0..n).flat_map(|i| m[i * n..=i * n + i].to_vec()).collect() };
    assert!(relative_error(&lower(&gram), &lower(&view.gram())) <= 1e-15);

    // Halves that differ count half each.
    let mut gram = vec![0.0; 4];
    accumulate_gram(&mut gram, 0, &[1.0, 3.0, 5.0, 2.0], 2).unwrap();
    assert_eq!((gram[0], gram[2], gram[3]), (1.0, 4.0, 2.0));
    let negative = accumulate_gram(&mut gram, 0, &[1.0, 0.0, 0.0, -2.0], 2);
    assert!(matches!(negative, Err(Error::Parameter { what: "Gram matrix", .. })));
    let bad = accumulate_gram(&mut gram, 5, &[1.0, 0.0, f64::NAN, 2.0], 2);
    assert_eq!(bad, Err(Error::BadSample { view: 5, feature: 1, sample: 0 }));
    assert_eq!((gram[0], gram[2], gram[3]), (1.0, 4.0, 2.0));
}

proptest! {
    /// Any strides that reach every element give the Gram matrix of what they reach.
    #[test]
    fn any_strides(
        d in 0_usize..70, n in 1_usize..40, by_sample: bool, extra in 0_usize..4, step in 1_usize..4, seed: u64,
    ) {
        let (inner, outer) = if by_sample { (d, n) } else { (n, d) };
        let outer_stride = (inner * step) + extra;
        let data = reals::<f64>(seed, outer * outer_stride + extra);
        let (feature_stride, sample_stride) = if by_sample { (step, outer_stride) } else { (outer_stride, step) };
        let block = Dense::strided(&data, d, n, feature_stride, sample_stride).unwrap();
        let at = |f: usize, j: usize| data[f * feature_stride + j * sample_stride];
        let x = (0..d * n).map(|place| at(place / n, place % n)).collect();
        let expected = View { x, d, n }.gram();
        prop_assert!(relative_error(&sum(n, [Block::Dense(block)]), &expected) <= 1e-14);
    }

    /// Whatever the numbers, a sparse block is refused or added: by sample the bits are those by feature.
    #[test]
    fn any_pointers_and_indices(
        pointers in prop::collection::vec(0_usize..12, 1..6),
        indices in prop::collection::vec(0_u32..9, 0..12),
        features in 0_usize..8,
    ) {
        let (rows, values) = (pointers.len() - 1, vec![1.5_f64; indices.len()]);
        let monotone = pointers.is_sorted() && pointers.iter().all(|&p| p <= indices.len());
        let ascending = || pointers.windows(2).all(|p| {
            let row = &indices[p[0]..p[1]];
            row.is_sorted_by(|a, b| a < b) && row.iter().all(|&j| (j as usize) < features)
        });
        let block = Csr::by_sample(&pointers, &indices, &values, features, rows);
        prop_assert_eq!(block.is_ok(), rows > 0 && (rows == 0 || (monotone && ascending())));
        if let Ok(block) = block {
            let mut x = vec![0.0; features * rows];
            for (i, p) in pointers.windows(2).enumerate() {
                indices[p[0]..p[1]].iter().for_each(|&f| x[f as usize * rows + i] = 1.5);
            }
            prop_assert_eq!(sum(rows, [Block::Sparse(block)]), View { x, d: features, n: rows }.gram());
        }
    }
}

#[test]
fn equal_samples_and_a_long_slice_are_fine() {
    let constant = Dense::strided(&[2.0_f64, 1.0, 3.0, 9.0], 3, 4, 1, 0).unwrap();
    assert_eq!(sum(4, [Block::Dense(constant)]), [14.0; 16]);
    let single = Dense::strided(&[2.0_f64, 9.0], 1, 4, 0, 0).unwrap();
    assert_eq!(sum(4, [Block::Dense(single)]), [4.0; 16]);
}

/// Found by fuzzing: four billion features, of which three are there, took as long as four billion.
#[test]
fn features_that_no_sample_has_cost_nothing() {
    let (pointers, indices, values) = ([0, 2, 4], [5, u32::MAX - 1, 5, 4_000_000_000], [1.0, 2.0, 3.0, 4.0]);
    let block = Csr::by_sample(&pointers, &indices, &values, usize::MAX, 2).unwrap();
    assert_eq!(sum(2, [Block::Sparse(block)]), [5.0, 3.0, 3.0, 25.0]);
}

/// Found by fuzzing: two numbers in memory and a stride of zero made a block of as many features as a number can say.
#[test]
fn features_in_one_place_are_refused() {
    let refused = Dense::strided(&[2.0_f64, 9.0], usize::MAX, 4, 0, 0).err();
    assert_eq!(refused, Some(Error::Parameter { what: "feature stride", requirement: "at least 1" }));
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let x = [0.0_f64; 12];
    let length = |expected| Some(Error::Length { what: "block", expected, found: 12 });
    assert_eq!(Dense::by_feature(&x, 3, 5).err(), length(15));
    assert_eq!(Dense::by_sample(&x, 5, 3).err(), length(15));
    assert_eq!(Dense::strided(&x, 3, 4, 4, 1).err(), None);
    assert_eq!(Dense::strided(&x, 3, 4, 5, 1).err(), length(14));
    assert_eq!(
        Dense::by_feature(&x, 3, 0).err(),
        Some(Error::Length { what: "block", expected: 0, found: 12 })
    );
    assert_eq!(Dense::<f64>::by_feature(&[], 3, 0).err(), Some(Error::Empty { what: "samples" }));
    let overflow = Some(Error::SizeOverflow { what: "block" });
    assert_eq!(Dense::strided(&x, 3, 4, usize::MAX / 2, 1).err(), overflow);
    assert_eq!(Dense::strided(&x, 3, 4, usize::MAX / 2 - 3, 1 << 20).err(), overflow);
    assert_eq!(Dense::by_feature(&x, usize::MAX, 4).err(), overflow);

    let mut gram = [0.0; 9];
    let block = Block::Dense(Dense::by_feature(&x, 3, 4).unwrap());
    assert_eq!(push(&mut gram, block), Err(Error::Length { what: "gram", expected: 16, found: 9 }));
    assert!(accumulate_dense_layout::<f64>(usize::MAX / 8).is_err());
    assert!(accumulate_sparse_layout::<f64>(usize::MAX / 8).is_err());

    let csr = |pointers, indices| Csr::by_feature(pointers, indices, &x[..3], 2, 4).err();
    let bad = |what, index| Some(Error::BadIndex { what, index });
    assert_eq!(csr(&[0, 1, 3], &[3, 0, 2]), None);
    assert_eq!(csr(&[0, 1], &[3, 0, 2]), Some(Error::Length { what: "pointers", expected: 3, found: 2 }));
    assert_eq!(csr(&[0, 1, 3], &[3, 0]), Some(Error::Length { what: "values", expected: 2, found: 3 }));
    assert_eq!(csr(&[0, 2, 1], &[0, 1, 2]), bad("pointers", 2));
    assert_eq!(csr(&[0, 1, 4], &[0, 1, 2]), bad("pointers", 2));
    assert_eq!(csr(&[0, 1, 3], &[0, 1, 4]), bad("indices", 2));
    assert_eq!(csr(&[0, 1, 3], &[0, 2, 2]), bad("indices", 2));
    assert_eq!(csr(&[0, 3, 3], &[0, 2, 1]), bad("indices", 2));
}

#[test]
fn the_first_bad_value_is_named_and_nothing_is_changed() {
    let (d, n) = (6, 9);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut view = View::<f64>::random(d, n);
        view.x[4 * n + 1] = bad;
        view.x[2 * n + 7] = bad;
        let by_sample = view.transposed();
        let (pointers, indices, values) = compress(&view.x, n);
        let blocks = [
            Block::Dense(view.rows(0..d)),
            Block::Dense(Dense::by_sample(&by_sample, d, n).unwrap()),
            Block::Sparse(Csr::by_feature(&pointers, &indices, &values, d, n).unwrap()),
        ];
        let mut gram = vec![0.5; n * n];
        for block in blocks {
            let refused = push(&mut gram, block);
            assert_eq!(refused, Err(Error::BadSample { view: 3, feature: 2, sample: 7 }));
        }
        let (pointers, indices, values) = compress(&by_sample, d);
        let block = Block::Sparse(Csr::by_sample(&pointers, &indices, &values, d, n).unwrap());
        assert_eq!(push(&mut gram, block), Err(Error::BadSample { view: 3, feature: 4, sample: 1 }));
        assert_eq!(gram, vec![0.5; n * n]);
    }
}

#[test]
fn layouts_are_exact() {
    for (d, n) in SHAPES {
        let view = View::<f64>::random(d, n);
        let mut gram = vec![0.0; n * n];
        let dense = view.rows(0..d);
        let layout = accumulate_dense_layout::<f64>(n).unwrap();
        exactly(layout, |work| accumulate_dense(&mut gram, 0, &dense, work)).unwrap();
        assert!(layout.bytes() <= 8 * 64 * (n + 7), "linear in the samples");
        let (pointers, indices, values) = compress(&view.transposed(), d);
        let sparse = Csr::by_sample(&pointers, &indices, &values, d, n).unwrap();
        let layout = accumulate_sparse_layout::<f64>(n).unwrap();
        exactly(layout, |work| accumulate_sparse(&mut gram, 0, &sparse, work)).unwrap();
        assert!(layout.bytes() <= (16 + 12 * 64) * n, "linear in the samples");
    }
}

// ---- distances and graph terms -----------------------------------------------------------------

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn agrees_with_the_oracle<T: Scalar>(tolerance: f64) {
    let size = |value: &Value| value.as_u64().expect("a size") as usize;
    let document: Value = serde_json::from_str(include_str!("fixtures/graph.json")).expect("JSON");
    let cases = document["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 3);
    for case in cases {
        let (d, n) = (size(&case["features"]), size(&case["samples"]));
        let view = View { x: numbers(&case["view"]).into_iter().map(T::from_f64).collect(), d, n };
        for run in case["runs"].as_array().expect("runs") {
            // Ours is without the constant d.
            let (distance, constant) = match run["distance"].as_str() {
                Some("stiefel") => (Distance::Stiefel, d as f64),
                _ => (Distance::Euclidean, 0.0),
            };
            let unit = run["unit"].as_bool().expect("a flag");
            let what = format!("{d} x {n}, {distance:?}, {unit}");
            let e = distances(&view, distance, unit);
            let expected: Vec<f64> = numbers(&run["distances"]).iter().map(|e| e - constant).collect();
            assert_close(&e, &expected, tolerance, &what);
            for term in run["terms"].as_array().expect("terms") {
                let (k, weight) = (size(&term["neighbours"]), term["weight"].as_f64().expect("a weight"));
                let adapted = adapted(e.clone(), n, k, T::from_f64(weight));
                assert_close(&adapted, &numbers(&term["adaptive"]), 100.0 * tolerance, &what);
                if !term["knn"].is_null() {
                    assert_close(&neighbours(&e, n, k), &numbers(&term["knn"]), 100.0 * tolerance, &what);
                }
            }
        }
    }
}

#[test]
fn distances_and_graph_terms_agree_with_the_oracle() {
    agrees_with_the_oracle::<f64>(1e-13);
    agrees_with_the_oracle::<f32>(1e-5);
}

#[test]
fn distances_are_symmetric_and_follow_a_permutation_to_the_bit() {
    let (d, n) = (17, 70);
    let view = View::<f32>::random(d, n);
    let order = shuffled(n);
    let x = view.x.chunks(n).flat_map(|row| order.iter().map(|&j| row[j])).collect();
    let other = View { x, d, n };
    for distance in [Distance::Stiefel, Distance::Euclidean] {
        for unit in [false, true] {
            let [e, f] = [&view, &other].map(|view| distances(view, distance, unit));
            assert!((0..n * n).all(|at| e[at] == e[at % n * n + at / n]));
            assert_eq!(permuted(&e, &order), f);
            let [e, f] = [e, f].map(|e| adapted(e, n, 5, 100.0));
            assert_eq!(permuted(&e, &order), f);
        }
    }
}

#[test]
fn powers_of_two_cancel_in_unit_length() {
    let (d, n) = (9, 12);
    let view = View::<f64>::random(d, n);
    for distance in [Distance::Stiefel, Distance::Euclidean] {
        let expected = distances(&view, distance, true);
        for power in [-400, -1, 3, 400] {
            let mut scaled = View { x: view.x.clone(), d, n };
            scaled.x.chunks_mut(n).for_each(|row| row[4] *= 2_f64.powi(power));
            assert_eq!(distances(&scaled, distance, true), expected, "2^{power}");
        }
    }
}

#[test]
fn gram_matrices_at_the_edges_of_the_range() {
    let max = f64::MAX;
    let huge = vec![max, 0.0, max / 2.0, max];
    let unit = finished(huge.clone(), 2, Distance::Stiefel, true).unwrap();
    assert_close(&unit, &[-1.0, -0.5, -0.5, -1.0], 1e-15, "huge");
    let tiny = vec![1e-300, 0.0, 5e-301, 1e-300];
    let unit = finished(tiny, 2, Distance::Euclidean, true).unwrap();
    assert_close(&unit, &[0.0, 1.0, 1.0, 0.0], 1e-15, "tiny");

    let mut gram = huge.clone();
    let mut work = Workspace::new(finish_gram_layout::<f64>(2).unwrap());
    let refused = finish_gram(&mut gram, 7, 2, Distance::Euclidean, false, &mut work.arena());
    assert_eq!((refused, &gram), (Err(Error::Range { view: 7 }), &huge));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut gram = vec![1.0, 0.0, bad, 1.0];
        let refused = finish_gram(&mut gram, 7, 2, Distance::Stiefel, true, &mut work.arena());
        assert_eq!(refused, Err(Error::Range { view: 7 }));
        assert_eq!(gram[..2], [1.0, 0.0]);
    }
    // Above the diagonal nothing counts.
    let garbage = finished(vec![4.0, f64::NAN, 1.0, 1.0], 2, Distance::Stiefel, true).unwrap();
    assert_eq!(garbage, [-1.0, -0.5, -0.5, -1.0]);
}

#[test]
fn zero_duplicate_and_constant_samples() {
    let (d, n) = (30, 12);
    let mut view = View::<f64>::random(d, n);
    for row in view.x.chunks_mut(n) {
        row[2] = 0.0;
        row[5] = 0.0;
        row[7] = row[1];
    }
    for (distance, zero, same) in [(Distance::Stiefel, 0.0, -1.0), (Distance::Euclidean, 1.0, 0.0)] {
        let e = distances(&view, distance, true);
        assert_eq!(e[2 * n + 8], zero);
        assert_eq!(e[2 * n + 5], 0.0, "two zeros are one point");
        assert_eq!(e[8 * n + 8], same);
        assert!((e[7 * n + 1] - same).abs() <= 1e-15);
        let scaled = adapted(e.clone(), n, 3, 100.0);
        assert!(scaled.iter().all(|x| x.is_finite() && *x >= 0.0));
        for row in neighbours(&e, n, 3).chunks(n) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() <= 1e-14);
        }
    }
    // Every sample the same: no distance is more than rounding, and nobody is nearer than another.
    let same = View { x: reals::<f64>(1, d).into_iter().flat_map(|x| [x; 12]).collect(), d, n };
    let zero = View { x: vec![0.0; d * n], d, n };
    let line = View { x: (1..=12).map(|x| f64::from(x) / 7.0).collect(), d: 1, n };
    for view in [same, zero, line] {
        for distance in [Distance::Stiefel, Distance::Euclidean] {
            let e = distances(&view, distance, true);
            let scaled = adapted(e, n, 3, 100.0);
            assert!(scaled.iter().all(|x| x.abs() <= 1e-12), "{distance:?}: {scaled:?}");
        }
    }
}

/// Rows whose c is well above a tenth of the median.
fn generic_rows(e: &[f64], n: usize, k: usize) -> Vec<usize> {
    let c = |(i, row): (usize, &[f64])| {
        let mut others = [&row[..i], &row[i + 1..]].concat();
        others.sort_by(f64::total_cmp);
        k as f64 * others[k] - others[..k].iter().sum::<f64>()
    };
    let c: Vec<f64> = e.chunks(n).enumerate().map(c).collect();
    let mut sorted = c.clone();
    sorted.sort_by(f64::total_cmp);
    (0..n).filter(|&i| c[i] > 0.11 * sorted[n / 2]).collect()
}

#[test]
fn the_first_projection_has_as_many_neighbours_as_wished() {
    let (d, n, weight) = (25, 60, 40.0);
    for scale in [1e-8, 1.0, 1e8] {
        let mut view = View::<f64>::random(d, n);
        view.x.iter_mut().for_each(|x| *x *= scale);
        for (distance, unit) in [(Distance::Stiefel, true), (Distance::Euclidean, false)] {
            for k in [1, 4, 10] {
                let e = distances(&view, distance, unit);
                let graph = neighbours(&e, n, k);
                let generic = generic_rows(&e, n, k);
                assert!(generic.len() > n * 3 / 4, "{} of {n}", generic.len());
                let adapted = adapted(e, n, k, weight);
                for i in generic {
                    let row = &adapted[i * n..][..n];
                    // Eq. (19) where nothing has been learned yet: the projection of -e / (2 alpha), alpha = s/2.
                    let mut row: Vec<f64> = row.iter().map(|e| -e / weight).collect();
                    row[i] = -1e300;
                    simplex::project_row(&mut row).unwrap();
                    assert_eq!(row.iter().filter(|a| **a > 1e-12).count(), k, "row {i}");
                    // And it is the graph of the nearest neighbours.
                    assert_close(&row, &graph[i * n..][..n], 1e-12, "row of the graph");
                }
            }
        }
    }
}

#[test]
fn few_samples() {
    // One, two, three: all but the farthest are neighbours.
    assert_eq!(adapted(vec![5.0_f64], 1, 10, 100.0), [0.0]);
    assert_eq!(neighbours(&[5.0_f64], 1, 10), [0.0]);
    assert_eq!(adapted(vec![0.0, 2.0, 2.0, 0.0], 2, 10, 100.0), [0.0, 200.0, 200.0, 0.0]);
    assert_eq!(neighbours(&[0.0, 2.0, 2.0, 0.0], 2, 10), [0.0, 1.0, 1.0, 0.0]);
    let three = [0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0];
    assert_eq!(neighbours(&three, 3, 10), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    // c = (2, 1, 1).
    let expected = [0.0, 0.5, 1.5, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0];
    assert_eq!(adapted(three.to_vec(), 3, 10, 1.0), expected);
}

#[test]
fn ties_are_cut_by_index() {
    let n = 5;
    let e: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { 0.0 } else { 1.0 }).collect();
    let graph = neighbours(&e, n, 2);
    assert_eq!(graph[..n], [0.0, 0.5, 0.5, 0.0, 0.0]);
    assert_eq!(graph[n..2 * n], [0.5, 0.0, 0.5, 0.0, 0.0]);
    assert_eq!(graph[4 * n..], [0.5, 0.5, 0.0, 0.0, 0.0]);
}

/// The clamp of c: a tenth of the median; of the mean where most rows have no neighbourhood; else one.
#[test]
fn rows_without_a_neighbourhood_take_a_tenth_of_the_median() {
    // Points on a line: three times the same place, and others. k = 1: c_i is 0 at the triple.
    let scaled = |places: &[f64], weight: f64| {
        let e: Vec<f64> = places.iter().flat_map(|x| places.iter().map(move |y| (x - y).abs())).collect();
        (adapted(e.clone(), places.len(), 1, weight), e)
    };
    let places = [0.0, 0.0, 0.0, 10.0, 11.0, 14.0, 20.0];
    // c = (0, 0, 0, 3, 2, 1, 3), median 1.
    let (row, e) = scaled(&places, 1.0);
    assert_close(
        &row[..7],
        &e[..7].iter().map(|e| e / 0.1).collect::<Vec<_>>(),
        1e-15,
        "tenth of the median",
    );
    assert_close(&row[21..28], &e[21..28].iter().map(|e| e / 3.0).collect::<Vec<_>>(), 1e-15, "own");
    // c = 0 everywhere: one.
    let (row, e) = scaled(&[0.0, 0.0, 0.0, 0.0, 7.0], 1.0);
    assert_eq!(row, e);
    let (row, e) = scaled(&[0.0, 0.0, 0.0, 1.0, 8.0], 1.0);
    // c = (0, 0, 0, 0, 1): median 0, mean 0.2.
    assert_close(&row[..5], &e[..5].iter().map(|e| e / 0.02).collect::<Vec<_>>(), 1e-15, "tenth of the mean");
}

#[test]
fn given_matrices_are_checked() {
    let good = [0.0, 1.0, 2.0, 0.0];
    assert_eq!(check_distances(&good, 1, 2), Ok(()));
    let length = Error::Length { what: "pairs", expected: 9, found: 4 };
    assert_eq!(check_distances(&good, 1, 3), Err(length));
    assert_eq!(check_distances::<f64>(&[], 1, 0), Err(Error::Empty { what: "samples" }));
    let bad = Error::BadSample { view: 1, feature: 1, sample: 0 };
    assert_eq!(check_distances(&[0.0, 1.0, f64::NAN, 0.0], 1, 2), Err(bad));
    assert_eq!(check_distances(&[0.0, 1.0, f64::MAX, 0.0], 1, 2), Err(Error::Range { view: 1 }));
    let mut similar = [1.0, 0.25, -0.5, 1.0];
    from_similarity(&mut similar, 1, 2).unwrap();
    assert_eq!(similar, [-1.0, -0.25, 0.5, -1.0]);
    assert_eq!(from_similarity(&mut [1.0, f64::INFINITY, 0.0, 1.0], 2, 2).err(), {
        Some(Error::BadSample { view: 2, feature: 0, sample: 1 })
    });
    let mut work = Workspace::new(adaptive_layout::<f64>(2, 3).unwrap());
    let mut e = good;
    assert!(adaptive(&mut e, 0, 2, 0, 1.0, &mut work.arena()).is_err());
    assert!(adaptive(&mut e, 0, 2, 3, 0.0, &mut work.arena()).is_err());
    assert!(adaptive(&mut e, 0, 2, 3, f64::NAN, &mut work.arena()).is_err());
    assert_eq!(e, good);
    // A pair that is as good as forbidden stays a number.
    let mut e = vec![0.0_f64, 1.0, 1e300, 1.0, 0.0, 2.0, 1e300, 2.0, 0.0];
    e[1] += 1e-9;
    assert!(adapted(e, 3, 1, 1e9).iter().all(|e| e.is_finite()));
}
