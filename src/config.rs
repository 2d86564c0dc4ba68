//! What can be chosen, and the three profiles.
//!
//! The paper's text and its authors' published program differ, and the difference matters. Each difference is a
//! choice of its own here; a *profile* is a set of them.
//!
//! | choice | [`Config::paper`] | [`Config::reference`] | [`Config::new`], our default |
//! |---|---|---|---|
//! | [`axis`](field@Config::axis) | views | samples | views |
//! | [`Config::noise`] | tube | column | column |
//! | [`Config::threshold`] | `m beta / rho` | `beta / rho` | `beta / rho` |
//! | [`Config::rho`] | 0.1 | 0.01 | 0.01 |
//! | [`Config::graph`] | fixed `alpha` | fixed `alpha` | 10 neighbours, weight 100 |
//! | [`Config::self_loops`] | yes | yes | no |
//! | [`Config::affinity`] | symmetric | columns of unit length | columns of unit length, symmetric, not negative |
//! | [`spectral`](field@Config::spectral) | symmetric | the authors' singular vectors | symmetric |
//! | [`Config::beta`], [`Config::gamma`] | the caller's | the caller's | 10, 10 |
//!
//! **`reference` depends on the order of the samples.** Its transform runs along the sample index, and the data sets
//! that it was published with are sorted by class. It is here to reproduce those figures, not to cluster data whose
//! classes are not known. With the other two, shuffling the samples permutes the labels and changes nothing else.

use crate::prox::group::Group;
use crate::{Error, Scalar, check};

/// The number that stands for a choice in a stored header and in the C interface, and the way back.
macro_rules! codes {
    ($type:ident: $($variant:ident = $code:literal),+) => {
        impl $type {
            /// The number that stands for this choice.
            #[must_use]
            pub const fn code(self) -> u32 {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// The choice that a number stands for.
            #[must_use]
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

codes!(Axis: Views = 0, Samples = 1);
codes!(Distance: Stiefel = 0, Euclidean = 1);
codes!(Threshold: Plain = 0, TimesViews = 1);
codes!(Group: Tube = 0, Column = 1);
codes!(Affinity: Symmetric = 0, UnitColumns = 1, UnitColumnsClamped = 2);
codes!(Spectral: Symmetric = 0, Reference = 1);

/// The axis that the transform of the t-SVD runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Views: `n x n x m`, a transform of length m. What the paper says.
    Views,
    /// Samples: rotated to `n x m x n`, a transform of length n. What the authors' program does; the result depends on
    /// the order of the samples.
    Samples,
}

/// How far two samples of a view are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Pseudo-Stiefel, `d - <x, y>` (Eq. 10), up to the constant `d` that never matters.
    Stiefel,
    /// Squared Euclidean.
    Euclidean,
}

/// The threshold of the tubal shrinkage, Eq. (26).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// `beta / rho`.
    Plain,
    /// `m beta / rho`.
    TimesViews,
}

/// What the distances weigh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GraphTerm<T> {
    /// The paper's `alpha`, beside distances as they are.
    Fixed {
        /// Larger means more neighbours.
        alpha: T,
    },
    /// Distances of every row rescaled so that the first projection has so many neighbours, whatever their scale.
    Adaptive {
        /// Neighbours of a sample in its first graph.
        neighbours: usize,
        /// Weight of the graph term against the regularisers.
        weight: T,
    },
}

/// How the consistent part is kept on the views axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// Any rank. Up to `expected` it is found by products and kept in factors; beyond, by a dense method.
    Any {
        /// Rank up to which products are tried first; zero is a sixteenth of the samples, from 16 to 512.
        expected: usize,
    },
    /// At most this, and no memory for more: exceeding it is [`Error::RankExceeded`].
    AtMost(usize),
}

/// What is made of the fused graph `Sa` of Eq. (36) before it is clustered. Each begins with `(Sa + Sa^T)/2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affinity {
    /// Nothing more.
    Symmetric,
    /// The diagonal zeroed, and every column scaled to unit length: the authors' program.
    UnitColumns,
    /// The same, made symmetric again and without negative weights.
    UnitColumnsClamped,
}

/// What the spectral embedding is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spectral {
    /// Leading eigenvectors of the symmetric `D^-1/2 S D^-1/2`.
    Symmetric,
    /// Right singular vectors of `I - D^-1/2 S D^-1/2`, symmetric or not: the authors' program.
    Reference,
}

/// All choices of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config<T> {
    /// Samples `n`.
    pub samples: usize,
    /// Views `m`.
    pub views: usize,
    /// Distance between samples.
    pub distance: Distance,
    /// Scale every sample of every view to unit length first.
    pub unit_length: bool,
    /// The graph term.
    pub graph: GraphTerm<T>,
    /// May a sample be its own neighbour?
    pub self_loops: bool,
    /// Axis of the transform.
    pub axis: Axis,
    /// Group of the l2,1 norm of the noise.
    pub noise: Group,
    /// Threshold of the tubal shrinkage.
    pub threshold: Threshold,
    /// Weight of the nuclear norm of the consistent part.
    pub beta: T,
    /// Weight of the norm of the specific parts.
    pub gamma: T,
    /// The first penalty, at least the root of the smallest normal number.
    pub rho: T,
    /// The penalty's growth per iteration, at least 1.
    pub mu: T,
    /// Iterations at most.
    pub iterations: usize,
    /// Stop when `||S1_new - S1||_F` is at most this; zero runs all iterations.
    pub tolerance: T,
    /// How the consistent part is kept on the views axis.
    pub rank: Rank,
    /// What is made of the fused graph before it is clustered.
    pub affinity: Affinity,
    /// What the spectral embedding is made of.
    pub spectral: Spectral,
    /// Clusters; zero estimates their number from the eigenvalues.
    pub clusters: usize,
    /// Clusters at most where their number is estimated.
    pub max_clusters: usize,
    /// Runs of k-means, the best of which counts.
    pub restarts: usize,
    /// Of the random probes and of k-means.
    pub seed: u64,
    /// Threads at most (feature `parallel`); more than 64 are as good as 64. The result does not depend on it.
    pub threads: usize,
}

/// The rank to look for where nobody says: more than common data has, and little beside the tensors.
pub(crate) const fn usual_rank(samples: usize) -> usize {
    match samples {
        0..256 => 16,
        256..8192 => samples / 16,
        _ => 512,
    }
}

impl<T: Scalar> Config<T> {
    /// Our default: order-invariant, and independent of the distances' scale.
    #[must_use]
    pub fn new(samples: usize, views: usize) -> Self {
        Self {
            samples,
            views,
            distance: Distance::Stiefel,
            unit_length: true,
            graph: GraphTerm::Adaptive { neighbours: 10, weight: T::from_f64(100.0) },
            self_loops: false,
            axis: Axis::Views,
            noise: Group::Column,
            threshold: Threshold::Plain,
            beta: T::from_f64(10.0),
            gamma: T::from_f64(10.0),
            rho: T::from_f64(0.01),
            mu: T::TWO,
            iterations: 20,
            tolerance: T::ZERO,
            rank: Rank::Any { expected: 0 },
            affinity: Affinity::UnitColumnsClamped,
            spectral: Spectral::Symmetric,
            clusters: 0,
            max_clusters: 20,
            restarts: 20,
            seed: 0,
            threads: 1,
        }
    }

    /// The paper's text.
    #[must_use]
    pub fn paper(samples: usize, views: usize, alpha: T, beta: T, gamma: T) -> Self {
        Self {
            graph: GraphTerm::Fixed { alpha },
            self_loops: true,
            noise: Group::Tube,
            threshold: Threshold::TimesViews,
            rho: T::from_f64(0.1),
            affinity: Affinity::Symmetric,
            beta,
            gamma,
            ..Self::new(samples, views)
        }
    }

    /// The authors' program. **Its result depends on the order of the samples**; see the module's page.
    #[must_use]
    pub fn reference(samples: usize, views: usize, alpha: T, beta: T, gamma: T) -> Self {
        Self {
            graph: GraphTerm::Fixed { alpha },
            self_loops: true,
            axis: Axis::Samples,
            affinity: Affinity::UnitColumns,
            spectral: Spectral::Reference,
            beta,
            gamma,
            ..Self::new(samples, views)
        }
    }

    /// Every number is in its domain.
    pub fn check(&self) -> Result<(), Error> {
        check::positive("samples", self.samples)?;
        check::positive("views", self.views)?;
        check::positive("iterations", self.iterations)?;
        check::positive("restarts", self.restarts)?;
        check::positive("threads", self.threads)?;
        if self.clusters > self.samples {
            return Err(Error::Parameter { what: "clusters", requirement: "at most the number of samples" });
        }
        if self.clusters == 0 {
            check::positive("max_clusters", self.max_clusters)?;
        }
        if !cfg!(feature = "many-views") && self.views > 2 {
            let requirement = "at most two, in a library built without the feature `many-views`";
            return Err(Error::Parameter { what: "views", requirement });
        }
        if !cfg!(feature = "reference") {
            let requirement = "views, in a library built without the feature `reference`";
            if self.axis != Axis::Views {
                return Err(Error::Parameter { what: "axis", requirement });
            }
            let requirement = "symmetric, in a library built without the feature `reference`";
            if self.spectral != Spectral::Symmetric {
                return Err(Error::Parameter { what: "spectral", requirement });
            }
        }
        // Labels, ranks and sparse positions are 32 bits wide.
        for (what, size) in [("samples", self.samples), ("iterations", self.iterations)] {
            if u32::try_from(size).is_err() {
                return Err(Error::SizeOverflow { what });
            }
        }
        match self.graph {
            GraphTerm::Fixed { alpha } => check::positive_number("alpha", alpha)?,
            GraphTerm::Adaptive { neighbours, weight } => {
                check::positive("neighbours", neighbours)?;
                check::positive_number("weight", weight)?;
            }
        }
        check::not_negative("beta", self.beta)?;
        check::positive_number("gamma", self.gamma)?;
        check::positive_number("rho", self.rho)?;
        if self.rho < T::MIN_POSITIVE.sqrt() {
            // Tensors are divided by it, and then squared for their norms.
            let requirement = "at least the root of the smallest normal number";
            return Err(Error::Parameter { what: "rho", requirement });
        }
        check::not_negative("tolerance", self.tolerance)?;
        if !(self.mu.is_finite() && self.mu >= T::ONE) {
            return Err(Error::Parameter { what: "mu", requirement: "finite and at least one" });
        }
        Ok(())
    }

    /// The axis of the transform; a constant where there is only one, so that the other's code is left out.
    pub(crate) fn axis(&self) -> Axis {
        if cfg!(feature = "reference") { self.axis } else { Axis::Views }
    }

    /// The embedding, likewise.
    pub(crate) fn spectral(&self) -> Spectral {
        if cfg!(feature = "reference") { self.spectral } else { Spectral::Symmetric }
    }

    /// `alpha` of Eq. (19): the adaptive term's is half its weight.
    pub(crate) fn alpha(&self) -> T {
        match self.graph {
            GraphTerm::Fixed { alpha } => alpha,
            GraphTerm::Adaptive { weight, .. } => weight * T::HALF,
        }
    }

    /// The rank up to which `K` is looked for by products.
    pub(crate) fn sought_rank(&self) -> usize {
        match self.rank {
            Rank::Any { expected: 0 } => usual_rank(self.samples),
            Rank::Any { expected } => expected,
            Rank::AtMost(rank) => rank.min(self.samples),
        }
    }

    /// `tau` of Eq. (26) at a penalty.
    pub(crate) fn tau(&self, rho: T) -> T {
        let plain = self.beta / rho;
        match self.threshold {
            Threshold::Plain => plain,
            Threshold::TimesViews => T::from_usize(self.views) * plain,
        }
    }
}
