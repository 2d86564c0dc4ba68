//! Memory between red zones: what the tests lend to the library, in place of `cstgl::workspace::Workspace`.
//!
//! A byte that is written before or behind it is seen when it is dropped, and what nobody has written yet is NaN, so that
//! whoever reads it is seen as well.
#![allow(dead_code)] // Each test binary uses its own part.

use cstgl::workspace::{self, Arena, Layout};
use std::cell::Cell;

/// Bytes before and behind, a multiple of every alignment that is asked for.
const ZONE: usize = 64;
const CANARY: u8 = 0xc3;
const UNWRITTEN: u8 = 0xff;

/// Memory of exactly the size that was asked for, and red zones around it.
pub struct Workspace {
    whole: workspace::Workspace,
    bytes: usize,
}

impl Workspace {
    pub fn new(need: Layout) -> Self {
        let bytes = need.bytes();
        let mut whole = workspace::Workspace::new(Layout::array::<u8>(bytes + 2 * ZONE).unwrap());
        whole.bytes_mut().fill(CANARY);
        let mut guarded = Self { whole, bytes };
        guarded.bytes_mut().fill(UNWRITTEN);
        guarded
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.whole.bytes_mut()[ZONE..][..self.bytes]
    }

    /// The red zones: before, and behind.
    pub fn zones(&mut self) -> [&mut [u8]; 2] {
        let (before, rest) = self.whole.bytes_mut().split_at_mut(ZONE);
        [before, &mut rest[self.bytes..]]
    }

    pub fn arena(&mut self) -> Arena<'_> {
        Arena::new(self.bytes_mut())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let written = self.zones().iter().any(|zone| zone.iter().any(|&byte| byte != CANARY));
        // A test that fails anyway should say why in its own words.
        assert!(!written || std::thread::panicking(), "a byte outside of {} was written", self.bytes);
        let _ = TALLY.try_with(|tally| tally.0.set(tally.0.get() + 1));
    }
}

thread_local! {
    static TALLY: Tally = const { Tally(Cell::new(0)) };
}

/// Buffers of this thread. `tests/prove.sh` asks for the number, which a test says when its thread ends.
struct Tally(Cell<usize>);

impl Drop for Tally {
    fn drop(&mut self) {
        if std::env::var_os("CSTGL_TALLY").is_some() {
            eprintln!("GUARDED {} buffers", self.0.get());
        }
    }
}
