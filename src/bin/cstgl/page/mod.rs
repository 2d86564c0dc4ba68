//! A web page in one file: no script, no address outside itself. It is XML as well, so that any tool can read it.

use crate::figure::Figure;
use crate::markup::{escape, put};
use crate::table::Table;

/// Everything the page may load is inside it, and the browser is told so.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// A page under construction, from top to bottom.
#[derive(Debug)]
pub struct Page {
    title: String,
    version: String,
    body: String,
    figures: usize,
}

impl Page {
    /// The head: a title, and facts in a few words each below it.
    pub fn new(title: &str, version: &str, facts: &[(&str, String)]) -> Self {
        let mut body = String::from("<header>\n");
        put(&mut body, format_args!("<p class=\"product\">cstgl {}</p>\n", escape(version)));
        put(&mut body, format_args!("<h1>{}</h1>\n<dl>\n", escape(title)));
        for (name, value) in facts {
            put(&mut body, format_args!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value)));
        }
        body.push_str("</dl>\n</header>\n<main>\n");
        Self { title: title.to_owned(), version: version.to_owned(), body, figures: 0 }
    }

    pub fn heading(&mut self, text: &str) {
        put(&mut self.body, format_args!("<h2>{}</h2>\n", escape(text)));
    }

    pub fn paragraph(&mut self, text: &str) {
        put(&mut self.body, format_args!("<p>{}</p>\n", escape(text)));
    }

    /// A box that cannot be overlooked; nothing if there is nothing to warn of.
    pub fn warnings(&mut self, warnings: &[String]) {
        if warnings.is_empty() {
            return;
        }
        let title = if warnings.len() == 1 { "Please note" } else { "Please note these points" };
        put(&mut self.body, format_args!("<section class=\"warnings\">\n<h2>{title}</h2>\n<ul>\n"));
        for warning in warnings {
            put(&mut self.body, format_args!("<li>{}</li>\n", escape(warning)));
        }
        self.body.push_str("</ul>\n</section>\n");
    }

    /// Tables beside one another as far as they fit.
    pub fn tables(&mut self, tables: &[Table]) {
        self.body.push_str("<section class=\"tables\">\n");
        for table in tables.iter().filter(|table| !table.rows.is_empty()) {
            self.body.push_str(&table.html());
        }
        self.body.push_str("</section>\n");
    }

    /// A table as wide as the page.
    pub fn table(&mut self, table: &Table) {
        self.body.push_str(&table.html());
    }

    /// A table that opens on a click. It is not printed unless it was opened.
    pub fn folded(&mut self, summary: &str, table: &Table) {
        put(
            &mut self.body,
            format_args!("<details>\n<summary>{}</summary>\n{}</details>\n", escape(summary), table.html()),
        );
    }

    /// Figures in rows, numbered through the page.
    pub fn figures(&mut self, figures: &[Figure]) {
        self.body.push_str("<section class=\"figures\">\n");
        for figure in figures {
            self.figures += 1;
            put(
                &mut self.body,
                format_args!(
                    "<figure id=\"{}\">\n{}<figcaption><strong>Figure {}.</strong> {}</figcaption>\n</figure>\n",
                    escape(&figure.name),
                    figure.svg,
                    self.figures,
                    escape(&figure.caption)
                ),
            );
        }
        self.body.push_str("</section>\n");
    }

    /// The page.
    pub fn finish(self) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n\
             <meta charset=\"utf-8\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"generator\" content=\"cstgl {version}\"/>\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}</main>\n\
             <footer>Made by cstgl {version}: multi-view clustering by tensor-based graph learning, after Shi, Ye, \
             Cao, Zhao and Chen, <cite>Tensor-based Graph Learning with Consistency and Specificity for Multi-view \
             Clustering</cite>. This page stands alone: it loads nothing and runs nothing.</footer>\n\
             </body>\n</html>\n",
            escape(POLICY),
            version = escape(&self.version),
            title = escape(&self.title),
            style = include_str!("style.css"),
            body = self.body,
        )
    }
}
