//! The figures on alpha, and on beta and gamma.

use super::output::Section;
use super::paper;
use super::slices::stem;
use super::study::{SETTINGS, Setting, Study, pooled};
use super::trial::{Profile, Spread, accuracy};
use crate::figure::Figure;
use crate::figure::axis::Spacing;
use crate::figure::grid::Grid;
use crate::figure::lines::{Curve, Lines};
use crate::markup::short;
use crate::table::{Cell, Table};

/// ACC over alpha.
pub fn alpha(studies: &[Study]) -> Section {
    let (beta, gamma) = paper::ALPHA_CURVE;
    let mut section = Section::new("Sensitivity to alpha");
    section.paragraph(format!(
        "At beta = {beta} and gamma = {gamma}, as in the paper's figure. {} The default has no alpha (it adapts the scale to the \
         distances), so it is a level line.",
        paper::ALPHA
    ));
    let mut table = Table::new("ACC over alpha").column("Data set", 0).right("alpha");
    for setting in SETTINGS {
        table = table.column(setting.name(), 4);
    }
    let mut moved = Vec::new();
    for study in studies {
        let alphas = &study.effort.alphas;
        let profiles: Vec<Profile> =
            alphas.iter().map(|&alpha| study.reference_at(alpha, beta, gamma)).collect();
        let mut curves = Vec::new();
        for setting in [Setting::FileOrder, Setting::Shuffled] {
            let scores = study.sweep(setting, study.effort.shuffles, &profiles);
            curves.push(scores.iter().map(|scores| Spread::over(scores, |s| s.acc)).collect::<Vec<_>>());
        }
        let default = Spread::over(&pooled(&study.default, |reading| &reading.both), |s| s.acc);
        curves.push(vec![default; alphas.len()]);
        for (i, &alpha) in alphas.iter().enumerate() {
            let mut row = vec![study.set.name.into(), alpha.to_string().into()];
            row.extend(curves.iter().map(|curve| Cell::from(curve.get(i).copied())));
            table.row(row);
        }
        section.figures.push(curve_figure(study, &curves));
        let ranges =
            curves.iter().take(2).map(|curve| points_between(curve.iter().map(|spread| spread.mean)));
        if let [file, shuffled] = ranges.collect::<Vec<_>>().as_slice() {
            moved.push(format!("{} {file:.0} ({shuffled:.0} shuffled)", study.set.name));
        }
    }
    section.table("alpha", table);
    section.findings.push(format!(
        "From one end of its grid to the other alpha moves the ACC by up to so many points: {}.",
        moved.join(", ")
    ));
    section
}

/// From the least to the largest, in points of a hundred.
fn points_between(values: impl Iterator<Item = f64> + Clone) -> f64 {
    100.0 * (values.clone().fold(0.0, f64::max) - values.fold(1.0, f64::min))
}

fn curve_figure(study: &Study, curves: &[Vec<Spread>]) -> Figure {
    let curves: Vec<Curve> = (curves.iter().zip(SETTINGS))
        .map(|(curve, setting)| Curve {
            name: setting.name().into(),
            points: study.effort.alphas.iter().copied().zip(curve.iter().map(|spread| spread.mean)).collect(),
        })
        .collect();
    let title = format!("{}: ACC over alpha", study.set.name);
    let lines = Lines {
        title: &title,
        x: ("alpha", Spacing::Logarithmic),
        y: ("ACC", Spacing::Linear),
        curves: &curves,
    };
    lines.draw().named(format!("alpha-{}", study.set.stem)).explained(format!(
        "The paper's best ACC on {} is {:.4}. The shuffled curve is the mean of {} random order{}.",
        study.set.name,
        study.set.paper.result[0],
        study.effort.shuffles,
        if study.effort.shuffles == 1 { "" } else { "s" }
    ))
}

/// ACC over beta and gamma.
pub fn beta_gamma(studies: &[Study]) -> Section {
    let mut section = Section::new("Sensitivity to beta and gamma");
    section.paragraph(format!(
        "At alpha = {}, as in the paper's figure. {}",
        paper::GRID_ALPHA,
        paper::BETA_GAMMA
    ));
    let mut table = Table::new("ACC over beta and gamma")
        .column("Data set", 0)
        .right("beta")
        .right("gamma")
        .column(Setting::FileOrder.name(), 4)
        .column(Setting::Shuffled.name(), 4);
    let mut tuned = Vec::new();
    for study in studies {
        let values = &study.effort.grid;
        let places: Vec<(f64, f64)> =
            values.iter().flat_map(|&beta| values.iter().map(move |&gamma| (beta, gamma))).collect();
        let profiles: Vec<Profile> =
            places.iter().map(|&(beta, gamma)| study.reference_at(paper::GRID_ALPHA, beta, gamma)).collect();
        let mut grids = Vec::new();
        for setting in [Setting::FileOrder, Setting::Shuffled] {
            let scores = study.sweep(setting, 1, &profiles);
            let grid: Vec<f64> = scores.iter().map(|scores| accuracy(scores)).collect();
            section.figures.push(grid_figure(study, setting, &grid));
            grids.push(grid);
        }
        let best = grids.iter().map(|grid| grid.iter().copied().fold(0.0, f64::max));
        if let [file, shuffled] = best.collect::<Vec<_>>().as_slice() {
            tuned.push(format!("{} {file:.4} ({shuffled:.4} shuffled)", study.set.name));
        }
        for (i, &(beta, gamma)) in places.iter().enumerate() {
            let mut row = vec![study.set.name.into(), beta.to_string().into(), gamma.to_string().into()];
            row.extend(grids.iter().map(|grid| Cell::from(grid.get(i).copied())));
            table.row(row);
        }
    }
    section.findings.push(format!(
        "The best ACC over beta and gamma at alpha = {}, as if tuned by the truth: {}.",
        paper::GRID_ALPHA,
        tuned.join(", ")
    ));
    section.folded.push(("beta-gamma".into(), table));
    section
}

fn grid_figure(study: &Study, setting: Setting, values: &[f64]) -> Figure {
    let names: Vec<String> = study.effort.grid.iter().map(|&value| short(value, 1)).collect();
    let title = format!("{}: ACC, {}", study.set.name, setting.name());
    let grid = Grid {
        title: &title,
        x: "gamma",
        y: "beta",
        columns: &names,
        rows: &names,
        values,
        unit: "ACC",
        decimals: Some(2),
        best: true,
    };
    let best = values.iter().copied().fold(0.0, f64::max);
    grid.draw().named(format!("beta-gamma-{}-{}", study.set.stem, stem(setting))).explained(format!(
        "ACC on {} at alpha = {}; the best is {best:.4}, the paper's {:.4}.",
        study.set.name,
        paper::GRID_ALPHA,
        study.set.paper.result[0]
    ))
}
