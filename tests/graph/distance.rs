//! Distances and graph terms.

use super::*;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn agrees_with_the_oracle<T: Scalar>(tolerance: f64) {
    let size = |value: &Value| value.as_u64().expect("a size") as usize;
    let document: Value = serde_json::from_str(include_str!("../fixtures/graph.json")).expect("JSON");
    let cases = document["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 3);
    for case in cases {
        let (d, n) = (size(&case["features"]), size(&case["samples"]));
        let view = View { x: numbers(&case["view"]).into_iter().map(T::from_f64).collect(), d, n };
        for run in case["runs"].as_array().expect("runs") {
            // Ours is without the constant d.
            let (distance, constant) = match run["distance"].as_str() {
                Some("stiefel") => (Distance::Stiefel, d as f64),
                _ => (Distance::Euclidean, 0.0),
            };
            let unit = run["unit"].as_bool().expect("a flag");
            let what = format!("{d} x {n}, {distance:?}, {unit}");
            let e = distances(&view, distance, unit);
            let expected: Vec<f64> = numbers(&run["distances"]).iter().map(|e| e - constant).collect();
            assert_close(&e, &expected, tolerance, &what);
            for term in run["terms"].as_array().expect("terms") {
                let (k, weight) = (size(&term["neighbours"]), term["weight"].as_f64().expect("a weight"));
                let adapted = adapted(e.clone(), n, k, T::from_f64(weight));
                assert_close(&adapted, &numbers(&term["adaptive"]), 100.0 * tolerance, &what);
                if !term["knn"].is_null() {
                    assert_close(&neighbours(&e, n, k), &numbers(&term["knn"]), 100.0 * tolerance, &what);
                }
            }
        }
    }
}

#[test]
fn distances_and_graph_terms_agree_with_the_oracle() {
    agrees_with_the_oracle::<f64>(1e-13);
    agrees_with_the_oracle::<f32>(1e-5);
}

#[test]
fn distances_are_symmetric_and_follow_a_permutation_to_the_bit() {
    let (d, n) = (17, 70);
    let view = View::<f32>::random(d, n);
    let order = shuffled(n);
    let x = view.x.chunks(n).flat_map(|row| order.iter().map(|&j| row[j])).collect();
    let other = View { x, d, n };
    for distance in [Distance::Stiefel, Distance::Euclidean] {
        for unit in [false, true] {
            let [e, f] = [&view, &other].map(|view| distances(view, distance, unit));
            assert!((0..n * n).all(|at| e[at] == e[at % n * n + at / n]));
            assert_eq!(permuted(&e, &order), f);
            let [e, f] = [e, f].map(|e| adapted(e, n, 5, 100.0));
            assert_eq!(permuted(&e, &order), f);
        }
    }
}

#[test]
fn powers_of_two_cancel_in_unit_length() {
    let (d, n) = (9, 12);
    let view = View::<f64>::random(d, n);
    for distance in [Distance::Stiefel, Distance::Euclidean] {
        let expected = distances(&view, distance, true);
        for power in [-400, -1, 3, 400] {
            let mut scaled = View { x: view.x.clone(), d, n };
            scaled.x.chunks_mut(n).for_each(|row| row[4] *= 2_f64.powi(power));
            assert_eq!(distances(&scaled, distance, true), expected, "2^{power}");
        }
    }
}

#[test]
fn gram_matrices_at_the_edges_of_the_range() {
    let max = f64::MAX;
    let huge = vec![max, 0.0, max / 2.0, max];
    let unit = finished(huge.clone(), 2, Distance::Stiefel, true).unwrap();
    assert_close(&unit, &[-1.0, -0.5, -0.5, -1.0], 1e-15, "huge");
    let tiny = vec![1e-300, 0.0, 5e-301, 1e-300];
    let unit = finished(tiny, 2, Distance::Euclidean, true).unwrap();
    assert_close(&unit, &[0.0, 1.0, 1.0, 0.0], 1e-15, "tiny");

    let mut gram = huge.clone();
    let mut work = Workspace::new(finish_gram_layout::<f64>(2).unwrap());
    let refused = finish_gram(&mut gram, 7, 2, Distance::Euclidean, false, &mut work.arena());
    assert_eq!((refused, &gram), (Err(Error::Range { view: 7 }), &huge));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut gram = vec![1.0, 0.0, bad, 1.0];
        let refused = finish_gram(&mut gram, 7, 2, Distance::Stiefel, true, &mut work.arena());
        assert_eq!(refused, Err(Error::Range { view: 7 }));
        assert_eq!(gram[..2], [1.0, 0.0]);
    }
    // Above the diagonal nothing counts.
    let garbage = finished(vec![4.0, f64::NAN, 1.0, 1.0], 2, Distance::Stiefel, true).unwrap();
    assert_eq!(garbage, [-1.0, -0.5, -0.5, -1.0]);
}

#[test]
fn zero_duplicate_and_constant_samples() {
    let (d, n) = (30, 12);
    let mut view = View::<f64>::random(d, n);
    for row in view.x.chunks_mut(n) {
        row[2] = 0.0;
        row[5] = 0.0;
        row[7] = row[1];
    }
    for (distance, zero, same) in [(Distance::Stiefel, 0.0, -1.0), (Distance::Euclidean, 1.0, 0.0)] {
        let e = distances(&view, distance, true);
        assert_eq!(e[2 * n + 8], zero);
        assert_eq!(e[2 * n + 5], 0.0, "two zeros are one point");
        assert_eq!(e[8 * n + 8], same);
        assert!((e[7 * n + 1] - same).abs() <= 1e-15);
        let scaled = adapted(e.clone(), n, 3, 100.0);
        assert!(scaled.iter().all(|x| x.is_finite() && *x >= 0.0));
        for row in neighbours(&e, n, 3).chunks(n) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() <= 1e-14);
        }
    }
    // Every sample the same: no distance is more than rounding, and nobody is nearer than another.
    let same = View { x: reals::<f64>(1, d).into_iter().flat_map(|x| [x; 12]).collect(), d, n };
    let zero = View { x: vec![0.0; d * n], d, n };
    let line = View { x: (1..=12).map(|x| f64::from(x) / 7.0).collect(), d: 1, n };
    for view in [same, zero, line] {
        for distance in [Distance::Stiefel, Distance::Euclidean] {
            let e = distances(&view, distance, true);
            let scaled = adapted(e, n, 3, 100.0);
            assert!(scaled.iter().all(|x| x.abs() <= 1e-12), "{distance:?}: {scaled:?}");
        }
    }
}

/// Rows whose c is well above a tenth of the median.
fn generic_rows(e: &[f64], n: usize, k: usize) -> Vec<usize> {
    let c = |(i, row): (usize, &[f64])| {
        let mut others = [&row[..i], &row[i + 1..]].concat();
        others.sort_by(f64::total_cmp);
        k as f64 * others[k] - others[..k].iter().sum::<f64>()
    };
    let c: Vec<f64> = e.chunks(n).enumerate().map(c).collect();
    let mut sorted = c.clone();
    sorted.sort_by(f64::total_cmp);
    (0..n).filter(|&i| c[i] > 0.11 * sorted[n / 2]).collect()
}

#[test]
fn the_first_projection_has_as_many_neighbours_as_wished() {
    let (d, n, weight) = (25, 60, 40.0);
    for scale in [1e-8, 1.0, 1e8] {
        let mut view = View::<f64>::random(d, n);
        view.x.iter_mut().for_each(|x| *x *= scale);
        for (distance, unit) in [(Distance::Stiefel, true), (Distance::Euclidean, false)] {
            for k in [1, 4, 10] {
                let e = distances(&view, distance, unit);
                let graph = neighbours(&e, n, k);
                let generic = generic_rows(&e, n, k);
                assert!(generic.len() > n * 3 / 4, "{} of {n}", generic.len());
                let adapted = adapted(e, n, k, weight);
                for i in generic {
                    let row = &adapted[i * n..][..n];
                    // Eq. (19) where nothing has been learned yet: the projection of -e / (2 alpha), alpha = s/2.
                    let mut row: Vec<f64> = row.iter().map(|e| -e / weight).collect();
                    row[i] = -1e300;
                    simplex::project_row(&mut row).unwrap();
                    assert_eq!(row.iter().filter(|a| **a > 1e-12).count(), k, "row {i}");
                    // And it is the graph of the nearest neighbours.
                    assert_close(&row, &graph[i * n..][..n], 1e-12, "row of the graph");
                }
            }
        }
    }
}

#[test]
fn few_samples() {
    // One, two, three: all but the farthest are neighbours.
    assert_eq!(adapted(vec![5.0_f64], 1, 10, 100.0), [0.0]);
    assert_eq!(neighbours(&[5.0_f64], 1, 10), [0.0]);
    assert_eq!(adapted(vec![0.0, 2.0, 2.0, 0.0], 2, 10, 100.0), [0.0, 200.0, 200.0, 0.0]);
    assert_eq!(neighbours(&[0.0, 2.0, 2.0, 0.0], 2, 10), [0.0, 1.0, 1.0, 0.0]);
    let three = [0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0];
    assert_eq!(neighbours(&three, 3, 10), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    // c = (2, 1, 1).
    let expected = [0.0, 0.5, 1.5, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0];
    assert_eq!(adapted(three.to_vec(), 3, 10, 1.0), expected);
}

#[test]
fn ties_are_cut_by_index() {
    let n = 5;
    let e: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { 0.0 } else { 1.0 }).collect();
    let graph = neighbours(&e, n, 2);
    assert_eq!(graph[..n], [0.0, 0.5, 0.5, 0.0, 0.0]);
    assert_eq!(graph[n..2 * n], [0.5, 0.0, 0.5, 0.0, 0.0]);
    assert_eq!(graph[4 * n..], [0.5, 0.5, 0.0, 0.0, 0.0]);
}

/// The clamp of c: a tenth of the median; of the mean where most rows have no neighbourhood; else one.
#[test]
fn rows_without_a_neighbourhood_take_a_tenth_of_the_median() {
    // Points on a line: three times the same place, and others. k = 1: c_i is 0 at the triple.
    let scaled = |places: &[f64], weight: f64| {
        let e: Vec<f64> = places.iter().flat_map(|x| places.iter().map(move |y| (x - y).abs())).collect();
        (adapted(e.clone(), places.len(), 1, weight), e)
    };
    let places = [0.0, 0.0, 0.0, 10.0, 11.0, 14.0, 20.0];
    // c = (0, 0, 0, 3, 2, 1, 3), median 1.
    let (row, e) = scaled(&places, 1.0);
    assert_close(
        &row[..7],
        &e[..7].iter().map(|e| e / 0.1).collect::<Vec<_>>(),
        1e-15,
        "tenth of the median",
    );
    assert_close(&row[21..28], &e[21..28].iter().map(|e| e / 3.0).collect::<Vec<_>>(), 1e-15, "own");
    // c = 0 everywhere: one.
    let (row, e) = scaled(&[0.0, 0.0, 0.0, 0.0, 7.0], 1.0);
    assert_eq!(row, e);
    let (row, e) = scaled(&[0.0, 0.0, 0.0, 1.0, 8.0], 1.0);
    // c = (0, 0, 0, 0, 1): median 0, mean 0.2.
    assert_close(&row[..5], &e[..5].iter().map(|e| e / 0.02).collect::<Vec<_>>(), 1e-15, "tenth of the mean");
}

#[test]
fn given_matrices_are_checked() {
    let good = [0.0, 1.0, 2.0, 0.0];
    assert_eq!(check_distances(&good, 1, 2), Ok(()));
    let length = Error::Length { what: "pairs", expected: 9, found: 4 };
    assert_eq!(check_distances(&good, 1, 3), Err(length));
    assert_eq!(check_distances::<f64>(&[], 1, 0), Err(Error::Empty { what: "samples" }));
    let bad = Error::BadSample { view: 1, feature: 1, sample: 0 };
    assert_eq!(check_distances(&[0.0, 1.0, f64::NAN, 0.0], 1, 2), Err(bad));
    assert_eq!(check_distances(&[0.0, 1.0, f64::MAX, 0.0], 1, 2), Err(Error::Range { view: 1 }));
    let mut similar = [1.0, 0.25, -0.5, 1.0];
    from_similarity(&mut similar, 1, 2).unwrap();
    assert_eq!(similar, [-1.0, -0.25, 0.5, -1.0]);
    assert_eq!(from_similarity(&mut [1.0, f64::INFINITY, 0.0, 1.0], 2, 2).err(), {
        Some(Error::BadSample { view: 2, feature: 0, sample: 1 })
    });
    let mut work = Workspace::new(adaptive_layout::<f64>(2, 3).unwrap());
    let mut e = good;
    assert!(adaptive(&mut e, 0, 2, 0, 1.0, &mut work.arena()).is_err());
    assert!(adaptive(&mut e, 0, 2, 3, 0.0, &mut work.arena()).is_err());
    assert!(adaptive(&mut e, 0, 2, 3, f64::NAN, &mut work.arena()).is_err());
    assert_eq!(e, good);
    // A pair that is as good as forbidden stays a number.
    let mut e = vec![0.0_f64, 1.0, 1e300, 1.0, 0.0, 2.0, 1e300, 2.0, 0.0];
    e[1] += 1e-9;
    assert!(adapted(e, 3, 1, 1e9).iter().all(|e| e.is_finite()));
}
