//! Scores of a clustering against known classes.
//!
//! Labels are any numbers; only which samples share one matters. Counts are integers throughout and pairs of samples
//! are counted without rounding, so the only rounding is that of the final quotients and of the logarithms.
//!
//! **Degenerate cases.** The same partition twice scores 1 in everything, also where it has a single class, or a single
//! sample. One class against several shares no information: NMI 0, ARI 0. Where no pair of samples shares a label (or a
//! class) there is nothing to be wrong about, and precision (or recall) is 1, as in the authors' program.

mod assignment;
mod contingency;

use crate::order::check_count;
use crate::workspace::{Arena, Layout};
use crate::{Error, check};
use contingency::Contingency;

/// How well labels agree with classes; 1 is perfect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Accuracy: the share of samples on which labels and classes agree, labels being named after classes in the best
    /// way.
    pub acc: f64,
    /// Mutual information over the larger of the two entropies, as the authors have it.
    pub nmi: f64,
    /// Mutual information over the mean of the two entropies, as scikit-learn has it.
    pub nmi_arithmetic: f64,
    /// Adjusted Rand index: 0 is chance, and it can be negative.
    pub ari: f64,
    /// Harmonic mean of precision and recall.
    pub fscore: f64,
    /// Of the pairs of samples that share a label, those that share a class.
    pub precision: f64,
    /// Of the pairs of samples that share a class, those that share a label.
    pub recall: f64,
    /// The share of samples in the largest class of their label.
    pub purity: f64,
}

/// What [`scores`] needs for `n` samples.
pub fn scores_layout(n: usize) -> Result<Layout, Error> {
    check::positive("labels", n)?;
    check_count(n)?;
    Contingency::layout(n)?.and(assignment::layout(n)?.or(Layout::array::<u64>(n)?))
}

/// Scores `labels` against the classes in `truth`.
///
/// Time is that of sorting the samples, and of the assignment: `c^2 d` at worst, where `c <= d` are the numbers of
/// labels and of classes. The memory is linear in the number of samples.
pub fn scores(truth: &[u32], labels: &[u32], work: &mut Arena<'_>) -> Result<Scores, Error> {
    check::equal("labels", truth.len(), labels.len())?;
    work.require(scores_layout(truth.len())?)?;
    let mut work = work.scope();
    let table = Contingency::new(truth, labels, &mut work)?;
    let n = truth.len() as f64;
    let matched = assignment::best(&table, &mut work)?;
    let (nmi, nmi_arithmetic) = normalised_information(&table);
    let (precision, recall, fscore) = pair_scores(&table);
    let purity = table.largest_classes(work.take(table.label_sums().len())?) as f64 / n;
    Ok(Scores {
        acc: matched as f64 / n,
        nmi,
        nmi_arithmetic,
        ari: adjusted_rand(&table),
        fscore,
        precision,
        recall,
        purity,
    })
}

/// `-sum of p log p`.
fn entropy(counts: &[u64], n: f64) -> f64 {
    counts.iter().map(|&count| count as f64).map(|count| count / n * libm::log(n / count)).sum()
}

/// Mutual information over the larger entropy, and over the mean of both.
fn normalised_information(table: &Contingency<'_>) -> (f64, f64) {
    if table.is_one_to_one() {
        return (1.0, 1.0);
    }
    let n = table.samples() as f64;
    let information: f64 = table
        .cells()
        .map(|cell| {
            let (count, row, column) = (cell.count as f64, cell.row_sum as f64, cell.column_sum as f64);
            count / n * libm::log((count / row) * (n / column))
        })
        .sum();
    let (rows, columns) = (entropy(table.row_sums(), n), entropy(table.column_sums(), n));
    let over = |entropy: f64| (information / entropy).clamp(0.0, 1.0);
    // At least one side has two classes, or the partitions would be one to one: no entropy here is zero.
    (over(if rows > columns { rows } else { columns }), over((rows + columns) / 2.0))
}

/// Pairs among `count` things.
const fn pairs(count: u64) -> u64 {
    // Of two neighbours one is even: halve it first, and the product fits for any count below 2^32.
    if count & 1 == 0 {
        (count / 2).wrapping_mul(count.saturating_sub(1))
    } else {
        count.wrapping_mul(count.saturating_sub(1) / 2)
    }
}

/// Pairs of samples that share class and label, that share a class, and that share a label.
fn shared_pairs(table: &Contingency<'_>) -> (u64, u64, u64) {
    let sum = |counts: &[u64]| counts.iter().fold(0, |sum: u64, &count| sum.wrapping_add(pairs(count)));
    let both = table.cells().fold(0, |sum: u64, cell| sum.wrapping_add(pairs(cell.count)));
    (both, sum(table.class_sums()), sum(table.label_sums()))
}

/// `(both - expected) / ((classes + labels) / 2 - expected)` with `expected = classes labels / all`, times `2 all`.
fn adjusted_rand(table: &Contingency<'_>) -> f64 {
    let (both, classes, labels) = shared_pairs(table);
    let wide = |count: u64| i128::from(count);
    // Each count is below 2^63, so no product of two and no sum of two products leaves i128.
    let all = wide(pairs(table.samples()));
    let expected = wide(classes).wrapping_mul(wide(labels));
    let above = wide(both).wrapping_mul(all).wrapping_sub(expected);
    let most =
        wide(classes).wrapping_add(wide(labels)).wrapping_mul(all).wrapping_sub(expected.wrapping_mul(2));
    if most == 0 { 1.0 } else { 2.0 * (above as f64) / (most as f64) }
}

/// Precision, recall and their harmonic mean over pairs.
fn pair_scores(table: &Contingency<'_>) -> (f64, f64, f64) {
    let (both, classes, labels) = shared_pairs(table);
    let share = |of: u64| if of == 0 { 1.0 } else { both as f64 / of as f64 };
    let (precision, recall) = (share(labels), share(classes));
    let sum = precision + recall;
    (precision, recall, if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum })
}
