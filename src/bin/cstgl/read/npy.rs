//! NumPy's `.npy`: a magic number, a Python dictionary in ASCII, then the numbers.
//!
//! The dictionary has three keys and one level of nesting, so it is read token by token: there is no recursion for a
//! hostile header to exhaust, and no length is believed before the bytes are seen.
use super::matrix::{Dense, Matrix, Order};
use super::value::Value;
use crate::error::{Error, Result};

/// The first bytes of every `.npy` file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// An array as stored: what the header says, and the bytes after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Array<'a> {
    /// The type in NumPy's notation: `<f8`, `|u1`, `>i4`.
    pub descr: String,
    /// The dimensions; none for a single number.
    pub shape: Vec<usize>,
    order: Order,
    data: &'a [u8],
}

/// A matrix, a vector as a column, or a description of what is neither.
pub fn read(bytes: &[u8]) -> Result<Value> {
    Array::parse(bytes)?.value()
}

impl<'a> Array<'a> {
    /// Reads the header.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let cut = || Error::new("the header is cut short").remedy("copy or save the file again");
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| {
            Error::new("this is no .npy file: it does not start with \\x93NUMPY")
                .remedy("save it with numpy.save")
        })?;
        let (&[major, _], rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let (len, rest) = match major {
            1 => rest.split_first_chunk().map(|(&len, rest)| (usize::from(u16::from_le_bytes(len)), rest)),
            2 | 3 => rest.split_first_chunk().map(|(&len, rest)| (u32::from_le_bytes(len) as usize, rest)),
            _ => return Err(Error::new(format!("version {major} of the .npy format is not known"))),
        }
        .ok_or_else(cut)?;
        let (header, data) = rest.split_at_checked(len).ok_or_else(cut)?;
        let header = str::from_utf8(header).map_err(|_| Error::new("the header is not text"))?;
        let Header { descr, shape, order } = Header::parse(header).ok_or_else(|| {
            Error::new("the header is not a dictionary of descr, fortran_order and shape")
                .remedy("save the array with numpy.save")
        })?;
        Ok(Self { descr, shape, order, data })
    }

    /// The raw bytes, for text.
    pub fn bytes(&self) -> &'a [u8] {
        self.data
    }

    /// The number of elements.
    fn len(&self) -> Option<usize> {
        self.shape.iter().try_fold(1_usize, |len, &dim| len.checked_mul(dim))
    }

    /// The numbers in the order of the file, or `None` where the type is no number.
    pub fn numbers(&self) -> Result<Option<Vec<f64>>> {
        let Some((size, decode)) = decoder(&self.descr) else {
            return Ok(None);
        };
        match self.len().and_then(|len| len.checked_mul(size)) {
            Some(len) if len == self.data.len() => {
                Ok(Some(self.data.chunks_exact(size).map(decode).collect()))
            }
            _ => Err(Error::new(format!(
                "the header declares {} elements of {size} bytes but {} bytes follow",
                join(&self.shape),
                self.data.len()
            ))
            .remedy("the file is cut short or damaged, copy or save it again")),
        }
    }

    /// A matrix, a vector as a column, or a description of what is neither.
    pub fn value(&self) -> Result<Value> {
        let other = || Ok(Value::Other(format!("{} {}", join(&self.shape), self.descr)));
        let (rows, cols) = match *self.shape.as_slice() {
            [] => (1, 1),
            [rows] => (rows, 1),
            [rows, cols] => (rows, cols),
            _ => return other(),
        };
        match self.numbers()? {
            Some(numbers) => Ok(Value::Matrix {
                matrix: Matrix::Dense(Dense::new(rows, cols, self.order, numbers)?),
                kind: name(&self.descr),
            }),
            None => other(),
        }
    }
}

fn join(shape: &[usize]) -> String {
    match shape {
        [] => "1".into(),
        _ => shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x "),
    }
}

/// `<f8` in words.
fn name(descr: &str) -> String {
    let (order, kind) = descr.split_at_checked(1).unwrap_or((descr, ""));
    let bits = |bytes: &str| bytes.parse().map_or(0, |bytes: usize| bytes.saturating_mul(8));
    let base = match kind.split_at_checked(1) {
        Some(("f", bytes)) => format!("float{}", bits(bytes)),
        Some(("i", bytes)) => format!("int{}", bits(bytes)),
        Some(("u", bytes)) => format!("uint{}", bits(bytes)),
        _ => "bool".into(),
    };
    if order == ">" { format!("big-endian {base}") } else { base }
}

type Decode = fn(&[u8]) -> f64;

/// The size of a number and how to read it. (The 64-bit integers above 2^53 are rounded.)
fn decoder(descr: &str) -> Option<(usize, Decode)> {
    macro_rules! decode {
        ($type:ty, $from:ident, $convert:expr) => {{
            let decode: Decode =
                |bytes| bytes.first_chunk().map_or(f64::NAN, |&bytes| $convert(<$type>::$from(bytes)));
            Some((size_of::<$type>(), decode))
        }};
    }
    match descr {
        "|b1" | "|u1" => decode!(u8, from_le_bytes, f64::from),
        "|i1" => decode!(i8, from_le_bytes, f64::from),
        "<u2" => decode!(u16, from_le_bytes, f64::from),
        ">u2" => decode!(u16, from_be_bytes, f64::from),
        "<i2" => decode!(i16, from_le_bytes, f64::from),
        ">i2" => decode!(i16, from_be_bytes, f64::from),
        "<u4" => decode!(u32, from_le_bytes, f64::from),
        ">u4" => decode!(u32, from_be_bytes, f64::from),
        "<i4" => decode!(i32, from_le_bytes, f64::from),
        ">i4" => decode!(i32, from_be_bytes, f64::from),
        "<u8" => decode!(u64, from_le_bytes, |x| x as f64),
        ">u8" => decode!(u64, from_be_bytes, |x| x as f64),
        "<i8" => decode!(i64, from_le_bytes, |x| x as f64),
        ">i8" => decode!(i64, from_be_bytes, |x| x as f64),
        "<f2" => decode!(u16, from_le_bytes, half),
        ">f2" => decode!(u16, from_be_bytes, half),
        "<f4" => decode!(f32, from_le_bytes, f64::from),
        ">f4" => decode!(f32, from_be_bytes, f64::from),
        "<f8" => decode!(f64, from_le_bytes, f64::from),
        ">f8" => decode!(f64, from_be_bytes, f64::from),
        _ => None,
    }
}

/// IEEE half precision: 1 sign bit, 5 of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let size = match (bits >> 10) & 0x1f {
        0 => fraction / 16_777_216.0,
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * f64::from(1_u32 << (exponent - 1)) / 16_777_216.0,
    };
    if bits >> 15 == 0 { size } else { -size }
}

struct Header {
    descr: String,
    shape: Vec<usize>,
    order: Order,
}

impl Header {
    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`
    fn parse(text: &str) -> Option<Self> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        let mut rest = text.trim().strip_prefix('{')?.trim_start();
        while !rest.starts_with('}') {
            let (key, tail) = quoted(rest)?;
            let value = tail.trim_start().strip_prefix(':')?.trim_start();
            let tail = match key {
                "descr" => match quoted(value) {
                    Some((text, tail)) => {
                        descr = Some(text.to_owned());
                        tail
                    }
                    // The fields of a record: a type that is no number, whatever follows.
                    None if value.starts_with('[') => {
                        descr = Some("record".to_owned());
                        value.get(value.find("'fortran_order'")?..)?
                    }
                    None => return None,
                },
                "fortran_order" => match value.strip_prefix("True") {
                    Some(tail) => {
                        order = Some(Order::ColumnMajor);
                        tail
                    }
                    None => {
                        order = Some(Order::RowMajor);
                        value.strip_prefix("False")?
                    }
                },
                "shape" => {
                    let (dims, tail) = value.strip_prefix('(')?.split_once(')')?;
                    let dims = dims.split(',').map(str::trim).filter(|dim| !dim.is_empty());
                    // Python 2 wrote 3L.
                    let dims = dims.map(|dim| dim.trim_end_matches('L').parse().ok());
                    shape = Some(dims.collect::<Option<Vec<usize>>>()?);
                    tail
                }
                _ => return None,
            };
            let tail = tail.trim_start();
            rest = tail.strip_prefix(',').unwrap_or(tail).trim_start();
        }
        Some(Self { descr: descr?, shape: shape?, order: order? })
    }
}

/// A Python string without escapes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text.get(1..)?.split_once(quote)
}
