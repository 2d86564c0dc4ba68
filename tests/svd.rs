//! QR, the Jacobi SVD and the Jacobi eigensolver, against their definitions, exact cases and nalgebra.

#[path = "svd/eigen.rs"]
mod eigen;
mod guarded;
#[path = "svd/qr.rs"]
mod qr;

use cstgl::linalg::jacobi_eigen::{eigen, eigen_layout};
use cstgl::linalg::jacobi_svd::{singular_values, singular_values_layout, svd, svd_layout};
use cstgl::linalg::qr::{complete_basis, qr, qr_layout, qr_pivoted, qr_pivoted_layout};
use cstgl::linalg::{Mat, MatMut};
use cstgl::rng::Rng;
use cstgl::workspace::{Arena, Layout};
use cstgl::{Complex, Error, Field, Scalar};
use guarded::Workspace;

/// What the tests need to know about a number beyond [`Field`]: how to make one, and how exact it is.
trait Number: Field + PartialEq {
    fn new(re: f64, im: f64) -> Self;
    fn wide(self) -> Complex<f64>;
    const TOLERANCE: f64;
}

impl Number for f64 {
    fn new(re: f64, _: f64) -> Self {
        re
    }
    fn wide(self) -> Complex<f64> {
        Complex::new(self, 0.0)
    }
    const TOLERANCE: f64 = 1e-13;
}

impl Number for f32 {
    fn new(re: f64, _: f64) -> Self {
        re as f32
    }
    fn wide(self) -> Complex<f64> {
        Complex::new(f64::from(self), 0.0)
    }
    const TOLERANCE: f64 = 1e-5;
}

impl Number for Complex<f64> {
    fn new(re: f64, im: f64) -> Self {
        Complex::new(re, im)
    }
    fn wide(self) -> Complex<f64> {
        self
    }
    const TOLERANCE: f64 = 1e-13;
}

impl Number for Complex<f32> {
    fn new(re: f64, im: f64) -> Self {
        Complex::new(re as f32, im as f32)
    }
    fn wide(self) -> Complex<f64> {
        Complex::new(f64::from(self.re), f64::from(self.im))
    }
    const TOLERANCE: f64 = 1e-5;
}

/// A matrix of wide numbers for the reference arithmetic, which is naive on purpose.
#[derive(Clone)]
struct Wide {
    rows: usize,
    cols: usize,
    data: Vec<Complex<f64>>,
}

impl Wide {
    fn new(rows: usize, cols: usize, element: impl Fn(usize, usize) -> Complex<f64>) -> Self {
        Self { rows, cols, data: (0..rows * cols).map(|at| element(at / cols, at % cols)).collect() }
    }
    fn of<F: Number>(data: &[F], rows: usize, cols: usize) -> Self {
        Self::new(rows, cols, |i, j| data[i * cols + j].wide())
    }
    fn at(&self, i: usize, j: usize) -> Complex<f64> {
        self.data[i * self.cols + j]
    }
    fn adjoint(&self) -> Self {
        Self::new(self.cols, self.rows, |i, j| self.at(j, i).conj())
    }
    fn times(&self, other: &Self) -> Self {
        assert_eq!(self.cols, other.rows);
        Self::new(self.rows, other.cols, |i, j| (0..self.cols).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }
    fn scale_columns<T: Scalar>(&self, s: &[T]) -> Self {
        Self::new(self.rows, self.cols, |i, j| self.at(i, j) * s[j].to_f64())
    }
    fn largest(&self) -> f64 {
        self.data.iter().fold(0.0, |largest, x| f64::max(largest, x.norm()))
    }
    fn distance(&self, other: &Self) -> f64 {
        assert_eq!((self.rows, self.cols), (other.rows, other.cols));
        Self::new(self.rows, self.cols, |i, j| self.at(i, j) - other.at(i, j)).largest()
    }
    fn norm(&self) -> f64 {
        self.data.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt()
    }
    /// How far the columns are from orthonormal.
    fn defect(&self) -> f64 {
        self.adjoint().times(self).distance(&Self::identity(self.cols))
    }
    fn identity(n: usize) -> Self {
        Self::new(n, n, |i, j| Complex::new(f64::from(i == j), 0.0))
    }
}

fn random<F: Number>(rng: &mut Rng, length: usize) -> Vec<F> {
    (0..length).map(|_| F::new(rng.uniform::<f64>() - 0.5, rng.uniform::<f64>() - 0.5)).collect()
}

fn hermitian<F: Number>(rng: &mut Rng, n: usize) -> Vec<F> {
    let x = random::<F>(rng, n * n);
    (0..n * n).map(|at| x[at] + x[at % n * n + at / n].conj()).collect()
}

/// A product of random `rows x rank` and `rank x cols` matrices.
fn of_rank<F: Number>(rng: &mut Rng, rows: usize, cols: usize, rank: usize) -> Vec<F> {
    let (x, y) = (random::<F>(rng, rows * rank), random::<F>(rng, rank * cols));
    let product = Wide::of(&x, rows, rank).times(&Wide::of(&y, rank, cols));
    product.data.iter().map(|x| F::new(x.re, x.im)).collect()
}

struct Decomposed<F: Field> {
    u: Vec<F>,
    s: Vec<F::Real>,
    vh: Vec<F>,
}

fn decompose<F: Field>(a: &[F], rows: usize, cols: usize) -> Result<Decomposed<F>, Error> {
    let k = rows.min(cols);
    let mut out = Decomposed {
        u: vec![F::ZERO; rows * k],
        s: vec![F::Real::from_usize(0); k],
        vh: vec![F::ZERO; k * cols],
    };
    let mut work = Workspace::new(svd_layout::<F>(rows, cols)?);
    svd(
        Mat::new("a", a, rows, cols)?,
        MatMut::new("u", &mut out.u, rows, k)?,
        &mut out.s,
        MatMut::new("vh", &mut out.vh, k, cols)?,
        &mut work.arena(),
    )?;
    Ok(out)
}

fn values_only<F: Field>(a: &[F], rows: usize, cols: usize) -> Vec<F::Real> {
    let mut s = vec![F::Real::from_usize(7); rows.min(cols)];
    let mut work = Workspace::new(singular_values_layout::<F>(rows, cols).unwrap());
    singular_values(Mat::new("a", a, rows, cols).unwrap(), &mut s, &mut work.arena()).unwrap();
    s
}

/// `A = U S V^H`, U and V orthonormal, S descending and not negative.
fn check_svd<F: Number>(name: &str, a: &[F], rows: usize, cols: usize) -> Vec<f64> {
    let k = rows.min(cols);
    let out = decompose(a, rows, cols).unwrap();
    let (u, vh) = (Wide::of(&out.u, rows, k), Wide::of(&out.vh, k, cols));
    let s: Vec<f64> = out.s.iter().map(|s| s.to_f64()).collect();
    let scale = s[0].max(f64::MIN_POSITIVE);
    assert!(s.windows(2).all(|pair| pair[0] >= pair[1]) && s[k - 1] >= 0.0, "{name}: {s:?}");
    assert!(u.defect() <= F::TOLERANCE, "{name} {rows}x{cols}: U is off by {}", u.defect());
    assert!(
        vh.adjoint().defect() <= F::TOLERANCE,
        "{name} {rows}x{cols}: V is off by {}",
        vh.adjoint().defect()
    );
    let error = u.scale_columns(&s).times(&vh).distance(&Wide::of(a, rows, cols)) / scale;
    assert!(error <= F::TOLERANCE, "{name} {rows}x{cols}: off by {error}");
    assert!(out.s == values_only(a, rows, cols), "{name}: values alone differ");
    s
}

const SHAPES: [(usize, usize); 16] = [
    (1, 1),
    (1, 5),
    (5, 1),
    (2, 2),
    (3, 2),
    (2, 3),
    (3, 3),
    (8, 8),
    (9, 8),
    (17, 17),
    (40, 40),
    (64, 3),
    (3, 64),
    (50, 20),
    (20, 50),
    (100, 8),
];

fn every_kind<F: Number>() {
    let mut rng = Rng::new(42);
    for (rows, cols) in SHAPES {
        let k = rows.min(cols);
        check_svd("random", &random::<F>(&mut rng, rows * cols), rows, cols);
        for rank in [1, k.div_ceil(2), k.saturating_sub(1).max(1)] {
            let s = check_svd("low rank", &of_rank::<F>(&mut rng, rows, cols, rank), rows, cols);
            assert!(
                s[rank.min(k - 1)..].iter().skip(usize::from(rank >= k)).all(|&x| x <= F::TOLERANCE * s[0])
            );
        }
        let zero = vec![F::ZERO; rows * cols];
        assert!(check_svd("zero", &zero, rows, cols).iter().all(|&s| s == 0.0));
        let mut one = zero.clone();
        one[rows * cols - 1] = F::new(3.0, 4.0);
        let size = F::new(3.0, 4.0).wide().norm();
        assert!((check_svd("one element", &one, rows, cols)[0] - size).abs() <= F::TOLERANCE * size);
        let same = vec![F::new(1.0, -1.0); rows * cols];
        check_svd("all equal", &same, rows, cols);
        let eye: Vec<F> =
            (0..rows * cols).map(|at| if at / cols == at % cols { F::ONE } else { F::ZERO }).collect();
        assert!(check_svd("identity", &eye, rows, cols).iter().all(|&s| s == 1.0));
        // Graded by rows and by columns, from 1 down to 1e-10 or so.
        let graded: Vec<F> = random::<F>(&mut rng, rows * cols)
            .into_iter()
            .enumerate()
            .map(|(at, x)| x.scale(F::Real::from_f64(0.5_f64.powi((at / cols % 30 + at % cols % 7) as i32))))
            .collect();
        check_svd("graded", &graded, rows, cols);
        let duplicated: Vec<F> = {
            let x = random::<F>(&mut rng, rows * cols);
            (0..rows * cols).map(|at| x[at / cols * cols + at % cols / 2 * 2]).collect()
        };
        check_svd("duplicated columns", &duplicated, rows, cols);
    }
}

#[test]
fn every_kind_f64() {
    every_kind::<f64>();
}

#[test]
fn every_kind_f32() {
    every_kind::<f32>();
}

#[test]
fn every_kind_complex_f64() {
    every_kind::<Complex<f64>>();
}

#[test]
fn every_kind_complex_f32() {
    every_kind::<Complex<f32>>();
}

#[test]
fn larger_matrices_keep_the_bound() {
    let mut rng = Rng::new(9);
    check_svd("large", &random::<f64>(&mut rng, 150 * 150), 150, 150);
    check_svd("large", &of_rank::<f64>(&mut rng, 150, 150, 75), 150, 150);
    check_svd("large", &random::<Complex<f64>>(&mut rng, 100 * 130), 100, 130);
    check_svd("large", &random::<f32>(&mut rng, 150 * 150), 150, 150);
}

/// The Hadamard matrix of order 2^p: entries +-1, columns exactly orthogonal, so `H D` has the singular values
/// `2^(p/2) |d_j|` and every step to it is exact.
fn hadamard(n: usize) -> impl Fn(usize, usize) -> f64 {
    assert!(n.is_power_of_two());
    |i, j| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[test]
fn repeated_values_are_found_exactly_enough() {
    let h = hadamard(16);
    let a: Vec<f64> = (0..256).map(|at| h(at / 16, at % 16)).collect();
    for s in check_svd("hadamard", &a, 16, 16) {
        assert!((s - 4.0).abs() <= 1e-14, "{s}");
    }
}

/// `A = B D`: the columns of B are well conditioned, D spans twelve powers of ten, and every singular value is
/// right to ten digits of its own.
#[test]
fn small_values_of_scaled_columns_are_relatively_exact() {
    for n in [2_usize, 4, 8, 16, 32] {
        let h = hadamard(n);
        let power = |j: usize| 2.0_f64.powi(-((40 * j / (n - 1)) as i32)); // down to 2^-40, 9e-13
        // Scattered, so that nothing arrives sorted.
        let place = |j: usize| (j * 5 + 3) % n;
        let a: Vec<f64> = (0..n * n).map(|at| h(at / n, at % n) * power(place(at % n))).collect();
        let s = check_svd("scaled Hadamard", &a, n, n);
        for (j, s) in s.iter().enumerate() {
            let exact = (n as f64).sqrt() * power(j);
            assert!((s - exact).abs() <= 1e-13 * exact, "{n}: {s} {exact}");
        }
    }
}

/// Columns that are not orthogonal: blocks `[[1, 1/2], [1/2, 1]] diag(1, e)` have, by the quadratic formula,
/// `s1^2 + s2^2 = 5/4 (1 + e^2)` and `s1 s2 = 3/4 e`; a Hadamard factor from the left mixes all rows and is exact.
#[test]
fn small_values_of_skew_columns_are_relatively_exact() {
    const N: usize = 16;
    let h = hadamard(N);
    let scales: Vec<f64> = (0..N / 2).map(|b| 10.0_f64.powf(-12.0 * b as f64 / 7.0)).collect();
    let block = |k: usize, j: usize| match (k / 2 == j / 2, k == j) {
        (false, _) => 0.0,
        (true, true) => 1.0,
        (true, false) => 0.5,
    };
    let scale = |j: usize| if j.is_multiple_of(2) { 1.0 } else { scales[j / 2] };
    let mixed = |i: usize, j: usize| (0..N).map(|k| h(i, k) * block(k, j)).sum::<f64>() * scale(j);
    let a: Vec<f64> = (0..N * N).map(|at| mixed(at / N, at % N)).collect();
    let mut exact: Vec<f64> = scales
        .iter()
        .flat_map(|e| {
            let (sum, product) = (1.25 * (1.0 + e * e), 0.75 * e);
            let large = ((sum + (sum * sum - 4.0 * product * product).sqrt()) / 2.0).sqrt();
            [4.0 * large, 4.0 * product / large]
        })
        .collect();
    exact.sort_by(|x, y| y.total_cmp(x));
    for (s, exact) in check_svd("skew", &a, N, N).iter().zip(&exact) {
        assert!((s - exact).abs() <= 1e-10 * exact, "{s} {exact}");
    }
    // And transposed: the same values by the other path.
    let transposed: Vec<f64> = (0..N * N).map(|at| a[at % N * N + at / N]).collect();
    for (s, exact) in check_svd("skew rows", &transposed, N, N).iter().zip(&exact) {
        assert!((s - exact).abs() <= 1e-10 * exact, "{s} {exact}");
    }
}

#[test]
fn values_agree_with_nalgebra() {
    let mut rng = Rng::new(2024);
    for (rows, cols) in [(1, 1), (2, 2), (5, 5), (12, 4), (4, 12), (30, 30), (60, 45)] {
        let a = random::<f64>(&mut rng, rows * cols);
        let theirs = nalgebra::DMatrix::from_row_slice(rows, cols, &a).singular_values();
        for (ours, theirs) in check_svd("nalgebra", &a, rows, cols).iter().zip(&theirs) {
            assert!((ours - theirs).abs() <= 1e-13 * theirs.max(1.0), "{ours} {theirs}");
        }
        let a = random::<Complex<f64>>(&mut rng, rows * cols);
        let theirs: Vec<nalgebra::Complex<f64>> =
            a.iter().map(|x| nalgebra::Complex::new(x.re, x.im)).collect();
        let theirs = nalgebra::DMatrix::from_row_slice(rows, cols, &theirs).singular_values();
        for (ours, theirs) in check_svd("nalgebra", &a, rows, cols).iter().zip(&theirs) {
            assert!((ours - theirs).abs() <= 1e-13 * theirs.max(1.0), "{ours} {theirs}");
        }
    }
}

/// Scaling by a power of two scales the values exactly and leaves the vectors.
#[test]
fn extreme_scales() {
    let mut rng = Rng::new(77);
    for (rows, cols) in [(1, 1), (2, 2), (6, 6), (9, 4), (4, 9)] {
        let a = random::<f64>(&mut rng, rows * cols);
        let plain = check_svd("unscaled", &a, rows, cols);
        for exponent in [-1000, -990, -500, -100, 100, 500, 1000, 1018] {
            let factor = 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2);
            let scaled: Vec<f64> = a.iter().map(|x| x * factor).collect();
            for (s, plain) in decompose(&scaled, rows, cols).unwrap().s.iter().zip(&plain) {
                assert!((s / factor - plain).abs() <= 1e-14 * plain, "2^{exponent}: {s} {plain}");
            }
        }
        for decimal in [-300, -200, -30, 30, 200, 300] {
            let scaled: Vec<f64> = a.iter().map(|x| x * 10.0_f64.powi(decimal)).collect();
            for (s, plain) in decompose(&scaled, rows, cols).unwrap().s.iter().zip(&plain) {
                let exact = plain * 10.0_f64.powi(decimal);
                assert!((s - exact).abs() <= 1e-12 * exact, "1e{decimal}: {s} {exact}");
            }
        }
        let tiny: Vec<f64> = a.iter().map(|x| (x * 40.0).round() * 5e-324).collect();
        let out = decompose(&tiny, rows, cols).unwrap();
        let (u, vh) = (Wide::of(&out.u, rows, plain.len()), Wide::of(&out.vh, plain.len(), cols));
        assert!(u.defect() <= 1e-13 && vh.adjoint().defect() <= 1e-13, "subnormal numbers");
        let single: Vec<f32> = a.iter().map(|&x| x as f32 * 1e-36).collect();
        for (s, plain) in decompose(&single, rows, cols).unwrap().s.iter().zip(&plain) {
            assert!((f64::from(*s) * 1e36 - plain).abs() <= 1e-5 * plain.max(1.0), "f32: {s} {plain}");
        }
    }
    // A factor of 1e600 between two columns: more than any product of their norms can hold.
    let a = [1e300, 0.0, 0.0, 1e-300];
    assert_eq!(decompose(&a, 2, 2).unwrap().s[0], 1e300);
}

/// Every kernel that takes scratch, called on a `rows x cols` matrix with the arena it is given. The outputs
/// come back, to be compared with the sevens they started as.
type Call = fn(&[f64], usize, usize, &mut Arena<'_>) -> (Result<(), Error>, Vec<f64>);

fn call_svd(a: &[f64], rows: usize, cols: usize, work: &mut Arena<'_>) -> (Result<(), Error>, Vec<f64>) {
    let k = rows.min(cols);
    let (mut u, mut s, mut vh) = (vec![7.0; rows * k], vec![7.0; k], vec![7.0; k * cols]);
    let result = svd(
        Mat::new("a", a, rows, cols).unwrap(),
        MatMut::new("u", &mut u, rows, k).unwrap(),
        &mut s,
        MatMut::new("vh", &mut vh, k, cols).unwrap(),
        work,
    );
    (result, [u, s, vh].concat())
}

fn call_values(a: &[f64], rows: usize, cols: usize, work: &mut Arena<'_>) -> (Result<(), Error>, Vec<f64>) {
    let mut s = vec![7.0; rows.min(cols)];
    (singular_values(Mat::new("a", a, rows, cols).unwrap(), &mut s, work), s)
}

fn call_qr(a: &[f64], rows: usize, cols: usize, work: &mut Arena<'_>) -> (Result<(), Error>, Vec<f64>) {
    let (mut q, mut r) = (vec![7.0; rows * cols], vec![7.0; cols * cols]);
    let result = qr(
        Mat::new("a", a, rows, cols).unwrap(),
        MatMut::new("q", &mut q, rows, cols).unwrap(),
        MatMut::new("r", &mut r, cols, cols).unwrap(),
        work,
    );
    (result, [q, r].concat())
}

fn call_pivoted(a: &[f64], rows: usize, cols: usize, work: &mut Arena<'_>) -> (Result<(), Error>, Vec<f64>) {
    let (mut q, mut r, mut order) = (vec![7.0; rows * cols], vec![7.0; cols * cols], vec![7; cols]);
    let result = qr_pivoted(
        Mat::new("a", a, rows, cols).unwrap(),
        MatMut::new("q", &mut q, rows, cols).unwrap(),
        MatMut::new("r", &mut r, cols, cols).unwrap(),
        &mut order,
        work,
    );
    (result, [q, r, order.into_iter().map(|x| x as f64).collect()].concat())
}

fn call_eigen(a: &[f64], rows: usize, cols: usize, work: &mut Arena<'_>) -> (Result<(), Error>, Vec<f64>) {
    let (mut values, mut vectors) = (vec![7.0; rows], vec![7.0; rows * cols]);
    let result = eigen(
        Mat::new("a", a, rows, cols).unwrap(),
        &mut values,
        MatMut::new("v", &mut vectors, rows, cols).unwrap(),
        work,
    );
    (result, [values, vectors].concat())
}

type LayoutOf = fn(usize, usize) -> Result<Layout, Error>;

fn kernels() -> [(&'static str, LayoutOf, Call); 5] {
    [
        ("svd", svd_layout::<f64>, call_svd),
        ("singular_values", singular_values_layout::<f64>, call_values),
        ("qr", qr_layout::<f64>, call_qr),
        ("qr_pivoted", qr_pivoted_layout::<f64>, call_pivoted),
        ("eigen", |n, _| eigen_layout::<f64>(n), call_eigen),
    ]
}

#[test]
fn a_workspace_to_the_byte() {
    let mut rng = Rng::new(1);
    for n in [1, 2, 5] {
        let a = hermitian::<f64>(&mut rng, n);
        for (name, layout, call) in kernels() {
            let need = layout(n, n).unwrap();
            let mut memory = Workspace::new(need);
            let mut exact = memory.arena();
            let bytes = exact.take::<u8>(need.bytes()).unwrap();
            assert_eq!(call(&a, n, n, &mut Arena::new(bytes)).0, Ok(()), "{name}");
            let (result, outputs) = call(&a, n, n, &mut Arena::new(&mut bytes[..need.bytes() - 1]));
            let refused = Error::WorkspaceTooSmall { needed: need.bytes(), given: need.bytes() - 1 };
            assert_eq!(result, Err(refused), "{name}");
            assert!(outputs.iter().all(|&x| x == 7.0), "{name} touched its outputs");
        }
    }
}

#[test]
fn values_that_are_not_numbers_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let a = [1.0, 2.0, bad, 4.0];
        for (name, layout, call) in kernels() {
            let (result, outputs) = call(&a, 2, 2, &mut Workspace::new(layout(2, 2).unwrap()).arena());
            assert_eq!(result, Err(Error::NotFinite { what: "a", index: 2 }), "{name}");
            assert!(outputs.iter().all(|&x| x == 7.0), "{name} touched its outputs");
        }
    }
    for (name, layout, call) in kernels() {
        let (result, outputs) =
            call(&[f64::MAX; 4], 2, 2, &mut Workspace::new(layout(2, 2).unwrap()).arena());
        assert!(matches!(result, Err(Error::Parameter { what: "a", .. })), "{name}: a norm beyond the range");
        assert!(outputs.iter().all(|&x| x == 7.0), "{name} touched its outputs");
    }
}

#[test]
fn empty_matrices_and_overflowing_sizes_are_refused() {
    for (name, layout, call) in kernels() {
        let (result, _) = call(&[], 0, 0, &mut Arena::new(&mut []));
        assert_eq!(result, Err(Error::Empty { what: "a" }), "{name}");
        for n in [usize::MAX, usize::MAX / 2, 1 << (usize::BITS / 2), 1 << (usize::BITS / 2 - 2)] {
            assert!(matches!(layout(n, n), Err(Error::SizeOverflow { .. })), "{name} {n}");
        }
    }
    assert_eq!(call_svd(&[], 0, 3, &mut Arena::new(&mut [])).0, Err(Error::Empty { what: "a" }));
    assert_eq!(call_svd(&[], 3, 0, &mut Arena::new(&mut [])).0, Err(Error::Empty { what: "a" }));
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let x = [1.0_f64; 12];
    let (mut one, mut two, mut three) = ([7.0_f64; 12], [7.0_f64; 12], [7.0_f64; 12]);
    let mut memory = Workspace::new(Layout::array::<f64>(200).unwrap());
    let length = |what, expected, found| Err(Error::Length { what, expected, found });

    let mut run = |s: usize, (ur, uc): (usize, usize), (vr, vc): (usize, usize)| {
        svd(
            Mat::new("a", &x, 3, 4).unwrap(),
            MatMut::new("u", &mut one[..ur * uc], ur, uc).unwrap(),
            &mut three[..s],
            MatMut::new("vh", &mut two[..vr * vc], vr, vc).unwrap(),
            &mut memory.arena(),
        )
    };
    assert_eq!(run(3, (4, 3), (3, 4)), length("rows of u", 3, 4));
    assert_eq!(run(3, (3, 4), (3, 4)), length("columns of u", 3, 4));
    assert_eq!(run(4, (3, 3), (3, 4)), length("s", 3, 4));
    assert_eq!(run(3, (3, 3), (4, 3)), length("rows of vh", 3, 4));
    assert_eq!(run(3, (3, 3), (3, 3)), length("columns of vh", 4, 3));
    let values = singular_values(Mat::new("a", &x, 3, 4).unwrap(), &mut three[..2], &mut memory.arena());
    assert_eq!(values, length("s", 3, 2));

    let mut run = |(rows, cols): (usize, usize), (qr_, qc): (usize, usize), (rr, rc): (usize, usize)| {
        qr(
            Mat::new("a", &x, rows, cols).unwrap(),
            MatMut::new("q", &mut one[..qr_ * qc], qr_, qc).unwrap(),
            MatMut::new("r", &mut two[..rr * rc], rr, rc).unwrap(),
            &mut memory.arena(),
        )
    };
    assert!(matches!(run((3, 4), (3, 4), (3, 4)), Err(Error::Parameter { what: "a", .. })));
    assert_eq!(run((4, 3), (3, 3), (3, 3)), length("rows of q", 4, 3));
    assert_eq!(run((4, 3), (4, 2), (3, 3)), length("columns of q", 3, 2));
    assert_eq!(run((4, 3), (4, 3), (2, 3)), length("rows of r", 3, 2));
    assert_eq!(run((4, 3), (4, 3), (3, 4)), length("columns of r", 3, 4));
    let pivoted = qr_pivoted(
        Mat::new("a", &x, 4, 3).unwrap(),
        MatMut::new("q", &mut one, 4, 3).unwrap(),
        MatMut::new("r", &mut two[..9], 3, 3).unwrap(),
        &mut [0; 2],
        &mut memory.arena(),
    );
    assert_eq!(pivoted, length("permutation", 3, 2));

    let mut run = |cols: usize, values: usize, (vr, vc): (usize, usize)| {
        eigen(
            Mat::new("a", &x[..3 * cols], 3, cols).unwrap(),
            &mut three[..values],
            MatMut::new("v", &mut one[..vr * vc], vr, vc).unwrap(),
            &mut memory.arena(),
        )
    };
    assert_eq!(run(4, 3, (3, 3)), length("columns of a", 3, 4));
    assert_eq!(run(3, 4, (3, 3)), length("values", 3, 4));
    assert_eq!(run(3, 3, (4, 3)), length("rows of vectors", 3, 4));
    assert_eq!(run(3, 3, (3, 4)), length("columns of vectors", 3, 4));
    assert_eq!((one, two, three), ([7.0; 12], [7.0; 12], [7.0; 12]));
}
