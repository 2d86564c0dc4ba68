//! A function that may panic, called only where the script checks that the link notices.

/// # Safety
///
/// `data` points to `length` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_canary(data: *mut f64, length: usize, index: usize) -> f64 {
    // SAFETY: the caller's promise.
    let data = unsafe { crate::slice(data, length) };
    data[index]
}
