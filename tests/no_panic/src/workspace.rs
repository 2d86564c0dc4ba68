//! Probes of `cstgl::workspace`.

use crate::{slice, status};
use core::hint::black_box;
use cstgl::Error;
use cstgl::workspace::{Arena, Layout};

/// # Safety
///
/// `memory` points to `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_workspace(memory: *mut u8, bytes: usize, length: usize) -> i32 {
    // SAFETY: the caller's promise.
    let mut arena = Arena::new(unsafe { slice(memory, bytes) });
    status(carve(&mut arena, length))
}

fn carve(arena: &mut Arena<'_>, length: usize) -> Result<(), Error> {
    let need = Layout::array::<u8>(length)?.and_array::<f64>(length)?.or(Layout::array::<f32>(length)?);
    arena.require(need)?;
    let mut scope = arena.scope();
    black_box(scope.take::<u8>(length)?);
    black_box(scope.take_filled(length, 1.0_f64)?);
    black_box(scope.remaining());
    Ok(())
}
