//! The functions in double precision: names and types, and nothing else.

use super::config::cstgl_config;
use super::error::cstgl_error;
use super::push::{self, Pairs, Shape};
use super::read::{self, Matrix};
use super::status::cstgl_status;
use super::types::*;
use super::{run, session};
use core::ffi::c_void;
use core::ptr::null_mut;

/// `cstgl_layout_f32` in double precision.
///
/// `CSTGL_WORKSPACE_BYTES_F64` is a bound for a static array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_layout_f64(
    config: *const cstgl_config,
    layout: *mut cstgl_layout,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::layout::<f64>(config, layout, error) }
}

/// `cstgl_init_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_init_f64(
    memory: *mut c_void,
    bytes: usize,
    config: *const cstgl_config,
    handle: *mut *mut cstgl_f64,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::init::<f64>(memory, bytes, config, handle, error) }
}

/// `cstgl_attach_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_attach_f64(
    memory: *mut c_void,
    bytes: usize,
    handle: *mut *mut cstgl_f64,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::attach::<f64>(memory, bytes, handle, error) }
}

/// `cstgl_get_config_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_get_config_f64(
    handle: *mut cstgl_f64,
    config: *mut cstgl_config,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { session::config::<f64>(handle, config, error) }
}

/// `cstgl_push_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_f64(
    handle: *mut cstgl_f64,
    view: usize,
    block: *const f64,
    features: usize,
    samples: usize,
    order: u32,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::dense::<f64>(handle, view, block, Shape { features, samples, order }, error) }
}

/// `cstgl_push_strided_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_strided_f64(
    handle: *mut cstgl_f64,
    view: usize,
    block: *const f64,
    length: usize,
    features: usize,
    samples: usize,
    feature_stride: usize,
    sample_stride: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe {
        push::strided::<f64>(
            handle,
            view,
            (block, length),
            (features, samples),
            (feature_stride, sample_stride),
            error,
        )
    }
}

/// `cstgl_push_csr_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_csr_f64(
    handle: *mut cstgl_f64,
    view: usize,
    pointers: *const usize,
    indices: *const u32,
    values: *const f64,
    nonzeros: usize,
    features: usize,
    samples: usize,
    order: u32,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe {
        push::csr::<f64>(
            handle,
            view,
            (pointers, indices, values),
            nonzeros,
            Shape { features, samples, order },
            error,
        )
    }
}

/// `cstgl_push_gram_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_gram_f64(
    handle: *mut cstgl_f64,
    view: usize,
    matrix: *const f64,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::pairs::<f64>(handle, Pairs::Gram, view, (matrix, samples), error) }
}

/// `cstgl_push_distances_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_distances_f64(
    handle: *mut cstgl_f64,
    view: usize,
    matrix: *const f64,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::pairs::<f64>(handle, Pairs::Distances, view, (matrix, samples), error) }
}

/// `cstgl_push_similarities_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_push_similarities_f64(
    handle: *mut cstgl_f64,
    view: usize,
    matrix: *const f64,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { push::pairs::<f64>(handle, Pairs::Similarities, view, (matrix, samples), error) }
}

/// `cstgl_step_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_step_f64(
    handle: *mut cstgl_f64,
    info: *mut cstgl_info,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::step::<f64>(handle, info, error) }
}

/// `cstgl_run_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_run_f64(
    handle: *mut cstgl_f64,
    progress: cstgl_progress,
    user: *mut c_void,
    info: *mut cstgl_info,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::run::<f64>(handle, progress, user, info, error) }
}

/// `cstgl_iteration_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_iteration_f64(
    handle: *mut cstgl_f64,
    iteration: *mut u64,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::iteration::<f64>(handle, iteration, error) }
}

/// `cstgl_record_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_record_f64(
    handle: *mut cstgl_f64,
    index: usize,
    record: *mut cstgl_record,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { run::record::<f64>(handle, index, record, error) }
}

/// `cstgl_labels_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_labels_f64(
    handle: *mut cstgl_f64,
    labels: *mut u32,
    samples: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe {
        read::cluster::<f64>(
            handle,
            CSTGL_PARTS_DEFAULT,
            (labels, samples),
            (null_mut(), 0),
            null_mut(),
            error,
        )
    }
}

/// `cstgl_cluster_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_cluster_f64(
    handle: *mut cstgl_f64,
    parts: u32,
    labels: *mut u32,
    samples: usize,
    embedding: *mut f64,
    length: usize,
    clustering: *mut cstgl_clustering,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::cluster::<f64>(handle, parts, (labels, samples), (embedding, length), clustering, error) }
}

/// `cstgl_consistent_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_consistent_f64(
    handle: *mut cstgl_f64,
    view: usize,
    matrix: *mut f64,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f64>(handle, Matrix::Consistent(view), (matrix, length), error) }
}

/// `cstgl_specific_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_specific_f64(
    handle: *mut cstgl_f64,
    view: usize,
    matrix: *mut f64,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f64>(handle, Matrix::Specific(view), (matrix, length), error) }
}

/// `cstgl_noise_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_noise_f64(
    handle: *mut cstgl_f64,
    view: usize,
    matrix: *mut f64,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f64>(handle, Matrix::Noise(view), (matrix, length), error) }
}

/// `cstgl_fused_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_fused_f64(
    handle: *mut cstgl_f64,
    parts: u32,
    matrix: *mut f64,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f64>(handle, Matrix::Fused(parts), (matrix, length), error) }
}

/// `cstgl_affinity_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_affinity_f64(
    handle: *mut cstgl_f64,
    parts: u32,
    matrix: *mut f64,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f64>(handle, Matrix::Affinity(parts), (matrix, length), error) }
}

/// `cstgl_slice_distances_f32` in double precision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cstgl_slice_distances_f64(
    handle: *mut cstgl_f64,
    matrix: *mut f64,
    length: usize,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: what the caller promises.
    unsafe { read::matrix::<f64>(handle, Matrix::SliceDistances, (matrix, length), error) }
}
