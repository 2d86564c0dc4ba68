//! Probes of `cstgl::prox::simplex`.

use crate::{slice, status};
use cstgl::linalg::MatMut;
use cstgl::{Error, Scalar, prox::simplex};

fn project<T: Scalar>(data: &mut [T], rows: usize, cols: usize) -> Result<(), Error> {
    simplex::project_row(data)?;
    simplex::project_rows(MatMut::new("data", data, rows, cols)?)
}

/// # Safety
///
/// `data` points to `length` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_simplex_f32(data: *mut f32, length: usize, rows: usize, cols: usize) -> i32 {
    // SAFETY: the caller's promise.
    status(project(unsafe { slice(data, length) }, rows, cols))
}

/// # Safety
///
/// `data` points to `length` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_simplex_f64(data: *mut f64, length: usize, rows: usize, cols: usize) -> i32 {
    // SAFETY: the caller's promise.
    status(project(unsafe { slice(data, length) }, rows, cols))
}
