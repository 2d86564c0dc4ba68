//! Row-major matrices over borrowed memory.
//!
//! Access is total: outside its shape a matrix is zero, a row is empty and a write is lost. No caller in this
//! crate goes there (shapes are checked at the door), and so no access needs a panic.

use crate::{Error, Field, check};

/// A matrix that may be read.
#[derive(Clone, Copy, Debug)]
pub struct Mat<'a, F> {
    data: &'a [F],
    rows: usize,
    cols: usize,
}

/// A matrix that may be changed.
#[derive(Debug)]
pub struct MatMut<'a, F> {
    data: &'a mut [F],
    rows: usize,
    cols: usize,
}

impl<'a, F: Field> Mat<'a, F> {
    /// `rows * cols` elements, row after row; `what` names them in the error.
    pub fn new(what: &'static str, data: &'a [F], rows: usize, cols: usize) -> Result<Self, Error> {
        check::shape(what, data, &[rows, cols])?;
        Ok(Self { data, rows, cols })
    }

    /// Number of rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// All elements, row after row.
    #[must_use]
    pub const fn data(&self) -> &'a [F] {
        self.data
    }

    /// Row `i`.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, i: usize) -> &'a [F] {
        let start = i.wrapping_mul(self.cols);
        self.data.get(start..start.wrapping_add(self.cols)).unwrap_or(&[])
    }

    /// Element in row `i`, column `j`.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> F {
        self.row(i).get(j).copied().unwrap_or(F::ZERO)
    }
}

impl<'a, F: Field> MatMut<'a, F> {
    /// `rows * cols` elements, row after row; `what` names them in the error.
    pub fn new(what: &'static str, data: &'a mut [F], rows: usize, cols: usize) -> Result<Self, Error> {
        check::shape(what, data, &[rows, cols])?;
        Ok(Self { data, rows, cols })
    }

    /// Number of rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// All elements, row after row.
    #[must_use]
    pub const fn data_mut(&mut self) -> &mut [F] {
        self.data
    }

    /// The same matrix, to read.
    #[inline(always)]
    #[must_use]
    pub const fn as_ref(&self) -> Mat<'_, F> {
        Mat { data: self.data, rows: self.rows, cols: self.cols }
    }

    /// The same matrix, lent on.
    #[inline(always)]
    #[must_use]
    pub const fn as_mut(&mut self) -> MatMut<'_, F> {
        MatMut { data: self.data, rows: self.rows, cols: self.cols }
    }

    /// Element in row `i`, column `j`.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> F {
        self.as_ref().at(i, j)
    }

    /// Writes the element in row `i`, column `j`.
    #[inline(always)]
    pub fn set(&mut self, i: usize, j: usize, value: F) {
        if let Some(element) = self.row_mut(i).get_mut(j) {
            *element = value;
        }
    }

    /// Row `i`.
    #[inline(always)]
    #[must_use]
    pub fn row_mut(&mut self, i: usize) -> &mut [F] {
        let start = i.wrapping_mul(self.cols);
        self.data.get_mut(start..start.wrapping_add(self.cols)).unwrap_or(&mut [])
    }

    /// Rows `i` and `j` at once; both empty unless `i != j`.
    #[inline(always)]
    #[must_use]
    pub fn two_rows_mut(&mut self, i: usize, j: usize) -> (&mut [F], &mut [F]) {
        let range = |row: usize| row.wrapping_mul(self.cols)..row.wrapping_add(1).wrapping_mul(self.cols);
        match self.data.get_disjoint_mut([range(i), range(j)]) {
            Ok([first, second]) => (first, second),
            Err(_) => (&mut [], &mut []),
        }
    }

    /// Row `i`, and the rows after it one behind the other.
    #[inline(always)]
    pub(crate) fn row_and_after_mut(&mut self, i: usize) -> (&mut [F], &mut [F]) {
        let rows = self.data.get_mut(i.wrapping_mul(self.cols)..);
        rows.and_then(|rows| rows.split_at_mut_checked(self.cols)).unwrap_or((&mut [], &mut []))
    }

    /// Everything zero.
    pub fn clear(&mut self) {
        self.data.fill(F::ZERO);
    }

    /// Exchanges two rows.
    pub(crate) fn swap_rows(&mut self, i: usize, j: usize) {
        let (first, second) = self.two_rows_mut(i, j);
        first.iter_mut().zip(second).for_each(|(x, y)| core::mem::swap(x, y));
    }

    /// The conjugate transpose of a square matrix, in place; another shape stays as it is.
    pub(crate) fn adjoin(&mut self) {
        if self.rows != self.cols {
            return;
        }
        for i in 0..self.rows {
            for j in 0..=i {
                let (lower, upper) = (self.at(i, j), self.at(j, i));
                self.set(i, j, upper.conj());
                self.set(j, i, lower.conj());
            }
        }
    }

    /// Ones on the diagonal, zeros elsewhere.
    pub fn set_identity(&mut self) {
        self.clear();
        for i in 0..self.rows.min(self.cols) {
            self.set(i, i, F::ONE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked_once_and_access_is_total() -> Result<(), Error> {
        let mut data = [1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(
            Mat::new("a", &data, 2, 2).err(),
            Some(Error::Length { what: "a", expected: 4, found: 6 })
        );
        assert_eq!(Mat::new("a", &data, usize::MAX, 2).err(), Some(Error::SizeOverflow { what: "a" }));
        let mut a = MatMut::new("a", &mut data, 2, 3)?;
        assert_eq!((a.at(1, 2), a.at(1, 3), a.at(usize::MAX, 0)), (6.0, 0.0, 0.0));
        a.set(7, 7, 9.0);
        let (first, second) = a.two_rows_mut(1, 0);
        assert_eq!((first, second), (&mut [4.0, 5.0, 6.0][..], &mut [1.0, 2.0, 3.0][..]));
        assert!(a.two_rows_mut(1, 1).0.is_empty());
        a.set_identity();
        assert_eq!(data, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        Ok(())
    }
}
