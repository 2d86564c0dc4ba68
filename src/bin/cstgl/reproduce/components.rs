//! Tables IV and V: which parts of the graphs are clustered.

use super::output::Section;
use super::scores_table::{measured, published, with_measures};
use super::study::{Reading, SETTINGS, Setting, Study, pooled};
use super::trial::{Profile, accuracy};
use crate::table::{Cell, Table};
use cstgl::metrics::Scores;

type Kind = (&'static str, fn(&Reading) -> &Vec<Scores>);

const KINDS: [Kind; 3] = [
    ("(a) consistent", |reading| &reading.consistent),
    ("(b) specific", |reading| &reading.specific),
    ("(c) both", |reading| &reading.both),
];

/// A weight that leaves nothing of what it weighs.
const FORBIDDING: f64 = 1e9;

pub fn section(studies: &[Study]) -> Section {
    let mut section = Section::new("Components (Tables IV and V)");
    section.paragraph(
        "(a) keeps the consistent part S1, (b) the specific part S2, (c) both, as Eq. (36) has it. The paper does not say \
         whether the other part was left out of the fusion or out of the model, nor with which parameters. Here it is left out of \
         the fusion, from the same solves as above; the rows named alone in the model forbid it from the start, by a weight of \
         10⁹.",
    );
    let table = Table::new("Tables IV and V").column("Data set", 0).column("Parts", 0).column("Result", 0);
    let mut table = with_measures(table, 4);
    let mut best = [0; 4];
    for study in studies {
        for (count, wins) in best.iter_mut().zip(both_is_best(study)) {
            *count += usize::from(wins);
        }
        let paper = study.set.paper;
        for ((parts, kind), row) in KINDS.iter().zip([paper.consistent, paper.specific, paper.both]) {
            let mut put = |result: &str, cells: Vec<Cell>| {
                let names = [study.set.name, *parts, result].map(Cell::from);
                table.row(names.into_iter().chain(cells));
            };
            put("the paper", published(row));
            for setting in SETTINGS {
                put(setting.name(), measured(&pooled(study.readings(setting), *kind), 4));
            }
            if let Some(profile) = alone(study, parts) {
                for (setting, order) in [(Setting::FileOrder, "file order"), (Setting::Shuffled, "shuffled")]
                {
                    let scores = study.sweep(setting, study.effort.shuffles, &[profile]).concat();
                    put(&format!("alone in the model, {order}"), measured(&scores, 4));
                }
            }
        }
    }
    section.table("tables-4-5", table);
    let [paper, file, shuffled, default] = best;
    section.findings.push(format!(
        "Components: both parts together are at least as good as the better one alone on {paper} of {} in the paper, on {file} here \
         in file order, on {shuffled} with shuffled samples and on {default} with the default.",
        studies.len()
    ));
    section
}

/// The reference with one of the parts forbidden.
fn alone(study: &Study, parts: &str) -> Option<Profile> {
    let (alpha, beta, gamma) = study.weights;
    match parts {
        "(a) consistent" => Some(study.reference_at(alpha, beta, FORBIDDING)),
        "(b) specific" => Some(study.reference_at(alpha, FORBIDDING, gamma)),
        _ => None,
    }
}

/// Is the ACC of both parts at least that of either? In the paper, and in the three settings.
fn both_is_best(study: &Study) -> [bool; 4] {
    let best = |[consistent, specific, both]: [f64; 3]| both >= consistent.max(specific);
    let paper = study.set.paper;
    let mut wins = [best([paper.consistent, paper.specific, paper.both].map(|[acc, ..]| acc)); 4];
    for (win, setting) in wins.iter_mut().skip(1).zip(SETTINGS) {
        *win = best(KINDS.map(|(_, kind)| accuracy(&pooled(study.readings(setting), kind))));
    }
    wins
}
