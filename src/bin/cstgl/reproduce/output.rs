//! The reproduction as Markdown, CSV, SVG and one HTML page. Every file is whole or not there.

use crate::error::{Error, Result};
use crate::figure::Figure;
use crate::markup::put;
use crate::page::Page;
use crate::table::Table;
use crate::writer;
use std::fs;
use std::path::{Path, PathBuf};

/// One experiment.
#[derive(Debug, Default)]
pub struct Section {
    pub heading: String,
    /// What its numbers come to, for the summary.
    pub findings: Vec<String>,
    pub paragraphs: Vec<String>,
    /// Each with the stem of its CSV file.
    pub tables: Vec<(String, Table)>,
    /// Long tables, which the page folds away.
    pub folded: Vec<(String, Table)>,
    pub figures: Vec<Figure>,
}

impl Section {
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.paragraphs.push(text.into());
    }

    pub fn table(&mut self, stem: impl Into<String>, table: Table) {
        self.tables.push((stem.into(), table));
    }
}

/// The whole reproduction.
#[derive(Debug)]
pub struct Document {
    pub facts: Vec<(&'static str, String)>,
    pub conclusion: Vec<String>,
    pub warnings: Vec<String>,
    pub sections: Vec<Section>,
}

const TITLE: &str = "The paper's tables and figures, reproduced";

impl Document {
    fn markdown(&self) -> String {
        let mut out = format!("# {TITLE}\n\n");
        for (name, value) in &self.facts {
            put(&mut out, format_args!("- {name}: {value}\n"));
        }
        out.push_str("\n## In short\n\n");
        for paragraph in &self.conclusion {
            put(&mut out, format_args!("{paragraph}\n\n"));
        }
        for warning in &self.warnings {
            put(&mut out, format_args!("> {warning}\n\n"));
        }
        for section in &self.sections {
            put(&mut out, format_args!("## {}\n\n", section.heading));
            for paragraph in &section.paragraphs {
                put(&mut out, format_args!("{paragraph}\n\n"));
            }
            for (stem, table) in &section.tables {
                put(&mut out, format_args!("{}\n([{stem}.csv]({stem}.csv))\n\n", table.markdown()));
            }
            for (stem, table) in &section.folded {
                put(&mut out, format_args!("{} in numbers: [{stem}.csv]({stem}.csv)\n\n", table.title));
            }
            for figure in &section.figures {
                let Figure { name, title, caption, .. } = figure;
                put(&mut out, format_args!("![{title}](figures/{name}.svg)\n\n{caption}\n\n"));
            }
        }
        out
    }

    fn html(&self) -> String {
        let mut page = Page::new(TITLE, env!("CARGO_PKG_VERSION"), &self.facts);
        page.heading("In short");
        for paragraph in &self.conclusion {
            page.paragraph(paragraph);
        }
        page.warnings(&self.warnings);
        for section in &self.sections {
            page.heading(&section.heading);
            for paragraph in &section.paragraphs {
                page.paragraph(paragraph);
            }
            for (_, table) in &section.tables {
                page.table(table);
            }
            if !section.figures.is_empty() {
                page.figures(&section.figures);
            }
            for (_, table) in &section.folded {
                page.folded(&format!("{} in numbers", table.title), table);
            }
        }
        page.finish()
    }

    /// Writes everything into a directory, and returns what was written.
    pub fn write(&self, directory: &Path) -> Result<Vec<PathBuf>> {
        let figures = directory.join("figures");
        fs::create_dir_all(&figures).map_err(|error| {
            Error::new(format!("cannot be made ({error})")).at(figures.display().to_string())
        })?;
        let mut files = vec![
            (directory.join("reproduction.md"), self.markdown()),
            (directory.join("reproduction.html"), self.html()),
        ];
        for section in &self.sections {
            files.extend(
                section
                    .tables
                    .iter()
                    .chain(&section.folded)
                    .map(|(stem, table)| (directory.join(format!("{stem}.csv")), table.csv())),
            );
            files.extend(section.figures.iter().map(|figure| {
                let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", figure.svg);
                (figures.join(format!("{}.svg", figure.name)), text)
            }));
        }
        for (path, text) in &files {
            writer::write(path, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }
}
