//! The best one-to-one assignment of labels to classes: the Hungarian method, one row after the other.
//!
//! Potentials `u_i + v_j <= cost_ij` prove the assignment: where a pair is matched there is equality, so no other
//! assignment costs less. A new row looks for the cheapest path of such pairs that ends at a free column (Dijkstra's
//! search on `cost - u - v >= 0`). A cost is minus a count; all numbers are integers far below 2^53, so that doubles
//! are exact.

use super::contingency::Contingency;
use crate::Error;
use crate::linalg::vector::{at, put};
use crate::workspace::{Arena, Layout};

/// No row, no column.
const NONE: u32 = u32::MAX;

/// What [`best`] needs where there are at most `n` rows and columns.
pub(super) fn layout(n: usize) -> Result<Layout, Error> {
    Layout::array::<f64>(n)?
        .and_array::<f64>(n)?
        .and_array::<f64>(n)?
        .and_array::<f64>(n)?
        .and_array::<u32>(n)?
        .and_array::<u32>(n)?
        .and_array::<u8>(n)
}

struct Search<'a> {
    /// Potentials of the rows and of the columns.
    u: &'a mut [f64],
    v: &'a mut [f64],
    /// The row of every column.
    row_of: &'a mut [u32],
    /// The shortest distance known to every column, and the column before it on the way.
    distance: &'a mut [f64],
    before: &'a mut [u32],
    /// Columns whose distance is final.
    reached: &'a mut [u8],
    /// One row of the costs.
    cost: &'a mut [f64],
}

/// The largest sum of counts with at most one in each row and column.
pub(super) fn best(table: &Contingency<'_>, work: &mut Arena<'_>) -> Result<u64, Error> {
    let (rows, columns) = (table.row_sums().len(), table.column_sums().len());
    let mut work = work.scope();
    let mut search = Search {
        u: work.take_filled(rows, 0.0)?,
        v: work.take_filled(columns, 0.0)?,
        distance: work.take(columns)?,
        cost: work.take(columns)?,
        row_of: work.take_filled(columns, NONE)?,
        before: work.take(columns)?,
        reached: work.take(columns)?,
    };
    for row in 0..rows {
        search.add(table, row);
    }
    let row_of = &*search.row_of;
    let matched =
        table.cells().filter(|cell| row_of.get(cell.column).is_some_and(|&row| row as usize == cell.row));
    Ok(matched.map(|cell| cell.count).sum())
}

impl Search<'_> {
    /// Finds a column for one more row, moving others where that pays.
    fn add(&mut self, table: &Contingency<'_>, new: usize) {
        self.distance.fill(f64::INFINITY);
        self.before.fill(NONE);
        self.reached.fill(0);
        let (mut row, mut last, mut length) = (new, NONE, 0.0);
        // Every round reaches a column, and rows are not more than columns: one of them is free.
        let end = loop {
            self.relax(table, row, last, length);
            let Some((column, distance)) = self.nearest() else { return };
            put(self.reached, column, 1);
            (last, length) = (column as u32, distance);
            match self.row_of.get(column) {
                Some(&next) if next != NONE => row = next as usize,
                _ => break column,
            }
        };
        self.raise(new, length);
        self.turn(new, end);
    }

    /// Paths through `row`, which stands at `length`.
    fn relax(&mut self, table: &Contingency<'_>, row: usize, from: u32, length: f64) {
        self.cost.fill(0.0);
        table.row(row).for_each(|cell| put(self.cost, cell.column, -(cell.count as f64)));
        let own = at(self.u, row);
        let columns = self.distance.iter_mut().zip(&mut *self.before).zip(&*self.reached);
        for (((distance, before), &reached), (&cost, &v)) in columns.zip(self.cost.iter().zip(&*self.v)) {
            let through = length + (cost - own - v);
            if reached == 0 && through < *distance {
                (*distance, *before) = (through, from);
            }
        }
    }

    /// The nearest column that is not yet reached, the first of equals.
    fn nearest(&self) -> Option<(usize, f64)> {
        let open =
            self.distance.iter().zip(&*self.reached).enumerate().filter(|(_, (_, reached))| **reached == 0);
        open.map(|(j, (&d, _))| (j, d)).reduce(|best, next| if next.1 < best.1 { next } else { best })
    }

    /// New potentials, under which every pair on the path is tight.
    fn raise(&mut self, new: usize, length: f64) {
        put(self.u, new, at(self.u, new) + length);
        let columns = self.v.iter_mut().zip(&*self.distance).zip(&*self.reached).zip(&*self.row_of);
        for (((v, &distance), &reached), &row) in columns {
            if reached != 0 {
                let slack = length - distance;
                *v -= slack;
                if row != NONE {
                    put(self.u, row as usize, at(self.u, row as usize) + slack);
                }
            }
        }
    }

    /// Every column on the path takes the row of the column before it, the first takes the new row.
    fn turn(&mut self, new: usize, end: usize) {
        let mut column = end;
        // A path visits a column once.
        for _ in 0..self.row_of.len() {
            let before = self.before.get(column).copied().unwrap_or(NONE);
            let row = self.row_of.get(before as usize).copied().unwrap_or(new as u32);
            let row = if before == NONE { new as u32 } else { row };
            if let Some(place) = self.row_of.get_mut(column) {
                *place = row;
            }
            if before == NONE {
                return;
            }
            column = before as usize;
        }
    }
}
