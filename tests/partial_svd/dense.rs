//! The dense method: against constructed factors, its budget, what it refuses.

use super::*;

fn dense_against_factors<F: Random>(bound: f64) {
    let mut rng = Rng::new(1);
    for (rows, cols) in [(1, 1), (1, 7), (7, 1), (20, 20), (50, 20), (20, 50), (60, 60)] {
        let order = rows.min(cols);
        let spectra: [fn(usize, usize) -> f64; 5] = [
            |k, n| 10.0_f64.powf(-12.0 * k as f64 / n as f64),
            |k, _| 1.0 / (1.0 + k as f64),
            |k, _| if k < 5 { 2.0 } else { 1e-7 },
            |k, n| if k < n / 2 { 1.0 + 1e-11 * k as f64 } else { 0.0 },
            |_, _| 0.0,
        ];
        for spectrum in spectra {
            let spectrum: Vec<f64> = (0..order).map(|k| spectrum(k, order)).collect();
            let known = Known::<F>::new(&mut rng, rows, cols, &spectrum);
            for tau in [0.0, 1e-13, 1e-9, 3e-8, 1e-5, 1e-3, 0.03, 0.5, 1.0, 3.0] {
                let t = F::Real::from_f64(tau);
                let triplets = dense(known.mat(), t).expect("solved");
                check_triplets(&triplets, cols, t);
                let error = distance(&shrunk(known.mat(), t, &triplets), &known.shrunk(t.to_f64()));
                let allowed = bound * spectrum[0];
                assert!(error <= allowed, "{rows} x {cols}, {spectrum:?}, tau {tau:e}: {error:e}");

                let mut k = known.a.clone();
                let mut workspace = Workspace::new(shrink_dense_layout::<F>(rows, cols).expect("small"));
                let slice = MatMut::new("k", &mut k, rows, cols).expect("its shape");
                let rank = shrink_dense(slice, t, &mut workspace.arena()).expect("solved");
                assert_eq!(rank, triplets.0.len());
                let error = distance(&k, &known.shrunk(t.to_f64()));
                assert!(error <= allowed, "in place, {rows} x {cols}, {spectrum:?}, tau {tau:e}: {error:e}");
            }
        }
    }
}

/// Memory beyond the stated squares: strips of rows, and blocks of fixed size.
fn check_budget<F: Field>(squares: f64, strips: usize, block: usize) {
    for n in [16, 64, 200, 600] {
        let layout = shrink_dense_layout::<F>(n, n).expect("small");
        let elements = layout.bytes() as f64 / size_of::<F>() as f64;
        let allowed = squares * (n * n) as f64 + (strips * n + block) as f64;
        assert!(elements <= allowed, "order {n}: {elements} elements, {allowed} allowed");
    }
}

#[test]
fn dense_shrinkage_keeps_its_budget() {
    check_budget::<f64>(2.5, 112, 2048);
    check_budget::<Complex<f64>>(2.0, 112, 2048);
    let layouts =
        [shrink_dense_layout::<f64>(1 << 40, 1 << 40), shrink_dense_layout::<f64>(2, usize::MAX / 8)];
    assert!(layouts.iter().all(|layout| matches!(layout, Err(Error::SizeOverflow { .. }))));
    assert!(matches!(shrink_dense_layout::<f64>(0, 2), Err(Error::Empty { .. })));
}

#[test]
fn dense_shrinkage_refuses_before_it_writes() {
    let mut workspace = Workspace::new(shrink_dense_layout::<f64>(3, 2).expect("small"));
    let good = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut call = |a: &mut [f64], tau: f64, short: usize| {
        let mut arena = workspace.arena();
        let bytes = arena.remaining() - short;
        let bytes = arena.take::<u8>(bytes).expect("all of it");
        shrink_dense(MatMut::new("a", a, 3, 2).expect("its shape"), tau, &mut Arena::new(bytes))
    };
    let mut a = good;
    for tau in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(call(&mut a, tau, 0), Err(Error::Parameter { .. })));
    }
    assert!(matches!(call(&mut a, 1.0, 1), Err(Error::WorkspaceTooSmall { .. })));
    assert_eq!(a, good);
    a[4] = f64::NAN;
    assert_eq!(call(&mut a, 1.0, 0), Err(Error::NotFinite { what: "matrix", index: 4 }));
    assert_eq!(a[..4], good[..4]);
    assert_eq!(call(&mut good.clone(), 0.5, 0), Ok(2));
}

#[test]
fn dense_agrees_with_known_factors() {
    dense_against_factors::<f64>(1e-11);
    dense_against_factors::<Complex<f64>>(1e-11);
    dense_against_factors::<f32>(1e-4);
    dense_against_factors::<Complex<f32>>(1e-4);
}

#[test]
fn dense_counts_and_scales() {
    let mut rng = Rng::new(2);
    let known = Known::<f64>::new(&mut rng, 30, 30, &[4.0, 3.0, 2.0, 1.0, 1e-6, 1e-9]);
    for (tau, count) in [(5.0, 0), (3.5, 1), (2.5, 2), (1e-3, 4), (1e-7, 5), (1e-10, 6)] {
        for scale in [1.0, 2.0_f64.powi(900), 2.0_f64.powi(-900)] {
            let a: Vec<f64> = known.a.iter().map(|x| x * scale).collect();
            let (values, _) =
                dense(Mat::new("a", &a, 30, 30).expect("a square"), tau * scale).expect("solved");
            assert_eq!(values.len(), count, "tau {tau:e} at scale {scale:e}");
            let close = |(v, s): (&f64, &f64)| (v / scale - s).abs() <= 1e-13;
            assert!(values.iter().zip(&known.spectrum).all(close), "{values:?}");
        }
    }
    assert_eq!(dense(known.mat(), f64::MAX).expect("solved").0.len(), 0);
}
