//! Probes of `cstgl::session`.

use crate::whole::{Shape, whole_run};
use crate::{slice, status};
use cstgl::Scalar;

/// Profiles 0 to `profiles`, all that the memory holds.
fn session<T: Scalar>(memory: &mut [u8], n: usize, clusters: usize, profiles: usize) -> i32 {
    (0..profiles).fold(0, |all, profile| {
        all | status(whole_run::<T>(memory, &Shape { n, views: 3, clusters, profile }))
    })
}

/// # Safety
///
/// `memory` points to `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_session_f32(
    memory: *mut u8,
    bytes: usize,
    n: usize,
    clusters: usize,
    profiles: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    session::<f32>(unsafe { slice(memory, bytes) }, n, clusters, profiles)
}

/// # Safety
///
/// `memory` points to `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_session_f64(
    memory: *mut u8,
    bytes: usize,
    n: usize,
    clusters: usize,
    profiles: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    session::<f64>(unsafe { slice(memory, bytes) }, n, clusters, profiles)
}
