//! The experiments of the supplement: noise added, densities of signal and error, fusion with the error, distances in
//! high dimension. They run on every data set that was found, and on synthetic data in any case.

use super::Effort;
use super::jobs;
use super::output::Section;
use super::paper;
use super::problem::{Problem, synthetic, with_noise};
use super::scores_table::accuracy_cell;
use super::study::{SETTINGS, Setting, Study};
use super::trial::{BOTH, Profile, Spread, WITH_NOISE, accuracy};
use crate::error::Result;
use crate::figure::Figure;
use crate::figure::axis::Spacing;
use crate::figure::histogram::Densities;
use crate::figure::lines::{Curve, Lines};
use crate::read::views::Views;
use crate::table::{Cell, Table};
use cstgl::config::{Config, Distance};
use cstgl::demo::Demo;
use cstgl::metrics::Scores;
use cstgl::rng::Rng;

/// Data to add noise to.
pub struct Subject<'a> {
    name: &'a str,
    stem: &'a str,
    views: &'a Views,
    reference: Profile,
    effort: Effort,
}

/// One level of noise: what was read in the three settings.
struct Level {
    noise: f64,
    settings: Vec<Noisy>,
}

/// Scores with and without the error in the fusion, and entries of both parts of the first run.
#[derive(Default)]
struct Noisy {
    without: Vec<Scores>,
    with: Vec<Scores>,
    signal: Vec<f32>,
    error: Vec<f32>,
}

/// The level of noise whose densities are drawn beside those without noise.
const DRAWN: f64 = 1.0;

/// Entries of a part that are drawn at most.
const ENTRIES: usize = 200_000;

/// Synthetic views in the likeness of the data sets: sorted by class, and no view knows all classes.
pub fn demo() -> Result<Views> {
    synthetic(&Demo::small(), |_| 1.0)
}

impl<'a> Subject<'a> {
    pub fn of(study: &'a Study) -> Self {
        Self {
            name: study.set.name,
            stem: study.set.stem,
            views: &study.views,
            reference: study.reference(),
            effort: study.effort.clone(),
        }
    }

    pub fn synthetic(views: &'a Views, effort: &Effort) -> Self {
        let reference =
            Profile::Reference { distance: Distance::Stiefel, alpha: 1.0, beta: 10.0, gamma: 100.0 };
        Self { name: "synthetic", stem: "synthetic", views, reference, effort: effort.clone() }
    }

    fn levels(&self) -> Result<Vec<Level>> {
        let mut levels = Vec::new();
        for &noise in &self.effort.noise {
            let problem = match noise {
                0.0 => Problem::of(self.views)?,
                noise => Problem::of(&with_noise(self.views, noise, 1)?)?,
            };
            let mut runs = vec![(Setting::FileOrder, None)];
            for setting in [Setting::Shuffled, Setting::Default] {
                // The default is the same in every order.
                let shuffles = if setting == Setting::Default { 1 } else { self.effort.shuffles };
                runs.extend((1..=shuffles).map(|seed| (setting, Some(seed))));
            }
            let read = jobs::map(self.effort.threads, &runs, |&(setting, shuffle)| {
                let profile = match setting {
                    Setting::Default => Profile::Default { distance: Distance::Stiefel },
                    _ => self.reference,
                };
                let mut solved = problem.solve(&profile.config(&problem), shuffle)?;
                let without = problem.score(&mut solved, BOTH, 1)?;
                let with = problem.score(&mut solved, WITH_NOISE, 1)?;
                let (signal, error) = match shuffle {
                    None | Some(1) => solved.densities(ENTRIES)?,
                    Some(_) => Default::default(),
                };
                Ok((setting, Noisy { without, with, signal, error }))
            });
            let mut settings: Vec<Noisy> = SETTINGS.map(|_| Noisy::default()).into();
            for (setting, noisy) in read.into_iter().collect::<Result<Vec<_>>>()? {
                let place = SETTINGS.iter().position(|&other| other == setting).unwrap_or(0);
                let Some(sum) = settings.get_mut(place) else { continue };
                sum.without.extend(noisy.without);
                sum.with.extend(noisy.with);
                sum.signal.extend(noisy.signal);
                sum.error.extend(noisy.error);
            }
            levels.push(Level { noise, settings });
        }
        Ok(levels)
    }
}

/// Noise, densities and fusion: three sections from the same solves.
pub fn noise(subjects: &[Subject<'_>]) -> Result<[Section; 3]> {
    let mut robustness = Section::new("Supplement: synthetic noise");
    robustness.paragraph(paper::SUPPLEMENT);
    robustness.paragraph(
        "Nearly Gaussian noise is added to every number of every view, zeros too. Its level is the ratio of its norm to that of \
         the view: at 1 there is as much noise as data. One draw of the noise for each level, the same in all three columns.",
    );
    let mut robust = Table::new("ACC over the level of noise").column("Data", 0).column("Noise", 2);
    let mut densities = Section::new("Supplement: densities of the noise-free part and of the error");
    densities.paragraph(format!(
        "The entries of S1 + S2 and of E, without noise and with noise of level {DRAWN}. Were E to take up the noise, its \
         density would widen and that of S1 + S2 would not.",
    ));
    let mut widths = Table::new("Standard deviation of the entries")
        .column("Data", 0)
        .column("Noise", 2)
        .column("Result", 0)
        .column("S1 + S2", 6)
        .column("E", 6)
        .column("E over S1 + S2", 4);
    let mut fusion = Section::new("Supplement: fusion with and without the error");
    fusion.paragraph(
        "The same solves, fused as Eq. (36) has it, and with E added: S1 + S2 + E is the learned graph A itself. Were the noise in \
         E, adding it would cost accuracy.",
    );
    let mut fused = Table::new("ACC without and with E").column("Data", 0).column("Noise", 2);
    for setting in SETTINGS {
        robust = robust.column(setting.name(), 4);
        fused = fused.column(format!("{}: S1 + S2", setting.name()), 4).column("+ E", 4);
    }
    let (mut losses, mut tally) = (Vec::new(), [0_usize; 6]);
    for subject in subjects {
        let levels = subject.levels()?;
        for Level { noise, settings } in &levels {
            let start = || vec![Cell::from(subject.name), Cell::from(*noise)];
            robust.row(start().into_iter().chain(settings.iter().map(|read| accuracy_cell(&read.without))));
            let pair = |read: &Noisy| [accuracy_cell(&read.without), accuracy_cell(&read.with)];
            fused.row(start().into_iter().chain(settings.iter().flat_map(pair)));
            if *noise != 0.0 && *noise != DRAWN {
                continue;
            }
            for (setting, read) in SETTINGS.into_iter().zip(settings) {
                let (signal, error) = (deviation(&read.signal), deviation(&read.error));
                let ratio = error / signal.max(f64::MIN_POSITIVE);
                widths.row(start().into_iter().chain([
                    setting.name().into(),
                    signal.into(),
                    error.into(),
                    ratio.into(),
                ]));
                if setting == Setting::FileOrder {
                    densities.figures.push(density_figure(subject, *noise, read));
                }
            }
        }
        robustness.figures.push(noise_figure(subject, &levels));
        if let (Some(clean), Some(noisy)) = (at(&levels, 0.0), at(&levels, DRAWN)) {
            let mut lost = Vec::new();
            for ((clean, noisy), places) in clean.iter().zip(noisy).zip(tally.chunks_mut(2)) {
                lost.push(format!("{:.1}", 100.0 * (accuracy(&clean.without) - accuracy(&noisy.without))));
                let worse = accuracy(&noisy.with) < accuracy(&noisy.without);
                let wider = deviation(&noisy.error) > deviation(&clean.error);
                places.iter_mut().zip([worse, wider]).for_each(|(count, is)| *count += usize::from(is));
            }
            losses.push(format!("{} {}", subject.name, lost.join(" / ")));
        }
    }
    robustness.findings.push(format!(
        "Noise as large as the data costs so many points of ACC (reference in file order / reference shuffled / default): {}.",
        losses.join(", ")
    ));
    let [with_file, wider_file, with_shuffled, wider_shuffled, with_default, wider_default] = tally;
    let all = subjects.len();
    densities.findings.push(format!(
        "With that noise the density of E is wider than without on {wider_file} of {all} in file order, on \
         {wider_shuffled} shuffled, on {wider_default} with the default."
    ));
    fusion.findings.push(format!(
        "Adding E to the fusion of the noisy graphs costs accuracy on {with_file} of {all} in file order, on {with_shuffled} \
         shuffled, on {with_default} with the default."
    ));
    robustness.table("noise", robust);
    densities.table("densities", widths);
    fusion.table("fusion", fused);
    Ok([robustness, densities, fusion])
}

fn at(levels: &[Level], noise: f64) -> Option<&[Noisy]> {
    levels.iter().find(|level| level.noise == noise).map(|level| level.settings.as_slice())
}

fn deviation(values: &[f32]) -> f64 {
    Spread::of(values.iter().map(|&value| f64::from(value))).deviation.unwrap_or(0.0)
}

fn noise_figure(subject: &Subject<'_>, levels: &[Level]) -> Figure {
    let curves: Vec<Curve> = (SETTINGS.iter().enumerate())
        .map(|(i, setting)| Curve {
            name: setting.name().into(),
            points: (levels.iter())
                .filter_map(|level| Some((level.noise, accuracy(&level.settings.get(i)?.without))))
                .collect(),
        })
        .collect();
    let title = format!("{}: ACC with noise", subject.name);
    let lines = Lines {
        title: &title,
        x: ("noise over data", Spacing::Linear),
        y: ("ACC", Spacing::Linear),
        curves: &curves,
    };
    let shuffles = subject.effort.shuffles;
    lines.draw().named(format!("noise-{}", subject.stem)).explained(format!(
        "ACC on {} with noise added; the curve of the shuffled reference is over {shuffles} random order{}. The paper gives no number.",
        subject.name,
        if shuffles == 1 { "" } else { "s" }
    ))
}

fn density_figure(subject: &Subject<'_>, noise: f64, read: &Noisy) -> Figure {
    let title = match noise {
        0.0 => format!("{}: without noise", subject.name),
        noise => format!("{}: with noise of level {noise}", subject.name),
    };
    let parts: [(&str, &[f32]); 2] = [("noise-free, S1 + S2", &read.signal), ("error, E", &read.error)];
    let figure = Densities { title: &title, x: "value of an entry", parts: &parts, y: Spacing::Logarithmic };
    let name = format!("densities-{}-{}", subject.stem, if noise == 0.0 { "clean" } else { "noisy" });
    figure.draw().named(name).explained(format!(
        "Densities of the entries, {}. The table has the shuffled samples too.",
        Setting::FileOrder.name()
    ))
}

/// Both distances on samples of different lengths, in more and more dimensions.
pub fn dimension(effort: &Effort) -> Result<Section> {
    let mut section = Section::new("Supplement: distances in high dimension");
    section.paragraph(
        "A toy experiment: 120 synthetic samples in 4 clusters, two views, the lengths of the samples differing by up to a factor \
         of three. The noise of a feature grows with the fourth root of their number, so that the inner products are as noisy in \
         any dimension. The default profile, but on samples as they are; with unit lengths both distances give the same \
         graph, which is the third column.",
    );
    section.paragraph(
        "On raw samples the pseudo-Stiefel distance d − ⟨x, y⟩ falls with the length of y, so that long samples are everybody's \
         neighbours. The Euclidean distance adds the squared lengths, noise included, which grow with the dimension and hide the \
         rest. Scaling to unit length removes both effects.",
    );
    let kinds: [(&str, Distance, bool); 3] = [
        ("Euclidean, raw", Distance::Euclidean, false),
        ("pseudo-Stiefel, raw", Distance::Stiefel, false),
        ("either, unit length", Distance::Stiefel, true),
    ];
    let mut table = Table::new("ACC over the number of features").column("Features", 0);
    for (name, ..) in kinds {
        table = table.column(name, 4);
    }
    let mut curves: Vec<Curve> =
        kinds.iter().map(|(name, ..)| Curve { name: (*name).into(), points: Vec::new() }).collect();
    for &features in &effort.dimensions {
        let problems = (1..=effort.shuffles).map(|seed| toy(features, seed)).collect::<Result<Vec<_>>>()?;
        let mut row = vec![Cell::from(features as f64)];
        for ((_, distance, unit_length), curve) in kinds.iter().zip(&mut curves) {
            let scores = jobs::map(effort.threads, &problems, |problem| {
                let config = Profile::Default { distance: *distance }.config(problem);
                let config = Config { unit_length: *unit_length, ..config };
                problem.score(&mut problem.solve(&config, Some(1))?, BOTH, 1)
            });
            let scores = scores.into_iter().collect::<Result<Vec<_>>>()?.concat();
            row.push(accuracy_cell(&scores));
            curve.points.push((features as f64, accuracy(&scores)));
        }
        table.row(row);
    }
    let ends = curves.iter().filter_map(|curve| {
        Some(format!("{} {:.2} to {:.2}", curve.name, curve.points.first()?.1, curve.points.last()?.1))
    });
    section.findings.push(format!("ACC from few features to many: {}.", ends.collect::<Vec<_>>().join(", ")));
    let lines = Lines {
        title: "Distances in high dimension",
        x: ("features of a view", Spacing::Logarithmic),
        y: ("ACC", Spacing::Linear),
        curves: &curves,
    };
    section.figures.push(lines.draw().named("dimension").explained(format!(
        "ACC of the default profile by the number of features, the mean of {} synthetic data sets, their samples shuffled.",
        effort.shuffles
    )));
    section.table("dimension", table);
    Ok(section)
}

/// Noise that grows with the fourth root of the dimension leaves inner products as noisy as they were: their signal
/// is a sum over the features, their noise the root of one.
fn toy(features: usize, seed: u64) -> Result<Problem> {
    let noise = TOY_NOISE * (features as f64 / TOY_FEATURES).powf(0.25);
    let dimensions = [features, features];
    let demo = Demo { dimensions: &dimensions, seed, noise, specific: 0.0, outliers: 0.0, ..Demo::small() };
    let size =
        |i: usize| 1.0 + 2.0 * Rng::new(seed.wrapping_mul(7919).wrapping_add(i as u64)).uniform::<f64>();
    Problem::of(&synthetic(&demo, size)?)
}

const TOY_FEATURES: f64 = 20.0;
const TOY_NOISE: f64 = 0.8;
