//! Products of integer matrices are exact in floating point, so integer sums are the expectation to the last bit.

use cstgl::linalg::product::{adjoint_multiply, gram, multiply, multiply_adjoint};
use cstgl::linalg::{Mat, MatMut};
use cstgl::rng::Rng;
use cstgl::{Complex, Error, Field};

/// A Gaussian integer, the exact twin of an element.
type Exact = Complex<i64>;
/// A product of two matrices into a third.
type Product<F> = fn(Mat<'_, F>, Mat<'_, F>, MatMut<'_, F>) -> Result<(), Error>;

/// Shapes (rows, depth, columns) inside one block, on its border and across several, odd and even.
const SHAPES: [(usize, usize, usize); 9] = [
    (1, 1, 1),
    (2, 2, 2),
    (3, 5, 4),
    (5, 3, 7),
    (8, 32, 64),
    (9, 33, 65),
    (1, 70, 131),
    (13, 257, 10),
    (4, 520, 3),
];

fn integers(rng: &mut Rng, length: usize, complex: bool) -> Vec<Exact> {
    let mut digit = || (rng.next_u64() % 15) as i64 - 7;
    (0..length).map(|_| Exact::new(digit(), if complex { digit() } else { 0 })).collect()
}

/// `sum over k of x(i, k) y(k, j)` in integers.
fn expected(
    (rows, depth, cols): (usize, usize, usize),
    x: impl Fn(usize, usize) -> Exact,
    y: impl Fn(usize, usize) -> Exact,
) -> Vec<Exact> {
    let element = |i, j| (0..depth).map(|k| x(i, k) * y(k, j)).fold(Exact::new(0, 0), |sum, term| sum + term);
    (0..rows * cols).map(|at| element(at / cols, at % cols)).collect()
}

fn check_all<F: Field + PartialEq>(convert: impl Fn(&Exact) -> F) {
    let numbers = |exact: &[Exact]| exact.iter().map(&convert).collect::<Vec<F>>();
    let mut rng = Rng::new(7);
    for shape @ (m, k, n) in SHAPES {
        let a = integers(&mut rng, m * k, F::IS_COMPLEX);
        let b = integers(&mut rng, k * n, F::IS_COMPLEX);
        let transposed = |x: &[Exact], rows: usize, cols: usize| -> Vec<Exact> {
            (0..rows * cols).map(|at| x[at % rows * cols + at / rows].conj()).collect()
        };
        let product = numbers(&expected(shape, |i, l| a[i * k + l], |l, j| b[l * n + j]));
        let (a_adjoint, b_adjoint) = (numbers(&transposed(&a, m, k)), numbers(&transposed(&b, k, n)));
        let square = numbers(&expected((m, k, m), |i, l| a[i * k + l], |l, j| a[j * k + l].conj()));
        let (a, b) = (numbers(&a), numbers(&b));

        let result = |with: Product<F>, x: &[F], x_rows: usize, y: &[F], y_rows: usize| {
            let mut c = vec![F::ONE; m * n];
            let x = Mat::new("x", x, x_rows, x.len() / x_rows).unwrap();
            let y = Mat::new("y", y, y_rows, y.len() / y_rows).unwrap();
            with(x, y, MatMut::new("c", &mut c, m, n).unwrap()).unwrap();
            c
        };
        assert!(result(multiply, &a, m, &b, k) == product, "A B {shape:?}");
        assert!(result(adjoint_multiply, &a_adjoint, k, &b, k) == product, "A^H B {shape:?}");
        assert!(result(multiply_adjoint, &a, m, &b_adjoint, n) == product, "A B^H {shape:?}");

        let mut c = vec![F::ONE; m * m];
        gram(Mat::new("a", &a, m, k).unwrap(), MatMut::new("c", &mut c, m, m).unwrap()).unwrap();
        assert!(c == square, "A A^H {shape:?}");
    }
}

#[test]
fn integer_products_are_exact() {
    check_all(|x| x.re as f64);
    check_all(|x| x.re as f32);
    check_all(|x| Complex::new(x.re as f64, x.im as f64));
    check_all(|x| Complex::new(x.re as f32, x.im as f32));
}

/// A row of the result has the same bits whether it is computed alone, in a pair or in a large product.
#[test]
fn an_element_does_not_depend_on_its_place() {
    let (m, k, n) = (5, 301, 75);
    let mut rng = Rng::new(3);
    let a: Vec<f64> = (0..m * k).map(|_| rng.uniform::<f64>() - 0.5).collect();
    let b: Vec<f64> = (0..k * n).map(|_| rng.uniform::<f64>() - 0.5).collect();
    for (with, b_rows, b_cols) in [(multiply::<f64> as Product<f64>, k, n), (multiply_adjoint, n, k)] {
        let b = Mat::new("b", &b, b_rows, b_cols).unwrap();
        let mut all = vec![0.0; m * n];
        with(Mat::new("a", &a, m, k).unwrap(), b, MatMut::new("c", &mut all, m, n).unwrap()).unwrap();
        for (row, expected) in a.chunks(k).zip(all.chunks(n)) {
            let mut alone = vec![0.0; n];
            with(Mat::new("a", row, 1, k).unwrap(), b, MatMut::new("c", &mut alone, 1, n).unwrap()).unwrap();
            assert_eq!(alone, expected);
        }
    }
}

#[test]
fn rounding_stays_hermitian() {
    let mut rng = Rng::new(11);
    let a: Vec<Complex<f32>> = (0..9 * 300).map(|_| Complex::new(rng.uniform(), rng.uniform())).collect();
    let mut c = [Complex::new(0.0, 0.0); 81];
    gram(Mat::new("a", &a, 9, 300).unwrap(), MatMut::new("c", &mut c, 9, 9).unwrap()).unwrap();
    for i in 0..9 {
        assert_eq!(c[i * 10].im, 0.0);
        for j in 0..9 {
            assert_eq!(c[i * 9 + j], c[j * 9 + i].conj());
        }
    }
}

#[test]
fn an_empty_sum_is_zero() {
    let mut c = [1.0_f64; 6];
    let (a, b) = (Mat::new("a", &[], 2, 0).unwrap(), Mat::new("b", &[], 0, 3).unwrap());
    multiply(a, b, MatMut::new("c", &mut c, 2, 3).unwrap()).unwrap();
    assert_eq!(c, [0.0; 6]);
}

#[test]
fn shapes_that_do_not_fit_are_refused_and_change_nothing() {
    let x = [1.0_f64; 6];
    let mut c = [7.0_f64; 6];
    let length = |what, expected, found| Err(Error::Length { what, expected, found });
    let a = Mat::new("a", &x, 2, 3).unwrap();
    let b = Mat::new("b", &x, 3, 2).unwrap();
    let mut run = |with: Product<f64>, a, b, rows: usize| {
        with(a, b, MatMut::new("c", &mut c[..rows * 2], rows, 2).unwrap())
    };
    assert_eq!(run(multiply, a, a, 2), length("rows of the second factor", 3, 2));
    assert_eq!(run(multiply, a, b, 3), length("rows of the product", 2, 3));
    assert_eq!(run(multiply, b, a, 3), length("columns of the product", 3, 2));
    assert_eq!(run(adjoint_multiply, a, b, 2), length("rows of the second factor", 2, 3));
    assert_eq!(run(adjoint_multiply, b, b, 3), length("rows of the product", 2, 3));
    assert_eq!(run(adjoint_multiply, a, a, 3), length("columns of the product", 3, 2));
    assert_eq!(run(multiply_adjoint, a, b, 2), length("columns of the second factor", 3, 2));
    assert_eq!(run(multiply_adjoint, a, a, 3), length("rows of the product", 2, 3));
    assert_eq!(run(multiply_adjoint, b, b, 3), length("columns of the product", 3, 2));
    assert_eq!(run(|a, _, c| gram(a, c), a, a, 3), length("rows of the product", 2, 3));
    assert_eq!(run(|a, _, c| gram(a, c), b, b, 3), length("columns of the product", 3, 2));
    assert_eq!(c, [7.0; 6]);
}
