//! No kernel allocates: everything below runs under an allocator that counts.
//!
//! One test in a binary of its own, because an allocator is global.

#[path = "no_panic/src/exercises.rs"]
mod exercises;
mod guarded;
#[path = "no_panic/src/whole.rs"]
mod whole;

use cstgl::linalg::MatMut;
use cstgl::prox::group::{self, Group};
use cstgl::prox::simplex;
use cstgl::rng::Rng;
use cstgl::{Complex, Error, Field, Scalar};
use guarded::Workspace;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

/// The system's allocator, with a count of what this thread asked of it.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static KERNELS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and none of ours is.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call goes on to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Calls of the allocator, of any kind, while `f` runs.
fn calls(f: impl FnOnce()) -> usize {
    let before = CALLS.get();
    f();
    CALLS.get() - before
}

/// The kernel accepts its input and allocates nothing.
#[track_caller]
fn assert_no_allocation<R>(name: &str, kernel: impl FnOnce() -> Result<R, Error>) {
    let mut error = None;
    let calls = calls(|| error = black_box(kernel()).err());
    assert_eq!(error, None, "{name}");
    assert_eq!(calls, 0, "{name} called the allocator");
    KERNELS.set(KERNELS.get() + 1);
}

fn data<F: Field>(length: usize) -> Vec<F> {
    let mut rng = Rng::new(length as u64);
    (0..length).map(|_| F::from_real(rng.uniform::<F::Real>() - F::Real::HALF)).collect()
}

fn simplex_kernels<T: Scalar>() {
    let mut rows = data::<T>(600);
    assert_no_allocation("simplex::project_row", || simplex::project_row(&mut rows));
    assert_no_allocation("simplex::project_rows", || {
        simplex::project_rows(MatMut::new("rows", &mut rows, 20, 30)?)
    });
}

fn group_kernels<F: Field>() {
    let shape = [3, 10, 20];
    let mut tensor = data::<F>(600);
    let mut work = Workspace::new(group::shrink_layout::<F>(shape).expect("a small shape"));
    for kind in [Group::Tube, Group::Column] {
        assert_no_allocation("group::l21_norm", || group::l21_norm(&tensor, shape, kind, &mut work.arena()));
        assert_no_allocation("group::shrink", || {
            group::shrink(&mut tensor, shape, kind, F::Real::HALF, &mut work.arena())
        });
    }
}

fn graph_kernels<T: Scalar>() {
    use cstgl::config::Distance;
    use cstgl::graph::{adaptive, dense, distance, gram, knn, sparse};
    let (features, samples) = (20, 30);
    let view = data::<T>(features * samples);
    let (mut pairs, mut graph) = (vec![T::ZERO; samples * samples], vec![T::ZERO; samples * samples]);
    let mut work = Workspace::new(
        dense::accumulate_dense_layout::<T>(samples)
            .and_then(|need| Ok(need.or(sparse::accumulate_sparse_layout::<T>(samples)?)))
            .and_then(|need| Ok(need.or(distance::finish_gram_layout::<T>(samples)?)))
            .and_then(|need| Ok(need.or(adaptive::adaptive_layout::<T>(samples, 5)?)))
            .and_then(|need| Ok(need.or(knn::knn_layout(samples, 5)?)))
            .expect("a small shape"),
    );
    assert_no_allocation("dense::accumulate_dense", || {
        for block in [dense::Dense::by_feature, dense::Dense::by_sample] {
            dense::accumulate_dense(&mut pairs, 0, &block(&view, features, samples)?, &mut work.arena())?;
        }
        Ok(())
    });
    // A diagonal of ones, as many features as samples.
    let (pointers, indices) = ((0..=samples).collect::<Vec<_>>(), (0..30).collect::<Vec<u32>>());
    let ones = vec![T::ONE; samples];
    assert_no_allocation("sparse::accumulate_sparse", || {
        for block in [sparse::Csr::by_feature, sparse::Csr::by_sample] {
            let block = block(&pointers, &indices, &ones, samples, samples)?;
            sparse::accumulate_sparse(&mut pairs, 0, &block, &mut work.arena())?;
        }
        Ok(())
    });
    let given = vec![T::ONE; samples * samples];
    assert_no_allocation("gram::accumulate_gram", || gram::accumulate_gram(&mut pairs, 0, &given, samples));
    for unit in [true, false] {
        for kind in [Distance::Stiefel, Distance::Euclidean] {
            let mut pairs = pairs.clone();
            assert_no_allocation("distance::finish_gram", || {
                distance::finish_gram(&mut pairs, 0, samples, kind, unit, &mut work.arena())
            });
        }
    }
    assert_no_allocation("distance::from_similarity", || distance::from_similarity(&mut pairs, 0, samples));
    assert_no_allocation("knn::knn", || knn::knn(&mut graph, &pairs, 0, samples, 5, &mut work.arena()));
    assert_no_allocation("adaptive::adaptive", || {
        adaptive::adaptive(&mut pairs, 0, samples, 5, T::ONE, &mut work.arena())
    });
}

fn cluster_kernels<T: Scalar>() {
    use cstgl::linalg::Mat;
    use cstgl::{demo, kmeans, metrics, order, spectral};
    // Below and above the size from which eigenvectors come from a Krylov basis.
    for n in [30, 120] {
        let k = 3;
        let demo = demo::Demo { samples: n, clusters: k, ..demo::Demo::<T>::small() };
        let mut row = vec![T::ZERO; n];
        assert_no_allocation("demo::feature", || demo.feature(0, 1, &mut row));
        let near = |x: T, y: T| T::ONE / (T::ONE + (x - y) * (x - y));
        let full: Vec<T> = row.iter().flat_map(|&x| row.iter().map(move |&y| near(x, y))).collect();
        let mut triangle: Vec<T> = (0..n).flat_map(|i| full[i * n..=i * n + i].to_vec()).collect();
        let (mut degrees, mut order) = (vec![T::ZERO; n], vec![0; n]);
        assert_no_allocation("normalise_packed", || spectral::normalise_packed(&mut triangle, &mut degrees));
        assert_no_allocation("canonical_order", || order::canonical_order(&degrees, &mut order));
        let graph = spectral::Graph { triangle: &triangle, degrees: &degrees, order: &order, threads: 1 };

        let mut values = vec![T::ZERO; spectral::eigenvalue_count(n, 4)];
        let mut work = Workspace::new(spectral::estimate_clusters_layout::<T>(n, 4).expect("small"));
        assert_no_allocation("estimate_clusters", || {
            spectral::estimate_clusters(&graph, 4, 0, &mut values, &mut work.arena())
        });
        let (mut embedding, mut values) = (vec![T::ZERO; n * k], vec![T::ZERO; k]);
        let mut work = Workspace::new(spectral::embed_layout::<T>(n, k).expect("small"));
        assert_no_allocation("spectral::embed", || {
            spectral::embed(&graph, 0, &mut embedding, &mut values, &mut work.arena())
        });
        let mut labels = vec![0; n];
        let mut work = Workspace::new(kmeans::cluster_layout::<T>(n, k, k).expect("small"));
        assert_no_allocation("kmeans::cluster", || {
            let points = Mat::new("points", &embedding, n, k)?;
            kmeans::cluster(points, &order, &kmeans::Options::new(k, 0), &mut labels, &mut work.arena())
        });
        let truth: Vec<u32> = (0..n).map(|i| demo.label(i)).collect();
        let mut work = Workspace::new(metrics::scores_layout(n).expect("small"));
        assert_no_allocation("metrics::scores", || metrics::scores(&truth, &labels, &mut work.arena()));
        let (mut full, mut work) =
            (full, Workspace::new(spectral::reference::embed_layout::<T>(n).expect("small")));
        assert_no_allocation("reference::embed", || {
            spectral::reference::embed(&mut full, n, &mut embedding, &mut values, &mut work.arena())
        });
    }
}

/// The families whose exercises `tests/no_panic` links without a panic.
fn families<T: Scalar>() {
    let mut memory = Workspace::new(cstgl::workspace::Layout::array::<u64>(1 << 19).expect("4 MiB"));
    let tau = T::from_f64(0.1);
    for n in [1, 16, 30, 49, 13, 67, 169] {
        let mut samples = data::<T>(2 * n);
        assert_no_allocation("fft", || exercises::fft(&mut samples, n, &mut memory.arena()));
    }
    // Past one block of every blocked loop, and large enough for the search to be one.
    let n = 70;
    let rows = n + 3;
    let real = data::<T>(rows * n);
    let mut rng = Rng::new(1);
    let complex: Vec<Complex<T>> = real.iter().map(|&x| Complex::new(x, rng.uniform::<T>())).collect();
    assert_no_allocation("linalg", || exercises::linalg(&real, rows, n, &mut memory.arena()));
    assert_no_allocation("linalg", || exercises::linalg(&complex, rows, n, &mut memory.arena()));
    assert_no_allocation("krylov", || exercises::leading(&real[..n * n], n, &mut memory.arena()));
    let (mut real, mut complex) = (real[..n * n].to_vec(), complex[..n * n].to_vec());
    assert_no_allocation("shrinkage", || exercises::shrinkage(&mut real, n, tau, &mut memory.arena()));
    assert_no_allocation("shrinkage", || exercises::shrinkage(&mut complex, n, tau, &mut memory.arena()));
    for slices in [1, 2, 5] {
        let mut tensor = data::<T>(slices * 20 * 20);
        assert_no_allocation("tensor", || exercises::algebra(&mut tensor, 20, slices, &mut memory.arena()));
        let mut tensor = data::<T>(slices * n * n);
        assert_no_allocation("tubal", || {
            exercises::tubal(&mut tensor, [slices, n, n], tau, &mut memory.arena())
        });
    }
}

/// A whole run, every method of it, by every profile.
fn session_calls<T: Scalar>() {
    let mut memory = Workspace::new(cstgl::workspace::Layout::array::<u64>(1 << 20).expect("8 MiB"));
    for profile in 0..5 {
        for (n, clusters) in [(40, 4), (40, 0), (130, 4)] {
            let shape = whole::Shape { n, views: 3, clusters, profile };
            assert_no_allocation("a session", || whole::whole_run::<T>(memory.bytes_mut(), &shape));
        }
    }
}

#[test]
fn kernels_do_not_allocate() {
    // The counter counts: a box is one call to make and one to drop.
    assert_eq!(calls(|| drop(black_box(Box::new(1_u64)))), 2);

    simplex_kernels::<f32>();
    simplex_kernels::<f64>();
    group_kernels::<f32>();
    group_kernels::<f64>();
    group_kernels::<Complex<f32>>();
    group_kernels::<Complex<f64>>();
    graph_kernels::<f32>();
    graph_kernels::<f64>();
    cluster_kernels::<f32>();
    cluster_kernels::<f64>();
    families::<f32>();
    families::<f64>();
    session_calls::<f32>();
    session_calls::<f64>();
    println!("TRIED {} kernel calls under an allocator that counts", KERNELS.get());
}
