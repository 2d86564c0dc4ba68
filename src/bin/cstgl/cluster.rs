//! `cstgl cluster`: from files to labels, scores and pictures.
use crate::error::Result;
use crate::info::Facts;
use crate::output::Output;
use crate::parameters::Parameters;
use crate::progress::Progress;
use crate::read::views::{Input, Views};
use crate::report::{Report, TraceRow};
use crate::run::{self, Grams, Precision, Seconds, Solved, timed};
use cstgl::Scalar;
use cstgl::config::{Axis, Config};
use cstgl::session::Parts;
use std::time::Instant;

/// Cluster the samples of one .mat or .npz file with all views, or of one file per view
#[derive(Debug, clap::Args)]
pub struct Cluster {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    output: Output,
}

impl Cluster {
    /// Reads, clusters, writes.
    pub fn run(&self) -> Result<()> {
        self.output.check()?;
        let start = Instant::now();
        let views = Views::read(&self.input)?;
        let input = self.input.name();
        Task { start, input, views, parameters: &self.parameters, output: &self.output }.run()
    }
}

/// One run on data that is there.
#[derive(Debug)]
pub struct Task<'a> {
    /// When the data began to be read.
    pub start: Instant,
    /// The data in words.
    pub input: String,
    pub views: Views,
    pub parameters: &'a Parameters,
    pub output: &'a Output,
}

/// Entries that a density is drawn from.
const DRAWN: usize = 200_000;

impl Task<'_> {
    pub fn run(&self) -> Result<()> {
        let read = self.start.elapsed().as_secs_f64();
        let config = self.parameters.config(self.views.n, self.views.views.len())?;
        let report = match self.parameters.precision {
            Precision::F32 => self.report::<f32>(&config, read),
            Precision::F64 => self.report::<f64>(&config, read),
        }?;
        self.output.write(&report, &self.parameters.named(&config))
    }

    fn report<T: Scalar>(&self, config: &Config<f64>, read: f64) -> Result<Report> {
        config.check().map_err(|error| run::refusal(error, &[]))?;
        let (grams, gram) = timed(|| Grams::<T>::of(&self.views));
        let grams = grams.map_err(|error| error.at(&self.input))?;
        let mut progress = Progress::new("solving", config.iterations);
        let mut solved = run::solve(&grams, config, self.parameters.shuffle, |_| progress.step())?;
        drop(progress);
        let (embedded, found) = solved.cluster()?;
        let truth = self.views.labels.as_ref().map(|labels| labels.values.clone());
        let scores = truth.as_ref().map(|truth| run::scores(truth, &found.labels)).transpose()?;
        let seconds = Seconds {
            read,
            gram,
            solve: solved.seconds,
            spectral: embedded.seconds,
            kmeans: found.seconds,
            total: self.start.elapsed().as_secs_f64(),
        };
        let owned = |(name, value): &(&str, f64)| ((*name).to_owned(), *value);
        let named = self.parameters.named(config);
        let text = |value: &serde_json::Value| value.as_str().map_or(value.to_string(), str::to_owned);
        let file = self.input.rsplit(['/', '\\']).next().unwrap_or_default();
        let mut report = Report {
            title: format!("Clusters of {file}"),
            version: env!("CARGO_PKG_VERSION").into(),
            input: self.input.clone(),
            profile: self.parameters.profile.name().into(),
            n: self.views.n,
            views: self.views.views.iter().map(|view| (view.name.clone(), view.features())).collect(),
            clusters: embedded.clusters,
            estimated: embedded.estimated(),
            parameters: named.iter().map(|(name, value)| (name.replace('_', " "), text(value))).collect(),
            scores: scores.map(|scores| run::named_scores(&scores).iter().map(owned).collect()),
            trace: solved.trace.clone(),
            labels: found.labels,
            truth,
            seconds: seconds.named().iter().map(owned).collect(),
            workspace_bytes: solved.workspace_bytes(),
            ..Report::default()
        };
        report.warnings = self.warnings(config, &solved, &report);
        if self.output.draws() {
            report.affinity = solved.affinity(Parts::default())?;
            report.slice_distances = solved.slice_distances()?;
            report.embedding = embedded.rows();
            (report.signal, report.noise) = solved.densities(DRAWN)?;
        }
        Ok(report)
    }

    /// What a reader should know before believing the result.
    fn warnings<T: Scalar>(&self, config: &Config<f64>, solved: &Solved<T>, report: &Report) -> Vec<String> {
        let mut warnings = self.views.notes.clone();
        if config.axis == Axis::Samples {
            warnings.push(
                "the result depends on the order of the samples, because the transform runs along them; \
                 --shuffle SEED shows how much, and the default profile does not"
                    .into(),
            );
        }
        for view in &self.views.views {
            let zero = Facts::of(view, self.views.n).zero_samples;
            if zero > 0 {
                let n = self.views.n;
                warnings.push(format!(
                    "{zero} of {n} samples of view {} are zero in all features; that view says nothing about them",
                    view.name
                ));
            }
        }
        warnings.extend(unsettled(&solved.trace, solved.converged, config));
        if let Some(last) = solved.trace.last() {
            if last.rank == 0 {
                warnings.push(
                    "the consistent part is empty: the views were given nothing in common; a smaller --beta \
                     or more --iterations would leave it something"
                        .into(),
                );
            } else if config.axis == Axis::Views && last.rank > config.samples / 2 {
                warnings.push(format!(
                    "the consistent part has rank {} for {} samples, so it says little about clusters; a larger \
                     --beta would simplify it",
                    last.rank, config.samples
                ));
            }
        }
        if report.estimated {
            warnings.push(format!(
                "the number of clusters, {}, was estimated from the eigenvalues; --clusters K sets it",
                report.clusters
            ));
        }
        if let Some(labels) = &self.views.labels
            && labels.classes.len() != report.clusters
        {
            let (classes, k) = (labels.classes.len(), report.clusters);
            warnings.push(format!("{} has {classes} classes, and {k} clusters were made", labels.name));
        }
        warnings
    }
}

/// A sentence if the last iteration still changed a lot.
fn unsettled(trace: &[TraceRow], converged: bool, config: &Config<f64>) -> Option<String> {
    /// Of the largest change.
    const SMALL: f64 = 0.01;
    let most = trace.iter().map(|row| row.consistent_change).fold(0.0, f64::max);
    let last = trace.last().filter(|_| !converged)?.consistent_change;
    if config.tolerance > 0.0 {
        return Some(format!(
            "not converged: after {} iterations the change is {last:.1e}, above the tolerance {:.1e}",
            trace.len(),
            config.tolerance
        ));
    }
    let share = last / most;
    (share > SMALL).then(|| {
        format!(
            "not converged: the last of {} iterations still changed the consistent part by {:.0} % of the largest \
             change; --iterations allows more",
            trace.len(),
            100.0 * share
        )
    })
}
