//! What the colours and marks mean.

use super::WIDTH;
use super::palette::Rgb;
use super::svg::{Mark, Svg, Text, width};

const SIZE: f64 = 11.0;
const ROW: f64 = 17.0;
const ROWS: usize = 3;
/// The mark and the gaps around it.
const MARK: f64 = 16.0;
const GAP: f64 = 12.0;

/// How an entry is shown beside its name.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    Mark(Mark),
    Patch,
    /// A line, dashed as SVG has it.
    Line(Mark, &'static str),
}

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub colour: Rgb,
    pub key: Key,
}

/// Draws the entries in rows below the title, as many as three rows hold, and returns where the next thing may begin.
pub fn draw(svg: &mut Svg, entries: &[Entry]) -> f64 {
    let (left, right) = (14.0, WIDTH - 14.0);
    let (mut x, mut y) = (left, 44.0);
    let mut row = 1;
    for (i, entry) in entries.iter().enumerate() {
        let key = if matches!(entry.key, Key::Line(..)) { MARK + 12.0 } else { MARK };
        let name = super::svg::fit(&entry.name, SIZE, 0.8 * (right - left));
        let wide = key + width(&name, SIZE) + GAP;
        if x + wide - GAP > right && x > left {
            (x, y, row) = (left, y + ROW, row + 1);
        }
        let more = format!("and {} more", entries.len() - i);
        // The last row keeps room for the remark that there are more.
        let reserve = if i + 1 < entries.len() { GAP + width(&more, SIZE) } else { 0.0 };
        if row > ROWS || row == ROWS && x + wide + reserve - GAP > right {
            let (x, y) = if row > ROWS { (right - width(&more, SIZE), y - ROW) } else { (x, y) };
            svg.text(Text::at(x, y, &more).muted());
            return y + 14.0;
        }
        let centre = [(x + (key - 5.0) / 2.0, y - 3.8)];
        match entry.key {
            Key::Mark(mark) => svg.marks(&centre, mark, 4.4, entry.colour),
            Key::Patch => svg.marks(&centre, Mark::Square, 5.4, entry.colour),
            Key::Line(mark, dash) => {
                svg.polyline(&[(x, y - 3.8), (x + key - 5.0, y - 3.8)], entry.colour, dash);
                svg.marks(&centre, mark, 3.4, entry.colour);
            }
        }
        svg.text(Text::at(x + key, y, &entry.name).within(0.8 * (right - left)));
        x += wide;
    }
    if entries.is_empty() { 40.0 } else { y + 14.0 }
}
