//! The C interface as a sequence of calls: any order, any counts, any numbers, on memory of exactly the size asked for.
//!
//! Pointers are valid for what the counts claim (that is all a caller promises), or NULL, or aside; everything else is
//! up to the fuzzer. What a call accepts is numbers; what it refuses is left as it was.
#![no_main]

use cstgl::capi::*;
use cstgl_fuzz::{Bytes, Exact};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Stops a run at a chosen step, and reads labels while it goes on.
struct Visit {
    stop: u64,
    calls: u64,
}

unsafe extern "C" fn visit(record: *const cstgl_record, user: *mut c_void) -> i32 {
    // SAFETY: this is what `run` below passes.
    let (record, visit) = unsafe { (&*record, &mut *user.cast::<Visit>()) };
    visit.calls += 1;
    assert!(record.iteration > 0);
    i32::from(record.iteration == visit.stop)
}

macro_rules! target {
    ($name:ident, $t:ty, $handle:ty, $layout:ident, $init:ident, $attach:ident, $get_config:ident, $push:ident,
     $strided:ident, $csr:ident, $gram:ident, $distances:ident, $similarities:ident, $step:ident, $run:ident,
     $iteration:ident, $record:ident, $labels:ident, $cluster:ident, $consistent:ident, $specific:ident,
     $noise:ident, $fused:ident, $affinity:ident, $slices:ident) => {
        fn $name(mut input: Bytes<'_>) {
            // SAFETY: plain numbers, filled below.
            let mut config = unsafe { std::mem::zeroed::<cstgl_config>() };
            // SAFETY: as long as it says.
            assert_eq!(unsafe { cstgl_config_init_sized(&mut config, size_of_val(&config), CSTGL_ABI) }, CSTGL_OK);
            let wanted = input.config::<$t>();
            fill(&mut config, &wanted);
            let mut error = unsafe { std::mem::zeroed::<cstgl_error>() };
            let mut need = cstgl_layout { bytes: 0, align: 0 };
            // SAFETY: every pointer of this function is valid for what is claimed with it.
            if unsafe { $layout(&config, &mut need, &mut error) } != CSTGL_OK {
                assert!(error.status < 0 && error.message[0] != 0);
                return;
            }
            let (n, m) = (wanted.samples, wanted.views);
            let mut memory = Exact::bytes(need.bytes);
            let mut handle: *mut $handle = null_mut();
            let start = memory.slice().as_mut_ptr().cast::<c_void>();
            assert_eq!(unsafe { $init(start, need.bytes, &config, &mut handle, &mut error) }, CSTGL_OK);
            // Everything that the calls read, and everything that they write.
            let data: Vec<$t> = (0..128).map(|_| input.number()).collect();
            let sound: Vec<$t> = data.iter().map(|&x| if x.is_finite() { x } else { 1.0 }).collect();
            let mut before = Vec::new();
            for _ in 0..64 {
                if input.ended() {
                    break;
                }
                before.clear();
                before.extend_from_slice(memory.slice());
                let numbers = if input.byte() & 7 == 0 { &data } else { &sound };
                let view = if input.byte() & 7 == 0 { input.count() } else { input.below(m) };
                let samples = if input.byte() & 15 == 0 { input.count() } else { n };
                let at = match input.byte() & 31 {
                    0 => null(),
                    1 => numbers.as_ptr().wrapping_byte_add(1),
                    _ => numbers.as_ptr(),
                };
                let place = match input.byte() & 31 {
                    0 => null_mut(),
                    1 => handle.wrapping_byte_add(1),
                    _ => handle,
                };
                // Do so many elements lie behind the pointer, or can they lie nowhere at all?
                let honest = |count: Option<usize>| count.is_none_or(|c| c <= 128 || c > isize::MAX as usize / size_of::<$t>());
                let pairs = samples.checked_mul(samples);
                // A result of a sentinel, so that a refused call is seen to leave it.
                let mut matrix = vec![-77.25 as $t; 128];
                let mut labels = vec![u32::MAX; 16];
                let mut changes = false;
                let status = unsafe {
                    match input.byte() % 21 {
                        0 => {
                            let features = input.count();
                            if !honest(features.checked_mul(samples)) {
                                continue;
                            }
                            changes = true;
                            $push(place, view, at, features, samples, input.byte().into(), &mut error)
                        }
                        1 => {
                            let (features, length) = (input.count(), input.count());
                            if !honest(Some(length)) {
                                continue;
                            }
                            changes = true;
                            let (f, j) = (input.count(), input.count());
                            $strided(place, view, at, length, features, samples, f, j, &mut error)
                        }
                        2 => {
                            let pointers: Vec<usize> = (0..12).map(|_| input.count()).collect();
                            let indices: Vec<u32> = (0..16).map(|_| input.count() as u32).collect();
                            let (features, order) = (input.count(), u32::from(input.byte()) & 1);
                            let rows = if order == 0 { features } else { samples };
                            let nonzeros = input.below(17);
                            let absurd = rows.checked_add(1).is_none_or(|c| c > isize::MAX as usize / 8);
                            if rows > 11 && !absurd {
                                continue;
                            }
                            changes = true;
                            let (p, i) = (pointers.as_ptr(), indices.as_ptr());
                            $csr(place, view, p, i, at, nonzeros, features, samples, order, &mut error)
                        }
                        3..=5 if !honest(pairs) => continue,
                        3 => {
                            changes = true;
                            $gram(place, view, at, samples, &mut error)
                        }
                        4 => {
                            changes = true;
                            $distances(place, view, at, samples, &mut error)
                        }
                        5 => {
                            changes = true;
                            $similarities(place, view, at, samples, &mut error)
                        }
                        // All views at once, so that runs are reached.
                        6 | 7 => {
                            changes = true;
                            let mut status = CSTGL_OK;
                            for v in 0..m {
                                status = $push(handle, v, sound.as_ptr().add(v), 4, n, 0, &mut error);
                            }
                            if m > 1 && status != CSTGL_OK {
                                continue; // some of them may have been taken
                            }
                            status
                        }
                        8 => {
                            changes = true;
                            let mut info = std::mem::zeroed();
                            let status = $step(place, &mut info, &mut error);
                            if status == CSTGL_OK {
                                assert!(finite(&info.last), "{:?} of {wanted:?}", info.last);
                            }
                            status
                        }
                        9 | 10 => {
                            changes = true;
                            let mut user = Visit { stop: input.byte().into(), calls: 0 };
                            let mut info = std::mem::zeroed();
                            let status = $run(place, Some(visit), (&raw mut user).cast(), &mut info, &mut error);
                            if status != CSTGL_OK && user.calls > 0 {
                                continue; // the steps before the refused one are done
                            }
                            status
                        }
                        11 => {
                            let mut iteration = u64::MAX;
                            $iteration(place, &mut iteration, &mut error)
                        }
                        12 => {
                            let mut record = std::mem::zeroed();
                            let status = $record(place, input.count(), &mut record, &mut error);
                            assert!(status != CSTGL_OK || finite(&record), "{record:?}");
                            status
                        }
                        13 if samples <= 16 || honest(Some(samples)) && samples > 128 => {
                            changes = true; // the scratch of a clustering lies in the run's memory
                            let status = $labels(place, labels.as_mut_ptr(), samples, &mut error);
                            if status == CSTGL_OK {
                                assert!(labels[..n].iter().all(|&label| (label as usize) < n), "{labels:?}");
                            }
                            status
                        }
                        14 if samples <= 16 => {
                            changes = true;
                            let mut found = std::mem::zeroed();
                            let (parts, length) = (input.byte().into(), input.below(129));
                            let (l, e) = (labels.as_mut_ptr(), matrix.as_mut_ptr());
                            let status = $cluster(place, parts, l, samples, e, length, &mut found, &mut error);
                            if status == CSTGL_OK {
                                assert!(labels[..n].iter().all(|&label| u64::from(label) < found.clusters));
                                assert!(found.inertia.is_finite() && found.inertia >= 0.0, "{found:?}");
                            }
                            status
                        }
                        15 => $consistent(place, view, matrix.as_mut_ptr(), length(&mut input, n * n), &mut error),
                        16 => $specific(place, view, matrix.as_mut_ptr(), length(&mut input, n * n), &mut error),
                        17 => $noise(place, view, matrix.as_mut_ptr(), length(&mut input, n * n), &mut error),
                        18 => {
                            let parts = input.byte().into();
                            $affinity(place, parts, matrix.as_mut_ptr(), length(&mut input, n * n), &mut error)
                        }
                        19 => $slices(place, matrix.as_mut_ptr(), length(&mut input, m * m), &mut error),
                        _ => {
                            // Moved elsewhere; the old place is gone.
                            let mut moved = Exact::copy(memory.slice());
                            let bytes = moved.slice().len();
                            let start = moved.slice().as_mut_ptr().cast();
                            assert_eq!($attach(start, bytes, &mut handle, &mut error), CSTGL_OK);
                            memory = moved;
                            let mut copy = config;
                            assert_eq!($get_config(handle, &mut copy, &mut error), CSTGL_OK);
                            let parts = input.byte().into();
                            $fused(handle, parts, matrix.as_mut_ptr(), length(&mut input, n * n), &mut error)
                        }
                    }
                };
                assert!(status <= CSTGL_OK && status >= CSTGL_ERROR_OVERLAP, "status {status}");
                if status == CSTGL_OK {
                    assert!(matrix.iter().all(|x| x.is_finite()), "{wanted:?} {sound:?} gave {matrix:?}");
                } else {
                    assert_eq!(error.status, status);
                    assert!(matrix.iter().all(|&x| x == -77.25), "a refused call wrote a result");
                    assert!(labels.iter().all(|&x| x == u32::MAX), "a refused call wrote labels");
                }
                if !changes || status != CSTGL_OK && !numerical(status) {
                    assert!(before == memory.slice(), "a call that changes nothing has: status {status}");
                }
            }
        }
    };
}

/// Errors that are known only after scratch was used; what can be read is as before all the same.
fn numerical(status: cstgl_status) -> bool {
    [CSTGL_ERROR_RANK, CSTGL_ERROR_NOT_CONVERGED, CSTGL_ERROR_NOT_FINITE, CSTGL_ERROR_RANGE].contains(&status)
}

fn length(input: &mut Bytes<'_>, right: usize) -> usize {
    if input.byte() & 7 == 0 { input.below(129) } else { right }
}

fn finite(record: &cstgl_record) -> bool {
    [record.rho, record.change, record.split_residual, record.low_rank_residual, record.noise_residual]
        .iter()
        .all(|x| x.is_finite())
}

fn fill<T: cstgl::Scalar>(config: &mut cstgl_config, wanted: &cstgl::Config<T>) {
    use cstgl::config::{GraphTerm, Rank};
    config.samples = wanted.samples as u64;
    config.views = wanted.views as u64;
    config.clusters = wanted.clusters as u64;
    config.restarts = wanted.restarts as u64;
    config.iterations = wanted.iterations as u64;
    config.axis = wanted.axis.code();
    config.noise = wanted.noise.code();
    config.spectral = wanted.spectral.code();
    config.affinity = wanted.affinity.code();
    config.distance = wanted.distance.code();
    config.threshold = wanted.threshold.code();
    config.unit_length = wanted.unit_length.into();
    config.self_loops = wanted.self_loops.into();
    match wanted.graph {
        GraphTerm::Fixed { alpha } => (config.graph, config.alpha) = (CSTGL_GRAPH_FIXED, alpha.to_f64()),
        GraphTerm::Adaptive { neighbours, weight } => {
            (config.neighbours, config.weight) = (neighbours as u64, weight.to_f64());
        }
    }
    (config.rank, config.rank_limit) = match wanted.rank {
        Rank::Any { expected } => (CSTGL_RANK_ANY, expected as u64),
        Rank::AtMost(limit) => (CSTGL_RANK_AT_MOST, limit as u64),
    };
    config.beta = wanted.beta.to_f64();
    config.gamma = wanted.gamma.to_f64();
    config.rho = wanted.rho.to_f64();
    config.mu = wanted.mu.to_f64();
    config.tolerance = wanted.tolerance.to_f64();
}

target!(
    narrow, f32, cstgl_f32, cstgl_layout_f32, cstgl_init_f32, cstgl_attach_f32, cstgl_get_config_f32,
    cstgl_push_f32, cstgl_push_strided_f32, cstgl_push_csr_f32, cstgl_push_gram_f32, cstgl_push_distances_f32,
    cstgl_push_similarities_f32, cstgl_step_f32, cstgl_run_f32, cstgl_iteration_f32, cstgl_record_f32,
    cstgl_labels_f32, cstgl_cluster_f32, cstgl_consistent_f32, cstgl_specific_f32, cstgl_noise_f32,
    cstgl_fused_f32, cstgl_affinity_f32, cstgl_slice_distances_f32
);
target!(
    wide, f64, cstgl_f64, cstgl_layout_f64, cstgl_init_f64, cstgl_attach_f64, cstgl_get_config_f64,
    cstgl_push_f64, cstgl_push_strided_f64, cstgl_push_csr_f64, cstgl_push_gram_f64, cstgl_push_distances_f64,
    cstgl_push_similarities_f64, cstgl_step_f64, cstgl_run_f64, cstgl_iteration_f64, cstgl_record_f64,
    cstgl_labels_f64, cstgl_cluster_f64, cstgl_consistent_f64, cstgl_specific_f64, cstgl_noise_f64,
    cstgl_fused_f64, cstgl_affinity_f64, cstgl_slice_distances_f64
);

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut input = Bytes(data);
    match input.byte() & 1 {
        0 => narrow(input),
        _ => wide(input),
    }
});
