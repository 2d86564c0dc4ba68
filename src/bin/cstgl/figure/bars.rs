//! Bars: sizes, times, grouped and signed quantities.

use super::axis::{Axis, Plot, Spacing};
use super::legend::{self, Entry, Key};
use super::palette::{AXIS, INK, Rgb, category};
use super::svg::{Rect, Svg, Text, width};
use super::{Figure, HEIGHT, canvas};
use crate::markup::short;

/// One quantity, a value per category.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub values: Vec<f64>,
    /// Half the length of the error bar of each value, or nothing.
    pub spread: Vec<f64>,
    /// A colour per category; without, the series has one colour.
    pub colours: Vec<Rgb>,
}

impl Series {
    pub fn new(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self { name: name.into(), values, spread: Vec::new(), colours: Vec::new() }
    }
}

/// Bars side by side for every category. Negative values go down from the line of zero.
#[derive(Debug)]
pub struct Bars<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub categories: &'a [String],
    pub series: &'a [Series],
}

const NAME: f64 = 10.5;

impl Bars<'_> {
    pub fn draw(&self) -> Figure {
        let mut svg = canvas(self.title);
        let entries: Vec<Entry> = (self.series.iter().enumerate())
            .map(|(i, series)| Entry { name: series.name.clone(), colour: category(i), key: Key::Patch })
            .collect();
        let top = legend::draw(&mut svg, if entries.len() > 1 { &entries } else { &[] });

        let ends = self.series.iter().flat_map(|series| {
            let spread = series.spread.iter().copied().chain(std::iter::repeat(0.0));
            series.values.iter().zip(spread).flat_map(|(&v, s)| [v - s, v + s])
        });
        let y = Axis::over(ends.chain([0.0]), Spacing::Linear, 6, self.y);
        let x = Axis::over([0.0, 1.0].into_iter(), Spacing::Linear, 1, self.x).unmarked();
        let mut plot = Plot::new(x, y, top + 10.0);
        let slot = plot.area.width / self.categories.len().max(1) as f64;
        let longest = self.categories.iter().map(|name| width(name, NAME)).fold(0.0, f64::max);
        // Names that do not fit beside one another stand upright; if even that is too tight, some are left out.
        let upright = longest > slot - 4.0 && longest > 22.0 && slot < 64.0;
        if upright {
            plot.area.height -= longest.min(90.0) - 8.0;
        }
        plot.draw(&mut svg);

        let room = if upright { 13.0 } else { longest.min(64.0) + 4.0 };
        // The values stand above the bars if there is room for every one of them.
        let each = if self.series.len() > 1 { 0.72 * slot / self.series.len() as f64 } else { slot };
        let values = self.series.iter().flat_map(|series| &series.values);
        let labelled = values.map(|&value| width(&short(value, 3), 10.0)).fold(0.0, f64::max) < each - 2.0;
        let stride = (room / slot).ceil().max(1.0) as usize;
        for (i, name) in self.categories.iter().enumerate() {
            let middle = plot.area.x + slot * (i as f64 + 0.5);
            self.draw_category(&mut svg, &plot, i, middle, (slot, labelled));
            if !i.is_multiple_of(stride) {
                continue;
            }
            if upright {
                let y = plot.area.bottom() + 7.0;
                svg.text(Text::at(middle + 3.6, y, name).end().upward().size(NAME).within(90.0));
            } else {
                svg.text(
                    Text::at(middle, plot.area.bottom() + 16.0, name)
                        .middle()
                        .size(NAME)
                        .within(slot.max(longest.min(64.0))),
                );
            }
        }
        let zero = plot.down(0.0).unwrap_or(HEIGHT);
        svg.line((plot.area.x, zero), (plot.area.right(), zero), AXIS, 1.0);
        Figure::finish(self.title, svg)
    }

    /// The bars of one category, side by side around `middle`.
    fn draw_category(
        &self,
        svg: &mut Svg,
        plot: &Plot,
        i: usize,
        middle: f64,
        (slot, labelled): (f64, bool),
    ) {
        let each = (0.72 * slot / self.series.len().max(1) as f64).min(64.0);
        let left = middle - each * self.series.len() as f64 / 2.0;
        for (j, series) in self.series.iter().enumerate() {
            let Some(&value) = series.values.get(i) else { continue };
            let (Some(end), Some(zero)) = (plot.down(value), plot.down(0.0)) else { continue };
            let x = left + each * j as f64;
            let gap = if each > 6.0 { 1.0 } else { 0.0 };
            let bar =
                Rect { x: x + gap / 2.0, y: end.min(zero), width: each - gap, height: (end - zero).abs() };
            svg.rect(bar, series.colours.get(i).copied().unwrap_or(category(j)));
            let centre = x + each / 2.0;
            let mut above = end;
            if let Some(&spread) = series.spread.get(i)
                && let (Some(low), Some(high)) = (plot.down(value - spread), plot.down(value + spread))
            {
                svg.line((centre, low), (centre, high), INK, 1.0);
                svg.line((centre - 3.0, low), (centre + 3.0, low), INK, 1.0);
                svg.line((centre - 3.0, high), (centre + 3.0, high), INK, 1.0);
                above = if value < 0.0 { low } else { high };
            }
            if labelled {
                let text = short(value, 3);
                let y = if value < 0.0 { above + 12.0 } else { above - 4.0 };
                svg.text(Text::at(centre, y, &text).middle().size(10.0).muted());
            }
        }
    }
}
