//! Tubal shrinkage against the oracle's fixtures and against its optimality conditions.

mod common;
mod guarded;

use common::{exactly, reals, relative_error};
use cstgl::prox::tubal::views::Way;
use cstgl::prox::tubal::{Ranks, samples, views};
use cstgl::tensor::{self, Shape};
use cstgl::workspace::Arena;
use cstgl::{Error, Scalar};
use guarded::Workspace;
use serde_json::Value;

const LOW_RANK: Way = Way::LowRank { max_rank: 4, seed: 1 };

fn shrink_views<T: Scalar>(f: &[T], shape: Shape, tau: T, way: Way) -> (Vec<T>, Ranks) {
    let layout = views::shrink_layout::<T>(shape, way).unwrap();
    exactly(layout, |work| {
        let mut k = f.to_vec();
        views::shrink(&mut k, shape, tau, way, work).map(|ranks| (k, ranks))
    })
    .unwrap()
}

/// `[a][b][c]` as `[b][a][c]`.
fn swapped<T: Scalar>(tensor: &[T], [first, second, cols]: Shape) -> Vec<T> {
    let row = |a: usize, b: usize| &tensor[(a * second + b) * cols..][..cols];
    (0..second).flat_map(|b| (0..first).flat_map(move |a| row(a, b))).copied().collect()
}

/// The kernel keeps `[i][v][j]`; the fixtures and the conditions below are `[v][i][j]`.
fn shrink_samples<T: Scalar>(f: &[T], shape: Shape, tau: T) -> (Vec<T>, Ranks) {
    let [views, rows, cols] = shape;
    let layout = samples::shrink_layout::<T>([rows, views, cols]).unwrap();
    exactly(layout, |work| {
        let mut k = swapped(f, shape);
        let ranks = samples::shrink(&mut k, [rows, views, cols], tau, work)?;
        Ok((swapped(&k, [rows, views, cols]), ranks))
    })
    .unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// `||x - y||` relative to the size of what was shrunk: shrinkage moves by no more than its argument.
fn distance<T: Scalar>(x: &[T], y: &[T], argument: &[T]) -> f64 {
    let difference: Vec<T> = x.iter().zip(y).map(|(&x, &y)| x - y).collect();
    let zero = vec![T::ZERO; x.len()];
    relative_error(&difference, &zero) / relative_error(argument, &zero).max(f64::MIN_POSITIVE)
}

#[test]
fn the_oracle_agrees_on_both_axes() {
    let document: Value = serde_json::from_str(include_str!("fixtures/tubal.json")).unwrap();
    let mut runs = 0;
    for case in document["cases"].as_array().unwrap() {
        let shape: Vec<usize> = numbers(&case["shape"]).iter().map(|&x| x as usize).collect();
        let shape: Shape = shape.try_into().unwrap();
        let tensor = numbers(&case["tensor"]);
        let single: Vec<f32> = tensor.iter().map(|&x| x as f32).collect();
        for run in case["runs"].as_array().unwrap() {
            let (tau, result) = (run["tau"].as_f64().unwrap(), numbers(&run["result"]));
            let (double, narrow) = match run["axis"].as_str().unwrap() {
                "views" => (
                    shrink_views(&tensor, shape, tau, Way::Dense).0,
                    shrink_views(&single, shape, tau as f32, Way::Dense).0,
                ),
                "samples" => {
                    (shrink_samples(&tensor, shape, tau).0, shrink_samples(&single, shape, tau as f32).0)
                }
                other => panic!("an axis {other}"),
            };
            let error = distance(&double, &result, &tensor);
            assert!(error < 1e-12, "{shape:?} {} tau {tau}: {error:e}", run["axis"]);
            let result: Vec<f32> = result.iter().map(|&x| x as f32).collect();
            let error = distance(&narrow, &result, &single);
            assert!(error < 1e-5, "{shape:?} {} tau {tau} in f32: {error:e}", run["axis"]);
            runs += 1;
        }
    }
    assert!(runs >= 40, "the fixture has shrunk to {runs} runs");
}

/// Two views that differ by `small`, in a single sample: every slice along the samples is `R diag(1, small) [p; q]`, with a
/// rotation `R`. A square knows nothing of values below the root of a rounding, so a shrinkage that trusts it there is
/// wrong by about as much as the value itself.
#[test]
fn values_that_squares_cannot_see_are_shrunk_right() {
    let shape @ [_, n, cols] = [2, 12, 8];
    let slice = |large: f64, small: f64| {
        let unit = 1.0 / (cols as f64).sqrt();
        let mut tensor = vec![0.0; 2 * n * cols];
        for j in 0..cols {
            let (p, q) = (large * unit, if j % 2 == 0 { small * unit } else { -small * unit });
            tensor[j] = 0.6 * p - 0.8 * q;
            tensor[n * cols + j] = 0.8 * p + 0.6 * q;
        }
        tensor
    };
    for exponent in 1..=40 {
        let small = 0.5_f64.powi(exponent);
        let f = slice(1.0, small);
        for tau in [small / 8.0, small / 2.0, small * 2.0, small * 8.0] {
            let (k, ranks) = shrink_samples(&f, shape, tau);
            let error = distance(&k, &slice((1.0 - tau).max(0.0), (small - tau).max(0.0)), &f);
            assert!(error <= 1e-10, "{small:e} tau {tau:e}: {error:e}");
            let expected = usize::from(tau < 1.0) + usize::from(tau < small);
            assert_eq!(ranks.largest, expected, "{small:e} tau {tau:e}");
        }
    }
}

/// A tensor of `[slices, n, n]` whose slices share `rank` directions, plus a little of everything.
fn low_rank(slices: usize, n: usize, rank: usize, noise: f64) -> Vec<f64> {
    let (left, right) = (reals::<f64>(1, n * rank), reals::<f64>(2, n * rank));
    let (weights, rest) = (reals::<f64>(3, slices * rank), reals::<f64>(4, slices * n * n));
    let mut tensor = Vec::new();
    for k in 0..slices {
        for i in 0..n {
            for j in 0..n {
                let shared: f64 = (0..rank)
                    .map(|r| (1.5 + weights[k * rank + r]) * left[i * rank + r] * right[j * rank + r])
                    .sum();
                tensor.push(shared + noise * rest[(k * n + i) * n + j]);
            }
        }
    }
    tensor
}

#[test]
fn low_rank_and_dense_agree() {
    for slices in [1, 2, 3, 4, 5] {
        let (n, noise) = (120, 0.01);
        let shape = [slices, n, n];
        let f = low_rank(slices, n, 3, noise);
        for tau in [1.0, 5.0, 30.0, 1e9] {
            let (dense, dense_ranks) = shrink_views(&f, shape, tau, Way::Dense);
            let (partial, ranks) = shrink_views(&f, shape, tau, LOW_RANK);
            let error = distance(&partial, &dense, &f);
            assert!(error < 1e-10, "{slices} slices, tau {tau}: {error:e}");
            assert_eq!(ranks, dense_ranks);
            assert!(ranks.largest <= 3);
        }
        // Full rank: the search says so, and the dense way answers.
        let (dense, ranks) = shrink_views(&f, shape, 1e-4, Way::Dense);
        let (partial, same) = shrink_views(&f, shape, 1e-4, LOW_RANK);
        assert_eq!(ranks, same);
        assert!(ranks.largest > 100);
        assert!(distance(&partial, &dense, &f) < 1e-12);
    }
}

/// The conditions that make `K` the minimiser: `F - K` has no singular value above `tau` in any slice of its
/// spectrum, and `<F - K, K>` is `tau` times the nuclear norm of `K`.
fn check_optimality(f: &[f64], k: &[f64], shape: Shape, tau: f64, label: &str) {
    let nuclear = |a: &[f64]| {
        let layout = tensor::nuclear_norm_layout::<f64>(shape).unwrap();
        tensor::nuclear_norm(a, shape, &mut Workspace::new(layout).arena()).unwrap()
    };
    let rest: Vec<f64> = f.iter().zip(k).map(|(f, k)| f - k).collect();
    let inner: f64 = rest.iter().zip(k).map(|(r, k)| r * k).sum::<f64>() * shape[0] as f64;
    let norm = nuclear(k);
    let scale = tau * norm + 1e-12;
    assert!((inner - tau * norm).abs() <= 1e-11 * scale, "{label}: {inner} {}", tau * norm);
    // Shrinking the rest by tau leaves nothing but rounding.
    let (left, _) = shrink_views(&rest, shape, tau, Way::Dense);
    assert!(
        distance(&left, &vec![0.0; left.len()], f) < 1e-12,
        "{label}: a singular value above tau is left"
    );
}

#[test]
fn the_result_is_optimal() {
    // From 256 samples on strips are wide, and the last one is not full.
    for shape in [[1, 4, 4], [2, 5, 5], [3, 4, 6], [4, 7, 3], [5, 6, 6], [2, 256, 5], [3, 259, 21]] {
        let f = reals::<f64>(5, shape.iter().product());
        for tau in [0.1, 0.7, 2.0] {
            let (k, _) = shrink_views(&f, shape, tau, Way::Dense);
            check_optimality(&f, &k, shape, tau, "views");
            // On the samples axis the rotated tensor is the one whose third mode is transformed.
            let rotated_shape = [shape[1], shape[2], shape[0]];
            let rotate = |a: &[f64]| {
                let mut rotated = vec![0.0; a.len()];
                tensor::rotate(a, shape, &mut rotated).unwrap();
                rotated
            };
            let (k, ranks) = shrink_samples(&f, shape, tau);
            check_optimality(&rotate(&f), &rotate(&k), rotated_shape, tau, "samples");
            let (by_rotation, same) = shrink_views(&rotate(&f), rotated_shape, tau, Way::Dense);
            assert!(distance(&rotate(&k), &by_rotation, &f) < 1e-13);
            assert_eq!(ranks, same);
        }
    }
}

#[test]
fn a_threshold_of_zero_changes_nothing_and_a_large_one_leaves_nothing() {
    let shape = [3, 6, 6];
    let f = reals::<f64>(6, 108);
    for k in [shrink_views(&f, shape, 0.0, Way::Dense).0, shrink_samples(&f, shape, 0.0).0] {
        assert!(distance(&k, &f, &f) < 1e-14);
    }
    for (k, ranks) in [shrink_views(&f, shape, 1e3, Way::Dense), shrink_samples(&f, shape, 1e3)] {
        assert_eq!(k, vec![0.0; 108]);
        assert_eq!(ranks, Ranks::default());
    }
}

#[test]
fn extreme_scales_are_only_scales() {
    let shape = [3, 5, 5];
    let f = reals::<f64>(7, 75);
    for scale in [1e-300, 1e-200, 1e200, 1e300] {
        let scaled: Vec<f64> = f.iter().map(|x| x * scale).collect();
        let back = |k: Vec<f64>| k.iter().map(|x| x / scale).collect::<Vec<_>>();
        let exact = shrink_views(&f, shape, 0.5, Way::Dense).0;
        let k = back(shrink_views(&scaled, shape, 0.5 * scale, Way::Dense).0);
        assert!(distance(&k, &exact, &f) < 1e-12, "views at {scale:e}");
        let exact = shrink_samples(&f, shape, 0.5).0;
        let k = back(shrink_samples(&scaled, shape, 0.5 * scale).0);
        assert!(distance(&k, &exact, &f) < 1e-12, "samples at {scale:e}");
    }
}

#[test]
fn bad_input_is_refused_and_nothing_is_touched() {
    type Step = fn(&mut [f64], Shape, f64, &mut Arena<'_>) -> Result<Ranks, Error>;
    let steps: [Step; 2] =
        [|f, shape, tau, work| views::shrink(f, shape, tau, Way::Dense, work), samples::shrink];
    let shape = [2, 3, 3];
    let layout = views::shrink_layout::<f64>(shape, Way::Dense)
        .unwrap()
        .or(samples::shrink_layout::<f64>(shape).unwrap());
    let mut work = Workspace::new(layout);
    for step in steps {
        let f = reals::<f64>(8, 18);
        let mut k = f.clone();
        let requirement = "finite and at least zero";
        for tau in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = step(&mut k, shape, tau, &mut work.arena());
            assert_eq!(refused, Err(Error::Parameter { what: "tau", requirement }));
        }
        let refused = step(&mut k, [2, 3, 4], 1.0, &mut work.arena());
        assert_eq!(refused, Err(Error::Length { what: "tensor", expected: 24, found: 18 }));
        let refused = step(&mut k, [usize::MAX, 3, 4], 1.0, &mut work.arena());
        assert_eq!(refused, Err(Error::SizeOverflow { what: "tensor" }));
        let refused = step(&mut [], [2, 3, 0], 1.0, &mut work.arena());
        assert_eq!(refused, Err(Error::Empty { what: "tensor" }));
        assert_eq!(k, f);
        k[11] = f64::INFINITY;
        let refused = step(&mut k, shape, 1.0, &mut work.arena());
        assert_eq!(refused, Err(Error::NotFinite { what: "tensor", index: 11 }));
        assert!(k.iter().zip(&f).enumerate().all(|(i, (k, f))| i == 11 || k == f));
    }
}
