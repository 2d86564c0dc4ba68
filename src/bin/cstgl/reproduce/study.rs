//! One data set, solved once in every way that the tables need, and read many times.

use super::Effort;
use super::datasets::Dataset;
use super::jobs;
use super::problem::Problem;
use super::trial::{BOTH, CONSISTENT, Profile, SPECIFIC, accuracy};
use crate::error::{Error, Result};
use crate::read::views::Views;
use crate::report::TraceRow;
use cstgl::config::Distance;
use cstgl::metrics::Scores;
use std::sync::{Mutex, PoisonError};

/// In which order the samples come, and how they are solved: the three rows that stand beside the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    FileOrder,
    Shuffled,
    Default,
}

pub const SETTINGS: [Setting; 3] = [Setting::FileOrder, Setting::Shuffled, Setting::Default];

impl Setting {
    pub fn name(self) -> &'static str {
        match self {
            Self::FileOrder => "reference, file order",
            Self::Shuffled => "reference, shuffled",
            Self::Default => "default, shuffled",
        }
    }
}

/// A data set that was found.
#[derive(Debug)]
pub struct Study {
    pub set: &'static Dataset,
    pub views: Views,
    pub problem: Problem,
    /// alpha, beta, gamma of the reference rows.
    pub weights: (f64, f64, f64),
    pub effort: Effort,
    pub file_order: Vec<Reading>,
    pub shuffled: Vec<Reading>,
    pub default: Vec<Reading>,
    /// The paper's text, which does not depend on the order.
    pub text: Vec<Scores>,
    failures: Mutex<Vec<String>>,
}

/// What is read from a solved problem.
#[derive(Clone, Debug)]
pub struct Reading {
    /// One for every seed of k-means.
    pub both: Vec<Scores>,
    pub consistent: Vec<Scores>,
    pub specific: Vec<Scores>,
    pub slices: Vec<f64>,
    pub slice_norm: f64,
    pub trace: Vec<TraceRow>,
}

impl Reading {
    fn of(problem: &Problem, profile: Profile, shuffle: Option<u64>, seeds: u64) -> Result<Self> {
        let mut solved = problem.solve(&profile.config(problem), shuffle)?;
        let mut norm = 0.0;
        for v in 0..problem.grams.views() {
            let squares = solved.consistent(v)?.into_iter().map(|x| f64::from(x) * f64::from(x));
            norm = f64::max(norm, squares.sum::<f64>().sqrt());
        }
        Ok(Self {
            both: problem.score(&mut solved, BOTH, seeds)?,
            consistent: problem.score(&mut solved, CONSISTENT, seeds)?,
            specific: problem.score(&mut solved, SPECIFIC, seeds)?,
            slices: solved.slice_distances()?,
            slice_norm: norm,
            trace: solved.trace,
        })
    }
}

/// All scores of one kind over several solves.
pub fn pooled(readings: &[Reading], kind: fn(&Reading) -> &Vec<Scores>) -> Vec<Scores> {
    readings.iter().flat_map(|reading| kind(reading).iter().copied()).collect()
}

impl Study {
    pub fn new(set: &'static Dataset, views: Views, effort: &Effort) -> Result<Self> {
        let problem = Problem::of(&views).map_err(|error| error.at(set.name))?;
        let effort = effort.clone().for_samples(views.n);
        let weights = match set.parameters.weights {
            Some(weights) => weights,
            None => tuned(&problem, set.parameters.distance, effort.threads),
        };
        let study = Self {
            set,
            views,
            problem,
            weights,
            effort,
            file_order: Vec::new(),
            shuffled: Vec::new(),
            default: Vec::new(),
            text: Vec::new(),
            failures: Mutex::default(),
        };
        study.solved().map_err(|error| error.at(set.name))
    }

    /// Every solve that more than one table needs.
    fn solved(mut self) -> Result<Self> {
        let trials = self.effort.trials;
        let mut jobs = vec![(self.reference(), None)];
        jobs.extend((1..=trials).map(|seed| (self.reference(), Some(seed))));
        jobs.extend((1..=trials).map(|seed| (self.ours(), Some(seed))));
        let readings: Result<Vec<Reading>> = jobs::map(self.effort.threads, &jobs, |&(profile, shuffle)| {
            Reading::of(&self.problem, profile, shuffle, if shuffle.is_none() { trials } else { 1 })
        })
        .into_iter()
        .collect();
        let mut readings = readings?.into_iter();
        self.file_order = readings.by_ref().take(1).collect();
        self.shuffled = readings.by_ref().take(trials as usize).collect();
        self.default = readings.collect();
        let (alpha, beta, gamma) = self.weights;
        let text = Profile::Text { distance: self.set.parameters.distance, alpha, beta, gamma };
        let mut solved = self.problem.solve(&text.config(&self.problem), None)?;
        self.text = self.problem.score(&mut solved, BOTH, trials)?;
        Ok(self)
    }

    pub fn reference(&self) -> Profile {
        let (alpha, beta, gamma) = self.weights;
        self.reference_at(alpha, beta, gamma)
    }

    pub fn reference_at(&self, alpha: f64, beta: f64, gamma: f64) -> Profile {
        Profile::Reference { distance: self.set.parameters.distance, alpha, beta, gamma }
    }

    pub fn ours(&self) -> Profile {
        Profile::Default { distance: Distance::Stiefel }
    }

    pub fn readings(&self, setting: Setting) -> &[Reading] {
        match setting {
            Setting::FileOrder => &self.file_order,
            Setting::Shuffled => &self.shuffled,
            Setting::Default => &self.default,
        }
    }

    pub fn profile(&self, setting: Setting) -> Profile {
        if setting == Setting::Default { self.ours() } else { self.reference() }
    }

    /// The scores of every profile in the order of the setting, one for each of so many shuffles. A solve that fails
    /// leaves its place empty, and is noted.
    pub fn sweep(&self, setting: Setting, shuffles: u64, profiles: &[Profile]) -> Vec<Vec<Scores>> {
        let (scores, failures) = sweep(&self.problem, setting, shuffles, profiles, self.effort.threads);
        let failures = failures.into_iter().map(|failure| format!("{}, {failure}", self.set.name));
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).extend(failures);
        scores
    }

    /// Solves of curves and grids that failed.
    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The scores of every profile, and what failed.
fn sweep(
    problem: &Problem,
    setting: Setting,
    shuffles: u64,
    profiles: &[Profile],
    threads: usize,
) -> (Vec<Vec<Scores>>, Vec<String>) {
    let seeds: Vec<Option<u64>> = match setting {
        Setting::FileOrder => vec![None],
        _ => (1..=shuffles).map(Some).collect(),
    };
    let each = |&profile: &Profile| seeds.iter().map(move |&seed| (profile, seed));
    let jobs: Vec<_> = profiles.iter().flat_map(each).collect();
    let results = jobs::map(threads, &jobs, |&(profile, seed)| {
        let mut solved = problem.solve(&profile.config(problem), seed)?;
        problem.score(&mut solved, BOTH, 1)
    });
    let mut failures = Vec::new();
    let mut scores = Vec::new();
    for (result, (profile, seed)) in results.into_iter().zip(&jobs) {
        let order = seed.map_or("in file order".to_owned(), |seed| format!("shuffled by seed {seed}"));
        scores.push(result.unwrap_or_else(|error: Error| {
            failures.push(format!("{}, {order}: {error}", profile.in_words()));
            Vec::new()
        }));
    }
    (scores.chunks(seeds.len().max(1)).map(<[_]>::concat).collect(), failures)
}

/// The best parameters of a small grid by ACC in file order: what "carefully tuned" means, the truth being looked at.
fn tuned(problem: &Problem, distance: Distance, threads: usize) -> (f64, f64, f64) {
    let mut grid = Vec::new();
    for alpha in [0.1, 1.0, 10.0] {
        for beta in [10.0, 100.0] {
            grid.extend([10.0, 100.0, 1000.0].map(|gamma| (alpha, beta, gamma)));
        }
    }
    let profile =
        |&(alpha, beta, gamma): &(f64, f64, f64)| Profile::Reference { distance, alpha, beta, gamma };
    let profiles: Vec<Profile> = grid.iter().map(profile).collect();
    let (scores, _) = sweep(problem, Setting::FileOrder, 1, &profiles, threads);
    let accuracies = scores.iter().map(|scores| accuracy(scores)).zip(grid);
    let best = accuracies.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or((1.0, 10.0, 100.0), |(_, weights)| weights)
}
