//! Numbers: an array may be stored in a smaller type than its own, so the element's type decides.
use super::element::{Element, Endian, kind};
use crate::error::{Error, Result};

macro_rules! decode {
    ($element:expr, $type:ty, $convert:expr) => {{
        let (numbers, rest) = $element.bytes.as_chunks();
        let decode: fn([u8; size_of::<$type>()]) -> $type = match $element.endian {
            Endian::Little => <$type>::from_le_bytes,
            Endian::Big => <$type>::from_be_bytes,
        };
        rest.is_empty().then(|| numbers.iter().map(|&bytes| $convert(decode(bytes))).collect())
    }};
}

/// The numbers of an element of any numeric type. (The 64-bit integers above 2^53 are rounded.)
pub fn numbers(element: Element<'_>) -> Result<Vec<f64>> {
    match element.kind {
        kind::INT8 => decode!(element, i8, f64::from),
        kind::UINT8 => decode!(element, u8, f64::from),
        kind::INT16 => decode!(element, i16, f64::from),
        kind::UINT16 => decode!(element, u16, f64::from),
        kind::INT32 => decode!(element, i32, f64::from),
        kind::UINT32 => decode!(element, u32, f64::from),
        kind::SINGLE => decode!(element, f32, f64::from),
        kind::DOUBLE => decode!(element, f64, f64::from),
        kind::INT64 => decode!(element, i64, |x| x as f64),
        kind::UINT64 => decode!(element, u64, |x| x as f64),
        other => {
            return Err(Error::new(format!("an element of type {other} stands where numbers belong"))
                .at(format!("byte {}", element.at)));
        }
    }
    .ok_or_else(|| {
        Error::new(format!("{} bytes are no whole count of numbers", element.bytes.len()))
            .at(format!("byte {}", element.at))
    })
}

/// The same for sizes and positions: whole and not negative.
pub fn counts<N: TryFrom<i64>>(element: Element<'_>) -> Result<Vec<N>> {
    let wrong = || Error::new("a size or position is negative").at(format!("byte {}", element.at));
    let numbers: Option<Vec<i64>> = match element.kind {
        kind::INT32 => decode!(element, i32, i64::from),
        kind::UINT32 => decode!(element, u32, i64::from),
        other => {
            return Err(Error::new(format!("an element of type {other} stands where sizes belong"))
                .at(format!("byte {}", element.at)));
        }
    };
    let numbers = numbers.ok_or_else(wrong)?;
    numbers.into_iter().map(|number| N::try_from(number).map_err(|_| wrong())).collect()
}
