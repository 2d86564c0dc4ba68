//! Singular value decompositions beside nalgebra, one thread each: slices of the samples axis (n x m), and squares.

mod ratio;

use criterion::Criterion;
use cstgl::linalg::jacobi_svd::{svd, svd_layout};
use cstgl::linalg::{Mat, MatMut};
use cstgl::rng::Rng;
use cstgl::workspace::Workspace;
use nalgebra::DMatrix;
use std::hint::black_box;

fn shapes(criterion: &mut Criterion, title: &str, shapes: impl Iterator<Item = (usize, usize)>) {
    let mut ratios = Vec::new();
    let mut group = criterion.benchmark_group(title);
    group.sample_size(10);
    for (rows, cols) in shapes {
        let mut rng = Rng::new(rows as u64);
        let data: Vec<f64> = (0..rows * cols).map(|_| rng.uniform::<f64>() - 0.5).collect();
        let theirs = DMatrix::from_row_slice(rows, cols, &data);
        let a = Mat::new("a", &data, rows, cols).unwrap();
        let small = rows.min(cols);
        let (mut u, mut s, mut vh) = (vec![0.0; rows * small], vec![0.0; small], vec![0.0; small * cols]);
        let mut work = Workspace::new(svd_layout::<f64>(rows, cols).unwrap());
        let ours = || {
            let u = MatMut::new("u", &mut u, rows, small).unwrap();
            let vh = MatMut::new("vh", &mut vh, small, cols).unwrap();
            svd(a, u, &mut s, vh, &mut work.arena()).unwrap();
        };
        ratio::compare(&mut group, &mut ratios, format!("{rows} x {cols}"), "nalgebra", ours, || {
            // It destroys its input, so it works on a copy, as any caller who keeps the data would.
            black_box(theirs.clone().svd(true, true));
        });
    }
    group.finish();
    ratio::print(title, &ratios);
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let tall = [165, 600, 2000].into_iter().flat_map(|n| (2..=8).map(move |m| (n, m)));
    shapes(&mut criterion, "svd n x m", tall);
    shapes(&mut criterion, "svd square", [16, 32, 64, 128, 256].into_iter().map(|n| (n, n)));
    criterion.final_summary();
}
