//! k-means against partitions that are known, and against the order and the axes of its rows.

mod common;
mod guarded;

use common::{exactly, reals};
use cstgl::kmeans::{Fit, Options, cluster, cluster_layout};
use cstgl::linalg::Mat;
use cstgl::order::canonical_order;
use cstgl::rng::Rng;
use cstgl::workspace::Layout;
use cstgl::{Error, Scalar};
use guarded::Workspace;

fn labels_of<T: Scalar>(
    points: &[T],
    dimension: usize,
    order: &[u32],
    options: &Options,
) -> Result<(Vec<u32>, Fit<T>), Error> {
    let n = points.len() / dimension;
    let mut labels = vec![u32::MAX; n];
    let layout = cluster_layout::<T>(n, dimension, options.clusters)?;
    let fit = exactly(layout, |work| {
        cluster(Mat::new("points", points, n, dimension)?, order, options, &mut labels, work)
    })?;
    Ok((labels, fit))
}

fn identity(n: usize) -> Vec<u32> {
    (0..n as u32).collect()
}

/// The least inertia of all partitions into at most `k` parts, by trying every one.
fn least_inertia(points: &[f64], dimension: usize, k: usize) -> f64 {
    let n = points.len() / dimension;
    let mut least = f64::INFINITY;
    for code in 0..(k as u32).pow(n as u32) {
        let label = |i: usize| (code / (k as u32).pow(i as u32)) as usize % k;
        let mut inertia = 0.0;
        for j in 0..k {
            let members: Vec<&[f64]> = points
                .chunks(dimension)
                .enumerate()
                .filter(|(i, _)| label(*i) == j)
                .map(|(_, x)| x)
                .collect();
            for c in 0..dimension {
                let mean = members.iter().map(|x| x[c]).sum::<f64>() / members.len().max(1) as f64;
                inertia += members.iter().map(|x| (x[c] - mean).powi(2)).sum::<f64>();
            }
        }
        least = least.min(inertia);
    }
    least
}

#[test]
fn the_best_of_all_partitions_is_found() {
    for seed in 0..20 {
        let (n, dimension, k) = (8, 2, 3);
        let points = reals::<f64>(seed, n * dimension);
        let (_, fit) = labels_of(&points, dimension, &identity(n), &Options::new(k, seed)).unwrap();
        let least = least_inertia(&points, dimension, k);
        assert!((fit.inertia - least).abs() <= 1e-12, "seed {seed}: {} is not {least}", fit.inertia);
    }
}

/// The inertia is that of the labels, whatever the labels.
#[test]
fn the_inertia_is_that_of_the_labels() {
    let (n, dimension, k) = (300, 5, 11);
    let points = reals::<f64>(1, n * dimension);
    let (labels, fit) = labels_of(&points, dimension, &identity(n), &Options::new(k, 1)).unwrap();
    let mut inertia = 0.0;
    for j in 0..k as u32 {
        let members: Vec<&[f64]> =
            points.chunks(dimension).zip(&labels).filter(|(_, l)| **l == j).map(|(x, _)| x).collect();
        assert!(!members.is_empty());
        for c in 0..dimension {
            let mean = members.iter().map(|x| x[c]).sum::<f64>() / members.len() as f64;
            inertia += members.iter().map(|x| (x[c] - mean).powi(2)).sum::<f64>();
        }
    }
    assert!((fit.inertia - inertia).abs() <= 1e-10 * inertia, "{} is not {inertia}", fit.inertia);
    assert_eq!(fit.clusters, k);
}

/// `k` tight groups around random centres, interleaved; the key of a row is unlike that of any other.
fn groups<T: Scalar>(n: usize, dimension: usize, k: usize, spread: f64) -> (Vec<T>, Vec<T>) {
    let centres = reals::<f64>(9, k * dimension);
    let noise = reals::<f64>(10, n * dimension);
    let points = (0..n * dimension)
        .map(|at| {
            T::from_f64(centres[(at / dimension) % k * dimension + at % dimension] + spread * noise[at])
        })
        .collect();
    (points, reals::<T>(11, n))
}

#[test]
fn separated_groups_are_found_whatever_their_number() {
    for k in [1, 2, 7, 8, 9, 16, 17, 40] {
        let (n, dimension) = (40 * k, 6);
        let (points, _) = groups::<f32>(n, dimension, k, 0.01);
        let (labels, fit) = labels_of(&points, dimension, &identity(n), &Options::new(k, 0)).unwrap();
        let expected: Vec<u32> = (0..n).map(|i| (i % k) as u32).collect();
        assert_eq!(labels, expected, "k = {k}: numbered by first appearance");
        assert_eq!(fit.clusters, k);
    }
}

/// Overlapping groups have many local optima: only then does it show whether the seeds depend on the order.
#[test]
fn shuffled_and_rotated_rows_keep_their_labels() {
    let (n, dimension, k) = (240, 4, 6);
    let (points, keys) = groups::<f64>(n, dimension, k, 0.6);
    let mut order = identity(n);
    canonical_order(&keys, &mut order).unwrap();
    // One restart, so that the best of many does not hide a difference.
    let options = Options { restarts: 1, ..Options::new(k, 3) };
    let (labels, _) = labels_of(&points, dimension, &order, &options).unwrap();
    let other = labels_of(&points, dimension, &identity(n), &options).unwrap().0;
    let pairs: std::collections::BTreeSet<_> = labels.iter().zip(&other).collect();
    assert!(pairs.len() > k, "another order finds another optimum, or this test shows nothing");

    let mut rng = Rng::new(77);
    for _ in 0..10 {
        let mut shuffle: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            shuffle.swap(i, (rng.next_u64() % (i as u64 + 1)) as usize);
        }
        // A rotation in the plane of two axes, and a reflection in a third.
        let (cos, sin) = (0.28, 0.96);
        let moved: Vec<f64> = shuffle
            .iter()
            .flat_map(|&i| {
                let x = &points[i * dimension..(i + 1) * dimension];
                [cos * x[0] - sin * x[2], -x[1], sin * x[0] + cos * x[2], x[3]]
            })
            .collect();
        let moved_keys: Vec<f64> = shuffle.iter().map(|&i| keys[i]).collect();
        let mut moved_order = identity(n);
        canonical_order(&moved_keys, &mut moved_order).unwrap();
        let (found, _) = labels_of(&moved, dimension, &moved_order, &options).unwrap();
        let expected: Vec<u32> = shuffle.iter().map(|&i| labels[i]).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn one_cluster_and_as_many_as_rows() {
    let points = reals::<f64>(4, 30);
    let (labels, _) = labels_of(&points, 3, &identity(10), &Options::new(1, 0)).unwrap();
    assert_eq!(labels, [0; 10]);
    let order = [3, 1, 4, 0, 5, 9, 2, 6, 8, 7];
    let (labels, fit) = labels_of(&points, 3, &order, &Options::new(10, 0)).unwrap();
    for (place, &i) in order.iter().enumerate() {
        assert_eq!(labels[i as usize], place as u32);
    }
    assert_eq!((fit.inertia, fit.clusters), (0.0, 10));
    let (labels, _) = labels_of(&[0.25_f32], 1, &[0], &Options::new(1, 0)).unwrap();
    assert_eq!(labels, [0]);
}

#[test]
fn equal_rows_share_a_label() {
    let (labels, fit) = labels_of(&[1.5_f64; 12], 2, &identity(6), &Options::new(4, 0)).unwrap();
    assert_eq!((labels, fit.inertia, fit.clusters), (vec![0; 6], 0.0, 1));
    // Three different rows, each many times, and five clusters.
    let points: Vec<f64> = (0..60).map(|i| [0.0, 1.0, 7.0][i % 3]).collect();
    let (labels, fit) = labels_of(&points, 1, &identity(60), &Options::new(5, 0)).unwrap();
    assert_eq!(labels, (0..60).map(|i| i % 3).collect::<Vec<u32>>());
    assert_eq!((fit.inertia, fit.clusters), (0.0, 3));
}

#[test]
fn numbers_at_the_edges_of_the_range() {
    for size in [1e300, 1e-300, 5e-324] {
        let points = [0.0, size, 0.0, size, 0.0];
        let (labels, _) = labels_of(&points, 1, &identity(5), &Options::new(2, 0)).unwrap();
        assert_eq!(labels, [0, 1, 0, 1, 0], "{size:e}");
    }
}

#[test]
fn bad_input_is_an_error_and_changes_nothing() {
    let mut labels = [7; 4];
    let mut workspace = Workspace::new(Layout::array::<u64>(1000).unwrap());
    let mut call = |points: &[f64], order: &[u32], options: Options| {
        let result =
            cluster(Mat::new("points", points, 4, 1)?, order, &options, &mut labels, &mut workspace.arena());
        assert_eq!(labels, [7; 4]);
        result
    };
    let (points, order, good) = ([0.0, 1.0, 2.0, 3.0], [0, 1, 2, 3], Options::new(2, 0));
    let nan = call(&[0.0, f64::NAN, 1.0, 2.0], &order, good);
    assert_eq!(nan.err(), Some(Error::NotFinite { what: "points", index: 1 }));
    for clusters in [0, 5] {
        assert!(matches!(call(&points, &order, Options { clusters, ..good }), Err(Error::Parameter { .. })));
    }
    assert!(matches!(call(&points, &[0, 1, 1, 3], good), Err(Error::Parameter { what: "order", .. })));
    assert!(matches!(call(&points, &[0, 1, 4, 3], good), Err(Error::Parameter { what: "order", .. })));
    assert!(matches!(call(&points, &[0, 1], good), Err(Error::Length { what: "order", .. })));
    assert!(call(&points, &order, Options { restarts: 0, ..good }).is_err());
    assert!(cluster_layout::<f64>(usize::MAX, 3, 3).is_err());
}
