//! Runs `tests/no_std.sh`: no std, no allocator, no panic. It links with gcc and reads ELF, hence Linux alone.
#![cfg(target_os = "linux")]

use std::process::Command;

#[test]
fn the_core_links_without_std_allocator_or_panic() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/no_std.sh");
    // A target directory of its own, so that it waits for no lock that this test's cargo may hold.
    let output = Command::new("sh").args([script, env!("CARGO_TARGET_TMPDIR")]).output().expect("sh runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    println!("{out}");
}
