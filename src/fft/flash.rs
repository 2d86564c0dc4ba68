//! Feature `microfft`: f32 transforms of power-of-two length through that crate, whose tables are constants.
//!
//! It saves the plan's tables in RAM and costs their size in flash. It transforms one column at a time, so the
//! columns of a strip are taken out in turn.

use super::butterfly::Row;
use crate::Scalar;
use microfft::complex as micro;
use num_complex::{Complex, Complex32};

/// The largest length that is compiled in.
const LARGEST: usize = 4096;

/// Whether this type and length have a table in flash.
pub(super) fn serves<T: Scalar>(n: usize) -> bool {
    // An empty column is refused by the types that have no tables and accepted by the one that does.
    n.is_power_of_two() && (2..=LARGEST).contains(&n) && T::flash_fft(&mut [])
}

/// The spectra of all columns, in place.
pub(super) fn transform<T: Scalar, const W: usize>(rows: &mut [Row<T, W>], column: &mut [Complex<T>]) {
    for c in 0..W {
        for ([re, im], z) in rows.iter().zip(column.iter_mut()) {
            if let (Some(&re), Some(&im)) = (re.get(c), im.get(c)) {
                *z = Complex::new(re, im);
            }
        }
        T::flash_fft(column);
        for ([re, im], z) in rows.iter_mut().zip(column.iter()) {
            if let (Some(re), Some(im)) = (re.get_mut(c), im.get_mut(c)) {
                (*re, *im) = (z.re, z.im);
            }
        }
    }
}

/// One column through the crate; false where its length has no table. An empty column is already transformed.
pub(crate) fn single(column: &mut [Complex32]) -> bool {
    /// Runs the transform if the slice has its length.
    fn run<const N: usize>(
        column: &mut [Complex32],
        transform: fn(&mut [Complex32; N]) -> &mut [Complex32; N],
    ) -> bool {
        match <&mut [Complex32; N]>::try_from(column) {
            Ok(array) => !transform(array).is_empty(),
            Err(_) => false,
        }
    }
    match column.len() {
        0 => true,
        2 => run(column, micro::cfft_2),
        4 => run(column, micro::cfft_4),
        8 => run(column, micro::cfft_8),
        16 => run(column, micro::cfft_16),
        32 => run(column, micro::cfft_32),
        64 => run(column, micro::cfft_64),
        128 => run(column, micro::cfft_128),
        256 => run(column, micro::cfft_256),
        512 => run(column, micro::cfft_512),
        1024 => run(column, micro::cfft_1024),
        2048 => run(column, micro::cfft_2048),
        LARGEST => run(column, micro::cfft_4096),
        _ => false,
    }
}
