//! The Jacobi eigensolver.

use super::*;

/// `A V = V L` with orthonormal V and descending L.
fn check_eigen<F: Number>(name: &str, a: &[F], n: usize) -> Vec<f64> {
    let (mut values, mut vectors) = (vec![F::Real::from_usize(0); n], vec![F::ZERO; n * n]);
    let mut work = Workspace::new(eigen_layout::<F>(n).unwrap());
    // The upper triangle is not read.
    let lower: Vec<F> = (0..n * n).map(|at| if at % n > at / n { F::new(9.0, 9.0) } else { a[at] }).collect();
    eigen(
        Mat::new("a", &lower, n, n).unwrap(),
        &mut values,
        MatMut::new("v", &mut vectors, n, n).unwrap(),
        &mut work.arena(),
    )
    .unwrap();
    let (a, rows) = (Wide::of(a, n, n), Wide::of(&vectors, n, n));
    let columns = Wide::new(n, n, |i, j| rows.at(j, i));
    let values: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
    assert!(values.windows(2).all(|pair| pair[0] >= pair[1]), "{name}: {values:?}");
    assert!(columns.defect() <= F::TOLERANCE, "{name} {n}: V is off by {}", columns.defect());
    let error = a.times(&columns).distance(&columns.scale_columns(&values)) / a.norm().max(f64::MIN_POSITIVE);
    assert!(error <= F::TOLERANCE, "{name} {n}: off by {error}");
    values
}

fn every_eigen<F: Number>() {
    let mut rng = Rng::new(12);
    for n in [1, 2, 3, 5, 8, 20, 33] {
        check_eigen("random", &hermitian::<F>(&mut rng, n), n);
        assert!(check_eigen("zero", &vec![F::ZERO; n * n], n).iter().all(|&x| x == 0.0));
        let values = check_eigen("rank one", &vec![F::ONE; n * n], n);
        assert!((values[0] - n as f64).abs() <= F::TOLERANCE * n as f64);
        let x = of_rank::<F>(&mut rng, n, n, n.div_ceil(3));
        let square = Wide::of(&x, n, n).times(&Wide::of(&x, n, n).adjoint());
        let square: Vec<F> = square.data.iter().map(|x| F::new(x.re, x.im)).collect();
        check_eigen("semidefinite", &square, n);
        // A zero diagonal with eigenvalues +-1, ...: the exchange matrix.
        let exchange: Vec<F> =
            (0..n * n).map(|at| F::new(f64::from(at / n + at % n == n - 1), 0.0)).collect();
        let values = check_eigen("exchange", &exchange, n);
        for (i, value) in values.iter().enumerate() {
            let exact = if i < n.div_ceil(2) { 1.0 } else { -1.0 };
            assert!((value - exact).abs() <= F::TOLERANCE, "{value} {exact}");
        }
    }
}

#[test]
fn hermitian_matrices_are_diagonalised() {
    every_eigen::<f64>();
    every_eigen::<f32>();
    every_eigen::<Complex<f64>>();
    every_eigen::<Complex<f32>>();
}

/// The second difference matrix has the eigenvalues `2 - 2 cos(pi k/(n+1))`.
#[test]
fn eigenvalues_of_the_second_difference() {
    let n = 24;
    let element = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    };
    let a: Vec<f64> = (0..n * n).map(|at| element(at / n, at % n)).collect();
    for (value, k) in check_eigen("second difference", &a, n).iter().zip((1..=n).rev()) {
        let exact = 2.0 - 2.0 * (std::f64::consts::PI * k as f64 / (n + 1) as f64).cos();
        assert!((value - exact).abs() <= 1e-14, "{value} {exact}");
    }
}

#[test]
fn eigenvalues_agree_with_nalgebra() {
    let mut rng = Rng::new(5);
    for n in [2, 7, 30] {
        let a = hermitian::<Complex<f64>>(&mut rng, n);
        let theirs: Vec<nalgebra::Complex<f64>> =
            a.iter().map(|x| nalgebra::Complex::new(x.re, x.im)).collect();
        let theirs = nalgebra::DMatrix::from_row_slice(n, n, &theirs).symmetric_eigenvalues();
        let mut theirs: Vec<f64> = theirs.iter().copied().collect();
        theirs.sort_by(|x, y| y.total_cmp(x));
        for (ours, theirs) in check_eigen("nalgebra", &a, n).iter().zip(&theirs) {
            assert!((ours - theirs).abs() <= 1e-13 * n as f64, "{ours} {theirs}");
        }
    }
}

#[test]
fn eigenvalues_at_extreme_scales() {
    let mut rng = Rng::new(15);
    let a = hermitian::<f64>(&mut rng, 6);
    let plain = check_eigen("plain", &a, 6);
    for factor in [1e-300, 1e-150, 1e150, 1e300] {
        let scaled: Vec<f64> = a.iter().map(|x| x * factor).collect();
        let (mut values, mut vectors) = ([0.0; 6], [0.0; 36]);
        let mut work = Workspace::new(eigen_layout::<f64>(6).unwrap());
        let v = MatMut::new("v", &mut vectors, 6, 6).unwrap();
        eigen(Mat::new("a", &scaled, 6, 6).unwrap(), &mut values, v, &mut work.arena()).unwrap();
        for (value, plain) in values.iter().zip(&plain) {
            assert!((value / factor - plain).abs() <= 1e-13, "{factor}: {value} {plain}");
        }
        assert!(Wide::of(&vectors, 6, 6).defect() <= 1e-13);
    }
}
