//! Points in the plane, by group.

use super::axis::{Axis, Plot, Spacing};
use super::legend::{self, Entry, Key};
use super::palette::category;
use super::svg::Mark;
use super::{Figure, canvas};

/// Points and the group of each; groups are numbers into `names`.
#[derive(Debug)]
pub struct Scatter<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub points: &'a [(f64, f64)],
    pub groups: &'a [usize],
    /// The name of each group, and the category whose colour and mark it has.
    pub names: &'a [(String, usize)],
}

/// Points drawn at most; of more, evenly chosen ones.
pub const MOST: usize = 5000;
const TURNS: usize = 12;

impl Scatter<'_> {
    pub fn draw(&self) -> Figure {
        let mut svg = canvas(self.title);
        let entries: Vec<Entry> = (self.names.iter())
            .map(|(name, i)| Entry {
                name: name.clone(),
                colour: category(*i),
                key: Key::Mark(Mark::category(*i)),
            })
            .collect();
        let top = legend::draw(&mut svg, &entries);

        let x = Axis::over(self.points.iter().map(|point| point.0), Spacing::Linear, 6, self.x);
        let y = Axis::over(self.points.iter().map(|point| point.1), Spacing::Linear, 6, self.y);
        let plot = Plot::new(x, y, top);
        plot.draw(&mut svg);

        let stride = self.points.len().div_ceil(MOST).max(1);
        let radius = if self.points.len() > 600 { 2.4 } else { 3.4 };
        let mut places = vec![Vec::new(); self.names.len()];
        for (&point, &group) in self.points.iter().zip(self.groups).step_by(stride) {
            if let (Some(place), Some(places)) = (plot.place(point), places.get_mut(group)) {
                places.push(place);
            }
        }
        // A few of every group in turn, so that no group is buried under the next.
        for turn in 0..TURNS {
            for ((_, i), places) in self.names.iter().zip(&places) {
                let few: Vec<_> = places.iter().copied().skip(turn).step_by(TURNS).collect();
                svg.marks(&few, Mark::category(*i), radius, category(*i));
            }
        }
        Figure::finish(self.title, svg)
    }
}
