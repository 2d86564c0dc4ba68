//! A static library without std must bring a panic handler, though nothing here panics (`tests/no_std.sh` proves it).

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
