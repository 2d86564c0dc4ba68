//! Views come in.

use super::error::{Refusal, answer, cstgl_error};
use super::number::Number;
use super::pointer::Span;
use super::session::{memory, session};
use super::status::cstgl_status;
use super::types::{CSTGL_BY_FEATURE, CSTGL_BY_SAMPLE};
use crate::graph::dense::Dense;
use crate::graph::sparse::Csr;
use crate::{Error, check};

/// A call that only reads the caller's arrays.
///
/// # Safety
///
/// As for `memory` and for `answer`; `pushed` uses arrays that its caller has promised.
unsafe fn push<T: Number>(
    handle: *mut T::Handle,
    error: *mut cstgl_error,
    pushed: impl FnOnce(&Span<u8>) -> Result<(), Refusal>,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let memory = unsafe { memory::<T>(handle) }?;
        pushed(&memory)
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

/// Features, samples and what rows are.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) features: usize,
    pub(super) samples: usize,
    pub(super) order: u32,
}

impl Shape {
    /// Rows and columns.
    fn sides(self) -> Result<(usize, usize), Refusal> {
        match self.order {
            CSTGL_BY_FEATURE => Ok((self.features, self.samples)),
            CSTGL_BY_SAMPLE => Ok((self.samples, self.features)),
            _ => Err(Refusal::parameter("order", "CSTGL_BY_FEATURE or CSTGL_BY_SAMPLE")),
        }
    }
}

pub(super) unsafe fn dense<T: Number>(
    handle: *mut T::Handle,
    view: usize,
    block: *const T,
    shape: Shape,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = |memory: &Span<u8>| {
        let (rows, cols) = shape.sides()?;
        let block = Span::new("block", block, check::product("block", &[rows, cols])?)?;
        block.apart_from(memory)?;
        // SAFETY: the caller's promise.
        let data = unsafe { block.slice() };
        let block = match shape.order {
            CSTGL_BY_SAMPLE => Dense::by_sample(data, shape.features, shape.samples)?,
            _ => Dense::by_feature(data, shape.features, shape.samples)?,
        };
        // SAFETY: the only session.
        Ok(unsafe { session::<T>(memory) }?.push_dense(view, &block)?)
    };
    // SAFETY: the caller's promise.
    unsafe { push::<T>(handle, error, call) }
}

pub(super) unsafe fn strided<T: Number>(
    handle: *mut T::Handle,
    view: usize,
    (block, length): (*const T, usize),
    (features, samples): (usize, usize),
    (feature_stride, sample_stride): (usize, usize),
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = |memory: &Span<u8>| {
        let block = Span::new("block", block, length)?;
        block.apart_from(memory)?;
        // SAFETY: the caller's promise.
        let data = unsafe { block.slice() };
        let block = Dense::strided(data, features, samples, feature_stride, sample_stride)?;
        // SAFETY: the only session.
        Ok(unsafe { session::<T>(memory) }?.push_dense(view, &block)?)
    };
    // SAFETY: the caller's promise.
    unsafe { push::<T>(handle, error, call) }
}

pub(super) unsafe fn csr<T: Number>(
    handle: *mut T::Handle,
    view: usize,
    (pointers, indices, values): (*const usize, *const u32, *const T),
    nonzeros: usize,
    shape: Shape,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = |memory: &Span<u8>| {
        let (rows, _) = shape.sides()?;
        let ends = rows.checked_add(1).ok_or(Error::SizeOverflow { what: "pointers" })?;
        let pointers = Span::new("pointers", pointers, ends)?;
        let indices = Span::new("indices", indices, nonzeros)?;
        let values = Span::new("values", values, nonzeros)?;
        pointers.apart_from(memory)?;
        indices.apart_from(memory)?;
        values.apart_from(memory)?;
        // SAFETY: the caller's promise.
        let (pointers, indices, values) = unsafe { (pointers.slice(), indices.slice(), values.slice()) };
        let block = match shape.order {
            CSTGL_BY_SAMPLE => Csr::by_sample(pointers, indices, values, shape.features, shape.samples)?,
            _ => Csr::by_feature(pointers, indices, values, shape.features, shape.samples)?,
        };
        // SAFETY: the only session.
        Ok(unsafe { session::<T>(memory) }?.push_sparse(view, &block)?)
    };
    // SAFETY: the caller's promise.
    unsafe { push::<T>(handle, error, call) }
}

/// What a matrix of pairs is of.
#[derive(Clone, Copy)]
pub(super) enum Pairs {
    Gram,
    Distances,
    Similarities,
}

pub(super) unsafe fn pairs<T: Number>(
    handle: *mut T::Handle,
    kind: Pairs,
    view: usize,
    (matrix, samples): (*const T, usize),
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = |memory: &Span<u8>| {
        let matrix = Span::new("matrix", matrix, check::product("matrix", &[samples, samples])?)?;
        matrix.apart_from(memory)?;
        // SAFETY: the caller's promise.
        let matrix = unsafe { matrix.slice() };
        // SAFETY: the only session.
        let mut session = unsafe { session::<T>(memory) }?;
        match kind {
            Pairs::Gram => session.push_gram(view, matrix)?,
            Pairs::Distances => session.push_distances(view, matrix)?,
            Pairs::Similarities => session.push_similarities(view, matrix)?,
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { push::<T>(handle, error, call) }
}
