//! A tensor `[i][v][j]` in *strips* of columns, to be transformed down its columns.
//!
//! A cache line a row is the slowest way to read a large matrix, so what is transformed side by side is contiguous:
//! `[strip][v][i][column of the strip]`, and a row that is not used where it keeps strips apart in caches. They are
//! filled row by row, or written row by row by whoever has just read them.

use crate::fft::core::columns_in_strip;
use crate::linalg::vector;
use crate::simd;
use crate::tensor::Shape;
use crate::workspace::{Arena, Band};
use crate::{Error, Scalar, check, parallel};
use core::marker::PhantomData;

/// Rows of all strips that are written together, before the next rows are read. More of them are more streams to read
/// than a machine looks ahead in: sixteen took twice as long.
pub(crate) const ROWS: usize = 4;

/// Strips ahead of the one that rows are read of: they lie too far apart for a machine to foresee them.
const AHEAD: usize = 4;

/// Below this many samples memory is what counts, and not speed.
pub(crate) const SMALL: usize = 256;

/// Runs of strips whose sums are kept apart, for tensors that are worth more than one.
pub(super) const fn spans(samples: usize) -> usize {
    if samples < SMALL { 1 } else { 8 }
}

/// Columns of a strip. The last strip has as many too, so a small tensor has narrow ones.
pub(super) const fn width<T>(samples: usize) -> usize {
    if samples < SMALL { 4 } else { columns_in_strip::<T>() }
}

/// Rows from one view of a strip to the next. So many lines are odd: a power of two in their number, and the same row of all
/// strips, which are read and written together, would meet in few sets of a cache.
pub(super) const fn pitch(samples: usize) -> usize {
    if samples < SMALL { samples } else { samples | 1 }
}

/// Calls a method with the columns of a strip as its constant.
macro_rules! with_width {
    ($samples:expr, $scalar:ty, $object:ident.$method:ident($($argument:expr),* $(,)?)) => {
        match width::<$scalar>($samples) {
            16 => $object.$method::<16>($($argument),*),
            8 => $object.$method::<8>($($argument),*),
            _ => $object.$method::<4>($($argument),*),
        }
    };
}
pub(super) use with_width;

/// Numbers in the strips of a tensor.
pub(crate) fn length<T: Scalar>([samples, views, cols]: Shape) -> Result<usize, Error> {
    let width = width::<T>(samples);
    check::product("strips", &[cols.div_ceil(width), views, pitch(samples), width])
}

/// A band of all strips: a block holds a strip's rows of one view.
pub(crate) const fn band<T>(strips: &mut [T], samples: usize) -> Band<'_, T> {
    Band::whole(strips, pitch(samples).wrapping_mul(width::<T>(samples)))
}

/// Takes so many samples off the front of a band of strips.
pub(crate) fn split_samples<'a, T>(band: &mut Band<'a, T>, count: usize, samples: usize) -> Band<'a, T> {
    band.split_off(count.wrapping_mul(width::<T>(samples)))
}

/// Elements of a span of strips.
pub(super) fn span_area<T>([samples, views, cols]: Shape) -> usize {
    let columns = width::<T>(samples);
    let strips = cols.div_ceil(columns).div_ceil(spans(samples)).max(1);
    (strips * views * pitch(samples) * columns).max(1)
}

/// The strips become those of `F`. `load(row, first, to)` brings elements of row `i views + v` of `F` from column `first` on.
pub(crate) fn fill<T: Scalar>(
    strips: &mut [T],
    shape: Shape,
    threads: usize,
    load: impl Fn(usize, usize, &mut [T]) + Copy + Sync,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let [samples, views, _] = shape;
    check::shape("strips", strips, &[length::<T>(shape)?])?;
    let (size, area) = (strips.len(), span_area::<T>(shape));
    let columns = area / (views * pitch(samples)).max(1);
    parallel::for_each(
        threads,
        size,
        strips.chunks_mut(area.max(1)).enumerate(),
        &mut work.scope(),
        |_| Ok(()),
        |(span, strips), ()| {
            // A copy of this thread's own: beside the original lies what another thread writes.
            let (fill, load) = (Fill(shape, PhantomData), load);
            with_width!(samples, T, fill.all(strips, span * columns, &load));
            Ok(())
        },
    )
}

/// Rows `[i][v][j]` of the tensor that the strips hold, from sample `first` of the band on: as many samples as there is room
/// for.
pub(crate) fn read_rows<T: Scalar>(
    strips: &Band<'_, T>,
    [samples, views, cols]: Shape,
    first: usize,
    rows: &mut [T],
) {
    let width = width::<T>(samples);
    for s in 0..cols.div_ceil(width) {
        for v in 0..views {
            let from = strips.block(s * views + v).chunks_exact(width).skip(first);
            let to = rows.chunks_exact_mut(cols.max(1)).skip(v).step_by(views.max(1));
            for (from, to) in from.zip(to) {
                simd::fetch(from, AHEAD * views * pitch(samples) * width);
                // By fours, which every width is a multiple of: a copy of known length is no call.
                let (to, end) = to.get_mut(s * width..).unwrap_or(&mut []).as_chunks_mut::<4>();
                let (from, _) = from.as_chunks::<4>();
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                vector::copy(from.get(to.len()).map_or(&[], |rest| rest), end);
            }
        }
    }
}

/// Row `i` of the band, of one view, becomes what `load(first, to)` brings from column `first` on.
#[inline(always)]
pub(crate) fn write_row<T: Scalar>(
    strips: &mut Band<'_, T>,
    shape: Shape,
    (i, view): (usize, usize),
    load: impl Fn(usize, &mut [T]),
) {
    let [samples, ..] = shape;
    let fill = Fill::<T>(shape, PhantomData);
    with_width!(samples, T, fill.row(strips, (i, view), &load));
}

/// How strips of this shape are filled.
struct Fill<T>(Shape, PhantomData<T>);

impl<T: Scalar> Fill<T> {
    /// Loads every row of the strips from column `first` on.
    fn all<const W: usize>(&self, strips: &mut [T], first: usize, load: &impl Fn(usize, usize, &mut [T])) {
        let &Self([samples, views, cols], _) = self;
        let (rows, _) = strips.as_chunks_mut::<W>();
        simd::widest(
            #[inline(always)]
            || {
                for start in (0..samples).step_by(ROWS) {
                    let count = ROWS.min(samples - start);
                    for view in 0..views {
                        for (s, strip) in rows.chunks_exact_mut((views * pitch(samples)).max(1)).enumerate() {
                            let place = view * pitch(samples) + start;
                            let to = strip.get_mut(place..place + count).unwrap_or(&mut []);
                            for (k, to) in to.iter_mut().enumerate() {
                                let row = (start + k) * views + view;
                                load_part(to, first + s * W, cols, |column, to| load(row, column, to));
                            }
                        }
                    }
                }
            },
        );
    }

    /// Loads row `i` of a view in a band.
    #[inline(always)]
    fn row<const W: usize>(
        &self,
        band: &mut Band<'_, T>,
        (i, view): (usize, usize),
        load: &impl Fn(usize, &mut [T]),
    ) {
        let &Self([_, views, cols], _) = self;
        for s in 0..cols.div_ceil(W) {
            let (rows, _) = band.block_mut(s * views + view).as_chunks_mut::<W>();
            if let Some(to) = rows.get_mut(i) {
                load_part(to, s * W, cols, load);
            }
        }
    }
}

/// What a strip has of a row, from column `first` on; columns that the tensor does not have are zero.
#[inline(always)]
fn load_part<T: Scalar, const W: usize>(
    to: &mut [T; W],
    first: usize,
    cols: usize,
    load: impl Fn(usize, &mut [T]),
) {
    if first + W <= cols {
        load(first, to);
    } else {
        *to = [T::ZERO; W];
        load(first, to.get_mut(..cols.saturating_sub(first)).unwrap_or(&mut []));
    }
}
