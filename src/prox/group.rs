//! The `W` step: groups of a tensor shrunk in norm, Eq. (24), and the norm this is the proximal step of.
//!
//! A tensor is `views x rows x cols`, stored `[v][i][j]`: `views * rows` contiguous rows. Both kinds of group
//! are columns of a bundle of such rows, so that one loop serves both and runs along memory.

use crate::linalg::vector;
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, Scalar, check};

/// Which elements share one l2 norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The elements `(i, j)` of all views: the l2,1 norm of the paper's text.
    Tube,
    /// Column `j` of all views, one below the other: the norm of the authors' program.
    Column,
}

impl Group {
    /// The bundles whose columns are the groups; none of an empty tensor.
    fn bundles(self, [views, rows, cols]: [usize; 3]) -> impl Iterator<Item = Bundle> {
        let stride = match self {
            Self::Tube => rows,
            Self::Column => 1,
        };
        let count = if views == 0 || cols == 0 { 0 } else { stride };
        // At least 1, so that neither chunks nor steps can be empty: a bundle exists only where they are not.
        (0..count).map(move |first| Bundle { first, stride: stride.max(1), cols: cols.max(1) })
    }
}

/// The rows `first, first + stride, ...` of a tensor.
#[derive(Clone, Copy)]
struct Bundle {
    first: usize,
    stride: usize,
    cols: usize,
}

impl Bundle {
    fn rows<F: Field>(self, tensor: &[F]) -> impl Iterator<Item = impl Iterator<Item = F>> + Clone {
        let rows = tensor.chunks_exact(self.cols).skip(self.first).step_by(self.stride);
        rows.map(|row| row.iter().copied())
    }

    fn rows_mut<F>(self, tensor: &mut [F]) -> impl Iterator<Item = &mut [F]> {
        tensor.chunks_exact_mut(self.cols).skip(self.first).step_by(self.stride)
    }
}

/// The column norms of a bundle of rows, `scale_j * norm_j`.
///
/// The scale is 1 unless the squares would overflow or vanish; a column's result never depends on another's.
pub(crate) struct Norms<'a, T> {
    scale: &'a mut [T],
    norm: &'a mut [T],
}

impl<'a, T: Scalar> Norms<'a, T> {
    /// What [`Norms::carve`] takes.
    pub(crate) const fn layout([_, _, cols]: [usize; 3]) -> Result<Layout, Error> {
        match Layout::array::<T>(cols) {
            Ok(scale) => scale.and_array::<T>(cols),
            Err(error) => Err(error),
        }
    }

    /// Room for the columns of one bundle.
    pub(crate) fn carve(work: &mut Arena<'a>, [_, _, cols]: [usize; 3]) -> Result<Self, Error> {
        Ok(Self { scale: work.take(cols)?, norm: work.take(cols)? })
    }

    /// The norms of the columns of these rows.
    pub(crate) fn measure<F, Row>(&mut self, rows: impl Iterator<Item = Row> + Clone)
    where
        F: Field<Real = T>,
        Row: IntoIterator<Item = F>,
    {
        // The largest element and the sum of squares, in one pass.
        self.scale.fill(T::ZERO);
        self.norm.fill(T::ZERO);
        for row in rows.clone() {
            for ((largest, sum), x) in self.scale.iter_mut().zip(&mut *self.norm).zip(row) {
                *largest = Scalar::max(*largest, x.abs_max());
                *sum += x.abs2();
            }
        }
        // Squares below this have begun to lose bits to underflow.
        let small = T::MIN_POSITIVE / (T::EPSILON * T::EPSILON);
        let mut extreme = false;
        for (scale, &sum) in self.scale.iter_mut().zip(&*self.norm) {
            if *scale == T::ZERO || (sum.is_finite() && sum > small) {
                *scale = T::ONE;
            } else {
                extreme = true;
            }
        }
        if extreme {
            self.norm.fill(T::ZERO);
            for row in rows {
                for ((&scale, sum), x) in self.scale.iter().zip(&mut *self.norm).zip(row) {
                    *sum += x.unscale(scale).abs2();
                }
            }
        }
        for sum in &mut *self.norm {
            *sum = sum.sqrt();
        }
    }

    /// The sum of the norms.
    fn total(&self) -> T {
        vector::dot(self.scale, self.norm)
    }

    /// `(1 - t/||c||)_+` for every column.
    pub(crate) fn shrinkage(&mut self, t: T) -> &[T] {
        for (norm, &scale) in self.norm.iter_mut().zip(&*self.scale) {
            // In units of the scale: a norm that overflows is never formed.
            let t = t / scale;
            *norm = if *norm > t { (*norm - t) / *norm } else { T::ZERO };
        }
        self.norm
    }
}

/// What [`shrink`] and [`l21_norm`] need.
pub const fn shrink_layout<F: Field>(shape: [usize; 3]) -> Result<Layout, Error> {
    Norms::<F::Real>::layout(shape)
}

/// The door: the shape, the numbers, the scratch.
fn check_arguments<F: Field>(tensor: &[F], shape: [usize; 3], work: &Arena<'_>) -> Result<(), Error> {
    check::shape("tensor", tensor, &shape)?;
    check::finite("tensor", tensor)?;
    work.require(shrink_layout::<F>(shape)?)
}

/// `C` becomes the minimiser of `t ||W||_{2,1} + ||W - C||_F^2 / 2`: every group `c` becomes
/// `max(1 - t/||c||, 0) c`, Eq. (24). The shape is `[views, rows, cols]`.
pub fn shrink<F: Field>(
    tensor: &mut [F],
    shape: [usize; 3],
    group: Group,
    t: F::Real,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    check::not_negative("t", t)?;
    check_arguments(tensor, shape, work)?;
    let mut work = work.scope();
    let mut norms = Norms::carve(&mut work, shape)?;
    for bundle in group.bundles(shape) {
        norms.measure(bundle.rows(tensor));
        let factors = norms.shrinkage(t);
        for row in bundle.rows_mut(tensor) {
            for (x, &factor) in row.iter_mut().zip(factors) {
                *x = x.scale(factor);
            }
        }
    }
    Ok(())
}

/// `||C||_{2,1}`: the sum of the groups' norms. The shape is `[views, rows, cols]`.
pub fn l21_norm<F: Field>(
    tensor: &[F],
    shape: [usize; 3],
    group: Group,
    work: &mut Arena<'_>,
) -> Result<F::Real, Error> {
    check_arguments(tensor, shape, work)?;
    let mut work = work.scope();
    let mut norms = Norms::carve(&mut work, shape)?;
    let mut sum = F::Real::ZERO;
    for bundle in group.bundles(shape) {
        norms.measure(bundle.rows(tensor));
        sum += norms.total();
    }
    Ok(sum)
}
