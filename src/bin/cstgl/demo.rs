//! `cstgl demo`: data of which no view tells the clusters apart, clustered.
use crate::cluster::Task;
use crate::error::Result;
use crate::output::Output;
use crate::parameters::Parameters;
use crate::read::labels::Labels;
use crate::read::matrix::{Dense, Matrix, Order};
use crate::read::views::{View, Views};
use crate::run::refusal;
use std::path::PathBuf;
use std::time::Instant;

/// Cluster synthetic data and write a report: three views of 120 samples, none of which tells the four clusters apart
#[derive(Debug, clap::Args)]
pub struct Demo {
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    output: Output,
    /// Which data: another number, other data
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    data: u64,
}

impl Demo {
    /// Makes the data, clusters it, writes a report.
    pub fn run(&self) -> Result<()> {
        let mut output = self.output.clone();
        output.report.get_or_insert_with(|| PathBuf::from("cstgl-demo.html"));
        output.check()?;
        let start = Instant::now();
        let data = cstgl::demo::Demo::<f64> { seed: self.data, ..cstgl::demo::Demo::small() };
        let parameters = Parameters {
            clusters: self.parameters.clusters.or(Some(data.clusters)),
            ..self.parameters.clone()
        };
        let views = synthetic(&data)?;
        Task { start, input: "synthetic data".into(), views, parameters: &parameters, output: &output }.run()
    }
}

/// Data that was made, as if it had been read.
pub fn synthetic(data: &cstgl::demo::Demo<'_, f64>) -> Result<Views> {
    let n = data.samples;
    let mut views = Vec::new();
    for (v, &features) in data.dimensions.iter().enumerate() {
        let numbers = data.view(v).map_err(|error| refusal(error, &[]))?;
        let matrix = Matrix::Dense(Dense::new(features, n, Order::RowMajor, numbers)?);
        let name = format!("view {}", v + 1);
        views.push(View { name, kind: "double".into(), matrix, samples_are_rows: false });
    }
    let truth: Vec<f64> = (0..n).map(|i| f64::from(data.label(i))).collect();
    Ok(Views {
        views,
        n,
        labels: Some(Labels::from_numbers("the truth", &truth)?),
        orientation: "columns are samples".into(),
        notes: Vec::new(),
        found: Vec::new(),
    })
}
