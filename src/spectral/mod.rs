//! Spectral embedding: samples as points whose clusters k-means can see.
//!
//! The symmetric form, of the profiles `default` and `paper`: the leading eigenvectors of
//! `N = D^-1/2 S D^-1/2`, which are those of the smallest eigenvalues of the Laplacian `I - N`, as columns; rows
//! scaled to unit length. `S` is symmetric, so only its lower triangle exists: row `i` has `i + 1` elements, one row
//! after the other ([`packed_length`] in all). The authors' own form is [`mod@reference`].
//!
//! The steps, on one triangle: [`normalise_packed`], then
//! [`canonical_order`](crate::order::canonical_order) of the degrees, then [`embed`], or [`estimate_clusters`] and
//! [`embed`].

mod eigengap;
pub(crate) mod packed;
pub mod reference;

pub use eigengap::{eigenvalue_count, estimate_clusters, estimate_clusters_layout};
pub use packed::{normalise_packed, packed_length};

use crate::linalg::krylov::{TopOptions, top, top_layout};
use crate::linalg::reflectors::{triangle_length, triangle_row_mut};
use crate::linalg::tridiagonal::{Factored, SMALL, factored_layout};
use crate::linalg::{Mat, MatMut, vector};
use crate::order::{check_count, check_order};
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check};
use packed::{Ordered, rows};

/// A graph after [`normalise_packed`].
#[derive(Clone, Copy, Debug)]
pub struct Graph<'a, T> {
    /// The lower triangle of `N`.
    pub triangle: &'a [T],
    /// The degrees that it was normalised by; their number is the number of samples.
    pub degrees: &'a [T],
    /// The canonical order of the samples. The eigensolver works along it from its random start on, so that samples
    /// that come in another order change its vectors by no more than rounding.
    pub order: &'a [u32],
    /// Threads for products with it: two are used, and any number gives the same bits.
    pub threads: usize,
}

impl<T: Scalar> Graph<'_, T> {
    fn check(&self) -> Result<usize, Error> {
        let n = self.degrees.len();
        check::positive("degrees", n)?;
        check_count(n)?;
        check::equal("order", n, self.order.len())?;
        check::equal("triangle", packed_length(n)?, self.triangle.len())?;
        check::finite("degrees", self.degrees)?;
        check::finite("triangle", self.triangle)?;
        Ok(n)
    }
}

/// Between the rounding and its square root: what shuffled samples may differ by in an eigenvector, times the gap.
fn tolerance<T: Scalar>() -> T {
    let root = T::EPSILON.sqrt();
    root * root.sqrt() * T::from_f64(4.0)
}

fn options<T: Scalar>(count: usize, seed: u64) -> TopOptions<T> {
    TopOptions { tolerance: tolerance(), seed, ..TopOptions::new(count) }
}

/// True where all eigenpairs take less memory than a Krylov basis for a few; and for small orders, where products by panels
/// would need more stack than a small machine has.
const fn is_dense(n: usize, count: usize) -> bool {
    n <= SMALL || n <= count.saturating_add(4).saturating_mul(12)
}

/// What [`leading`] needs.
fn leading_layout<T: Scalar>(n: usize, count: usize) -> Result<Layout, Error> {
    let order = Layout::array::<u32>(n)?;
    if is_dense(n, count) {
        return Ok(order.or(Layout::array::<T>(triangle_length(n)?)?.and(factored_layout::<T>(n)?)?));
    }
    check::large()?;
    Ok(order.or(Ordered::<T>::layout(n)?.and(top_layout::<T>(n, &options(count, 0))?)?))
}

/// The `values.len()` leading eigenvalues of `N`, descending, and their vectors as rows, coordinates in canonical
/// order.
fn leading<T: Scalar>(
    graph: &Graph<'_, T>,
    seed: u64,
    values: &mut [T],
    mut vectors: MatMut<'_, T>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let (n, count) = (graph.order.len(), values.len());
    check_order(graph.order, work.scope().take(n)?)?;
    let mut work = work.scope();
    if is_dense(n, count) || !cfg!(feature = "large") {
        let triangle = work.take(triangle_length(n)?)?;
        reorder(graph, triangle);
        let eigen = Factored::new(triangle, n, &mut work)?;
        vector::copy(eigen.values(), values);
        return eigen.write_vectors(&mut vectors, &mut work);
    }
    let mut operator = Ordered::new(graph, &mut work)?;
    top(&mut operator, &options(count, seed), values, vectors, &mut work).map(drop)
}

/// The triangle, rows and columns in canonical order.
fn reorder<T: Scalar>(graph: &Graph<'_, T>, triangle: &mut [T]) {
    let element = |i: usize, j: usize| {
        let (long, short) = if i > j { (i, j) } else { (j, i) };
        vector::at(rows(graph.triangle, long..long.saturating_add(1)), short)
    };
    for (i, &sample) in graph.order.iter().enumerate() {
        for (x, &other) in triangle_row_mut(triangle, i).iter_mut().zip(graph.order) {
            *x = element(sample as usize, other as usize);
        }
    }
}

/// What [`embed`] needs for `n` samples in `k` dimensions.
pub fn embed_layout<T: Scalar>(n: usize, k: usize) -> Result<Layout, Error> {
    check::positive("samples", n)?;
    check_dimensions(n, k)?;
    Layout::array::<T>(check::product("eigenvectors", &[k, n])?)?
        .and_array::<T>(k)?
        .and(leading_layout::<T>(n, k)?)
}

fn check_dimensions(n: usize, k: usize) -> Result<(), Error> {
    if k == 0 || k > n {
        return Err(Error::Parameter { what: "clusters", requirement: "1 to the number of samples" });
    }
    Ok(())
}

/// Row `i` of `embedding` (`n x k`): the coordinates of sample `i` in the `k` leading eigenvectors of `N`, scaled to
/// unit length. `values`, `k` of them, are the eigenvalues, descending.
///
/// A sample without an edge, or with next to nothing in the leading vectors, is at the origin. Where the iteration
/// does not settle, that is the error, and nothing is written.
///
/// A graph of more than `k` separate parts has more than `k` eigenvalues of one. Which of their vectors are taken is
/// then left to rounding: no choice is better than another, and shuffled samples may get a different one.
pub fn embed<T: Scalar>(
    graph: &Graph<'_, T>,
    seed: u64,
    embedding: &mut [T],
    values: &mut [T],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let (n, k) = (graph.check()?, values.len());
    check_dimensions(n, k)?;
    check::shape("embedding", embedding, &[n, k])?;
    work.require(embed_layout::<T>(n, k)?)?;
    let mut work = work.scope();
    let mut vectors =
        MatMut::new("eigenvectors", work.take(check::product("eigenvectors", &[k, n])?)?, k, n)?;
    let found = work.take(k)?;
    leading(graph, seed, found, vectors.as_mut(), &mut work)?;
    vector::copy(found, values);
    let mut embedding = MatMut::new("embedding", embedding, n, k)?;
    for (place, &sample) in graph.order.iter().enumerate() {
        let row = embedding.row_mut(sample as usize);
        if vector::at(graph.degrees, sample as usize) > T::ZERO {
            gather(vectors.as_ref(), place, row);
            unit_length(row);
        } else {
            row.fill(T::ZERO);
        }
    }
    Ok(())
}

/// One coordinate of every vector.
fn gather<T: Scalar>(vectors: Mat<'_, T>, place: usize, row: &mut [T]) {
    for (j, x) in row.iter_mut().enumerate() {
        *x = vectors.at(j, place);
    }
}

/// Scales a row to unit length; one that is no more than the error of the vectors becomes zero.
fn unit_length<T: Scalar>(row: &mut [T]) {
    let length = vector::norm(row);
    if length > tolerance() {
        row.iter_mut().for_each(|x| *x /= length);
    } else {
        row.fill(T::ZERO);
    }
}
