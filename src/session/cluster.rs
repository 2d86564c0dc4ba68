//! From the learned graphs to labels.

use super::read::Reader;
use super::{Parts, Session, after_the_first_step};
use crate::config::{Affinity, Config, Spectral};
use crate::kmeans;
use crate::linalg::Mat;
use crate::linalg::triangle::symmetrise;
use crate::linalg::vector::{self, at, put};
use crate::order::canonical_order;
use crate::solver::State;
use crate::spectral::{self, Graph, packed, reference};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, parallel};
use core::ops::Range;

/// What was found beside the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustering<T> {
    /// Clusters: what was asked for, or the estimate.
    pub clusters: usize,
    /// True where the number of clusters was estimated.
    pub estimated: bool,
    /// Sum of the squared distances of the embedded samples to the centres of their clusters.
    pub inertia: T,
}

/// Dimensions of the embedding at most.
fn dimensions<T: Scalar>(config: &Config<T>) -> usize {
    match config.clusters {
        0 => spectral::eigenvalue_count(config.samples, config.max_clusters),
        clusters => clusters,
    }
}

/// Elements of the graph that is embedded: half of it suffices where it is symmetric.
fn graph_length<T: Scalar>(config: &Config<T>) -> Result<usize, Error> {
    match config.spectral() {
        Spectral::Symmetric => spectral::packed_length(config.samples),
        Spectral::Reference => check::product("affinity", &[config.samples, config.samples]),
    }
}

/// What the clustering needs.
pub(super) fn layout<T: Scalar>(config: &Config<T>) -> Result<Layout, Error> {
    let (n, k) = (config.samples, dimensions(config));
    // What `packed_graph` needs: a row a thread.
    let rows = Layout::array::<T>(check::product("rows", &[parallel::workers(config.threads), n])?)?;
    let mut scratch = rows.or(kmeans::cluster_layout::<T>(n, k, k)?);
    scratch = scratch.or(match config.spectral() {
        Spectral::Symmetric => spectral::embed_layout::<T>(n, k)?,
        Spectral::Reference => reference::embed_layout::<T>(n)?,
    });
    if config.clusters == 0 {
        let estimate = rows.or(spectral::estimate_clusters_layout::<T>(n, config.max_clusters)?);
        scratch = scratch.or(match config.spectral() {
            Spectral::Symmetric => estimate,
            // The estimate is made from the symmetric graph, before the other is.
            Spectral::Reference => Layout::array::<T>(spectral::packed_length(n)?)?.and(estimate)?,
        });
    }
    Layout::array::<T>(graph_length(config)?)?
        .and_array::<T>(n)?
        .and_array::<u32>(n)?
        .and_array::<T>(k)?
        .and_array::<T>(check::product("embedding", &[n, k])?)?
        .and(scratch)
}

impl<T: Scalar> Session<'_, T> {
    /// A label for every sample, from the consistent and the specific parts (Eq. 36).
    ///
    /// It may be called between steps; the run goes on as if it had not been.
    pub fn cluster(&mut self, labels: &mut [u32]) -> Result<Clustering<T>, Error> {
        self.cluster_parts(Parts::default(), labels, &mut [])
    }

    /// The same from chosen parts, and with the embedding that k-means saw: `n` rows of as many numbers as there are
    /// clusters, in the first elements of `embedding`. An empty slice does without.
    pub fn cluster_parts(
        &mut self,
        parts: Parts,
        labels: &mut [u32],
        embedding: &mut [T],
    ) -> Result<Clustering<T>, Error> {
        let (mut header, config, mut arena) = self.open()?;
        after_the_first_step(&header)?;
        check::equal("labels", config.samples, labels.len())?;
        if !embedding.is_empty() {
            check_room(&config, embedding)?;
        }
        let rho = header.progress().rho;
        header.forget_transient();
        let reader = Reader::new(config, State::carve(&config, &mut arena)?, rho);
        let Embedding { clusters, points, order } = embed(&reader, parts, &mut arena)?;
        let options =
            kmeans::Options { restarts: config.restarts, ..kmeans::Options::new(clusters, config.seed) };
        let fit = kmeans::cluster(points, order, &options, labels, &mut arena)?;
        vector::copy(points.data(), embedding);
        Ok(Clustering { clusters, estimated: config.clusters == 0, inertia: fit.inertia })
    }

    /// The embedding alone, and the canonical order of the samples: what [`kmeans::cluster`] is given. Returns the
    /// number of clusters, which is also that of the columns; [`Session::embedding_length`] is enough room for any.
    ///
    /// For those who want k-means more than once, or another method.
    pub fn embed(&mut self, parts: Parts, embedding: &mut [T], order: &mut [u32]) -> Result<usize, Error> {
        let (mut header, config, mut arena) = self.open()?;
        after_the_first_step(&header)?;
        check::equal("order", config.samples, order.len())?;
        check_room(&config, embedding)?;
        let rho = header.progress().rho;
        header.forget_transient();
        let reader = Reader::new(config, State::carve(&config, &mut arena)?, rho);
        let found = embed(&reader, parts, &mut arena)?;
        vector::copy(found.points.data(), embedding);
        vector::copy(found.order, order);
        Ok(found.clusters)
    }

    /// Numbers of the embedding at most.
    pub fn embedding_length(&mut self) -> Result<usize, Error> {
        room(&self.config()?)
    }
}

/// What k-means is given.
struct Embedding<'a, T> {
    clusters: usize,
    /// A row a sample, a column a cluster.
    points: Mat<'a, T>,
    /// The canonical order of the samples.
    order: &'a [u32],
}

fn room<T: Scalar>(config: &Config<T>) -> Result<usize, Error> {
    check::product("embedding", &[config.samples, dimensions(config)])
}

fn check_room<T: Scalar>(config: &Config<T>, embedding: &[T]) -> Result<(), Error> {
    let (expected, found) = (room(config)?, embedding.len());
    if found < expected { Err(Error::Length { what: "embedding", expected, found }) } else { Ok(()) }
}

/// The spectral embedding of the fused graph, in the arena; the number of clusters is estimated where none is given.
fn embed<'a, T: Scalar>(
    reader: &Reader<'_, T>,
    parts: Parts,
    arena: &mut Arena<'a>,
) -> Result<Embedding<'a, T>, Error> {
    let config = reader.config;
    let n = config.samples;
    arena.require(layout(&config)?)?;
    let graph = arena.take::<T>(graph_length(&config)?)?;
    let degrees = arena.take::<T>(n)?;
    let order = arena.take::<u32>(n)?;
    let values = arena.take::<T>(dimensions(&config))?;
    let points = arena.take::<T>(room(&config)?)?;
    let estimated = config.clusters == 0;
    let clusters = match config.spectral() {
        Spectral::Symmetric => {
            packed_graph(reader, parts, graph, degrees, arena)?;
            spectral::normalise_packed(graph, degrees)?;
            canonical_order(degrees, order)?;
            let graph = Graph { triangle: graph, degrees, order, threads: config.threads };
            let clusters = if estimated {
                spectral::estimate_clusters(&graph, config.max_clusters, config.seed, values, arena)?
            } else {
                config.clusters
            };
            let (values, points) = sized(values, points, n, clusters);
            spectral::embed(&graph, config.seed, points, values, arena)?;
            clusters
        }
        Spectral::Reference => {
            let clusters = if estimated {
                let mut arena = arena.scope();
                let triangle = arena.take::<T>(spectral::packed_length(n)?)?;
                packed_graph(reader, parts, triangle, degrees, &mut arena)?;
                spectral::normalise_packed(triangle, degrees)?;
                canonical_order(degrees, order)?;
                let graph = Graph { triangle, degrees, order, threads: config.threads };
                spectral::estimate_clusters(&graph, config.max_clusters, config.seed, values, &mut arena)?
            } else {
                config.clusters
            };
            whole_graph(reader, parts, graph, degrees);
            column_sums(graph, degrees);
            canonical_order(degrees, order)?;
            let (values, points) = sized(values, points, n, clusters);
            reference::embed(graph, n, points, values, arena)?;
            clusters
        }
    };
    let (_, points) = sized(&mut [], points, n, clusters);
    Ok(Embedding { clusters, points: Mat::new("embedding", points, n, clusters)?, order })
}

/// The first `clusters` values, and as many columns of points.
fn sized<'a, T>(
    values: &'a mut [T],
    points: &'a mut [T],
    n: usize,
    clusters: usize,
) -> (&'a mut [T], &'a mut [T]) {
    (
        values.get_mut(..clusters).unwrap_or(&mut []),
        points.get_mut(..clusters.wrapping_mul(n)).unwrap_or(&mut []),
    )
}

/// The graph to embed as a packed lower triangle. `lengths` is scratch, one number a sample.
fn packed_graph<T: Scalar>(
    reader: &Reader<'_, T>,
    parts: Parts,
    triangle: &mut [T],
    lengths: &mut [T],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let Config { samples: n, threads, .. } = reader.config;
    triangle.fill(T::ZERO);
    // One thread reads whole rows; and where there can be no other, the library is small without the rest.
    if parallel::workers(threads) == 1 {
        add_fused(reader, parts, 0..n, triangle, work.scope().take(n)?);
    } else {
        parallel::for_each(
            threads,
            n.saturating_mul(n),
            packed::halves(triangle, n).into_iter(),
            &mut work.scope(),
            |work| work.take(n),
            |(rows, triangle), fused| {
                add_fused(reader, parts, rows, triangle, fused);
                Ok(())
            },
        )?;
    }
    if reader.config.affinity == Affinity::Symmetric {
        return Ok(());
    }
    lengths.fill(T::ZERO);
    for (i, row) in packed::rows_mut(triangle).enumerate() {
        put(row, i, T::ZERO);
        let mut sum = T::ZERO;
        for (length, &mut x) in lengths.iter_mut().zip(row) {
            *length += x * x;
            sum += x * x;
        }
        put(lengths, i, at(lengths, i) + sum);
    }
    lengths.iter_mut().for_each(|length| *length = inverse_root(*length));
    let clamped = reader.config.affinity == Affinity::UnitColumnsClamped;
    for (i, row) in packed::rows_mut(triangle).enumerate() {
        let own = at(lengths, i);
        for (x, &length) in row.iter_mut().zip(&*lengths) {
            // The columns' scales differ: the mean of the two is the symmetric part.
            let scaled = *x * ((own + length) * T::HALF);
            *x = if clamped && scaled < T::ZERO { T::ZERO } else { scaled };
        }
    }
    Ok(())
}

/// Adds the fused graph to a run of rows of the triangle.
fn add_fused<T: Scalar>(
    reader: &Reader<'_, T>,
    parts: Parts,
    rows: Range<usize>,
    triangle: &mut [T],
    fused: &mut [T],
) {
    let origin = packed::start(rows.start);
    // Element (i, j) and element (j, i) meet in the triangle, half of each.
    for i in 0..rows.end {
        // Along row i as far as the diagonal, where it is one of these, and down column i from there.
        let (first, begin) =
            if i < rows.start { (rows.start, origin.wrapping_add(i)) } else { (0, packed::start(i)) };
        let fused = fused.get_mut(..rows.end.wrapping_sub(first)).unwrap_or(&mut []);
        reader.fused_row(parts, (i, first), fused);
        let mut place = begin.wrapping_sub(origin);
        for (k, &x) in (first..).zip(&*fused) {
            let weight = if k == i { x } else { x * T::HALF };
            put(triangle, place, at(triangle, place) + weight);
            // Row k has k + 1 elements.
            place = place.wrapping_add(if k < i { 1 } else { k.wrapping_add(1) });
        }
    }
}

/// The graph to embed as a whole matrix. `lengths` is scratch, one number a sample.
fn whole_graph<T: Scalar>(reader: &Reader<'_, T>, parts: Parts, graph: &mut [T], lengths: &mut [T]) {
    let n = reader.config.samples;
    for (i, row) in graph.chunks_exact_mut(n.max(1)).enumerate() {
        reader.fused_row(parts, (i, 0), row);
    }
    symmetrise(graph, n);
    if reader.config.affinity == Affinity::Symmetric {
        return;
    }
    lengths.fill(T::ZERO);
    for (i, row) in graph.chunks_exact_mut(n.max(1)).enumerate() {
        put(row, i, T::ZERO);
        lengths.iter_mut().zip(row).for_each(|(length, x)| *length += *x * *x);
    }
    lengths.iter_mut().for_each(|length| *length = inverse_root(*length));
    for row in graph.chunks_exact_mut(n.max(1)) {
        row.iter_mut().zip(&*lengths).for_each(|(x, &length)| *x *= length);
    }
    if reader.config.affinity == Affinity::UnitColumnsClamped {
        symmetrise(graph, n);
        graph.iter_mut().for_each(|x| *x = Scalar::max(*x, T::ZERO));
    }
}

fn column_sums<T: Scalar>(graph: &[T], sums: &mut [T]) {
    sums.fill(T::ZERO);
    for row in graph.chunks_exact(sums.len().max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += x);
    }
}

/// `1/sqrt(x)`, or zero for an empty column.
fn inverse_root<T: Scalar>(squares: T) -> T {
    if squares > T::ZERO { T::ONE / squares.sqrt() } else { T::ZERO }
}
