//! Data elements: a tag that says type and length, then as many bytes, padded to eight.
use crate::error::{Error, Result};

/// The types of an element that this reader knows (the `mi...` numbers of the format).
pub mod kind {
    pub const INT8: u32 = 1;
    pub const UINT8: u32 = 2;
    pub const INT16: u32 = 3;
    pub const UINT16: u32 = 4;
    pub const INT32: u32 = 5;
    pub const UINT32: u32 = 6;
    pub const SINGLE: u32 = 7;
    pub const DOUBLE: u32 = 9;
    pub const INT64: u32 = 12;
    pub const UINT64: u32 = 13;
    pub const MATRIX: u32 = 14;
    pub const COMPRESSED: u32 = 15;
    pub const UTF8: u32 = 16;
}

/// Which end of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endian {
    Little,
    Big,
}

/// One element: its type, its bytes, and where they start.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    pub kind: u32,
    pub bytes: &'a [u8],
    pub at: usize,
    pub endian: Endian,
}

/// Reads elements one after the other.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// Where `bytes` starts in the file or in the inflated variable.
    at: usize,
    endian: Endian,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize, endian: Endian) -> Self {
        Self { bytes, at, endian }
    }

    /// The elements inside an element.
    pub fn inside(element: Element<'a>) -> Self {
        Self::new(element.bytes, element.at, element.endian)
    }

    /// The bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }

    /// The byte that the next element starts at.
    pub fn at(&self) -> usize {
        self.at
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(len)?;
        self.bytes = tail;
        self.at = self.at.saturating_add(len);
        Some(head)
    }

    fn word(&mut self) -> Option<u32> {
        let word = self.take(4)?.first_chunk().copied()?;
        Some(match self.endian {
            Endian::Little => u32::from_le_bytes(word),
            Endian::Big => u32::from_be_bytes(word),
        })
    }

    /// The next element, or `None` at the end.
    pub fn next(&mut self) -> Result<Option<Element<'a>>> {
        if self.bytes.is_empty() { Ok(None) } else { self.element().map(Some) }
    }

    /// The next element, which must be there.
    pub fn element(&mut self) -> Result<Element<'a>> {
        let start = self.at;
        let cut = |left: usize| {
            Error::new(format!("an element starts here but only {left} bytes are left"))
                .at(format!("byte {start}"))
                .remedy("the file is cut short or damaged, copy or save it again")
        };
        let left = self.bytes.len();
        let first = self.word().ok_or_else(|| cut(left))?;
        // Up to four bytes of data may share the tag: then the length is in its upper half.
        let (kind, len, slot) = match first >> 16 {
            0 => {
                let len = self.word().ok_or_else(|| cut(left))?;
                // A compressed element is followed by the next one without padding.
                (first, len, if first == kind::COMPRESSED { len } else { len.next_multiple_of_8() })
            }
            len => (first & 0xffff, len, 4),
        };
        let at = self.at;
        let (len, slot) = (len as usize, slot as usize);
        if len > slot || len > self.bytes.len() {
            return Err(Error::new(format!(
                "an element says that it has {len} bytes but {} are there",
                self.bytes.len().min(slot)
            ))
            .at(format!("byte {start}"))
            .remedy("the file is cut short or damaged, copy or save it again"));
        }
        // The padding after the last element is sometimes left out.
        let slot = self.take(slot.min(self.bytes.len())).unwrap_or_default();
        Ok(Element { kind, bytes: slot.get(..len).unwrap_or_default(), at, endian: self.endian })
    }
}

/// Padding that cannot overflow: a length next to the end of the range stays as it is and fails on its size.
trait Padded {
    fn next_multiple_of_8(self) -> Self;
}

impl Padded for u32 {
    fn next_multiple_of_8(self) -> Self {
        self.checked_next_multiple_of(8).unwrap_or(self)
    }
}
