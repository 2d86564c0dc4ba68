//! Cell arrays and structures: arrays inside an array.
use super::array::{DEEPEST, Head, array, text};
use super::element::{Cursor, kind};
use super::numeric;
use crate::error::{Error, Result};
use crate::read::value::Value;

/// The elements of a cell array, `{1}`, `{2}`, ... in the order of the file.
pub fn cell(head: &Head, cursor: &mut Cursor<'_>, depth: usize, budget: &mut usize) -> Result<Value> {
    let len = room(head, 1, cursor)?;
    let mut elements = Vec::new();
    for i in 1..=len {
        elements.push(child(format!("{{{i}}}"), cursor, depth, budget)?);
    }
    Ok(Value::List(elements))
}

/// The fields of a structure, `.name`; of an array of structures, `(2).name`.
pub fn structure(head: &Head, cursor: &mut Cursor<'_>, depth: usize, budget: &mut usize) -> Result<Value> {
    let width: usize = numeric::counts(cursor.element()?)?.first().copied().unwrap_or_default();
    let names = cursor.element()?;
    let names: Vec<String> = match width {
        0 => Vec::new(),
        _ => {
            text(names)?;
            let field = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
            names.bytes.chunks(width).map(field).collect()
        }
    };
    let len = room(head, names.len(), cursor)?;
    let mut elements = Vec::new();
    for i in 1..=len {
        for name in &names {
            let suffix = if len == 1 { format!(".{name}") } else { format!("({i}).{name}") };
            elements.push(child(suffix, cursor, depth, budget)?);
        }
    }
    Ok(Value::List(elements))
}

/// How many elements are declared, if so many tags fit in what is left.
fn room(head: &Head, fields: usize, cursor: &Cursor<'_>) -> Result<usize> {
    let fits = |&len: &usize| len.checked_mul(fields).is_some_and(|tags| tags <= cursor.left() / 8);
    match head.len() {
        _ if fields == 0 => Ok(0),
        Some(len) if fits(&len) => Ok(len),
        _ => Err(Error::new(format!(
            "more elements are declared than fit in the {} bytes left",
            cursor.left()
        ))
        .at(format!("byte {}", cursor.at()))
        .remedy("the file is cut short or damaged, copy or save it again")),
    }
}

fn child(
    suffix: String,
    cursor: &mut Cursor<'_>,
    depth: usize,
    budget: &mut usize,
) -> Result<(String, Value)> {
    let at = cursor.at();
    let wrong = |what: &str| Err(Error::new(what).at(format!("byte {at}")));
    if depth >= DEEPEST {
        return wrong("cells are nested too deeply for a data set");
    }
    *budget = match budget.checked_sub(1) {
        Some(left) => left,
        None => return wrong("there are more cells than a data set has"),
    };
    let element = cursor.element()?;
    if element.kind != kind::MATRIX {
        return wrong("an element of a cell or structure is no array");
    }
    let (_, value) =
        array(element, depth + 1, budget).map_err(|error| error.at(format!("element {suffix}")))?;
    Ok((suffix, value))
}
