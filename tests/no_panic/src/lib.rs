//! Probes: one C function for every kernel and type, with arguments the compiler knows nothing about.
//!
//! The panic handler calls a function that exists nowhere. So if any code that a probe can reach may panic, the
//! link fails, and if the link succeeds, none may. One file a layer; each probe is also declared and called in
//! `main.c`, because the linker throws away what nobody calls.
#![no_std]

mod canary;
mod capi;
mod graph;
mod cluster;
mod exercises;
mod group;
mod kernels;
mod session;
mod simplex;
mod whole;
mod workspace;

use core::hint::black_box;

unsafe extern "C" {
    /// Defined nowhere.
    fn cstgl_panic_is_reachable() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: never runs, because it never links.
    unsafe { cstgl_panic_is_reachable() }
}

/// The caller's memory as a slice of unknown length.
///
/// # Safety
///
/// `data` points to `length` elements that nobody else uses during the call.
unsafe fn slice<'a, T>(data: *mut T, length: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    black_box(unsafe { core::slice::from_raw_parts_mut(data, length) })
}

/// 0 if the call was accepted. An error is printed nowhere, but it must exist.
fn status<T, E>(result: Result<T, E>) -> i32 {
    match black_box(result) {
        Ok(_) => 0,
        Err(_) => -1,
    }
}
