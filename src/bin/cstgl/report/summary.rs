//! The run in plain words.

use super::Report;
use super::order::Groups;
use crate::markup::{bytes, count, seconds, short};

/// What was given, what was found, how good it is, what it took.
pub fn paragraphs(report: &Report) -> Vec<String> {
    let mut first = vec![given(report), found(report)];
    first.extend(agreement(report));
    let effort = effort(report);
    let mut paragraphs = vec![first.join(" ")];
    paragraphs.extend((!effort.is_empty()).then_some(effort));
    paragraphs
}

fn given(report: &Report) -> String {
    let views = match report.views.as_slice() {
        [] => "no view".to_owned(),
        [(name, features)] => format!("one view, {name} ({})", features_of(*features)),
        views => {
            let names: Vec<String> = (views.iter().take(6))
                .map(|(name, features)| format!("{name} ({})", features_of(*features)))
                .collect();
            let more = if views.len() > 6 { format!(" and {} more", views.len() - 6) } else { String::new() };
            format!("{} views: {}{more}", views.len(), names.join(", "))
        }
    };
    let samples = plural(report.n, "sample");
    let are = if report.n == 1 { "is" } else { "are" };
    // The page's head has the whole path.
    let file = report.input.rsplit(['/', '\\']).next().unwrap_or_default();
    format!("The {samples} of {file} {are} described by {views}.")
}

fn found(report: &Report) -> String {
    let sizes = Groups::of(&report.labels).sizes();
    let clusters = plural(report.clusters, "cluster");
    let how = if report.estimated {
        "a number that was estimated from the data"
    } else {
        "the number that was asked for"
    };
    let range = match (sizes.iter().min(), sizes.iter().max()) {
        (Some(least), Some(most)) if sizes.len() > 1 => {
            format!(" The smallest has {}, the largest {}.", plural(*least, "sample"), count(*most as u64))
        }
        _ => String::new(),
    };
    let empty = report.clusters.saturating_sub(sizes.len());
    let empty = if empty > 0 && !sizes.is_empty() {
        format!(" {} stayed empty.", plural(empty, "cluster"))
    } else {
        String::new()
    };
    let they = if report.n == 1 { "It was" } else { "They were" };
    format!("{they} put into {clusters}, {how}.{range}{empty}")
}

fn agreement(report: &Report) -> Option<String> {
    let scores = report.scores.as_ref()?;
    let value = |wanted: &str| scores.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|s| s.1);
    let accuracy = value("acc")?;
    let nmi = value("nmi").map_or(String::new(), |nmi| {
        format!(" The clusters carry {:.0} % of the information in the classes (NMI).", 100.0 * nmi)
    });
    Some(format!(
        "Against the known classes, {:.1} % of the samples are where they belong (ACC).{nmi}",
        100.0 * accuracy
    ))
}

fn effort(report: &Report) -> String {
    let mut sentences = Vec::new();
    if let Some(last) = report.trace.last() {
        let change = short(last.consistent_change, 2);
        let iterations = plural(report.trace.len(), "iteration");
        sentences.push(format!(
            "The solver ran {iterations}; in the last, the part that the views have in common changed by {change}."
        ));
    }
    let total = report.seconds.iter().find(|(stage, _)| stage == "total").map(|(_, time)| *time);
    let total = total.unwrap_or_else(|| report.seconds.iter().map(|(_, time)| time).sum());
    if total > 0.0 {
        let memory = if report.workspace_bytes > 0 {
            format!(" and {} of memory", bytes(report.workspace_bytes))
        } else {
            String::new()
        };
        sentences.push(format!("It all took {}{memory}.", seconds(total)));
    }
    sentences.join(" ")
}

fn features_of(features: usize) -> String {
    plural(features, "feature")
}

fn plural(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(number as u64), if number == 1 { "" } else { "s" })
}

/// A score's usual name, and what it says.
pub fn score(name: &str) -> (String, &'static str) {
    let (shown, meaning) = match name.to_ascii_lowercase().as_str() {
        "acc" => ("ACC", "samples in the right cluster, clusters matched to classes as well as possible"),
        "nmi" => ("NMI", "information that clusters and classes share"),
        "ari" => ("ARI", "agreement on pairs of samples, 0 for chance"),
        "fscore" => ("F-score", "balance of precision and recall over pairs"),
        "precision" => ("Precision", "pairs put together that belong together"),
        "recall" => ("Recall", "pairs that belong together and were put together"),
        "purity" => ("Purity", "samples in the majority class of their cluster"),
        _ => (name, ""),
    };
    (shown.to_owned(), meaning)
}
