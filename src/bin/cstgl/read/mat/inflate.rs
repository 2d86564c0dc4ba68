//! Compressed variables: one zlib stream that holds one matrix element.
use super::element::{Element, Endian, kind};
use crate::error::{Error, Result};
use crate::read::DEFLATE_RATIO;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// The bytes of the matrix element inside. The memory grows with what is really there, up to what the tag says.
pub fn inflate(element: Element<'_>) -> Result<Vec<u8>> {
    let damaged = |why: String| {
        Error::new(format!("the compressed data is damaged ({why})"))
            .at(format!("byte {}", element.at))
            .remedy("copy or save the file again")
    };
    let mut stream = ZlibDecoder::new(element.bytes);
    let mut tag = [0; 8];
    stream.read_exact(&mut tag).map_err(|e| damaged(e.to_string()))?;
    let [a, b, c, d, e, f, g, h] = tag;
    let (kind, len) = match element.endian {
        Endian::Little => (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])),
        Endian::Big => (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h])),
    };
    if kind != kind::MATRIX {
        return Err(damaged(format!("it holds an element of type {kind}, not a matrix")));
    }
    if u64::from(len) > DEFLATE_RATIO.saturating_mul(element.bytes.len() as u64) {
        return Err(damaged(format!(
            "{} bytes cannot hold the {len} that are declared",
            element.bytes.len()
        )));
    }
    let mut bytes = Vec::new();
    stream.by_ref().take(u64::from(len)).read_to_end(&mut bytes).map_err(|e| damaged(e.to_string()))?;
    if bytes.len() != len as usize {
        return Err(damaged(format!("{len} bytes are declared but {} are there", bytes.len())));
    }
    // The checksum comes after the last byte and is compared when the end is met.
    stream.read(&mut [0]).map_err(|e| damaged(e.to_string()))?;
    Ok(bytes)
}
