//! Scores against cases worked by hand, scikit-learn's figures, and an assignment by trying everything.

mod common;
mod guarded;

use common::exactly;
use cstgl::Error;
use cstgl::metrics::{Scores, scores, scores_layout};
use cstgl::rng::Rng;
use cstgl::workspace::Layout;
use guarded::Workspace;
use serde_json::Value;

fn score(truth: &[u32], labels: &[u32]) -> Scores {
    exactly(scores_layout(truth.len()).unwrap(), |work| scores(truth, labels, work)).unwrap()
}

fn named(scores: &Scores) -> [(&'static str, f64); 8] {
    let &Scores { acc, nmi, nmi_arithmetic, ari, fscore, precision, recall, purity } = scores;
    [
        ("acc", acc),
        ("nmi", nmi),
        ("nmi_arithmetic", nmi_arithmetic),
        ("ari", ari),
        ("fscore", fscore),
        ("precision", precision),
        ("recall", recall),
        ("purity", purity),
    ]
}

#[test]
fn scikit_learn_has_the_same_figures() {
    let document: Value = serde_json::from_str(include_str!("fixtures/metrics.json")).unwrap();
    let cases = document["cases"].as_array().unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let numbers = |key: &str| -> Vec<u32> {
            case[key].as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as u32).collect()
        };
        let found = score(&numbers("truth"), &numbers("labels"));
        for (key, value) in named(&found) {
            let expected = case[key].as_f64().unwrap();
            assert!((value - expected).abs() <= 1e-12, "{}: {key} is {value}, not {expected}", case["name"]);
        }
    }
}

/// Six samples: classes 000111, labels 001122. Table: (2 1 0; 0 1 2).
#[test]
fn a_case_worked_by_hand() {
    let found = score(&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 1, 2, 2]);
    // The best names are 0 -> 0 and 1 -> 2: four samples.
    assert_eq!(found.acc, 4.0 / 6.0);
    // Label 0 is pure, label 1 is half and half, label 2 is pure: 2 + 1 + 2.
    assert_eq!(found.purity, 5.0 / 6.0);
    // Pairs: 6 share a class, 3 share a label, 2 both, of 15.
    assert_eq!((found.precision, found.recall), (2.0 / 3.0, 2.0 / 6.0));
    assert!((found.fscore - 4.0 / 9.0).abs() < 1e-15);
    // (2 - 6 3/15) / ((6 + 3)/2 - 6 3/15) = 0.8 / 3.3.
    assert!((found.ari - 8.0 / 33.0).abs() < 1e-15);
    // Entropies log 2 and log 3; what the label tells: all but for the two samples of label 1.
    let information = 2.0_f64.ln() - 2.0_f64.ln() / 3.0;
    assert!((found.nmi - information / 3.0_f64.ln()).abs() < 1e-15);
    assert!((found.nmi_arithmetic - 2.0 * information / 6.0_f64.ln()).abs() < 1e-15);
}

/// Where every label's largest class is the same, purity flatters and the assignment does not.
#[test]
fn the_assignment_gives_each_class_to_one_label() {
    let found = score(&[0, 0, 0, 0, 0, 1], &[0, 0, 0, 1, 1, 1]);
    assert_eq!((found.acc, found.purity), (4.0 / 6.0, 5.0 / 6.0));
}

#[test]
fn the_same_partition_scores_one_to_the_last_bit() {
    let mut rng = Rng::new(1);
    for (n, k) in [(1, 1), (2, 1), (2, 2), (50, 1), (50, 7), (50, 50), (1000, 13)] {
        let truth: Vec<u32> =
            (0..n).map(|i| if n == k { i } else { (rng.next_u64() % u64::from(k)) as u32 }).collect();
        let renamed: Vec<u32> = truth.iter().map(|&t| (t ^ 21).wrapping_mul(0x9e37_79b1)).collect();
        for (key, value) in named(&score(&truth, &renamed)) {
            assert_eq!(value, 1.0, "{key}, n = {n}, k = {k}");
        }
    }
}

#[test]
fn one_class_against_several_tells_nothing() {
    let found = score(&[1, 1, 1, 1], &[0, 0, 1, 1]);
    assert_eq!((found.nmi, found.nmi_arithmetic, found.ari), (0.0, 0.0, 0.0));
    assert_eq!((found.acc, found.purity, found.precision), (0.5, 1.0, 1.0));
}

/// Names are only names, and the roles of classes and labels are exchanged by exchanging them.
#[test]
fn symmetries() {
    let mut rng = Rng::new(4);
    for (c, d) in [(3, 3), (2, 9), (9, 4), (20, 25)] {
        let truth: Vec<u32> = (0..80).map(|_| (rng.next_u64() % c) as u32).collect();
        let labels: Vec<u32> = (0..80).map(|_| (rng.next_u64() % d) as u32).collect();
        let (forth, back) = (score(&truth, &labels), score(&labels, &truth));
        let close = |x: f64, y: f64| (x - y).abs() < 1e-14;
        assert!(close(forth.acc, back.acc) && close(forth.nmi, back.nmi) && close(forth.ari, back.ari));
        assert!(close(forth.precision, back.recall) && close(forth.fscore, back.fscore));
    }
}

/// The largest sum over all ways to give each row a column of its own, or none.
fn try_all(table: &[Vec<u32>], row: usize, taken: &mut Vec<bool>) -> u32 {
    let Some(counts) = table.get(row) else { return 0 };
    let mut best = try_all(table, row + 1, taken);
    for (j, &count) in counts.iter().enumerate() {
        if !taken[j] {
            taken[j] = true;
            best = best.max(count + try_all(table, row + 1, taken));
            taken[j] = false;
        }
    }
    best
}

#[test]
fn no_assignment_is_better() {
    let mut rng = Rng::new(8);
    for (c, d) in [(1, 4), (2, 2), (3, 5), (4, 4), (5, 5), (6, 4), (6, 6)] {
        for n in [6, 20, 60] {
            let mut draw =
                |k: usize| -> Vec<u32> { (0..n).map(|_| (rng.next_u64() % k as u64) as u32).collect() };
            let (truth, labels) = (draw(c), draw(d));
            let mut table = vec![vec![0; d]; c];
            truth.iter().zip(&labels).for_each(|(&t, &l)| table[t as usize][l as usize] += 1);
            let best = try_all(&table, 0, &mut vec![false; d]);
            assert_eq!(score(&truth, &labels).acc, f64::from(best) / n as f64, "{table:?}");
        }
    }
}

/// Counts of pairs beyond 2^32, and their products beyond 2^64, do not overflow.
#[test]
fn a_million_samples() {
    let n = 1_000_000;
    let truth: Vec<u32> = (0..n).map(|i| i % 2).collect();
    let labels: Vec<u32> = (0..n).map(|i| i % 4).collect();
    let found = score(&truth, &labels);
    let (half, quarter) = (500_000.0_f64, 250_000.0);
    assert_eq!((found.acc, found.purity, found.precision), (0.5, 1.0, 1.0));
    assert!((found.recall - (quarter - 1.0) / (half - 1.0)).abs() < 1e-12);
    assert!((found.nmi - 0.5).abs() < 1e-12);
}

#[test]
fn bad_input_is_an_error() {
    let mut workspace = Workspace::new(Layout::array::<u64>(100).unwrap());
    let empty = scores(&[], &[], &mut workspace.arena());
    assert_eq!(empty.err(), Some(Error::Empty { what: "labels" }));
    let mismatch = scores(&[1, 2], &[1], &mut workspace.arena());
    assert_eq!(mismatch.err(), Some(Error::Length { what: "labels", expected: 2, found: 1 }));
    assert!(scores_layout(usize::MAX).is_err());
}
