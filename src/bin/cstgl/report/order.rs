//! Samples by group.

/// Labels, whatever their numbers, as groups `0..labels.len()`.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The labels that occur, ascending.
    pub labels: Vec<u32>,
    /// The group of each sample.
    pub of: Vec<usize>,
}

impl Groups {
    pub fn of(labels: &[u32]) -> Self {
        let mut distinct = labels.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let of = labels.iter().map(|label| distinct.binary_search(label).unwrap_or(0)).collect();
        Self { labels: distinct, of }
    }

    /// Samples in each group.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.labels.len()];
        for &group in &self.of {
            if let Some(size) = sizes.get_mut(group) {
                *size += 1;
            }
        }
        sizes
    }

    /// The samples group by group, within a group those with the largest row sums first.
    pub fn order(&self, matrix: &[f32]) -> Vec<usize> {
        let n = self.of.len();
        let degree = |row: &[f32]| row.iter().map(|&v| f64::from(v)).sum::<f64>();
        let mut samples: Vec<(usize, f64, usize)> = (self.of.iter().zip(matrix.chunks(n.max(1))).enumerate())
            .map(|(i, (&group, row))| (group, degree(row), i))
            .collect();
        samples.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        samples.into_iter().map(|(_, _, i)| i).collect()
    }

    /// How many samples each group shares with each of `other`, row after row.
    pub fn shared(&self, other: &Self) -> Vec<f64> {
        let mut counts = vec![0.0; self.labels.len() * other.labels.len()];
        for (&i, &j) in self.of.iter().zip(&other.of) {
            if let Some(count) = counts.get_mut(i * other.labels.len() + j) {
                *count += 1.0;
            }
        }
        counts
    }

    /// For each group of `other` the group of this that it resembles: pairs in the order of what they share, each
    /// group once; what is left over gets numbers after all.
    pub fn partners(&self, other: &Self) -> Vec<usize> {
        let columns = other.labels.len();
        let shared = self.shared(other);
        let mut pairs: Vec<(usize, f64)> =
            shared.into_iter().enumerate().filter(|pair| pair.1 > 0.0).collect();
        pairs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut taken = vec![false; self.labels.len()];
        let mut partners = vec![None; columns];
        for (at, _) in pairs {
            let (i, j) = (at / columns, at % columns);
            if let (Some(taken), Some(partner)) = (taken.get_mut(i), partners.get_mut(j))
                && !*taken
                && partner.is_none()
            {
                (*taken, *partner) = (true, Some(i));
            }
        }
        let mut next = self.labels.len();
        let mut fresh = || {
            next += 1;
            next - 1
        };
        partners.into_iter().map(|partner| partner.unwrap_or_else(&mut fresh)).collect()
    }
}
