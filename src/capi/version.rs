//! Which library this is.

use core::ffi::{CStr, c_char};

/// Version of the library that this header belongs to: changes that break a program.
pub const CSTGL_VERSION_MAJOR: u32 = 0;
/// Additions; before 1.0, changes that break a program as well.
pub const CSTGL_VERSION_MINOR: u32 = 1;
/// Corrections.
pub const CSTGL_VERSION_PATCH: u32 = 0;
/// `10000 * major + 100 * minor + patch`, to be compared with `cstgl_version_number()`.
pub const CSTGL_VERSION_NUMBER: u32 = 100;
/// The binary interface. It changes when a program must be compiled anew, and so does the library's SONAME,
/// `libcstgl.so.1`.
pub const CSTGL_ABI: u32 = 1;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// Version of the library that is linked: `10000 * major + 100 * minor + patch`.
#[unsafe(no_mangle)]
pub extern "C" fn cstgl_version_number() -> u32 {
    CSTGL_VERSION_NUMBER
}

/// Version of the library that is linked, such as "0.1.0". Static.
#[unsafe(no_mangle)]
pub extern "C" fn cstgl_version_string() -> *const c_char {
    VERSION.as_ptr()
}

/// Binary interface of the library that is linked; it must be the header's `CSTGL_ABI`.
#[unsafe(no_mangle)]
pub extern "C" fn cstgl_abi() -> u32 {
    CSTGL_ABI
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn the_numbers_are_the_packages() {
        let parts = [CSTGL_VERSION_MAJOR, CSTGL_VERSION_MINOR, CSTGL_VERSION_PATCH];
        assert_eq!(parts.map(|part| part.to_string()).join("."), env!("CARGO_PKG_VERSION"));
        assert_eq!(VERSION.to_str(), Ok(env!("CARGO_PKG_VERSION")));
        assert_eq!(CSTGL_VERSION_NUMBER, parts[0] * 10_000 + parts[1] * 100 + parts[2]);
    }
}
