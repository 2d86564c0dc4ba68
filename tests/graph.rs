//! From views to distances: Gram matrices against plain sums, distances and graph terms against the oracle.

mod common;
#[path = "graph/distance.rs"]
mod distance;
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
