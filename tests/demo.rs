//! The synthetic data has the structure that it says it has.

use cstgl::Error;
use cstgl::demo::Demo;

/// A view, feature after feature.
fn view(demo: &Demo<'_, f64>, v: usize) -> Vec<Vec<f64>> {
    (0..demo.dimensions[v])
        .map(|f| {
            let mut row = vec![0.0; demo.samples];
            demo.feature(v, f, &mut row).unwrap();
            row
        })
        .collect()
}

fn plain(dimensions: &[usize]) -> Demo<'_, f64> {
    Demo { dimensions, noise: 0.0, specific: 0.0, outliers: 0.0, merge: false, ..Demo::small() }
}

#[test]
fn labels_are_interleaved() {
    let demo = Demo::<f32>::small();
    assert_eq!((0..6).map(|i| demo.label(i)).collect::<Vec<_>>(), [0, 1, 2, 3, 0, 1]);
}

#[test]
fn numbers_depend_on_their_place_and_the_seed_alone() {
    let demo = Demo::<f64>::small();
    let longer = Demo { samples: 500, dimensions: &[40, 40, 40, 40], ..demo };
    for v in 0..3 {
        for (f, row) in view(&demo, v).iter().enumerate() {
            for (i, &x) in row.iter().enumerate() {
                assert_eq!(x, longer.value(v, f, i));
            }
        }
    }
    let other = Demo { seed: 2, ..demo };
    assert!((0..20).all(|i| demo.value(0, 0, i) != other.value(0, 0, i)));
    // The same draws in single precision, up to its rounding.
    let single = Demo::<f32>::small();
    assert!((0..120).all(|i| (f64::from(single.value(2, 7, i)) - demo.value(2, 7, i)).abs() < 1e-5));
}

#[test]
fn without_noise_a_cluster_is_a_point() {
    let demo = plain(&[5, 6]);
    for v in 0..2 {
        for row in view(&demo, v) {
            assert!((4..120).all(|i| row[i] == row[i % 4]));
            assert!((1..4).all(|i| row[i] != row[0]));
        }
    }
}

/// Clusters v and v + 1 are one point in view v, and no other two are.
#[test]
fn every_view_merges_two_other_clusters() {
    let demo = Demo { merge: true, ..plain(&[5, 5, 5, 5]) };
    for v in 0..4 {
        for row in view(&demo, v) {
            for a in 0..4 {
                for b in 0..a {
                    let merged = (a == (v + 1) % 4 && b == v) || (b == (v + 1) % 4 && a == v);
                    assert_eq!(row[a] == row[b], merged, "view {v}, clusters {a} and {b}");
                }
            }
        }
    }
}

#[test]
fn the_specific_partition_is_a_view_s_own() {
    let demo = Demo { specific: 1.0, samples: 400, ..plain(&[3, 3]) };
    for row in view(&demo, 1) {
        for i in 0..400 {
            for j in 0..i {
                let same =
                    demo.label(i) == demo.label(j) && demo.specific_group(1, i) == demo.specific_group(1, j);
                assert_eq!(row[i] == row[j], same);
            }
        }
    }
    // Independent of the other view's and of the labels: every combination is there, about equally often.
    let mut counts = [0; 64];
    for i in 0..400 {
        counts[demo.specific_group(0, i) * 16 + demo.specific_group(1, i) * 4 + demo.label(i) as usize] += 1;
    }
    let chi_squared: f64 = counts.iter().map(|&c| (f64::from(c) - 6.25).powi(2) / 6.25).sum();
    assert!(chi_squared < 103.4, "{chi_squared}: the 99.9% quantile of 63 degrees of freedom");
}

#[test]
fn noise_has_its_moments_and_outliers_their_share() {
    let quiet = Demo { samples: 20_000, ..plain(&[1]) };
    let loud = Demo { noise: 2.0, ..quiet };
    let noise: Vec<f64> = (0..20_000).map(|i| (loud.value(0, 0, i) - quiet.value(0, 0, i)) / 2.0).collect();
    let mean = |power: i32| noise.iter().map(|x| x.powi(power)).sum::<f64>() / 20_000.0;
    // Of a sum of four uniform numbers: variance 1, no skew, kurtosis 3 - 1.2/4.
    assert!(mean(1).abs() < 0.03 && (mean(2) - 1.0).abs() < 0.04 && mean(3).abs() < 0.08);
    assert!((mean(4) - 2.7).abs() < 0.2, "{}", mean(4));

    let spoilt = Demo { outliers: 0.25, ..quiet };
    let outliers: Vec<usize> = (0..20_000).filter(|&i| spoilt.is_outlier(0, i)).collect();
    assert!((outliers.len() as f64 - 5000.0).abs() < 250.0, "{}", outliers.len());
    for i in 0..20_000 {
        assert_eq!(spoilt.value(0, 0, i) == quiet.value(0, 0, i), !spoilt.is_outlier(0, i));
    }
    let both = outliers.iter().filter(|&&i| spoilt.is_outlier(1, i)).count();
    assert!((both as f64 - 1250.0).abs() < 150.0, "outliers of one view are not those of another: {both}");
}

#[test]
fn bad_requests_are_errors() {
    let demo = Demo::<f64>::small();
    let mut row = [7.0; 120];
    assert!(matches!(demo.feature(0, 20, &mut row), Err(Error::Parameter { .. })));
    assert!(matches!(demo.feature(3, 0, &mut row), Err(Error::Parameter { .. })));
    assert!(matches!(demo.feature(0, 0, &mut row[1..]), Err(Error::Length { .. })));
    for bad in [
        Demo { noise: f64::NAN, ..demo },
        Demo { specific: -1.0, ..demo },
        Demo { outliers: 1.5, ..demo },
        Demo { clusters: 0, ..demo },
        Demo { clusters: 121, ..demo },
        Demo { samples: 0, ..demo },
        Demo { dimensions: &[], ..demo },
    ] {
        assert!(bad.feature(0, 0, &mut row).is_err());
    }
    assert_eq!(row, [7.0; 120]);
    assert_eq!(Demo { clusters: 0, ..demo }.label(5), 0);
}
