//! Colours that survive colour blindness, a projector and a black-and-white printer.

use std::fmt;

/// A colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// Text.
pub const INK: Rgb = Rgb(0x1f, 0x29, 0x33);
/// Text that explains.
pub const MUTED: Rgb = Rgb(0x52, 0x60, 0x6d);
/// Axes.
pub const AXIS: Rgb = Rgb(0x9a, 0xa5, 0xb1);
/// Lines to read values along.
pub const GRID: Rgb = Rgb(0xe4, 0xe7, 0xeb);
/// Paper.
pub const WHITE: Rgb = Rgb(0xff, 0xff, 0xff);

/// Okabe and Ito's colours, their yellow darkened so that it shows on white, their black lightened to a grey.
const CATEGORIES: [Rgb; 8] = [
    Rgb(0x00, 0x72, 0xb2),
    Rgb(0xe6, 0x9f, 0x00),
    Rgb(0x00, 0x9e, 0x73),
    Rgb(0xcc, 0x4b, 0x0a),
    Rgb(0x56, 0xb4, 0xe9),
    Rgb(0xcc, 0x79, 0xa7),
    Rgb(0x6b, 0x72, 0x80),
    Rgb(0xb5, 0xa7, 0x1c),
];

/// The colour of category `i`. After eight they return darker, then lighter; marks differ as well.
pub fn category(i: usize) -> Rgb {
    let base = CATEGORIES.get(i % CATEGORIES.len()).copied().unwrap_or(INK);
    match i / CATEGORIES.len() % 3 {
        0 => base,
        1 => base.mix(INK, 0.45),
        _ => base.mix(WHITE, 0.45),
    }
}

/// A quantity `t` in `0..=1`, from paper white to deep blue. Lightness falls in even steps by construction, in the
/// OKLab space where even steps look even, so that the map reads the same in grey.
pub fn sequential(t: f64) -> Rgb {
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
    let lightness = 0.985 - 0.70 * t;
    let chroma = 0.004 + 0.09 * 4.0 * t * (1.0 - t) + 0.07 * t;
    let hue = (210.0 + 65.0 * t).to_radians();
    oklab(lightness, chroma * hue.cos(), chroma * hue.sin())
}

/// OKLab (Ottosson 2020) to sRGB, clipped to what a screen can show.
fn oklab(lightness: f64, a: f64, b: f64) -> Rgb {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    Rgb(
        gamma(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        gamma(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        gamma(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
    )
}

/// Linear light to one byte of sRGB.
fn gamma(linear: f64) -> u8 {
    let x = linear.clamp(0.0, 1.0);
    let y = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (255.0 * y).round() as u8
}

impl Rgb {
    /// So much of `other`, the rest of this.
    pub fn mix(self, other: Self, share: f64) -> Self {
        let one = |a: u8, b: u8| (f64::from(a) * (1.0 - share) + f64::from(b) * share).round() as u8;
        Self(one(self.0, other.0), one(self.1, other.1), one(self.2, other.2))
    }

    /// Ink or white, whichever can be read on this colour.
    pub fn text_on(self) -> Self {
        // Where the two are equally far away, in the ratio that the guidelines call contrast.
        if self.luminance() > 0.22 { INK } else { WHITE }
    }

    /// Relative luminance as the accessibility guidelines define it.
    pub fn luminance(self) -> f64 {
        let linear = |byte: u8| {
            let x = f64::from(byte) / 255.0;
            if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}
