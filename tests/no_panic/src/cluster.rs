//! Probes of `cstgl::spectral`, `kmeans`, `order`, `metrics` and `demo`.

use crate::{slice, status};
use core::hint::black_box;
use cstgl::demo::Demo;
use cstgl::kmeans::{self, Options};
use cstgl::linalg::Mat;
use cstgl::order::canonical_order;
use cstgl::spectral::{self, Graph, reference};
use cstgl::workspace::Arena;
use cstgl::{Error, Scalar, metrics};

/// From demo data to scores, on memory for everything.
fn cluster<T: Scalar>(memory: &mut [u8], n: usize, k: usize, limit: usize, noise: T) -> Result<u32, Error> {
    let mut work = Arena::new(memory);
    let demo = Demo { samples: n, clusters: k, noise, ..Demo::<T>::small() };
    let row = work.take::<T>(n)?;
    let full = work.take_filled(n.saturating_mul(n), T::ZERO)?;
    demo.feature(black_box(0), black_box(1), row)?;
    let mut weights = full.iter_mut();
    for x in row.iter() {
        for (y, weight) in row.iter().zip(&mut weights) {
            *weight = T::ONE / (T::ONE + (*x - *y) * (*x - *y));
        }
    }
    let triangle = work.take(spectral::packed_length(n)?)?;
    triangle.iter_mut().zip(full.iter()).for_each(|(t, &weight)| *t = weight);
    let (degrees, order) = (work.take(n)?, work.take(n)?);
    spectral::normalise_packed(triangle, degrees)?;
    canonical_order(degrees, order)?;
    let graph = Graph { triangle, degrees, order, threads: 1 };

    let values = work.take(spectral::eigenvalue_count(n, limit))?;
    black_box(spectral::estimate_clusters_layout::<T>(n, limit)?);
    black_box(spectral::estimate_clusters(&graph, limit, 0, values, &mut work)?);
    let (values, embedding) = (work.take(k)?, work.take(n.saturating_mul(k))?);
    black_box(spectral::embed_layout::<T>(n, k)?);
    spectral::embed(&graph, 0, embedding, values, &mut work)?;
    let (labels, truth) = (work.take(n)?, work.take(n)?);
    black_box(kmeans::cluster_layout::<T>(n, k, k)?);
    let points = Mat::new("points", embedding, n, k)?;
    kmeans::cluster(points, order, &Options::new(k, 1), labels, &mut work)?;

    truth.iter_mut().enumerate().for_each(|(i, t)| *t = demo.label(i));
    black_box(metrics::scores_layout(n)?);
    black_box(metrics::scores(truth, labels, &mut work)?);
    black_box(reference::embed_layout::<T>(n)?);
    reference::embed(full, n, embedding, values, &mut work)?;
    Ok(labels.iter().fold(0, |sum, &label| sum ^ label))
}

/// # Safety
///
/// `memory` points to `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_cluster_f32(
    memory: *mut u8,
    bytes: usize,
    n: usize,
    k: usize,
    limit: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    status(cluster(unsafe { slice(memory, bytes) }, n, k, limit, 0.5_f32))
}

/// # Safety
///
/// `memory` points to `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_cluster_f64(
    memory: *mut u8,
    bytes: usize,
    n: usize,
    k: usize,
    limit: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    status(cluster(unsafe { slice(memory, bytes) }, n, k, limit, 0.5_f64))
}
