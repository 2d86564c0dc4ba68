//! What several test files need: data from a seed, and workspaces of exactly the size asked for.
#![allow(dead_code)] // Each test binary uses its own part.

use crate::guarded::Workspace;
use cstgl::rng::Rng;
use cstgl::workspace::{Arena, Layout};
use cstgl::{Complex, Field, Scalar};

/// Uniform numbers in [-1, 1).
pub fn reals<T: Scalar>(seed: u64, count: usize) -> Vec<T> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| rng.uniform::<T>() * T::TWO - T::ONE).collect()
}

/// Complex numbers in the square [-1, 1)^2.
pub fn complexes<T: Scalar>(seed: u64, count: usize) -> Vec<Complex<T>> {
    let parts = reals::<T>(seed, 2 * count);
    parts.chunks_exact(2).map(|z| Complex::new(z[0], z[1])).collect()
}

/// `||x - y|| / ||y||`, or `||x||` where `y` is zero, in f64.
pub fn relative_error<F: Field>(x: &[F], y: &[F]) -> f64 {
    assert_eq!(x.len(), y.len());
    let square = |z: F| z.abs2().to_f64();
    let difference: f64 = x.iter().zip(y).map(|(&x, &y)| square(x - y)).sum();
    let size: f64 = y.iter().map(|&y| square(y)).sum();
    if size == 0.0 { difference.sqrt() } else { (difference / size).sqrt() }
}

/// Runs `call` on a workspace of exactly the layout (which must do) and on one a byte shorter (which must not).
pub fn exactly<R>(
    layout: Layout,
    mut call: impl FnMut(&mut Arena<'_>) -> Result<R, cstgl::Error>,
) -> Result<R, cstgl::Error> {
    if layout.bytes() > 0 {
        let mut short = Workspace::new(Layout::array::<u8>(layout.bytes() - 1)?);
        let refused = call(&mut short.arena()).err();
        assert_eq!(
            refused,
            Some(cstgl::Error::WorkspaceTooSmall { needed: layout.bytes(), given: layout.bytes() - 1 })
        );
    }
    call(&mut Workspace::new(layout).arena())
}
