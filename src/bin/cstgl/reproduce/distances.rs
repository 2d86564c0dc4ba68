//! Table III: which distance the graphs are made of.

use super::datasets::distance_name;
use super::output::Section;
use super::scores_table::accuracy_cell;
use super::study::{SETTINGS, Setting, Study, pooled};
use super::trial::accuracy;
use crate::table::Table;
use cstgl::config::Distance;
use cstgl::metrics::Scores;

pub fn section(studies: &[Study]) -> Section {
    let mut section = Section::new("Distances (Table III)");
    section.paragraph(
        "Samples are scaled to unit length first, in every profile and in the authors' program. Then the squared Euclidean \
         distance is 2 − 2⟨x, y⟩: twice the pseudo-Stiefel one, up to a constant in each row that the graph never sees. So \
         the other distance doubles the weight of the graph term, and does nothing else. The default weighs distances by their own \
         scale: it gives the same result with both, but for samples that are all zero.",
    );
    let mut table =
        Table::new("Table III: ACC").column("Data set", 0).column("Distance", 0).column("the paper", 4);
    for setting in SETTINGS {
        table = table.column(setting.name(), 4);
    }
    let mut better = [0; 4];
    for study in studies {
        let mut pair = Vec::new();
        for distance in [Distance::Euclidean, Distance::Stiefel] {
            let paper = study.set.paper;
            let published = match distance {
                Distance::Euclidean => paper.euclidean,
                Distance::Stiefel => paper.stiefel,
            };
            let mut row = vec![study.set.name.into(), distance_name(distance).into(), published.into()];
            let mut means = vec![published];
            for setting in SETTINGS {
                let scores = scores(study, setting, distance);
                row.push(accuracy_cell(&scores));
                means.push(accuracy(&scores));
            }
            table.row(row);
            pair.push(means);
        }
        if let [euclidean, stiefel] = pair.as_slice() {
            let wins = euclidean.iter().zip(stiefel).map(|(euclidean, stiefel)| stiefel > euclidean);
            better.iter_mut().zip(wins).for_each(|(count, wins)| *count += usize::from(wins));
        }
    }
    section.table("table-3", table);
    let [paper, file, shuffled, default] = better;
    section.findings.push(format!(
        "Distances: the pseudo-Stiefel one is the better of the two on {paper} of {} in the paper, on {file} here in file order, \
         on {shuffled} with shuffled samples and on {default} with the default. With unit lengths the two differ by a factor.",
        studies.len()
    ));
    section
}

fn scores(study: &Study, setting: Setting, distance: Distance) -> Vec<Scores> {
    let profile = study.profile(setting);
    if profile.with_distance(distance) == profile {
        return pooled(study.readings(setting), |reading| &reading.both);
    }
    let profile = [profile.with_distance(distance)];
    // The default is the same in every order: a few show it.
    let shuffles = if setting == Setting::Default { study.effort.shuffles } else { study.effort.trials };
    study.sweep(setting, shuffles, &profile).concat()
}
