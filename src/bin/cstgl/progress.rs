//! A bar with the time that is left, on a terminal; nothing in a pipe.
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A job of so many steps.
#[derive(Debug)]
pub struct Progress {
    what: &'static str,
    total: usize,
    done: usize,
    start: Instant,
    drawn: Option<Instant>,
    terminal: bool,
}

impl Progress {
    /// A job that begins now.
    pub fn new(what: &'static str, total: usize) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let progress = Self { what, total, done: 0, start: Instant::now(), drawn: None, terminal };
        progress.draw();
        progress
    }

    /// One step is done.
    pub fn step(&mut self) {
        const PAUSE: Duration = Duration::from_millis(50);
        self.done += 1;
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= PAUSE) {
            self.drawn = Some(Instant::now());
            self.draw();
        }
    }

    fn draw(&self) {
        if self.terminal {
            // A terminal that has gone away is no reason to stop.
            let _ = write!(std::io::stderr(), "\r{}\x1b[K", self.line());
        }
    }

    fn line(&self) -> String {
        const WIDTH: usize = 30;
        let filled = (WIDTH * self.done).checked_div(self.total).unwrap_or(WIDTH).min(WIDTH);
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH - filled));
        let left = match self.done {
            0 => String::new(),
            done => {
                let each = self.start.elapsed().as_secs_f64() / done as f64;
                format!("  {} left", duration(each * self.total.saturating_sub(done) as f64))
            }
        };
        format!("{:<10} {bar} {}/{}{left}", self.what, self.done, self.total)
    }
}

impl Drop for Progress {
    /// The line is gone when the job is, however it ends.
    fn drop(&mut self) {
        if self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// `1 h 02 min`, `3 min 05 s`, `12 s`.
fn duration(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s:02} s"),
        (h, m, _) => format!("{h} h {m:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        assert_eq!(
            [0.2, 59.5, 185.0, 3720.0].map(duration),
            ["1 s", "1 min 00 s", "3 min 05 s", "1 h 02 min"]
        );
    }

    #[test]
    fn a_bar_fills_and_ends_full() {
        let mut progress = Progress::new("solve", 2);
        assert!(progress.line().ends_with("░ 0/2"), "{}", progress.line());
        progress.step();
        assert!(progress.line().contains("██░░") && progress.line().contains(" left"), "{}", progress.line());
        progress.step();
        assert!(progress.line().contains("█ 2/2") && !progress.line().contains('░'), "{}", progress.line());
    }
}
