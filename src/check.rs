//! The door of every kernel: bad input never reaches arithmetic.

use crate::{Error, Field, Scalar};

/// Refuses where the methods for many samples are not built in.
#[inline(always)]
pub(crate) const fn large() -> Result<(), Error> {
    if cfg!(feature = "large") {
        return Ok(());
    }
    Err(Error::Parameter {
        what: "samples",
        requirement: "fewer, in a library built without the feature `large`",
    })
}

/// `a * b * c`, or the error that names what overflowed.
#[cfg_attr(not(feature = "std"), inline(never))] // Asked for at forty doors: one copy is small.
pub(crate) const fn product(what: &'static str, factors: &[usize]) -> Result<usize, Error> {
    let mut total: usize = 1;
    let mut rest = factors;
    while let [first, tail @ ..] = rest {
        total = match total.checked_mul(*first) {
            Some(total) => total,
            None => return Err(Error::SizeOverflow { what }),
        };
        rest = tail;
    }
    Ok(total)
}

/// `a + b`, or the error that names what overflowed.
pub(crate) const fn sum(what: &'static str, a: usize, b: usize) -> Result<usize, Error> {
    match a.checked_add(b) {
        Some(sum) => Ok(sum),
        None => Err(Error::SizeOverflow { what }),
    }
}

/// The slice has the length its shape says, and the shape does not overflow.
#[cfg_attr(not(feature = "std"), inline(never))]
pub(crate) fn shape<T>(what: &'static str, slice: &[T], dimensions: &[usize]) -> Result<(), Error> {
    let expected = product(what, dimensions)?;
    if slice.len() == expected { Ok(()) } else { Err(Error::Length { what, expected, found: slice.len() }) }
}

/// Two dimensions that must be equal are.
pub(crate) const fn equal(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// The dimension is not zero.
pub(crate) const fn positive(what: &'static str, dimension: usize) -> Result<(), Error> {
    if dimension == 0 { Err(Error::Empty { what }) } else { Ok(()) }
}

/// Every element is a number.
pub(crate) fn finite<F: Field>(what: &'static str, slice: &[F]) -> Result<(), Error> {
    // Whole blocks first, without a way out in between: that is what vectorises.
    let sound = |block: &[F]| block.iter().fold(true, |sound, x| sound & x.is_finite());
    if slice.chunks(256).all(sound) {
        return Ok(());
    }
    let index = slice.iter().position(|x| !x.is_finite()).unwrap_or(0);
    Err(Error::NotFinite { what, index })
}

/// A threshold or weight: finite and not negative.
#[cfg_attr(not(feature = "std"), inline(never))]
pub(crate) fn not_negative<T: Scalar>(what: &'static str, value: T) -> Result<(), Error> {
    if value.is_finite() && value >= T::ZERO {
        Ok(())
    } else {
        Err(Error::Parameter { what, requirement: "finite and at least zero" })
    }
}

/// A weight that divides: finite and above zero.
#[cfg_attr(not(feature = "std"), inline(never))]
pub(crate) fn positive_number<T: Scalar>(what: &'static str, value: T) -> Result<(), Error> {
    if value.is_finite() && value > T::ZERO {
        Ok(())
    } else {
        Err(Error::Parameter { what, requirement: "finite and above zero" })
    }
}
