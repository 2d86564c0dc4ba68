//! Figure 2: how far the slices of the consistent part are from one another.

use super::output::Section;
use super::paper;
use super::study::{Reading, SETTINGS, Setting, Study};
use super::trial::Spread;
use crate::figure::Figure;
use crate::figure::grid::Grid;
use crate::table::{Cell, Table};

pub fn section(studies: &[Study]) -> Section {
    let mut section = Section::new("Slices of the consistent part (Fig. 2)");
    section.paragraph(format!(
        "{} Here is the largest ‖S1⁽ᵛ⁾ − S1⁽ʷ⁾‖ of two views, and what it is of the largest ‖S1⁽ᵛ⁾‖: a share near zero means \
         that the views agree, a share near one that they have little in common.",
        paper::SLICES
    ));
    let mut table = Table::new("Largest distance of two slices")
        .column("Data set", 0)
        .column("Result", 0)
        .column("Distance", 4)
        .column("Share of the norm", 4);
    let mut shares = Vec::new();
    for study in studies {
        for setting in SETTINGS {
            let readings = study.readings(setting);
            let cell = |value: fn(&Reading) -> f64| Cell::from(Spread::of(readings.iter().map(value)));
            table.row([study.set.name.into(), setting.name().into(), cell(largest), cell(share)]);
        }
        let mean = |setting| 100.0 * Spread::of(study.readings(setting).iter().map(share)).mean;
        let [file, shuffled, default] = SETTINGS.map(mean);
        shares.push(format!(
            "{} {file:.1} % ({shuffled:.1} % shuffled, {default:.1} % default)",
            study.set.name
        ));
        section.figures.extend([Setting::FileOrder, Setting::Shuffled].map(|setting| figure(study, setting)));
    }
    section.table("slices", table);
    section.findings.push(format!(
        "The slices of S1, which the paper calls nearly identical, differ at most by this share of their norm: {}.",
        shares.join(", ")
    ));
    section
}

/// What the largest distance is of the largest norm.
fn share(reading: &Reading) -> f64 {
    largest(reading) / reading.slice_norm.max(f64::MIN_POSITIVE)
}

fn largest(reading: &Reading) -> f64 {
    reading.slices.iter().copied().fold(0.0, f64::max)
}

fn figure(study: &Study, setting: Setting) -> Figure {
    let reading = study.readings(setting).first();
    let title = format!("{}: slices of S1, {}", study.set.name, setting.name());
    let grid = Grid {
        title: &title,
        x: "view",
        y: "view",
        columns: &study.problem.grams.names,
        rows: &study.problem.grams.names,
        values: reading.map_or(&[], |reading| &reading.slices),
        unit: "distance",
        decimals: None,
        best: false,
    };
    let norm = reading.map_or(0.0, |reading| reading.slice_norm);
    let order = if setting == Setting::FileOrder { "in file order" } else { "with shuffled samples" };
    grid.draw().named(format!("slices-{}-{}", study.set.stem, stem(setting))).explained(format!(
        "Distances between the slices of S1 on {} {order}. The largest slice has a norm of {norm:.3}. Of the paper's \
         picture only the words are known: very small off the diagonal.",
        study.set.name
    ))
}

/// The part of a file name that stands for a setting.
pub fn stem(setting: Setting) -> &'static str {
    match setting {
        Setting::FileOrder => "file-order",
        Setting::Shuffled => "shuffled",
        Setting::Default => "default",
    }
}
