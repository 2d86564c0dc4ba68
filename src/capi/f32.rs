//! The functions in single precision: names and types, and nothing else.

use super::config::cstgl_config;
use super::error::cstgl_error;
use super::push::{self, Pairs, Shape};
use super::read::{self, Matrix};
use super::status::cstgl_status;
use super::types::*;
use super::{run, session};
use core::ffi::c_void;
use core::ptr::null_mut;

/// Memory that a run with this configuration needs, to the byte.
///
/// `CSTGL_WORKSPACE_BYTES_F32` is a bound for a static array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_layout_f32(
    config: *const cstgl_config,
    layout: *mut cstgl_layout,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::layout::<f32>(config, layout, error) }
}

/// Begins a run in the caller's memory, which may hold anything and be larger than needed. The handle is the memory's
/// address; the run lives as long as the memory does, and there is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_init_f32(
    memory: *mut c_void,
    bytes: usize,
    config: *const cstgl_config,
    handle: *mut *mut cstgl_f32,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::init::<f32>(memory, bytes, config, handle, error) }
}

/// Goes on with a run whose memory was copied or saved: the copy, at its new address, is a run of its own.
///
/// `CSTGL_ERROR_HANDLE`: the memory holds no run of this type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_attach_f32(
    memory: *mut c_void,
    bytes: usize,
    handle: *mut *mut cstgl_f32,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::attach::<f32>(memory, bytes, handle, error) }
}

/// The configuration of a run. `config` must have been filled by `cstgl_config_init` before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_get_config_f32(
    handle: *mut cstgl_f32,
    config: *mut cstgl_config,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::config::<f32>(handle, config, error) }
}

/// Adds a dense block of features to a view. A view is pushed in any number of blocks, and is not stored: the block may
/// be reused at once.
///
/// `features` are those of this block, `samples` all that the run has; `order` is `CSTGL_BY_FEATURE` (each row of the
/// block is a feature) or `CSTGL_BY_SAMPLE` (each row is a sample).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_f32(
    handle: *mut cstgl_f32,
    view: usize,
    block: *const f32,
    features: usize,
    samples: usize,
    order: u32,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::dense::<f32>(handle, view, block, Shape { features, samples, order }, error) }
}

/// Adds a dense block with any strides, in elements: feature f of sample j stands at
/// `f * feature_stride + j * sample_stride`. `length` is the number of elements that may be read. Several features
/// that all stand at one place (a `feature_stride` of zero) are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_strided_f32(
    handle: *mut cstgl_f32,
    view: usize,
    block: *const f32,
    length: usize,
    features: usize,
    samples: usize,
    feature_stride: usize,
    sample_stride: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe {
        push::strided::<f32>(
            handle,
            view,
            (block, length),
            (features, samples),
            (feature_stride, sample_stride),
            error,
        )
    }
}

/// Adds a sparse block in compressed rows to a view: the columns of row r, strictly ascending, stand at
/// `indices[pointers[r]]` to `indices[pointers[r + 1] - 1]`, and their values beside them.
///
/// Rows are features or samples as `order` says, so `pointers` has one element more than there are of them; `indices`
/// and `values` have `nonzeros`. The first pointer need not be zero: some rows of a larger matrix are a block as they
/// stand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_csr_f32(
    handle: *mut cstgl_f32,
    view: usize,
    pointers: *const usize,
    indices: *const u32,
    values: *const f32,
    nonzeros: usize,
    features: usize,
    samples: usize,
    order: u32,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe {
        push::csr::<f32>(
            handle,
            view,
            (pointers, indices, values),
            nonzeros,
            Shape { features, samples, order },
            error,
        )
    }
}

/// Adds the Gram matrix of a block of features (inner products of all pairs of samples, `samples * samples`) to a view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_gram_f32(
    handle: *mut cstgl_f32,
    view: usize,
    matrix: *const f32,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::pairs::<f32>(handle, Pairs::Gram, view, (matrix, samples), error) }
}

/// A view's distances, `samples * samples`, row after row, used as they are. They need not be symmetric.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_distances_f32(
    handle: *mut cstgl_f32,
    view: usize,
    matrix: *const f32,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::pairs::<f32>(handle, Pairs::Distances, view, (matrix, samples), error) }
}

/// A view's similarities (a kernel, or weights of a graph), `samples * samples`, row after row: the larger, the nearer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_similarities_f32(
    handle: *mut cstgl_f32,
    view: usize,
    matrix: *const f32,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::pairs::<f32>(handle, Pairs::Similarities, view, (matrix, samples), error) }
}

/// One iteration. The first one turns the views into distances; no view can be pushed after it.
///
/// `info` may be NULL. Its `outcome` is `CSTGL_RUNNING` while `cstgl_run_f32` would go on. A step more is allowed then,
/// until all iterations are done: `CSTGL_ERROR_SEQUENCE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_step_f32(
    handle: *mut cstgl_f32,
    info: *mut cstgl_info,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::step::<f32>(handle, info, error) }
}

/// Steps until converged, done, or cancelled: cancelling is a success, and the next call goes on.
///
/// `progress` and `info` may be NULL; `user` is passed on to `progress`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_run_f32(
    handle: *mut cstgl_f32,
    progress: cstgl_progress,
    user: *mut c_void,
    info: *mut cstgl_info,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::run::<f32>(handle, progress, user, info, error) }
}

/// Steps done so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_iteration_f32(
    handle: *mut cstgl_f32,
    iteration: *mut u64,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::iteration::<f32>(handle, iteration, error) }
}

/// The record of step `index`, counted from zero: together they are the convergence curve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_record_f32(
    handle: *mut cstgl_f32,
    index: usize,
    record: *mut cstgl_record,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::record::<f32>(handle, index, record, error) }
}

/// A label, from 0 on, for every sample. At any time after the first step; the run can go on afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_labels_f32(
    handle: *mut cstgl_f32,
    labels: *mut u32,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe {
        read::cluster::<f32>(
            handle,
            CSTGL_PARTS_DEFAULT,
            (labels, samples),
            (null_mut(), 0),
            null_mut(),
            error,
        )
    }
}

/// Labels from chosen parts, `CSTGL_PARTS_DEFAULT` or a sum of `CSTGL_PART_...`, and what was found beside them.
///
/// `clustering` may be NULL. `embedding` may be NULL if `length` is zero; otherwise it takes what k-means saw, a row for
/// every sample with as many numbers as there are clusters, and `length` is at least `samples` times the number of
/// clusters, or `max_clusters + 1` where that is estimated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_cluster_f32(
    handle: *mut cstgl_f32,
    parts: u32,
    labels: *mut u32,
    samples: usize,
    embedding: *mut f32,
    length: usize,
    clustering: *mut cstgl_clustering,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::cluster::<f32>(handle, parts, (labels, samples), (embedding, length), clustering, error) }
}

/// `S1` of a view, the part that the views share: `samples * samples` elements, row after row. `length` is
/// their number. After the first step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_consistent_f32(
    handle: *mut cstgl_f32,
    view: usize,
    matrix: *mut f32,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f32>(handle, Matrix::Consistent(view), (matrix, length), error) }
}

/// `S2` of a view, the part that is its own: `samples * samples` elements, row after row. `length` is
/// their number. After the first step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_specific_f32(
    handle: *mut cstgl_f32,
    view: usize,
    matrix: *mut f32,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f32>(handle, Matrix::Specific(view), (matrix, length), error) }
}

/// `E` of a view, the noise: `samples * samples` elements, row after row. `length` is
/// their number. After the first step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_noise_f32(
    handle: *mut cstgl_f32,
    view: usize,
    matrix: *mut f32,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f32>(handle, Matrix::Noise(view), (matrix, length), error) }
}

/// The mean over the views of the chosen parts (Eq. 36): `samples * samples` elements, row after row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_fused_f32(
    handle: *mut cstgl_f32,
    parts: u32,
    matrix: *mut f32,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f32>(handle, Matrix::Fused(parts), (matrix, length), error) }
}

/// The same made symmetric, `(Sa + Sa^T)/2`: the graph that is clustered, before it is normalised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_affinity_f32(
    handle: *mut cstgl_f32,
    parts: u32,
    matrix: *mut f32,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f32>(handle, Matrix::Affinity(parts), (matrix, length), error) }
}

/// How far the consistent parts of the views are apart, `||S1(v) - S1(w)||_F`: `views * views` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_slice_distances_f32(
    handle: *mut cstgl_f32,
    matrix: *mut f32,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f32>(handle, Matrix::SliceDistances, (matrix, length), error) }
}
