//! The same bits everywhere: the hashes of `tests/fixtures/hash_*.txt`, which c_examples/embedded/run.sh compares with what
//! Cortex-M4, Cortex-M7, RISC-V and WebAssembly print, are those of the Rust interface and of C programs on this machine.
//!
//! The promise is that of the default features. `microfft` has other tables and rounds differently.
#![cfg(all(feature = "capi", target_os = "linux", not(feature = "microfft")))]

mod c_toolchain;

use c_toolchain::*;
use cstgl::Error;
use cstgl::config::Config;
use cstgl::graph::dense::Dense;
use cstgl::session::{Flow, Parts, Session};
use cstgl::workspace::{self, Workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sensors of c_examples/embedded/sensors.h.
mod sensors {
    fn mix(x: u32) -> u32 {
        let x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
        let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
        x ^ x >> 16
    }

    fn draw(what: u32, view: u32, feature: u32, which: u32) -> i32 {
        (mix(mix(mix(what * 64 + view) ^ feature) ^ which) >> 16) as i32 - 32768
    }

    pub fn features(view: u32) -> u32 {
        12 + 4 * view
    }

    pub fn reading(clusters: u32, view: u32, feature: u32, i: u32) -> f32 {
        let class = i % clusters;
        let seen = if class == (view + 1) % clusters { view % clusters } else { class };
        let centre = 2 * draw(1, view, feature, seen) + draw(2, view, feature, class);
        (centre + draw(3, view, feature, i)) as f32 / 65536.0
    }
}

/// FNV-1a, as a line that the C program prints.
fn line(what: &str, view: usize, words: impl IntoIterator<Item = u32>) -> String {
    let hash = words
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("hash {what} {view} {hash:016x}\n")
}

#[derive(Clone, Copy)]
struct Problem {
    samples: usize,
    views: usize,
    clusters: usize,
}

const SMALL: Problem = Problem { samples: 40, views: 2, clusters: 3 };
const LARGE: Problem = Problem { samples: 128, views: 3, clusters: 4 };
/// Large enough for threads to be started, and for the search instead of the dense method.
const LARGER: Problem = Problem { samples: 200, views: 3, clusters: 4 };

/// The Rust interface.
fn hashes(problem: Problem, threads: usize) -> Result<String, Error> {
    let Problem { samples, views, clusters } = problem;
    let config = Config { clusters, threads, ..Config::<f32>::new(samples, views) };
    let mut memory = Workspace::new(Session::layout(&config)?);
    let mut session = Session::new(memory.bytes_mut(), &config)?;
    for view in 0..views {
        for f in 0..sensors::features(view as u32) {
            let row: Vec<f32> =
                (0..samples as u32).map(|i| sensors::reading(clusters as u32, view as u32, f, i)).collect();
            session.push_dense(view, &Dense::by_feature(&row, 1, samples)?)?;
        }
    }
    session.run(|_| Flow::Continue)?;
    let mut labels = vec![0; samples];
    session.cluster(&mut labels)?;
    for (i, &label) in labels.iter().enumerate() {
        assert_eq!(label, labels[i % clusters], "sample {i}");
    }
    let mut matrix = vec![0.0; samples * samples];
    let mut said = String::new();
    let bits = |matrix: &[f32]| matrix.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for view in 0..views {
        session.consistent(view, &mut matrix)?;
        said += &line("S1", view, bits(&matrix));
        session.specific(view, &mut matrix)?;
        said += &line("S2", view, bits(&matrix));
        session.noise(view, &mut matrix)?;
        said += &line("E", view, bits(&matrix));
    }
    session.affinity(Parts::default(), &mut matrix)?;
    said += &line("affinity", 0, bits(&matrix));
    said += &line("labels", 0, labels);
    Ok(said)
}

/// The C program, with an installed library.
fn c_program(problem: Problem, threads: usize, prefix: &Path, name: &str) -> PathBuf {
    let here = root().join("c_examples/embedded");
    let program = scratch("programs").join(format!("embedded_{name}_{}_{threads}", problem.samples));
    let mut compile = Command::new("cc");
    compile.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DSCORES"]);
    for (what, number) in [
        ("SAMPLES", problem.samples),
        ("VIEWS", problem.views),
        ("CLUSTERS", problem.clusters),
        ("THREADS", threads),
        ("WORKSPACE", 8 << 20),
    ] {
        compile.arg(format!("-D{what}={number}"));
    }
    compile.arg("-I").arg(prefix.join("include")).arg(here.join("example.c")).arg(here.join("host.c"));
    compile.arg(prefix.join("lib/libcstgl.a")).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&program);
    succeed(&mut compile);
    program
}

/// What it prints: the registers that it found, and the hashes.
fn run(command: &mut Command) -> (String, String) {
    let said = succeed(command);
    assert!(said.contains("acc_permille 1000\n"), "{said}");
    let registers = said.lines().find_map(|line| line.strip_prefix("registers ")).unwrap_or_default();
    let hashes = said.lines().filter(|line| line.starts_with("hash ")).map(|line| format!("{line}\n"));
    (registers.to_owned(), hashes.collect())
}

/// Rust and C, with std (the widest registers of this machine) and without (those that every x86-64 has), on one thread
/// and several.
fn check(problem: Problem, expected: &str) -> Result<(), Error> {
    for threads in [1, 2, 3, 8] {
        assert_eq!(hashes(problem, threads)?, expected, "Rust, {threads} threads");
    }
    for threads in [1, 2] {
        let program = c_program(problem, threads, installed(), "std");
        let (registers, hashes) = run(&mut Command::new(program));
        assert_eq!(hashes, expected, "C, {threads} threads, {registers}");
    }
    let program = c_program(problem, 1, installed_without_std(), "no_std");
    assert_eq!(run(&mut Command::new(program)).1, expected, "C without std");
    Ok(())
}

/// `workspace::bytes` is the macro of the header, and enough.
#[test]
fn the_size_of_a_static_is_the_c_macros_and_enough() -> Result<(), Error> {
    let cases = [2, 40, 60, 61, 128, 129, 500].into_iter().flat_map(|n| [1, 2, 3, 8, 9].map(|m| (n, m)));
    let cases: Vec<_> = cases.flat_map(|(n, m)| [1, 13, 20].map(|k| (n, m, k))).collect();
    let calls = cases.iter().map(|(n, m, k)| {
        format!(
            "printf(\"%zu %zu\\n\", CSTGL_WORKSPACE_BYTES_F32({n}, {m}, {k}), CSTGL_WORKSPACE_BYTES_F64({n}, {m}, {k}));"
        )
    });
    let calls = calls.collect::<Vec<_>>().join("\n");
    let source = write(
        "sizes.c",
        &format!("#include <cstgl.h>\n#include <stdio.h>\nint main(void) {{\n{calls}\nreturn 0;\n}}\n"),
    );
    let program = scratch("programs").join("sizes");
    let include = root().join("include");
    succeed(Command::new("cc").arg("-I").arg(include).arg(source).arg("-o").arg(&program));
    let said = succeed(&mut Command::new(program));
    assert_eq!(said.lines().count(), cases.len());
    for (line, (n, m, k)) in said.lines().zip(cases) {
        let (single, double) = (workspace::bytes::<f32>(n, m, k), workspace::bytes::<f64>(n, m, k));
        assert_eq!(line, format!("{single} {double}"), "n = {n}, m = {m}, k = {k}");
        if k <= n {
            let config = Config { clusters: k, ..Config::<f32>::new(n, m) };
            assert!(Session::layout(&config)?.bytes() <= single, "n = {n}, m = {m}, k = {k}");
            let config = Config { clusters: k, ..Config::<f64>::new(n, m) };
            assert!(Session::layout(&config)?.bytes() <= double, "n = {n}, m = {m}, k = {k}");
        }
    }
    Ok(())
}

fn fixture(name: &str) -> String {
    let path = root().join("tests/fixtures").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

// A change of the arithmetic changes the hashes, and may. The failure prints the new ones; run.sh must then find the same
// on every machine.
#[test]
fn forty_samples_have_the_bits_that_the_boards_print() -> Result<(), Error> {
    check(SMALL, &fixture("hash_40.txt"))
}

#[test]
fn more_samples_have_the_bits_that_the_boards_print() -> Result<(), Error> {
    check(LARGE, &fixture("hash_128.txt"))
}

#[test]
fn threads_change_no_bit_where_they_are_started() -> Result<(), Error> {
    let expected = hashes(LARGER, 1)?;
    check(LARGER, &expected)
}

/// A library with std looks for wide registers at run time. On machines that have fewer, it finds other code.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_width_of_the_registers_changes_no_bit() {
    for (problem, expected) in [(SMALL, fixture("hash_40.txt")), (LARGE, fixture("hash_128.txt"))] {
        let program = c_program(problem, 1, installed(), "std");
        let (registers, hashes) = run(&mut Command::new(&program));
        println!("this machine has {registers}");
        assert_eq!(hashes, expected, "{registers}");
        if has("qemu-x86_64") {
            for (machine, registers) in [("Nehalem", "baseline"), ("Haswell", "avx2")] {
                let emulated = run(Command::new("qemu-x86_64").args(["-cpu", machine]).arg(&program));
                assert_eq!(emulated, (registers.to_owned(), expected.clone()), "{machine}");
            }
        }
    }
}

/// AVX-512 itself is not run here: few machines have it, and not Debian's QEMU. What could round otherwise there is a
/// product and a sum in one instruction, or an approximate quotient or root: the library has the code for such machines,
/// and none of these.
#[test]
#[cfg(target_arch = "x86_64")]
fn no_instruction_rounds_otherwise() {
    let archive = installed().join("lib/libcstgl.a");
    let listed = succeed(Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(archive));
    let instructions = || listed.lines().filter_map(|line| line.split('\t').nth(1));
    assert!(instructions().any(|line| line.contains("%zmm")), "no code for AVX-512");
    assert!(instructions().any(|line| line.starts_with("mulps")), "no code for every machine");
    let other = ["vfmadd", "vfmsub", "vfnm", "rcp", "vrcp", "rsqrt", "vrsqrt"];
    let found = instructions().find(|line| other.iter().any(|name| line.starts_with(name)));
    assert_eq!(found, None);
}
