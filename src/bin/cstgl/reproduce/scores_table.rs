//! Rows of scores: the paper's, and ours over several trials.

use super::paper::Row;
use super::trial::{MEASURES, Spread};
use crate::table::{Cell, Table};
use cstgl::metrics::Scores;

/// The table with a column for each of the first `count` measures.
pub fn with_measures(table: Table, count: usize) -> Table {
    MEASURES.iter().take(count).fold(table, |table, (name, _)| table.column(*name, 4))
}

/// The paper's numbers.
pub fn published(row: Row) -> Vec<Cell> {
    row.into_iter().map(Cell::from).collect()
}

/// Mean and spread of the first `count` measures.
pub fn measured(scores: &[Scores], count: usize) -> Vec<Cell> {
    MEASURES.iter().take(count).map(|(_, measure)| Spread::over(scores, *measure).into()).collect()
}

/// Mean and spread of the accuracy.
pub fn accuracy_cell(scores: &[Scores]) -> Cell {
    Spread::over(scores, |scores| scores.acc).into()
}

impl From<Spread> for Cell {
    fn from(spread: Spread) -> Self {
        Self::Number(spread.mean, spread.deviation)
    }
}
