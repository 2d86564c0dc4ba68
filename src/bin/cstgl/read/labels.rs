//! Class labels: of any numbers or words to 0, 1, ..., c - 1, in the order of the values.
use super::text::{self, Table};
use super::value::Leaf;
use super::{File, Format};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// One class per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// The variable or file they came from.
    pub name: String,
    /// The class of each sample, below `classes.len()`.
    pub values: Vec<u32>,
    /// What the classes are called in the file, ascending.
    pub classes: Vec<String>,
}

/// The names that published data uses for its labels, the likeliest first; compared without case, `_`, `-` or `.`.
const NAMES: [&str; 21] = [
    "gt",
    "truth",
    "groundtruth",
    "gnd",
    "truelabel",
    "truelabels",
    "label",
    "labels",
    "y",
    "ytrue",
    "class",
    "classes",
    "classid",
    "classlabel",
    "category",
    "target",
    "targets",
    "cluster",
    "clusters",
    "cls",
    "lab",
];

/// More samples than any affinity matrix has room for; longer vectors are not labels.
const MOST: usize = 1 << 20;

/// How likely a name is to be that of the labels: the smaller the likelier.
pub fn rank(name: &str) -> Option<usize> {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    NAMES.iter().position(|&known| known == plain)
}

impl Labels {
    /// The classes of numbers, in ascending order.
    pub fn from_numbers(name: &str, numbers: &[f64]) -> Result<Self> {
        if let Some(i) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(Error::new(format!("label {} of {name} is not a finite number", i + 1))
                .remedy("every sample needs a label"));
        }
        // -0 and 0 are one class; finite numbers are ordered.
        let key = |&number: &f64| Ordered(if number == 0.0 { 0.0 } else { number });
        Self::from_keys(name, numbers.iter().map(key), |Ordered(number)| number.to_string())
    }

    /// The classes of words: as numbers if all of them are, else in alphabetical order.
    pub fn from_words(name: &str, words: &[String]) -> Result<Self> {
        let numbers: Option<Vec<f64>> = words.iter().map(|word| word.parse().ok()).collect();
        match numbers {
            Some(numbers) => Self::from_numbers(name, &numbers),
            None => match words.iter().position(String::is_empty) {
                Some(i) => Err(Error::new(format!("label {} of {name} is empty", i + 1))
                    .remedy("every sample needs a label")),
                None => Self::from_keys(name, words.iter(), |word| (*word).clone()),
            },
        }
    }

    fn from_keys<K: Ord + Clone>(
        name: &str,
        keys: impl Iterator<Item = K> + Clone,
        show: impl Fn(&K) -> String,
    ) -> Result<Self> {
        let mut classes: BTreeMap<K, u32> = keys.clone().map(|key| (key, 0)).collect();
        classes.values_mut().zip(0..).for_each(|(class, i)| *class = i);
        let values: Vec<u32> = keys.filter_map(|key| classes.get(&key).copied()).collect();
        if values.is_empty() {
            return Err(Error::new(format!("{name} holds no labels")));
        }
        Ok(Self { name: name.to_owned(), values, classes: classes.keys().map(show).collect() })
    }

    /// The number of samples in each class.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.classes.len()];
        for &class in &self.values {
            if let Some(size) = sizes.get_mut(class as usize) {
                *size += 1;
            }
        }
        sizes
    }
}

/// Finite, hence ordered.
#[derive(Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The labels that a leaf holds: a row or a column of numbers, or one-hot rows or columns under a name for labels.
pub fn vector(leaf: &Leaf) -> Option<Vec<f64>> {
    leaf.matrix()?.vector(MOST).or_else(|| one_hot(leaf))
}

/// The place of the only 1 in each line of a matrix of zeros and ones that is called like labels.
pub fn one_hot(leaf: &Leaf) -> Option<Vec<f64>> {
    let matrix = leaf.matrix().filter(|matrix| matrix.is_plane() && rank(&leaf.variable).is_some())?;
    let (rows, cols) = matrix.shape();
    // As a rule there are more samples than classes.
    let (n, by_rows) = (rows.max(cols), rows >= cols);
    let mut places = vec![0.0; Some(n).filter(|&n| n <= MOST)?];
    let mut is_one_hot = true;
    matrix.for_each(|i, j, value| {
        let (sample, class) = if by_rows { (i, j) } else { (j, i) };
        match places.get_mut(sample).filter(|_| value != 0.0) {
            Some(place) if value == 1.0 && *place == 0.0 => *place = class as f64 + 1.0,
            Some(_) => is_one_hot = false,
            None => {}
        }
    });
    (is_one_hot && places.iter().all(|&place| place > 0.0)).then_some(places)
}

/// Whether numbers look like classes: whole, and fewer values than samples.
pub fn plausible(numbers: &[f64]) -> bool {
    let whole = |x: &f64| x.fract() == 0.0 && x.abs() < 1e9;
    if numbers.len() < 2 || !numbers.iter().all(whole) {
        return false;
    }
    let mut values: Vec<i64> = numbers.iter().map(|&x| x as i64).collect();
    values.sort_unstable();
    values.dedup();
    values.len() > 1 && values.len() < numbers.len()
}

/// Reads a file of labels: a vector in `.mat`, `.npy` or `.npz` (`name` says which), or text with one label a line,
/// with or without a header, alone or in the column that its header calls so.
pub fn read(path: &Path, name: Option<&str>) -> Result<Labels> {
    let bytes = super::bytes(path)?;
    let file = path.display().to_string();
    parse(&bytes, path, name).map_err(|error| error.at(file))
}

/// The same from the bytes of the file.
pub fn parse(bytes: &[u8], path: &Path, name: Option<&str>) -> Result<Labels> {
    if Format::of(bytes, path)? == Format::Text {
        return Labels::from_words(&path.display().to_string(), &column(bytes, name)?);
    }
    let leaves: Vec<Leaf> = File::parse(bytes, path)?.into_leaves();
    let vectors = leaves.iter().filter_map(|leaf| Some((leaf, vector(leaf)?)));
    let mut vectors: Vec<(&Leaf, Vec<f64>)> = match name {
        Some(name) => {
            vectors.filter(|(leaf, _)| leaf.name == name || leaf.variable == name).take(1).collect()
        }
        None => vectors.collect(),
    };
    vectors.sort_by_key(|(leaf, _)| rank(&leaf.variable).unwrap_or(usize::MAX));
    match vectors.as_slice() {
        [(leaf, numbers)] => Labels::from_numbers(&leaf.name, numbers),
        [(leaf, numbers), ..] if rank(&leaf.variable).is_some() => Labels::from_numbers(&leaf.name, numbers),
        _ => {
            let found: Vec<String> =
                leaves.iter().map(|leaf| format!("{} ({})", leaf.name, leaf.value.describe())).collect();
            let wanted =
                name.map_or("a vector of labels".to_owned(), |name| format!("a vector called {name}"));
            Err(Error::new(format!("{wanted} is expected and the file holds {}", super::listed(&found))))
        }
    }
}

/// The fields that are labels.
fn column(bytes: &[u8], name: Option<&str>) -> Result<Vec<String>> {
    let mut table = Table::new(bytes)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    while let Some((line, fields)) = table.next()? {
        if rows.first().is_some_and(|first| first.len() != fields.len()) {
            return Err(Error::new(format!(
                "{} fields where the first line has another number",
                fields.len()
            ))
            .at(format!("line {line}"))
            .remedy("one label a line is expected"));
        }
        rows.push(fields.into_iter().map(|field| field.into_owned()).collect());
    }
    let first = rows.first().cloned().unwrap_or_default();
    let is_number = |field: &String| text::number(field, false).is_some();
    // One line of many labels.
    if rows.len() == 1 && first.len() > 1 {
        return Ok(first);
    }
    let named = first.iter().position(|field| match name {
        Some(name) => field == name,
        None => rank(field).is_some() && !is_number(field),
    });
    if let (None, Some(name)) = (named, name) {
        return Err(Error::new(format!("no column is called {name}")));
    }
    let below = |column: usize| rows.iter().skip(1).filter_map(move |row| row.get(column));
    let (column, header) = match (named, first.len()) {
        (Some(column), _) => (column, true),
        // A word above numbers is a header; a word above words is one of them.
        (None, 1) => {
            (0, first.iter().any(|word| !is_number(word)) && below(0).all(is_number) && rows.len() > 1)
        }
        (None, 2) if counts(below(0)) => (1, !first.iter().all(is_number)),
        (None, columns) => {
            return Err(Error::new(format!("{columns} columns, and none is called label"))
                .remedy("give one label a line, or a header that calls a column label"));
        }
    };
    let labels = rows.into_iter().skip(usize::from(header));
    Ok(labels.filter_map(|row| row.into_iter().nth(column)).collect())
}

/// Whether the words are consecutive numbers.
fn counts<'a>(words: impl Iterator<Item = &'a String>) -> bool {
    let numbers: Option<Vec<i64>> = words.map(|word| word.parse().ok()).collect();
    numbers.is_some_and(|n| n.iter().zip(n.iter().skip(1)).all(|(a, b)| a.checked_add(1) == Some(*b)))
}
