//! A small table, as Markdown, CSV or HTML.

use crate::markup::{escape, put};

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    /// A number, and half its spread if it is a mean.
    Number(f64, Option<f64>),
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value, None)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}

/// Which numbers of a column are printed in bold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Best {
    None,
    Largest,
    Smallest,
}

/// A column: its name, the decimals of its numbers, and which is best.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub decimals: usize,
    pub best: Best,
    /// Aligned to the right even if its cells are text, such as numbers with a unit.
    pub right: bool,
}

/// Rows of cells under named columns. A row that is short is filled with empty cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub title: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without columns.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// With one more column of text, or of numbers of which none is best.
    pub fn column(self, name: impl Into<String>, decimals: usize) -> Self {
        self.best(name, decimals, Best::None)
    }

    /// With one more column of text that ends at one line: numbers with a unit.
    pub fn right(mut self, name: impl Into<String>) -> Self {
        self.columns.push(Column { name: name.into(), decimals: 0, best: Best::None, right: true });
        self
    }

    /// With one more column of numbers, the best of them bold.
    pub fn best(mut self, name: impl Into<String>, decimals: usize, best: Best) -> Self {
        self.columns.push(Column { name: name.into(), decimals, best, right: false });
        self
    }

    /// One more row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// For people who read it as text too: the columns are padded.
    pub fn markdown(&self) -> String {
        let names = self.columns.iter().map(|column| pipe(&column.name)).collect();
        let mut lines: Vec<Vec<String>> = vec![names];
        for row in &self.rows {
            let shown = |(i, column): (usize, &Column)| {
                let text = pipe(&column.show(self.cell(row, i)));
                if self.is_best(row, i) { format!("**{text}**") } else { text }
            };
            lines.push(self.columns.iter().enumerate().map(shown).collect());
        }
        let length = |text: &String| text.chars().count();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|i| lines.iter().filter_map(|line| line.get(i)).map(length).max().unwrap_or(0).max(3))
            .collect();
        let mut out = String::new();
        if !self.title.is_empty() {
            put(&mut out, format_args!("**{}**\n\n", self.title));
        }
        for (number, line) in lines.iter().enumerate() {
            for (i, (text, &width)) in line.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width.saturating_sub(length(text)));
                let (before, after) =
                    if self.is_numeric(i) { (gap.as_str(), "") } else { ("", gap.as_str()) };
                put(&mut out, format_args!("| {before}{text}{after} "));
            }
            out.push_str("|\n");
            if number == 0 {
                for (i, &width) in widths.iter().enumerate() {
                    let end = if self.is_numeric(i) { ":" } else { "-" };
                    put(&mut out, format_args!("| {}{end} ", "-".repeat(width.saturating_sub(1))));
                }
                out.push_str("|\n");
            }
        }
        out
    }

    /// For programs: numbers unrounded, a spread in a column of its own.
    pub fn csv(&self) -> String {
        let spreads: Vec<bool> = (0..self.columns.len())
            .map(|i| self.rows.iter().any(|row| matches!(self.cell(row, i), Cell::Number(_, Some(_)))))
            .collect();
        let mut head = Vec::new();
        for (column, &spread) in self.columns.iter().zip(&spreads) {
            head.push(quote(&column.name));
            head.extend(spread.then(|| quote(&format!("{} spread", column.name))));
        }
        let mut lines: Vec<Vec<String>> = vec![head];
        for row in &self.rows {
            let mut line = Vec::new();
            for (i, &has_spread) in spreads.iter().enumerate() {
                let (value, spread) = match self.cell(row, i) {
                    Cell::Text(text) => (quote(text), None),
                    Cell::Number(value, spread) if value.is_finite() => (value.to_string(), *spread),
                    Cell::Number(..) | Cell::Empty => (String::new(), None),
                };
                line.push(value);
                line.extend(has_spread.then(|| spread.map_or(String::new(), |spread| spread.to_string())));
            }
            lines.push(line);
        }
        lines.iter().map(|line| line.join(",") + "\n").collect()
    }

    /// A part of a page.
    pub fn html(&self) -> String {
        let mut out = String::from("<div class=\"table\"><table>\n");
        if !self.title.is_empty() {
            put(&mut out, format_args!("<caption>{}</caption>\n", escape(&self.title)));
        }
        let class = |i| if self.is_numeric(i) { " class=\"number\"" } else { "" };
        out.push_str("<thead><tr>");
        for (i, column) in self.columns.iter().enumerate() {
            put(&mut out, format_args!("<th scope=\"col\"{}>{}</th>", class(i), escape(&column.name)));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (i, column) in self.columns.iter().enumerate() {
                let text = escape(&column.show(self.cell(row, i)));
                let text = if self.is_best(row, i) { format!("<strong>{text}</strong>") } else { text };
                put(&mut out, format_args!("<td{}>{text}</td>", class(i)));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table></div>\n");
        out
    }

    fn cell<'a>(&self, row: &'a [Cell], i: usize) -> &'a Cell {
        row.get(i).unwrap_or(&Cell::Empty)
    }

    /// A column of numbers is aligned to the right: one that has a number, and no text longer than a dash.
    fn is_numeric(&self, i: usize) -> bool {
        if self.columns.get(i).is_some_and(|column| column.right) {
            return true;
        }
        let number = |row: &Vec<Cell>| matches!(self.cell(row, i), Cell::Number(..));
        let text =
            |row: &Vec<Cell>| matches!(self.cell(row, i), Cell::Text(text) if text.chars().count() > 1);
        self.rows.iter().any(number) && !self.rows.iter().any(text)
    }

    /// Best as it is printed: numbers that read the same are equally good.
    fn is_best(&self, row: &[Cell], i: usize) -> bool {
        let Some(column) = self.columns.get(i) else { return false };
        let Cell::Number(value, _) = self.cell(row, i) else { return false };
        let values = self.rows.iter().filter_map(|row| match self.cell(row, i) {
            Cell::Number(value, _) if value.is_finite() => Some(*value),
            _ => None,
        });
        let best = match column.best {
            Best::None => return false,
            Best::Largest => values.fold(f64::NEG_INFINITY, f64::max),
            Best::Smallest => values.fold(f64::INFINITY, f64::min),
        };
        column.number(*value) == column.number(best)
    }
}

impl Column {
    fn show(&self, cell: &Cell) -> String {
        match cell {
            Cell::Text(text) => text.clone(),
            Cell::Number(value, Some(spread)) if spread.is_finite() => {
                format!("{} ± {}", self.number(*value), self.number(*spread))
            }
            Cell::Number(value, _) => self.number(*value),
            Cell::Empty => "–".into(),
        }
    }

    fn number(&self, value: f64) -> String {
        if value.is_finite() { format!("{value:.*}", self.decimals) } else { "–".into() }
    }
}

/// A cell of Markdown: one line, no bar that would end it.
fn pipe(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A field of CSV (RFC 4180).
fn quote(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
