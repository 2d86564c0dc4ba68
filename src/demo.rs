//! Synthetic multi-view data, from a seed, without memory.
//!
//! A number is a function of its view, feature, sample and the seed, and of nothing else: any part of the data can be had
//! at any time, in any order, which is how a device without room for a view streams one. With
//! `c` the label of sample `i`, feature `f` of view `v` is
//!
//! ```text
//! centre(v, f, c)  +  specific * centre'(v, f, g_v(i))  +  noise * z(v, f, i)
//! ```
//!
//! - The **consistent** structure is the same partition in all views: labels are interleaved, `c = i mod k`.
//! - In view `v` the clusters `v` and `v + 1` (mod k) have the same centre where [`Demo::merge`] is set: no view tells all
//!   clusters apart, but the views together do.
//! - The **specific** structure is a partition `g_v` into as many groups that no other view knows.
//! - **Outliers** are samples that in one view are nothing but noise, as large as the rest. Which they are differs from
//!   view to view.
//! - The **noise** `z` is a sum of four uniform numbers: nearly Gaussian, with a standard deviation of one, and made by
//!   addition alone, so that it has the same bits everywhere.

use crate::rng::Rng;
use crate::{Error, Scalar, check};

/// What the data is like. The fields may be changed freely; [`Demo::check`] tells whether they make sense.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demo<'a, T> {
    /// Samples.
    pub samples: usize,
    /// Clusters `k`.
    pub clusters: usize,
    /// Features of each view; their number is the number of views.
    pub dimensions: &'a [usize],
    /// Names the data.
    pub seed: u64,
    /// Standard deviation of the noise. Centres have one of `1/sqrt(3)` in each feature.
    pub noise: T,
    /// Size of the view-specific structure, relative to the consistent one.
    pub specific: T,
    /// The share of samples that are outliers, in each view.
    pub outliers: T,
    /// Does every view see two of the clusters as one?
    pub merge: bool,
}

/// What a random number is for, so that no two purposes share one.
#[derive(Clone, Copy)]
enum Purpose {
    Centre,
    SpecificCentre,
    SpecificGroup,
    Outlier,
    Noise,
}

impl<T: Scalar> Demo<'static, T> {
    /// 120 samples in 4 clusters, 3 views of 20, 30 and 25 features. Each view merges two clusters and has a partition
    /// of its own, and a tenth of its samples are outliers. (The NumPy oracle, default profile: ACC 0.71 to 0.73 from
    /// one view, 0.983 from all three.)
    #[must_use]
    pub fn small() -> Self {
        Self {
            samples: 120,
            clusters: 4,
            dimensions: &[20, 30, 25],
            seed: 1,
            noise: T::from_f64(0.5),
            specific: T::HALF,
            outliers: T::from_f64(0.1),
            merge: true,
        }
    }
}

impl<T: Scalar> Demo<'_, T> {
    /// Every number is in its domain.
    pub fn check(&self) -> Result<(), Error> {
        check::positive("samples", self.samples)?;
        check::positive("views", self.dimensions.len())?;
        check::not_negative("noise", self.noise)?;
        check::not_negative("specific", self.specific)?;
        check::not_negative("outliers", self.outliers)?;
        if self.clusters == 0 || self.clusters > self.samples {
            return Err(Error::Parameter { what: "clusters", requirement: "1 to the number of samples" });
        }
        if self.outliers > T::ONE {
            return Err(Error::Parameter { what: "outliers", requirement: "at most one" });
        }
        Ok(())
    }

    /// The cluster of a sample.
    #[must_use]
    pub const fn label(&self, sample: usize) -> u32 {
        match sample.checked_rem(self.clusters) {
            Some(label) => label as u32,
            None => 0,
        }
    }

    /// One number.
    #[must_use]
    pub fn value(&self, view: usize, feature: usize, sample: usize) -> T {
        let noise = normal::<T>(&mut self.rng(Purpose::Noise, view, feature, sample));
        if self.is_outlier(view, sample) {
            // The variance of everything that an ordinary sample has, all of it in the noise.
            let third = T::ONE / T::from_f64(3.0);
            return noise
                * ((T::ONE + self.specific * self.specific) * third + self.noise * self.noise).sqrt();
        }
        let centre =
            symmetric::<T>(&mut self.rng(Purpose::Centre, view, feature, self.seen_as(view, sample)));
        let group = self.specific_group(view, sample);
        let specific = symmetric::<T>(&mut self.rng(Purpose::SpecificCentre, view, feature, group));
        centre + self.specific * specific + self.noise * noise
    }

    /// One feature of all samples, in `row`, which has an element for each.
    pub fn feature(&self, view: usize, feature: usize, row: &mut [T]) -> Result<(), Error> {
        self.check()?;
        check::equal("row", self.samples, row.len())?;
        if self.dimensions.get(view).is_none_or(|&dimension| feature >= dimension) {
            return Err(Error::Parameter { what: "feature", requirement: "one of a view of the data" });
        }
        for (sample, x) in row.iter_mut().enumerate() {
            *x = self.value(view, feature, sample);
        }
        Ok(())
    }

    /// A whole view, a row a feature.
    #[cfg(feature = "std")]
    pub fn view(&self, view: usize) -> Result<std::vec::Vec<T>, Error> {
        let features = self.dimensions.get(view).copied().unwrap_or(0);
        let mut data = std::vec![T::ZERO; check::product("view", &[features, self.samples])?];
        for (feature, row) in data.chunks_exact_mut(self.samples.max(1)).enumerate() {
            self.feature(view, feature, row)?;
        }
        Ok(data)
    }

    /// Is the sample nothing but noise in this view?
    #[must_use]
    pub fn is_outlier(&self, view: usize, sample: usize) -> bool {
        self.rng(Purpose::Outlier, view, 0, sample).uniform::<T>() < self.outliers
    }

    /// The group of a sample in the partition that only this view knows.
    #[must_use]
    pub fn specific_group(&self, view: usize, sample: usize) -> usize {
        let draw = self.rng(Purpose::SpecificGroup, view, 0, sample).next_u64();
        draw.checked_rem(self.clusters as u64).unwrap_or(0) as usize
    }

    /// The cluster whose centre a sample has in this view.
    fn seen_as(&self, view: usize, sample: usize) -> usize {
        let label = self.label(sample) as usize;
        let hidden = view.wrapping_add(1).checked_rem(self.clusters).unwrap_or(0);
        if self.merge && label == hidden { view.checked_rem(self.clusters).unwrap_or(0) } else { label }
    }

    /// The generator of one number: the seed and the indices, mixed one after the other.
    fn rng(&self, purpose: Purpose, view: usize, feature: usize, sample: usize) -> Rng {
        let indices = [purpose as u64, view as u64, feature as u64, sample as u64];
        let mixed = indices.into_iter().fold(self.seed, |state, index| {
            Rng::new(state).next_u64() ^ Rng::new(index.wrapping_add(1)).next_u64().rotate_left(32)
        });
        Rng::new(mixed)
    }
}

/// Uniform in [-1, 1).
fn symmetric<T: Scalar>(rng: &mut Rng) -> T {
    rng.uniform::<T>() * T::TWO - T::ONE
}

/// Nearly Gaussian, mean zero and variance one: four uniform numbers have a variance of a third.
fn normal<T: Scalar>(rng: &mut Rng) -> T {
    let sum = (rng.uniform::<T>() + rng.uniform::<T>()) + (rng.uniform::<T>() + rng.uniform::<T>());
    (sum - T::TWO) * T::from_f64(3.0).sqrt()
}
