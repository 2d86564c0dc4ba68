//! A data set as the solver sees it: its Gram matrices, made once for all its runs, and the truth.

use crate::error::{Error, Result};
use crate::read::labels::Labels;
use crate::read::matrix::{Dense, Matrix, Order};
use crate::read::views::{View, Views};
use crate::run::{Grams, Solved, scores, solve};
use cstgl::config::Config;
use cstgl::demo::Demo;
use cstgl::metrics::Scores;
use cstgl::rng::Rng;
use cstgl::session::Parts;

/// Views multiplied out, and the truth.
#[derive(Debug)]
pub struct Problem {
    pub grams: Grams<f64>,
    pub truth: Vec<u32>,
    pub classes: usize,
}

impl Problem {
    pub fn of(views: &Views) -> Result<Self> {
        let labels = views.labels.as_ref().ok_or_else(|| Error::new("there are no true labels"))?;
        let (truth, classes) = (labels.values.clone(), labels.classes.len());
        Ok(Self { grams: Grams::of(views)?, truth, classes })
    }

    /// The samples in the order of the file, or shuffled by a seed.
    pub fn solve(&self, config: &Config<f64>, shuffle: Option<u64>) -> Result<Solved<f64>> {
        solve(&self.grams, config, shuffle, |_| {})
    }

    /// Clusters the chosen parts from so many seeds of k-means, which share one embedding, and scores the labels.
    pub fn score(&self, solved: &mut Solved<f64>, parts: Parts, seeds: u64) -> Result<Vec<Scores>> {
        let embedded = solved.embed(parts)?;
        (0..seeds).map(|seed| scores(&self.truth, &embedded.labels(seed)?.labels)).collect()
    }
}

/// The same views with noise added to every number, zeros too. `ratio` is that of the noise's norm to the view's.
pub fn with_noise(views: &Views, ratio: f64, seed: u64) -> Result<Views> {
    let mut noisy = Vec::new();
    for (v, view) in views.views.iter().enumerate() {
        let mut data = vec![0.0; view.features() * views.n];
        view.for_each(|sample, feature, value| {
            if let Some(x) = data.get_mut(feature * views.n + sample) {
                *x += value;
            }
        });
        add_noise(&mut data, ratio, seed.wrapping_mul(1000).wrapping_add(v as u64));
        noisy.push(dense(view.name.clone(), view.features(), views.n, data)?);
    }
    Ok(assembled(noisy, views.n, views.labels.clone()))
}

/// Synthetic views, their samples sorted by class as those of the published files are; sample `i` is scaled by
/// `size(i)`.
pub fn synthetic(demo: &Demo<'_, f64>, size: impl Fn(usize) -> f64) -> Result<Views> {
    let mut samples: Vec<usize> = (0..demo.samples).collect();
    samples.sort_by_key(|&i| demo.label(i));
    let mut views = Vec::new();
    for (v, &features) in demo.dimensions.iter().enumerate() {
        let data = (0..features)
            .flat_map(|f| samples.iter().map(move |&i| (f, i)))
            .map(|(f, i)| size(i) * demo.value(v, f, i))
            .collect();
        views.push(dense(format!("view {}", v + 1), features, demo.samples, data)?);
    }
    let truth: Vec<f64> = samples.iter().map(|&i| f64::from(demo.label(i))).collect();
    Ok(assembled(views, demo.samples, Some(Labels::from_numbers("truth", &truth)?)))
}

/// A view whose rows are features.
fn dense(name: String, features: usize, n: usize, data: Vec<f64>) -> Result<View> {
    let matrix = Matrix::Dense(Dense::new(features, n, Order::RowMajor, data)?);
    Ok(View { name, kind: "double".into(), matrix, samples_are_rows: false })
}

fn assembled(views: Vec<View>, n: usize, labels: Option<Labels>) -> Views {
    Views { views, n, labels, orientation: String::new(), notes: Vec::new(), found: Vec::new() }
}

/// Adds numbers that are nearly Gaussian: sums of four uniform ones.
fn add_noise(data: &mut [f64], ratio: f64, seed: u64) {
    let power = data.iter().map(|x| x * x).sum::<f64>() / data.len().max(1) as f64;
    let scale = ratio * (3.0 * power).sqrt();
    let mut rng = Rng::new(seed);
    for x in data {
        let sum: f64 = (0..4).map(|_| rng.uniform::<f64>()).sum();
        *x += scale * (sum - 2.0);
    }
}
