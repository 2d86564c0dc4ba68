//! `cstgl evaluate`: labels against known classes.
use crate::error::{Error, Result};
use crate::output::scores_line;
use crate::read::labels;
use crate::run;
use crate::writer;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Score labels against known classes: both in a .csv, .txt, .npy, .npz or .mat file, one a sample, any numbers or words
#[derive(Debug, clap::Args)]
pub struct Evaluate {
    /// The known classes
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// The variable or column of the file that holds them
    #[arg(long, value_name = "NAME")]
    truth_var: Option<String>,
    /// The labels
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// The variable or column of the file that holds them
    #[arg(long, value_name = "NAME")]
    labels_var: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    /// Reads both, prints the scores.
    pub fn run(&self) -> Result<()> {
        let truth = labels::read(&self.truth, self.truth_var.as_deref())?;
        let labels = labels::read(&self.labels, self.labels_var.as_deref())?;
        let (n, found) = (truth.values.len(), labels.values.len());
        if n != found {
            return Err(Error::new(format!(
                "{found} labels, and {n} known classes in {}",
                self.truth.display()
            ))
            .at(self.labels.display().to_string())
            .remedy("both need one for each sample"));
        }
        let scores = run::scores(&truth.values, &labels.values)?;
        let named = run::named_scores(&scores).map(|(name, value)| (name.to_owned(), value));
        writer::print(&if self.json {
            let scores: Value = named.into_iter().map(|(name, value)| (name, json!(value))).collect();
            let (classes, clusters) = (truth.classes.len(), labels.classes.len());
            let version = env!("CARGO_PKG_VERSION");
            format!(
                "{:#}\n",
                json!({ "version": version, "n": n, "classes": classes, "clusters": clusters, "scores": scores })
            )
        } else {
            let (classes, clusters) = (truth.classes.len(), labels.classes.len());
            format!("{n} samples, {classes} classes, {clusters} clusters\n{}\n", scores_line(&named))
        })
    }
}
