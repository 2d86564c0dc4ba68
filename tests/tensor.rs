//! Tensor algebra against its definitions.

mod common;
mod guarded;

use common::{exactly, reals, relative_error};
use cstgl::tensor::{self, Shape};
use cstgl::{Complex, Error, Scalar};
use guarded::Workspace;

fn at<T: Copy>(a: &[T], [_, rows, cols]: Shape, i: usize, j: usize, k: usize) -> T {
    a[(k * rows + i) * cols + j]
}

fn product<T: Scalar>(a: &[T], a_shape: Shape, b: &[T], b_shape: Shape) -> Vec<T> {
    let mut c = vec![T::ZERO; a_shape[0] * a_shape[1] * b_shape[2]];
    exactly(tensor::product_layout::<T>(a_shape, b_shape).unwrap(), |work| {
        tensor::product(a, a_shape, b, b_shape, &mut c, work)
    })
    .unwrap();
    c
}

fn transpose<T: Scalar>(a: &[T], shape: Shape) -> Vec<T> {
    let mut t = vec![T::ZERO; a.len()];
    tensor::transpose(a, shape, &mut t).unwrap();
    t
}

/// `fold(bcirc(A) bvec(B))`: block row k of the circulant has slice `(k - l) mod n3` of A in block column l.
fn block_circulant(a: &[f64], a_shape: Shape, b: &[f64], b_shape: Shape) -> Vec<f64> {
    let ([slices, rows, inner], [_, _, cols]) = (a_shape, b_shape);
    let mut c = Vec::new();
    for k in 0..slices {
        for i in 0..rows {
            for j in 0..cols {
                let mut sum = 0.0;
                for l in 0..slices {
                    for q in 0..inner {
                        sum += at(a, a_shape, i, q, (k + slices - l) % slices) * at(b, b_shape, q, j, l);
                    }
                }
                c.push(sum);
            }
        }
    }
    c
}

const SHAPES: [Shape; 9] =
    [[1, 1, 1], [1, 3, 2], [2, 4, 4], [3, 2, 5], [4, 5, 2], [5, 3, 3], [6, 4, 3], [7, 1, 4], [67, 3, 2]];

#[test]
fn the_product_is_the_block_circulant_one() {
    for (seed, shape) in SHAPES.into_iter().enumerate() {
        let [slices, rows, inner] = shape;
        let other = [slices, inner, 3];
        let (a, b) = (reals::<f64>(seed as u64, slices * rows * inner), reals(99, slices * inner * 3));
        let exact = block_circulant(&a, shape, &b, other);
        assert!(relative_error(&product(&a, shape, &b, other), &exact) < 1e-14, "{shape:?}");
        let narrow = |x: &[f64]| x.iter().map(|&x| x as f32).collect::<Vec<_>>();
        let single = product(&narrow(&a), shape, &narrow(&b), other);
        assert!(relative_error(&single, &narrow(&exact)) < 1e-5, "{shape:?} in f32");
    }
}

#[test]
fn identity_and_transpose_behave() {
    for shape in SHAPES {
        let [slices, rows, cols] = shape;
        let a = reals::<f64>(7, slices * rows * cols);
        let mut unit = vec![3.0; slices * cols * cols];
        tensor::identity(&mut unit, cols, slices).unwrap();
        assert!(relative_error(&product(&a, shape, &unit, [slices, cols, cols]), &a) < 1e-15);
        let adjoint = transpose(&a, shape);
        assert_eq!(transpose(&adjoint, [slices, cols, rows]), a, "twice is nothing");
        // (A * B)^T = B^T * A^T
        let b = reals::<f64>(8, slices * cols * 2);
        let left = transpose(&product(&a, shape, &b, [slices, cols, 2]), [slices, rows, 2]);
        let right =
            product(&transpose(&b, [slices, cols, 2]), [slices, 2, cols], &adjoint, [slices, cols, rows]);
        assert!(relative_error(&left, &right) < 1e-14);
    }
}

fn orthogonality_defect<T: Scalar>(q: &[T], n: usize, slices: usize) -> f64 {
    let layout = tensor::orthogonality_defect_layout::<T>(n, slices).unwrap();
    exactly(layout, |work| tensor::orthogonality_defect(q, n, slices, work)).unwrap().to_f64()
}

fn decompose<T: Scalar>(a: &[T], shape: Shape, tolerance: f64) {
    let [slices, rows, cols] = shape;
    let mut u = vec![T::ZERO; slices * rows * rows];
    let mut g = vec![T::ZERO; a.len()];
    let mut v = vec![T::ZERO; slices * cols * cols];
    exactly(tensor::tsvd_layout::<T>(shape).unwrap(), |work| {
        tensor::tsvd(a, shape, &mut u, &mut g, &mut v, work)
    })
    .unwrap();
    let (left, right) = ([slices, rows, rows], [slices, cols, cols]);
    let back = product(&product(&u, left, &g, shape), shape, &transpose(&v, right), right);
    assert!(relative_error(&back, a) < tolerance, "{shape:?}: A = U * G * V^T");
    assert!(orthogonality_defect(&u, rows, slices) < tolerance, "{shape:?}: U");
    assert!(orthogonality_defect(&v, cols, slices) < tolerance, "{shape:?}: V");
    assert_eq!(tensor::f_diagonal_defect(&g, shape), Ok(T::ZERO), "{shape:?}: G");
}

#[test]
fn the_t_svd_reconstructs_with_orthogonal_factors() {
    for shape in SHAPES {
        let length = shape.iter().product();
        decompose::<f64>(&reals(21, length), shape, 1e-13);
        decompose::<f32>(&reals(21, length), shape, 2e-5);
        decompose::<f64>(&vec![0.0; length], shape, 1e-13);
        decompose::<f64>(&vec![2.0; length], shape, 1e-13);
        let huge: Vec<f64> = reals::<f64>(22, length).iter().map(|x| x * 1e150).collect();
        decompose(&huge, shape, 1e-13);
    }
}

#[test]
fn a_product_that_is_not_orthogonal_is_seen() {
    let mut q = [0.0; 12];
    tensor::identity(&mut q, 2, 3).unwrap();
    assert!(orthogonality_defect(&q, 2, 3) < 1e-15);
    q[5] = 0.5;
    assert!(orthogonality_defect(&q, 2, 3) > 0.2);
    assert_eq!(tensor::f_diagonal_defect(&q, [3, 2, 2]), Ok(0.5));
}

/// Eq. (6) by the definition: every slice of the naive transform through nalgebra.
fn nuclear_norm(a: &[f64], shape: Shape) -> f64 {
    let [slices, rows, cols] = shape;
    let slice = |f: usize| {
        nalgebra::DMatrix::from_fn(rows, cols, |i, j| {
            (0..slices)
                .map(|k| {
                    let angle = -std::f64::consts::TAU * (f * k % slices) as f64 / slices as f64;
                    Complex::from_polar(at(a, shape, i, j, k), angle)
                })
                .sum::<Complex<f64>>()
        })
    };
    (0..slices).map(|f| slice(f).singular_values().sum()).sum()
}

#[test]
fn norms_match_their_definitions() {
    for shape in SHAPES {
        let a = reals::<f64>(31, shape.iter().product());
        let layout = tensor::nuclear_norm_layout::<f64>(shape).unwrap();
        let norm = exactly(layout, |work| tensor::nuclear_norm(&a, shape, work)).unwrap();
        let exact = nuclear_norm(&a, shape);
        assert!((norm - exact).abs() < 1e-12 * exact, "{shape:?}: {norm} {exact}");
    }
    assert_eq!(tensor::frobenius_norm(&[3.0, 4.0]), Ok(5.0));
}

#[test]
fn unfolding_reads_columns_first_and_rotation_moves_the_rows_behind() {
    // A(i, j, k) = 100 i + 10 j + k for 2 x 3 x 2.
    let shape = [2, 2, 3];
    let a: Vec<f64> = vec![0., 10., 20., 100., 110., 120., 1., 11., 21., 101., 111., 121.];
    let mut unfolded = vec![0.0; 12];
    tensor::unfold(&a, shape, &mut unfolded).unwrap();
    assert_eq!(unfolded, [0., 100., 10., 110., 20., 120., 1., 101., 11., 111., 21., 121.]);
    let mut folded = vec![0.0; 12];
    tensor::fold(&unfolded, shape, &mut folded).unwrap();
    assert_eq!(folded, a);
    let mut rotated = vec![0.0; 12];
    tensor::rotate(&a, shape, &mut rotated).unwrap();
    // R(j, v, i), stored [i][j][v].
    assert_eq!(rotated, [0., 1., 10., 11., 20., 21., 100., 101., 110., 111., 120., 121.]);
    // Three rotations are a full turn.
    let (mut second, mut third) = (vec![0.0; 12], vec![0.0; 12]);
    tensor::rotate(&rotated, [2, 3, 2], &mut second).unwrap();
    tensor::rotate(&second, [3, 2, 2], &mut third).unwrap();
    assert_eq!(third, a);
}

#[test]
fn bad_input_is_refused_and_nothing_is_touched() {
    let (a, mut c) = (reals::<f64>(1, 12), vec![7.0; 8]);
    let mut work = Workspace::new(tensor::tsvd_layout::<f64>([2, 2, 3]).unwrap());
    let shapes = ([2, 2, 3], [2, 3, 2]);
    let refused = tensor::product(&a, shapes.0, &a, [2, 2, 3], &mut c, &mut work.arena());
    assert_eq!(refused, Err(Error::Length { what: "rows of the second factor", expected: 3, found: 2 }));
    let refused = tensor::product(&a, shapes.0, &a, [1, 3, 4], &mut c, &mut work.arena());
    assert_eq!(refused, Err(Error::Length { what: "slices of the second factor", expected: 2, found: 1 }));
    let refused = tensor::product(&a[1..], shapes.0, &a, shapes.1, &mut c, &mut work.arena());
    assert_eq!(refused, Err(Error::Length { what: "first factor", expected: 12, found: 11 }));
    let mut bad = a.clone();
    bad[4] = f64::NAN;
    let refused = tensor::product(&a, shapes.0, &bad, shapes.1, &mut c, &mut work.arena());
    assert_eq!(refused, Err(Error::NotFinite { what: "second factor", index: 4 }));
    assert_eq!(c, [7.0; 8]);
    let (mut u, mut g, mut v) = ([7.0; 8], [7.0; 12], [7.0; 18]);
    let refused = tensor::tsvd(&bad, shapes.0, &mut u, &mut g, &mut v, &mut work.arena());
    assert_eq!(refused, Err(Error::NotFinite { what: "tensor", index: 4 }));
    let refused = tensor::tsvd(&a, shapes.0, &mut u[1..], &mut g, &mut v, &mut work.arena());
    assert_eq!(refused, Err(Error::Length { what: "u", expected: 8, found: 7 }));
    assert!(u.iter().chain(&g).chain(&v).all(|&x| x == 7.0));
    assert_eq!(
        tensor::nuclear_norm(&bad, shapes.0, &mut work.arena()),
        Err(Error::NotFinite { what: "tensor", index: 4 })
    );
    assert_eq!(tensor::frobenius_norm(&bad), Err(Error::NotFinite { what: "tensor", index: 4 }));
    let huge = [usize::MAX, 2, 2];
    assert_eq!(
        tensor::nuclear_norm_layout::<f64>(huge),
        Err(Error::SizeOverflow { what: "transform length" })
    );
    assert_eq!(tensor::transpose::<f64>(&[], huge, &mut []), Err(Error::SizeOverflow { what: "tensor" }));
    assert_eq!(tensor::tsvd_layout::<f64>([0, 2, 2]), Err(Error::Empty { what: "transform length" }));
}
