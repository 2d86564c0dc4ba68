//! Tables I and II: how well the data sets are clustered.

use super::output::Section;
use super::scores_table::{measured, published, with_measures};
use super::study::{SETTINGS, Study, pooled};
use super::trial::MEASURES;
use crate::table::{Cell, Table};

/// Measures that the paper gives too.
const PUBLISHED: usize = 4;

pub fn section(studies: &[Study]) -> Section {
    let mut section = Section::new("Clustering (Tables I and II)");
    section.paragraph(
        "The reference rows are the authors' program. Their spread in file order is that of the seeds of k-means, which share \
         one solve; the shuffled rows are as many random orders of the same samples. The default row is one setting for all data \
         sets, untuned, over the same random orders. The row of the paper's text does what the paper writes, with the \
         parameters of the reference rows; it does not depend on the order.",
    );
    let start = |title: &str| Table::new(title).column("Data set", 0).column("Result", 0);
    let mut table = with_measures(start("Tables I and II"), PUBLISHED);
    let mut more = start("Measures that the paper does not give");
    more = MEASURES.iter().skip(PUBLISHED).fold(more, |more, (name, _)| more.column(*name, 4));
    for study in studies {
        let name = study.set.name;
        let paper = study.set.paper;
        let mut row = vec![name.into(), format!("the paper, Table {}", paper.table).into()];
        row.extend(published(paper.result));
        table.row(row);
        let rows = SETTINGS.map(|setting| (setting.name(), pooled(study.readings(setting), |r| &r.both)));
        for (result, scores) in rows.into_iter().chain([("the paper's text", study.text.clone())]) {
            let mut cells = measured(&scores, MEASURES.len());
            let rest = cells.split_off(PUBLISHED);
            for (table, cells) in [(&mut table, cells), (&mut more, rest)] {
                table.row([Cell::from(name), Cell::from(result)].into_iter().chain(cells));
            }
        }
    }
    section.table("tables-1-2", table);
    section.table("tables-1-2-more", more);
    let remarks: Vec<String> = (studies.iter())
        .flat_map(|study| {
            study.set.paper.remarks.iter().map(|remark| format!("{}: {remark}", study.set.name))
        })
        .collect();
    if !remarks.is_empty() {
        section.paragraph(format!("Where the paper does not agree with itself. {}.", remarks.join(". ")));
    }
    section
}
