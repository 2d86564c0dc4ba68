//! Eigenvalues and eigenvectors of a dense Hermitian matrix, by way of a tridiagonal one.
//!
//! `A = Q D T D^H Q^H`: Householder reflections `Q` leave a tridiagonal matrix, the phases `D` make it real, and
//! the implicit QL method (`implicit_ql`) takes the real `T` apart. Complex arithmetic thus ends where
//! the iteration begins.

use super::combine::{combine_layout, multiply_rows};
use super::implicit_ql::{ql, ql_layout};
use super::parts::Parts;
use super::reflectors::{Order, Reflectors, reflect_layout, triangle_length, triangle_row_mut};
use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check, simd};

/// What [`eigen_dense`] needs for a matrix of order `n`.
pub fn eigen_dense_layout<F: Field>(n: usize) -> Result<Layout, Error> {
    check::positive("matrix", n)?;
    Layout::array::<F>(triangle_length(n)?)?.and(factored_layout::<F>(n)?)
}

/// All eigenpairs `A v = lambda v` of a Hermitian matrix.
///
/// Only the lower triangle of `a` is read, and of its diagonal only the real part. `values` descend, and row
/// `i` of `vectors` is a unit eigenvector of `values[i]`. The error is a small multiple of the rounding of the
/// largest eigenvalue; an eigenvalue beyond the range of the type comes back infinite.
pub fn eigen_dense<F: Field>(
    a: Mat<'_, F>,
    values: &mut [F::Real],
    mut vectors: MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let n = a.rows();
    let need = eigen_dense_layout::<F>(n)?;
    check::shape("matrix", a.data(), &[n, n])?;
    check::shape("eigenvalues", values, &[n])?;
    check::shape("eigenvectors", vectors.data_mut(), &[n, n])?;
    check::finite("matrix", a.data())?;
    work.require(need)?;

    let mut work = work.scope();
    let triangle = work.take::<F>(triangle_length(n)?)?;
    for i in 0..n {
        let row = triangle_row_mut(triangle, i);
        row.iter_mut().zip(a.row(i)).for_each(|(t, x)| *t = x.conj());
    }
    let eigen = Factored::new(triangle, n, &mut work)?;
    vector::copy(eigen.values(), values);
    eigen.write_vectors(&mut vectors, &mut work)
}

/// Orders up to this are small: what is there for them is fast enough, and small machines need one method only.
pub(crate) const SMALL: usize = 128;

/// True where a second method pays.
pub(crate) const fn is_large(n: usize) -> bool {
    cfg!(feature = "large") && n > SMALL
}

/// What [`Factored::new`] and its methods need, beside the triangle.
pub(crate) fn factored_layout<F: Field>(n: usize) -> Result<Layout, Error> {
    let parts = if is_large(n) { Parts::<F>::layout(n)? } else { Layout::EMPTY };
    let scratch = ql_layout::<F::Real>(n)?
        .or(reflect_layout::<F>(n)?)
        .or(combine_layout::<F>(n)?)
        .or(Layout::array::<F>(n)?.and_array::<F>(n)?.and(parts)?);
    Layout::array::<F::Real>(check::product("matrix", &[n, n])?)?
        .and_array::<F>(n)?
        .and_array::<F::Real>(n)?
        .and_array::<F::Real>(n)?
        .and_array::<F::Real>(n)?
        .and(scratch)
}

/// A Hermitian matrix reduced to a real tridiagonal one: `A = Q D T D^H Q^H / scale`.
pub(crate) struct Reduced<'a, F: Field> {
    pub(crate) reflectors: Reflectors<'a, F>,
    pub(crate) turns: &'a [F],
    /// `T_ii`.
    pub(crate) diagonal: &'a mut [F::Real],
    /// `T_(i,i-1)`; the first is none.
    pub(crate) coupling: &'a mut [F::Real],
    pub(crate) scale: F::Real,
}

impl<'a, F: Field> Reduced<'a, F> {
    /// Consumes the `triangle`: the lower one of the matrix of order `n`, packed row by row and conjugated.
    pub(crate) fn new(triangle: &'a mut [F], n: usize, work: &mut Arena<'a>) -> Result<Self, Error> {
        let turns = work.take::<F>(n)?;
        let factors = work.take::<F::Real>(n)?;
        let diagonal = work.take::<F::Real>(n)?;
        let coupling = work.take::<F::Real>(n)?;
        let scale = scale_to_one(vector::max_abs(triangle));
        vector::scale(triangle, scale);
        reduce(triangle, diagonal, coupling, turns, factors, &mut work.scope())?;
        Ok(Self { reflectors: Reflectors { triangle, factors }, turns, diagonal, coupling, scale })
    }

    /// Takes `T` apart. `real_vectors` is `n x n`.
    pub(crate) fn diagonalise(
        mut self,
        mut real_vectors: MatMut<'a, F::Real>,
        work: &mut Arena<'_>,
    ) -> Result<Factored<'a, F>, Error> {
        self.diagonalise_into(&mut real_vectors, work)?;
        let Self { reflectors, turns, diagonal: values, scale, .. } = self;
        values.iter_mut().for_each(|value| *value = value.unscale(scale));
        Ok(Factored { reflectors, turns, real_vectors, values })
    }

    /// All eigenvalues of `T`, descending. `spare` is as long.
    pub(crate) fn write_eigenvalues(
        &self,
        values: &mut [F::Real],
        spare: &mut [F::Real],
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        vector::copy(self.coupling, spare);
        vector::copy(self.diagonal, values);
        let mut none = MatMut::new("vectors", &mut [], values.len(), 0)?;
        ql(values, spare.get_mut(1..).unwrap_or(&mut []), none.as_mut(), work)?;
        sort_descending(values, &mut none);
        Ok(())
    }

    /// The diagonal becomes the eigenvalues of `T`, descending, and the rows of `z` its unit eigenvectors.
    pub(crate) fn diagonalise_into(
        &mut self,
        z: &mut MatMut<'_, F::Real>,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        let values = &mut *self.diagonal;
        z.set_identity();
        ql(values, self.coupling.get_mut(1..).unwrap_or(&mut []), z.as_mut(), work)?;
        sort_descending(values, z);
        for i in 0..values.len() {
            // Thousands of rotations, each a rounding longer or shorter than one, add up.
            let z = z.row_mut(i);
            vector::scale(z, F::Real::ONE / vector::norm(z));
        }
        Ok(())
    }

    /// Replaces each row `x` of a matrix by `D^H Q^H x`.
    pub(crate) fn enter(&self, x: &mut MatMut<'_, F>, work: &mut Arena<'_>) -> Result<(), Error> {
        self.reflectors.apply(Order::Down, x, 0, work)?;
        turn_rows(x, self.turns, |x, turn| x * turn.conj());
        Ok(())
    }

    /// Replaces each row `x` of a matrix by `Q D x`.
    pub(crate) fn leave(&self, x: &mut MatMut<'_, F>, work: &mut Arena<'_>) -> Result<(), Error> {
        turn_rows(x, self.turns, |x, turn| x * turn);
        self.reflectors.apply(Order::Up, x, 0, work)
    }
}

fn turn_rows<F: Field>(x: &mut MatMut<'_, F>, turns: &[F], turned: impl Fn(F, F) -> F) {
    for i in 0..x.rows() {
        x.row_mut(i).iter_mut().zip(turns).for_each(|(x, &turn)| *x = turned(*x, turn));
    }
}

/// A Hermitian matrix taken apart, its eigenvectors `Q D z_i` not multiplied out.
pub(crate) struct Factored<'a, F: Field> {
    reflectors: Reflectors<'a, F>,
    turns: &'a [F],
    real_vectors: MatMut<'a, F::Real>,
    values: &'a [F::Real],
}

impl<'a, F: Field> Factored<'a, F> {
    /// Consumes the `triangle`, as [`Reduced::new`] does.
    pub(crate) fn new(triangle: &'a mut [F], n: usize, work: &mut Arena<'a>) -> Result<Self, Error> {
        let square = check::product("matrix", &[n, n])?;
        let real_vectors = MatMut::new("eigenvectors", work.take::<F::Real>(square)?, n, n)?;
        Reduced::new(triangle, n, work)?.diagonalise(real_vectors, &mut work.scope())
    }

    /// The eigenvalues, descending.
    pub(crate) const fn values(&self) -> &'a [F::Real] {
        self.values
    }

    /// As many unit eigenvectors as `vectors` has rows: `Q D z_i`.
    pub(crate) fn write_vectors(
        &self,
        vectors: &mut MatMut<'_, F>,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        for i in 0..vectors.rows() {
            let z = self.real_vectors.as_ref().row(i);
            for ((v, turn), &z) in vectors.row_mut(i).iter_mut().zip(self.turns).zip(z) {
                *v = turn.scale(z);
            }
        }
        self.reflectors.apply(Order::Up, vectors, 0, work)
    }

    /// The same, ready to take coordinates.
    pub(crate) fn into_basis(mut self) -> Basis<'a, F> {
        self.real_vectors.adjoin();
        Basis(self)
    }
}

/// The eigenvectors `v_i` as a basis.
pub(crate) struct Basis<'a, F: Field>(Factored<'a, F>);

impl<F: Field> Basis<'_, F> {
    /// Replaces each row `x` of a matrix, from column `from` on, by its first `count` coordinates
    /// `v_i^H x = z_i^T D^H Q^H x`; what lies beyond keeps no meaning.
    pub(crate) fn take_coordinates(
        &self,
        x: &mut MatMut<'_, F>,
        from: usize,
        count: usize,
        work: &mut Arena<'_>,
    ) -> Result<(), Error> {
        let Factored { reflectors, turns, real_vectors, .. } = &self.0;
        reflectors.apply(Order::Down, x, from, work)?;
        for i in 0..x.rows() {
            for (x, turn) in x.row_mut(i).iter_mut().skip(from).zip(turns.iter()) {
                *x *= turn.conj();
            }
        }
        multiply_rows(x, from, turns.len(), count, real_vectors.as_ref(), work)
    }
}

/// Largest first, each value with its row.
pub(crate) fn sort_descending<T: Scalar>(values: &mut [T], rows: &mut MatMut<'_, T>) {
    for place in 0..values.len() {
        let rest = values.iter().enumerate().skip(place);
        let largest = rest.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let from = largest.map_or(place, |(index, _)| index);
        if let Ok([first, second]) = values.get_disjoint_mut([place, from]) {
            core::mem::swap(first, second);
            rows.swap_rows(place, from);
        }
    }
}

/// A power of two that brings `largest` into [1/2, 1], or as near as the range of the type allows.
pub(crate) fn scale_to_one<T: Scalar>(largest: T) -> T {
    let mut scale = T::ONE;
    if largest > T::ZERO {
        while largest * scale > T::ONE {
            scale *= T::HALF;
        }
        while largest * scale < T::HALF && scale < T::MAX * T::HALF * T::HALF {
            scale *= T::TWO;
        }
    }
    scale
}

/// Reduces the matrix, from its last row up, to the tridiagonal `T` with `T_ii = diagonal_i` and
/// `T_(i,i-1) = coupling_i >= 0`.
///
/// The triangle holds the conjugate of the lower one, which is column after column of the upper one: so a row is
/// the vector that its reflector is made of, and `dot` and `axpy` with a row are products with the matrix.
/// Afterwards row `i` holds the reflector `u` of `H_i = I - factors_i u u^H`, which acts on the first `i`
/// coordinates, and `A = Q D T D^H Q^H` with `Q = H_(n-1) ... H_1` and `D` the diagonal of `turns`.
#[cfg_attr(not(feature = "std"), inline(never))] // One copy is small.
fn reduce<F: Field>(
    triangle: &mut [F],
    diagonal: &mut [F::Real],
    coupling: &mut [F::Real],
    turns: &mut [F],
    factors: &mut [F::Real],
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let mut work = work.scope();
    let n = diagonal.len();
    let (mut w, mut next_w) = (work.take::<F>(n)?, work.take::<F>(n)?);
    let mut parts = if is_large(n) { Some(Parts::new(n, &mut work)?) } else { None };
    let (mut rest, mut below): (&mut [F], &mut [F]) = (triangle, &mut []);
    let places = diagonal.iter_mut().zip(coupling).zip(turns.iter_mut()).zip(factors).enumerate().rev();
    for (i, (((diagonal, coupling), turn), factor)) in places {
        let at = triangle_length(i)?;
        let Some((above, row)) = core::mem::take(&mut rest).split_at_mut_checked(at) else { break };
        // The last reflection has reached no row yet: it meets each on the way of the next product.
        let last = Update { u: below.get(..=i).unwrap_or(&[]), w: w.get(..=i).unwrap_or(&[]) };
        last.apply(i, row);
        let Some((corner, u)) = row.split_last_mut() else { break };
        *diagonal = corner.re();
        (*coupling, *turn, *factor) = reflector(u);
        let next = next_w.get_mut(..i).unwrap_or(&mut []);
        if is_large(n)
            && let Some(parts) = &mut parts
        {
            parts.update_and_multiply(above, &last, u, next);
        } else {
            update_and_multiply(above, &last, u, next);
        }
        complete(u, *factor, next);
        core::mem::swap(&mut w, &mut next_w);
        (rest, below) = (above, row);
    }
    // Each phase turns its own coupling and all that follow.
    turns.iter_mut().fold(F::ONE, |phase, turn| {
        let next = phase * *turn;
        *turn = next.unscale(next.abs());
        *turn
    });
    Ok(())
}

/// Overwrites `x` by the `u` with `(I - factor u u^H) x = -phase |x| e_last`.
///
/// Returns `(|x|, -conj(phase), factor)`: the coupling, its turn to a positive number, and the factor.
fn reflector<F: Field>(x: &mut [F]) -> (F::Real, F, F::Real) {
    // Smaller vectors have lost the bits that make a reflection orthogonal; in a matrix of size one they are zero.
    let negligible = F::Real::MIN_POSITIVE / F::Real::EPSILON;
    let norm = vector::norm(x);
    let Some(last) = x.last().copied().filter(|_| norm > negligible) else {
        x.fill(F::ZERO);
        return (F::Real::ZERO, F::ONE, F::Real::ZERO);
    };
    x.iter_mut().for_each(|x| *x = x.unscale(norm));
    let last = last.unscale(norm);
    let size = last.abs();
    let phase = if size > negligible { last.unscale(size) } else { F::ONE };
    if let Some(u) = x.last_mut() {
        *u = last + phase;
    }
    (norm, -phase.conj(), F::Real::ONE / (F::Real::ONE + size))
}

/// `A <- H A H` for `H = I - factor u u^H`: with `p = factor A u` and `w = p - (factor/2) (u^H p) u`, this is
/// `A - u w^H - w u^H`.
pub(crate) struct Update<'a, F> {
    pub(crate) u: &'a [F],
    pub(crate) w: &'a [F],
}

impl<F: Field> Update<'_, F> {
    /// Row `j` of the triangle.
    #[inline(always)]
    fn apply(&self, j: usize, row: &mut [F]) {
        let (a, b) = (vector::at(self.u, j).conj(), vector::at(self.w, j).conj());
        for ((x, &w), &u) in row.iter_mut().zip(self.w).zip(self.u) {
            *x -= a * w + b * u;
        }
    }
}

/// Updates the triangle row by row, and multiplies it by `u` meanwhile: `w = A u`.
fn update_and_multiply<F: Field>(triangle: &mut [F], last: &Update<'_, F>, u: &[F], w: &mut [F]) {
    simd::widest(
        #[inline(always)]
        || {
            let mut rest = triangle;
            for (j, &u_j) in u.iter().enumerate() {
                let Some((row, tail)) = rest.split_at_mut_checked(j.wrapping_add(1)) else { break };
                rest = tail;
                last.apply(j, row);
                let along = vector::sum_over(row, u, |x, u| x.conj() * u);
                for (w, &x) in w.iter_mut().zip(row.iter()).take(j) {
                    *w += u_j * x;
                }
                vector::put(w, j, along);
            }
        },
    );
}

/// From `A u` to the `w` of [`Update`].
fn complete<F: Field>(u: &[F], factor: F::Real, w: &mut [F]) {
    vector::scale(w, factor);
    let along = vector::dot(u, w).re() * factor * F::Real::HALF;
    vector::axpy(F::from_real(-along), u, w);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_reach_one_from_everywhere() {
        for x in [1.0_f64, 0.7, 3.0, 1e300, f64::MAX, 1e-300] {
            assert!((0.5..=1.0).contains(&(x * scale_to_one(x))), "{x}");
        }
        assert_eq!(scale_to_one(0.0_f32), 1.0);
        assert!(5e-324 * scale_to_one(5e-324_f64) > 1e-20);
    }
}
