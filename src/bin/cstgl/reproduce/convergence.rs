//! The figure on convergence, and the one on run time.

use super::output::Section;
use super::paper;
use super::slices::stem;
use super::study::{SETTINGS, Setting, Study};
use super::trial::BOTH;
use crate::error::Result;
use crate::figure::Figure;
use crate::figure::axis::Spacing;
use crate::figure::bars::{Bars, Series};
use crate::figure::lines::{Curve, Lines};
use crate::run::timed;
use crate::table::{Cell, Table};

/// `||S1_new - S1||_F^2` over the iterations.
pub fn convergence(studies: &[Study]) -> Section {
    let mut section = Section::new("Convergence");
    section.paragraph(format!(
        "The squared change of the consistent part, ‖S1 new − S1‖², over the iterations; zeros are not drawn. {} The penalty \
         doubles in every iteration, so all changes fall in the end, whatever was found.",
        paper::CONVERGENCE
    ));
    let mut table = Table::new("Squared change of S1")
        .column("Data set", 0)
        .column("Result", 0)
        .column("First", 3)
        .column("Least, before the rise", 6)
        .column("in iteration", 0)
        .column("Largest after it", 4)
        .column("in its iteration", 0)
        .column("Last", 9);
    for setting in SETTINGS {
        let mut curves = Vec::new();
        for study in studies {
            let changes: Vec<(f64, f64)> = (study.readings(setting).iter().take(1))
                .flat_map(|reading| &reading.trace)
                .map(|row| (row.iteration as f64, row.consistent_change * row.consistent_change))
                .collect();
            let middle = changes.len() / 2;
            let least = changes.iter().take(middle).copied().reduce(|a, b| if b.1 < a.1 { b } else { a });
            let after = changes.iter().copied().filter(|(i, _)| least.is_some_and(|(start, _)| *i > start));
            let rise = after.reduce(|a, b| if b.1 > a.1 { b } else { a });
            table.row([
                study.set.name.into(),
                setting.name().into(),
                changes.first().map(|(_, change)| *change).into(),
                least.map(|(_, change)| change).into(),
                least.map(|(i, _)| i).into(),
                rise.map(|(_, change)| change).into(),
                rise.map(|(i, _)| i).into(),
                changes.last().map(|(_, change)| *change).into(),
            ]);
            curves.push(Curve { name: study.set.name.into(), points: changes });
        }
        section.figures.push(curve_figure(setting, &curves));
    }
    // One data set after the other, as in the other tables.
    table
        .rows
        .sort_by_key(|row| studies.iter().position(|study| row.first() == Some(&Cell::from(study.set.name))));
    section.table("convergence", table);
    section
}

fn curve_figure(setting: Setting, curves: &[Curve]) -> Figure {
    let title = format!("Convergence, {}", setting.name());
    let lines = Lines {
        title: &title,
        x: ("iteration", Spacing::Linear),
        y: ("squared change of S1", Spacing::Logarithmic),
        curves,
    };
    lines.draw().named(format!("convergence-{}", stem(setting))).explained(format!(
        "How much S1 changes from one iteration to the next. {}",
        if setting == Setting::FileOrder {
            paper::CONVERGENCE
        } else {
            "The same with the samples in a random order."
        }
    ))
}

/// Seconds of a run, with nothing else running: the best of three.
pub fn time(studies: &[Study]) -> Result<Section> {
    let mut section = Section::new("Run time");
    section.paragraph(format!(
        "Seconds of this program on this machine, one thread, from the Gram matrices on: distances, solver, spectral step and \
         k-means. The best of three runs, or one that took long. {}",
        paper::TIME
    ));
    let mut table = Table::new("Seconds of a run")
        .column("Data set", 0)
        .column("Result", 0)
        .column("the paper, about", 2)
        .column("Solver", 3)
        .column("Spectral step", 3)
        .column("k-means", 3)
        .column("Together", 3);
    let mut series: Vec<Series> =
        SETTINGS.iter().map(|setting| Series::new(setting.name(), Vec::new())).collect();
    for study in studies {
        for (setting, series) in SETTINGS.into_iter().zip(&mut series) {
            let mut best = [f64::INFINITY; 4];
            let mut spent = 0.0;
            for _ in 0..3 {
                // Once is enough for what takes long.
                if spent > 2.0 {
                    break;
                }
                let run = seconds(study, setting)?;
                spent += run[3];
                if run[3] < best[3] {
                    best = run;
                }
            }
            let published = matches!(study.set.name, "WebKB" | "Yale" | "3-sources").then_some(0.35);
            let mut row = vec![study.set.name.into(), setting.name().into(), published.into()];
            row.extend(best.map(Cell::from));
            table.row(row);
            series.values.push(best[3]);
        }
    }
    let names: Vec<String> = studies.iter().map(|study| study.set.name.to_owned()).collect();
    let bars = Bars { title: "Run time", x: "data set", y: "seconds", categories: &names, series: &series };
    section.figures.push(bars.draw().named("time").explained("Seconds of a run on one thread."));
    section.table("time", table);
    Ok(section)
}

/// Solver, spectral step, k-means, and their sum.
fn seconds(study: &Study, setting: Setting) -> Result<[f64; 4]> {
    let config = study.profile(setting).config(&study.problem);
    let shuffle = (setting != Setting::FileOrder).then_some(1);
    let (solved, solver) = timed(|| study.problem.solve(&config, shuffle));
    let mut solved = solved?;
    let (embedded, spectral) = timed(|| solved.embed(BOTH));
    let (labels, kmeans) = timed(|| embedded?.labels(0));
    labels?;
    Ok([solver, spectral, kmeans, solver + spectral + kmeans])
}
