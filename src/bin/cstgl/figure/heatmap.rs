//! A square matrix in colours: the affinity, ordered by cluster.

use super::palette::{AXIS, INK, Rgb, sequential};
use super::raster::{png, shrink};
use super::svg::{Rect, Svg, Text};
use super::{Figure, HEIGHT, WIDTH, canvas};
use crate::markup::short;

/// An `n x n` matrix, row after row.
#[derive(Debug)]
pub struct HeatMap<'a> {
    pub title: &'a str,
    pub values: &'a [f32],
    /// The rows and columns in the order in which to draw them.
    pub order: &'a [usize],
    /// Consecutive blocks of that order: name, size, colour.
    pub groups: &'a [(String, usize, Rgb)],
    /// What the colours measure.
    pub unit: &'a str,
    /// What the groups are.
    pub grouping: &'a str,
}

/// Above so many groups their borders would hide the matrix.
const BORDERS: usize = 24;
const STRIP: f64 = 6.0;

impl HeatMap<'_> {
    pub fn draw(&self) -> Figure {
        let mut svg = canvas(self.title);
        let names = if self.groups.is_empty() { 0.0 } else { 60.0 };
        let side = HEIGHT - 62.0;
        let left = (WIDTH - side - names - 74.0) / 2.0 + names;
        let area = Rect { x: left, y: 46.0, width: side, height: side };

        let (pixels, across) = shrink(self.values, self.order);
        let shades = Shades::of(&pixels);
        match png(pixels.iter().map(|&value| shades.share(value)), across) {
            Some(address) => svg.image(area, &address),
            None => svg.text(Text::at(area.x + side / 2.0, area.y + side / 2.0, "no data").middle().muted()),
        }
        self.draw_groups(&mut svg, area);
        svg.outline(area, AXIS);
        let bar = Rect { x: area.right() + 16.0, y: area.y, width: 12.0, height: side };
        shades.draw(&mut svg, bar, self.unit);
        Figure::finish(self.title, svg)
    }

    /// Coloured strips at the left and at the top, names, and borders.
    fn draw_groups(&self, svg: &mut Svg, area: Rect) {
        let middle = area.y + area.height / 2.0;
        svg.text(Text::at(area.x - 50.0, middle, self.grouping).middle().upward().within(area.height));
        let total: usize = self.groups.iter().map(|(_, size, _)| size).sum();
        let unit = area.width / total.max(1) as f64;
        let mut start = 0.0;
        let mut named_until = f64::NEG_INFINITY;
        for (i, (name, size, colour)) in self.groups.iter().enumerate() {
            let extent = unit * *size as f64;
            let at = area.y + start;
            svg.rect(Rect { x: area.x - STRIP - 2.0, y: at, width: STRIP, height: extent }, *colour);
            svg.rect(
                Rect { x: area.x + start, y: area.y - STRIP - 2.0, width: extent, height: STRIP },
                *colour,
            );
            let middle = at + extent / 2.0;
            if middle - named_until >= 12.0 {
                svg.text(Text::at(area.x - STRIP - 8.0, middle + 3.8, name).end().size(10.5).within(32.0));
                named_until = middle;
            }
            if i > 0 && self.groups.len() <= BORDERS {
                let x = area.x + start;
                svg.line((x, area.y), (x, area.bottom()), INK.mix(AXIS, 0.5), 0.5);
                svg.line((area.x, at), (area.right(), at), INK.mix(AXIS, 0.5), 0.5);
            }
            start += extent;
        }
    }
}

/// From values to shades.
#[derive(Clone, Copy, Debug)]
pub struct Shades {
    low: f64,
    high: f64,
    /// Some values lie above `high` and are drawn like it.
    clipped: bool,
    /// Shades go with the square root, which shows the small values of a matrix that is mostly zero.
    root: bool,
}

impl Shades {
    /// Non-negative values are shown up to the 99.5th percentile of the positive ones, by their square root; others
    /// from the least to the largest, evenly.
    fn of(values: &[f64]) -> Self {
        let all = Self::even(values);
        if all.low < 0.0 {
            return all;
        }
        let mut positive: Vec<f64> = values.iter().copied().filter(|&v| v > 0.0 && v.is_finite()).collect();
        positive.sort_by(f64::total_cmp);
        let high = positive.get((positive.len() * 995 / 1000).min(positive.len().saturating_sub(1)));
        let high = high.copied().unwrap_or(1.0);
        Self { low: 0.0, high, clipped: all.high > high, root: true }
    }

    /// Evenly from the least to the largest.
    pub fn even(values: &[f64]) -> Self {
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let (low, high) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        Self { low, high, clipped: false, root: false }
    }

    /// From 0, the lightest, to 1. All values alike are in the middle, unless they are zero.
    pub fn share(self, value: f64) -> f64 {
        let range = self.high - self.low;
        if range <= 1e-12 * self.high.abs() {
            return if value == 0.0 { 0.0 } else { 0.5 };
        }
        let share = ((value - self.low) / range).clamp(0.0, 1.0);
        if self.root { share.sqrt() } else { share }
    }

    /// The colour bar, its numbers at its right, its unit above.
    pub fn draw(self, svg: &mut Svg, bar: Rect, unit: &str) {
        let steps = 64;
        for i in 0..steps {
            let share = f64::from(i) / f64::from(steps - 1);
            let height = bar.height / f64::from(steps);
            // Each a little taller, so that no seam shows between them.
            let tall = if i == 0 { height } else { height + 0.5 };
            let y = bar.bottom() - height * f64::from(i + 1);
            svg.rect(Rect { y, height: tall, ..bar }, sequential(share));
        }
        svg.outline(bar, AXIS);
        let marks = if self.high > self.low { 4 } else { 0 };
        for i in 0..=marks {
            let share = if marks == 0 { 0.5 } else { f64::from(i) / f64::from(marks) };
            let value = self.low + (self.high - self.low) * if self.root { share * share } else { share };
            let more = if self.clipped && i == marks { "≥ " } else { "" };
            let y = bar.bottom() - bar.height * share;
            svg.line((bar.right(), y), (bar.right() + 3.0, y), AXIS, 1.0);
            let text = format!("{more}{}", short(value, 2));
            svg.text(Text::at(bar.right() + 6.0, y + 3.8, &text).size(10.0).muted());
        }
        svg.text(Text::at(bar.right() + 34.0, bar.y - 12.0, unit).end().size(10.5).muted().within(110.0));
    }
}
