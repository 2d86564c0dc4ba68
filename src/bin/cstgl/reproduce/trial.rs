//! How a problem is solved, and what several trials come to.

use super::problem::Problem;
use cstgl::config::{Config, Distance};
use cstgl::metrics::Scores;
use cstgl::session::Parts;

/// How a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Profile {
    /// The authors' program.
    Reference { distance: Distance, alpha: f64, beta: f64, gamma: f64 },
    /// The paper's text.
    Text { distance: Distance, alpha: f64, beta: f64, gamma: f64 },
    /// Ours, the same for all data.
    Default { distance: Distance },
}

impl Profile {
    pub fn config(self, problem: &Problem) -> Config<f64> {
        let (n, m) = (problem.grams.n, problem.grams.views());
        let config = match self {
            Self::Reference { alpha, beta, gamma, .. } => Config::reference(n, m, alpha, beta, gamma),
            Self::Text { alpha, beta, gamma, .. } => Config::paper(n, m, alpha, beta, gamma),
            Self::Default { .. } => Config::new(n, m),
        };
        Config { distance: self.distance(), clusters: problem.classes, ..config }
    }

    /// Which parameters, for a note.
    pub fn in_words(self) -> String {
        match self {
            Self::Reference { alpha, beta, gamma, .. } | Self::Text { alpha, beta, gamma, .. } => {
                format!("alpha {alpha}, beta {beta}, gamma {gamma}")
            }
            Self::Default { .. } => "default".into(),
        }
    }

    const fn distance(self) -> Distance {
        match self {
            Self::Reference { distance, .. } | Self::Text { distance, .. } | Self::Default { distance } => {
                distance
            }
        }
    }

    pub const fn with_distance(self, distance: Distance) -> Self {
        match self {
            Self::Reference { alpha, beta, gamma, .. } => Self::Reference { distance, alpha, beta, gamma },
            Self::Text { alpha, beta, gamma, .. } => Self::Text { distance, alpha, beta, gamma },
            Self::Default { .. } => Self::Default { distance },
        }
    }
}

/// S1 and S2, as Eq. (36) has it.
pub const BOTH: Parts = Parts { consistent: true, specific: true, noise: false };
pub const CONSISTENT: Parts = Parts { specific: false, ..BOTH };
pub const SPECIFIC: Parts = Parts { consistent: false, ..BOTH };
pub const WITH_NOISE: Parts = Parts { noise: true, ..BOTH };

/// A mean, and the standard deviation of what it is the mean of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// None where there is but one value.
    pub deviation: Option<f64>,
}

impl Spread {
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count().max(1) as f64;
        // From the first one on: trials that agree have no spread, not even one of rounding.
        let first = values.clone().next().unwrap_or(f64::NAN);
        let mean = first + values.clone().map(|value| value - first).sum::<f64>() / count;
        let square = values.map(|value| (value - mean) * (value - mean)).sum::<f64>();
        Self { mean, deviation: (count > 1.0).then(|| (square / (count - 1.0)).sqrt()) }
    }

    /// Of one measure over several trials.
    pub fn over(scores: &[Scores], measure: fn(&Scores) -> f64) -> Self {
        Self::of(scores.iter().map(measure))
    }
}

/// The mean accuracy.
pub fn accuracy(scores: &[Scores]) -> f64 {
    Spread::over(scores, |scores| scores.acc).mean
}

/// A measure of agreement with the truth.
pub type Measure = (&'static str, fn(&Scores) -> f64);

/// All of them, in the order in which tables have them; the paper gives the first four.
pub const MEASURES: [Measure; 7] = [
    ("ACC", |s| s.acc),
    ("NMI", |s| s.nmi),
    ("ARI", |s| s.ari),
    ("F-score", |s| s.fscore),
    ("Precision", |s| s.precision),
    ("Recall", |s| s.recall),
    ("Purity", |s| s.purity),
];
