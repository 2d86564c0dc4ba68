//! A run begins, or is found again.

use super::config::cstgl_config;
use super::error::{Refusal, answer, cstgl_error};
use super::number::Number;
use super::pointer::Span;
use super::status::cstgl_status;
use super::types::*;
use crate::Error;
use crate::config::Config;
use crate::session::Session;
use core::ffi::c_void;

/// The memory of the run that begins at a handle.
///
/// # Safety
///
/// `handle` is NULL or comes from `cstgl_init` or `cstgl_attach`, and its memory is there still.
pub(super) unsafe fn memory<T: Number>(handle: *mut T::Handle) -> Result<Span<u8>, Refusal> {
    // Not NULL, and aligned for the words of the header.
    Span::<u64>::new("handle", handle.cast(), 1)?;
    let start = handle.cast::<u8>();
    let head = Span::new("handle", start, Session::<T>::HEAD)?;
    // SAFETY: every run begins with so many bytes, and by the rule of one thread a handle nobody else uses them.
    let bytes = Session::<T>::bytes_of(unsafe { head.slice_mut() }).map_err(|_| Refusal::Handle)?;
    Span::new("handle", start, bytes)
}

/// The run in a memory.
///
/// # Safety
///
/// `memory` is what the function of that name returned, and the session before is no longer in use.
pub(super) unsafe fn session<'a, T: Number>(memory: &Span<u8>) -> Result<Session<'a, T>, Refusal> {
    // SAFETY: the run has said that it has so many bytes; one thread a handle.
    Session::attach(unsafe { memory.slice_mut() }).map_err(|_| Refusal::Handle)
}

pub(super) unsafe fn layout<T: Number>(
    config: *const cstgl_config,
    out: *mut cstgl_layout,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let config = unsafe { cstgl_config::read(config) }?.to_rust::<T>()?;
        let out = Span::place("layout", out)?;
        let layout = Session::layout(&config)?;
        // SAFETY: the caller's promise.
        unsafe { out.put(cstgl_layout { bytes: layout.bytes(), align: layout.align() }) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

pub(super) unsafe fn init<T: Number>(
    memory: *mut c_void,
    bytes: usize,
    config: *const cstgl_config,
    out: *mut *mut T::Handle,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        let span = Span::new("memory", memory.cast::<u8>(), bytes)?;
        // SAFETY: the caller's promise.
        let config = unsafe { cstgl_config::read(config) }?.to_rust::<T>()?;
        let out = Span::place("handle", out)?;
        span.apart_from(&out)?;
        // SAFETY: the caller lends us these bytes for as long as the handle lives.
        Session::new(unsafe { span.slice_mut() }, &config)?;
        // SAFETY: the caller's promise; the session's borrow has ended.
        unsafe { out.put(memory.cast()) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

pub(super) unsafe fn attach<T: Number>(
    memory: *mut c_void,
    bytes: usize,
    out: *mut *mut T::Handle,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        let span = Span::new("memory", memory.cast::<u8>(), bytes)?;
        Span::<u64>::new("memory", memory.cast(), 0)?;
        let out = Span::place("handle", out)?;
        span.apart_from(&out)?;
        // SAFETY: as for `init`.
        match Session::<T>::attach(unsafe { span.slice_mut() }) {
            Ok(_) => (),
            Err(error @ Error::WorkspaceTooSmall { .. }) => return Err(error.into()),
            Err(_) => return Err(Refusal::Handle),
        }
        // SAFETY: the caller's promise; the session's borrow has ended.
        unsafe { out.put(memory.cast()) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}

pub(super) unsafe fn config<T: Number>(
    handle: *mut T::Handle,
    out: *mut cstgl_config,
    error: *mut cstgl_error,
) -> cstgl_status {
    let call = || {
        // SAFETY: the caller's promise.
        let memory = unsafe { memory::<T>(handle) }?;
        // SAFETY: the caller's promise.
        let size = unsafe { cstgl_config::read(out) }?.struct_size;
        Span::place("config", out)?.apart_from(&memory)?;
        // SAFETY: the only session.
        let config: Config<T> = unsafe { session::<T>(&memory) }?.config()?;
        // SAFETY: as much as was read.
        unsafe { cstgl_config::from_rust(&config).write(out, size) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(error, call) }
}
