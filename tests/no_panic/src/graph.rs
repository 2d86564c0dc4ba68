//! Probes of `cstgl::graph`.

use crate::{slice, status};
use core::hint::black_box;
use cstgl::config::Distance;
use cstgl::graph::adaptive::{adaptive, adaptive_layout};
use cstgl::graph::dense::{Dense, accumulate_dense, accumulate_dense_layout};
use cstgl::graph::distance::{check_distances, finish_gram, finish_gram_layout, from_similarity};
use cstgl::graph::gram::accumulate_gram;
use cstgl::graph::knn::{knn, knn_layout};
use cstgl::graph::sparse::{Csr, accumulate_sparse, accumulate_sparse_layout};
use cstgl::workspace::{Arena, Layout};
use cstgl::{Error, Scalar};

/// The first numbers are a dense view, then a sparse one, and then the matrices of pairs.
struct Shape {
    features: usize,
    samples: usize,
    strides: [usize; 2],
    neighbours: usize,
}

fn layout<T: Scalar>(shape: &Shape) -> Result<Layout, Error> {
    let need = accumulate_dense_layout::<T>(shape.samples)?.or(accumulate_sparse_layout::<T>(shape.samples)?);
    let need = need.or(adaptive_layout::<T>(shape.samples, shape.neighbours)?);
    Ok(need.or(finish_gram_layout::<T>(shape.samples)?).or(knn_layout(shape.samples, shape.neighbours)?))
}

fn blocks<T: Scalar>(
    gram: &mut [T],
    data: &[T],
    pointers: &[usize],
    indices: &[u32],
    shape: &Shape,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let &Shape { features, samples, strides: [feature_stride, sample_stride], .. } = shape;
    work.require(layout::<T>(shape)?)?;
    for block in [
        Dense::by_feature(data, features, samples),
        Dense::by_sample(data, features, samples),
        Dense::strided(data, features, samples, feature_stride, sample_stride),
    ] {
        accumulate_dense(gram, 0, &black_box(block)?, work)?;
    }
    let values = data.get(..indices.len()).unwrap_or(data);
    for block in [
        Csr::by_feature(pointers, indices, values, features, samples),
        Csr::by_sample(pointers, indices, values, features, samples),
    ] {
        accumulate_sparse(gram, 0, &black_box(block)?, work)?;
    }
    Ok(())
}

fn pairs<T: Scalar>(
    gram: &mut [T],
    graph: &mut [T],
    shape: &Shape,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let &Shape { samples, neighbours, .. } = shape;
    for (distance, unit) in [(Distance::Stiefel, true), (Distance::Euclidean, false)] {
        finish_gram(gram, 0, samples, black_box(distance), black_box(unit), work)?;
    }
    check_distances(gram, 0, samples)?;
    knn(graph, gram, 0, samples, neighbours, work)?;
    accumulate_gram(gram, 0, graph, samples)?;
    from_similarity(gram, 0, samples)?;
    adaptive(gram, 0, samples, neighbours, T::HALF, work)
}

fn graph<T: Scalar>(
    data: &mut [T],
    pointers: &[usize],
    indices: &[u32],
    shape: &[usize],
    work: &mut [u8],
) -> Result<(), Error> {
    let &[features, samples, feature_stride, sample_stride, neighbours] = shape else {
        return Err(Error::Empty { what: "shape" });
    };
    let shape = Shape { features, samples, strides: [feature_stride, sample_stride], neighbours };
    let square = samples.saturating_mul(samples);
    let pieces = data.split_at_mut_checked(square);
    let pieces = pieces.and_then(|(gram, rest)| Some((gram, rest.split_at_mut_checked(square)?)));
    let Some((gram, (graph, data))) = pieces else { return Err(Error::Empty { what: "data" }) };
    let mut work = Arena::new(work);
    blocks(gram, data, pointers, indices, &shape, &mut work)?;
    pairs(gram, graph, &shape, &mut work)
}

/// # Safety
///
/// `data` points to `length` numbers, `pointers` to as many sizes as samples and one, `indices` to `count` indices,
/// `shape` to five sizes and `work` to `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_graph_f32(
    data: *mut f32,
    length: usize,
    pointers: *mut usize,
    rows: usize,
    indices: *mut u32,
    count: usize,
    shape: *mut usize,
    work: *mut u8,
    bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (pointers, indices) = unsafe { (slice(pointers, rows), slice(indices, count)) };
    // SAFETY: the caller's promise.
    let (data, shape, work) = unsafe { (slice(data, length), slice(shape, 5), slice(work, bytes)) };
    status(graph(data, pointers, indices, shape, work))
}

/// # Safety
///
/// As for the other type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_graph_f64(
    data: *mut f64,
    length: usize,
    pointers: *mut usize,
    rows: usize,
    indices: *mut u32,
    count: usize,
    shape: *mut usize,
    work: *mut u8,
    bytes: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    let (pointers, indices) = unsafe { (slice(pointers, rows), slice(indices, count)) };
    // SAFETY: the caller's promise.
    let (data, shape, work) = unsafe { (slice(data, length), slice(shape, 5), slice(work, bytes)) };
    status(graph(data, pointers, indices, shape, work))
}
