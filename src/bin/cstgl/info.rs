//! `cstgl info`: what is in the files, and how it would be taken.
use crate::error::{Result, printable};
use crate::markup::bytes;
use crate::read::matrix::Matrix;
use crate::read::views::{Input, View, Views};
use crate::run;
use crate::writer;
use cstgl::Config;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Show what is in the files: views, orientation, types, zero samples, memory needed
#[derive(Debug, clap::Args)]
pub struct Info {
    #[command(flatten)]
    input: Input,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
    /// With --json: also every number of every view, row by row as in the file (for small data)
    #[arg(long, requires = "json")]
    values: bool,
}

impl Info {
    /// Reads the files and prints.
    pub fn run(&self) -> Result<()> {
        let views = Views::read(&self.input)?;
        let facts: Vec<Facts> = views.views.iter().map(|view| Facts::of(view, views.n)).collect();
        writer::print(&match self.json {
            true => format!("{:#}\n", self.to_json(&views, &facts)),
            false => to_text(&views, &facts),
        })
    }

    fn to_json(&self, views: &Views, facts: &[Facts]) -> Value {
        let found = |f: &crate::read::views::Found| json!({ "file": f.file, "format": f.format, "name": f.name, "what": f.what });
        let labels = views.labels.as_ref().map(|labels| {
            json!({ "name": labels.name, "classes": labels.classes, "sizes": labels.sizes(), "values": labels.values })
        });
        let [f64_bytes, f32_bytes] = workspace_bytes(views.n, views.views.len());
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "variables": views.found.iter().map(found).collect::<Vec<_>>(),
            "n": views.n,
            "orientation": views.orientation,
            "views": views.views.iter().zip(facts).map(|(view, facts)| self.view_json(view, facts)).collect::<Vec<_>>(),
            "labels": labels,
            "notes": views.notes,
            "workspace_bytes": { "f64": f64_bytes, "f32": f32_bytes },
        })
    }

    fn view_json(&self, view: &View, facts: &Facts) -> Value {
        let (rows, cols) = view.matrix.shape();
        let mut json = json!({
            "name": view.name,
            "type": view.kind,
            "rows": rows,
            "cols": cols,
            "sparse": matches!(view.matrix, Matrix::Sparse(_)),
            "samples_are_rows": view.samples_are_rows,
            "features": view.features(),
            "nonzeros": facts.nonzeros,
            "density": facts.density,
            "zero_samples": facts.zero_samples,
            "duplicate_samples": facts.duplicate_samples,
            "non_finite": facts.non_finite,
        });
        if let (true, Some(object)) = (self.values, json.as_object_mut()) {
            object.insert("values".into(), values(&view.matrix));
        }
        json
    }
}

/// Both forms of the answer.
#[cfg(test)]
pub fn text_and_json(views: &Views) -> String {
    let facts: Vec<Facts> = views.views.iter().map(|view| Facts::of(view, views.n)).collect();
    let info = Info { input: Input::default(), json: true, values: true };
    format!("{}{}", to_text(views, &facts), info.to_json(views, &facts))
}

/// The most numbers that are printed one by one.
const MOST_VALUES: usize = 1 << 20;

/// All numbers as rows; what is not finite is null, as JSON has it.
fn values(matrix: &Matrix) -> Value {
    let (rows, cols) = matrix.shape();
    if rows > MOST_VALUES || rows.checked_mul(cols).is_none_or(|len| len > MOST_VALUES) {
        return Value::Null;
    }
    let mut table = vec![vec![0.0; cols]; rows];
    matrix.for_each(|i, j, value| {
        if let Some(place) = table.get_mut(i).and_then(|row| row.get_mut(j)) {
            *place = value;
        }
    });
    json!(table)
}

/// The memory that clustering with the default profile needs, in `f64` and `f32`; none if no machine has as much.
fn workspace_bytes(n: usize, views: usize) -> [Option<u64>; 2] {
    let config = Config::new(n, views);
    [run::workspace_bytes::<f64>(&config).ok(), run::workspace_bytes::<f32>(&config).ok()]
}

/// What can be said about a view.
pub struct Facts {
    nonzeros: usize,
    density: f64,
    pub zero_samples: usize,
    duplicate_samples: usize,
    non_finite: usize,
}

impl Facts {
    /// One pass over what is stored. The memory follows the samples that are not zero, never a declared size.
    pub fn of(view: &View, n: usize) -> Self {
        let (mut nonzeros, mut non_finite) = (0, 0);
        let mut prints: HashMap<usize, u128> = HashMap::new();
        view.for_each(|sample, feature, value| {
            non_finite += usize::from(!value.is_finite());
            if value != 0.0 {
                nonzeros += 1;
                let print = prints.entry(sample).or_default();
                *print = mixed(mixed(*print, feature as u64), value.to_bits());
            }
        });
        let distinct: HashSet<u128> = prints.values().copied().collect();
        Self {
            nonzeros,
            density: nonzeros as f64 / (n as f64 * view.features() as f64),
            zero_samples: n.saturating_sub(prints.len()),
            duplicate_samples: prints.len().saturating_sub(distinct.len()),
            non_finite,
        }
    }
}

/// A fingerprint of all words so far and one more.
fn mixed(print: u128, word: u64) -> u128 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    (print ^ u128::from(word)).wrapping_add(1).wrapping_mul(ODD).rotate_left(67)
}

fn to_text(views: &Views, facts: &[Facts]) -> String {
    let mut text = String::new();
    let mut line = |content: String| {
        // Names come out of files: nothing in them may command the terminal.
        let _ = writeln!(text, "{}", printable(content.trim_end()));
    };
    let mut file = "";
    for found in &views.found {
        if found.file != file {
            file = &found.file;
            line(format!("{} ({})", found.file, found.format));
        }
        line(format!("  {:<16} {}", found.name, found.what));
    }
    let m = views.views.len();
    line(String::new());
    line(format!("{} samples in {m} view{}: {}", views.n, if m == 1 { "" } else { "s" }, views.orientation));
    let width = views.views.iter().map(|view| view.name.chars().count()).max().unwrap_or(0).clamp(4, 40);
    line(format!("  {:<width$}  samples  features  density  zero  duplicate  type", "view"));
    for (view, facts) in views.views.iter().zip(facts) {
        let lie = if view.samples_are_rows { "rows" } else { "columns" };
        let density = format!("{:.2} %", 100.0 * facts.density);
        line(format!(
            "  {:<width$}  {lie:<7}  {:>8}  {density:>7}  {:>4}  {:>9}  {}",
            view.name,
            view.features(),
            facts.zero_samples,
            facts.duplicate_samples,
            view.kind
        ));
        if facts.non_finite > 0 {
            line(format!("  {:<width$}  {} values are missing, NaN or infinite", "", facts.non_finite));
        }
    }
    match &views.labels {
        Some(labels) => {
            let sizes =
                labels.classes.iter().zip(labels.sizes()).map(|(class, size)| format!("{class}: {size}"));
            let sizes: Vec<String> = sizes.collect();
            line(format!(
                "labels {}: {} classes ({})",
                labels.name,
                sizes.len(),
                crate::read::listed(&sizes)
            ));
        }
        None => line("no labels".into()),
    }
    let words = |need: Option<u64>| need.map_or("more than any machine has".into(), bytes);
    let [f64_bytes, f32_bytes] = workspace_bytes(views.n, m).map(words);
    line(format!("memory to cluster: {f64_bytes}; with --precision f32: {f32_bytes}"));
    for note in &views.notes {
        line(format!("note: {note}"));
    }
    text
}
