//! The dense Hermitian eigensolver and the leading eigenpairs, against constructed spectra and nalgebra.

mod guarded;
mod spectra;

use cstgl::linalg::krylov::{Operator, Symmetric, TopOptions, top, top_layout};
use cstgl::linalg::tridiagonal::{eigen_dense, eigen_dense_layout};
use cstgl::linalg::{Mat, MatMut};
use cstgl::rng::Rng;
use cstgl::workspace::Arena;
use cstgl::{Complex, Error, Field, Scalar};
use guarded::Workspace;
use spectra::{Random, inner, orthonormal, real};

/// `sum of lambda_k q_k q_k^H` for random orthonormal `q_k`, Hermitian to the last bit.
fn with_spectrum<F: Random>(rng: &mut Rng, spectrum: &[f64]) -> Vec<F> {
    let n = spectrum.len();
    let q = orthonormal::<F>(rng, n, n);
    let mut a = vec![F::ZERO; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum = q.iter().zip(spectrum).fold(F::ZERO, |sum, (q, &l)| sum + q[i] * q[j].conj() * real(l));
            a[i * n + j] = sum;
            a[j * n + i] = sum.conj();
        }
        a[i * n + i] = F::from_real(a[i * n + i].re());
    }
    a
}

fn eigen<F: Field>(a: &[F], n: usize) -> Result<(Vec<F::Real>, Vec<F>), Error> {
    let mut workspace = Workspace::new(eigen_dense_layout::<F>(n)?);
    let (mut values, mut vectors) = (vec![F::Real::ZERO; n], vec![F::ZERO; n * n]);
    let rows = MatMut::new("vectors", &mut vectors, n, n)?;
    eigen_dense(Mat::new("a", a, n, n)?, &mut values, rows, &mut workspace.arena())?;
    Ok((values, vectors))
}

/// Descending, orthonormal, and `A v = lambda v`, all to `bound` roundings of the largest element.
fn check_pairs<F: Field>(a: &[F], n: usize, values: &[F::Real], vectors: &[F], bound: f64) {
    let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs().to_f64())).max(f64::MIN_POSITIVE);
    let allowed = bound * F::Real::EPSILON.to_f64();
    assert!(values.windows(2).all(|w| w[0] >= w[1]), "{values:?}");
    for (i, v) in vectors.chunks(n).enumerate() {
        for (j, w) in vectors.chunks(n).enumerate() {
            let expected = if i == j { F::ONE } else { F::ZERO };
            let error = (inner(v, w) - expected).abs().to_f64();
            assert!(error <= allowed, "n = {n}: <v_{i}, v_{j}> is off by {error:e}");
        }
        for (row, &x) in a.chunks(n).zip(v) {
            let product =
                row.iter().zip(v).fold(F::ZERO, |s, (a, v)| s + a.unscale(F::Real::from_f64(size)) * *v);
            let value = values[i].unscale(F::Real::from_f64(size));
            let error = (product - x.scale(value)).abs().to_f64();
            assert!(error <= allowed * n as f64, "n = {n}: residual {i} is {error:e}");
        }
    }
}

fn constructed<F: Random>(sizes: &[usize], bound: f64) {
    let mut rng = Rng::new(1);
    for &n in sizes {
        let spectra: [fn(usize, usize) -> f64; 6] = [
            |k, n| 1.0 - 2.0 * k as f64 / n as f64,
            |k, _| 10.0_f64.powi(-(k as i32)),
            |k, _| if k < 3 { 1.0 } else { -0.5 },
            |k, _| 1.0 + 1e-13 * k as f64,
            |k, _| if k == 0 { 7.0 } else { 0.0 },
            |_, _| -2.0,
        ];
        for spectrum in spectra {
            let mut exact: Vec<f64> = (0..n).map(|k| spectrum(k, n)).collect();
            let a = with_spectrum::<F>(&mut rng, &exact);
            let (values, vectors) = eigen(&a, n).expect("converges");
            check_pairs(&a, n, &values, &vectors, bound);
            exact.sort_by(|x, y| y.total_cmp(x));
            let size = exact[0].abs().max(exact[n - 1].abs());
            for (value, exact) in values.iter().zip(&exact) {
                let error = (value.to_f64() - exact).abs();
                assert!(error <= bound * F::Real::EPSILON.to_f64() * size, "n = {n}: {error:e}");
            }
        }
    }
}

#[test]
fn constructed_spectra_are_recovered() {
    let sizes: Vec<usize> = (1..20).chain([31, 32, 33, 47, 60]).collect();
    constructed::<f64>(&sizes, 60.0);
    constructed::<f32>(&sizes, 60.0);
    constructed::<Complex<f64>>(&sizes, 60.0);
    constructed::<Complex<f32>>(&sizes, 60.0);
}

#[test]
fn agrees_with_nalgebra() {
    let mut rng = Rng::new(2);
    for n in [1_usize, 2, 3, 10, 40, 300] {
        let mut a = vec![0.0_f64; n * n];
        for i in 0..n {
            for j in 0..=i {
                let x = f64::random(&mut rng);
                (a[i * n + j], a[j * n + i]) = (x, x);
            }
        }
        let (values, vectors) = eigen(&a, n).expect("converges");
        check_pairs(&a, n, &values, &vectors, 100.0);
        let mut other: Vec<f64> =
            nalgebra::DMatrix::from_row_slice(n, n, &a).symmetric_eigenvalues().data.into();
        other.sort_by(|x, y| y.total_cmp(x));
        for (ours, theirs) in values.iter().zip(&other) {
            assert!((ours - theirs).abs() <= 1e-12, "{ours} {theirs}");
        }
    }
    for n in [2_usize, 17, 50] {
        let spectrum: Vec<f64> = (0..n).map(|_| f64::random(&mut rng)).collect();
        let a = with_spectrum::<Complex<f64>>(&mut rng, &spectrum);
        let (values, _) = eigen(&a, n).expect("converges");
        let mut other: Vec<f64> =
            nalgebra::DMatrix::from_row_slice(n, n, &a).symmetric_eigenvalues().data.into();
        other.sort_by(|x, y| y.total_cmp(x));
        assert!(values.iter().zip(&other).all(|(x, y)| (x - y).abs() <= 1e-13));
    }
}

#[test]
fn only_the_lower_triangle_is_read() {
    let i = Complex::new(0.0_f64, 1.0);
    let symmetric = [2.0.into(), -i, i, 2.0.into()];
    let half = [2.0 + i, Complex::new(99.0, 99.0), i, 2.0 - i];
    let (values, vectors) = eigen(&half, 2).expect("converges");
    check_pairs(&symmetric, 2, &values, &vectors, 10.0);
    assert!(f64::abs(values[0] - 3.0) < 1e-15 && f64::abs(values[1] - 1.0) < 1e-15);
}

#[test]
fn simple_matrices_are_exact() {
    assert_eq!(eigen(&[0.0_f64; 25], 5).expect("converges").0, [0.0; 5]);
    assert_eq!(eigen(&[-3.0_f32], 1).expect("converges"), (vec![-3.0], vec![1.0]));
    let mut diagonal = [0.0_f64; 16];
    for (i, x) in [2.0, -1.0, 5.0, 2.0].into_iter().enumerate() {
        diagonal[5 * i] = x;
    }
    let (values, vectors) = eigen(&diagonal, 4).expect("converges");
    assert_eq!(values, [5.0, 2.0, 2.0, -1.0]);
    assert!(vectors.iter().all(|&v| v == 0.0 || v == 1.0), "{vectors:?}");
}

#[test]
fn any_scale_gives_the_same_vectors() {
    let mut rng = Rng::new(3);
    let a = with_spectrum::<f64>(&mut rng, &[3.0, 1.0, 0.5, -0.25, -2.0, 1e-9]);
    let (values, vectors) = eigen(&a, 6).expect("converges");
    for scale in [2.0_f64.powi(1000), 2.0_f64.powi(-960), 2.0_f64.powi(-3)] {
        let scaled: Vec<f64> = a.iter().map(|x| x * scale).collect();
        let (scaled_values, scaled_vectors) = eigen(&scaled, 6).expect("converges");
        assert_eq!(vectors, scaled_vectors);
        assert!(values.iter().zip(&scaled_values).all(|(x, y)| x * scale == *y));
    }
    let (values, vectors) = eigen(&[5e-324_f64, 0.0, 0.0, 1e-323], 2).expect("converges");
    assert_eq!((values, vectors), (vec![1e-323, 5e-324], vec![0.0, 1.0, 1.0, 0.0]));
    let huge = [f64::MAX; 4];
    let values = eigen(&huge, 2).expect("converges").0;
    assert!(values[0] == f64::INFINITY && values[1].abs() <= 4.0 * f64::EPSILON * f64::MAX, "{values:?}");
}

#[test]
fn graded_and_split_matrices_converge() {
    for n in [5_usize, 30] {
        // Neighbours whose sizes differ by up to 300 decades, both ways round, and blocks without a link.
        let ups = |i: usize, j: usize| 10.0_f64.powi(-10 * (i + j).min(30) as i32);
        let downs = |i: usize, j: usize| 10.0_f64.powi(-5 * (2 * n - 2 - i - j).min(60) as i32);
        let blocks = |i: usize, j: usize| if i / 3 == j / 3 { 1.0 } else { 0.0 };
        let zero_diagonal = |i: usize, j: usize| if i.abs_diff(j) == 1 { 1e-160 } else { 0.0 };
        for f in [&ups as &dyn Fn(usize, usize) -> f64, &downs, &blocks, &zero_diagonal] {
            let a: Vec<f64> = (0..n * n).map(|k| f(k / n, k % n)).collect();
            let (values, vectors) = eigen(&a, n).expect("converges");
            check_pairs(&a, n, &values, &vectors, 60.0);
        }
    }
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let a = [1.0_f64, 0.0, 0.0, 1.0];
    let mut workspace = Workspace::new(eigen_dense_layout::<f64>(2).expect("small"));
    let (mut values, mut vectors) = ([7.0_f64; 2], [7.0_f64; 4]);
    let mut run = |a: &[f64], rows, cols, short: usize| {
        let mut whole = workspace.arena();
        let length = whole.remaining() - short;
        let bytes = whole.take::<u8>(length)?;
        let rows_of_vectors = MatMut::new("vectors", &mut vectors, 2, 2)?;
        eigen_dense(Mat::new("a", a, rows, cols)?, &mut values, rows_of_vectors, &mut Arena::new(bytes))
    };
    assert_eq!(run(&[1.0, f64::NAN, 0.0, 1.0], 2, 2, 0), Err(Error::NotFinite { what: "matrix", index: 1 }));
    assert_eq!(
        run(&[1.0, 0.0, f64::INFINITY, 1.0], 2, 2, 0),
        Err(Error::NotFinite { what: "matrix", index: 2 })
    );
    assert!(matches!(run(&a, 1, 4, 0), Err(Error::Length { .. })));
    assert!(matches!(run(&[], 0, 0, 0), Err(Error::Empty { .. })));
    assert!(matches!(run(&a, 2, 2, 1), Err(Error::WorkspaceTooSmall { .. })));
    assert_eq!(run(&a, 2, 2, 0), Ok(()));
    assert_eq!((values, vectors), ([1.0; 2], [1.0, 0.0, 0.0, 1.0]));
    assert!(matches!(eigen_dense_layout::<f64>(usize::MAX), Err(Error::SizeOverflow { .. })));
    assert!(matches!(eigen_dense_layout::<f64>(1 << 31), Err(Error::SizeOverflow { .. })));
}

#[test]
fn refused_calls_leave_the_outputs_alone() {
    let (mut values, mut vectors) = ([7.0_f32; 2], [7.0_f32; 4]);
    let rows = MatMut::new("vectors", &mut vectors, 2, 2).expect("a square");
    let a = Mat::new("a", &[1.0_f32; 4], 2, 2).expect("a square");
    assert!(eigen_dense(a, &mut values, rows, &mut Arena::new(&mut [])).is_err());
    assert_eq!((values, vectors), ([7.0; 2], [7.0; 4]));
}

/// A Hermitian matrix as an operator, in the plainest way.
struct Plain<'a, F>(&'a [F], usize);

impl<F: Field> Operator<F> for Plain<'_, F> {
    fn dimension(&self) -> usize {
        self.1
    }
    fn apply(&mut self, x: Mat<'_, F>, mut y: MatMut<'_, F>) -> Result<(), Error> {
        for i in 0..x.rows() {
            for (row, y) in self.0.chunks(self.1).zip(y.row_mut(i)) {
                *y = row.iter().zip(x.row(i)).fold(F::ZERO, |sum, (a, x)| sum + *a * *x);
            }
        }
        Ok(())
    }
}

/// Values, vectors and the number of products.
type Leading<F> = (Vec<<F as Field>::Real>, Vec<F>, usize);

fn leading<F: Field>(a: &mut impl Operator<F>, options: &TopOptions<F::Real>) -> Result<Leading<F>, Error> {
    let (n, k) = (a.dimension(), options.count);
    let mut workspace = Workspace::new(top_layout::<F>(n, options)?);
    let (mut values, mut vectors) = (vec![F::Real::ZERO; k], vec![F::ZERO; k * n]);
    let rows = MatMut::new("vectors", &mut vectors, k, n)?;
    let products = top(a, options, &mut values, rows, &mut workspace.arena())?;
    Ok((values, vectors, products))
}

fn check_leading<F: Field>(a: &[F], n: usize, k: usize, tolerance: f64) {
    let mut options = TopOptions::<F::Real>::new(k);
    options.tolerance = F::Real::from_f64(tolerance);
    let (values, vectors, _) = leading(&mut Plain(a, n), &options).expect("converges");
    let (all, _) = eigen(a, n).expect("converges");
    let size = all[0].abs().to_f64().max(all[n - 1].abs().to_f64());
    let eps = F::Real::EPSILON.to_f64();
    for i in 0..k {
        let error = (values[i].to_f64() - all[i].to_f64()).abs();
        assert!(error <= (tolerance + 100.0 * eps) * size, "n = {n}, k = {k}: value {i} is off by {error:e}");
        let v = &vectors[i * n..(i + 1) * n];
        for j in 0..k {
            let expected = if i == j { F::ONE } else { F::ZERO };
            let error = (inner(&vectors[j * n..(j + 1) * n], v) - expected).abs().to_f64();
            assert!(error <= 60.0 * eps, "n = {n}, k = {k}: <v_{j}, v_{i}> is off by {error:e}");
        }
        let residual = a.chunks(n).zip(v).map(|(row, &x)| {
            let product = row.iter().zip(v).fold(F::ZERO, |sum, (a, v)| sum + *a * *v);
            (product - x.scale(values[i])).abs2().to_f64()
        });
        let residual = residual.sum::<f64>().sqrt();
        assert!(
            residual <= (1.01 * tolerance + 60.0 * eps) * size,
            "n = {n}, k = {k}: residual {residual:e}"
        );
    }
}

/// `D^-1/2 W D^-1/2` of a random graph in at most `groups` groups, of which `leak` is the weight of other links.
fn normalised_graph(rng: &mut Rng, n: usize, groups: usize, leak: f64) -> Vec<f64> {
    let group = |i: usize| (i * i * i) % groups;
    let mut w = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            let weight =
                if group(i) == group(j) { rng.uniform::<f64>() } else { leak * rng.uniform::<f64>() };
            (w[i * n + j], w[j * n + i]) = (weight, weight);
        }
    }
    let degrees: Vec<f64> = w.chunks(n).map(|row| row.iter().sum::<f64>().sqrt()).collect();
    for i in 0..n {
        for j in 0..n {
            w[i * n + j] /= degrees[i] * degrees[j];
        }
    }
    w
}

#[test]
fn leading_pairs_agree_with_all_pairs() {
    let mut rng = Rng::new(4);
    for (n, k) in [(1, 1), (2, 1), (2, 2), (5, 5), (9, 3), (40, 3), (90, 5), (200, 4)] {
        let spread: Vec<f64> = (0..n).map(|i| 1.0 - 2.0 * i as f64 / n as f64).collect();
        let clustered: Vec<f64> = (0..n).map(|i| if i < k { 1.0 - 1e-9 * i as f64 } else { 0.5 }).collect();
        let negative: Vec<f64> = (0..n).map(|i| -1.0 - i as f64).collect();
        for spectrum in [&spread, &clustered, &negative, &vec![0.0; n]] {
            let a = with_spectrum::<f64>(&mut rng, spectrum);
            check_leading(&a, n, k, 1e-10);
            let a = with_spectrum::<Complex<f64>>(&mut rng, spectrum);
            check_leading(&a, n, k, 1e-10);
            let a = with_spectrum::<f32>(&mut rng, spectrum);
            check_leading(&a, n, k, 1e-4);
        }
    }
}

#[test]
fn every_component_of_a_graph_is_found() {
    let mut rng = Rng::new(5);
    for (n, groups) in [(30, 3), (120, 7), (300, 10)] {
        let a = normalised_graph(&mut rng, n, groups, 0.0);
        let components =
            (0..n).map(|i| (i * i * i) % groups).collect::<std::collections::BTreeSet<_>>().len();
        let k = components + 1;
        let (values, vectors, _) = leading(&mut Plain(&a, n), &TopOptions::new(k)).expect("converges");
        assert!(values[..components].iter().all(|x| (x - 1.0).abs() < 1e-12), "{values:?}");
        assert!(values[components] < 0.99, "{values:?}");
        // The eigenvectors of one are constant on a component up to the square root of the degree, so two
        // vertices of a component have proportional coordinates.
        let (p, q) = (groups, 2 * groups);
        for i in 0..components {
            for j in 0..components {
                let minor = vectors[i * n + p] * vectors[j * n + q] - vectors[i * n + q] * vectors[j * n + p];
                assert!(minor.abs() < 1e-7, "{minor:e}");
            }
        }
        check_leading(&a, n, k, 1e-8);
    }
}

#[test]
fn a_matrix_and_its_plain_product_agree() {
    let mut rng = Rng::new(6);
    let a = normalised_graph(&mut rng, 150, 5, 0.02);
    let options = TopOptions::new(5);
    let matrix = Mat::new("a", &a, 150, 150).expect("a square");
    let (fast, _, products) = leading(&mut Symmetric(matrix), &options).expect("converges");
    let (plain, _, _) = leading(&mut Plain(&a, 150), &options).expect("converges");
    assert!(fast.iter().zip(&plain).all(|(x, y)| (x - y).abs() < 1e-12));
    assert!(products <= 100, "{products} products are no better than a dense method");
}

#[test]
fn a_slow_spectrum_restarts_and_a_limit_is_an_error() {
    let mut rng = Rng::new(7);
    let spectrum: Vec<f64> = (0..150).map(|i| 1.0 - 1e-3 * i as f64).collect();
    let a = with_spectrum::<f64>(&mut rng, &spectrum);
    let mut options = TopOptions::<f64>::new(2);
    options.capacity = 18;
    let (values, _, products) = leading(&mut Plain(&a, 150), &options).expect("converges");
    assert!(products > 3 * 18, "{products} products need no restart");
    assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - 0.999).abs() < 1e-12, "{values:?}");
    options.max_products = 20;
    assert!(matches!(leading(&mut Plain(&a, 150), &options), Err(Error::NotConverged { .. })));
}

#[test]
fn bad_wishes_are_refused() {
    let a = [1.0_f64, 0.0, 0.0, 1.0];
    let run = |change: fn(&mut TopOptions<f64>)| {
        let mut options = TopOptions::new(1);
        change(&mut options);
        leading(&mut Plain(&a, 2), &options).map(|_| ())
    };
    assert_eq!(run(|_| ()), Ok(()));
    assert!(matches!(run(|o| o.count = 0), Err(Error::Parameter { what: "count", .. })));
    assert!(matches!(run(|o| o.count = 3), Err(Error::Parameter { what: "count", .. })));
    assert!(matches!(run(|o| o.capacity = 1), Err(Error::Parameter { what: "capacity", .. })));
    assert!(matches!(run(|o| o.tolerance = f64::NAN), Err(Error::Parameter { what: "tolerance", .. })));
    assert!(matches!(leading(&mut Plain::<f64>(&[], 0), &TopOptions::new(1)), Err(Error::Empty { .. })));
    let nan = [f64::NAN; 4];
    assert!(matches!(leading(&mut Plain(&nan, 2), &TopOptions::new(1)), Err(Error::NotFinite { .. })));
    assert!(matches!(top_layout::<f64>(usize::MAX, &TopOptions::new(1)), Err(Error::SizeOverflow { .. })));
    let options = TopOptions::<f64>::new(1);
    let mut workspace = Workspace::new(top_layout::<f64>(2, &options).expect("small"));
    let mut whole = workspace.arena();
    let length = whole.remaining();
    let bytes = whole.take::<u8>(length - 1).expect("there");
    let (mut values, mut vectors) = ([7.0], [7.0; 2]);
    let rows = MatMut::new("vectors", &mut vectors, 1, 2).expect("a row");
    let refused = top(&mut Plain(&a, 2), &options, &mut values, rows, &mut Arena::new(bytes));
    assert!(matches!(refused, Err(Error::WorkspaceTooSmall { .. })));
    assert_eq!((values, vectors), ([7.0], [7.0; 2]));
}
