//! NumPy's `.npz`: a zip archive of `.npy` files; also the way that `scipy.sparse.save_npz` writes a sparse matrix.
use super::DEFLATE_RATIO;
use super::matrix::{Matrix, Order, Sparse};
use super::npy::{self, Array};
use super::value::{Value, Variable};
use crate::error::{Error, Result};
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Whether the first bytes are those of a zip archive, be it empty.
pub fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// All arrays of an archive in its order; a sparse matrix is one variable called `name`.
pub fn read(bytes: &[u8], name: &str) -> Result<Vec<Variable>> {
    let entries = entries(bytes)?;
    if let Some(matrix) = sparse(&entries)? {
        let value = Value::Matrix { matrix: Matrix::Sparse(matrix), kind: "sparse".into() };
        return Ok(vec![Variable { name: name.to_owned(), value }]);
    }
    let read = |(name, bytes): &(String, Vec<u8>)| {
        let value = npy::read(bytes).map_err(|error| error.at(format!("array {name}")))?;
        Ok(Variable { name: name.clone(), value })
    };
    entries.iter().map(read).collect()
}

fn entries(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let damaged = |error: &dyn std::error::Error| {
        Error::new(format!("the archive is damaged ({error})")).remedy("copy or save the file again")
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| damaged(&e))?;
    let mut entries = Vec::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).map_err(|e| damaged(&e))?;
        let name = entry.name().map_err(|e| damaged(&e))?.trim_end_matches(".npy").to_owned();
        let (packed, size) = (entry.compressed_size().min(bytes.len() as u64), entry.size());
        if size > DEFLATE_RATIO.saturating_mul(packed) {
            return Err(Error::new(format!("{packed} bytes cannot hold the {size} that are declared"))
                .at(format!("array {name}"))
                .remedy("the archive is damaged, copy or save it again"));
        }
        let mut array = Vec::new();
        // One byte beyond what is declared, so that the end is met and the checksum compared.
        let read = entry.by_ref().take(size.saturating_add(1)).read_to_end(&mut array);
        read.map_err(|e| damaged(&e).at(format!("array {name}")))?;
        if array.len() as u64 != size {
            return Err(Error::new(format!("{size} bytes are declared but {} are there", array.len()))
                .at(format!("array {name}")));
        }
        entries.push((name, array));
    }
    Ok(entries)
}

/// `data`, `indices`, `indptr`, `shape` and `format`: compressed columns or rows.
fn sparse(entries: &[(String, Vec<u8>)]) -> Result<Option<Sparse>> {
    let find =
        |wanted: &str| entries.iter().find(|(name, _)| name == wanted).map(|(_, bytes)| Array::parse(bytes));
    let (Some(format), Some(shape), Some(starts), Some(indices), Some(data)) =
        (find("format"), find("shape"), find("indptr"), find("indices"), find("data"))
    else {
        return Ok(None);
    };
    let shape: Vec<usize> = counts(&shape?)?;
    let (&[rows, cols], Some(values)) = (shape.as_slice(), data?.numbers()?) else {
        return Err(Error::new("a sparse matrix needs two dimensions and numbers"));
    };
    let (starts, indices) = (counts(&starts?)?, counts(&indices?)?);
    let format: String = format?.bytes().iter().filter(|&&b| b != 0).map(|&b| char::from(b)).collect();
    let order = match format.as_str() {
        "csc" => Order::ColumnMajor,
        "csr" => Order::RowMajor,
        other => {
            return Err(Error::new(format!("sparse matrices of format {other} are not read"))
                .remedy("save it as .tocsc() or .tocsr()"));
        }
    };
    Sparse::new(rows, cols, order, starts, indices, values).map(Some)
}

fn counts<N: TryFrom<u64>>(array: &Array<'_>) -> Result<Vec<N>> {
    let wrong = || Error::new("the positions of a sparse matrix are not whole numbers in their range");
    // Whole numbers beyond 2^53 have been rounded, and are in no range that matters.
    let whole = |x: &f64| x.fract() == 0.0 && (0.0..9e15).contains(x);
    let count = |x: f64| Some(x).filter(whole).and_then(|x| N::try_from(x as u64).ok()).ok_or_else(wrong);
    array.numbers()?.ok_or_else(wrong)?.into_iter().map(count).collect()
}
