//! The example of c_examples/embedded in Rust alone, for the STM32F405: no allocator, no panic, one static.
//!
//! It prints the hash of the labels, which must be the C firmware's.
#![no_std]
#![no_main]

use core::arch::asm;
use core::cell::UnsafeCell;
use cstgl::graph::dense::Dense;
use cstgl::session::{Flow, Session};
use cstgl::{Config, Error, workspace};

const SAMPLES: usize = 40;
const VIEWS: usize = 2;
const CLUSTERS: usize = 3;

/// Its size is known to the compiler, and so to the linker's map.
#[repr(align(8))]
struct Memory(UnsafeCell<[u8; workspace::bytes::<f32>(SAMPLES, VIEWS, CLUSTERS)]>);
// SAFETY: there is one thread, and `reset` alone takes it.
unsafe impl Sync for Memory {}
static MEMORY: Memory = Memory(UnsafeCell::new([0; _]));

fn run(memory: &mut [u8]) -> Result<[u32; SAMPLES], Error> {
    let config = Config { clusters: CLUSTERS, ..Config::<f32>::new(SAMPLES, VIEWS) };
    let mut session = Session::new(memory, &config)?;
    for view in 0..VIEWS {
        for feature in 0..12 + 4 * view {
            let row: [f32; SAMPLES] =
                core::array::from_fn(|i| reading(view as u32, feature as u32, i as u32));
            session.push_dense(view, &Dense::by_feature(&row, 1, SAMPLES)?)?;
        }
    }
    session.run(|_| Flow::Continue)?;
    let mut labels = [0; SAMPLES];
    session.cluster(&mut labels)?;
    Ok(labels)
}

/// The sensors of example.c.
fn reading(view: u32, feature: u32, i: u32) -> f32 {
    let mix = |x: u32| {
        let x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
        let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
        x ^ x >> 16
    };
    let draw =
        |what: u32, which: u32| (mix(mix(mix(what * 64 + view) ^ feature) ^ which) >> 16) as i32 - 32768;
    let clusters = CLUSTERS as u32;
    let class = i % clusters;
    let seen = if class == (view + 1) % clusters { view % clusters } else { class };
    (2 * draw(1, seen) + draw(2, class) + draw(3, i)) as f32 / 65536.0
}

fn print_hash(labels: &[u32; SAMPLES]) {
    let bytes = labels.iter().flat_map(|label| label.to_le_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let mut text = *b"hash labels 0 ................\n\0";
    for (i, digit) in text.iter_mut().skip(14).take(16).enumerate() {
        let nibble = (hash >> (60 - 4 * i) & 15) as u8;
        *digit = nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
    }
    semihost(0x04, text.as_ptr().cast());
}

fn semihost(operation: u32, argument: *const ()) {
    // SAFETY: the debugger reads what the argument points to.
    unsafe { asm!("bkpt 0xAB", inlateout("r0") operation => _, in("r1") argument) };
}

fn leave(status: u32) -> ! {
    loop {
        semihost(0x20, [0x20026, status].as_ptr().cast());
    }
}

unsafe extern "C" fn reset() -> ! {
    // SAFETY: the coprocessor register of every Cortex-M4F; QEMU has zeroed the memory; `MEMORY` is taken once.
    let memory = unsafe {
        let cpacr = 0xE000_ED88 as *mut u32;
        cpacr.write_volatile(cpacr.read_volatile() | 0xF << 20);
        asm!("dsb", "isb");
        &mut *MEMORY.0.get()
    };
    match run(memory) {
        Ok(labels) => print_hash(&labels),
        Err(_) => leave(1),
    }
    leave(0)
}

unsafe extern "C" {
    static stack_top: u32;
}
/// The first words of the table of vectors; a fault locks up, which ends QEMU.
#[repr(C)]
struct Vectors(*const u32, unsafe extern "C" fn() -> !);
// SAFETY: addresses that nobody changes.
unsafe impl Sync for Vectors {}
#[used]
#[unsafe(link_section = ".vectors")]
static VECTORS: Vectors = Vectors(&raw const stack_top, reset);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    leave(3)
}
