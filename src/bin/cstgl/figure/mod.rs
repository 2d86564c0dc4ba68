//! Figures of a run, as SVG. Each kind is a plain struct of data with a `draw` that returns a [`Figure`]; data that
//! is absent or degenerate gives an emptier picture, never a broken one.

pub mod axis;
pub mod bars;
pub mod grid;
pub mod heatmap;
pub mod histogram;
mod legend;
pub mod lines;
pub mod palette;
mod raster;
pub mod scatter;
pub mod svg;

use crate::error::{Error, Result};
use crate::writer;
use std::fs;
use std::path::{Path, PathBuf};
use svg::{Svg, Text};

/// Units of a figure across. All figures have one size, so that they stand in rows.
pub const WIDTH: f64 = 480.0;
/// Units of a figure down.
pub const HEIGHT: f64 = 356.0;

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The stem of its file: lower case, no spaces.
    pub name: String,
    /// What it shows, in a few words; also written inside the picture.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// The picture.
    pub svg: String,
}

impl Figure {
    /// Ends a picture that [`canvas`] began.
    fn finish(title: &str, svg: Svg) -> Self {
        let letter = |c: char| if c.is_alphanumeric() { c.to_lowercase().next().unwrap_or('-') } else { '-' };
        let words: String = title.chars().map(letter).collect();
        let name = words.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
        Self { name, title: title.to_owned(), caption: String::new(), svg: svg.finish() }
    }

    /// Under another file name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// With an explanation.
    pub fn explained(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }
}

/// A picture with its title.
fn canvas(title: &str) -> Svg {
    let mut svg = Svg::new(WIDTH, HEIGHT, title);
    svg.text(Text::at(12.0, 22.0, title).size(13.5).bold().within(WIDTH - 24.0));
    svg
}

/// Writes every figure as `DIRECTORY/NAME.svg` and returns the paths; the directory is made if it is not there.
pub fn write_all(directory: &Path, figures: &[Figure]) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(directory).map_err(|error| {
        Error::new(format!("cannot be made ({error})")).at(directory.display().to_string())
    })?;
    let mut paths = Vec::new();
    for figure in figures {
        let path = directory.join(format!("{}.svg", figure.name));
        writer::write(&path, |out| {
            write!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", figure.svg)
        })?;
        paths.push(path);
    }
    Ok(paths)
}
