//! Steps, and what they report.

use super::error::{Refusal, answer, cstgl_error};
use super::number::Number;
use super::pointer::Span;
use super::session::{memory, session};
use super::status::cstgl_status;
use super::types::*;
use crate::Error;
use crate::session::{Outcome, Session};
use crate::solver::Record;
use core::ffi::c_void;

impl<T: Number> From<Record<T>> for cstgl_record {
    fn from(record: Record<T>) -> Self {
        Self {
            iteration: record.iteration as u64,
            rho: record.rho.widen(),
            change: record.change.widen(),
            split_residual: record.split_residual.widen(),
            low_rank_residual: record.low_rank_residual.widen(),
            noise_residual: record.noise_residual.widen(),
            rank: record.rank as u64,
            total_rank: record.total_rank as u64,
        }
    }
}

/// `None`: there are steps to do.
fn outcome_code(outcome: Option<Outcome>) -> i32 {
    match outcome {
        None => CSTGL_RUNNING,
        Some(Outcome::Converged) => CSTGL_CONVERGED,
        Some(Outcome::IterationLimit) => CSTGL_ITERATION_LIMIT,
        Some(Outcome::Cancelled) => CSTGL_CANCELLED,
    }
}

/// A place for the info, apart from the run's memory.
fn info_place(info: *mut cstgl_info, memory: &Span<u8>) -> Result<Option<Span<cstgl_info>>, Refusal> {
    let place = Span::optional_place("info", info);
    if let Some(place) = &place {
        place.apart_from(memory)?;
    }
    Ok(place)
}

pub(super) unsafe fn step<T: Number>(
    handle: *mut T::Handle,
    info: *mut cstgl_info,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let memory = unsafe { memory::<T>(handle) }?;
        let place = info_place(info, &memory)?;
        // SAFETY: the only session.
        let mut session = unsafe { session::<T>(&memory) }?;
        let last = session.step()?.into();
        let outcome = outcome_code(session.outcome()?);
        if let Some(place) = place {
            // SAFETY: the caller's promise.
            unsafe { place.put(cstgl_info { outcome, reserved: 0, last }) };
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

pub(super) unsafe fn run<T: Number>(
    handle: *mut T::Handle,
    progress: cstgl_progress,
    user: *mut c_void,
    info: *mut cstgl_info,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        loop {
            // Borrowed anew for every step: while the callback runs the memory is the caller's.
            // SAFETY: the caller's promise.
            let memory = unsafe { memory::<T>(handle) }?;
            let place = info_place(info, &memory)?;
            // SAFETY: the only session.
            let mut session = unsafe { session::<T>(&memory) }?;
            let done = session.outcome()?;
            let steps = session.iteration()?;
            let last: cstgl_record = match done {
                None => session.step()?.into(),
                Some(_) => session.record(steps.saturating_sub(1))?.into(),
            };
            let cancelled = done.is_none()
                && progress.is_some_and(|progress| {
                    // SAFETY: the caller's function takes these; no borrow of the memory is used after this.
                    (unsafe { progress(&raw const last, user) }) != 0
                });
            let outcome = if cancelled { Some(Outcome::Cancelled) } else { done };
            if outcome.is_some() {
                if let Some(place) = place {
                    // SAFETY: the caller's promise.
                    unsafe { place.put(cstgl_info { outcome: outcome_code(outcome), reserved: 0, last }) };
                }
                return Ok(());
            }
        }
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

pub(super) unsafe fn iteration<T: Number>(
    handle: *mut T::Handle,
    out: *mut u64,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: the caller's promise.
    unsafe {
        result(
            handle,
            "iteration",
            out,
            error,
            |session: &mut Session<'_, T>| Ok(session.iteration()? as u64),
        )
    }
}

pub(super) unsafe fn record<T: Number>(
    handle: *mut T::Handle,
    index: usize,
    out: *mut cstgl_record,
    error: *mut cstgl_error,
) -> cstgl_status {
    // SAFETY: the caller's promise.
    unsafe {
        result(handle, "record", out, error, |session: &mut Session<'_, T>| Ok(session.record(index)?.into()))
    }
}

/// A call with one small result.
///
/// # Safety
///
/// As for `memory` and for `answer`; `out` is NULL or may be written.
unsafe fn result<T: Number, R>(
    handle: *mut T::Handle,
    what: &'static str,
    out: *mut R,
    error: *mut cstgl_error,
    get: impl FnOnce(&mut Session<'_, T>) -> Result<R, Error>,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let memory = unsafe { memory::<T>(handle) }?;
        let out = Span::place(what, out)?;
        out.apart_from(&memory)?;
        // SAFETY: the only session.
        let value = get(&mut unsafe { session::<T>(&memory) }?)?;
        // SAFETY: the caller's promise.
        unsafe { out.put(value) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}
