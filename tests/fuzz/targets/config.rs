//! Config structs of any size and any bytes: refused, or a layout that the init accepts and a byte less does not.
#![no_main]

use cstgl::capi::*;
use cstgl_fuzz::{Bytes, Exact};
use std::ptr::null_mut;

const SIZE: usize = size_of::<cstgl_config>();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut input = Bytes(data);
    // The struct as some program might know it: shorter, whole or longer, in memory of just that size.
    let claimed = match input.byte() {
        0..=127 => SIZE,
        other => usize::from(other - 128) * 4,
    };
    let mut place = Exact::bytes(claimed.max(8));
    let config = place.slice().as_mut_ptr().cast::<cstgl_config>();
    // SAFETY: the memory has as many bytes as are claimed.
    let begun = unsafe { cstgl_config_init_sized(config, claimed, CSTGL_ABI) };
    if begun != CSTGL_OK {
        // A struct is made all the same: never initialised, but its size is what it says.
        place.slice()[..4].copy_from_slice(&(claimed as u32).to_le_bytes());
        if input.byte() & 1 != 0 {
            place.slice()[4..8].copy_from_slice(&CSTGL_ABI.to_le_bytes());
        }
    }
    while !input.ended() {
        // Whole words: a count of 2^56 samples is refused too soon to tell much.
        let at = 8 + 4 * usize::from(input.byte());
        let value = if input.byte() & 3 == 0 { input.word() } else { input.byte().into() };
        let number = [value.to_le_bytes(), input.finite::<f64>().to_le_bytes()][usize::from(input.byte() & 1)];
        let bytes = place.slice();
        let end = (at + 8).min(bytes.len());
        if at < end {
            bytes[at..end].copy_from_slice(&number[..end - at]);
        }
    }
    let config = place.slice().as_mut_ptr().cast::<cstgl_config>();
    let mut need = cstgl_layout { bytes: 7, align: 7 };
    // SAFETY: every pointer below is to memory of the size that is claimed.
    unsafe {
        let mut error = std::mem::zeroed::<cstgl_error>();
        let narrow = cstgl_layout_f32(config, &mut need, &mut error);
        if narrow != CSTGL_OK {
            assert_eq!((need.bytes, need.align, error.status), (7, 7, narrow));
            assert!(error.message[0] != 0);
        } else if need.bytes < 1 << 22 {
            let mut handle = null_mut();
            let mut memory = Exact::bytes(need.bytes);
            let start = memory.slice().as_mut_ptr().cast();
            let short = cstgl_init_f32(start, need.bytes - 1, config, &mut handle, null_mut());
            assert_eq!((short, handle.is_null()), (CSTGL_ERROR_MEMORY, true));
            assert_eq!(cstgl_init_f32(start, need.bytes, config, &mut handle, null_mut()), CSTGL_OK);
            let mut again = std::mem::zeroed::<cstgl_config>();
            assert_eq!(cstgl_config_init_sized(&mut again, SIZE, CSTGL_ABI), CSTGL_OK);
            assert_eq!(cstgl_get_config_f32(handle, &mut again, null_mut()), CSTGL_OK);
            let mut same = cstgl_layout { bytes: 0, align: 0 };
            assert_eq!(cstgl_layout_f32(&again, &mut same, null_mut()), CSTGL_OK);
            assert_eq!((need.bytes, need.align), (same.bytes, same.align));
        }
        let _ = cstgl_layout_f64(config, &mut need, &mut error);
        let _ = cstgl_config_profile(config, u32::from(input.byte()), &mut error);
    }
});
