//! Every choice of a run, in a struct that may grow.

use super::error::{Refusal, answer, cstgl_error};
use super::number::Number;
use super::status::cstgl_status;
use super::version::CSTGL_ABI;
use crate::Error;
use crate::config::{Affinity, Axis, Config, Distance, GraphTerm, Rank, Spectral, Threshold};
use crate::prox::group::Group;
use core::mem::offset_of;

/// Pseudo-Stiefel, `d - <x, y>` (Eq. 10).
pub const CSTGL_DISTANCE_STIEFEL: u32 = 0;
/// Squared Euclidean.
pub const CSTGL_DISTANCE_EUCLIDEAN: u32 = 1;
/// Distances as they are, weighed by `alpha`.
pub const CSTGL_GRAPH_FIXED: u32 = 0;
/// Distances rescaled so that a sample has `neighbours` neighbours at first, whatever their scale.
pub const CSTGL_GRAPH_ADAPTIVE: u32 = 1;
/// The transform runs along the views, as in the paper.
pub const CSTGL_AXIS_VIEWS: u32 = 0;
/// The transform runs along the samples, as in the authors' program: the result depends on their order.
pub const CSTGL_AXIS_SAMPLES: u32 = 1;
/// Noise is measured in tubes: the same pair of samples in all views.
pub const CSTGL_NOISE_TUBE: u32 = 0;
/// Noise is measured in columns: a sample in all views.
pub const CSTGL_NOISE_COLUMN: u32 = 1;
/// `beta / rho`.
pub const CSTGL_THRESHOLD_PLAIN: u32 = 0;
/// `views * beta / rho`.
pub const CSTGL_THRESHOLD_TIMES_VIEWS: u32 = 1;
/// The fused graph, made symmetric.
pub const CSTGL_AFFINITY_SYMMETRIC: u32 = 0;
/// The diagonal zeroed and columns scaled to unit length besides.
pub const CSTGL_AFFINITY_UNIT_COLUMNS: u32 = 1;
/// The same, made symmetric again and without negative weights.
pub const CSTGL_AFFINITY_UNIT_COLUMNS_CLAMPED: u32 = 2;
/// Leading eigenvectors of the symmetric normalised graph.
pub const CSTGL_SPECTRAL_SYMMETRIC: u32 = 0;
/// Right singular vectors, as in the authors' program.
pub const CSTGL_SPECTRAL_REFERENCE: u32 = 1;
/// Any rank; up to `rank_limit` it is found by a cheaper method.
pub const CSTGL_RANK_ANY: u32 = 0;
/// At most `rank_limit`, and no memory for more: exceeding it is `CSTGL_ERROR_RANK`.
pub const CSTGL_RANK_AT_MOST: u32 = 1;

/// Ours: shuffling the samples permutes the labels and changes nothing else.
pub const CSTGL_PROFILE_DEFAULT: u32 = 0;
/// The paper's text.
pub const CSTGL_PROFILE_PAPER: u32 = 1;
/// The authors' program. Its result depends on the order of the samples: it is here to reproduce published figures.
pub const CSTGL_PROFILE_REFERENCE: u32 = 2;

/// Every choice of a run. `cstgl_config_init` fills it; then set `samples` and `views`, and what you like.
///
/// It may grow at its end. A program that was compiled with a shorter one works with a newer library, which takes
/// the defaults for the rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cstgl_config {
    /// Bytes of this struct as the program knows it. `cstgl_config_init` sets it; leave it.
    pub struct_size: u32,
    /// The program's `CSTGL_ABI`. `cstgl_config_init` sets it; leave it.
    pub abi: u32,
    /// Samples n. To be set.
    pub samples: u64,
    /// Views m. To be set.
    pub views: u64,
    /// Clusters, at most n; 0 (the default) estimates their number from the eigenvalues.
    pub clusters: u64,
    /// Clusters at most where their number is estimated: 20.
    pub max_clusters: u64,
    /// `CSTGL_DISTANCE_STIEFEL` (default) or `CSTGL_DISTANCE_EUCLIDEAN`.
    pub distance: u32,
    /// 1 (default): scale every sample of every view to unit length first. 0: do not.
    pub unit_length: u32,
    /// `CSTGL_GRAPH_ADAPTIVE` (default) or `CSTGL_GRAPH_FIXED`.
    pub graph: u32,
    /// 1: a sample may be its own neighbour. 0 (default): it may not.
    pub self_loops: u32,
    /// Of the adaptive graph: neighbours of a sample, 10.
    pub neighbours: u64,
    /// Of the adaptive graph: weight against the regularisers, 100.
    pub weight: f64,
    /// Of the fixed graph: larger means more neighbours, 1.
    pub alpha: f64,
    /// Weight of the nuclear norm of the consistent part, 10.
    pub beta: f64,
    /// Weight of the norm of the specific parts, 10.
    pub gamma: f64,
    /// The first penalty, 0.01.
    pub rho: f64,
    /// The penalty's growth in a step, at least 1: 2.
    pub mu: f64,
    /// Stop when the consistent part moves by no more than this. 0 (default) stops only where it does not move at all.
    pub tolerance: f64,
    /// Steps at most, 20.
    pub iterations: u64,
    /// `CSTGL_AXIS_VIEWS` (default) or `CSTGL_AXIS_SAMPLES`.
    pub axis: u32,
    /// `CSTGL_NOISE_COLUMN` (default) or `CSTGL_NOISE_TUBE`.
    pub noise: u32,
    /// `CSTGL_THRESHOLD_PLAIN` (default) or `CSTGL_THRESHOLD_TIMES_VIEWS`.
    pub threshold: u32,
    /// `CSTGL_AFFINITY_UNIT_COLUMNS_CLAMPED` (default) or another `CSTGL_AFFINITY_...`.
    pub affinity: u32,
    /// `CSTGL_SPECTRAL_SYMMETRIC` (default) or `CSTGL_SPECTRAL_REFERENCE`.
    pub spectral: u32,
    /// `CSTGL_RANK_ANY` (default) or `CSTGL_RANK_AT_MOST`, which needs less memory. Of the views axis alone.
    pub rank: u32,
    /// What `rank` speaks of; 0 (default, of `CSTGL_RANK_ANY`): a sixteenth of the samples, from 16 to 512.
    pub rank_limit: u64,
    /// Runs of k-means, the best of which counts: 20.
    pub restarts: u64,
    /// Names the random numbers. The same seed gives the same bits on every machine.
    pub seed: u64,
    /// Threads at most: 1. The result does not depend on it; more than 64 are as good as 64, and a library for small
    /// targets has no threads.
    pub threads: u64,
}

/// Bytes that the first version of the struct had at least: what a run cannot do without.
const LEAST: usize = offset_of!(cstgl_config, max_clusters);
const CURRENT: usize = size_of::<cstgl_config>();

/// `alpha` where the configuration has an adaptive graph.
const ALPHA: f64 = 1.0;

fn check_size(size: usize, abi: u32) -> Result<(), Refusal> {
    if abi != CSTGL_ABI {
        return Err(Refusal::Abi { what: "abi" });
    }
    let known = (LEAST..=CURRENT).contains(&size) && size.is_multiple_of(8);
    if known { Ok(()) } else { Err(Refusal::Abi { what: "struct_size" }) }
}

impl cstgl_config {
    /// A configuration of the Rust interface. What it does not hold is as by default.
    pub(super) fn from_rust<T: Number>(c: &Config<T>) -> Self {
        let (graph, neighbours, weight, alpha) = match c.graph {
            GraphTerm::Fixed { alpha } => {
                let (neighbours, weight) = match Config::<f64>::new(0, 0).graph {
                    GraphTerm::Adaptive { neighbours, weight } => (neighbours, weight),
                    GraphTerm::Fixed { .. } => (0, 0.0),
                };
                (CSTGL_GRAPH_FIXED, neighbours, weight, alpha.widen())
            }
            GraphTerm::Adaptive { neighbours, weight } => {
                (CSTGL_GRAPH_ADAPTIVE, neighbours, weight.widen(), ALPHA)
            }
        };
        let (rank, rank_limit) = match c.rank {
            Rank::Any { expected } => (CSTGL_RANK_ANY, expected),
            Rank::AtMost(limit) => (CSTGL_RANK_AT_MOST, limit),
        };
        Self {
            struct_size: CURRENT as u32,
            abi: CSTGL_ABI,
            samples: c.samples as u64,
            views: c.views as u64,
            clusters: c.clusters as u64,
            max_clusters: c.max_clusters as u64,
            distance: c.distance.code(),
            unit_length: u32::from(c.unit_length),
            graph,
            self_loops: u32::from(c.self_loops),
            neighbours: neighbours as u64,
            weight,
            alpha,
            beta: c.beta.widen(),
            gamma: c.gamma.widen(),
            rho: c.rho.widen(),
            mu: c.mu.widen(),
            tolerance: c.tolerance.widen(),
            iterations: c.iterations as u64,
            axis: c.axis.code(),
            noise: c.noise.code(),
            threshold: c.threshold.code(),
            affinity: c.affinity.code(),
            spectral: c.spectral.code(),
            rank,
            rank_limit: rank_limit as u64,
            restarts: c.restarts as u64,
            seed: c.seed,
            threads: c.threads as u64,
        }
    }

    /// The configuration of the Rust interface, or what is wrong with this one.
    pub(super) fn to_rust<T: Number>(self) -> Result<Config<T>, Refusal> {
        let config = Config {
            samples: count("samples", self.samples)?,
            views: count("views", self.views)?,
            distance: code("distance", Distance::from_code(self.distance))?,
            unit_length: flag("unit_length", self.unit_length)?,
            graph: match self.graph {
                CSTGL_GRAPH_FIXED => GraphTerm::Fixed { alpha: T::narrow(self.alpha) },
                CSTGL_GRAPH_ADAPTIVE => GraphTerm::Adaptive {
                    neighbours: count("neighbours", self.neighbours)?,
                    weight: T::narrow(self.weight),
                },
                _ => return code("graph", None),
            },
            self_loops: flag("self_loops", self.self_loops)?,
            axis: code("axis", Axis::from_code(self.axis))?,
            noise: code("noise", Group::from_code(self.noise))?,
            threshold: code("threshold", Threshold::from_code(self.threshold))?,
            beta: T::narrow(self.beta),
            gamma: T::narrow(self.gamma),
            rho: T::narrow(self.rho),
            mu: T::narrow(self.mu),
            iterations: count("iterations", self.iterations)?,
            tolerance: T::narrow(self.tolerance),
            rank: match self.rank {
                CSTGL_RANK_ANY => Rank::Any { expected: count("rank_limit", self.rank_limit)? },
                CSTGL_RANK_AT_MOST => Rank::AtMost(count("rank_limit", self.rank_limit)?),
                _ => return code("rank", None),
            },
            affinity: code("affinity", Affinity::from_code(self.affinity))?,
            spectral: code("spectral", Spectral::from_code(self.spectral))?,
            clusters: count("clusters", self.clusters)?,
            max_clusters: count("max_clusters", self.max_clusters)?,
            restarts: count("restarts", self.restarts)?,
            seed: self.seed,
            threads: count("threads", self.threads)?,
        };
        config.check()?;
        Ok(config)
    }

    /// The choices of a profile; data, clusters, weights, seed and threads stay.
    fn with_profile(self, profile: u32) -> Result<Self, Refusal> {
        let chosen = match profile {
            CSTGL_PROFILE_DEFAULT => Config::new(0, 0),
            CSTGL_PROFILE_PAPER => Config::paper(0, 0, self.alpha, self.beta, self.gamma),
            CSTGL_PROFILE_REFERENCE => Config::reference(0, 0, self.alpha, self.beta, self.gamma),
            _ => return code("profile", None),
        };
        let chosen = Self::from_rust(&chosen);
        Ok(Self {
            distance: chosen.distance,
            unit_length: chosen.unit_length,
            graph: chosen.graph,
            self_loops: chosen.self_loops,
            rho: chosen.rho,
            mu: chosen.mu,
            iterations: chosen.iterations,
            axis: chosen.axis,
            noise: chosen.noise,
            threshold: chosen.threshold,
            affinity: chosen.affinity,
            spectral: chosen.spectral,
            ..self
        })
    }

    /// What the program knows of the struct at `config`, and the defaults for the rest.
    ///
    /// # Safety
    ///
    /// `config` is NULL or points to a configuration of `struct_size` bytes.
    pub(super) unsafe fn read(config: *const Self) -> Result<Self, Refusal> {
        if config.is_null() {
            return Err(Refusal::Null { what: "config" });
        }
        // SAFETY: the caller's promise; every size has these two.
        let [size, abi] = unsafe { config.cast::<[u32; 2]>().read_unaligned() };
        check_size(size as usize, abi)?;
        let mut known = Self::from_rust(&Config::<f64>::new(0, 0));
        // SAFETY: `size` bytes are there, by the caller's promise, and not more than `known` has, as just checked;
        // any bytes make numbers.
        unsafe { config.cast::<u8>().copy_to_nonoverlapping((&raw mut known).cast(), size as usize) };
        Ok(known)
    }

    /// Writes as much as the program knows.
    ///
    /// # Safety
    ///
    /// `size` bytes may be written at `config`, and `size` has passed `check_size`.
    pub(super) unsafe fn write(&self, config: *mut Self, size: u32) {
        let known = Self { struct_size: size, ..*self };
        // SAFETY: the caller's promise; `known` has that many bytes, as was checked.
        unsafe { (&raw const known).cast::<u8>().copy_to_nonoverlapping(config.cast(), size as usize) };
    }
}

fn count(what: &'static str, value: u64) -> Result<usize, Refusal> {
    usize::try_from(value).map_err(|_| Error::SizeOverflow { what }.into())
}

fn code<C>(what: &'static str, code: Option<C>) -> Result<C, Refusal> {
    code.ok_or(Refusal::parameter(what, "one of the constants that the header lists"))
}

fn flag(what: &'static str, value: u32) -> Result<bool, Refusal> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Refusal::parameter(what, "0 or 1")),
    }
}

/// Fills a configuration with the default profile. Call the macro `cstgl_config_init(config)`, which passes
/// `sizeof(cstgl_config)` and `CSTGL_ABI` of the header that the program is compiled with.
///
/// `CSTGL_ERROR_ABI`: this library does not know such a struct; nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_config_init_sized(
    config: *mut cstgl_config,
    struct_size: usize,
    abi: u32,
) -> cstgl_status {
    let call = || {
        if config.is_null() {
            return Err(Refusal::Null { what: "config" });
        }
        check_size(struct_size, abi)?;
        let defaults = cstgl_config::from_rust(&Config::<f64>::new(0, 0));
        // SAFETY: the caller's promise, and the size has just been checked.
        unsafe { defaults.write(config, struct_size as u32) };
        Ok(())
    };
    // SAFETY: there is nothing to write an error to.
    unsafe { answer(core::ptr::null_mut(), call) }
}

/// Sets the choices of a profile, `CSTGL_PROFILE_...`: everything but `samples`, `views`, `clusters`, `max_clusters`,
/// `neighbours`, `weight`, `alpha`, `beta`, `gamma`, `tolerance`, `rank`, `rank_limit`, `restarts`, `seed` and
/// `threads`, which stay. The paper's and the reference profile have no weights of their own: set `alpha`, `beta` and
/// `gamma`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_config_profile(
    config: *mut cstgl_config,
    profile: u32,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let current = unsafe { cstgl_config::read(config) }?;
        let chosen = current.with_profile(profile)?;
        // SAFETY: as much as was read.
        unsafe { chosen.write(config, current.struct_size) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_those_of_the_rust_interface() -> Result<(), Refusal> {
        let own = cstgl_config {
            samples: 9,
            views: 2,
            clusters: 3,
            alpha: 0.5,
            beta: 3.0,
            gamma: 7.0,
            ..cstgl_config::from_rust(&Config::<f64>::new(0, 0))
        };
        let same = |profile, expected: Config<f64>| -> Result<(), Refusal> {
            let expected = Config { clusters: 3, ..expected };
            assert_eq!(own.with_profile(profile)?.to_rust::<f64>()?, expected);
            Ok(())
        };
        same(CSTGL_PROFILE_PAPER, Config::paper(9, 2, 0.5, 3.0, 7.0))?;
        same(CSTGL_PROFILE_REFERENCE, Config::reference(9, 2, 0.5, 3.0, 7.0))?;
        same(CSTGL_PROFILE_DEFAULT, Config { beta: 3.0, gamma: 7.0, ..Config::new(9, 2) })
    }

    #[test]
    fn single_precision_is_rounded_as_the_rust_interface_does() -> Result<(), Refusal> {
        let c = cstgl_config { samples: 9, views: 2, ..cstgl_config::from_rust(&Config::<f64>::new(0, 0)) };
        assert_eq!(c.to_rust::<f32>()?, Config::<f32>::new(9, 2));
        assert_eq!(c.to_rust::<f64>()?, Config::<f64>::new(9, 2));
        Ok(())
    }

    #[test]
    fn the_codes_of_the_header_are_the_codes_of_the_rust_interface() {
        assert_eq!(Distance::from_code(CSTGL_DISTANCE_STIEFEL), Some(Distance::Stiefel));
        assert_eq!(Distance::from_code(CSTGL_DISTANCE_EUCLIDEAN), Some(Distance::Euclidean));
        assert_eq!(Axis::from_code(CSTGL_AXIS_VIEWS), Some(Axis::Views));
        assert_eq!(Axis::from_code(CSTGL_AXIS_SAMPLES), Some(Axis::Samples));
        assert_eq!(Group::from_code(CSTGL_NOISE_TUBE), Some(Group::Tube));
        assert_eq!(Group::from_code(CSTGL_NOISE_COLUMN), Some(Group::Column));
        assert_eq!(Threshold::from_code(CSTGL_THRESHOLD_PLAIN), Some(Threshold::Plain));
        assert_eq!(Threshold::from_code(CSTGL_THRESHOLD_TIMES_VIEWS), Some(Threshold::TimesViews));
        assert_eq!(Affinity::from_code(CSTGL_AFFINITY_SYMMETRIC), Some(Affinity::Symmetric));
        assert_eq!(Affinity::from_code(CSTGL_AFFINITY_UNIT_COLUMNS), Some(Affinity::UnitColumns));
        let clamped = Affinity::from_code(CSTGL_AFFINITY_UNIT_COLUMNS_CLAMPED);
        assert_eq!(clamped, Some(Affinity::UnitColumnsClamped));
        assert_eq!(Spectral::from_code(CSTGL_SPECTRAL_SYMMETRIC), Some(Spectral::Symmetric));
        assert_eq!(Spectral::from_code(CSTGL_SPECTRAL_REFERENCE), Some(Spectral::Reference));
    }
}
