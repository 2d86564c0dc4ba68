//! What a file holds: named matrices, lists of them, and things that are no matrix.
use super::matrix::Matrix;

/// A named thing in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name; for files without names, that of the file.
    pub name: String,
    /// What it is.
    pub value: Value,
}

/// What a variable, or an element of one, is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Numbers, and the type they were stored in.
    Matrix { matrix: Matrix, kind: String },
    /// A cell array or structure: its elements by their name below the variable's (`{2}`, `.fea`).
    List(Vec<(String, Value)>),
    /// Something that cannot be a view, in words.
    Other(String),
}

/// An end of the tree by its full name, and the variable it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// `X`, `X{2}`, `data.fea`.
    pub name: String,
    /// `X`, `X`, `data`.
    pub variable: String,
    /// A matrix or something else, never a list.
    pub value: Value,
}

impl Variable {
    /// The ends of the tree in the order of the file.
    pub fn into_leaves(self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        let Self { name, value } = self;
        value.collect(name.clone(), &name, &mut leaves);
        leaves
    }
}

impl Value {
    fn collect(self, name: String, variable: &str, leaves: &mut Vec<Leaf>) {
        match self {
            Self::List(elements) => {
                for (suffix, value) in elements {
                    value.collect(format!("{name}{suffix}"), variable, leaves);
                }
            }
            value => leaves.push(Leaf { name, variable: variable.to_owned(), value }),
        }
    }

    /// The type and shape in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Matrix { matrix, kind } => format!("{} {kind}", matrix.shape_text()),
            Self::List(elements) => format!("list of {}", elements.len()),
            Self::Other(what) => what.clone(),
        }
    }
}

impl Leaf {
    /// The matrix, if it is one.
    pub fn matrix(&self) -> Option<&Matrix> {
        match &self.value {
            Value::Matrix { matrix, .. } => Some(matrix),
            _ => None,
        }
    }

    /// Whether it is an element of a cell or structure.
    pub fn is_element(&self) -> bool {
        self.name != self.variable
    }
}
