//! Where the results of a run go.
use crate::error::{Error, Result, printable};
use crate::figure;
use crate::report::Report;
use crate::writer;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What to write, and where.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Write the labels, one a line; - prints them instead of a summary
    #[arg(long, value_name = "OUT.csv")]
    pub labels: Option<PathBuf>,
    /// Write everything as JSON; - prints it instead of a summary
    #[arg(long, value_name = "OUT.json")]
    pub json: Option<PathBuf>,
    /// Write a report with all figures, one HTML file
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    /// Write every figure as an SVG file into this directory
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
}

/// A result that standard output gets alone.
fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file, or prints it.
pub fn put(path: &Path, text: &str) -> Result<()> {
    if is_standard(path) {
        return writer::print(text);
    }
    writer::write(path, |out| out.write_all(text.as_bytes()))
}

/// Complains about files that could not be written, before any work is done; makes the directory of the figures.
pub fn check<'a>(paths: impl IntoIterator<Item = &'a PathBuf>, figures: Option<&Path>) -> Result<()> {
    let (standard, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| is_standard(path));
    if standard.len() > 1 {
        return Err(Error::new("two results cannot both be printed")
            .at("-")
            .remedy("name a file for one of them"));
    }
    files.into_iter().try_for_each(|path| writer::check(path))?;
    figures.map_or(Ok(()), |directory| figure::write_all(directory, &[]).map(drop))
}

impl Output {
    pub fn check(&self) -> Result<()> {
        check(self.files(), self.figures.as_deref())
    }

    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.labels, &self.json, &self.report].into_iter().flatten()
    }

    /// Are figures wanted?
    pub fn draws(&self) -> bool {
        self.report.is_some() || self.figures.is_some()
    }

    /// Writes all that was asked for, and a summary where standard output is not taken.
    pub fn write(&self, report: &Report, parameters: &[(&'static str, Value)]) -> Result<()> {
        for warning in &report.warnings {
            eprintln!("note: {}", printable(warning));
        }
        if let Some(path) = &self.labels {
            put(path, &labels_text(&report.labels))?;
        }
        if let Some(path) = &self.json {
            put(path, &format!("{}\n", json(report, parameters)))?;
        }
        let figures = if self.draws() { report.figures() } else { Vec::new() };
        if let Some(path) = &self.report {
            put(path, &report.html_with(&figures))?;
        }
        if let Some(directory) = &self.figures {
            figure::write_all(directory, &figures)?;
        }
        if self.files().any(|path| is_standard(path)) {
            return Ok(());
        }
        let mut text = summary(report);
        for path in self.files().chain(&self.figures) {
            let _ = writeln!(text, "wrote {}", path.display());
        }
        writer::print(&text)
    }
}

fn labels_text(labels: &[u32]) -> String {
    let mut text = String::from("label\n");
    for label in labels {
        let _ = writeln!(text, "{label}");
    }
    text
}

/// What a person wants to know at once.
fn summary(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |content: String| {
        let _ = writeln!(text, "{}", printable(&content));
    };
    let views: Vec<String> = report.views.iter().map(|(name, d)| format!("{name} ({d} features)")).collect();
    line(format!("{}: {} samples in {}", report.input, report.n, crate::read::listed(&views)));
    let sizes = crate::report::order::Groups::of(&report.labels).sizes();
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let estimated = if report.estimated { " (estimated)" } else { "" };
    line(format!("{} clusters{estimated} of {} samples", report.clusters, sizes.join(", ")));
    if let Some(scores) = &report.scores {
        line(scores_line(scores));
    }
    let stages: Vec<String> = report
        .seconds
        .iter()
        .map(|(stage, time)| format!("{stage} {}", crate::markup::seconds(*time)))
        .collect();
    line(format!("{}; memory {}", stages.join(", "), crate::markup::bytes(report.workspace_bytes)));
    text
}

/// Scores in one line.
pub fn scores_line(scores: &[(String, f64)]) -> String {
    let shown = |(name, value): &(String, f64)| format!("{} {value:.4}", crate::report::score_name(name));
    scores.iter().map(shown).collect::<Vec<_>>().join("  ")
}

/// Everything, for programs.
fn json(report: &Report, parameters: &[(&'static str, Value)]) -> Value {
    let object =
        |pairs: &[(String, f64)]| -> Value { pairs.iter().map(|(k, v)| (k.clone(), json!(v))).collect() };
    let trace = report.trace.iter().map(|row| {
        json!({
            "iteration": row.iteration,
            "rho": row.rho,
            "change": row.consistent_change,
            "split_residual": row.split_residual,
            "low_rank_residual": row.lowrank_residual,
            "noise_residual": row.noise_residual,
            "rank": row.rank,
        })
    });
    let (names, features): (Vec<&str>, Vec<usize>) =
        report.views.iter().map(|(name, features)| (name.as_str(), *features)).unzip();
    json!({
        "version": report.version,
        "input": report.input,
        "n": report.n,
        "views": report.views.len(),
        "view_names": names,
        "features": features,
        "clusters": report.clusters,
        "estimated": report.estimated,
        "labels": report.labels,
        "scores": report.scores.as_ref().map(|scores| object(scores)),
        "parameters": parameters.iter().map(|(k, v)| (k.to_string(), v.clone())).collect::<Value>(),
        "trace": trace.collect::<Vec<_>>(),
        "seconds": object(&report.seconds),
        "workspace_bytes": report.workspace_bytes,
        "warnings": report.warnings,
    })
}
