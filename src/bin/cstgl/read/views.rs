//! From what is in the files to views of the same samples: which variables are views, which way they lie, and which
//! variable is the truth. What was guessed is said in the notes.
use super::labels::{self, Labels};
use super::matrix::{Dense, Matrix, Order, Sparse};
use super::value::{Leaf, Value};
use super::{File, Format, listed};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// What the user says about the input; every command that reads data takes these.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Input {
    /// One .mat or .npz with all views, or one .npy, .csv, .tsv or .mat file per view
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The variables that are views (otherwise all matrices that share a dimension); a cell counts as all its
    /// elements, X{2} as the second
    #[arg(long = "var", value_name = "NAME", num_args = 1..)]
    pub vars: Vec<String>,
    /// The true labels: a variable of the input, or a file
    #[arg(long, value_name = "NAME|FILE")]
    pub truth: Option<String>,
    /// What a row is (otherwise inferred from the number of labels and the agreement between views)
    #[arg(long, value_enum)]
    pub rows: Option<Rows>,
}

impl Input {
    /// The files, as the user wrote them.
    pub fn name(&self) -> String {
        self.inputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

/// What a row of a matrix stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Rows {
    /// A row is a sample
    Samples,
    /// A row is a feature, and a column a sample
    Features,
}

/// One view of the samples.
#[derive(Debug)]
pub struct View {
    /// The variable or file it came from.
    pub name: String,
    /// The type it was stored in.
    pub kind: String,
    /// As the file has it.
    pub matrix: Matrix,
    /// Whether a row of `matrix` is a sample; otherwise a column is.
    pub samples_are_rows: bool,
}

/// A variable that a file holds, in words.
#[derive(Debug)]
pub struct Found {
    /// The file, as the user wrote it.
    pub file: String,
    /// What kind of file.
    pub format: &'static str,
    /// The variable.
    pub name: String,
    /// Shape and type.
    pub what: String,
}

/// Views of the same `n` samples.
#[derive(Debug)]
pub struct Views {
    /// At least one.
    pub views: Vec<View>,
    /// The number of samples.
    pub n: usize,
    /// The truth, if there is one.
    pub labels: Option<Labels>,
    /// Why the samples lie as they do.
    pub orientation: String,
    /// What was guessed or left out.
    pub notes: Vec<String>,
    /// Everything that the files hold.
    pub found: Vec<Found>,
}

impl View {
    /// The number of features.
    pub fn features(&self) -> usize {
        let (rows, cols) = self.matrix.shape();
        if self.samples_are_rows { cols } else { rows }
    }

    /// The distance in the data of a dense view between features and between samples.
    pub fn strides(&self, dense: &Dense) -> (usize, usize) {
        let (rows, cols) = dense.strides();
        if self.samples_are_rows { (cols, rows) } else { (rows, cols) }
    }

    /// Whether a compressed line of a sparse view is a sample; otherwise it is a feature.
    pub fn lines_are_samples(&self, sparse: &Sparse) -> bool {
        self.samples_are_rows == (sparse.order() == Order::RowMajor)
    }

    /// Visits what is stored as `(sample, feature, value)`; within a sample the features ascend.
    pub fn for_each(&self, mut see: impl FnMut(usize, usize, f64)) {
        match self.samples_are_rows {
            true => self.matrix.for_each(see),
            false => self.matrix.for_each(|row, col, value| see(col, row, value)),
        }
    }

    /// The first sample and feature that is NaN or infinite.
    pub fn first_non_finite(&self) -> Option<(usize, usize)> {
        let mut first = None;
        self.for_each(|sample, feature, value| {
            if !value.is_finite() {
                first.get_or_insert((sample, feature));
            }
        });
        first
    }
}

impl Views {
    /// Reads everything that the user named.
    pub fn read(input: &Input) -> Result<Self> {
        let files = input.inputs.iter().map(|path| File::read(path)).collect::<Result<Vec<_>>>()?;
        let truth = match &input.truth {
            Some(name) => Truth::find(name, &files)?,
            None => Truth::Infer,
        };
        Self::assemble(files, input, truth)
    }

    /// Refuses what no algorithm can use: numbers that are not finite.
    pub fn require_finite(&self) -> Result<()> {
        match self.views.iter().find_map(|view| Some((view, view.first_non_finite()?))) {
            None => Ok(()),
            Some((view, (sample, feature))) => Err(Error::new("the value is missing, NaN or infinite")
                .at(format!("sample {}, feature {}", sample + 1, feature + 1))
                .at(format!("view {}", view.name))
                .remedy("fill it in or leave the sample out")),
        }
    }

    /// The views and labels of files that were read.
    pub fn assemble(files: Vec<File>, input: &Input, truth: Truth) -> Result<Self> {
        let place = match files.as_slice() {
            [file] => file.path.clone(),
            files => format!("{} files", files.len()),
        };
        Self::infer(files, input, truth).map_err(|error| error.at(place))
    }

    fn infer(files: Vec<File>, input: &Input, truth: Truth) -> Result<Self> {
        let mut notes = Vec::new();
        let mut found = Vec::new();
        let mut sources = Vec::new();
        for file in files {
            let (path, format) = (file.path.clone(), file.format);
            notes.extend(file.notes.iter().map(|note| format!("{path}: {note}")));
            let leaves = file.into_leaves();
            found.extend(leaves.iter().map(|leaf| Found {
                file: path.clone(),
                format: format.name(),
                name: leaf.name.clone(),
                what: leaf.value.describe(),
            }));
            sources.push(Source { path, format, leaves });
        }
        let (chosen, rest) = choose(sources, input, &truth)?;
        let (chosen, labels) = attach_labels(chosen, &rest, input, truth, &mut notes)?;
        let shapes: Vec<_> = chosen.iter().map(|view| view.matrix.shape()).collect();
        let Orientation { n, samples_are_rows, why } =
            orient(&shapes, labels.as_ref().map(|labels| labels.values.len()), input.rows, &mut notes)
                .map_err(|error| {
                    let names: Vec<_> =
                        chosen.iter().map(|v| format!("{} ({})", v.name, v.matrix.shape_text())).collect();
                    error.at(listed(&names))
                })?;
        let views = chosen
            .into_iter()
            .zip(samples_are_rows)
            .map(|(view, samples_are_rows)| View { samples_are_rows, ..view })
            .collect();
        Ok(Self { views, n, labels, orientation: why, notes, found })
    }
}

/// Where the true labels are.
#[derive(Debug)]
pub enum Truth {
    /// Look for a variable that looks like labels.
    Infer,
    /// The variable of this name.
    Variable(String),
    /// They came from a file of their own.
    Known(Labels),
}

impl Truth {
    /// A variable of the files by that name, else a file.
    pub fn find(name: &str, files: &[File]) -> Result<Self> {
        let exists = |file: &File| file.variables.iter().any(|variable| is_below(name, &variable.name));
        if files.iter().any(|file| !file.format.is_single() && exists(file)) {
            return Ok(Self::Variable(name.to_owned()));
        }
        if Path::new(name).exists() {
            return labels::read(Path::new(name), None).map(Self::Known);
        }
        let names: Vec<String> =
            files.iter().flat_map(|file| &file.variables).map(|variable| variable.name.clone()).collect();
        Err(Error::new(format!("--truth {name} is neither a variable of the input nor a file"))
            .remedy(format!("the input holds {}", listed(&names))))
    }
}

/// Whether `name` is a variable or an element of it.
fn is_below(name: &str, variable: &str) -> bool {
    name.strip_prefix(variable).is_some_and(|rest| rest.is_empty() || rest.starts_with(['{', '.', '(']))
}

struct Source {
    path: String,
    format: Format,
    leaves: Vec<Leaf>,
}

/// Splits the leaves into views and the others.
fn choose(sources: Vec<Source>, input: &Input, truth: &Truth) -> Result<(Vec<View>, Vec<Leaf>)> {
    let is_truth = |leaf: &Leaf| match truth {
        Truth::Variable(name) => leaf.name == *name || leaf.variable == *name,
        _ => false,
    };
    if !input.vars.is_empty() {
        return choose_named(sources.into_iter().flat_map(|source| source.leaves).collect(), &input.vars);
    }
    let several = sources.len() > 1;
    let (mut views, mut rest) = (Vec::new(), Vec::new());
    for Source { path, format, leaves } in sources {
        let holds = leaves.iter().map(|leaf| format!("{} ({})", leaf.name, leaf.value.describe()));
        let holds = listed(&holds.collect::<Vec<_>>());
        let is_label = |leaf: &Leaf| is_truth(leaf) || labels::one_hot(leaf).is_some();
        let is_plane = |leaf: &Leaf| leaf.matrix().is_some_and(Matrix::is_plane) && !is_label(leaf);
        let preferred = preferred_list(&leaves, is_plane);
        let (taken, left): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(|leaf| match &preferred {
            _ if format.is_single() => leaf.matrix().is_some(),
            Some(list) => is_plane(leaf) && leaf.variable == *list,
            None => is_plane(leaf),
        });
        if taken.is_empty() || several && taken.len() > 1 {
            let expected = if several { "one matrix" } else { "a matrix of samples and features" };
            let error = Error::new(format!("{expected} is expected and the file holds {holds}"))
                .remedy("name the views with --var, or save each view as a matrix of numbers");
            return Err(if several { error.at(path) } else { error });
        }
        views.extend(taken.into_iter().filter_map(into_view));
        rest.extend(left);
    }
    Ok((views, rest))
}

/// The one cell or structure with several matrices, if there is exactly one: its elements are the views, and
/// matrices beside it (graphs, indicators) are not.
fn preferred_list(leaves: &[Leaf], is_plane: impl Fn(&Leaf) -> bool) -> Option<String> {
    let mut lists: Vec<&str> = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.is_element() && is_plane(leaf)) {
        lists.push(&leaf.variable);
    }
    lists.sort_unstable();
    let mut several = lists.chunk_by(|a, b| a == b).filter(|list| list.len() > 1);
    match (several.next(), several.next()) {
        (Some(list), None) => list.first().map(|&name| name.to_owned()),
        _ => None,
    }
}

fn choose_named(mut leaves: Vec<Leaf>, names: &[String]) -> Result<(Vec<View>, Vec<Leaf>)> {
    let mut views = Vec::new();
    for name in names {
        let (taken, left): (Vec<Leaf>, Vec<Leaf>) =
            leaves.into_iter().partition(|leaf| leaf.name == *name || leaf.variable == *name);
        if taken.is_empty() {
            let names: Vec<String> =
                left.iter().map(|leaf| format!("{} ({})", leaf.name, leaf.value.describe())).collect();
            return Err(Error::new(format!("there is no variable {name}"))
                .remedy(format!("there is {}", listed(&names))));
        }
        for leaf in taken {
            let (name, what) = (leaf.name.clone(), leaf.value.describe());
            views.push(into_view(leaf).ok_or_else(|| {
                Error::new(format!("variable {name} is {what}")).remedy("a view is a matrix of real numbers")
            })?);
        }
        leaves = left;
    }
    Ok((views, leaves))
}

fn into_view(leaf: Leaf) -> Option<View> {
    match leaf.value {
        Value::Matrix { matrix, kind } => {
            Some(View { name: leaf.name, kind, matrix, samples_are_rows: true })
        }
        _ => None,
    }
}

/// The labels that fit the views; views that were not asked for and do not fit them are left out.
fn attach_labels(
    views: Vec<View>,
    rest: &[Leaf],
    input: &Input,
    truth: Truth,
    notes: &mut Vec<String>,
) -> Result<(Vec<View>, Option<Labels>)> {
    let fits = |view: &View, n: usize| {
        let (rows, cols) = view.matrix.shape();
        match input.rows {
            Some(Rows::Samples) => rows == n,
            Some(Rows::Features) => cols == n,
            None => rows == n || cols == n,
        }
    };
    let labels = match truth {
        Truth::Known(labels) => Some(labels),
        Truth::Variable(name) => Some(named_labels(rest, &name)?),
        Truth::Infer => inferred_labels(rest, |n, known| match known {
            true => views.iter().any(|view| fits(view, n)),
            false => views.iter().all(|view| fits(view, n)),
        }),
    };
    let Some(labels) = labels else {
        return Ok((views, None));
    };
    let n = labels.values.len();
    let shapes =
        listed(&views.iter().map(|v| format!("{} ({})", v.name, v.matrix.shape_text())).collect::<Vec<_>>());
    let explicit = !input.vars.is_empty() || input.inputs.len() > 1;
    let (taken, left): (Vec<View>, Vec<View>) = views.into_iter().partition(|view| fits(view, n));
    if taken.is_empty() || explicit && !left.is_empty() {
        if input.truth.is_some() || taken.is_empty() {
            return Err(Error::new(format!("{} has {n} labels and the views are {shapes}", labels.name))
                .remedy("every view needs one dimension equal to the number of labels"));
        }
        notes.push(format!(
            "{} has {n} entries, which does not fit all views: not taken as labels",
            labels.name
        ));
        return Ok((taken.into_iter().chain(left).collect(), None));
    }
    for view in left {
        notes.push(format!(
            "{} ({}) does not fit the {n} labels and is left out",
            view.name,
            view.matrix.shape_text()
        ));
    }
    if input.truth.is_none() {
        notes.push(format!("{} is taken as the true labels", labels.name));
    }
    let elements = rest.iter().filter(|leaf| leaf.is_element() && is_below(&labels.name, &leaf.variable));
    let differ = elements.filter_map(labels::vector).any(|numbers| {
        Labels::from_numbers(&labels.name, &numbers).map_or(true, |other| other.values != labels.values)
    });
    if differ {
        notes.push(format!("the elements beside {} hold other labels", labels.name));
    }
    Ok((taken, Some(labels)))
}

fn named_labels(rest: &[Leaf], name: &str) -> Result<Labels> {
    let mut leaves = rest.iter().filter(|leaf| leaf.name == name || leaf.variable == name);
    let leaf = leaves.next().ok_or_else(|| {
        Error::new(format!("{name} cannot be both a view and the truth")).remedy("name another variable")
    })?;
    match labels::vector(leaf) {
        Some(numbers) => Labels::from_numbers(&leaf.name, &numbers),
        None => Err(Error::new(format!("{} is {}", leaf.name, leaf.value.describe()))
            .remedy("the truth is a row or column with one number per sample")),
    }
}

/// The variable with the likeliest name; else the only vector that looks like classes.
fn inferred_labels(rest: &[Leaf], fits: impl Fn(usize, bool) -> bool) -> Option<Labels> {
    let mut known = Vec::new();
    let mut unknown = Vec::new();
    for leaf in rest {
        let Some(numbers) = labels::vector(leaf).filter(|numbers| labels::plausible(numbers)) else {
            continue;
        };
        match labels::rank(&leaf.variable).or_else(|| labels::rank(leaf.name.rsplit('.').next()?)) {
            Some(rank) if fits(numbers.len(), true) => known.push((rank, leaf, numbers)),
            None if fits(numbers.len(), false) => unknown.push((0, leaf, numbers)),
            _ => {}
        }
    }
    known.sort_by_key(|&(rank, ..)| rank);
    if known.is_empty() && unknown.len() == 1 {
        known = unknown;
    }
    let (_, leaf, numbers) = known.first()?;
    Labels::from_numbers(&leaf.name, numbers).ok()
}

struct Orientation {
    n: usize,
    samples_are_rows: Vec<bool>,
    why: String,
}

/// Which dimension counts the samples.
fn orient(
    shapes: &[(usize, usize)],
    labels: Option<usize>,
    rows: Option<Rows>,
    notes: &mut Vec<String>,
) -> Result<Orientation> {
    let (n, samples_are_rows, why) = match (rows, labels) {
        (Some(rows), _) => {
            let by_rows = rows == Rows::Samples;
            let n = shapes.first().map_or(0, |&(rows, cols)| if by_rows { rows } else { cols });
            (n, vec![by_rows; shapes.len()], "as --rows says".to_owned())
        }
        (None, Some(n)) => (n, sides(shapes, n, notes), format!("the {n} labels are one per sample")),
        (None, None) => shared(shapes, notes)?,
    };
    let fits = |(&(rows, cols), &by_rows): (&(usize, usize), &bool)| n == if by_rows { rows } else { cols };
    if !shapes.iter().zip(&samples_are_rows).all(fits) {
        return Err(no_agreement());
    }
    if n < 2 {
        return Err(Error::new(format!("{n} samples cannot be clustered"))
            .remedy("say with --rows samples or --rows features what a row is"));
    }
    Ok(Orientation { n, samples_are_rows, why })
}

fn no_agreement() -> Error {
    Error::new("the views do not have the same number of samples")
        .remedy("choose the views with --var, and say with --rows samples or --rows features what a row is")
}

/// The side of each view that has length `n`; a square view follows the others.
fn sides(shapes: &[(usize, usize)], n: usize, notes: &mut Vec<String>) -> Vec<bool> {
    let columns_only = |&&(rows, cols): &&(usize, usize)| cols == n && rows != n;
    let rows_only = |&&(rows, cols): &&(usize, usize)| rows == n && cols != n;
    let by_columns = shapes.iter().filter(columns_only).count();
    let by_rows = shapes.iter().filter(rows_only).count();
    if by_columns + by_rows < shapes.len() {
        let side = if by_columns > by_rows { "columns, like the other views" } else { "rows" };
        notes.push(format!(
            "a square view could lie either way: its samples are taken as {side} (--rows decides)"
        ));
    }
    shapes.iter().map(|shape| rows_only(&shape) || !columns_only(&shape) && by_rows >= by_columns).collect()
}

/// Without labels, the dimension that all views share.
fn shared(shapes: &[(usize, usize)], notes: &mut Vec<String>) -> Result<(usize, Vec<bool>, String)> {
    let &[(rows, cols), ref others @ ..] = shapes else {
        return Err(Error::new("there is no view"));
    };
    let same_rows = others.iter().all(|other| other.0 == rows);
    let same_cols = others.iter().all(|other| other.1 == cols);
    let either = |n: usize| others.iter().all(|other| other.0 == n || other.1 == n);
    let all = |by_rows: bool| vec![by_rows; shapes.len()];
    if others.is_empty() || same_rows && same_cols {
        let reason = if others.is_empty() { "there is one view" } else { "all views have the same shape" };
        notes.push(format!(
            "{reason} and no labels: rows are taken as samples (--rows features says otherwise)"
        ));
        Ok((rows, all(true), "rows are samples unless something says otherwise".into()))
    } else if same_rows {
        Ok((rows, all(true), format!("all views have {rows} rows")))
    } else if same_cols {
        Ok((cols, all(false), format!("all views have {cols} columns")))
    } else {
        let n = if either(rows) { rows } else { cols };
        if !either(n) {
            return Err(no_agreement());
        }
        if rows != cols && either(rows) && either(cols) {
            notes.push(format!(
                "both {rows} and {cols} could count the samples: {n} is taken (--rows decides)"
            ));
        }
        Ok((n, sides(shapes, n, notes), format!("{n} is a dimension of every view")))
    }
}
