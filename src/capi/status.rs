//! What a function returns.

use core::ffi::c_char;

/// What a function returns: zero is success, a negative number is an error (`CSTGL_ERROR_...`).
pub type cstgl_status = i32;

/// Success.
pub const CSTGL_OK: i32 = 0;
/// A pointer that must not be NULL is.
pub const CSTGL_ERROR_NULL: i32 = -1;
/// The program was compiled with a header that this library does not know: `struct_size` or `abi` of a configuration
/// is not one that `cstgl_config_init` writes.
pub const CSTGL_ERROR_ABI: i32 = -2;
/// The memory behind a handle holds no run of this kind: not initialised, written over, or of the other type.
pub const CSTGL_ERROR_HANDLE: i32 = -3;
/// A size computed from the arguments does not fit in `size_t`.
pub const CSTGL_ERROR_OVERFLOW: i32 = -4;
/// The memory is too small: `needed` and `given` of the error tell by how much.
pub const CSTGL_ERROR_MEMORY: i32 = -5;
/// A pointer is not a multiple of the alignment that its type needs; `needed` of the error.
pub const CSTGL_ERROR_ALIGNMENT: i32 = -6;
/// An array has another length than it must have: `needed` and `given` of the error.
pub const CSTGL_ERROR_LENGTH: i32 = -7;
/// Something that must not be empty is.
pub const CSTGL_ERROR_EMPTY: i32 = -8;
/// A number is NaN or infinite: `view`, `feature` and `sample`, or `index`, of the error tell which.
pub const CSTGL_ERROR_NOT_FINITE: i32 = -9;
/// A position in a sparse block is outside the block or not in ascending order: `index` of the error.
pub const CSTGL_ERROR_INDEX: i32 = -10;
/// Sums of squares of a view leave the range of the type: scale the view down. `view` of the error.
pub const CSTGL_ERROR_RANGE: i32 = -11;
/// A call came too early or too late.
pub const CSTGL_ERROR_SEQUENCE: i32 = -12;
/// A parameter is outside its domain.
pub const CSTGL_ERROR_PARAMETER: i32 = -13;
/// The consistent part has a higher rank than `rank_limit` allows: `given` of the error is the limit.
pub const CSTGL_ERROR_RANK: i32 = -14;
/// An inner iteration did not settle: `given` of the error is its limit.
pub const CSTGL_ERROR_NOT_CONVERGED: i32 = -15;
/// Two arguments share memory that must not, such as labels inside the run's own memory.
pub const CSTGL_ERROR_OVERLAP: i32 = -16;

/// A short sentence for a status. Static, never NULL, for any integer.
#[unsafe(no_mangle)]
pub extern "C" fn cstgl_status_string(status: cstgl_status) -> *const c_char {
    let text = match status {
        CSTGL_OK => c"success",
        CSTGL_ERROR_NULL => c"a pointer is NULL",
        CSTGL_ERROR_ABI => c"header and library do not match, or the configuration was not initialised",
        CSTGL_ERROR_HANDLE => c"the memory holds no run of this kind",
        CSTGL_ERROR_OVERFLOW => c"a size does not fit in memory",
        CSTGL_ERROR_MEMORY => c"the memory is too small",
        CSTGL_ERROR_ALIGNMENT => c"a pointer is misaligned",
        CSTGL_ERROR_LENGTH => c"an array has the wrong length",
        CSTGL_ERROR_EMPTY => c"something that must not be empty is",
        CSTGL_ERROR_NOT_FINITE => c"a number is NaN or infinite",
        CSTGL_ERROR_INDEX => c"a sparse position is outside its block or out of order",
        CSTGL_ERROR_RANGE => c"squares exceed the range of the type",
        CSTGL_ERROR_SEQUENCE => c"a call came too early or too late",
        CSTGL_ERROR_PARAMETER => c"a parameter is outside its domain",
        CSTGL_ERROR_RANK => c"the rank exceeds its limit",
        CSTGL_ERROR_NOT_CONVERGED => c"an inner iteration did not settle",
        CSTGL_ERROR_OVERLAP => c"arguments overlap in memory",
        _ => c"unknown status",
    };
    text.as_ptr()
}
