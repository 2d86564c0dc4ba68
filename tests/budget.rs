//! The memory of a session: a multiple of `n^2 m` scalars, and terms linear in `n`, by a formula.

use cstgl::config::{Axis, Rank};
use cstgl::{Config, Scalar, Session};

/// Scalars beside the `n^2 m` ones, at most.
///
/// With `r` the rank that is looked for (zero on the samples axis), `k` the clusters (one more than the most where
/// they are estimated), `t` the threads and `s = 2` where slices are complex (three views or more), else 1:
///
/// ```text
/// n (70 + 2 m r + max(s (200 + 13 r), 17 m t, 22 k + 90))  +  max(80 s (r + 16)^2, 320 (k + 4)^2)
///     +  m^2 + 4 m + 7 iterations + 300
/// ```
fn linear<T: Scalar>(config: &Config<T>) -> usize {
    let (n, m, t) = (config.samples, config.views, config.threads);
    let r = match (config.axis, config.rank) {
        (Axis::Samples, _) => 0,
        (_, Rank::Any { expected: 0 }) => (n / 16).clamp(16, 512),
        (_, Rank::Any { expected: rank } | Rank::AtMost(rank)) => rank.min(n),
    };
    let k = if config.clusters == 0 { config.max_clusters + 1 } else { config.clusters };
    let s = if m > 2 { 2 } else { 1 };
    let each = 70 + 2 * m * r + (s * (200 + 13 * r)).max(17 * m * t).max(22 * k + 90);
    let once = (80 * s * (r + 16) * (r + 16)).max(320 * (k + 4) * (k + 4));
    n * each + once + m * m + 4 * m + 7 * config.iterations + 300
}

/// `quarters` are those of `n^2 m`.
#[track_caller]
fn within<T: Scalar>(quarters: usize, config: &Config<T>) {
    let (n, m) = (config.samples, config.views);
    let bytes = Session::layout(config).unwrap().bytes();
    let budget = (quarters * n * n * m / 4 + linear(config)) * size_of::<T>();
    assert!(bytes <= budget, "{bytes} bytes, and {budget} allowed: {config:?}");
}

fn all<T: Scalar>() {
    let t = T::from_f64(1.0);
    for n in [1, 2, 3, 8, 20, 64, 65, 128, 200, 256, 300, 512, 1024, 2000, 5000] {
        for m in 2..=8 {
            for (clusters, threads) in [(0, 1), (2, 1), (4, 1), (4, 4), (10, 1), (20, 2)] {
                let size = |config| Config { clusters: clusters.min(n), threads, ..config };
                for rank in [0, 4, 16, 40, 64] {
                    within(
                        34,
                        &size(Config { rank: Rank::Any { expected: rank }, ..Config::<T>::new(n, m) }),
                    );
                    within(25, &size(Config { rank: Rank::AtMost(rank), ..Config::<T>::new(n, m) }));
                    within(25, &size(Config { rank: Rank::AtMost(rank), ..Config::paper(n, m, t, t, t) }));
                }
                within(30, &size(Config::reference(n, m, t, t, t)));
                within(30, &size(Config { axis: Axis::Samples, ..Config::<T>::new(n, m) }));
            }
        }
    }
}

/// 8.5 `n^2 m` with any rank, 6.25 with a limited one, 7.5 on the samples axis.
#[test]
fn a_session_keeps_its_budget() {
    all::<f64>();
    all::<f32>();
}

/// More of anything takes more memory, and a limited rank takes less.
#[test]
fn the_query_grows_with_every_size() {
    let bytes = |config: Config<f64>| Session::layout(&config).unwrap().bytes();
    let small = Config::<f64> { clusters: 4, ..Config::new(200, 3) };
    for larger in
        [Config { samples: 201, ..small }, Config { views: 4, ..small }, Config { iterations: 21, ..small }]
    {
        assert!(bytes(larger) > bytes(small), "{larger:?}");
    }
    assert!(bytes(Config { rank: Rank::AtMost(8), ..small }) < bytes(small));
}

/// As its documentation says: a sixteenth of the samples, from 16 to 512.
#[test]
fn the_rank_to_look_for_grows_with_the_samples() {
    let bytes = |n, expected| {
        let config = Config::<f64> { rank: Rank::Any { expected }, ..Config::new(n, 2) };
        Session::layout(&config).unwrap().bytes()
    };
    for (n, rank) in [(160, 16), (1600, 100), (4000, 250), (8192, 512), (20_000, 512)] {
        assert_eq!(bytes(n, 0), bytes(n, rank), "{n} samples");
        assert_ne!(bytes(n, 0), bytes(n, rank + 1), "{n} samples");
    }
}
