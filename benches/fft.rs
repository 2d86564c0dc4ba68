//! Real transforms of n columns of n samples beside realfft, one thread each.
//!
//! realfft wants each signal contiguous. "rows" gives it that for nothing, the best case it can have; "columns" is
//! the job the solver has, where it must gather each signal from a row-major matrix and scatter the spectrum.

mod ratio;

use criterion::Criterion;
use cstgl::fft::RealFft;
use cstgl::rng::Rng;
use cstgl::workspace::Workspace;
use cstgl::{Complex, Scalar};
use realfft::{FftNum, RealFftPlanner};

fn lengths<T: Scalar + FftNum>(criterion: &mut Criterion, title: &str) {
    let mut ratios = Vec::new();
    let mut group = criterion.benchmark_group(title);
    group.sample_size(10);
    for n in [165, 169, 203, 512, 544, 600, 2000, 2003] {
        let mut rng = Rng::new(n as u64);
        let samples: Vec<T> = (0..n * n).map(|_| rng.uniform()).collect();
        let rows = n / 2 + 1;
        let zero = Complex::new(<T as cstgl::Field>::ZERO, <T as cstgl::Field>::ZERO);
        let mut spectrum = vec![zero; rows * n];
        let mut theirs = vec![zero; rows * n];

        let mut tables = Workspace::new(RealFft::<T>::layout(n).unwrap());
        let fft = RealFft::new(n, &mut tables.arena()).unwrap();
        let mut work = Workspace::new(fft.scratch().unwrap());
        let plan = RealFftPlanner::<T>::new().plan_fft_forward(n);
        let (mut signal, mut half) = (plan.make_input_vec(), plan.make_output_vec());
        let mut scratch = plan.make_scratch_vec();

        let mut ours = || fft.forward(&samples, n, &mut spectrum, &mut work.arena()).unwrap();
        ratio::compare(&mut group, &mut ratios, format!("{n} rows"), "realfft", &mut ours, || {
            for (signal_in, half) in samples.chunks_exact(n).zip(theirs.chunks_exact_mut(rows)) {
                // The plan destroys its input, so it works on a copy, as any caller who keeps the data would.
                signal.copy_from_slice(signal_in);
                plan.process_with_scratch(&mut signal, half, &mut scratch).unwrap();
            }
        });
        ratio::compare(&mut group, &mut ratios, format!("{n} columns"), "realfft", &mut ours, || {
            for c in 0..n {
                for (j, x) in signal.iter_mut().enumerate() {
                    *x = samples[j * n + c];
                }
                plan.process_with_scratch(&mut signal, &mut half, &mut scratch).unwrap();
                for (k, z) in half.iter().enumerate() {
                    theirs[k * n + c] = *z;
                }
            }
        });
    }
    group.finish();
    ratio::print(title, &ratios);
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    lengths::<f64>(&mut criterion, "fft f64");
    lengths::<f32>(&mut criterion, "fft f32");
    criterion.final_summary();
}
