//! Views in any number of blocks, of any kind: the same labels, and no more memory.

mod common;
mod guarded;
mod runs;

use common::relative_error;
use cstgl::graph::dense::{Dense, accumulate_dense, accumulate_dense_layout};
use cstgl::graph::sparse::{Csr, accumulate_sparse, accumulate_sparse_layout};
use cstgl::session::{Flow, Session};
use cstgl::{Config, Error, Scalar};
use guarded::Workspace;
use runs::{Data, Snapshot, demo, memory, profiles, snapshot};

/// A sparse matrix: where its rows begin, positions and values.
type Sparse<T> = (Vec<usize>, Vec<u32>, Vec<T>);

fn sparse<T: Scalar>(matrix: &[T], cols: usize) -> Sparse<T> {
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in matrix.chunks(cols) {
        for (j, &x) in row.iter().enumerate().filter(|(_, x)| **x != T::ZERO) {
            indices.push(j as u32);
            values.push(x);
        }
        pointers.push(indices.len());
    }
    (pointers, indices, values)
}

fn transposed<T: Scalar>(matrix: &[T], cols: usize) -> Vec<T> {
    (0..cols).flat_map(|j| matrix.iter().skip(j).step_by(cols).copied()).collect()
}

/// A way for a view, a row a feature, to come in.
type Way<T> = fn(&mut Session<'_, T>, usize, &[T], usize) -> Result<(), Error>;

fn ways<T: Scalar>() -> [(&'static str, Way<T>); 8] {
    [
        ("rows", |session, v, view, n| session.push_dense(v, &Dense::by_feature(view, view.len() / n, n)?)),
        ("columns", |session, v, view, n| {
            session.push_dense(v, &Dense::by_sample(&transposed(view, n), view.len() / n, n)?)
        }),
        ("one feature at a time", |session, v, view, n| {
            view.chunks(n).try_for_each(|feature| session.push_dense(v, &Dense::by_feature(feature, 1, n)?))
        }),
        ("strided, from the last feature", |session, v, view, n| {
            // Every number doubled and a margin behind each feature: neither stride is the obvious one.
            for feature in view.chunks(n).rev() {
                let wide: Vec<T> = feature.iter().flat_map(|&x| [x, T::from_f64(7.0)]).collect();
                session.push_dense(v, &Dense::strided(&wide, 1, n, 2 * n, 2)?)?;
            }
            Ok(())
        }),
        ("sparse rows", |session, v, view, n| {
            let (pointers, indices, values) = sparse(view, n);
            session.push_sparse(v, &Csr::by_feature(&pointers, &indices, &values, view.len() / n, n)?)
        }),
        ("sparse columns", |session, v, view, n| {
            let features = view.len() / n;
            let (pointers, indices, values) = sparse(&transposed(view, n), features);
            session.push_sparse(v, &Csr::by_sample(&pointers, &indices, &values, features, n)?)
        }),
        ("sparse and dense in turn", |session, v, view, n| {
            for (f, feature) in view.chunks(n).enumerate() {
                if f % 2 == 0 {
                    session.push_dense(v, &Dense::by_feature(feature, 1, n)?)?;
                } else {
                    let (pointers, indices, values) = sparse(feature, n);
                    session.push_sparse(v, &Csr::by_feature(&pointers, &indices, &values, 1, n)?)?;
                }
            }
            Ok(())
        }),
        ("its Gram matrix", |session, v, view, n| session.push_gram(v, &gram(view, n))),
    ]
}

/// `sum over features of x_i x_j`, by the definition.
fn gram<T: Scalar>(view: &[T], n: usize) -> Vec<T> {
    let inner = |i: usize, j: usize| {
        let sum: f64 = view.chunks(n).map(|row| row[i].to_f64() * row[j].to_f64()).sum();
        T::from_f64(sum)
    };
    (0..n * n).map(|k| inner(k / n, k % n)).collect()
}

fn run_by<T: Scalar>(config: &Config<T>, data: &Data<T>, way: Way<T>) -> Result<Snapshot<T>, Error> {
    let mut memory = memory(config)?;
    let mut session = Session::new(memory.bytes_mut(), config)?;
    for (v, view) in data.views.iter().enumerate() {
        way(&mut session, v, view, data.n)?;
    }
    session.run(|_| Flow::Continue)?;
    snapshot(&mut session)
}

fn the_way_does_not_matter<T: Scalar>(tolerance: f64) {
    let (mut data, _) = demo::<T>(61, 3, 1);
    // A quarter of the numbers zero, so that sparse means something.
    for view in &mut data.views {
        view.iter_mut().for_each(|x| *x = if Scalar::max(*x, -*x) < T::from_f64(0.2) { T::ZERO } else { *x });
    }
    for (name, config) in profiles(61, 3, 4) {
        let mut whole = None;
        for (way, push) in ways() {
            let found = run_by(&config, &data, push).unwrap();
            let whole = whole.get_or_insert_with(|| found.clone());
            assert_eq!(found.labels, whole.labels, "{name}, {way}");
            let error = relative_error(&found.affinity, &whole.affinity);
            assert!(error <= tolerance, "{name}, {way}: {error:e}");
        }
    }
}

#[test]
fn views_may_come_in_any_way() {
    the_way_does_not_matter::<f64>(1e-11);
    the_way_does_not_matter::<f32>(1e-3);
}

/// What is accumulated, against the definition, with the number of rounding errors that a sum of `d` products has.
#[test]
fn every_way_makes_the_same_gram_matrix() {
    fn check<T: Scalar>() {
        let n = 61;
        let (data, _) = demo::<T>(n, 3, 1);
        for view in &data.views {
            let (features, expected) = (view.len() / n, gram(view, n));
            let layout =
                accumulate_dense_layout::<T>(n).unwrap().or(accumulate_sparse_layout::<T>(n).unwrap());
            let mut work = Workspace::new(layout);
            let (pointers, indices, values) = sparse(view, n);
            let columns = transposed(view, n);
            let (column_pointers, column_indices, column_values) = sparse(&columns, features);
            let dense = [Dense::by_feature(view, features, n), Dense::by_sample(&columns, features, n)];
            let sparse = [
                Csr::by_feature(&pointers, &indices, &values, features, n),
                Csr::by_sample(&column_pointers, &column_indices, &column_values, features, n),
            ];
            let mut sums = vec![vec![T::ZERO; n * n]; 5];
            for (block, sum) in dense.iter().zip(&mut sums) {
                accumulate_dense(sum, 0, block.as_ref().unwrap(), &mut work.arena()).unwrap();
            }
            for (block, sum) in sparse.iter().zip(&mut sums[2..]) {
                accumulate_sparse(sum, 0, block.as_ref().unwrap(), &mut work.arena()).unwrap();
            }
            for feature in view.chunks(n) {
                let block = Dense::by_feature(feature, 1, n).unwrap();
                accumulate_dense(&mut sums[4], 0, &block, &mut work.arena()).unwrap();
            }
            for (way, sum) in sums.iter().enumerate() {
                for i in 0..n {
                    for j in 0..=i {
                        let scale: f64 =
                            view.chunks(n).map(|row| (row[i].to_f64() * row[j].to_f64()).abs()).sum();
                        let error = (sum[i * n + j] - expected[i * n + j]).to_f64().abs();
                        let bound = (features + 1) as f64 * T::EPSILON.to_f64() * scale;
                        assert!(error <= bound, "way {way}, ({i}, {j}): {error:e}");
                    }
                }
            }
        }
    }
    check::<f64>();
    check::<f32>();
}

/// No layout has a place for a number of features; 50000 of them go through the memory of 61 samples.
#[test]
fn memory_does_not_grow_with_the_features() {
    let (n, config) = (61, Config { clusters: 3, ..Config::<f32>::new(61, 1) });
    let mut memory = memory(&config).unwrap();
    let mut session = Session::new(memory.bytes_mut(), &config).unwrap();
    for feature in 0..50_000 {
        // Feature f is large in the samples of cluster f mod 3.
        let row: Vec<f32> = (0..n).map(|i| if (i + feature) % 3 == 0 { 1.0 } else { 0.1 }).collect();
        session.push_dense(0, &Dense::by_feature(&row, 1, n).unwrap()).unwrap();
    }
    session.run(|_| Flow::Continue).unwrap();
    let mut labels = vec![0; n];
    session.cluster(&mut labels).unwrap();
    for (i, label) in labels.iter().enumerate() {
        assert_eq!(*label, labels[i % 3], "sample {i}");
    }
    assert!(labels[0] != labels[1] && labels[1] != labels[2] && labels[0] != labels[2]);
}
