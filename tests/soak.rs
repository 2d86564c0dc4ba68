//! Handles on threads, cancelled runs and many runs: the same bits as one alone, in memory that does not grow.
//!
//! `CSTGL_SECONDS` and `CSTGL_SOLVES` say how long, `CSTGL_HANDLES` and `CSTGL_ITERATIONS` how much at a time (less where
//! a sanitizer makes it slow); without them it is short. Every test prints what it tried. It goes through the C interface,
//! and the data is large enough for one kind of handle to start threads of its own.
#![cfg(feature = "capi")]

mod guarded;
mod runs;

use cstgl::capi::*;
use cstgl::rng::Rng;
use cstgl::workspace::Layout;
use guarded::Workspace;
use runs::demo;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One test at a time: the memory of the process is what one of them measures.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A run in the caller's memory, by the C interface.
struct Handle {
    memory: Workspace,
    run: *mut cstgl_f64,
}

// SAFETY: one thread at a time uses a handle; that is the rule under test.
unsafe impl Send for Handle {}

impl Handle {
    fn new(config: &cstgl_config) -> Self {
        let mut need = cstgl_layout { bytes: 0, align: 0 };
        // SAFETY: both are there.
        assert_eq!(unsafe { cstgl_layout_f64(config, &mut need, null_mut()) }, CSTGL_OK);
        let memory = Workspace::new(Layout::array::<u8>(need.bytes).unwrap());
        let mut handle = Self { memory, run: null_mut() };
        handle.begin(config);
        handle
    }

    fn begin(&mut self, config: &cstgl_config) {
        let memory = self.memory.bytes_mut();
        let (start, bytes) = (memory.as_mut_ptr().cast::<c_void>(), memory.len());
        // SAFETY: there are as many bytes as the layout said.
        let status = unsafe { cstgl_init_f64(start, bytes, config, &mut self.run, null_mut()) };
        assert_eq!(status, CSTGL_OK);
    }

    fn push(&mut self, view: usize, data: &[f64], n: usize) {
        // SAFETY: the block has so many elements.
        let status = unsafe {
            cstgl_push_f64(self.run, view, data.as_ptr(), data.len() / n, n, CSTGL_BY_FEATURE, null_mut())
        };
        assert_eq!(status, CSTGL_OK);
    }

    /// Runs until `stop` says so; the outcome.
    fn run_until(&mut self, stop: u64) -> i32 {
        unsafe extern "C" fn progress(record: *const cstgl_record, user: *mut c_void) -> i32 {
            // SAFETY: a record, and the number that was passed below.
            unsafe { i32::from((*record).iteration == *user.cast::<u64>()) }
        }
        let mut user = stop;
        // SAFETY: plain numbers, written by a call that succeeds.
        let mut info = unsafe { std::mem::zeroed::<cstgl_info>() };
        let user = (&raw mut user).cast();
        // SAFETY: the handle is this thread's; the callback gets what it expects.
        assert_eq!(unsafe { cstgl_run_f64(self.run, Some(progress), user, &mut info, null_mut()) }, CSTGL_OK);
        info.outcome
    }

    /// Labels and affinity.
    fn read(&mut self, n: usize) -> (Vec<u32>, Vec<u64>) {
        let (mut labels, mut matrix) = (vec![u32::MAX; n], vec![f64::NAN; n * n]);
        // SAFETY: as long as they are said to be.
        unsafe {
            assert_eq!(cstgl_labels_f64(self.run, labels.as_mut_ptr(), n, null_mut()), CSTGL_OK);
            let parts = CSTGL_PARTS_DEFAULT;
            let out = matrix.as_mut_ptr();
            assert_eq!(cstgl_affinity_f64(self.run, parts, out, n * n, null_mut()), CSTGL_OK);
        }
        (labels, matrix.into_iter().map(f64::to_bits).collect())
    }
}

/// One of a few problems, by number: other sizes, profiles, and threads of its own.
struct Problem {
    config: cstgl_config,
    views: Vec<Vec<f64>>,
    n: usize,
}

fn problem(kind: usize) -> Problem {
    let (n, m, profile, threads) = [
        (40, 2, CSTGL_PROFILE_DEFAULT, 1),
        (33, 3, CSTGL_PROFILE_PAPER, 1),
        (27, 2, CSTGL_PROFILE_REFERENCE, 1),
        // Above the size from which a pass is divided among threads.
        (150, 3, CSTGL_PROFILE_DEFAULT, 3),
    ][kind % 4];
    // SAFETY: filled by the next call.
    let mut config = unsafe { std::mem::zeroed::<cstgl_config>() };
    // SAFETY: as long as it is said to be.
    unsafe {
        let size = size_of::<cstgl_config>();
        assert_eq!(cstgl_config_init_sized(&mut config, size, CSTGL_ABI), CSTGL_OK);
        assert_eq!(cstgl_config_profile(&mut config, profile, null_mut()), CSTGL_OK);
    }
    config.samples = n as u64;
    config.views = m as u64;
    config.clusters = 4;
    config.threads = threads;
    config.iterations = setting("CSTGL_ITERATIONS", config.iterations);
    Problem { config, views: demo::<f64>(n, m, kind as u64).0.views, n }
}

impl Problem {
    /// From the beginning to the end, stopped at random steps, in memory that held something else.
    fn solve(&self, handle: &mut Handle, rng: &mut Rng) -> (Vec<u32>, Vec<u64>) {
        handle.begin(&self.config);
        self.views.iter().enumerate().for_each(|(v, view)| handle.push(v, view, self.n));
        let mut outcome = CSTGL_CANCELLED;
        let mut stops = 0;
        while outcome == CSTGL_CANCELLED {
            let stop = if stops < 3 { 1 + rng.next_u64() % 20 } else { 0 };
            outcome = handle.run_until(stop);
            stops += 1;
        }
        assert_eq!(outcome, CSTGL_ITERATION_LIMIT);
        handle.read(self.n)
    }
}

#[test]
fn handles_on_threads_are_as_good_as_alone() {
    const THREADS: usize = 8;
    let count = setting("CSTGL_HANDLES", 64) as usize;
    let _alone = alone();
    let problems: Vec<Problem> = (0..4).map(problem).collect();
    let expected: Vec<_> = problems
        .iter()
        .map(|problem| problem.solve(&mut Handle::new(&problem.config), &mut Rng::new(0)))
        .collect();
    let end = Instant::now() + Duration::from_secs(setting("CSTGL_SECONDS", 2));
    let (runs, cancellations) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (problems, expected, runs, cancellations) = (&problems, &expected, &runs, &cancellations);
            scope.spawn(move || {
                let mut rng = Rng::new(thread as u64);
                let mut handles: Vec<_> =
                    (0..count / THREADS).map(|h| (h % 4, Handle::new(&problems[h % 4].config))).collect();
                let mut first = true;
                while first || Instant::now() < end {
                    first = false;
                    for (_, handle) in &mut handles {
                        handle.run = null_mut();
                    }
                    // All eight at once, a few steps of each in turn, at random.
                    for (kind, handle) in &mut handles {
                        let problem = &problems[*kind];
                        handle.begin(&problem.config);
                        problem.views.iter().enumerate().for_each(|(v, x)| handle.push(v, x, problem.n));
                    }
                    let mut open: Vec<usize> = (0..handles.len()).collect();
                    while !open.is_empty() {
                        let pick = (rng.next_u64() % open.len() as u64) as usize;
                        let (kind, handle) = &mut handles[open[pick]];
                        let mut iteration = 0;
                        // SAFETY: the handle is this thread's.
                        let status = unsafe { cstgl_iteration_f64(handle.run, &mut iteration, null_mut()) };
                        assert_eq!(status, CSTGL_OK);
                        match handle.run_until(iteration + 1 + rng.next_u64() % 6) {
                            CSTGL_CANCELLED => {
                                cancellations.fetch_add(1, Ordering::Relaxed);
                            }
                            _ => {
                                assert!(
                                    handle.read(problems[*kind].n) == expected[*kind],
                                    "other bits than alone"
                                );
                                runs.fetch_add(1, Ordering::Relaxed);
                                open.swap_remove(pick);
                            }
                        }
                    }
                }
            });
        }
    });
    let (runs, cancellations) = (runs.into_inner(), cancellations.into_inner());
    assert!(runs >= count && cancellations > runs);
    println!("TRIED {runs} runs of {count} handles on {THREADS} threads against serial bits");
    println!("TRIED {cancellations} cancellations at random steps");
}

/// Kilobytes of this process that are in memory.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn many_runs_need_no_more_memory_than_one() {
    let _alone = alone();
    let solves = setting("CSTGL_SOLVES", 400);
    let problem = problem(2);
    let mut handle = Handle::new(&problem.config);
    let mut rng = Rng::new(7);
    let first = problem.solve(&mut handle, &mut rng);
    // The allocator of this test settles in the first tenth.
    let mut before = 0;
    for solve in 0..solves {
        if solve == solves / 10 {
            before = resident();
        }
        assert!(problem.solve(&mut handle, &mut rng) == first, "solve {solve} has other bits");
    }
    let after = resident();
    let grown = after.saturating_sub(before);
    println!("TRIED {solves} solves in one memory, {before} kB resident at first and {after} kB at last");
    assert!(grown <= 1024, "{grown} kB more after {solves} solves");
}
