//! The proximal steps, against the oracle's fixtures and against the conditions of optimality.

mod guarded;

use cstgl::linalg::MatMut;
use cstgl::prox::group::{self, Group};
use cstgl::prox::simplex;
use cstgl::rng::Rng;
use cstgl::workspace::{Arena, Layout};
use cstgl::{Complex, Error, Field, Scalar};
use guarded::Workspace;
use proptest::prelude::*;
use serde_json::Value;

// ---- fixtures --------------------------------------------------------------------------------

fn cases(text: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(text).expect("a fixture is JSON");
    let cases = document["cases"].as_array().expect("a fixture has cases").clone();
    assert!(!cases.is_empty());
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn shape_of(case: &Value) -> [usize; 3] {
    numbers(&case["shape"]).iter().map(|&x| x as usize).collect::<Vec<_>>().try_into().expect("three sizes")
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance, "{what}, element {index}: {x} is not {y}");
    }
}

#[test]
fn simplex_agrees_with_the_oracle() {
    for case in cases(include_str!("fixtures/simplex.json")) {
        let mut row = numbers(&case["row"]);
        simplex::project_row(&mut row).unwrap();
        assert_close(&row, &numbers(&case["result"]), 1e-12, &case["name"].to_string());
    }
}

#[test]
fn group_shrinkage_agrees_with_the_oracle() {
    for case in cases(include_str!("fixtures/group.json")) {
        let (shape, tensor) = (shape_of(&case), numbers(&case["tensor"]));
        for run in case["runs"].as_array().expect("runs") {
            let group = match run["group"].as_str() {
                Some("tube") => Group::Tube,
                Some("column") => Group::Column,
                other => panic!("no such group: {other:?}"),
            };
            let what = format!("{shape:?} {group:?} t = {}", run["t"]);
            let norm = l21(&tensor, shape, group);
            assert_close(&[norm], &[run["norm"].as_f64().unwrap()], 1e-12, &what);
            let shrunk = shrunk(&tensor, shape, group, run["t"].as_f64().unwrap());
            assert_close(&shrunk, &numbers(&run["result"]), 1e-12, &what);
        }
    }
}

// ---- simplex ---------------------------------------------------------------------------------

/// Sums and differences here are exact enough in f64 to judge f32, and compensated to judge f64.
fn exact_sum<T: Scalar>(x: &[T]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for x in x.iter().map(|x| x.to_f64()) {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    sum + lost
}

/// The conditions that only the projection meets: `a >= 0`, `sum a = 1`, and one `eta` with `x_j - a_j = eta`
/// where `a_j > 0` and `x_j <= eta` where `a_j = 0`.
fn assert_projection<T: Scalar>(x: &[T], a: &[T]) {
    let epsilon = T::EPSILON.to_f64();
    let sum = exact_sum(a);
    assert!(
        (sum - 1.0).abs() <= 8.0 * epsilon,
        "sum - 1 is {:e} eps of {} elements",
        (sum - 1.0) / epsilon,
        a.len()
    );
    // Relative to the largest element, where the numbers of the support are between -1 and 0.
    let largest = x.iter().fold(f64::MIN, |largest, x| largest.max(x.to_f64()));
    let pairs = || x.iter().zip(a).map(|(x, a)| (x.to_f64() - largest, a.to_f64()));
    assert!(pairs().all(|(_, a)| a.is_finite() && a >= 0.0));
    let etas = || pairs().filter(|&(_, a)| a > 0.0).map(|(y, a)| y - a);
    let (low, high) = (etas().fold(f64::MAX, f64::min), etas().fold(f64::MIN, f64::max));
    assert!(high - low <= 4.0 * epsilon, "thresholds from {low:e} to {high:e}");
    for (y, _) in pairs().filter(|&(_, a)| a == 0.0) {
        assert!(y <= high + 4.0 * epsilon, "{y:e} above the threshold {high:e} became zero");
    }
}

fn check_projection<T: Scalar>(x: &[T]) -> Vec<T> {
    let mut a = x.to_vec();
    simplex::project_row(&mut a).unwrap();
    assert_projection(x, &a);
    let threshold = simplex::threshold(x);
    assert!(x.iter().zip(&a).all(|(&x, &a)| threshold.apply(x) == a));
    a
}

fn row<T: Scalar>(seed: u64, n: usize, scale: f64, shift: f64) -> Vec<T> {
    let mut rng = Rng::new(seed);
    (0..n).map(|_| T::from_f64(shift + scale * (2.0 * rng.uniform::<f64>() - 1.0))).collect()
}

fn rows_of_every_size<T: Scalar>() {
    for n in [1, 2, 3, 7, 8, 9, 255, 256, 257, 1000, 10_000] {
        // From everything in the support to a single element, near zero and far from it.
        for scale in [0.0, 1e-6, 1e-3, 0.1, 1.0, 30.0, 1e6] {
            for shift in [0.0, -0.7, 1000.0, -1e7] {
                check_projection(&row::<T>(n as u64, n, scale, shift));
            }
        }
    }
}

#[test]
fn projections_are_optimal_in_f64() {
    rows_of_every_size::<f64>();
}

#[test]
fn projections_are_optimal_in_f32() {
    rows_of_every_size::<f32>();
}

#[test]
fn projections_known_by_heart() {
    assert_eq!(check_projection(&[-3.5_f64]), [1.0]);
    assert_eq!(check_projection(&[0.1_f64; 4]), [0.25; 4]);
    assert_eq!(check_projection(&[1.0_f64, 0.0, 0.0]), [1.0, 0.0, 0.0]);
    assert_eq!(check_projection(&[0.75_f64, 0.25]), [0.75, 0.25]);
    assert_eq!(check_projection(&[2.0_f64, 2.0, 0.0]), [0.5, 0.5, 0.0]);
    assert_eq!(check_projection(&[f64::MAX, f64::MIN, f64::MAX]), [0.5, 0.0, 0.5]);
    assert_eq!(check_projection(&[f64::MIN; 2]), [0.5, 0.5]);
    assert_eq!(check_projection(&[5e-324_f64, 0.0]), [0.5, 0.5]);
    assert_eq!(check_projection(&[-0.0_f32, 0.0]), [0.5, 0.5]);
    assert_eq!(check_projection(&[16_777_216.0_f32, 16_777_214.0, 16_777_216.0]), [0.5, 0.0, 0.5]);
}

/// Half of the row is in the support, far below one large element: a threshold of one number would be `n eps`
/// off.
#[test]
fn one_large_element_above_a_crowd() {
    for n in [100, 10_000, 100_000] {
        for lead in [0.5, 0.9, 0.999_999_9, 1.0] {
            let mut x = row::<f32>(5, n, 1e-5, 0.0);
            x[n / 2] = lead;
            check_projection(&x);
        }
        let mut tied = vec![0.0_f32; n];
        tied[0] = 1.0 - f32::EPSILON;
        check_projection(&tied);
    }
}

/// Rows on which every round of Newton's method lets go of few elements: powers of two, and a hyperbola.
#[test]
fn rows_that_take_many_rounds() {
    let powers: Vec<f64> = (0..1000).map(|j| 0.5_f64.powi(j)).collect();
    check_projection(&powers);
    check_projection(&powers.iter().map(|x| -x).collect::<Vec<_>>());
    let hyperbola: Vec<f64> = (0..5000).map(|j| -1.0 / f64::from(j + 1)).collect();
    check_projection(&hyperbola);
    check_projection(&hyperbola.iter().map(|&x| x as f32).collect::<Vec<_>>());
}

#[test]
fn a_forbidden_position_stays_empty() {
    let mut x = row::<f64>(3, 50, 0.01, 0.2);
    x[17] = -1e300;
    let a = check_projection(&x);
    assert_eq!(a.iter().filter(|&&a| a == 0.0).count(), 1);
    assert_eq!(a[17], 0.0);
}

#[test]
fn a_projection_stays_where_it_is_and_ignores_a_constant() {
    let x = row::<f64>(11, 300, 0.1, 0.0);
    let once = check_projection(&x);
    assert_close(&check_projection(&once), &once, 1e-15, "projected twice");
    let shifted: Vec<f64> = x.iter().map(|x| x + 4096.0).collect();
    assert_close(&check_projection(&shifted), &once, 1e-12, "shifted");
}

#[test]
fn matrices_are_projected_row_by_row() {
    let data = row::<f64>(9, 60, 1.0, 0.0);
    let mut rows = data.clone();
    simplex::project_rows(MatMut::new("a", &mut rows, 5, 12).unwrap()).unwrap();
    for (x, a) in data.chunks(12).zip(rows.chunks(12)) {
        assert_eq!(check_projection(x), a);
    }
}

#[test]
fn refused_rows_are_untouched() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut x = vec![0.3; 20];
        x[13] = bad;
        let before: Vec<u64> = x.iter().map(|x| x.to_bits()).collect();
        let refused = simplex::project_row(&mut x);
        assert_eq!(refused, Err(Error::NotFinite { what: "row", index: 13 }));
        let refused = simplex::project_rows(MatMut::new("a", &mut x, 4, 5).unwrap());
        assert_eq!(refused, Err(Error::NotFinite { what: "rows", index: 13 }));
        assert_eq!(x.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), before);
    }
    assert_eq!(simplex::project_row::<f64>(&mut []), Err(Error::Empty { what: "row" }));
    let empty = MatMut::<f64>::new("a", &mut [], 3, 0).unwrap();
    assert_eq!(simplex::project_rows(empty), Err(Error::Empty { what: "row" }));
}

/// A row of moderate numbers, of extreme ones, or of few distinct ones.
fn any_row() -> impl Strategy<Value = Vec<f64>> {
    let any =
        prop_oneof![-2.0..2.0_f64, -1e-9..1e-9_f64, proptest::num::f64::NORMAL, Just(-1e300), Just(0.0)];
    prop_oneof![
        proptest::collection::vec(any, 1..200),
        proptest::collection::vec(-1.0..1.0_f64, 1..600),
        proptest::collection::vec(prop_oneof![Just(0.1), Just(0.2), Just(1.1)], 1..100),
    ]
}

proptest! {
    #[test]
    fn any_row_is_projected_in_f64(x in any_row()) {
        check_projection(&x);
    }

    #[test]
    fn any_row_is_projected_in_f32(x in any_row()) {
        let limit = f64::from(f32::MAX);
        check_projection(&x.iter().map(|x| x.clamp(-limit, limit) as f32).collect::<Vec<_>>());
    }
}

// ---- groups ----------------------------------------------------------------------------------

fn shrunk<F: Field>(tensor: &[F], shape: [usize; 3], group: Group, t: F::Real) -> Vec<F> {
    let mut out = tensor.to_vec();
    let mut work = Workspace::new(group::shrink_layout::<F>(shape).unwrap());
    group::shrink(&mut out, shape, group, t, &mut work.arena()).unwrap();
    out
}

fn l21<F: Field>(tensor: &[F], shape: [usize; 3], group: Group) -> F::Real {
    let mut work = Workspace::new(group::shrink_layout::<F>(shape).unwrap());
    group::l21_norm(tensor, shape, group, &mut work.arena()).unwrap()
}

/// The positions of every group.
fn groups([views, rows, cols]: [usize; 3], group: Group) -> Vec<Vec<usize>> {
    let at = |v, i, j| (v * rows + i) * cols + j;
    match group {
        Group::Tube => (0..rows)
            .flat_map(|i| (0..cols).map(move |j| (0..views).map(|v| at(v, i, j)).collect()))
            .collect(),
        Group::Column => (0..cols)
            .map(|j| (0..views).flat_map(|v| (0..rows).map(move |i| at(v, i, j))).collect())
            .collect(),
    }
}

/// Norm in units of the largest element, so that it is right at any scale: `(largest, norm/largest)`.
fn scaled_norm(x: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let largest = x.clone().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let unit = if largest == 0.0 { 1.0 } else { largest };
    (unit, x.map(|x| (x / unit) * (x / unit)).sum::<f64>().sqrt())
}

/// The conditions of optimality: `c - w = t w/||w||`, or `w = 0` and `||c|| <= t`.
fn check_shrinkage<T: Scalar>(tensor: &[T], shape: [usize; 3], group: Group, t: T) {
    let w = shrunk(tensor, shape, group, t);
    let t = t.to_f64();
    let tolerance = (shape[0] * shape[1] + 8) as f64 * T::EPSILON.to_f64();
    for members in groups(shape, group) {
        let pairs = || members.iter().map(|&k| (tensor[k].to_f64(), w[k].to_f64()));
        assert!(pairs().all(|(_, w)| w.is_finite()));
        let (unit, c_norm) = scaled_norm(pairs().map(|(c, _)| c));
        let (w_unit, w_norm) = scaled_norm(pairs().map(|(_, w)| w));
        if w_norm == 0.0 {
            assert!(c_norm <= t / unit + tolerance * c_norm, "{c_norm} x {unit} vanished under {t}");
        } else {
            // Below this a result has no more bits than the smallest number leaves it.
            let grain = 4.0 * T::MIN_POSITIVE.to_f64() * T::EPSILON.to_f64();
            if w_unit <= grain / tolerance {
                assert!((c_norm - t / unit).abs() <= tolerance * c_norm + grain / tolerance / unit);
                continue;
            }
            for (c, w) in pairs() {
                let gap = c / unit - w / unit - t / unit * (w / w_unit / w_norm);
                assert!(gap.abs() <= tolerance * c_norm, "{c} -> {w} with t = {t}: {gap:e}");
            }
        }
    }
}

const SHAPES: [[usize; 3]; 7] =
    [[1, 1, 1], [1, 6, 5], [2, 3, 3], [3, 8, 1], [4, 1, 9], [5, 7, 16], [3, 20, 33]];

fn random_shrinkage<T: Scalar>() {
    for shape in SHAPES {
        let tensor = row::<T>(2, shape.iter().product(), 1.0, 0.0);
        for group in [Group::Tube, Group::Column] {
            for t in [0.0, 1e-3, 0.5, 1.0, 2.0, 1e3] {
                check_shrinkage(&tensor, shape, group, T::from_f64(t));
            }
        }
    }
}

#[test]
fn shrinkage_is_optimal() {
    random_shrinkage::<f64>();
    random_shrinkage::<f32>();
}

#[test]
fn a_zero_threshold_changes_no_bit() {
    for shape in SHAPES {
        let mut tensor = row::<f64>(4, shape.iter().product(), 1.0, 0.0);
        tensor[0] = 0.0;
        for group in [Group::Tube, Group::Column] {
            assert_eq!(shrunk(&tensor, shape, group, 0.0), tensor);
        }
    }
}

/// Squares that overflow beside squares that vanish, in one tensor.
#[test]
fn groups_at_the_edges_of_the_range() {
    let (shape, scales) = ([2, 2, 6], [1e200, 1e-200, 1.0, 0.0, f64::MAX, 5e-324]);
    let tensor: Vec<f64> = (0..24).map(|k| scales[k % 6] * [1.0, 0.5, -0.25, 0.75][k / 6]).collect();
    for group in [Group::Tube, Group::Column] {
        for t in [0.0, 1e-320, 1e-201, 0.5, 1e200, 1e308] {
            check_shrinkage(&tensor, shape, group, t);
        }
    }
    let expected = 1e200 * 1.875_f64.sqrt();
    let found: f64 = l21(&[1e200_f64, 0.5e200, -0.25e200, 0.75e200], [2, 2, 1], Group::Column);
    assert!((found - expected).abs() <= 1e-15 * expected);
    let tiny = l21(&[3e-30_f32, 4e-30], [2, 1, 1], Group::Tube);
    assert!((tiny - 5e-30).abs() <= 1e-36);
}

/// A column's result has the same bits whatever stands beside it.
#[test]
fn a_column_does_not_feel_its_neighbours() {
    let shape = [2, 3, 2];
    let calm = row::<f64>(8, 12, 1.0, 0.0);
    let wild: Vec<f64> =
        calm.iter().enumerate().map(|(k, x)| if k % 2 == 1 { x * 1e250 } else { *x }).collect();
    for group in [Group::Tube, Group::Column] {
        let (calm, wild) = (shrunk(&calm, shape, group, 0.3), shrunk(&wild, shape, group, 0.3));
        assert!(calm.iter().zip(&wild).step_by(2).all(|(x, y)| x.to_bits() == y.to_bits()));
    }
}

#[test]
fn complex_groups_shrink_by_their_absolute_values() {
    let tensor = [Complex::new(3.0_f64, 0.0), Complex::new(0.0, 4.0)];
    assert_eq!(l21(&tensor, [2, 1, 1], Group::Tube), 5.0);
    let halved = shrunk(&tensor, [2, 1, 1], Group::Tube, 2.5);
    assert_eq!(halved, [Complex::new(1.5, 0.0), Complex::new(0.0, 2.0)]);
}

#[test]
fn empty_tensors_have_no_groups() {
    for shape in [[0, 3, 3], [2, 0, 3], [2, 3, 0], [0, usize::MAX, 1], [0, usize::MAX, 0]] {
        for group in [Group::Tube, Group::Column] {
            assert!(shrunk::<f64>(&[], shape, group, 1.0).is_empty());
            assert_eq!(l21::<f64>(&[], shape, group), 0.0);
        }
    }
}

#[test]
fn refused_tensors_are_untouched() {
    let shape = [2, 3, 4];
    let need = group::shrink_layout::<f64>(shape).unwrap();
    assert_eq!(need.bytes(), 64);
    let mut good = row::<f64>(1, 24, 1.0, 0.0);
    let before = good.clone();
    let mut work = Workspace::new(need);
    for t in [-1.0, f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
        let refused = group::shrink(&mut good, shape, Group::Tube, t, &mut work.arena());
        assert!(matches!(refused, Err(Error::Parameter { what: "t", .. })), "{refused:?}");
    }
    let refused = group::shrink(&mut good, [2, 3, 5], Group::Tube, 1.0, &mut work.arena());
    assert!(matches!(refused, Err(Error::Length { expected: 30, found: 24, .. })), "{refused:?}");
    let refused = group::shrink(&mut good, [usize::MAX, 3, 5], Group::Column, 1.0, &mut work.arena());
    assert!(matches!(refused, Err(Error::SizeOverflow { .. })), "{refused:?}");
    let mut short = Workspace::new(Layout::array::<u8>(63).unwrap());
    let refused = group::shrink(&mut good, shape, Group::Column, 1.0, &mut short.arena());
    assert_eq!(refused, Err(Error::WorkspaceTooSmall { needed: 64, given: 63 }));
    let refused = group::l21_norm(&good, shape, Group::Column, &mut Arena::new(&mut []));
    assert!(refused.is_err());
    assert_eq!(good, before);
    good[5] = f64::NAN;
    let refused = group::shrink(&mut good, shape, Group::Column, 1.0, &mut work.arena());
    assert_eq!(refused, Err(Error::NotFinite { what: "tensor", index: 5 }));
    assert_eq!(good[6..], before[6..]);
}

proptest! {
    #[test]
    fn any_tensor_shrinks_optimally(
        seed: u64, views in 1..5_usize, rows in 1..6_usize, cols in 1..20_usize, t in 0.0..3.0_f64,
        scale in prop_oneof![Just(1.0), Just(1e-170), Just(1e170), Just(1e-25), Just(1e25)],
    ) {
        let tensor = row::<f64>(seed, views * rows * cols, scale, 0.0);
        for group in [Group::Tube, Group::Column] {
            check_shrinkage(&tensor, [views, rows, cols], group, t * scale);
            if scale.abs().log10().abs() < 30.0 {
                let single: Vec<f32> = tensor.iter().map(|&x| x as f32).collect();
                check_shrinkage(&single, [views, rows, cols], group, (t * scale) as f32);
            }
        }
    }
}
