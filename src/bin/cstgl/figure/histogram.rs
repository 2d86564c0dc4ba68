//! Densities of several distributions over one axis.

use super::axis::{Axis, Plot, Spacing};
use super::legend::{self, Entry, Key};
use super::palette::category;
use super::{Figure, canvas};

/// Samples of distributions, each with its name.
#[derive(Debug)]
pub struct Densities<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub parts: &'a [(&'a str, &'a [f32])],
    /// Densities of distributions with a sharp peak and wide tails want a logarithmic axis.
    pub y: Spacing,
}

const BINS: usize = 64;

impl Densities<'_> {
    pub fn draw(&self) -> Figure {
        let mut svg = canvas(self.title);
        let entry = |(i, part): (usize, &(&str, &[f32]))| Entry {
            name: part.0.to_owned(),
            colour: category(i),
            key: Key::Patch,
        };
        let entries: Vec<Entry> = self.parts.iter().enumerate().map(entry).collect();
        let top = legend::draw(&mut svg, &entries);

        let (low, high) = self.range();
        let step = (high - low) / BINS as f64;
        let densities: Vec<_> = self.parts.iter().map(|(_, part)| density(part, low, step)).collect();
        let zero = (self.y == Spacing::Linear).then_some(0.0);
        let y = Axis::over(densities.iter().flatten().copied().chain(zero), self.y, 6, "density");
        let x = Axis::over([low, high].into_iter(), Spacing::Linear, 6, self.x);
        let plot = Plot::new(x, y, top);
        plot.draw(&mut svg);
        let bottom = plot.area.bottom();
        let across = |bin: usize| plot.across(low + step * bin as f64).unwrap_or(plot.area.x);
        for (i, densities) in densities.iter().enumerate() {
            let mut bin = 0;
            // Empty bins are gaps: a logarithm cannot say zero.
            for full in densities.chunk_by(|&a, &b| (a > 0.0) == (b > 0.0)) {
                let start = bin;
                bin += full.len();
                if full.first() == Some(&0.0) {
                    continue;
                }
                let mut outline = vec![(across(start), bottom)];
                for (bin, &d) in (start..).zip(full) {
                    let y = plot.down(d).unwrap_or(bottom);
                    outline.extend([(across(bin), y), (across(bin + 1), y)]);
                }
                outline.push((across(bin), bottom));
                svg.area(&outline, category(i), 0.2);
                svg.polyline(&outline, category(i), "");
            }
        }
        Figure::finish(self.title, svg)
    }

    /// From the least to the largest value of all parts.
    fn range(&self) -> (f64, f64) {
        let values =
            || self.parts.iter().flat_map(|(_, part)| part.iter()).copied().filter(|v| v.is_finite());
        let low = f64::from(values().fold(f32::INFINITY, f32::min));
        let high = f64::from(values().fold(f32::NEG_INFINITY, f32::max));
        if low < high {
            (low, high)
        } else if low == high {
            (low - 0.5, high + 0.5)
        } else {
            (0.0, 1.0)
        }
    }
}

/// The share of the values in each bin over its width.
fn density(values: &[f32], low: f64, step: f64) -> Vec<f64> {
    let mut counts = vec![0.0; BINS];
    let mut total = 0.0;
    for &value in values.iter().filter(|value| value.is_finite()) {
        let bin = ((f64::from(value) - low) / step) as usize;
        if let Some(count) = counts.get_mut(bin.min(BINS - 1)) {
            *count += 1.0;
            total += 1.0;
        }
    }
    counts.into_iter().map(|count: f64| count / f64::max(total, 1.0) / step).collect()
}
