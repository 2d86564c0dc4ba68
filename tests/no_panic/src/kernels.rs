//! Probes of `cstgl::fft`, `cstgl::linalg`, `cstgl::tensor` and `cstgl::prox::tubal`.

use crate::exercises::{algebra, fft, leading, linalg, shrinkage, tubal};
use crate::{slice, status};
use core::hint::black_box;
use cstgl::workspace::Arena;
use cstgl::{Complex, Scalar};

/// The caller's memory: numbers, and bytes to work in.
struct Memory<'a, T> {
    data: &'a mut [T],
    work: &'a mut [u8],
}

impl<T: Scalar> Memory<'_, T> {
    fn start(&mut self, length: usize) -> Option<(&mut [T], Arena<'_>)> {
        Some((black_box(self.data.get_mut(..length)?), Arena::new(self.work)))
    }

    fn fft(&mut self, n: usize) -> i32 {
        let Some((data, mut work)) = self.start(n.saturating_mul(2)) else { return -1 };
        status(fft(data, n, &mut work))
    }

    /// Real and complex, `n + 2` by `n`.
    fn linalg(&mut self, n: usize, tau: T) -> i32 {
        let (rows, square) = (n.saturating_add(2), n.saturating_mul(n));
        let Some((data, mut work)) = self.start(rows.saturating_mul(n)) else { return -1 };
        let mut all = status(linalg(data, rows, n, &mut work));
        let Some((data, mut work)) = self.start(square) else { return -1 };
        all |= status(leading(data, n, &mut work));
        all |= status(shrinkage(data, n, tau, &mut work));
        let Some((data, mut work)) = self.start(rows.saturating_mul(n)) else { return -1 };
        let Ok(complex) = work.take::<Complex<T>>(data.len()) else { return -1 };
        complex.iter_mut().zip(data.iter()).for_each(|(z, &x)| *z = Complex::new(x, x * x));
        all |= status(linalg(complex, rows, n, &mut work));
        let Some(square) = complex.get_mut(..square) else { return -1 };
        all | status(shrinkage(square, n, tau, &mut work))
    }

    fn tensor(&mut self, n: usize, slices: usize, tau: T) -> i32 {
        let length = n.saturating_mul(n).saturating_mul(slices);
        let Some((data, mut work)) = self.start(length) else { return -1 };
        let algebra = status(algebra(data, n, slices, &mut work));
        algebra | status(tubal(data, [slices, n, n], tau, &mut work))
    }
}

macro_rules! probes {
    ($type:ident, $fft:ident, $linalg:ident, $tensor:ident) => {
        /// # Safety
        ///
        /// `data` points to `length` elements and `work` to `bytes` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $fft(
            data: *mut $type,
            length: usize,
            work: *mut u8,
            bytes: usize,
            n: usize,
        ) -> i32 {
            // SAFETY: the caller's promise.
            let (data, work) = unsafe { (slice(data, length), slice(work, bytes)) };
            Memory { data, work }.fft(n)
        }

        /// # Safety
        ///
        /// `data` points to `length` elements and `work` to `bytes` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $linalg(
            data: *mut $type,
            length: usize,
            work: *mut u8,
            bytes: usize,
            n: usize,
            tau: $type,
        ) -> i32 {
            // SAFETY: the caller's promise.
            let (data, work) = unsafe { (slice(data, length), slice(work, bytes)) };
            Memory { data, work }.linalg(n, tau)
        }

        /// # Safety
        ///
        /// `data` points to `length` elements and `work` to `bytes` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $tensor(
            data: *mut $type,
            length: usize,
            work: *mut u8,
            bytes: usize,
            n: usize,
            slices: usize,
            tau: $type,
        ) -> i32 {
            // SAFETY: the caller's promise.
            let (data, work) = unsafe { (slice(data, length), slice(work, bytes)) };
            Memory { data, work }.tensor(n, slices, tau)
        }
    };
}

probes!(f32, probe_fft_f32, probe_linalg_f32, probe_tensor_f32);
probes!(f64, probe_fft_f64, probe_linalg_f64, probe_tensor_f64);
