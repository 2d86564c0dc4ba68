//! What the numbers say, in plain words.

use super::datasets::Found;
use super::study::{SETTINGS, Setting, Study, pooled};
use super::trial::Spread;

/// Accuracies that differ by less are the same result.
const CLOSE: f64 = 0.0101;

pub fn paragraphs(studies: &[Study], found: &Found) -> Vec<String> {
    let mut out = Vec::new();
    let names = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let here = names(studies.iter().map(|study| study.set.name).collect());
    let missing = names(found.missing.iter().map(|set| set.name).collect());
    out.push(format!("Of the paper's six data sets these were found: {here}. Not found: {missing}."));
    if studies.is_empty() {
        out.push(
            "Only the experiments on synthetic data could be run; they say nothing about the paper's tables."
                .into(),
        );
        return out;
    }
    let close = |study: &Study, setting| (acc(study, setting).mean - study.set.paper.result[0]).abs() < CLOSE;
    let count = |setting| studies.iter().filter(|study| close(study, setting)).count();
    let (all, file, shuffled) = (studies.len(), count(Setting::FileOrder), count(Setting::Shuffled));
    let sorted =
        studies.iter().filter(|study| is_sorted(&study.problem.truth, study.problem.classes)).count();
    out.push(format!(
        "In the order of the files the authors' program comes within one point of the paper's ACC on {file} of {all}. With the same \
         samples in a random order it does so on {shuffled} of {all}: what is lost was not in the data but in the order of \
         the file. ({sorted} of {all} files are sorted by class.)"
    ));
    for study in studies {
        let [file, shuffled, default] = SETTINGS.map(|setting| acc(study, setting));
        let lost = file.mean - shuffled.mean;
        let order = if lost > CLOSE {
            format!("{:.1} points of it come from the order", 100.0 * lost)
        } else if lost < -CLOSE {
            format!("the file's order costs {:.1} points", -100.0 * lost)
        } else {
            "the order does not matter".to_owned()
        };
        let steady = if default.deviation.is_none_or(|spread| spread < 5e-5) {
            "in every order"
        } else {
            "on average"
        };
        out.push(format!(
            "{}: paper {:.4}; reference in file order {:.4}; reference shuffled {:.4} ± {:.4} ({order}); default, untuned, {:.4} {steady}.",
            study.set.name, study.set.paper.result[0], file.mean, shuffled.mean, shuffled.deviation.unwrap_or(0.0), default.mean
        ));
    }
    out
}

/// Every class stands in one piece.
fn is_sorted(truth: &[u32], classes: usize) -> bool {
    truth.chunk_by(|one, next| one == next).count() == classes
}

fn acc(study: &Study, setting: Setting) -> Spread {
    Spread::over(&pooled(study.readings(setting), |reading| &reading.both), |scores| scores.acc)
}
