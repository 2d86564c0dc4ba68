//! How often each class meets each label, in memory linear in the samples.

use crate::Error;
use crate::order::sort_by;
use crate::workspace::{Arena, Layout};

/// A count that is not zero.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) count: u64,
    pub(super) row_sum: u64,
    pub(super) column_sum: u64,
}

/// The table of counts. Its rows are the labels or the classes, whichever are fewer, and only counts above zero exist.
pub(super) struct Contingency<'a> {
    /// `row << 32 | column`, ascending.
    places: &'a [u64],
    counts: &'a [u64],
    row_sums: &'a [u64],
    column_sums: &'a [u64],
    /// True where rows are classes.
    rows_are_classes: bool,
    samples: u64,
}

impl<'a> Contingency<'a> {
    pub(super) fn layout(n: usize) -> Result<Layout, Error> {
        Layout::array::<u64>(n)?
            .and_array::<u64>(n)?
            .and_array::<u64>(n)?
            .and_array::<u64>(n)?
            .and_array::<u32>(n)?
            .and_array::<u32>(n)
    }

    pub(super) fn new(truth: &[u32], labels: &[u32], work: &mut Arena<'a>) -> Result<Self, Error> {
        let n = truth.len();
        let places = work.take::<u64>(n)?;
        let counts = work.take_filled::<u64>(n, 0)?;
        let row_sums = work.take_filled::<u64>(n, 0)?;
        let column_sums = work.take_filled::<u64>(n, 0)?;
        let classes = distinct(truth, work.take(n)?);
        let names = distinct(labels, work.take(n)?);
        let rows_are_classes = classes.len() <= names.len();
        let (row_names, column_names) = if rows_are_classes { (classes, names) } else { (names, classes) };
        for (place, (&class, &label)) in places.iter_mut().zip(truth.iter().zip(labels)) {
            let (row, column) = if rows_are_classes { (class, label) } else { (label, class) };
            let (row, column) = (index(row_names, row), index(column_names, column));
            increment(row_sums, row);
            increment(column_sums, column);
            *place = (row as u64) << 32 | column as u64;
        }
        sort_by(places, |x, y| x < y);
        let cells = count_runs(places, counts);
        let columns = column_names.len();
        Ok(Self {
            places: places.get(..cells).unwrap_or(&[]),
            counts,
            row_sums: row_sums.get(..row_names.len()).unwrap_or(&[]),
            column_sums: column_sums.get(..columns).unwrap_or(&[]),
            rows_are_classes,
            samples: n as u64,
        })
    }

    pub(super) const fn samples(&self) -> u64 {
        self.samples
    }

    pub(super) const fn row_sums(&self) -> &[u64] {
        self.row_sums
    }

    pub(super) const fn column_sums(&self) -> &[u64] {
        self.column_sums
    }

    pub(super) const fn class_sums(&self) -> &[u64] {
        if self.rows_are_classes { self.row_sums } else { self.column_sums }
    }

    pub(super) const fn label_sums(&self) -> &[u64] {
        if self.rows_are_classes { self.column_sums } else { self.row_sums }
    }

    /// True where labels and classes are names for the same parts.
    pub(super) const fn is_one_to_one(&self) -> bool {
        self.places.len() == self.row_sums.len() && self.places.len() == self.column_sums.len()
    }

    /// The counts above zero, row after row.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        self.places.iter().zip(self.counts).map(|(&place, &count)| {
            let (row, column) = ((place >> 32) as usize, (place as u32) as usize);
            Cell {
                row,
                column,
                count,
                row_sum: self.row_sums.get(row).copied().unwrap_or(0),
                column_sum: self.column_sums.get(column).copied().unwrap_or(0),
            }
        })
    }

    /// The cells of one row.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = Cell> {
        let start = self.places.partition_point(|&place| ((place >> 32) as usize) < row);
        self.cells().skip(start).take_while(move |cell| cell.row == row)
    }

    /// The sum over labels of the samples in their largest class. The scratch has an element for every label.
    pub(super) fn largest_classes(&self, largest: &mut [u64]) -> u64 {
        largest.fill(0);
        for cell in self.cells() {
            let label = if self.rows_are_classes { cell.column } else { cell.row };
            if let Some(most) = largest.get_mut(label) {
                *most = cell.count.max(*most);
            }
        }
        largest.iter().fold(0, |sum: u64, &count| sum.wrapping_add(count))
    }
}

/// The different numbers, ascending.
fn distinct<'a>(numbers: &[u32], copy: &'a mut [u32]) -> &'a [u32] {
    copy.iter_mut().zip(numbers).for_each(|(to, &from)| *to = from);
    sort_by(copy, |x, y| x < y);
    let length = compact(copy, |_| ());
    copy.get(..length).unwrap_or(&[])
}

/// Moves one of each run of equal numbers to the front and tells `visit` the run of every number; returns how many.
fn compact<T: Copy + PartialEq>(sorted: &mut [T], mut visit: impl FnMut(usize)) -> usize {
    let mut kept: usize = 0;
    let mut last = None;
    for at in 0..sorted.len() {
        let Some(&number) = sorted.get(at) else { break };
        if last != Some(number) {
            if let Some(place) = sorted.get_mut(kept) {
                *place = number;
            }
            kept = kept.wrapping_add(1);
            last = Some(number);
        }
        visit(kept.wrapping_sub(1));
    }
    kept
}

/// Moves one of each run to the front and counts the runs' lengths, which start at zero.
fn count_runs(sorted: &mut [u64], counts: &mut [u64]) -> usize {
    compact(sorted, |run| increment(counts, run))
}

fn increment(counts: &mut [u64], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count = count.wrapping_add(1);
    }
}

/// Where a number stands among the different ones.
fn index(names: &[u32], name: u32) -> usize {
    names.partition_point(|&other| other < name)
}
