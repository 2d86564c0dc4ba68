//! A change of basis among rows, in place.

use super::product::{agree, multiply};
use super::{Mat, MatMut, vector};
use crate::workspace::{Arena, Layout};
use crate::{Error, Field, check};
use core::ops::Range;

/// Columns that are combined together.
const STRIP: usize = 64;

/// What [`rotate_rows`] needs to make combinations of `count` rows.
pub(crate) fn rotate_layout<F: Field>(count: usize) -> Result<Layout, Error> {
    let strip = check::product("rows", &[count, STRIP])?;
    Layout::array::<F>(strip)?.and_array::<F>(strip)
}

/// `X <- Q X` in place, where `Q` has no more rows than columns; rows of `X` beyond those of `Q` keep no meaning.
pub(crate) fn rotate_rows<F: Field>(
    q: Mat<'_, F>,
    x: &mut MatMut<'_, F>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    agree("rows to combine", q.cols(), x.rows())?;
    let mut work = work.scope();
    let strip = check::product("rows", &[q.cols(), STRIP])?;
    let (old, new) = (work.take::<F>(strip)?, work.take::<F>(strip)?);
    for start in (0..x.cols()).step_by(STRIP) {
        let columns = start..start.saturating_add(STRIP).min(x.cols());
        let width = columns.len();
        let old = old.get_mut(..q.cols().wrapping_mul(width)).unwrap_or(&mut []);
        let new = new.get_mut(..q.rows().wrapping_mul(width)).unwrap_or(&mut []);
        for (i, row) in old.chunks_exact_mut(width.max(1)).enumerate() {
            vector::copy(x.as_ref().row(i).get(columns.clone()).unwrap_or(&[]), row);
        }
        let product = MatMut::new("rows", new, q.rows(), width)?;
        multiply(q, Mat::new("rows", old, q.cols(), width)?, product)?;
        for (i, row) in new.chunks_exact(width.max(1)).enumerate() {
            vector::copy(row, x.row_mut(i).get_mut(columns.clone()).unwrap_or(&mut []));
        }
    }
    Ok(())
}

/// Rows `range` as a matrix of their own.
pub(crate) fn rows_of<'a, F: Field>(x: Mat<'a, F>, range: Range<usize>) -> Result<Mat<'a, F>, Error> {
    let (count, cols) = (range.len(), x.cols());
    let span = range.start.wrapping_mul(cols)..range.end.wrapping_mul(cols);
    Mat::new("rows", x.data().get(span).unwrap_or(&[]), count, cols)
}

/// Rows `range` as a matrix of their own, to change.
pub(crate) fn rows_of_mut<'a, F: Field>(
    x: &'a mut MatMut<'_, F>,
    range: Range<usize>,
) -> Result<MatMut<'a, F>, Error> {
    let (count, cols) = (range.len(), x.cols());
    let span = range.start.wrapping_mul(cols)..range.end.wrapping_mul(cols);
    MatMut::new("rows", x.data_mut().get_mut(span).unwrap_or(&mut []), count, cols)
}
