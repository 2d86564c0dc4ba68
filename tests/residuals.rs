//! What a step reports, recomputed from what can be read.
//!
//! `A`, `K` and `W` are not readable, and in single precision cannot be had from what is (`runs/hidden.rs` does it in
//! double precision, for `properties.rs`): here are the facts that hold in both.

mod guarded;
mod runs;

use cstgl::session::{Parts, Session};
use cstgl::{Config, Scalar};
use runs::{demo, memory, profiles};

/// `S1`, `S2` and `E` of all views.
fn tensors<T: Scalar>(session: &mut Session<'_, T>, n: usize, m: usize) -> [Vec<T>; 3] {
    let mut all = [(); 3].map(|()| vec![T::ZERO; m * n * n]);
    for v in 0..m {
        session.consistent(v, &mut all[0][v * n * n..][..n * n]).unwrap();
        session.specific(v, &mut all[1][v * n * n..][..n * n]).unwrap();
        session.noise(v, &mut all[2][v * n * n..][..n * n]).unwrap();
    }
    all
}

fn distance<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(&x, &y)| (x - y).to_f64().powi(2)).sum::<f64>().sqrt()
}

fn check<T: Scalar>(name: &str, config: &Config<T>, tolerance: f64) {
    let (n, m) = (config.samples, config.views);
    let (data, _) = demo::<T>(n, m, 1);
    let mut memory = memory(config).unwrap();
    let mut session = Session::new(memory.bytes_mut(), config).unwrap();
    data.push(&mut session).unwrap();
    let mut last = vec![T::ZERO; m * n * n];
    let (mut rho, mut matrix) = (config.rho.to_f64(), vec![T::ZERO; n * n]);
    for step in 1..=config.iterations {
        let record = session.step().unwrap();
        assert_eq!(session.record(step - 1), Ok(record));
        assert_eq!(record.iteration, step);
        assert!((record.rho.to_f64() - rho).abs() <= 1e-6 * rho, "{name}, step {step}");
        rho *= config.mu.to_f64();
        let [s1, s2, e] = tensors(&mut session, n, m);

        let change = distance(&s1, &last);
        assert!((record.change.to_f64() - change).abs() <= tolerance, "{name}, step {step}: the change");
        // Rows of `A` sum to one, so those of `S1 + S2 + E` do but for the split residual: by Cauchy, the difference
        // of all row sums together is at most sqrt n times that.
        let sums =
            |k: usize| (0..n).map(|j| (s1[k * n + j] + s2[k * n + j] + e[k * n + j]).to_f64()).sum::<f64>();
        let off = (0..m * n).map(|k| (sums(k) - 1.0).powi(2)).sum::<f64>().sqrt();
        let split = record.split_residual.to_f64();
        assert!(off <= (n as f64).sqrt() * (split + tolerance), "{name}, step {step}: {off} of {split}");
        // The distances between the slices of `S1`, and the fused graph, by their definitions.
        let mut between = vec![T::ZERO; m * m];
        session.slice_distances(&mut between).unwrap();
        for (k, &found) in between.iter().enumerate() {
            let slice = |v: usize| &s1[v * n * n..][..n * n];
            let error = (found.to_f64() - distance(slice(k / m), slice(k % m))).abs();
            assert!(error <= tolerance, "{name}, step {step}: views {} and {}", k / m, k % m);
        }
        for parts in 0..8 {
            let [consistent, specific, noise] = [1, 2, 4].map(|bit| parts & bit != 0);
            session.fused(Parts { consistent, specific, noise }, &mut matrix).unwrap();
            for (k, &found) in matrix.iter().enumerate() {
                let chosen = [(consistent, &s1), (specific, &s2), (noise, &e)];
                let of = |tensor: &[T]| (0..m).map(|v| tensor[v * n * n + k].to_f64()).sum::<f64>();
                let mean =
                    chosen.iter().filter(|(wanted, _)| *wanted).map(|(_, x)| of(x)).sum::<f64>() / m as f64;
                assert!((found.to_f64() - mean).abs() <= tolerance, "{name}, step {step}, parts {parts}");
            }
        }
        last = s1;
    }
    // The penalty has grown a million times: the constraints hold.
    let end = session.record(config.iterations - 1).unwrap();
    for residual in [end.change, end.split_residual, end.low_rank_residual, end.noise_residual] {
        assert!(residual.to_f64() <= 0.05, "{name}: {residual:?} at the end");
    }
}

#[test]
fn reports_are_what_can_be_recomputed() {
    for (name, config) in profiles::<f64>(30, 3, 4) {
        check(&format!("f64 {name}"), &config, 1e-11);
    }
    for (name, config) in profiles::<f32>(30, 2, 4) {
        check(&format!("f32 {name}"), &config, 1e-4);
    }
}
