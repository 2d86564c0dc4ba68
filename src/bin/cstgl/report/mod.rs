//! The report of one run: what was found, in words, tables and figures, on one page.

mod figures;
pub mod order;
pub mod plane;
mod summary;

use crate::error::Result;
use crate::figure::{self, Figure};
use crate::markup::{bytes, count, seconds, short};
use crate::page::Page;
use crate::table::{Cell, Table};
use std::path::{Path, PathBuf};

/// What a run gave. Matrices are row after row; data that is absent (empty) leaves its figure out.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub title: String,
    pub version: String,
    /// The data: a file, or what made it.
    pub input: String,
    pub profile: String,
    /// Samples.
    pub n: usize,
    /// Name and number of features of each view.
    pub views: Vec<(String, usize)>,
    pub clusters: usize,
    /// Was the number of clusters estimated, not given?
    pub estimated: bool,
    pub parameters: Vec<(String, String)>,
    /// Scores against the truth by their short names (`acc`, `nmi`, ...).
    pub scores: Option<Vec<(String, f64)>>,
    pub trace: Vec<TraceRow>,
    pub labels: Vec<u32>,
    pub truth: Option<Vec<u32>>,
    /// `n x n`.
    pub affinity: Vec<f32>,
    /// `m x m`, distances between the slices of the consistent part.
    pub slice_distances: Vec<f64>,
    /// `n x k`, the rows that were clustered.
    pub embedding: Vec<f32>,
    /// Entries of `S1 + S2`.
    pub signal: Vec<f32>,
    /// Entries of `E`.
    pub noise: Vec<f32>,
    /// Time of each stage; one named `total` is not drawn as a stage.
    pub seconds: Vec<(String, f64)>,
    pub workspace_bytes: u64,
    pub warnings: Vec<String>,
}

/// One iteration.
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceRow {
    pub iteration: usize,
    pub rho: f64,
    /// `||S1_new - S1||_F`.
    pub consistent_change: f64,
    /// `||A - S1 - S2 - E||_F`.
    pub split_residual: f64,
    /// `||K - S1||_F`.
    pub lowrank_residual: f64,
    /// `||W - E||_F`.
    pub noise_residual: f64,
    pub rank: usize,
}

/// A score's usual name.
pub fn score_name(name: &str) -> String {
    summary::score(name).0
}

impl Report {
    /// The figures in the order of the page.
    pub fn figures(&self) -> Vec<Figure> {
        figures::all(self)
    }

    /// Writes each figure as an SVG file of its own.
    pub fn write_figures(&self, directory: &Path) -> Result<Vec<PathBuf>> {
        figure::write_all(directory, &self.figures())
    }

    /// The whole page.
    pub fn html(&self) -> String {
        self.html_with(&self.figures())
    }

    /// The page around figures that are drawn already.
    pub fn html_with(&self, figures: &[Figure]) -> String {
        let clusters = format!("{}{}", self.clusters, if self.estimated { " (estimated)" } else { "" });
        let facts = [
            ("Data", self.input.clone()),
            ("Samples", count(self.n as u64)),
            ("Views", self.views.len().to_string()),
            ("Clusters", clusters),
            ("Profile", self.profile.clone()),
        ];
        let mut page = Page::new(&self.title, &self.version, &facts);
        page.heading("Summary");
        for paragraph in summary::paragraphs(self) {
            page.paragraph(&paragraph);
        }
        page.warnings(&self.warnings);
        page.heading("Result");
        page.tables(&[self.score_table(), self.size_table(), self.view_table(), self.run_table()]);
        page.heading("Figures");
        page.figures(figures);
        page.heading("Settings");
        page.tables(&self.parameter_tables());
        if !self.trace.is_empty() {
            page.folded("Every iteration in numbers", &self.trace_table());
        }
        page.finish()
    }

    fn score_table(&self) -> Table {
        let mut table = Table::new("Scores against the known classes").column("Score", 0).column("Value", 4);
        table = table.column("Meaning", 0);
        for (name, value) in self.scores.iter().flatten() {
            let (name, meaning) = summary::score(name);
            table.row([name.into(), (*value).into(), meaning.into()]);
        }
        table
    }

    fn size_table(&self) -> Table {
        const SHOWN: usize = 12;
        let mut table = Table::new("Clusters").column("Cluster", 0).right("Samples").right("Share");
        let groups = order::Groups::of(&self.labels);
        let sizes = groups.sizes();
        let mut row = |name: String, size: usize| {
            let share = 100.0 * size as f64 / self.labels.len().max(1) as f64;
            table.row([name.into(), count(size as u64).into(), format!("{share:.1} %").into()]);
        };
        for (label, &size) in groups.labels.iter().zip(&sizes).take(SHOWN) {
            row(label.to_string(), size);
        }
        if let Some(rest) = sizes.get(SHOWN..).filter(|rest| !rest.is_empty()) {
            row(format!("{} more", rest.len()), rest.iter().sum());
        }
        table
    }

    fn view_table(&self) -> Table {
        let mut table = Table::new("Views").column("View", 0).right("Features");
        for (name, features) in &self.views {
            table.row([name.as_str().into(), count(*features as u64).into()]);
        }
        table
    }

    fn run_table(&self) -> Table {
        let mut table = Table::new("Time and memory").column("Stage", 0).right("Needed");
        for (stage, time) in &self.seconds {
            table.row([stage.as_str().into(), seconds(*time).into()]);
        }
        if self.workspace_bytes > 0 {
            table.row(["memory of the solver".into(), bytes(self.workspace_bytes).into()]);
        }
        table
    }

    /// The parameters, in two tables beside one another if they are many.
    fn parameter_tables(&self) -> Vec<Table> {
        let half = if self.parameters.len() > 6 { self.parameters.len().div_ceil(2) } else { 6 };
        let chunk = |rows: &[(String, String)]| {
            let mut table = Table::new("").column("Parameter", 0).column("Value", 0);
            for (name, value) in rows {
                table.row([name.as_str().into(), value.as_str().into()]);
            }
            table
        };
        self.parameters.chunks(half).map(chunk).collect()
    }

    fn trace_table(&self) -> Table {
        let mut table = Table::new("").right("Iteration").right("Penalty ρ");
        for name in ["Change of S1", "A − S1 − S2 − E", "K − S1", "W − E"] {
            table = table.right(name);
        }
        table = table.right("Rank");
        for row in &self.trace {
            let residuals = [
                row.rho,
                row.consistent_change,
                row.split_residual,
                row.lowrank_residual,
                row.noise_residual,
            ];
            let cells = residuals.map(|value| Cell::Text(short(value, 3)));
            let first = Cell::Number(row.iteration as f64, None);
            let last = Cell::Number(row.rank as f64, None);
            table.row(std::iter::once(first).chain(cells).chain([last]));
        }
        table
    }
}
