//! An embedding seen in the plane of its largest variance.

use cstgl::Error;
use cstgl::linalg::jacobi_eigen::{eigen, eigen_layout};
use cstgl::linalg::{Mat, MatMut};
use cstgl::workspace::Workspace;

/// Points in the plane, and the share of the variance along each of its two axes.
#[derive(Clone, Debug)]
pub struct Plane {
    pub points: Vec<(f64, f64)>,
    pub shares: (f64, f64),
}

/// Projects the rows of an `n x k` matrix on their first two principal axes. One column alone stays as it is, against
/// zero. None if there is nothing to project.
pub fn project(rows: &[f32], n: usize) -> Option<Plane> {
    let k = rows.len().checked_div(n).filter(|&k| k > 0 && k.checked_mul(n) == Some(rows.len()))?;
    let finite = |v: f32| if v.is_finite() { f64::from(v) } else { 0.0 };
    let mut mean = vec![0.0; k];
    for row in rows.chunks(k) {
        mean.iter_mut().zip(row).for_each(|(m, &v)| *m += finite(v) / n as f64);
    }
    let centred: Vec<f64> =
        rows.chunks(k).flat_map(|row| row.iter().zip(&mean).map(|(&v, m)| finite(v) - m)).collect();
    let (values, vectors) = principal_axes(&centred, k).ok()?;
    let total: f64 = values.iter().map(|value| value.max(0.0)).sum();
    let share =
        |i: usize| values.get(i).map_or(0.0, |value| if total > 0.0 { value.max(0.0) / total } else { 0.0 });
    let mut axes = vectors.chunks(k);
    let (first, second) = (axes.next().unwrap_or(&[]), axes.next().unwrap_or(&[]));
    let along = |row: &[f64], axis: &[f64]| row.iter().zip(axis).map(|(a, b)| a * b).sum::<f64>();
    let points = centred.chunks(k).map(|row| (along(row, first), along(row, second))).collect();
    Some(Plane { points, shares: (share(0), share(1)) })
}

/// Eigenvalues, descending, and eigenvectors, row after row, of the `k x k` scatter matrix of centred rows.
fn principal_axes(centred: &[f64], k: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let mut scatter = vec![0.0; k * k];
    for row in centred.chunks(k) {
        for (out, &a) in scatter.chunks_mut(k).zip(row) {
            out.iter_mut().zip(row).for_each(|(out, &b)| *out += a * b);
        }
    }
    let (mut values, mut vectors) = (vec![0.0; k], vec![0.0; k * k]);
    let mut workspace = Workspace::new(eigen_layout::<f64>(k)?);
    let scatter = Mat::new("scatter", &scatter, k, k)?;
    eigen(scatter, &mut values, MatMut::new("axes", &mut vectors, k, k)?, &mut workspace.arena())?;
    Ok((values, vectors))
}
