//! A writer of SVG: a handful of shapes, every number finite, every text escaped.

use super::palette::{INK, MUTED, Rgb};
use crate::markup::{escape, put};
use std::fmt;

/// What a reader's machine has; the last ones are what a bare Linux has.
const FONT: &str = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/// A picture under construction.
#[derive(Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    label: String,
    body: String,
}

/// A rectangle, its corner at the upper left.
#[derive(Clone, Copy, Debug)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(self) -> f64 {
        self.y + self.height
    }
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// One line of text.
#[derive(Debug)]
pub struct Text<'a> {
    x: f64,
    y: f64,
    text: &'a str,
    anchor: Anchor,
    size: f64,
    colour: Rgb,
    bold: bool,
    upward: bool,
    room: f64,
}

impl<'a> Text<'a> {
    /// A text that starts at a point of its baseline.
    pub fn at(x: f64, y: f64, text: &'a str) -> Self {
        let (anchor, size, room) = (Anchor::Start, 11.0, f64::INFINITY);
        Self { x, y, text, anchor, size, colour: INK, bold: false, upward: false, room }
    }

    pub fn middle(mut self) -> Self {
        self.anchor = Anchor::Middle;
        self
    }

    pub fn end(mut self) -> Self {
        self.anchor = Anchor::End;
        self
    }

    pub fn size(mut self, size: f64) -> Self {
        self.size = size;
        self
    }

    pub fn colour(mut self, colour: Rgb) -> Self {
        self.colour = colour;
        self
    }

    pub fn muted(self) -> Self {
        self.colour(MUTED)
    }

    pub fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    /// Written from below to above.
    pub fn upward(mut self) -> Self {
        self.upward = true;
        self
    }

    /// Shortened to so many units; the whole text then shows on hovering.
    pub fn within(mut self, room: f64) -> Self {
        self.room = room;
        self
    }
}

impl Svg {
    /// An empty picture; `label` is read aloud in its place.
    pub fn new(width: f64, height: f64, label: &str) -> Self {
        Self { width, height, label: label.to_owned(), body: String::new() }
    }

    pub fn rect(&mut self, at: Rect, fill: Rgb) {
        self.translucent(at, fill, 1.0);
    }

    /// A rectangle that lets what is below shine through.
    pub fn translucent(&mut self, at: Rect, fill: Rgb, opacity: f64) {
        let Rect { x, y, width, height } = at;
        let (x, y, w, h) = (N(x), N(y), N(width.max(0.0)), N(height.max(0.0)));
        put(&mut self.body, format_args!(r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}""#));
        if opacity < 1.0 {
            put(&mut self.body, format_args!(r#" fill-opacity="{}""#, N(opacity)));
        }
        self.body.push_str("/>\n");
    }

    /// The edge of a rectangle.
    pub fn outline(&mut self, at: Rect, stroke: Rgb) {
        let (x, y, w, h) = (N(at.x), N(at.y), N(at.width), N(at.height));
        put(
            &mut self.body,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"{stroke}\"/>\n"
            ),
        );
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Rgb, width: f64) {
        let (x1, y1, x2, y2) = (N(from.0), N(from.1), N(to.0), N(to.1));
        put(
            &mut self.body,
            format_args!(
                "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{stroke}\" stroke-width=\"{}\"/>\n",
                N(width)
            ),
        );
    }

    /// Points joined by straight lines; `dash` as SVG has it, empty for a solid line.
    pub fn polyline(&mut self, points: &[(f64, f64)], stroke: Rgb, dash: &str) {
        if points.len() < 2 {
            return;
        }
        self.body.push_str("<polyline points=\"");
        for (i, &(x, y)) in points.iter().enumerate() {
            put(&mut self.body, format_args!("{}{},{}", if i == 0 { "" } else { " " }, N(x), N(y)));
        }
        put(&mut self.body, format_args!(r#"" fill="none" stroke="{stroke}" stroke-width="1.8""#));
        if !dash.is_empty() {
            put(&mut self.body, format_args!(r#" stroke-dasharray="{dash}""#));
        }
        self.body.push_str(" stroke-linejoin=\"round\"/>\n");
    }

    /// A filled area, bounded by the points.
    pub fn area(&mut self, points: &[(f64, f64)], fill: Rgb, opacity: f64) {
        let Some(&(x, y)) = points.first() else { return };
        put(&mut self.body, format_args!("<path d=\"M{} {}", N(x), N(y)));
        for &(x, y) in points.iter().skip(1) {
            put(&mut self.body, format_args!("L{} {}", N(x), N(y)));
        }
        put(&mut self.body, format_args!("Z\" fill=\"{fill}\" fill-opacity=\"{}\"/>\n", N(opacity)));
    }

    /// The same mark at every point, in one path.
    pub fn marks(&mut self, points: &[(f64, f64)], mark: Mark, radius: f64, fill: Rgb) {
        if points.is_empty() {
            return;
        }
        let outline = mark.outline(radius);
        self.body.push_str("<path d=\"");
        for &(x, y) in points {
            put(&mut self.body, format_args!("M{} {}{outline}", N(x), N(y)));
        }
        put(&mut self.body, format_args!(r#"" fill="{fill}" fill-opacity="0.85""#));
        // Small marks stand too close for an edge.
        let edge = if radius < 2.5 { "" } else { r##" stroke="#fff" stroke-width="0.4""## };
        put(&mut self.body, format_args!("{edge}/>\n"));
    }

    /// A raster image, its pixels kept square and sharp.
    pub fn image(&mut self, at: Rect, address: &str) {
        let (x, y, w, h) = (N(at.x), N(at.y), N(at.width), N(at.height));
        put(
            &mut self.body,
            format_args!(
                "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" \
                 style=\"image-rendering:pixelated\" href=\"{}\"/>\n",
                escape(address)
            ),
        );
    }

    pub fn text(&mut self, text: Text<'_>) {
        let shown = fit(text.text, text.size, text.room);
        if shown.is_empty() {
            return;
        }
        let (x, y) = (N(text.x), N(text.y));
        let body = &mut self.body;
        put(
            body,
            format_args!(r#"<text x="{x}" y="{y}" font-size="{}" fill="{}""#, N(text.size), text.colour),
        );
        match text.anchor {
            Anchor::Start => {}
            Anchor::Middle => body.push_str(r#" text-anchor="middle""#),
            Anchor::End => body.push_str(r#" text-anchor="end""#),
        }
        if text.bold {
            body.push_str(r#" font-weight="600""#);
        }
        if text.upward {
            put(body, format_args!(r#" transform="rotate(-90 {x} {y})""#));
        }
        body.push('>');
        if shown != text.text {
            put(body, format_args!("<title>{}</title>", escape(text.text)));
        }
        put(body, format_args!("{}</text>\n", escape(&shown)));
    }

    /// The picture as a document of its own, or as a part of a page.
    pub fn finish(self) -> String {
        let (w, h, label) = (N(self.width), N(self.height), escape(&self.label));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             role=\"img\" aria-label=\"{label}\" font-family=\"{FONT}\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Mark {
    /// The shape of category `i`: neighbours differ, and so do those that share a hue.
    pub fn category(i: usize) -> Self {
        match (i + i / 8) % 4 {
            0 => Self::Circle,
            1 => Self::Square,
            2 => Self::Triangle,
            _ => Self::Diamond,
        }
    }

    /// Relative path commands around a point, all shapes of about the same area.
    fn outline(self, r: f64) -> String {
        match self {
            Self::Circle => format!("m-{0} 0a{0} {0} 0 1 0 {1} 0a{0} {0} 0 1 0-{1} 0z", N(r), N(2.0 * r)),
            Self::Square => format!("m-{0}-{0}h{1}v{1}h-{1}z", N(0.9 * r), N(1.8 * r)),
            Self::Triangle => {
                format!("m0-{0}l{1} {2}h-{3}z", N(1.2 * r), N(1.15 * r), N(2.1 * r), N(2.3 * r))
            }
            Self::Diamond => format!("m0-{0}l{0} {0}l-{0} {0}l-{0}-{0}z", N(1.25 * r)),
        }
    }
}

/// About how wide a text is: the metrics of a wide sans-serif face, so that others fit too.
pub fn width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.34,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' => 0.41,
        '⁰'..='₎' | '¹' | '²' | '³' => 0.41,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'A'..='Z' => 0.72,
        '\u{1100}'.. if c > '\u{2e7f}' => 1.02,
        _ => 0.64,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// The text, or its beginning and end with an ellipsis between: names often differ in their last letters.
pub fn fit(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let take = |kept: usize| {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let head: String = letters.iter().take(head).collect();
        let tail: String = letters.iter().skip(letters.len() - tail).collect();
        format!("{}…{}", head.trim_end(), tail.trim_start())
    };
    let fits = |kept: &usize| width(&take(*kept), size) <= room;
    (1..letters.len()).take_while(fits).last().map_or(String::new(), take)
}

/// A coordinate: two decimals at most, and always a number.
struct N(f64);

impl fmt::Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.0.is_finite() { (self.0 * 100.0).round() / 100.0 } else { 0.0 };
        // Adding zero turns -0 into 0.
        write!(f, "{}", value + 0.0)
    }
}
