//! A small table in colours, its numbers in the cells: parameter sweeps, distances between slices, contingencies.

use super::heatmap::Shades;
use super::palette::{AXIS, INK, sequential};
use super::svg::{Rect, Text, width};
use super::{Figure, HEIGHT, WIDTH, canvas};
use crate::markup::short;

/// `rows.len() x columns.len()` values, row after row; what is not finite is left empty.
#[derive(Debug)]
pub struct Grid<'a> {
    pub title: &'a str,
    /// What the columns are.
    pub x: &'a str,
    /// What the rows are.
    pub y: &'a str,
    pub columns: &'a [String],
    pub rows: &'a [String],
    pub values: &'a [f64],
    /// What the values are.
    pub unit: &'a str,
    /// Decimals of the numbers; without, each has two figures.
    pub decimals: Option<usize>,
    /// Frame the largest value.
    pub best: bool,
}

const NAME: f64 = 10.5;
const BAR: f64 = 66.0;

impl Grid<'_> {
    pub fn draw(&self) -> Figure {
        let mut svg = canvas(self.title);
        let (columns, rows) = (self.columns.len().max(1), self.rows.len().max(1));
        let longest = |names: &[String]| names.iter().map(|name| width(name, NAME)).fold(0.0, f64::max);
        let left = 32.0 + longest(self.rows).min(96.0) + 6.0;
        let across = (WIDTH - left - BAR - 14.0) / columns as f64;
        let upright = longest(self.columns) > across - 3.0;
        let names = if upright { longest(self.columns).min(84.0) + 6.0 } else { 18.0 };
        let down = (HEIGHT - 46.0 - names - 24.0) / rows as f64;
        // Cells of a square table are squares.
        let (across, down) =
            if columns == rows { (across.min(down), across.min(down)) } else { (across, down) };
        let area = Rect { x: left, y: 46.0, width: across * columns as f64, height: down * rows as f64 };

        let shades = Shades::even(self.values);
        let best = self.values.iter().copied().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max);
        let texts: Vec<String> = self.values.iter().map(|&value| self.text(value)).collect();
        let size = cell_size(&texts, across, down);
        let mut frames = Vec::new();
        for (i, (&value, text)) in self.values.iter().zip(&texts).enumerate() {
            let (x, y) = (area.x + across * (i % columns) as f64, area.y + down * (i / columns) as f64);
            if i / columns >= rows || !value.is_finite() {
                continue;
            }
            let cell = Rect { x, y, width: across, height: down };
            let fill = sequential(shades.share(value));
            svg.rect(Rect { width: across - 0.8, height: down - 0.8, ..cell }, fill);
            if let Some(size) = size {
                let at = Text::at(x + across / 2.0, y + down / 2.0 + 0.35 * size, text).middle();
                svg.text(at.size(size).colour(fill.text_on()));
            }
            if self.best && value == best {
                frames.push(Rect { x: x + 0.6, y: y + 0.6, width: across - 2.0, height: down - 2.0 });
            }
        }
        for frame in frames {
            svg.outline(frame, INK);
        }

        let stride = (12.0 / down).ceil().max(1.0) as usize;
        for (i, name) in self.rows.iter().enumerate().step_by(stride) {
            let y = area.y + down * (i as f64 + 0.5) + 3.8;
            svg.text(Text::at(left - 6.0, y, name).end().size(NAME).within(96.0));
        }
        let stride = if upright { (12.0 / across).ceil().max(1.0) as usize } else { 1 };
        for (i, name) in self.columns.iter().enumerate().step_by(stride) {
            let x = area.x + across * (i as f64 + 0.5);
            if upright {
                let at = Text::at(x + 3.8, area.bottom() + 6.0, name);
                svg.text(at.end().upward().size(NAME).within(84.0));
            } else {
                svg.text(Text::at(x, area.bottom() + 15.0, name).middle().size(NAME));
            }
        }
        let middle = (area.x + area.width / 2.0, area.y + area.height / 2.0);
        svg.text(Text::at(middle.0, area.bottom() + names + 14.0, self.x).middle().within(WIDTH - left));
        svg.text(Text::at(15.0, middle.1, self.y).middle().upward().within(area.height.max(120.0)));
        svg.outline(Rect { x: area.x - 0.5, y: area.y - 0.5, ..area }, AXIS);
        let bar = Rect { x: area.right() + 16.0, y: area.y, width: 12.0, height: area.height };
        shades.draw(&mut svg, bar, self.unit);
        Figure::finish(self.title, svg)
    }

    fn text(&self, value: f64) -> String {
        match self.decimals {
            Some(decimals) if value.abs() < 1e6 => format!("{value:.decimals$}").replace('-', "−"),
            _ => short(value, 2),
        }
    }
}

/// The size at which all texts fit in their cells, if one can be read.
fn cell_size(texts: &[String], across: f64, down: f64) -> Option<f64> {
    let widest = texts.iter().map(|text| width(text, 1.0)).fold(0.1, f64::max);
    let size = (0.9 * across / widest).min(0.8 * down).min(12.0);
    (size >= 6.5).then_some(size)
}
