//! Numbers at the ends of their range: finite results or a clear error, and never a NaN.

mod guarded;
mod runs;

use cstgl::config::Distance;
use cstgl::demo::Demo;
use cstgl::{Config, Error, Scalar};
use runs::{Data, demo, profiles, run, score};

/// Whether there was an answer, which then is made of numbers; otherwise an error that says why.
#[track_caller]
fn sound<T: Scalar>(config: &Config<T>, data: &Data<T>, truth: &[u32], what: &str) -> bool {
    match run(config, data) {
        Ok(found) => {
            assert!(found.numbers().all(|x| x.is_finite()), "{what}: not a number");
            assert!(found.labels.iter().all(|&label| (label as usize) < found.clusters), "{what}");
            let s = score(truth, &found.labels);
            let scores = [s.acc, s.nmi, s.nmi_arithmetic, s.ari, s.fscore, s.precision, s.recall, s.purity];
            assert!(scores.iter().all(|x| x.is_finite()), "{what}: {s:?}");
            true
        }
        Err(Error::Range { .. }) => false,
        Err(other) => panic!("{what}: {other}"),
    }
}

/// Every profile, with samples of unit length and without, with both distances.
fn all<T: Scalar>(n: usize, m: usize, k: usize) -> Vec<(String, Config<T>)> {
    let mut all = Vec::new();
    for (name, config) in profiles::<T>(n, m, k) {
        for unit_length in [true, false] {
            for distance in [Distance::Stiefel, Distance::Euclidean] {
                let what = format!("{name}, {distance:?}, unit length {unit_length}");
                all.push((what, Config { unit_length, distance, ..config }));
            }
        }
    }
    all
}

fn plain<T: Scalar>(n: usize, m: usize, k: usize) -> Vec<(String, Config<T>)> {
    profiles(n, m, k).into_iter().map(|(name, config)| (name.to_owned(), config)).collect()
}

fn scaled<T: Scalar>(data: &Data<T>, scale: impl Fn(usize, usize) -> f64) -> Data<T> {
    let view = |(v, view): (usize, &Vec<T>)| {
        view.iter().enumerate().map(|(k, &x)| x * T::from_f64(scale(v, k % data.n))).collect()
    };
    Data { n: data.n, views: data.views.iter().enumerate().map(view).collect() }
}

fn every_scale<T: Scalar>(exponents: &[i32]) {
    let (data, truth) = demo::<T>(18, 2, 1);
    let (mut tried, mut answered) = (0, 0);
    for (what, config) in all::<T>(18, 2, 3) {
        for &a in exponents {
            for &b in exponents {
                let scale = |v: usize, _: usize| 10_f64.powi(if v == 0 { a } else { b });
                let what = format!("{} bytes, {what}, 1e{a} and 1e{b}", size_of::<T>());
                answered += usize::from(sound(&config, &scaled(&data, scale), &truth, &what));
                tried += 1;
                // One sample of that size among others.
                let scale = |v: usize, i: usize| match (v, i) {
                    (0, 5) => 10_f64.powi(a),
                    (1, 9) => 10_f64.powi(b),
                    _ => 1.0,
                };
                let what = format!("{what}, one sample");
                answered += usize::from(sound(&config, &scaled(&data, scale), &truth, &what));
                tried += 1;
            }
        }
    }
    println!("TRIED {tried} scales of {} bytes, {answered} answered and the others refused", size_of::<T>());
    assert!(answered > tried / 4 && answered < tried);
}

#[test]
fn views_of_any_scale() {
    every_scale::<f64>(&[-300, -200, -155, -150, -100, -20, 0, 20, 100, 150, 155, 200, 300]);
    every_scale::<f32>(&[-30, -24, -20, -18, -12, 0, 12, 18, 20, 24, 30]);
}

fn every_small_problem<T: Scalar>() {
    let mut tried = 0;
    let ordinary = Demo::<f64> { dimensions: &[6; 8], samples: 1000, ..Demo::small() };
    let huge = |x: T| x * T::MAX.sqrt() * T::EPSILON;
    for n in 1..=8 {
        for m in 1..=8 {
            let value = |v: usize, k: usize| T::from_f64(ordinary.value(v, k / n, k % n));
            let views = (0..m).map(|v| (0..6 * n).map(|k| value(v, k)).collect()).collect();
            let (data, truth) = (Data { n, views }, (0..n as u32).map(|i| i % 3).collect::<Vec<_>>());
            let denormal = T::MIN_POSITIVE * T::from_f64(0.25);
            let mut kinds = vec![("ordinary", data.clone())];
            for (what, x) in
                [("zeros", T::ZERO), ("denormals", denormal), ("the largest roots", huge(T::ONE))]
            {
                let views = data.views.iter().map(|view| vec![x; view.len()]).collect();
                kinds.push((what, Data { n, views }));
            }
            let mut outlier = data.clone();
            outlier.views.iter_mut().for_each(|view| view[n - 1] = huge(T::ONE));
            kinds.push(("one huge value", outlier));
            for k in 0..=n {
                // Beyond four views nothing is new but the length of the transform.
                let configs = if m <= 4 { all::<T>(n, m, k) } else { plain::<T>(n, m, k) };
                for (name, config) in configs {
                    for (what, data) in &kinds {
                        let what = format!("{} bytes, n {n}, m {m}, k {k}, {name}, {what}", size_of::<T>());
                        assert!(sound(&config, data, &truth, &what), "{what}: refused");
                        tried += 1;
                    }
                }
            }
        }
    }
    println!("TRIED {tried} problems of 1 to 8 samples of {} bytes", size_of::<T>());
}

#[test]
fn few_samples_of_any_kind() {
    every_small_problem::<f64>();
    every_small_problem::<f32>();
}
