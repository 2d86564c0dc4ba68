//! Tables as text: comma, semicolon, tab or blanks between the numbers, with or without a header line.
use super::matrix::{Dense, Matrix, Order};
use super::value::Value;
use crate::error::{Error, Result};
use csv::{ByteRecord, ReaderBuilder, Trim};
use std::borrow::Cow;

/// The rows of a table as text, before anything is taken for a number.
pub struct Table<'a> {
    reader: csv::Reader<std::io::Cursor<Cow<'a, [u8]>>>,
    record: ByteRecord,
    decimal_comma: bool,
}

impl<'a> Table<'a> {
    /// Finds out what separates the fields. Lines that start with `#` are comments; empty lines are skipped.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(Error::new("this text is UTF-16").remedy("save it as UTF-8 (CSV UTF-8 in Excel)"));
        }
        if bytes.contains(&0) {
            return Err(Error::new("this is no text: it contains bytes that are zero")
                .remedy("files that are read: .mat, .npy, .npz, .csv, .tsv, .txt"));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let (delimiter, text) = match delimiter(bytes) {
            Some(delimiter) => (delimiter, Cow::Borrowed(bytes)),
            None => (b'\t', Cow::Owned(blanks_to_tabs(bytes))),
        };
        let reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .comment(Some(b'#'))
            .from_reader(std::io::Cursor::new(text));
        Ok(Self { reader, record: ByteRecord::new(), decimal_comma: delimiter == b';' })
    }

    /// The next line that is not empty: its number and its fields.
    pub fn next(&mut self) -> Result<Option<(u64, Vec<Cow<'_, str>>)>> {
        loop {
            let more = self.reader.read_byte_record(&mut self.record);
            if !more.map_err(|error| Error::new(error.to_string()))? {
                return Ok(None);
            }
            // A line of blanks is one empty field.
            if self.record.len() > 1 || self.record.iter().any(|field| !field.is_empty()) {
                break;
            }
        }
        let line = self.line();
        Ok(Some((line, self.record.iter().map(String::from_utf8_lossy).collect())))
    }

    /// The line of the record at hand. The reader counts from where it began to look, so what it passed over, empty
    /// lines and comments, is added.
    fn line(&self) -> u64 {
        let Some(start) = self.record.position() else {
            return 0;
        };
        let text = self.reader.get_ref().get_ref().get(start.byte() as usize..).unwrap_or_default();
        let is_skipped = |line: &&[u8]| line.trim_ascii().is_empty() || line.starts_with(b"#");
        start.line() + text.split(|&b| b == b'\n').take_while(is_skipped).count() as u64
    }
}

/// The separator of the first line with content; `None` for blanks.
fn delimiter(bytes: &[u8]) -> Option<u8> {
    let mut lines = bytes.split(|&b| b == b'\n' || b == b'\r').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let mut quoted = false;
    let bare: Vec<u8> = line
        .iter()
        .copied()
        .filter(|&b| {
            quoted ^= b == b'"';
            !quoted
        })
        .collect();
    // The semicolon first: beside it the comma is a decimal one.
    let separator = b"\t;,".iter().copied().find(|separator| bare.contains(separator));
    separator.or(if bare.contains(&b' ') { None } else { Some(b',') })
}

fn blanks_to_tabs(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for line in bytes.split(|&b| b == b'\n') {
        for (i, word) in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).enumerate() {
            if i > 0 {
                text.push(b'\t');
            }
            text.extend_from_slice(word);
        }
        text.push(b'\n');
    }
    text
}

/// A number; what stands for a missing one is NaN.
pub fn number(field: &str, decimal_comma: bool) -> Option<f64> {
    match field {
        "" | "NA" | "N/A" | "null" | "NULL" | "None" | "?" => Some(f64::NAN),
        _ if decimal_comma && field.contains(',') => field.replacen(',', ".", 1).parse().ok(),
        _ => field.parse().ok(),
    }
}

/// The matrix, and what should be said about how it was taken.
pub fn read(bytes: &[u8]) -> Result<(Value, Vec<String>)> {
    let mut table = Table::new(bytes)?;
    let comma = table.decimal_comma;
    let mut data = Vec::new();
    let mut head = None;
    while let Some((line, fields)) = table.next()? {
        let &mut Head { width, .. } = head.get_or_insert_with(|| Head::of(line, &fields, comma));
        if fields.len() != width {
            return Err(Error::new(format!("{} fields where the lines before have {width}", fields.len()))
                .at(format!("line {line}"))
                .remedy("every line needs as many numbers as the first"));
        }
        if head.as_ref().is_some_and(|head| head.line == line && head.is_names) {
            continue;
        }
        for (column, field) in fields.iter().enumerate() {
            data.push(number(field, comma).ok_or_else(|| {
                Error::new(format!("'{}' is not a number", shortened(field)))
                    .at(format!("line {line}, column {}", column + 1))
                    .remedy("only the first line may hold names")
            })?);
        }
    }
    match head {
        Some(head) if data.len() >= head.width => head.matrix(data),
        _ => Err(Error::new("there are no numbers in it").remedy("one line per row is expected")),
    }
}

/// What the first line says about the others.
struct Head {
    line: u64,
    width: usize,
    /// It holds names, not numbers.
    is_names: bool,
    /// Its first field is empty and others are not, as where pandas writes a table with its index.
    has_gap: bool,
}

impl Head {
    fn of(line: u64, fields: &[Cow<'_, str>], comma: bool) -> Self {
        let is_names = fields.iter().any(|field| number(field, comma).is_none());
        let has_gap = fields.len() > 1 && fields.first().is_some_and(|field| field.is_empty());
        Self { line, width: fields.len(), is_names, has_gap }
    }

    fn matrix(&self, mut data: Vec<f64>) -> Result<(Value, Vec<String>)> {
        let mut cols = self.width;
        let mut notes = Vec::new();
        if self.is_names {
            notes.push(format!("line {} is taken as a header", self.line));
        }
        // An index counts from 0 below its empty name. Without that the gap is a missing number.
        let below = data.chunks_exact(cols).skip(usize::from(!self.is_names)).filter_map(<[f64]>::first);
        if self.has_gap && data.len() > cols && below.enumerate().all(|(i, &index)| index == i as f64) {
            let skipped = if self.is_names { 0 } else { 1 };
            data =
                data.chunks_exact(cols).skip(skipped).flat_map(|row| row.iter().skip(1)).copied().collect();
            cols -= 1;
            let header = if self.is_names { "" } else { "the first line is taken as a header, and " };
            notes.push(format!(
                "{header}the first column counts from 0 without a name and is left out as an index"
            ));
        }
        let rows = data.len().checked_div(cols).unwrap_or(0);
        let matrix = Matrix::Dense(Dense::new(rows, cols, Order::RowMajor, data)?);
        Ok((Value::Matrix { matrix, kind: "text".into() }, notes))
    }
}

/// Enough of a field to recognise it by.
pub fn shortened(field: &str) -> String {
    let mut start: String = field.chars().take(40).collect();
    if start.len() < field.len() {
        start.push_str("...");
    }
    start
}
