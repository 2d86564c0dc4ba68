//! The matrix element: flags, dimensions, name, then what the class of the array says.
use super::element::{Cursor, Element, kind};
use super::{list, numeric, sparse};
use crate::error::{Error, Result};
use crate::read::matrix::{Dense, Matrix, Order};
use crate::read::value::Value;

/// Cells in cells are a tree; a deeper one than this is no data set.
pub const DEEPEST: usize = 16;

const COMPLEX: u32 = 0x0800;
const LOGICAL: u32 = 0x0200;

/// The head of every array.
#[derive(Debug)]
pub struct Head {
    class: u32,
    flags: u32,
    pub dims: Vec<usize>,
    pub name: String,
}

impl Head {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let flags: u32 = numeric::counts(cursor.element()?)?.first().copied().unwrap_or_default();
        let dims = numeric::counts(cursor.element()?)?;
        let name = text(cursor.element()?)?;
        Ok(Self { class: flags & 0xff, flags, dims, name })
    }

    fn kind(&self) -> &'static str {
        match self.class {
            1 => "cell",
            2 => "struct",
            3 => "object",
            4 => "char",
            _ if self.flags & LOGICAL != 0 => "logical",
            5 | 6 => "double",
            7 => "single",
            8 => "int8",
            9 => "uint8",
            10 => "int16",
            11 => "uint16",
            12 => "int32",
            13 => "uint32",
            14 => "int64",
            15 => "uint64",
            16 => "function",
            _ => "opaque",
        }
    }

    /// `3 x 4 x 5 cell`.
    fn describe(&self) -> String {
        let dims: Vec<String> = self.dims.iter().map(usize::to_string).collect();
        let complex = if self.flags & COMPLEX != 0 { "complex " } else { "" };
        format!("{} {complex}{}", dims.join(" x "), self.kind())
    }

    /// The number of elements, all dimensions together.
    pub fn len(&self) -> Option<usize> {
        self.dims.iter().try_fold(1_usize, |len, &dim| len.checked_mul(dim))
    }
}

/// Names and other short text.
pub fn text(element: Element<'_>) -> Result<String> {
    match element.kind {
        kind::INT8 | kind::UINT8 | kind::UTF8 => Ok(String::from_utf8_lossy(element.bytes).into_owned()),
        other => Err(Error::new(format!("an element of type {other} stands where a name belongs"))
            .at(format!("byte {}", element.at))),
    }
}

/// An array and its name, which is empty inside a cell.
pub fn array(element: Element<'_>, depth: usize, budget: &mut usize) -> Result<(String, Value)> {
    if element.bytes.is_empty() {
        return Ok((String::new(), Value::Other("empty".into())));
    }
    let mut cursor = Cursor::inside(element);
    let head = Head::read(&mut cursor)?;
    let value = body(&head, &mut cursor, depth, budget).map_err(|error| match head.name.as_str() {
        "" => error,
        name => error.at(format!("variable {name}")),
    })?;
    Ok((head.name, value))
}

fn body(head: &Head, cursor: &mut Cursor<'_>, depth: usize, budget: &mut usize) -> Result<Value> {
    let other = || Ok(Value::Other(head.describe()));
    let &[rows, cols] = head.dims.as_slice() else {
        return other();
    };
    match head.class {
        1 => list::cell(head, cursor, depth, budget),
        2 => list::structure(head, cursor, depth, budget),
        5..=15 if head.flags & COMPLEX != 0 => other(),
        5 => {
            let matrix = Matrix::Sparse(sparse::sparse(rows, cols, cursor)?);
            Ok(Value::Matrix { matrix, kind: format!("sparse {}", head.kind()) })
        }
        6..=15 => {
            let at = cursor.at();
            let numbers = numeric::numbers(cursor.element()?)?;
            let dense = Dense::new(rows, cols, Order::ColumnMajor, numbers)
                .map_err(|error| error.at(format!("byte {at}")))?;
            Ok(Value::Matrix { matrix: Matrix::Dense(dense), kind: head.kind().into() })
        }
        _ => other(),
    }
}
