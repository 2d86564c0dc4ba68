//! A matrix as its file stores it.
use crate::error::{Error, Result};

/// What a file says in two dimensions.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix {
    /// Every number is stored.
    Dense(Dense),
    /// Only the numbers that are not zero are stored.
    Sparse(Sparse),
}

/// Which index runs faster in memory: a line is a row or a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A row is contiguous (C, NumPy, text).
    RowMajor,
    /// A column is contiguous (Fortran, MATLAB).
    ColumnMajor,
}

/// A dense matrix; `data.len() == rows * cols`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    rows: usize,
    cols: usize,
    order: Order,
    data: Vec<f64>,
}

/// Compressed lines: line `l` holds the positions `indices[starts[l]..starts[l + 1]]`, ascending, each with its value.
/// A line is a column (MATLAB) or a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    rows: usize,
    cols: usize,
    order: Order,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Dense {
    /// `data` read as `rows x cols`.
    pub fn new(rows: usize, cols: usize, order: Order, data: Vec<f64>) -> Result<Self> {
        match rows.checked_mul(cols) {
            Some(len) if len == data.len() => Ok(Self { rows, cols, order, data }),
            _ => {
                Err(Error::new(format!("{rows} x {cols} numbers are declared but {} are stored", data.len())))
            }
        }
    }

    /// The numbers in the order of the memory.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// The distance in `data` between rows and between columns.
    pub fn strides(&self) -> (usize, usize) {
        match self.order {
            Order::RowMajor => (self.cols, 1),
            Order::ColumnMajor => (1, self.rows),
        }
    }

    fn for_each(&self, mut see: impl FnMut(usize, usize, f64)) {
        let line = match self.order {
            Order::RowMajor => self.cols,
            Order::ColumnMajor => self.rows,
        };
        for (i, numbers) in self.data.chunks_exact(line.max(1)).enumerate() {
            for (j, &value) in numbers.iter().enumerate() {
                match self.order {
                    Order::RowMajor => see(i, j, value),
                    Order::ColumnMajor => see(j, i, value),
                }
            }
        }
    }
}

impl Sparse {
    /// Checks what the format promises: ascending starts, one more than lines, and distinct positions inside a line.
    /// Positions out of order are sorted.
    pub fn new(
        rows: usize,
        cols: usize,
        order: Order,
        starts: Vec<usize>,
        mut indices: Vec<u32>,
        mut values: Vec<f64>,
    ) -> Result<Self> {
        let stored = starts.last().copied().unwrap_or(0);
        let (lines, across) = match order {
            Order::RowMajor => (rows, cols),
            Order::ColumnMajor => (cols, rows),
        };
        if lines.checked_add(1) != Some(starts.len()) || starts.first() != Some(&0) || !starts.is_sorted() {
            return Err(Error::new(format!(
                "a sparse matrix of {rows} x {cols} needs {lines} + 1 ascending starts from 0 and has {} numbers",
                starts.len()
            )));
        }
        if indices.len() < stored || values.len() < stored {
            return Err(Error::new(format!(
                "a sparse matrix declares {stored} entries but has {} positions and {} values",
                indices.len(),
                values.len()
            )));
        }
        indices.truncate(stored);
        values.truncate(stored);
        let mut sparse = Self { rows, cols, order, starts, indices, values };
        sparse.sort_lines(across)?;
        Ok(sparse)
    }

    fn sort_lines(&mut self, across: usize) -> Result<()> {
        let line = match self.order {
            Order::RowMajor => "row",
            Order::ColumnMajor => "column",
        };
        for (l, range) in self.starts.iter().zip(self.starts.iter().skip(1)).map(|(&a, &b)| a..b).enumerate()
        {
            let (Some(places), Some(values)) =
                (self.indices.get_mut(range.clone()), self.values.get_mut(range))
            else {
                return Err(Error::new("a line starts beyond the entries"));
            };
            if !places.is_sorted() {
                let mut pairs: Vec<_> = places.iter().copied().zip(values.iter().copied()).collect();
                pairs.sort_by_key(|&(place, _)| place);
                for ((place, value), pair) in places.iter_mut().zip(values).zip(pairs) {
                    (*place, *value) = pair;
                }
            }
            if let Some(&place) = places.last().filter(|&&place| place as usize >= across) {
                let place = u64::from(place) + 1;
                return Err(Error::new(format!("{line} {} has an entry at {place} of {across}", l + 1)));
            }
            if places.iter().zip(places.iter().skip(1)).any(|(a, b)| a == b) {
                return Err(Error::new(format!("{line} {} stores the same entry twice", l + 1))
                    .remedy("add them up before saving (sum_duplicates)"));
            }
        }
        Ok(())
    }

    /// Whether a line is a row or a column.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Where each line starts in `indices` and `values`, and the end.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The place of each stored value in its line.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The stored values, line after line.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    fn for_each(&self, mut see: impl FnMut(usize, usize, f64)) {
        let ranges = self.starts.iter().zip(self.starts.iter().skip(1));
        let mut entries = self.indices.iter().zip(&self.values);
        for (line, (&start, &end)) in ranges.enumerate() {
            for (&place, &value) in entries.by_ref().take(end - start) {
                match self.order {
                    Order::RowMajor => see(line, place as usize, value),
                    Order::ColumnMajor => see(place as usize, line, value),
                }
            }
        }
    }
}

impl Matrix {
    /// Rows and columns, as in the file.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(dense) => (dense.rows, dense.cols),
            Self::Sparse(sparse) => (sparse.rows, sparse.cols),
        }
    }

    /// The shape in words.
    pub fn shape_text(&self) -> String {
        let (rows, cols) = self.shape();
        format!("{rows} x {cols}")
    }

    /// Neither a vector nor empty.
    pub fn is_plane(&self) -> bool {
        let (rows, cols) = self.shape();
        rows > 1 && cols > 1
    }

    /// Visits what is stored as `(row, column, value)`, in the order of the memory: within a row the columns ascend,
    /// and within a column the rows. A sparse matrix shows only its stored entries.
    pub fn for_each(&self, see: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense(dense) => dense.for_each(see),
            Self::Sparse(sparse) => sparse.for_each(see),
        }
    }

    /// The numbers of a dense or sparse row or column, if it is one and no longer than `limit`.
    pub fn vector(&self, limit: usize) -> Option<Vec<f64>> {
        let (rows, cols) = self.shape();
        let len = rows.max(cols);
        if rows.min(cols) != 1 || len > limit {
            return None;
        }
        let mut numbers = vec![0.0; len];
        self.for_each(|i, j, value| {
            if let Some(number) = numbers.get_mut(i.max(j)) {
                *number = value;
            }
        });
        Some(numbers)
    }
}
