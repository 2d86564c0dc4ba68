//! Probes of `cstgl::prox::group`.

use crate::{slice, status};
use core::hint::black_box;
use cstgl::prox::group::{self, Group};
use cstgl::workspace::Arena;
use cstgl::{Complex, Error, Field, Scalar};

fn shrink<F: Field>(data: &mut [F], work: &mut [u8], shape: [usize; 3], t: F::Real) -> Result<(), Error> {
    let mut work = Arena::new(work);
    work.require(group::shrink_layout::<F>(shape)?)?;
    for kind in [Group::Tube, Group::Column] {
        black_box(group::l21_norm(data, shape, black_box(kind), &mut work)?);
        group::shrink(data, shape, black_box(kind), t, &mut work)?;
    }
    Ok(())
}

/// The same memory as real numbers and then, half as many, as complex ones.
///
/// # Safety
///
/// `data` points to `length` elements, `work` to `bytes` bytes and `shape` to three sizes.
unsafe fn shrink_both<T: Scalar>(
    data: *mut T,
    length: usize,
    work: *mut u8,
    bytes: usize,
    shape: *mut usize,
    t: T,
) -> i32
where
    Complex<T>: Field<Real = T>,
{
    // SAFETY: the caller's promise.
    let (work, shape) = unsafe { (slice(work, bytes), slice(shape, 3)) };
    let &mut [views, rows, cols] = shape else { return -1 };
    // SAFETY: as above, the borrow ends with the call.
    let real = status(shrink(unsafe { slice(data, length) }, work, [views, rows, cols], t));
    // SAFETY: a complex number is two reals, so half as many fit.
    let complex = unsafe { slice(data.cast::<Complex<T>>(), length / 2) };
    real | status(shrink(complex, work, [views, rows, cols / 2], t))
}

/// # Safety
///
/// As for `shrink_both`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_group_f32(
    data: *mut f32,
    length: usize,
    work: *mut u8,
    bytes: usize,
    shape: *mut usize,
    t: f32,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { shrink_both(data, length, work, bytes, shape, t) }
}

/// # Safety
///
/// As for `shrink_both`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_group_f64(
    data: *mut f64,
    length: usize,
    work: *mut u8,
    bytes: usize,
    shape: *mut usize,
    t: f64,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { shrink_both(data, length, work, bytes, shape, t) }
}
