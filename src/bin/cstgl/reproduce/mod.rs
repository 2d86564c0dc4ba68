//! `cstgl reproduce`: the paper's tables and figures on whichever of its data sets are there, each number beside the
//! paper's and beside the same with shuffled samples.

mod clustering;
mod components;
mod conclusion;
mod convergence;
mod datasets;
mod distances;
mod jobs;
mod output;
mod paper;
mod problem;
mod scores_table;
mod sensitivity;
mod slices;
mod study;
mod supplement;
mod trial;

use crate::error::Result;
use crate::writer;
use output::{Document, Section};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;
use study::Study;
use supplement::Subject;

/// Reproduce the paper's tables and figures
#[derive(Debug, clap::Args)]
pub struct Reproduce {
    /// A directory with data sets of the paper (HW, Reuters, BBCSport, 3-sources, Yale, WebKB): .mat or .npz files,
    /// or a directory of .npy, .csv or .tsv files for each
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Where to write reproduction.md, reproduction.html, a .csv file per table and the figures
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,
    /// Trials of every row of the tables: seeds of k-means in file order, random orders otherwise [default: 10, or 2
    /// with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    trials: Option<u64>,
    /// Fewer trials and coarser curves, to see whether all works
    #[arg(long)]
    quick: bool,
    /// Only these experiments
    #[arg(long, value_enum, value_delimiter = ',', num_args = 1.., value_name = "EXPERIMENT")]
    only: Vec<Experiment>,
    /// Solves at a time [default: the cores of the machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: Option<u16>,
}

/// What can be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
enum Experiment {
    /// Tables I and II: clustering
    Tables,
    /// Table III: pseudo-Stiefel against Euclidean
    Distances,
    /// Tables IV and V: consistent and specific parts
    Components,
    /// Figure 2: distances between the slices of S1
    Slices,
    /// Sensitivity to alpha
    Alpha,
    /// Sensitivity to beta and gamma
    Grid,
    /// Convergence
    Convergence,
    /// Run time
    Time,
    /// Supplement: noise added, densities of both parts, fusion with the error
    Noise,
    /// Supplement: distances in high dimension
    Dimension,
}

/// How much is computed.
#[derive(Clone, Debug)]
struct Effort {
    trials: u64,
    /// Random orders of a point of a curve.
    shuffles: u64,
    alphas: Vec<f64>,
    /// Values of beta and of gamma.
    grid: Vec<f64>,
    noise: Vec<f64>,
    /// Features of the toy experiment.
    dimensions: Vec<usize>,
    threads: usize,
}

impl Effort {
    fn for_samples(mut self, samples: usize) -> Self {
        // A solve takes time with the cube of the samples: large data gets the ends and the middle of each curve.
        if samples > 1000 {
            let ends = |values: &[f64]| {
                values.iter().copied().step_by(values.len().div_ceil(2).saturating_sub(1).max(1)).collect()
            };
            self.alphas = ends(&self.alphas);
            self.grid = ends(&self.grid);
            self.shuffles = 1;
        }
        self
    }
}

impl Reproduce {
    pub fn run(&self) -> Result<()> {
        let start = Instant::now();
        let document = self.document()?;
        let files = document.write(&self.out)?;
        let mut text = String::new();
        for line in document.warnings.iter().chain(&document.conclusion) {
            let _ = writeln!(text, "{line}");
        }
        let seconds = start.elapsed().as_secs_f64();
        let page = self.out.join("reproduction.html");
        let _ = writeln!(
            text,
            "{} files in {}, in {seconds:.0} s; open {}",
            files.len(),
            self.out.display(),
            page.display()
        );
        writer::print(&text)
    }

    fn effort(&self) -> Effort {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let every = |step: usize| paper::GRID.into_iter().step_by(step).collect();
        let quick = self.quick;
        Effort {
            trials: self.trials.unwrap_or(if quick { 2 } else { 10 }),
            shuffles: if quick { 1 } else { 3 },
            alphas: every(if quick { 3 } else { 1 }),
            grid: every(if quick { 3 } else { 1 }),
            noise: if quick { vec![0.0, 1.0] } else { vec![0.0, 0.5, 1.0, 1.5, 2.0] },
            dimensions: if quick { vec![20, 500] } else { vec![20, 100, 500, 2000, 8000] },
            threads: self.threads.map_or(cores, usize::from),
        }
    }

    fn wants(&self, experiment: Experiment) -> bool {
        self.only.is_empty() || self.only.contains(&experiment)
    }

    fn document(&self) -> Result<Document> {
        let effort = self.effort();
        let mut found = datasets::find(&self.data)?;
        let mut studies = Vec::new();
        for (set, _, views) in std::mem::take(&mut found.sets) {
            say(&format!("{}: solving", set.name));
            studies.push(Study::new(set, views, &effort)?);
        }
        let sections = self.sections(&studies, &effort)?;
        let mut conclusion = conclusion::paragraphs(&studies, &found);
        conclusion.extend(sections.iter().flat_map(|section| section.findings.iter().cloned()));
        let failures = studies.iter().flat_map(Study::failures);
        let failures = failures.map(|failure| format!("a solve failed and its place is empty: {failure}"));
        let warnings = found.notes.into_iter().chain(failures).collect();
        Ok(Document { facts: facts(&studies, &effort), conclusion, warnings, sections })
    }

    fn sections(&self, studies: &[Study], effort: &Effort) -> Result<Vec<Section>> {
        let mut sections = Vec::new();
        if !studies.is_empty() {
            for experiment in [
                Experiment::Tables,
                Experiment::Distances,
                Experiment::Components,
                Experiment::Slices,
                Experiment::Alpha,
                Experiment::Grid,
                Experiment::Convergence,
                Experiment::Time,
            ] {
                if self.wants(experiment) {
                    say(&format!("{experiment:?}").to_lowercase());
                    sections.push(on_data(experiment, studies)?);
                }
            }
        }
        if self.wants(Experiment::Noise) {
            say("noise");
            let demo = supplement::demo()?;
            let mut subjects: Vec<Subject<'_>> = studies.iter().map(Subject::of).collect();
            subjects.push(Subject::synthetic(&demo, effort));
            sections.extend(supplement::noise(&subjects)?);
        }
        if self.wants(Experiment::Dimension) {
            say("dimension");
            sections.push(supplement::dimension(effort)?);
        }
        let mut parameters = Section::new("Parameters");
        parameters.paragraph(
            "The paper publishes no parameters: it says that alpha, beta and gamma were tuned over seven powers of ten, by the \
             truth. The rows named reference use those below, 20 iterations, rho = 0.01 doubled in each. The rows named default \
             use one setting for all data: 10 neighbours, weight 100, beta = gamma = 10.",
        );
        parameters.table("parameters", datasets::parameter_table(studies));
        sections.push(parameters);
        Ok(sections)
    }
}

/// An experiment on the paper's own data.
fn on_data(experiment: Experiment, studies: &[Study]) -> Result<Section> {
    Ok(match experiment {
        Experiment::Distances => distances::section(studies),
        Experiment::Components => components::section(studies),
        Experiment::Slices => slices::section(studies),
        Experiment::Alpha => sensitivity::alpha(studies),
        Experiment::Grid => sensitivity::beta_gamma(studies),
        Experiment::Convergence => convergence::convergence(studies),
        Experiment::Time => convergence::time(studies)?,
        Experiment::Tables | Experiment::Noise | Experiment::Dimension => clustering::section(studies),
    })
}

fn facts(studies: &[Study], effort: &Effort) -> Vec<(&'static str, String)> {
    let names: BTreeSet<&str> = studies.iter().map(|study| study.set.name).collect();
    let names: Vec<&str> = names.into_iter().collect();
    vec![
        ("Data sets found", if names.is_empty() { "none of six".into() } else { names.join(", ") }),
        ("Trials of a row", effort.trials.to_string()),
        ("Random orders of a point of a curve", effort.shuffles.to_string()),
        ("Numbers", "double precision".into()),
    ]
}

/// What is going on, for people who wait.
fn say(what: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("cstgl: {what}");
    }
}
