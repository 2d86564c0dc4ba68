//! Fourier transforms of any length `n >= 1`, many columns at a time.
//!
//! The solver transforms along the row index of a row-major matrix. So does this module: a plan takes a matrix of
//! `n` rows and any number of columns and transforms every column. Eight columns at a time are brought into
//! scratch (a *strip*, real and imaginary parts apart), where each butterfly is plain arithmetic on eight adjacent
//! numbers that the compiler vectorises, and where all passes run in cache. No column's result depends on its
//! neighbours, so the same numbers come out for every batch width.
//!
//! | length | way |
//! |---|---|
//! | factors 2, 3, 4, 5, 7 | a butterfly each (`butterfly.rs`, `mixed.rs`) |
//! | other primes up to 61 | one generic odd radix (`odd.rs`) |
//! | a larger prime factor | convolution with a chirp over a smooth length (`bluestein.rs`) |
//! | f32, a power of two, feature `microfft` | the microfft crate and its tables in flash (`flash.rs`) |
//!
//! Real samples have half a spectrum: see [`RealFft`].

mod bluestein;
mod butterfly;
mod complex;
pub(crate) mod core;
mod factors;
#[cfg(feature = "microfft")]
mod flash;
mod mixed;
mod odd;
mod real;
mod strip;

pub use complex::Fft;
#[cfg(feature = "microfft")]
pub(crate) use flash::single as flash_fft;
pub use real::RealFft;
