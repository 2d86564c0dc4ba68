//! Curves: convergence, sensitivity.

use super::axis::{Axis, Plot, Spacing};
use super::legend::{self, Entry, Key};
use super::palette::category;
use super::svg::Mark;
use super::{Figure, canvas};

/// One curve.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// Curves over common axes. On a logarithmic axis points that are not positive are left out and the curve is broken.
#[derive(Debug)]
pub struct Lines<'a> {
    pub title: &'a str,
    pub x: (&'a str, Spacing),
    pub y: (&'a str, Spacing),
    pub curves: &'a [Curve],
}

const DASHES: [&str; 4] = ["", "7 3", "2.5 2.5", "9 3 2.5 3"];

impl Lines<'_> {
    pub fn draw(&self) -> Figure {
        let mut svg = canvas(self.title);
        let style = |i: usize| {
            (category(i), Mark::category(i), DASHES.get(i % DASHES.len()).copied().unwrap_or_default())
        };
        let entries: Vec<Entry> = (self.curves.iter().enumerate())
            .map(|(i, curve)| {
                let (colour, mark, dash) = style(i);
                Entry { name: curve.name.clone(), colour, key: Key::Line(mark, dash) }
            })
            .collect();
        let top = legend::draw(&mut svg, if entries.len() > 1 { &entries } else { &[] });

        let points = || self.curves.iter().flat_map(|curve| curve.points.iter().copied());
        let x = Axis::over(points().map(|(x, _)| x), self.x.1, 8, self.x.0);
        let y = Axis::over(points().map(|(_, y)| y), self.y.1, 7, self.y.0);
        let plot = Plot::new(x, y, top);
        plot.draw(&mut svg);
        for (i, curve) in self.curves.iter().enumerate() {
            let (colour, mark, dash) = style(i);
            let places: Vec<_> = curve.points.iter().map(|&point| plot.place(point)).collect();
            for run in places.split(Option::is_none) {
                let run: Vec<_> = run.iter().flatten().copied().collect();
                svg.polyline(&run, colour, dash);
                // Marks on every point of a long curve would hide it.
                let stride = run.len().div_ceil(40).max(1);
                let marked: Vec<_> = run.into_iter().step_by(stride).collect();
                svg.marks(&marked, mark, 2.8, colour);
            }
        }
        Figure::finish(self.title, svg)
    }
}
