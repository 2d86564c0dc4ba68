//! Criterion measures; this keeps each benchmark's best time and prints ours over theirs at the end of the run.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId};
use std::time::{Duration, Instant};

/// Best times of one comparison.
pub struct Ratio {
    name: String,
    ours: Duration,
    theirs: Duration,
    peer: &'static str,
}

/// Benchmarks `ours` and `theirs` side by side on the same job.
pub fn compare(
    group: &mut BenchmarkGroup<'_, WallTime>,
    ratios: &mut Vec<Ratio>,
    name: impl Into<String>,
    peer: &'static str,
    mut ours: impl FnMut(),
    mut theirs: impl FnMut(),
) {
    let name = name.into();
    let mut time = |who: &str, job: &mut dyn FnMut()| {
        let mut best = Duration::MAX;
        group.bench_function(BenchmarkId::new(who, &name), |bencher| {
            bencher.iter_custom(|iterations| {
                let start = Instant::now();
                (0..iterations).for_each(|_| job());
                let elapsed = start.elapsed();
                best = best.min(elapsed / iterations.max(1) as u32);
                elapsed
            });
        });
        best
    };
    let (ours, theirs) = (time("cstgl", &mut ours), time(peer, &mut theirs));
    ratios.push(Ratio { name, ours, theirs, peer });
}

/// The table: below 1 we are faster.
pub fn print(title: &str, ratios: &[Ratio]) {
    println!("\n{title}\n{:<28} {:>12} {:>12} {:>8}", "job", "cstgl", "peer", "ratio");
    for Ratio { name, ours, theirs, peer } in ratios {
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("{name:<28} {ours:>12.2?} {theirs:>12.2?} {ratio:>8.2}  ({peer})");
    }
}
