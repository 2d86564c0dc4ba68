//! Large matrices as small images.

use super::palette::{Rgb, sequential};
use crate::markup::base64;

/// Pixels of an image across at most.
const SIDE: usize = 480;

/// The mean of `values[order[i], order[j]]` over boxes, so that every element counts and no image is larger than
/// a screen shows. Returns the pixels, row after row, and their number across.
pub fn shrink(values: &[f32], order: &[usize]) -> (Vec<f64>, usize) {
    let n = order.len();
    let side = n.min(SIDE);
    let mut sums = vec![0.0; side * side];
    let mut counts = vec![0_u32; side * side];
    for (i, &from) in order.iter().enumerate() {
        let row = values.get(from * n..from * n + n).unwrap_or(&[]);
        let start = i * side / n * side;
        for (j, &column) in order.iter().enumerate() {
            let at = start + j * side / n;
            let (Some(sum), Some(count), Some(&value)) =
                (sums.get_mut(at), counts.get_mut(at), row.get(column))
            else {
                continue;
            };
            if value.is_finite() {
                *sum += f64::from(value);
                *count += 1;
            }
        }
    }
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum /= f64::from(count.max(1));
    }
    (sums, side)
}

/// A PNG of shares in `0..=1`, 255 shades of the sequential map, as a `data:` address; none if nothing is there.
pub fn png(shares: impl Iterator<Item = f64>, side: usize) -> Option<String> {
    let shade = |share: f64| (share.clamp(0.0, 1.0) * 255.0).round() as u8;
    let pixels: Vec<u8> = shares.map(shade).collect();
    let palette: Vec<u8> = (0..=255_u8)
        .flat_map(|i| {
            let Rgb(r, g, b) = sequential(f64::from(i) / 255.0);
            [r, g, b]
        })
        .collect();
    let size = u32::try_from(side).ok().filter(|&size| size > 0)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size, size);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(format!("data:image/png;base64,{}", base64(&file)))
}
