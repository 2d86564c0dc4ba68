//! What goes in and out beside numbers.

use core::ffi::c_void;

/// A run in single precision: the start of the caller's memory. Its contents are the library's.
pub struct cstgl_f32 {
    _private: [u8; 0],
}

/// A run in double precision: the start of the caller's memory. Its contents are the library's.
pub struct cstgl_f64 {
    _private: [u8; 0],
}

/// Memory that is needed. It never grows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cstgl_layout {
    /// Bytes.
    pub bytes: usize,
    /// What its address must be a multiple of: never more than `malloc` gives. Many samples are faster
    /// from a multiple of 64 on.
    pub align: usize,
}

/// What one step reports. It never grows.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct cstgl_record {
    /// Steps so far, this one included.
    pub iteration: u64,
    /// The penalty of this step.
    pub rho: f64,
    /// How far the consistent part has moved: `||S1_new - S1||_F`.
    pub change: f64,
    /// `||A - S1 - S2 - E||_F`.
    pub split_residual: f64,
    /// `||S1 - K||_F`.
    pub low_rank_residual: f64,
    /// `||E - W||_F`.
    pub noise_residual: f64,
    /// The largest rank of a slice of the consistent part.
    pub rank: u64,
    /// The sum of the ranks of all slices.
    pub total_rank: u64,
}

/// There are steps left to do.
pub const CSTGL_RUNNING: i32 = 0;
/// The consistent part moves by no more than `tolerance`.
pub const CSTGL_CONVERGED: i32 = 1;
/// All iterations are done.
pub const CSTGL_ITERATION_LIMIT: i32 = 2;
/// The callback said stop. The next call goes on, to the same bits as one long run.
pub const CSTGL_CANCELLED: i32 = 3;

/// Where a run stands. It never grows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cstgl_info {
    /// `CSTGL_RUNNING`, `CSTGL_CONVERGED`, `CSTGL_ITERATION_LIMIT` or `CSTGL_CANCELLED`.
    pub outcome: i32,
    /// Zero.
    pub reserved: u32,
    /// The last step.
    pub last: cstgl_record,
}

/// Called after every step with its record, on the thread that called `cstgl_run`; non-zero cancels. It may call any
/// function with the same handle (labels of an unfinished run, say), but must neither `longjmp` nor throw through it.
pub type cstgl_progress = Option<unsafe extern "C" fn(record: *const cstgl_record, user: *mut c_void) -> i32>;

/// What was found beside the labels. It never grows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cstgl_clustering {
    /// Clusters: what was asked for, or the estimate.
    pub clusters: u64,
    /// 1 where the number of clusters was estimated, 0 where it was asked for.
    pub estimated: u32,
    /// Zero.
    pub reserved: u32,
    /// Sum of the squared distances of the embedded samples to the centres of their clusters.
    pub inertia: f64,
}

/// Rows of a block are features: sample j of feature f at `f * samples + j`.
pub const CSTGL_BY_FEATURE: u32 = 0;
/// Rows of a block are samples: feature f of sample j at `j * features + f`.
pub const CSTGL_BY_SAMPLE: u32 = 1;

/// The part of the graphs that the views share, `S1`. Parts are added up with `|`.
pub const CSTGL_PART_CONSISTENT: u32 = 1;
/// The part that is a view's own, `S2`.
pub const CSTGL_PART_SPECIFIC: u32 = 2;
/// The noise, `E`.
pub const CSTGL_PART_NOISE: u32 = 4;
/// What labels are made of, Eq. (36): the consistent and the specific part.
pub const CSTGL_PARTS_DEFAULT: u32 = 3;
