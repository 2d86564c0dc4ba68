//! Work in pieces, on one thread or several.
//!
//! The pieces and the order in which their results are put together depend on the job alone, so the number of threads
//! changes no bit of a result. Without the feature `parallel` everything runs on the caller's thread.

use crate::Error;
use crate::workspace::Arena;

/// Workers that a thread count asks for; each has scratch of its own.
pub(crate) const fn workers(threads: usize) -> usize {
    if cfg!(feature = "parallel") && threads > 1 { threads } else { 1 }
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
        let pieces = std::sync::Mutex::new(pieces);
        let next = || pieces.lock().ok().and_then(|mut pieces| pieces.next());
        let worker = |mut scratch: Scratch| {
            let mut outcome = Ok(());
            while let Some(piece) = next() {
                outcome = outcome.and(run(piece, &mut scratch));
            }
            outcome
        };
        return std::thread::scope(|scope| {
            // A thread that cannot be had is not needed: the caller's own takes all pieces that are left.
            let mut outcome = Ok(());
            let mut helpers = heapless::Vec::<_, 64>::new();
            for _ in 1..workers(threads).min(64) {
                let scratch = scratch(work)?;
                let worker = &worker;
                let builder = std::thread::Builder::new().name("cstgl".into());
                if let Ok(handle) = builder.spawn_scoped(scope, move || worker(scratch)) {
                    let _ = helpers.push(handle);
                }
            }
            outcome = outcome.and(worker(scratch(work)?));
            for helper in helpers {
                outcome = outcome.and(helper.join().unwrap_or(Ok(())));
            }
            outcome
        });
    }
    let mut scratch = scratch(work)?;
    pieces.try_for_each(|piece| run(piece, &mut scratch))
}
