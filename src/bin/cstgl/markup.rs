//! Text inside XML and HTML, and numbers for people.

use std::fmt::Write;

/// `text` as the content of an element or of a quoted attribute. Characters that no XML may hold become `U+FFFD`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// A count with thin spaces between thousands: `12 345`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// About `figures` significant figures, without trailing zeros; powers of ten outside `1e-4..1e6`.
pub fn short(value: f64, figures: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return "–".into();
    }
    let figures = figures.max(1);
    // Rounding to the figures first makes 999.9 and 1000 agree on their power of ten.
    let scientific = format!("{value:.*e}", figures - 1);
    let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let text = if (-4..6).contains(&power) {
        let decimals = usize::try_from(figures as i32 - 1 - power).unwrap_or(0);
        trimmed(format!("{value:.decimals$}"))
    } else {
        match trimmed(mantissa.to_owned()).as_str() {
            "1" => ten_to(power),
            "-1" => format!("−{}", ten_to(power)),
            mantissa => format!("{mantissa}·{}", ten_to(power)),
        }
    };
    text.replace('-', "−")
}

/// `10⁻⁵`.
pub fn ten_to(power: i32) -> String {
    let mut out = String::from("10");
    for c in power.to_string().chars() {
        out.push(match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
        });
    }
    out
}

/// Seconds, or milliseconds below a tenth of one.
pub fn seconds(value: f64) -> String {
    if value < 0.1 { format!("{} ms", short(value * 1e3, 2)) } else { format!("{} s", short(value, 3)) }
}

/// Bytes with the unit that leaves few digits.
pub fn bytes(value: u64) -> String {
    let mut size = value as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if size < 1024.0 {
            return format!("{} {unit}", short(size, 3));
        }
        size /= 1024.0;
    }
    format!("{} TiB", short(size, 3))
}

/// Bytes as text that a `data:` address may hold.
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word =
            (0..3).fold(0_usize, |word, i| word << 8 | usize::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = ALPHABET.get(word >> (18 - 6 * i) & 63).copied().unwrap_or(b'A');
            out.push(if i <= three.len() { letter.into() } else { '=' });
        }
    }
    out
}

/// `write!` into a string, which cannot fail.
pub fn put(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(arguments);
}

fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
