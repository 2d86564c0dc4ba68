//! Spectral embeddings against closed forms, nalgebra's decompositions, and shuffled samples.

mod common;
mod guarded;

use common::{exactly, reals};
use cstgl::order::canonical_order;
use cstgl::rng::Rng;
use cstgl::spectral::{
    Graph, eigenvalue_count, embed, embed_layout, estimate_clusters, estimate_clusters_layout,
    normalise_packed, packed_length, reference,
};
use cstgl::workspace::Layout;
use cstgl::{Error, Scalar};
use guarded::Workspace;
use nalgebra::{DMatrix, DVector};

/// The lower triangle of the graph `weight(i, j)`.
fn triangle<T: Scalar>(n: usize, weight: impl Fn(usize, usize) -> f64) -> Vec<T> {
    (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| T::from_f64(weight(i, j))).collect()
}

/// A normalised graph that owns its parts.
struct Owned<T> {
    triangle: Vec<T>,
    degrees: Vec<T>,
    order: Vec<u32>,
}

impl<T: Scalar> Owned<T> {
    fn new(n: usize, weight: impl Fn(usize, usize) -> f64) -> Self {
        let mut triangle = triangle(n, weight);
        let (mut degrees, mut order) = (vec![T::ZERO; n], vec![0; n]);
        normalise_packed(&mut triangle, &mut degrees).unwrap();
        canonical_order(&degrees, &mut order).unwrap();
        Self { triangle, degrees, order }
    }

    fn graph(&self) -> Graph<'_, T> {
        Graph { triangle: &self.triangle, degrees: &self.degrees, order: &self.order, threads: 1 }
    }

    fn embed(&self, k: usize) -> Result<(Vec<T>, Vec<T>), Error> {
        let n = self.degrees.len();
        let (mut embedding, mut values) = (vec![T::ZERO; n * k], vec![T::ZERO; k]);
        exactly(embed_layout::<T>(n, k)?, |work| embed(&self.graph(), 0, &mut embedding, &mut values, work))?;
        Ok((embedding, values))
    }

    fn estimate(&self, limit: usize) -> usize {
        let n = self.degrees.len();
        let mut values = vec![T::ZERO; eigenvalue_count(n, limit)];
        exactly(estimate_clusters_layout::<T>(n, limit).unwrap(), |work| {
            estimate_clusters(&self.graph(), limit, 0, &mut values, work)
        })
        .unwrap()
    }
}

/// Weights in [0, 1), larger inside `k` interleaved groups. Symmetric, and a function of the pair alone.
fn noisy(k: usize, contrast: f64) -> impl Fn(usize, usize) -> f64 {
    move |i, j| {
        let pair = (i.max(j) * 100_003 + i.min(j)) as u64;
        let noise = Rng::new(pair).uniform::<f64>();
        if i == j {
            0.0
        } else if i % k == j % k {
            noise * contrast
        } else {
            noise
        }
    }
}

/// Inner products between rows: what is left of an embedding when the axes are arbitrary.
fn products(embedding: &[f64], k: usize) -> Vec<f64> {
    let rows = embedding.chunks(k);
    rows.clone().flat_map(|x| rows.clone().map(move |y| x.iter().zip(y).map(|(x, y)| x * y).sum())).collect()
}

fn wide<T: Scalar>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.to_f64()).collect()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance, "{what}, element {i}: {x} is not {y}");
    }
}

/// Unit rows of the eigenvectors in the columns of `vectors`.
fn unit_rows(vectors: &DMatrix<f64>) -> Vec<f64> {
    let rows = vectors.row_iter().map(|row| row.clone_owned() / row.norm());
    rows.flat_map(|row| row.iter().copied().collect::<Vec<_>>()).collect()
}

/// nalgebra's way: everything dense.
fn expected(n: usize, k: usize, weight: impl Fn(usize, usize) -> f64) -> (Vec<f64>, Vec<f64>) {
    let s = DMatrix::from_fn(n, n, weight);
    let roots = DVector::from_iterator(n, s.row_iter().map(|row| 1.0 / row.sum().sqrt()));
    let eigen = nalgebra::SymmetricEigen::new(DMatrix::from_fn(n, n, |i, j| s[(i, j)] * roots[i] * roots[j]));
    let mut by_value: Vec<usize> = (0..n).collect();
    by_value.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let vectors = DMatrix::from_fn(n, k, |i, j| eigen.eigenvectors[(i, by_value[j])]);
    (unit_rows(&vectors), by_value[..k].iter().map(|&i| eigen.eigenvalues[i]).collect())
}

/// Sizes below and above the switch from dense to Krylov.
fn agrees_with_nalgebra<T: Scalar>(tolerance: f64) {
    for (n, k) in [(2, 1), (5, 2), (30, 3), (83, 3), (85, 3), (120, 4), (200, 2), (300, 8)] {
        let weight = noisy(k.max(2), 6.0);
        let (embedding, values) = Owned::<T>::new(n, &weight).embed(k).unwrap();
        let (rows, eigenvalues) = expected(n, k, &weight);
        let what = format!("n = {n}, k = {k}");
        assert_close(&wide(&values), &eigenvalues, tolerance, &what);
        assert_close(&products(&wide(&embedding), k), &products(&rows, k), 10.0 * tolerance, &what);
    }
}

#[test]
fn embeddings_agree_with_nalgebra() {
    agrees_with_nalgebra::<f64>(1e-10);
    agrees_with_nalgebra::<f32>(1e-4);
}

/// k blocks without an edge between them: k eigenvalues of one, and all samples of a block in one point, orthogonal to
/// the others. Blocks of different sizes, so that degrees differ.
#[test]
fn separate_blocks_are_orthogonal_points() {
    for n in [20, 150] {
        let block = |i: usize| if i < n / 5 { 0 } else { 1 + i % 2 };
        let weight =
            |i: usize, j: usize| if block(i) == block(j) { 1.0 + 0.5 * noisy(2, 1.0)(i, j) } else { 0.0 };
        let (embedding, values) = Owned::<f64>::new(n, weight).embed(3).unwrap();
        assert_close(&values, &[1.0; 3], 1e-12, "eigenvalues");
        let exact: Vec<f64> =
            (0..n * n).map(|at| f64::from(u8::from(block(at / n) == block(at % n)))).collect();
        assert_close(&products(&embedding, 3), &exact, 1e-9, "inner products");
    }
}

#[test]
fn degrees_are_row_sums_and_the_rest_is_divided_by_their_roots() {
    let mut s = [1.0_f64, 2.0, 3.0, 0.0, 0.0, 0.0];
    let mut degrees = [9.0; 3];
    normalise_packed(&mut s, &mut degrees).unwrap();
    assert_eq!(degrees, [3.0, 5.0, 0.0]);
    assert_close(&s, &[1.0 / 3.0, 2.0 / 15.0_f64.sqrt(), 0.6, 0.0, 0.0, 0.0], 1e-15, "normalised");
    // Negative degrees are cut off and poison nothing.
    let mut s = [0.0_f32, -2.0, 0.0];
    normalise_packed(&mut s, &mut degrees.map(|_| 0.0)[..2]).unwrap();
    assert_eq!(s, [0.0; 3]);
}

#[test]
fn the_smallest_cases() {
    let one = Owned::<f64>::new(1, |_, _| 4.0);
    assert_eq!(one.embed(1).unwrap(), (vec![1.0], vec![1.0]));
    assert_eq!(Owned::<f64>::new(1, |_, _| 0.0).embed(1).unwrap(), (vec![0.0], vec![0.0]), "no edge at all");
    assert_eq!(one.estimate(20), 1);
    for n in [2, 7] {
        let (embedding, _) = Owned::<f64>::new(n, noisy(2, 3.0)).embed(n).unwrap();
        let identity: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect();
        assert_close(&products(&embedding, n), &identity, 1e-13, "k = n: orthogonal rows");
    }
    // k = n - 1 and k = 1 where n is large enough for Krylov.
    let graph = Owned::<f64>::new(90, noisy(3, 3.0));
    assert_eq!(graph.embed(89).unwrap().1.len(), 89);
    let (embedding, values) = graph.embed(1).unwrap();
    assert!((values[0] - 1.0).abs() < 1e-12 && embedding.iter().all(|x| (x.abs() - 1.0).abs() < 1e-12));
}

#[test]
fn samples_without_an_edge_are_at_the_origin() {
    for n in [30, 200] {
        let weight = |i: usize, j: usize| if i % 10 == 3 || j % 10 == 3 { 0.0 } else { noisy(2, 5.0)(i, j) };
        let (embedding, _) = Owned::<f32>::new(n, weight).embed(2).unwrap();
        for (i, row) in embedding.chunks(2).enumerate() {
            let length = row.iter().map(|x| x * x).sum::<f32>();
            let exact = if i % 10 == 3 { 0.0 } else { 1.0 };
            assert!((length - exact).abs() < 1e-5, "n = {n}, sample {i}: {length}");
        }
    }
}

/// The weight of a pair of samples.
type Weight<'a> = &'a dyn Fn(usize, usize) -> f64;

/// Distances between embedded samples do not change, not even where an eigenvalue is multiple: nine separate parts.
#[test]
fn shuffled_samples_get_the_same_embedding() {
    let n = 200;
    let separate = |i: usize, j: usize| if i % 9 == j % 9 { noisy(1, 1.0)(i, j) } else { 0.0 };
    let connected = noisy(4, 5.0);
    let cases: [(&str, Weight<'_>, [usize; 2]); 2] =
        [("separate", &separate, [9, 20]), ("connected", &connected, [4, 20])];
    for (name, weight, ks) in cases {
        for k in ks {
            let plain = products(&Owned::<f64>::new(n, weight).embed(k).unwrap().0, k);
            let mut rng = Rng::new(1);
            for _ in 0..3 {
                let mut shuffle: Vec<usize> = (0..n).collect();
                for i in (1..n).rev() {
                    shuffle.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
                }
                let shuffled = Owned::<f64>::new(n, |i, j| weight(shuffle[i], shuffle[j]));
                let found = products(&shuffled.embed(k).unwrap().0, k);
                let permuted: Vec<f64> =
                    (0..n * n).map(|at| plain[shuffle[at / n] * n + shuffle[at % n]]).collect();
                assert_close(&found, &permuted, 1e-6, name);
            }
        }
    }
}

#[test]
fn clusters_are_counted_by_the_gap() {
    for (n, k) in [(40, 2), (60, 3), (90, 5), (300, 4), (400, 7)] {
        assert_eq!(Owned::<f64>::new(n, noisy(k, 15.0)).estimate(20), k, "n = {n}");
        assert_eq!(Owned::<f32>::new(n, noisy(k, 15.0)).estimate(20), k, "n = {n}");
    }
    let complete = |i: usize, j: usize| f64::from(u8::from(i != j));
    assert_eq!(Owned::<f64>::new(50, complete).estimate(20), 1, "one block");
    assert_eq!(Owned::<f64>::new(300, noisy(1, 1.0)).estimate(20), 1, "noise alone");
    let pairs = |i: usize, j: usize| f64::from(u8::from(i / 2 == j / 2));
    assert_eq!(Owned::<f64>::new(60, pairs).estimate(12), 12, "30 components, limit 12");
    assert_eq!(
        Owned::<f64>::new(6, |i, j| f64::from(u8::from(i % 2 == j % 2))).estimate(20),
        2,
        "limit above n"
    );
}

/// Right singular vectors of the smallest singular values, by nalgebra's decomposition of the matrix itself.
#[test]
fn the_reference_form_agrees_with_a_singular_value_decomposition() {
    for (n, k) in [(1, 1), (6, 2), (24, 3), (25, 25), (70, 4)] {
        let noise = reals::<f64>(n as u64, n * n);
        let mut s = DMatrix::from_fn(n, n, |i, j| {
            if i == j && n > 1 {
                0.0
            } else {
                (0.5 + 0.5 * noise[i * n + j]) * if i % k == j % k { 5.0 } else { 1.0 }
            }
        });
        for mut column in s.column_iter_mut() {
            let norm = column.norm();
            column /= norm;
        }
        let roots: Vec<f64> =
            s.column_iter().map(|column| 1.0 / (column.sum() + f64::EPSILON).sqrt()).collect();
        let laplacian =
            DMatrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - roots[i] * s[(i, j)] * roots[j]);
        let svd = laplacian.svd(false, true);
        let right = svd.v_t.unwrap();
        let smallest = DMatrix::from_fn(n, k, |i, j| right[(n - 1 - j, i)]);
        let singular: Vec<f64> = (0..k).map(|j| svd.singular_values[n - 1 - j]).collect();

        let mut affinity: Vec<f64> = (0..n * n).map(|at| s[(at / n, at % n)]).collect();
        let (mut embedding, mut values) = (vec![0.0; n * k], vec![0.0; k]);
        exactly(reference::embed_layout::<f64>(n).unwrap(), |work| {
            reference::embed(&mut affinity, n, &mut embedding, &mut values, work)
        })
        .unwrap();
        // Squares: a singular value of zero comes back as the root of the rounding.
        assert_close(&values, &singular, 1e-7, "singular values");
        let what = format!("n = {n}, k = {k}");
        assert_close(&products(&embedding, k), &products(&unit_rows(&smallest), k), 1e-9, &what);
    }
}

#[test]
fn bad_input_is_an_error_and_changes_nothing() {
    let good = Owned::<f64>::new(5, noisy(2, 2.0));
    let mut workspace = Workspace::new(Layout::array::<u64>(4000).unwrap());
    let (mut embedding, mut values) = ([7.0; 10], [7.0; 2]);
    let mut refused = |graph: Graph<'_, f64>| {
        let error = embed(&graph, 0, &mut embedding, &mut values, &mut workspace.arena()).err();
        assert_eq!((embedding, values), ([7.0; 10], [7.0; 2]));
        error
    };
    assert_eq!(
        refused(Graph { triangle: &good.triangle[1..], ..good.graph() }),
        Some(Error::Length { what: "triangle", expected: 15, found: 14 })
    );
    assert!(matches!(
        refused(Graph { order: &[0, 1, 2, 3, 3], ..good.graph() }),
        Some(Error::Parameter { .. })
    ));
    assert!(matches!(refused(Graph { order: &[0, 1], ..good.graph() }), Some(Error::Length { .. })));
    let mut bad = good.triangle.clone();
    bad[3] = f64::INFINITY;
    assert_eq!(
        refused(Graph { triangle: &bad, ..good.graph() }),
        Some(Error::NotFinite { what: "triangle", index: 3 })
    );
    let kept = bad.clone();
    assert!(normalise_packed(&mut bad, &mut [0.0; 5]).is_err());
    assert_eq!(bad, kept);
    assert!(embed_layout::<f64>(5, 0).is_err() && embed_layout::<f64>(5, 6).is_err());
    assert!(packed_length(usize::MAX).is_err());
}
