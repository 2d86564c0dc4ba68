//! The widest registers that the machine has, for code that the compiler vectorises by itself.
//!
//! A loop is compiled once for every machine of the target and again for those with wider registers, and the
//! choice is made at run time. The arithmetic is the same operation for operation (Rust never contracts a product
//! and a sum), sums keep their fixed lanes, and so the bits are the same too. Without `std` nothing can be asked
//! at run time and the target's own registers are used.

/// Runs `f`, compiled for the widest registers of this machine. What `f` calls takes part as far as it is inlined.
#[inline(always)]
pub(crate) fn widest<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
        #[target_feature(enable = "avx2,avx512f,avx512vl")]
        fn avx512<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the line above has seen the features that the function is compiled for.
        #[expect(unsafe_code, reason = "the compiler cannot see that the check guards the call")]
        return unsafe { avx512(f) };
    } else if std::arch::is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn avx2<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: the line above has seen the feature that the function is compiled for.
        #[expect(unsafe_code, reason = "the compiler cannot see that the check guards the call")]
        return unsafe { avx2(f) };
    }
    f()
}
