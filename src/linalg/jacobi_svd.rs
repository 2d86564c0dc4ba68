//! Singular values by one-sided Jacobi rotations, preconditioned by a pivoted QR.
//!
//! `A P = Q R`, and rotations from the left make the rows of R orthogonal: their norms are the singular values and
//! their directions the right singular vectors W. The rotations themselves are not kept: the columns of `R W` are
//! orthogonal and descend, so their QR gives the left vectors, whatever the rank. Larger matrices start from the
//! eigenvectors of a Gram matrix, and rotations then only polish.
//!
//! Where the columns of A have very different scales, small singular values come out as accurately as large ones
//! (Drmac and Veselic, "New fast and accurate Jacobi SVD algorithm", 2008), which no method that first makes A
//! bidiagonal can say.

use super::product::{self, agree};
use super::qr::{self, Pivoting, check_norm, complete_basis, reflect_rows, rows_together, swap};
use super::tridiagonal::{eigen_dense, eigen_dense_layout, scale_to_one};
use super::vector::{axpy, copy, dot, max_abs, norm, scale};
use super::{Mat, MatMut};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};

/// Rounds over all pairs of rows. Two to four are usual after a start by Gram matrices, five to ten without.
const SWEEPS: usize = 40;

/// Rows of similar length that are worth a start by their Gram matrix.
const WORTHWHILE: usize = 8;

/// What [`svd`] needs.
pub fn svd_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    let (small, area) = (rows.min(cols), check::product("a", &[rows, cols])?);
    // The left vectors, once in the basis of Q and once at their full length, are made when the start is past.
    let left = Layout::array::<F>(small.saturating_mul(small))?.and_array::<F>(area)?;
    factors_layout::<F>(rows, cols)?.and(left.or(start_layout::<F>(small)?))
}

/// What [`singular_values`] needs.
pub fn singular_values_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    factors_layout::<F>(rows, cols)?.and(start_layout::<F>(rows.min(cols))?)
}

fn factors_layout<F: Field>(rows: usize, cols: usize) -> Result<Layout, Error> {
    let (small, area) = (rows.min(cols), check::product("a", &[rows, cols])?);
    Layout::array::<F>(area)?
        .and_array::<F>(small.saturating_mul(small))?
        .and_array::<F>(small)?
        .and_array::<[F::Real; 2]>(small)?
        .and_array::<usize>(small)
}

fn start_layout<F: Field>(small: usize) -> Result<Layout, Error> {
    if small < WORTHWHILE {
        return Ok(Layout::EMPTY);
    }
    let square = small.saturating_mul(small);
    Layout::array::<F>(square)?
        .and_array::<F>(square)?
        .and_array::<F::Real>(small)?
        .and(eigen_dense_layout::<F>(small)?)
}

/// `A = U diag(s) V^H` for any shape, with `k = min(rows, cols)` values, the largest first: `u` is `rows x k` and
/// its columns are orthonormal, `vh` is `k x cols` and its rows are, whatever the rank of A.
pub fn svd<F: Field>(
    a: Mat<'_, F>,
    mut u: MatMut<'_, F>,
    s: &mut [F::Real],
    mut vh: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let (small, large) = (a.rows().min(a.cols()), a.rows().max(a.cols()));
    check::positive("a", small)?;
    agree("rows of u", a.rows(), u.rows())?;
    agree("columns of u", small, u.cols())?;
    agree("s", small, s.len())?;
    agree("rows of vh", small, vh.rows())?;
    agree("columns of vh", a.cols(), vh.cols())?;
    check_norm(a)?;
    work.require(svd_layout::<F>(a.rows(), a.cols())?)?;

    let mut work = work.scope();
    let mut factors = Factors::of(a, &mut work)?;
    factors.start(&mut work)?;
    factors.orthogonalise()?;
    let mut core = MatMut::new("left vectors", work.take(small.wrapping_mul(small))?, small, small)?;
    let mut left = MatMut::new("left vectors", work.take(a.data().len())?, small, large)?;
    factors.rows_to_right_vectors()?;
    factors.left_vectors(&mut core, &mut left);

    factors.write_values(s);
    let (left, right) = (left.as_ref(), factors.triangle.as_ref());
    for i in 0..small {
        let places = factors.permutation.iter().zip(right.row(i));
        if a.rows() >= a.cols() {
            places.for_each(|(&j, &x)| vh.set(i, j, x));
            left.row(i).iter().enumerate().for_each(|(j, &x)| u.set(j, i, x));
        } else {
            // The adjoint was decomposed: A^H = L S R^H, hence A = R S L^H.
            places.for_each(|(&j, &x)| u.set(j, i, x.conj()));
            vh.row_mut(i).iter_mut().zip(left.row(i)).for_each(|(y, x)| *y = x.conj());
        }
    }
    Ok(())
}

/// The singular values of A alone, the largest first, with the same bits as from [`svd`].
pub fn singular_values<F: Field>(
    a: Mat<'_, F>,
    s: &mut [F::Real],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    check::positive("a", a.rows().min(a.cols()))?;
    agree("s", a.rows().min(a.cols()), s.len())?;
    check_norm(a)?;
    work.require(singular_values_layout::<F>(a.rows(), a.cols())?)?;
    let mut work = work.scope();
    let mut factors = Factors::of(a, &mut work)?;
    factors.start(&mut work)?;
    factors.orthogonalise()?;
    factors.write_values(s);
    Ok(())
}

/// `unit A P = Q R` for the taller of A and A^H.
struct Factors<'a, F: Field> {
    /// Row j: column j of R above the diagonal, then the vector of the j-th reflector, whose product is Q.
    columns: MatMut<'a, F>,
    /// The diagonal of R.
    diagonal: &'a mut [F],
    /// R; then its rows made orthogonal; then `W^H`.
    triangle: MatMut<'a, F>,
    /// The norms of the rows of the triangle (in the first of each pair, the second is for pivoting).
    norms: &'a mut [[F::Real; 2]],
    /// Column j of `A P` is column `permutation[j]` of A.
    permutation: &'a mut [usize],
    /// A power of two that keeps the squares of singular values within range.
    unit: F::Real,
}

impl<'a, F: Field> Factors<'a, F> {
    fn of(a: Mat<'_, F>, work: &mut Arena<'a>) -> Result<Self, Error> {
        let (small, large) = (a.rows().min(a.cols()), a.rows().max(a.cols()));
        let mut columns = MatMut::new("columns", work.take(a.data().len())?, small, large)?;
        let mut triangle = MatMut::new("triangle", work.take(small.wrapping_mul(small))?, small, small)?;
        let diagonal = work.take(small)?;
        let norms = work.take(small)?;
        let permutation = work.take(small)?;

        if a.rows() >= a.cols() {
            qr::transpose(a, &mut columns);
        } else {
            columns.data_mut().iter_mut().zip(a.data()).for_each(|(x, a)| *x = a.conj());
        }
        let unit = scale_to_one(max_abs(a.data()));
        if unit != F::Real::ONE {
            scale(columns.data_mut(), unit);
        }
        qr::reflect_columns(&mut columns, diagonal, Some(Pivoting { permutation, norms }));
        triangle.clear();
        for (j, &d) in diagonal.iter().enumerate() {
            columns.as_ref().row(j).iter().take(j).enumerate().for_each(|(i, &x)| triangle.set(i, j, x));
            triangle.set(j, j, d);
        }
        Ok(Self { columns, diagonal, triangle, norms, permutation, unit })
    }

    /// Brings rows of similar length near to orthogonal at one blow, by the eigenvectors of their Gram matrix.
    ///
    /// That costs about two rounds of rotations and saves four. An error of eps in the longest row of a block
    /// reaches the shortest, so a block ends where rows are shorter by the fourth root of eps: the rotations
    /// that follow see to the rest, and small singular values keep their digits.
    fn start(&mut self, work: &mut Arena<'_>) -> Result<(), Error> {
        let count = self.triangle.rows();
        let ratio = F::Real::EPSILON.sqrt().sqrt();
        let mut first = 0;
        while let Some(longest) = self.diagonal.get(first).map(|d| d.abs()) {
            let rest = self.diagonal.iter().skip(first);
            let length = rest.take_while(|d| d.abs() >= longest * ratio).count().max(1);
            if length >= WORTHWHILE {
                let from = first.wrapping_mul(count);
                let range = from..from.wrapping_add(length.wrapping_mul(count));
                let rows = self.triangle.data_mut().get_mut(range).unwrap_or(&mut []);
                diagonalise_gram(MatMut::new("rows", rows, length, count)?, &mut work.scope())?;
            }
            first = first.wrapping_add(length);
        }
        Ok(())
    }

    /// Rotates pairs of rows until all are orthogonal, and sorts them by their norms.
    fn orthogonalise(&mut self) -> Result<(), Error> {
        let count = self.triangle.rows();
        // A complex product rounds by a few units however few its terms: less than that is never reached.
        let tolerance = F::Real::EPSILON * (F::Real::from_usize(count).sqrt() + F::Real::from_f64(3.0));
        for _ in 0..SWEEPS {
            self.measure();
            let mut rotated = false;
            for p in 0..count {
                // Large rows first (de Rijk): the norms settle in order and fewer rounds are needed.
                self.bring_largest(p);
                for q in p.wrapping_add(1)..count {
                    rotated |= self.make_orthogonal(p, q, tolerance);
                }
            }
            if !rotated {
                self.measure();
                (0..count).for_each(|p| self.bring_largest(p));
                return Ok(());
            }
        }
        Err(Error::NotConverged { what: "Jacobi SVD", limit: SWEEPS })
    }

    fn measure(&mut self) {
        for (i, norms) in self.norms.iter_mut().enumerate() {
            *norms = [norm(self.triangle.as_ref().row(i)); 2];
        }
    }

    fn bring_largest(&mut self, p: usize) {
        let rest = self.norms.iter().enumerate().skip(p);
        let largest = rest.reduce(|best, next| if next.1[0] > best.1[0] { next } else { best });
        if let Some((other, _)) = largest.filter(|&(other, _)| other != p) {
            swap(self.norms, p, other);
            self.triangle.swap_rows(p, other);
        }
    }

    /// Makes rows `p` and `q` orthogonal; false if they are.
    #[inline(always)]
    fn make_orthogonal(&mut self, p: usize, q: usize, tolerance: F::Real) -> bool {
        let Ok([[long, _], [short, _]]) = self.norms.get_disjoint_mut([p, q]) else { return false };
        if *short < negligible::<F::Real>() {
            return false;
        }
        let (x, y) = self.triangle.two_rows_mut(p, q);
        let product = dot(x, y);
        if product.abs_max() <= tolerance * *long * *short {
            return false;
        }
        let half_difference = (*short - *long) * (*short + *long) * F::Real::HALF;
        let rotation = Rotation::new(half_difference, product);
        rotation.apply(x, y);
        // Norms are carried along until the next round, unless most of one has cancelled.
        let carry = |length: F::Real, change: F::Real, row: &[F]| {
            let (before, after) = (length * length, length * length + change);
            if after < before * F::Real::HALF { norm(row) } else { after.sqrt() }
        };
        (*long, *short) = (carry(*long, -rotation.shift, x), carry(*short, rotation.shift, y));
        true
    }

    /// Scales the rows to length one; those that have none become a basis of what is left.
    fn rows_to_right_vectors(&mut self) -> Result<(), Error> {
        let mut rank = 0;
        for (i, &[length, _]) in self.norms.iter().enumerate() {
            let row = self.triangle.row_mut(i);
            if length >= negligible::<F::Real>() {
                row.iter_mut().for_each(|x| *x = x.unscale(length));
                rank = i.wrapping_add(1);
            } else {
                row.fill(F::ZERO);
            }
        }
        complete_basis(self.triangle.as_mut(), rank)
    }

    /// `left`, row by row, becomes the columns of `Q Z` where `R W = Z T` is a QR, computed in `core`.
    ///
    /// T is the diagonal of singular values up to rounding. That the columns of `R W` descend is what makes Z
    /// right: an error of eps in a large column would turn a small one, but is taken out of it here.
    fn left_vectors(&mut self, core: &mut MatMut<'_, F>, left: &mut MatMut<'_, F>) {
        core.clear();
        for j in 0..core.rows() {
            for (k, (w, &d)) in self.triangle.as_ref().row(j).iter().zip(self.diagonal.iter()).enumerate() {
                let (above, at) = core.row_mut(j).split_at_mut_checked(k).unwrap_or((&mut [], &mut []));
                axpy(w.conj(), self.columns.as_ref().row(k), above);
                axpy(w.conj(), &[d], at);
            }
        }
        qr::reflect_columns(core, self.diagonal, None);
        qr::reflectors_to_columns(core, self.diagonal);
        left.clear();
        for i in 0..left.rows() {
            copy(core.as_ref().row(i), left.row_mut(i));
        }
        let together = left.cols().saturating_mul(rows_together::<F>(left.cols())).max(1);
        for rows in left.data_mut().chunks_mut(together) {
            for j in (0..self.columns.rows()).rev() {
                reflect_rows(self.columns.as_ref().row(j), j, rows);
            }
        }
    }

    fn write_values(&self, s: &mut [F::Real]) {
        for (s, norms) in s.iter_mut().zip(self.norms.iter()) {
            *s = norms[0] / self.unit;
        }
    }
}

/// `X <- V^H X` where V are the eigenvectors of `X X^H`, so that the rows become orthogonal up to rounding.
fn diagonalise_gram<F: Field>(mut x: MatMut<'_, F>, work: &mut Arena<'_>) -> Result<(), Error> {
    let (rows, cols) = (x.rows(), x.cols());
    let square = rows.wrapping_mul(rows);
    let vectors = work.take::<F>(square)?;
    let product = work.take::<F>(rows.wrapping_mul(cols))?;
    let values = work.take(rows)?;
    let gram = product.get_mut(..square).unwrap_or(&mut []);
    product::gram(x.as_ref(), MatMut::new("Gram matrix", gram, rows, rows)?)?;
    let (gram, v) =
        (Mat::new("Gram matrix", gram, rows, rows)?, MatMut::new("vectors", vectors, rows, rows)?);
    eigen_dense(gram, values, v, work)?;
    vectors.iter_mut().for_each(|v| *v = v.conj());
    let vectors = Mat::new("vectors", vectors, rows, rows)?;
    product::multiply(vectors, x.as_ref(), MatMut::new("rows", product, rows, cols)?)?;
    copy(product, x.data_mut());
    Ok(())
}

/// Rows shorter than this are zero beside a matrix of size one: their products would underflow.
fn negligible<T: Scalar>() -> T {
    (T::MIN_POSITIVE / T::EPSILON).sqrt()
}

/// The rotation of two rows x and y that diagonalises the Hermitian `[[a, conj(d)], [d, b]]` of their products:
/// y is multiplied by `conj(d)/|d|`, and then `x <- cos x - sin y`, `y <- sin x + cos y` by at most 45 degrees.
///
/// It is applied as three shears. Near the identity, where a cosine rounds to one and lengths would grow a little
/// each time, a shear rounds without bias.
pub(super) struct Rotation<F: Field> {
    phase: F,
    sin: F::Real,
    /// `sin/(1 + cos)`, the tangent of half the angle.
    half_tan: F::Real,
    /// What the rotation takes from a and gives to b.
    pub shift: F::Real,
}

impl<F: Field> Rotation<F> {
    /// From `(b - a)/2` and `d != 0`.
    #[inline(always)]
    pub fn new(half_difference: F::Real, d: F) -> Self {
        let (one, half) = (F::Real::ONE, F::Real::HALF);
        // A real d keeps its sign, and needs no phase.
        let (size, phase) = if F::IS_COMPLEX {
            let size = d.abs();
            (size, d.conj().unscale(size))
        } else {
            (d.re(), F::ONE)
        };
        // The cotangent of the double angle; beyond 1/eps its square could overflow and no longer matters.
        let cot = half_difference / size;
        let steep = cot.abs();
        let (flat, cos) = if steep * F::Real::EPSILON > one {
            (half / steep, one)
        } else {
            let root = (one + steep * steep).sqrt();
            (one / (steep + root), (half + half * (steep / root)).sqrt())
        };
        let tan = if cot < F::Real::ZERO { -flat } else { flat };
        let sin = tan * cos;
        Self { phase, sin, half_tan: sin / (one + cos), shift: tan * size }
    }

    /// Rotates two rows.
    #[inline(always)]
    pub fn apply(&self, x: &mut [F], y: &mut [F]) {
        for (x, y) in x.iter_mut().zip(y) {
            let turned = if F::IS_COMPLEX { *y * self.phase } else { *y };
            let sheared = *x - turned.scale(self.half_tan);
            *y = turned + sheared.scale(self.sin);
            *x = sheared - y.scale(self.half_tan);
        }
    }
}
