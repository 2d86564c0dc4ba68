//! What was learned, and labels.

use super::error::{Refusal, answer, cstgl_error};
use super::number::Number;
use super::pointer::Span;
use super::session::{memory, session};
use super::status::cstgl_status;
use super::types::*;
use crate::session::Parts;

/// Which parts a sum of `CSTGL_PART_...` names.
fn parts(mask: u32) -> Result<Parts, Refusal> {
    let known = CSTGL_PART_CONSISTENT | CSTGL_PART_SPECIFIC | CSTGL_PART_NOISE;
    if mask == 0 || mask & !known != 0 {
        return Err(Refusal::parameter("parts", "a sum of CSTGL_PART_..."));
    }
    Ok(Parts {
        consistent: mask & CSTGL_PART_CONSISTENT != 0,
        specific: mask & CSTGL_PART_SPECIFIC != 0,
        noise: mask & CSTGL_PART_NOISE != 0,
    })
}

/// A matrix that can be read.
#[derive(Clone, Copy)]
pub(super) enum Matrix {
    Consistent(usize),
    Specific(usize),
    Noise(usize),
    Fused(u32),
    Affinity(u32),
    SliceDistances,
}

pub(super) unsafe fn matrix<T: Number>(
    handle: *mut T::Handle,
    which: Matrix,
    (matrix, length): (*mut T, usize),
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let memory = unsafe { memory::<T>(handle) }?;
        let matrix = Span::new("matrix", matrix, length)?;
        matrix.apart_from(&memory)?;
        // SAFETY: the caller's promise.
        let matrix = unsafe { matrix.slice_mut() };
        // SAFETY: the only session.
        let mut session = unsafe { session::<T>(&memory) }?;
        match which {
            Matrix::Consistent(view) => session.consistent(view, matrix)?,
            Matrix::Specific(view) => session.specific(view, matrix)?,
            Matrix::Noise(view) => session.noise(view, matrix)?,
            Matrix::Fused(mask) => session.fused(parts(mask)?, matrix)?,
            Matrix::Affinity(mask) => session.affinity(parts(mask)?, matrix)?,
            Matrix::SliceDistances => session.slice_distances(matrix)?,
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

pub(super) unsafe fn cluster<T: Number>(
    handle: *mut T::Handle,
    mask: u32,
    (labels, samples): (*mut u32, usize),
    (embedding, length): (*mut T, usize),
    out: *mut cstgl_clustering,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let memory = unsafe { memory::<T>(handle) }?;
        let labels = Span::new("labels", labels, samples)?;
        let embedding = Span::new("embedding", embedding, length)?;
        let out = Span::optional_place("clustering", out);
        labels.apart_from(&memory)?;
        embedding.apart_from(&memory)?;
        embedding.apart_from(&labels)?;
        if let Some(out) = &out {
            out.apart_from(&memory)?;
        }
        let parts = parts(mask)?;
        // SAFETY: the caller's promise; the two were seen to be apart.
        let (labels, embedding) = unsafe { (labels.slice_mut(), embedding.slice_mut()) };
        // SAFETY: the only session.
        let found = unsafe { session::<T>(&memory) }?.cluster_parts(parts, labels, embedding)?;
        if let Some(out) = out {
            let clustering = cstgl_clustering {
                clusters: found.clusters as u64,
                estimated: u32::from(found.estimated),
                reserved: 0,
                inertia: found.inertia.widen(),
            };
            // SAFETY: the caller's promise.
            unsafe { out.put(clustering) };
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}
