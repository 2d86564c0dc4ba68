//! Every function of `cstgl::capi`: that they are all here is checked by `tests/capi.rs`.

use core::hint::black_box;
use cstgl::capi::*;

/// Keeps all of them, so that all that they reach is linked.
#[unsafe(no_mangle)]
pub extern "C" fn probe_capi() -> i32 {
    let functions: [*const (); 52] = [
        cstgl_abi as *const (),
        cstgl_affinity_f32 as *const (),
        cstgl_affinity_f64 as *const (),
        cstgl_attach_f32 as *const (),
        cstgl_attach_f64 as *const (),
        cstgl_cluster_f32 as *const (),
        cstgl_cluster_f64 as *const (),
        cstgl_config_init_sized as *const (),
        cstgl_config_profile as *const (),
        cstgl_consistent_f32 as *const (),
        cstgl_consistent_f64 as *const (),
        cstgl_fused_f32 as *const (),
        cstgl_fused_f64 as *const (),
        cstgl_get_config_f32 as *const (),
        cstgl_get_config_f64 as *const (),
        cstgl_init_f32 as *const (),
        cstgl_init_f64 as *const (),
        cstgl_iteration_f32 as *const (),
        cstgl_iteration_f64 as *const (),
        cstgl_labels_f32 as *const (),
        cstgl_labels_f64 as *const (),
        cstgl_layout_f32 as *const (),
        cstgl_layout_f64 as *const (),
        cstgl_noise_f32 as *const (),
        cstgl_noise_f64 as *const (),
        cstgl_push_csr_f32 as *const (),
        cstgl_push_csr_f64 as *const (),
        cstgl_push_distances_f32 as *const (),
        cstgl_push_distances_f64 as *const (),
        cstgl_push_f32 as *const (),
        cstgl_push_f64 as *const (),
        cstgl_push_gram_f32 as *const (),
        cstgl_push_gram_f64 as *const (),
        cstgl_push_similarities_f32 as *const (),
        cstgl_push_similarities_f64 as *const (),
        cstgl_push_strided_f32 as *const (),
        cstgl_push_strided_f64 as *const (),
        cstgl_record_f32 as *const (),
        cstgl_record_f64 as *const (),
        cstgl_run_f32 as *const (),
        cstgl_run_f64 as *const (),
        cstgl_score as *const (),
        cstgl_score_layout as *const (),
        cstgl_slice_distances_f32 as *const (),
        cstgl_slice_distances_f64 as *const (),
        cstgl_specific_f32 as *const (),
        cstgl_specific_f64 as *const (),
        cstgl_status_string as *const (),
        cstgl_step_f32 as *const (),
        cstgl_step_f64 as *const (),
        cstgl_version_number as *const (),
        cstgl_version_string as *const (),
    ];
    if black_box(functions).iter().all(|function| !function.is_null()) { 0 } else { -1 }
}
