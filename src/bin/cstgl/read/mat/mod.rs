//! MATLAB's MAT-files of version 5, which `-v6` and `-v7` write: a header of 128 bytes, then one element a variable.
//!
//! Sizes in the file are claims. Nothing is allocated on a claim alone: every length is compared with the bytes that
//! are there, and compressed data with what it inflates to.
mod array;
mod element;
mod inflate;
mod list;
mod numeric;
mod sparse;

use super::value::{Value, Variable};
use crate::error::{Error, Result};
use element::{Cursor, Element, Endian, kind};

/// More elements of cells and structures than this, in one file, are not a data set.
const MOST_CELLS: usize = 1 << 16;

const HEADER: usize = 128;
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Whether the first bytes could be those of a MAT-file of any version that says so.
pub fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MATLAB ") || bytes.starts_with(HDF5) || endian(bytes).is_some()
}

fn endian(bytes: &[u8]) -> Option<Endian> {
    match bytes.get(126..HEADER)? {
        b"IM" => Some(Endian::Little),
        b"MI" => Some(Endian::Big),
        _ => None,
    }
}

/// All variables of a file, in its order.
pub fn read(bytes: &[u8]) -> Result<Vec<Variable>> {
    let endian = header(bytes)?;
    let mut cursor = Cursor::new(bytes.get(HEADER..).unwrap_or_default(), HEADER, endian);
    let mut budget = MOST_CELLS;
    let mut variables = Vec::new();
    while let Some(element) = cursor.next()? {
        let (name, value) = variable(element, &mut budget)?;
        // What has no name is MATLAB's own record of objects.
        if !name.is_empty() {
            variables.push(Variable { name, value });
        }
    }
    Ok(variables)
}

fn variable(element: Element<'_>, budget: &mut usize) -> Result<(String, Value)> {
    match element.kind {
        kind::MATRIX => array::array(element, 0, budget),
        kind::COMPRESSED => {
            let bytes = inflate::inflate(element)?;
            let inner = Element { kind: kind::MATRIX, bytes: &bytes, at: 8, endian: element.endian };
            let place = || format!("compressed variable at byte {}", element.at);
            array::array(inner, 0, budget).map_err(|error| error.at(place()))
        }
        other => Err(Error::new(format!("an element of type {other} stands where a variable belongs"))
            .at(format!("byte {}", element.at.saturating_sub(8)))
            .remedy("the file is damaged, copy or save it again")),
    }
}

fn header(bytes: &[u8]) -> Result<Endian> {
    let resave = "open it in MATLAB and save it with save(..., '-v7'), or in Python with scipy.io.savemat";
    if bytes.starts_with(b"MATLAB 7.3") || bytes.starts_with(HDF5) || bytes.get(512..520) == Some(HDF5) {
        return Err(Error::new("this is a MAT-file of version 7.3 (HDF5), which is not read").remedy(resave));
    }
    if bytes.len() < HEADER {
        return Err(Error::new(format!(
            "{} bytes are too few for a MAT-file's header of {HEADER}",
            bytes.len()
        ))
        .remedy("the file is cut short or is no MAT-file"));
    }
    let endian = endian(bytes).ok_or_else(|| match bytes.first_chunk::<4>() {
        // Version 4 starts with a small number in four bytes; version 5 with text.
        Some(first) if first.contains(&0) => {
            Error::new("this is a MAT-file of version 4, or none").remedy(resave)
        }
        _ => Error::new("this is no MAT-file: its header does not end in IM or MI").remedy(resave),
    })?;
    let version = match (endian, bytes.get(124..126)) {
        (Endian::Little, Some(&[minor, major])) | (Endian::Big, Some(&[major, minor])) => (major, minor),
        _ => (0, 0),
    };
    match version {
        (1, _) => Ok(endian),
        (major, minor) => {
            Err(Error::new(format!("this is a MAT-file of version {major}.{minor}, not 1.0")).remedy(resave))
        }
    }
}
