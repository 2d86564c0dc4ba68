//! Axes: from values to places, and the round numbers beside them.

use super::palette::{AXIS, GRID};
use super::svg::{Rect, Svg, Text, width};
use super::{HEIGHT, WIDTH};
use crate::markup::{short, ten_to};

const TICK: f64 = 10.5;

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    Linear,
    Logarithmic,
}

/// A range of values, its round numbers chosen.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    spacing: Spacing,
    pub label: String,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis that covers all values, with about `wanted` round numbers. Values that it cannot show (not finite,
    /// or not positive on a logarithmic one) are passed over.
    pub fn over(
        values: impl Iterator<Item = f64>,
        spacing: Spacing,
        wanted: usize,
        label: impl Into<String>,
    ) -> Self {
        let shown = values.filter(|&v| v.is_finite() && (spacing == Spacing::Linear || v > 0.0));
        let range = shown.fold(None, |range, v| match range {
            None => Some((v, v)),
            Some((low, high)) => Some((f64::min(low, v), f64::max(high, v))),
        });
        let (low, high, ticks) = match spacing {
            Spacing::Linear => linear(range.unwrap_or((0.0, 1.0)), wanted),
            Spacing::Logarithmic => logarithmic(range.unwrap_or((0.1, 10.0)), wanted),
        };
        Self { low, high, spacing, label: label.into(), ticks }
    }

    /// The same axis without round numbers, for names in their place.
    pub fn unmarked(mut self) -> Self {
        self.ticks.clear();
        self
    }

    /// Where a value lies, from 0 at the low end to 1 at the high end; none if it cannot be shown.
    pub fn share(&self, value: f64) -> Option<f64> {
        let (low, high, value) = match self.spacing {
            Spacing::Linear => (self.low, self.high, value),
            Spacing::Logarithmic => (self.low.log10(), self.high.log10(), value.log10()),
        };
        // Halves, because the range of two large numbers may not be a number.
        let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        share.is_finite().then_some(share)
    }
}

/// Ends a little outside the values, except at zero, and the round numbers between.
fn linear((low, high): (f64, f64), wanted: usize) -> (f64, f64, Vec<(f64, String)>) {
    let (low, high) = (low.max(-1e300), high.min(1e300));
    let (low, high) = if high - low > 1e-12 * low.abs().max(high.abs()) {
        (low, high)
    } else {
        let half = if low == 0.0 { 0.5 } else { 0.1 * low.abs() };
        (low - half, high + half)
    };
    let margin = 0.04 * (high - low);
    let low = if low == 0.0 { low } else { low - margin };
    let high = if high == 0.0 { high } else { high + margin };
    let step = round_step((high - low) / wanted.max(1) as f64);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    // As many figures as the step needs beside the largest value.
    let figures = 1 + (first.abs().max(last.abs()) + 0.5).log10().floor().max(0.0) as usize;
    let mut ticks = Vec::new();
    let mut i = first;
    while i <= last && ticks.len() < 50 {
        ticks.push((i * step, short(i * step, figures + 1)));
        i += 1.0;
    }
    (low, high, ticks)
}

/// 1, 2 or 5 times a power of ten, at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= 0.999 * least).unwrap_or(1.0)
}

/// Ends and round numbers at powers of ten.
fn logarithmic((low, high): (f64, f64), wanted: usize) -> (f64, f64, Vec<(f64, String)>) {
    let mut first = (low.log10() + 1e-9).floor().max(-307.0) as i32;
    let mut last = (high.log10() - 1e-9).ceil().min(308.0) as i32;
    if first >= last {
        (first, last) = (first - 1, first + 1);
    }
    let stride = ((last - first) as usize).div_ceil(wanted.max(1)).max(1);
    let at = |power: i32| 10_f64.powi(power);
    // All of one kind: 0.01 beside 100, or 10⁻² beside 10⁵.
    let plain = first >= -3 && last <= 4;
    let ticks = (first..=last).step_by(stride);
    let ticks =
        ticks.map(|power| (at(power), if plain { short(at(power), 1) } else { ten_to(power) })).collect();
    (at(first), at(last), ticks)
}

/// Two axes around an area to draw in.
#[derive(Clone, Debug)]
pub struct Plot {
    pub x: Axis,
    pub y: Axis,
    pub area: Rect,
}

impl Plot {
    /// Leaves room for the numbers and the names of the axes, and `top` units above.
    pub fn new(x: Axis, y: Axis, top: f64) -> Self {
        let numbers = y.ticks.iter().map(|(_, text)| width(text, TICK)).fold(0.0, f64::max);
        let left = numbers + if y.label.is_empty() { 16.0 } else { 34.0 };
        let below = if x.label.is_empty() { 28.0 } else { 46.0 };
        let area = Rect { x: left, y: top, width: WIDTH - left - 18.0, height: HEIGHT - top - below };
        Self { x, y, area }
    }

    /// Lines to read along, numbers and names.
    pub fn draw(&self, svg: &mut Svg) {
        let area = self.area;
        for (value, text) in &self.y.ticks {
            let y = self.down(*value).unwrap_or(area.bottom());
            svg.line((area.x, y), (area.right(), y), GRID, 1.0);
            svg.text(Text::at(area.x - 7.0, y + 3.8, text).end().size(TICK).muted());
        }
        for (value, text) in &self.x.ticks {
            let x = self.across(*value).unwrap_or(area.x);
            svg.line((x, area.y), (x, area.bottom()), GRID, 1.0);
            svg.text(Text::at(x, area.bottom() + 16.0, text).middle().size(TICK).muted());
        }
        svg.line((area.x, area.bottom()), (area.right(), area.bottom()), AXIS, 1.0);
        let (x, y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
        let below = Text::at(x, HEIGHT - 9.0, &self.x.label).middle().within(area.width);
        svg.text(below);
        svg.text(Text::at(15.0, y, &self.y.label).middle().upward().within(area.height));
    }

    /// Where a value of the x axis lies.
    pub fn across(&self, value: f64) -> Option<f64> {
        self.x.share(value).map(|share| self.area.x + share * self.area.width)
    }

    /// Where a value of the y axis lies.
    pub fn down(&self, value: f64) -> Option<f64> {
        self.y.share(value).map(|share| self.area.bottom() - share * self.area.height)
    }

    /// Where a point lies.
    pub fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.across(x)?, self.down(y)?))
    }
}
