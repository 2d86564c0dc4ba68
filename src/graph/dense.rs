//! Dense blocks of features.
//!
//! Features are packed, a panel of up to 64 at a time, into strips of eight samples, and strips are multiplied
//! with strips: a tile of the Gram matrix stays in registers while the panel's features pass by. An element sums the
//! features of a panel in their order and then joins the Gram matrix, wherever its samples stand: a permutation of
//! the samples permutes the result and changes no bit of it.

use crate::linalg::vector::LANES;
use crate::workspace::{Arena, Layout};
use crate::{Error, Scalar, check, simd};

/// Features of a panel, where there are as many samples; it is never deeper than the matrix is wide.
const DEPTH: usize = 64;
/// Strips of columns that stay in the first-level cache while all rows pass by.
const STRIPS: usize = 4;

/// Rows of a tile.
const HALF: usize = LANES / 2;

/// One feature of the samples of a strip.
type Lanes<T> = [T; LANES];

/// A block of a view: feature `f` of sample `j` stands at `f * feature_stride + j * sample_stride`.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a, T> {
    data: &'a [T],
    features: usize,
    samples: usize,
    feature_stride: usize,
    sample_stride: usize,
}

impl<'a, T: Scalar> Dense<'a, T> {
    /// Rows are features, one after the other.
    pub fn by_feature(data: &'a [T], features: usize, samples: usize) -> Result<Self, Error> {
        check::shape("block", data, &[features, samples])?;
        Self::strided(data, features, samples, samples, 1)
    }

    /// Rows are samples, one after the other.
    pub fn by_sample(data: &'a [T], features: usize, samples: usize) -> Result<Self, Error> {
        check::shape("block", data, &[samples, features])?;
        Self::strided(data, features, samples, 1, features)
    }

    /// Any strides, in elements; the slice may be longer than what they reach. A stride of zero between samples makes
    /// them equal; between features it is refused, because then no memory would bound their number, nor the time.
    pub fn strided(
        data: &'a [T],
        features: usize,
        samples: usize,
        feature_stride: usize,
        sample_stride: usize,
    ) -> Result<Self, Error> {
        check::positive("samples", samples)?;
        if features > 1 && feature_stride == 0 {
            return Err(Error::Parameter { what: "feature stride", requirement: "at least 1" });
        }
        if features > 0 {
            let along_features = check::product("block", &[features.saturating_sub(1), feature_stride])?;
            let along_samples = check::product("block", &[samples.saturating_sub(1), sample_stride])?;
            let expected = check::sum("block", check::sum("block", along_features, along_samples)?, 1)?;
            if expected > data.len() {
                return Err(Error::Length { what: "block", expected, found: data.len() });
            }
        }
        Ok(Self { data, features, samples, feature_stride, sample_stride })
    }

    /// Features in this block.
    #[must_use]
    pub const fn features(&self) -> usize {
        self.features
    }

    /// Samples, as many as the view has.
    #[must_use]
    pub const fn samples(&self) -> usize {
        self.samples
    }

    /// Feature `f` of sample `j`, within the shape.
    #[inline(always)]
    fn at(&self, f: usize, j: usize) -> T {
        let place = f.wrapping_mul(self.feature_stride).wrapping_add(j.wrapping_mul(self.sample_stride));
        self.data.get(place).copied().unwrap_or(T::ZERO)
    }

    /// Do a sample's features lie closer together than a feature's samples?
    const fn is_by_sample(&self) -> bool {
        self.feature_stride < self.sample_stride
    }

    fn check_finite(&self, view: usize) -> Result<(), Error> {
        // In the order of memory first; only a block that fails is searched in the order of the report.
        let (f, j) = (0..self.features, 0..self.samples);
        let sound = if self.is_by_sample() {
            j.clone().all(|j| f.clone().fold(true, |sound, f| sound & self.at(f, j).is_finite()))
        } else {
            f.clone().all(|f| j.clone().fold(true, |sound, j| sound & self.at(f, j).is_finite()))
        };
        if sound {
            return Ok(());
        }
        let bad = |feature| (0..self.samples).find(|&j| !self.at(feature, j).is_finite());
        let place = f.into_iter().find_map(|feature| Some((feature, bad(feature)?)));
        let (feature, sample) = place.unwrap_or((0, 0));
        Err(Error::BadSample { view, feature, sample })
    }

    /// The features from `first` on, `depth` of them, in strips of samples; strips are filled up with zeros.
    fn pack(&self, first: usize, depth: usize, panel: &mut [Lanes<T>]) {
        for (s, strip) in panel.chunks_exact_mut(depth.max(1)).enumerate() {
            let start = s.wrapping_mul(LANES);
            let sample = |lane: usize| start.wrapping_add(lane);
            let element = |f: usize, j: usize| {
                if j < self.samples { self.at(first.wrapping_add(f), j) } else { T::ZERO }
            };
            if self.is_by_sample() {
                for lane in 0..LANES {
                    for (f, lanes) in strip.iter_mut().enumerate() {
                        if let Some(x) = lanes.get_mut(lane) {
                            *x = element(f, sample(lane));
                        }
                    }
                }
            } else {
                for (f, lanes) in strip.iter_mut().enumerate() {
                    for (lane, x) in lanes.iter_mut().enumerate() {
                        *x = element(f, sample(lane));
                    }
                }
            }
        }
    }
}

/// Features that are packed at a time.
pub(super) const fn depth(samples: usize) -> usize {
    if samples < LANES {
        LANES
    } else if samples < DEPTH {
        samples
    } else {
        DEPTH
    }
}

/// What [`accumulate_dense`] needs: at most 64 scalars a sample.
pub const fn accumulate_dense_layout<T: Scalar>(samples: usize) -> Result<Layout, Error> {
    match check::product("panel", &[samples.div_ceil(LANES), depth(samples)]) {
        Ok(lanes) => Layout::array::<Lanes<T>>(lanes),
        Err(error) => Err(error),
    }
}

/// `G += X^T X` over the features of a block, in the lower triangle of `gram`.
pub fn accumulate_dense<T: Scalar>(
    gram: &mut [T],
    view: usize,
    block: &Dense<'_, T>,
    work: &mut Arena<'_>,
) -> Result<(), Error> {
    let n = block.samples;
    check::shape("gram", gram, &[n, n])?;
    work.require(accumulate_dense_layout::<T>(n)?)?;
    block.check_finite(view)?;
    let mut work = work.scope();
    let (strips, depth) = (n.div_ceil(LANES), depth(n));
    let panel = work.take::<Lanes<T>>(strips.saturating_mul(depth))?;
    for first in (0..block.features).step_by(depth.max(1)) {
        let depth = depth.min(block.features.saturating_sub(first));
        let panel = panel.get_mut(..strips.saturating_mul(depth)).unwrap_or(&mut []);
        block.pack(first, depth, panel);
        add_panel(gram, n, panel, depth);
    }
    Ok(())
}

/// `G += P^T P` for a packed panel `P`, strips against strips.
fn add_panel<T: Scalar>(gram: &mut [T], n: usize, panel: &[Lanes<T>], depth: usize) {
    let depth = depth.max(1);
    for (b, columns) in panel.chunks(depth.saturating_mul(STRIPS)).enumerate() {
        let first = b.wrapping_mul(STRIPS);
        let bands = gram.chunks_mut(n.saturating_mul(LANES).max(1)).zip(panel.chunks_exact(depth));
        for (i, (band, rows)) in bands.enumerate().skip(first) {
            // Up to the diagonal, whose tiles are computed whole.
            for (j, columns) in (first..=i).zip(columns.chunks_exact(depth)) {
                add_products(band, n, j, rows, columns);
            }
        }
    }
}

/// Adds the products of two strips, half the rows at a time: of so many products the registers hold the sums.
fn add_products<T: Scalar>(band: &mut [T], n: usize, j: usize, rows: &[Lanes<T>], columns: &[Lanes<T>]) {
    simd::widest(
        #[inline(always)]
        || {
            add_tile(band, 0, n, j, tile(rows, columns, |&[a, b, c, d, ..]| [a, b, c, d]));
            add_tile(band, HALF, n, j, tile(rows, columns, |&[.., e, f, g, h]| [e, f, g, h]));
        },
    );
}

/// `sum over f of x_f y_f^T`, for half the rows of a strip and all columns of another.
#[inline(always)]
fn tile<T: Scalar>(
    rows: &[Lanes<T>],
    columns: &[Lanes<T>],
    half: impl Fn(&Lanes<T>) -> [T; HALF],
) -> [Lanes<T>; HALF] {
    let mut sums = [[T::ZERO; LANES]; HALF];
    for (x, y) in rows.iter().zip(columns) {
        for (sums, x) in sums.iter_mut().zip(half(x)) {
            for (sum, &y) in sums.iter_mut().zip(y) {
                *sum += x * y;
            }
        }
    }
    sums
}

/// Adds a tile at row `top` of the band and strip `j` of the columns; what lies outside the matrix is lost.
#[inline(always)]
fn add_tile<T: Scalar>(band: &mut [T], top: usize, n: usize, j: usize, sums: [Lanes<T>; HALF]) {
    let start = j.wrapping_mul(LANES);
    for (row, sums) in band.chunks_exact_mut(n.max(1)).skip(top).zip(&sums) {
        let Some(row) = row.get_mut(start..) else { return };
        if let Some(row) = row.first_chunk_mut::<LANES>() {
            for (g, &sum) in row.iter_mut().zip(sums) {
                *g += sum;
            }
        } else {
            for (g, &sum) in row.iter_mut().zip(sums) {
                *g += sum;
            }
        }
    }
}
