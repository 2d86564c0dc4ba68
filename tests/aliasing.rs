//! A whole run by the C interface, small enough for Miri: every pointer of it is looked at by an interpreter that knows what
//! is undefined. `tests/prove.sh` runs it there; here it is one more test.
#![cfg(feature = "capi")]

use cstgl::capi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const N: usize = 4;
const M: usize = 2;

macro_rules! whole_run {
    ($name:ident, $t:ty, $handle:ty, $layout:ident, $init:ident, $attach:ident, $push:ident, $csr:ident, $run:ident,
     $step:ident, $labels:ident, $cluster:ident, $affinity:ident, $consistent:ident, $config:ident) => {
        #[test]
        fn $name() {
            /// Reads labels of the run that is going on, by the same handle.
            unsafe extern "C" fn visit(record: *const cstgl_record, user: *mut c_void) -> i32 {
                let mut labels = [u32::MAX; N];
                // SAFETY: the record is the library's, and the handle is what was passed as `user`.
                let (record, status) = unsafe {
                    (
                        (*record).iteration,
                        $labels(*user.cast::<*mut $handle>(), labels.as_mut_ptr(), N, null_mut()),
                    )
                };
                assert_eq!(status, CSTGL_OK);
                assert!(labels.iter().all(|&label| label < 2));
                i32::from(record == 2)
            }
            // SAFETY: every pointer below is valid for what is claimed with it; that it is enough is the test.
            unsafe {
                let mut config = std::mem::zeroed::<cstgl_config>();
                assert_eq!(
                    cstgl_config_init_sized(&mut config, size_of::<cstgl_config>(), CSTGL_ABI),
                    CSTGL_OK
                );
                (config.samples, config.views, config.clusters) = (N as u64, M as u64, 2);
                (config.iterations, config.restarts) = (4, 2);
                let mut need = cstgl_layout { bytes: 0, align: 0 };
                assert_eq!($layout(&config, &mut need, null_mut()), CSTGL_OK);
                let mut memory = vec![u64::MAX; need.bytes.div_ceil(8)];
                let mut handle: *mut $handle = null_mut();
                let start = memory.as_mut_ptr().cast::<c_void>();
                assert_eq!($init(start, need.bytes, &config, &mut handle, null_mut()), CSTGL_OK);
                let block: [$t; 2 * N] = [1.0, 9.0, 1.0, 8.0, 0.0, 1.0, 0.125, 1.0];
                assert_eq!($push(handle, 0, block.as_ptr(), 2, N, CSTGL_BY_FEATURE, null_mut()), CSTGL_OK);
                let (pointers, indices, values) = ([0_usize, 1, 2, 3, 4], [0_u32, 1, 0, 1], [1.0 as $t; 4]);
                let (p, i, v) = (pointers.as_ptr(), indices.as_ptr(), values.as_ptr());
                assert_eq!($csr(handle, 1, p, i, v, 4, 2, N, CSTGL_BY_SAMPLE, null_mut()), CSTGL_OK);
                let mut info = std::mem::zeroed::<cstgl_info>();
                let user = (&raw mut handle).cast();
                assert_eq!($run(handle, Some(visit), user, &mut info, null_mut()), CSTGL_OK);
                assert_eq!((info.outcome, info.last.iteration), (CSTGL_CANCELLED, 2));

                // Copied, and gone on with in both places.
                let mut copy = memory.clone();
                let mut other: *mut $handle = null_mut();
                assert_eq!($attach(copy.as_mut_ptr().cast(), need.bytes, &mut other, null_mut()), CSTGL_OK);
                // The address of a vector that was cloned is used anew: it was borrowed in between.
                handle = memory.as_mut_ptr().cast();
                let mut graphs = [[<$t>::NAN; N * N]; 2];
                for (run, graph) in [handle, other].into_iter().zip(&mut graphs) {
                    assert_eq!($step(run, &mut info, null_mut()), CSTGL_OK);
                    assert_eq!($run(run, None, null_mut(), null_mut(), null_mut()), CSTGL_OK);
                    let out = graph.as_mut_ptr();
                    assert_eq!($consistent(run, 1, out, N * N, null_mut()), CSTGL_OK);
                    assert_eq!($affinity(run, CSTGL_PARTS_DEFAULT, out, N * N, null_mut()), CSTGL_OK);
                }
                assert_eq!(graphs[0], graphs[1]);
                let (mut labels, mut embedding) = ([u32::MAX; N], [<$t>::NAN; 2 * N]);
                let mut found = std::mem::zeroed::<cstgl_clustering>();
                let (l, e) = (labels.as_mut_ptr(), embedding.as_mut_ptr());
                assert_eq!($cluster(other, 3, l, N, e, 2 * N, &mut found, null_mut()), CSTGL_OK);
                assert_eq!(labels, [0, 1, 0, 1]);
                assert!(embedding.iter().all(|x| x.is_finite()));
                assert_eq!($config(other, &mut config, null_mut()), CSTGL_OK);

                // Refused, with words.
                let mut error = std::mem::zeroed::<cstgl_error>();
                let status = $labels(other, labels.as_mut_ptr(), N - 1, &mut error);
                assert_eq!((status, error.needed, error.given), (CSTGL_ERROR_LENGTH, N as u64, N as u64 - 1));
                let inside = copy.as_mut_ptr().cast::<u32>();
                assert_eq!($labels(copy.as_mut_ptr().cast(), inside, N, &mut error), CSTGL_ERROR_OVERLAP);
            }
        }
    };
}

whole_run!(
    single,
    f32,
    cstgl_f32,
    cstgl_layout_f32,
    cstgl_init_f32,
    cstgl_attach_f32,
    cstgl_push_f32,
    cstgl_push_csr_f32,
    cstgl_run_f32,
    cstgl_step_f32,
    cstgl_labels_f32,
    cstgl_cluster_f32,
    cstgl_affinity_f32,
    cstgl_consistent_f32,
    cstgl_get_config_f32
);
whole_run!(
    double,
    f64,
    cstgl_f64,
    cstgl_layout_f64,
    cstgl_init_f64,
    cstgl_attach_f64,
    cstgl_push_f64,
    cstgl_push_csr_f64,
    cstgl_run_f64,
    cstgl_step_f64,
    cstgl_labels_f64,
    cstgl_cluster_f64,
    cstgl_affinity_f64,
    cstgl_consistent_f64,
    cstgl_get_config_f64
);

#[test]
fn scores() {
    let (truth, labels) = ([5, 5, 7, 7], [1, 1, 0, 0]);
    // SAFETY: as above.
    unsafe {
        let mut need = cstgl_layout { bytes: 0, align: 0 };
        assert_eq!(cstgl_score_layout(N, &mut need, null_mut()), CSTGL_OK);
        let mut memory = vec![0_u64; need.bytes.div_ceil(8)];
        let mut scores = std::mem::zeroed::<cstgl_scores>();
        let (work, bytes) = (memory.as_mut_ptr().cast(), need.bytes);
        let (truth, labels) = (truth.as_ptr(), labels.as_ptr());
        assert_eq!(cstgl_score(truth, labels, N, work, bytes, &mut scores, null_mut()), CSTGL_OK);
        assert_eq!((scores.acc, scores.ari), (1.0, 1.0));
    }
}
