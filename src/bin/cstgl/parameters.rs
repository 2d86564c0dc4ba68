//! The solver's parameters and choices as options. What is not said is the profile's.
use crate::error::{Error, Result};
use crate::run::Precision;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cstgl::config::{Affinity, Axis, Config, Distance, GraphTerm, Rank, Spectral, Threshold};
use cstgl::prox::group::Group;
use serde_json::{Value, json};

/// Which set of choices to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Profile {
    /// Ours: no parameter needs tuning, and the order of the samples does not matter
    Default,
    /// The paper's text; needs --alpha, --beta and --gamma
    Paper,
    /// The authors' program, whose result depends on the order of the samples; needs --alpha, --beta and --gamma
    Reference,
}

impl Profile {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Paper => "paper",
            Self::Reference => "reference",
        }
    }
}

/// Names of the values of a choice.
type Names<T> = &'static [(&'static str, T)];

const AXES: Names<Axis> = &[("views", Axis::Views), ("samples", Axis::Samples)];
const GROUPS: Names<Group> = &[("tube", Group::Tube), ("column", Group::Column)];
const DISTANCES: Names<Distance> = &[("stiefel", Distance::Stiefel), ("euclidean", Distance::Euclidean)];
const THRESHOLDS: Names<Threshold> = &[("plain", Threshold::Plain), ("times-views", Threshold::TimesViews)];
const SPECTRALS: Names<Spectral> = &[("symmetric", Spectral::Symmetric), ("reference", Spectral::Reference)];
const AFFINITIES: Names<Affinity> = &[
    ("symmetric", Affinity::Symmetric),
    ("unit-columns", Affinity::UnitColumns),
    ("unit-columns-clamped", Affinity::UnitColumnsClamped),
];

/// Reads a value by its name.
fn one_of<T: Copy + Send + Sync + 'static>(names: Names<T>) -> impl TypedValueParser<Value = T> {
    let value = move |name: String| {
        names.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or("no such value")
    };
    PossibleValuesParser::new(names.iter().map(|&(name, _)| name)).try_map(value)
}

fn name_of<T: Copy + PartialEq>(names: Names<T>, value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |&(name, _)| name)
}

/// Every parameter and choice of a run.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Solver")]
pub struct Parameters {
    /// The choices that the other options start from
    #[arg(long, value_enum, default_value_t = Profile::Default)]
    pub profile: Profile,
    /// Clusters; 0 estimates their number
    #[arg(long, short = 'k', value_name = "K")]
    pub clusters: Option<usize>,
    /// Clusters at most where their number is estimated [default: 20]
    #[arg(long, value_name = "K")]
    pub max_clusters: Option<usize>,
    /// Weight of the graph term beside distances as they are (the paper's alpha)
    #[arg(long, value_name = "X", allow_negative_numbers = true, conflicts_with_all = ["neighbours", "weight"])]
    pub alpha: Option<f64>,
    /// Neighbours of a sample in its first graph, whatever the scale of the distances [default: 10]
    #[arg(long, value_name = "K")]
    pub neighbours: Option<usize>,
    /// Weight of that graph term against the regularisers [default: 100]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub weight: Option<f64>,
    /// Weight of the nuclear norm of the consistent part [default: 10]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub beta: Option<f64>,
    /// Weight of the norm of the specific parts [default: 10]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub gamma: Option<f64>,
    /// The first penalty [default: 0.01, of the paper 0.1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub rho: Option<f64>,
    /// Growth of the penalty in an iteration [default: 2]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub mu: Option<f64>,
    /// Iterations at most [default: 20]
    #[arg(long, value_name = "N")]
    pub iterations: Option<usize>,
    /// Stop when the consistent part changes by no more than this [default: 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Distance between samples [default: stiefel]
    #[arg(long, value_parser = one_of(DISTANCES))]
    pub distance: Option<Distance>,
    /// Scale every sample of every view to unit length first [default: true]
    #[arg(long, value_name = "BOOL")]
    pub unit_length: Option<bool>,
    /// May a sample be its own neighbour? [default: false, of the other profiles true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub self_loops: Option<bool>,
    /// Axis of the transform [default: views, of reference samples]
    #[arg(long, value_parser = one_of(AXES))]
    pub axis: Option<Axis>,
    /// Group of the noise norm [default: column, of paper tube]
    #[arg(long, value_parser = one_of(GROUPS))]
    pub noise: Option<Group>,
    /// Threshold of the tubal shrinkage: beta/rho, or that times the views [default: plain, of paper times-views]
    #[arg(long, value_parser = one_of(THRESHOLDS))]
    pub threshold: Option<Threshold>,
    /// What is made of the fused graph [default: unit-columns-clamped, of paper symmetric, of reference unit-columns]
    #[arg(long, value_parser = one_of(AFFINITIES))]
    pub affinity: Option<Affinity>,
    /// What the embedding is made of [default: symmetric, of reference reference]
    #[arg(long, value_parser = one_of(SPECTRALS))]
    pub spectral: Option<Spectral>,
    /// Rank of the consistent part up to which a fast method is tried first [default: a sixteenth of the samples, from 16 to 512]
    #[arg(long, value_name = "R", conflicts_with = "max_rank")]
    pub rank: Option<usize>,
    /// Rank of the consistent part at most; saves memory, and a higher one is an error
    #[arg(long, value_name = "R")]
    pub max_rank: Option<usize>,
    /// Runs of k-means, the best of which counts [default: 20]
    #[arg(long, value_name = "N")]
    pub restarts: Option<usize>,
    /// Of everything random
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Numbers of 32 or 64 bits
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    pub precision: Precision,
    /// Threads at most; the result does not depend on it [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Shuffle the samples, solve, put the labels back: shows whether the order matters
    #[arg(long, value_name = "SEED")]
    pub shuffle: Option<u64>,
}

impl Parameters {
    /// The threads that were asked for, or all there are.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The choices of a run on `n` samples in `m` views.
    pub fn config(&self, n: usize, m: usize) -> Result<Config<f64>> {
        let adaptive = self.neighbours.is_some() || self.weight.is_some();
        if self.profile != Profile::Default
            && (self.alpha.is_none() && !adaptive || self.beta.is_none() || self.gamma.is_none())
        {
            return Err(Error::new("needs --alpha, --beta and --gamma")
                .at(format!("--profile {}", self.profile.name()))
                .remedy(
                    "the paper tunes them for each data set (BBCSport: 1, 10, 100), and cstgl sweep tries many",
                ));
        }
        Ok(self.filled(n, m))
    }

    /// The same for a grid that has its own alpha, beta and gamma.
    pub fn filled(&self, n: usize, m: usize) -> Config<f64> {
        let base = match self.profile {
            Profile::Default => Config::new(n, m),
            Profile::Paper => Config::paper(n, m, 1.0, 1.0, 1.0),
            Profile::Reference => Config::reference(n, m, 1.0, 1.0, 1.0),
        };
        let graph = match (self.alpha, self.neighbours, self.weight) {
            (Some(alpha), ..) => GraphTerm::Fixed { alpha },
            (None, None, None) => base.graph,
            (None, neighbours, weight) => {
                GraphTerm::Adaptive { neighbours: neighbours.unwrap_or(10), weight: weight.unwrap_or(100.0) }
            }
        };
        let rank = match (self.rank, self.max_rank) {
            (_, Some(most)) => Rank::AtMost(most),
            (Some(expected), None) => Rank::Any { expected },
            (None, None) => base.rank,
        };
        Config {
            samples: n,
            views: m,
            distance: self.distance.unwrap_or(base.distance),
            unit_length: self.unit_length.unwrap_or(base.unit_length),
            graph,
            self_loops: self.self_loops.unwrap_or(base.self_loops),
            axis: self.axis.unwrap_or(base.axis),
            noise: self.noise.unwrap_or(base.noise),
            threshold: self.threshold.unwrap_or(base.threshold),
            beta: self.beta.unwrap_or(base.beta),
            gamma: self.gamma.unwrap_or(base.gamma),
            rho: self.rho.unwrap_or(base.rho),
            mu: self.mu.unwrap_or(base.mu),
            iterations: self.iterations.unwrap_or(base.iterations),
            tolerance: self.tolerance.unwrap_or(base.tolerance),
            rank,
            affinity: self.affinity.unwrap_or(base.affinity),
            spectral: self.spectral.unwrap_or(base.spectral),
            clusters: self.clusters.unwrap_or(base.clusters),
            max_clusters: self.max_clusters.unwrap_or(base.max_clusters),
            restarts: self.restarts.unwrap_or(base.restarts),
            seed: self.seed,
            threads: self.threads(),
        }
    }

    /// Every parameter of a run by its name.
    pub fn named(&self, config: &Config<f64>) -> Vec<(&'static str, Value)> {
        let mut named = vec![("profile", json!(self.profile.name()))];
        match config.graph {
            GraphTerm::Fixed { alpha } => named.push(("alpha", json!(alpha))),
            GraphTerm::Adaptive { neighbours, weight } => {
                named.extend([("neighbours", json!(neighbours)), ("weight", json!(weight))]);
            }
        }
        named.extend([
            ("beta", json!(config.beta)),
            ("gamma", json!(config.gamma)),
            ("rho", json!(config.rho)),
            ("mu", json!(config.mu)),
            ("iterations", json!(config.iterations)),
            ("tolerance", json!(config.tolerance)),
            ("distance", json!(name_of(DISTANCES, config.distance))),
            ("unit_length", json!(config.unit_length)),
            ("self_loops", json!(config.self_loops)),
            ("axis", json!(name_of(AXES, config.axis))),
            ("noise", json!(name_of(GROUPS, config.noise))),
            ("threshold", json!(name_of(THRESHOLDS, config.threshold))),
            ("affinity", json!(name_of(AFFINITIES, config.affinity))),
            ("spectral", json!(name_of(SPECTRALS, config.spectral))),
            match config.rank {
                Rank::Any { expected } => ("rank", json!(expected)),
                Rank::AtMost(most) => ("max_rank", json!(most)),
            },
            ("restarts", json!(config.restarts)),
            ("seed", json!(config.seed)),
            ("precision", json!(self.precision.name())),
            ("threads", json!(config.threads)),
        ]);
        if config.clusters == 0 {
            named.push(("max_clusters", json!(config.max_clusters)));
        }
        named.extend(self.shuffle.map(|seed| ("shuffle", json!(seed))));
        named
    }
}
