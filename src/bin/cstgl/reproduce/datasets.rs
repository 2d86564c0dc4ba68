//! The paper's data sets: what they look like, with which parameters they are run, and where their files are.

use super::paper::{self, Published};
use super::study::Study;
use crate::error::Result;
use crate::read::labels;
use crate::read::views::{Input, Views};
use crate::table::{Cell, Table};
use cstgl::config::Distance;
use std::fs;
use std::path::{Path, PathBuf};

/// One of the six.
#[derive(Debug)]
pub struct Dataset {
    pub name: &'static str,
    /// The stem of its figures.
    pub stem: &'static str,
    /// How file names spell it: lower case, letters and digits alone.
    spellings: &'static [&'static str],
    pub samples: usize,
    pub classes: usize,
    /// Features of the views.
    pub features: &'static [usize],
    pub parameters: Parameters,
    pub paper: &'static Published,
}

/// The choices of the `reference` rows. The paper publishes none: it says that each was tuned over seven powers of ten.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    pub distance: Distance,
    /// alpha, beta, gamma; none where nobody has found them yet.
    pub weights: Option<(f64, f64, f64)>,
}

const fn stiefel(alpha: f64, beta: f64, gamma: f64) -> Parameters {
    Parameters { distance: Distance::Stiefel, weights: Some((alpha, beta, gamma)) }
}

/// All six, in the order of the paper.
pub static ALL: [Dataset; 6] = [
    Dataset {
        name: "HW",
        stem: "hw",
        spellings: &["hw", "handwritten", "mnistusps", "digit"],
        samples: 2000,
        classes: 10,
        features: &[784, 256],
        parameters: Parameters { distance: Distance::Euclidean, weights: Some((0.1, 100.0, 1000.0)) },
        paper: &paper::HW,
    },
    Dataset {
        name: "Reuters",
        stem: "reuters",
        spellings: &["reuters"],
        samples: 600,
        classes: 6,
        features: &[21526, 24892, 34121, 15487, 11539],
        parameters: stiefel(0.1, 100.0, 1000.0),
        paper: &paper::REUTERS,
    },
    Dataset {
        name: "BBCSport",
        stem: "bbcsport",
        spellings: &["bbcsport"],
        samples: 544,
        classes: 5,
        features: &[3183, 3203],
        parameters: stiefel(1.0, 10.0, 100.0),
        paper: &paper::BBC_SPORT,
    },
    Dataset {
        name: "3-sources",
        stem: "3-sources",
        spellings: &["3sources", "threesources", "3source"],
        samples: 169,
        classes: 6,
        features: &[3560, 3631, 3068],
        parameters: stiefel(1.0, 100.0, 1000.0),
        paper: &paper::THREE_SOURCES,
    },
    Dataset {
        name: "Yale",
        stem: "yale",
        spellings: &["yale"],
        samples: 165,
        classes: 15,
        features: &[4096, 3304, 6750],
        parameters: Parameters { distance: Distance::Stiefel, weights: None },
        paper: &paper::YALE,
    },
    Dataset {
        name: "WebKB",
        stem: "webkb",
        spellings: &["webkb"],
        samples: 203,
        classes: 4,
        features: &[1703, 230, 230],
        parameters: stiefel(0.1, 10.0, 100.0),
        paper: &paper::WEBKB,
    },
];

/// What was looked for and what was there.
#[derive(Debug, Default)]
pub struct Found {
    pub sets: Vec<(&'static Dataset, PathBuf, Views)>,
    pub missing: Vec<&'static Dataset>,
    /// Files that are named like a data set of the paper and are not it, or cannot be read.
    pub notes: Vec<String>,
}

/// How well views fit a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Samples, views and classes are the same; features differ.
    Outline,
    Whole,
}

impl Dataset {
    fn is_named(&self, path: &Path) -> bool {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain: String = stem.chars().filter(char::is_ascii_alphanumeric).collect();
        self.spellings.iter().any(|spelling| plain.contains(spelling))
    }

    fn fit(&self, views: &Views) -> Option<Fit> {
        let classes = views.labels.as_ref().map_or(0, |labels| labels.classes.len());
        if (views.n, views.views.len(), classes) != (self.samples, self.features.len(), self.classes) {
            return None;
        }
        let sorted = |mut features: Vec<usize>| {
            features.sort_unstable();
            features
        };
        let here = sorted(views.views.iter().map(|view| view.features()).collect());
        Some(if here == sorted(self.features.to_vec()) { Fit::Whole } else { Fit::Outline })
    }

    fn in_words(&self) -> String {
        format!("{} samples in {} views, {} classes", self.samples, self.features.len(), self.classes)
    }
}

/// Looks through a directory: `.mat` and `.npz` files, and directories of one file a view.
pub fn find(directory: &Path) -> Result<Found> {
    let mut found = Found::default();
    let mut readable = Vec::new();
    for candidate in candidates(directory)? {
        let named: Vec<&Dataset> = ALL.iter().filter(|set| set.is_named(&candidate)).collect();
        match Views::read(&input(&candidate)).and_then(|views| views.require_finite().map(|()| views)) {
            Ok(views) => readable.push((candidate, views)),
            // A file that nobody expects to be one of ours may be anything.
            Err(error) if !named.is_empty() => found.notes.push(format!("not used: {error}")),
            Err(_) => {}
        }
    }
    for set in &ALL {
        let best = (readable.iter().enumerate())
            .filter_map(|(i, (path, views))| Some((set.fit(views)?, set.is_named(path), i)))
            // Without the name the features must agree too.
            .filter(|&(fit, named, _)| named || fit == Fit::Whole)
            .max_by_key(|&(fit, named, i)| (fit, named, std::cmp::Reverse(i)));
        let Some((fit, _, i)) = best else {
            found.missing.push(set);
            let alike = readable.iter().filter(|(path, _)| set.is_named(path));
            found.notes.extend(alike.map(|(path, views)| {
                let classes = views.labels.as_ref().map_or(0, |labels| labels.classes.len());
                format!(
                    "not used: {} is named like {}, but has {} samples in {} views, {classes} classes; the paper's has {}",
                    path.display(),
                    set.name,
                    views.n,
                    views.views.len(),
                    set.in_words()
                )
            }));
            continue;
        };
        let (path, views) = readable.remove(i);
        if fit == Fit::Outline {
            let features: Vec<String> = views.views.iter().map(|view| view.features().to_string()).collect();
            found.notes.push(format!(
                "{} is taken for {}, but its views have {} features; the paper's have {:?}",
                path.display(),
                set.name,
                features.join(", "),
                set.features
            ));
        }
        found.sets.push((set, path, views));
    }
    Ok(found)
}

/// Files and directories that may hold a data set, in the order of their names.
fn candidates(directory: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| {
        crate::error::Error::new(format!("cannot be listed ({error})"))
            .at(directory.display().to_string())
            .remedy("--data names a directory with the paper's data sets as .mat or .npz files")
    };
    let mut candidates = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let whole = ["mat", "npz"].iter().any(|extension| has_extension(&path, extension));
        if if path.is_dir() { !single_files(&path).is_empty() } else { whole } {
            candidates.push(path);
        }
    }
    candidates.sort();
    Ok(candidates)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The files of a directory that hold one matrix each.
fn single_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let single = |path: &PathBuf| ["npy", "csv", "tsv"].iter().any(|end| has_extension(path, end));
    let mut files: Vec<PathBuf> = entries.filter(single).collect();
    files.sort();
    files
}

fn input(candidate: &Path) -> Input {
    if !candidate.is_dir() {
        return Input { inputs: vec![candidate.to_owned()], ..Input::default() };
    }
    let rank = |path: &PathBuf| labels::rank(&path.file_stem().unwrap_or_default().to_string_lossy());
    let files = single_files(candidate);
    let truth = files.iter().filter(|path| rank(path).is_some()).min_by_key(|path| rank(path)).cloned();
    let inputs = files.into_iter().filter(|path| Some(path) != truth.as_ref()).collect();
    Input { inputs, truth: truth.map(|path| path.display().to_string()), ..Input::default() }
}

/// The parameters of every data set, as the report prints them.
pub fn parameter_table(studies: &[Study]) -> Table {
    let mut table = Table::new("Parameters of the reference rows")
        .column("Data set", 0)
        .right("Samples")
        .right("Classes")
        .column("Features", 0)
        .column("Distance", 0)
        .right("alpha")
        .right("beta")
        .right("gamma")
        .column("From", 0);
    for set in &ALL {
        let features: Vec<String> = set.features.iter().map(usize::to_string).collect();
        let study = studies.iter().find(|study| study.set.name == set.name);
        let from = match (set.parameters.weights, study) {
            (Some(_), _) => "not published; found in the paper's grid with its authors' program",
            (None, Some(_)) => "not published; here the best of 18 by ACC in file order",
            (None, None) => "not published; where the file is there, the best of 18 by ACC in file order",
        };
        let weights = set.parameters.weights.or(study.map(|study| study.weights));
        let [alpha, beta, gamma] = match weights {
            Some((alpha, beta, gamma)) => [alpha, beta, gamma].map(|weight| Cell::from(weight.to_string())),
            None => [Cell::Empty, Cell::Empty, Cell::Empty],
        };
        table.row([
            set.name.into(),
            set.samples.to_string().into(),
            set.classes.to_string().into(),
            features.join(", ").into(),
            distance_name(set.parameters.distance).into(),
            alpha,
            beta,
            gamma,
            from.into(),
        ]);
    }
    table
}

pub fn distance_name(distance: Distance) -> &'static str {
    match distance {
        Distance::Stiefel => "pseudo-Stiefel",
        Distance::Euclidean => "Euclidean",
    }
}
