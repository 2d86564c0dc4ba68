//! Sparse arrays: row numbers, column starts, values; there may be more room than entries.
use super::element::Cursor;
use super::numeric;
use crate::error::Result;
use crate::read::matrix::{Order, Sparse};

/// The rest of a sparse array after its head.
pub fn sparse(rows: usize, cols: usize, cursor: &mut Cursor<'_>) -> Result<Sparse> {
    let at = cursor.at();
    let indices = numeric::counts::<u32>(cursor.element()?)?;
    let starts = numeric::counts(cursor.element()?)?;
    // A matrix without entries may come without values.
    let values = match cursor.next()? {
        Some(element) => numeric::numbers(element)?,
        None => Vec::new(),
    };
    Sparse::new(rows, cols, Order::ColumnMajor, starts, indices, values)
        .map_err(|error| error.at(format!("byte {at}")))
}
