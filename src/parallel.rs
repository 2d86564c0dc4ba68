//! Work in pieces, on one thread or several.
//!
//! The pieces and the order in which their results are put together depend on the job alone, so the number of threads
//! changes no bit of a result. Without the feature `parallel` everything runs on the caller's thread.

use crate::Error;
use crate::workspace::Arena;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Threads that are started at most, however many are asked for.
const MOST: usize = 64;

/// Workers that a thread count asks for; each has scratch of its own.
pub(crate) const fn workers(threads: usize) -> usize {
    if !cfg!(feature = "parallel") || threads <= 1 {
        1
    } else if threads < MOST {
        threads
    } else {
        MOST
    }
}

/// Threads for one of `users`; those that are done leave theirs to the others.
pub(crate) fn share(threads: usize, users: Option<&AtomicUsize>) -> usize {
    threads / users.map_or(1, |users| users.load(Ordering::Relaxed)).max(1)
}

/// Elements below which starting a thread costs more than it saves.
#[cfg(feature = "parallel")]
const WORTH_A_THREAD: usize = 1 << 16;

/// Calls `run` for every piece; each worker has what `scratch` makes. `size` is the whole job's, in elements.
#[cfg_attr(not(feature = "parallel"), expect(unused_variables, reason = "one thread needs no sizes"))]
pub(crate) fn for_each<'a, Piece: Send, Scratch: Send>(
    threads: usize,
    size: usize,
    mut pieces: impl Iterator<Item = Piece> + Send,
    work: &mut Arena<'a>,
    mut scratch: impl FnMut(&mut Arena<'a>) -> Result<Scratch, Error>,
    run: impl Fn(Piece, &mut Scratch) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    #[cfg(feature = "parallel")]
    if workers(threads) > 1 && size >= WORTH_A_THREAD {
        return on_threads(workers(threads), pieces, work, scratch, run);
    }
    let mut scratch = scratch(work)?;
    pieces.try_for_each(|piece| run(piece, &mut scratch))
}

/// [`for_each`] on several threads.
#[cfg(feature = "parallel")]
#[inline(never)] // What it takes to start a thread is not on the stack of those who need none.
fn on_threads<'a, Piece: Send, Scratch: Send>(
    workers: usize,
    pieces: impl Iterator<Item = Piece> + Send,
    work: &mut Arena<'a>,
    mut scratch: impl FnMut(&mut Arena<'a>) -> Result<Scratch, Error>,
    run: impl Fn(Piece, &mut Scratch) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let (pieces, outcome) = (std::sync::Mutex::new(pieces), std::sync::Mutex::new(Ok(())));
    let next = || pieces.lock().ok().and_then(|mut pieces| pieces.next());
    let worker = |mut scratch: Scratch| {
        while let Some(piece) = next() {
            let result = run(piece, &mut scratch);
            if let Ok(mut outcome) = outcome.lock() {
                *outcome = outcome.and(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            let scratch = scratch(work)?;
            let worker = &worker;
            // A thread that cannot be had is not needed: the caller's own takes all pieces that are left.
            let _ =
                std::thread::Builder::new().name("cstgl".into()).spawn_scoped(scope, move || worker(scratch));
        }
        worker(scratch(work)?);
        Ok(())
    })?;
    outcome.into_inner().unwrap_or(Ok(()))
}
