//! The C interface as C sees it: header, libraries, examples, misuse, installation. It drives a C toolchain, hence Linux
//! alone; what a tool is missing for is said aloud.
#![cfg(all(feature = "capi", target_os = "linux"))]

mod c_toolchain;
mod guarded;

use c_toolchain::*;
use cstgl::Scalar;
use cstgl::config::Config;
use cstgl::graph::dense::Dense;
use cstgl::graph::sparse::Csr;
use cstgl::session::{Flow, Session};
use guarded::Workspace;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

fn header() -> String {
    std::fs::read_to_string(root().join("include/cstgl.h")).unwrap()
}

/// The header without comments.
fn code(header: &str) -> String {
    let mut code = String::new();
    let mut rest = header;
    while let Some((before, after)) = rest.split_once("/*") {
        code.push_str(before);
        rest = after.split_once("*/").unwrap().1;
    }
    code + rest
}

/// Functions that the header declares.
fn functions(header: &str) -> BTreeSet<String> {
    let declarations = code(header);
    let (_, declarations) = declarations.split_once("extern \"C\" {").unwrap();
    let name = |part: &str| part.rsplit([' ', '*', '\n']).next().unwrap().to_owned();
    let names = declarations.split('(').map(name).filter(|name| name.starts_with("cstgl_"));
    names.collect()
}

#[test]
fn the_header_is_what_the_source_says() {
    let made = scratch("header").join("cstgl.h");
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut build = Command::new(cargo);
    build.args(["check", "--quiet", "--lib", "--no-default-features", "--features", "header"]);
    build.arg("--target-dir").arg(scratch("header_target")).current_dir(root()).env("CSTGL_HEADER", &made);
    succeed(&mut build);
    let made = std::fs::read_to_string(made).unwrap();
    assert!(
        made == header(),
        "include/cstgl.h is not what src/capi says. Make it anew:\n\
         CSTGL_HEADER=$PWD/include/cstgl.h cargo check --features header"
    );
}

#[test]
fn the_header_is_clean_in_every_dialect() {
    let source = root().join("tests/c/layout.c");
    let wrapper = write("wrapper.cpp", "#include \"cstgl.hpp\"\n#include \"cstgl.hpp\"\nint main() {}\n");
    let include = root().join("include");
    for (c, cpp) in compilers() {
        for standard in ["c99", "c11", "c17"] {
            let mut compile = Command::new(c);
            succeed(
                compile
                    .args(WARNINGS)
                    .arg(format!("-std={standard}"))
                    .args(["-fsyntax-only", "-I"])
                    .args([&include, &source]),
            );
        }
        for standard in ["c++11", "c++17"] {
            let mut compile = Command::new(cpp);
            compile.args(WARNINGS).arg(format!("-std={standard}")).args(["-x", "c++", "-fsyntax-only", "-I"]);
            succeed(compile.args([&include, &source]));
        }
        for options in [&["-std=c++17"][..], &["-std=c++20"], &["-std=c++17", "-fno-exceptions"]] {
            let mut compile = Command::new(cpp);
            succeed(
                compile.args(WARNINGS).args(options).args(["-fsyntax-only", "-I"]).args([&include, &wrapper]),
            );
        }
    }
}

/// Signatures, structs and constants, one a line, without prose. Macros with parameters are no part of the binary
/// interface.
fn interface(header: &str) -> String {
    let code = code(header);
    let (mut lines, mut declaration) = (Vec::new(), String::new());
    for line in code.lines().map(str::trim) {
        if let Some(define) = line.strip_prefix("#define ") {
            if define.split(' ').next().is_some_and(|name| !name.contains('(')) && define.contains(' ') {
                lines.push(format!("#define {define}"));
            }
        } else if !line.starts_with('#') && !line.ends_with('\\') && !line.starts_with("extern \"C\"") {
            declaration.push_str(line);
            declaration.push(' ');
            let open = declaration.matches('{').count() > declaration.matches('}').count();
            if declaration.trim_end().ends_with(';') && !open {
                let words: Vec<&str> = declaration.split_whitespace().collect();
                lines.push(words.join(" "));
                declaration.clear();
            }
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

#[test]
fn the_interface_is_the_one_that_was_promised() {
    let snapshot = root().join("tests/abi/cstgl.abi");
    let current = interface(&header());
    assert!(current.lines().count() > 100 && current.contains("cstgl_status cstgl_push_f64("));
    if std::env::var_os("CSTGL_NEW_ABI").is_some() {
        std::fs::create_dir_all(snapshot.parent().unwrap()).unwrap();
        std::fs::write(&snapshot, &current).unwrap();
    }
    let promised = std::fs::read_to_string(&snapshot).unwrap();
    let (promised, current): (BTreeSet<_>, BTreeSet<_>) =
        (promised.lines().collect(), current.lines().collect());
    let gone: Vec<_> = promised.difference(&current).collect();
    let new: Vec<_> = current.difference(&promised).collect();
    assert!(
        gone.is_empty() && new.is_empty(),
        "The C interface differs from tests/abi/cstgl.abi.\n- {gone:#?}\n+ {new:#?}\n\
         If something is gone or has changed, raise CSTGL_ABI. Then: CSTGL_NEW_ABI=1 cargo test --test capi"
    );
}

#[test]
fn the_twins_are_twins() {
    let strip = |file: &str, from: &str| -> String {
        let text = std::fs::read_to_string(root().join("src/capi").join(file)).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with("//"));
        // Long lines are folded differently: compare words.
        lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect::<String>().replace(from, "T")
    };
    assert_eq!(strip("f32.rs", "f32").replace(",)", ")"), strip("f64.rs", "f64").replace(",)", ")"));
}

#[test]
fn only_our_names_are_exported_and_nothing_is_allocated() {
    let declared = functions(&header());
    assert!(declared.len() > 50, "{declared:?}");
    let library = installed().join("lib");
    let exported = symbols(&["-D", "--defined-only"], &library.join("libcstgl.so.1"));
    assert_eq!(exported, declared);
    let global = symbols(&["--extern-only", "--defined-only"], &library.join("libcstgl.a"));
    assert_eq!(global, declared);
    let dynamic = succeed(Command::new("objdump").arg("-p").arg(library.join("libcstgl.so.1")));
    assert!(dynamic.lines().any(|line| line.split_whitespace().eq(["SONAME", "libcstgl.so.1"])), "{dynamic}");

    // Without std nothing is asked for but moving bytes: no allocation, no file, no clock, no thread, no panic.
    let bare = installed_without_std().join("lib/libcstgl.a");
    assert_eq!(symbols(&["--extern-only", "--defined-only"], &bare), declared);
    let asked = symbols(&["--undefined-only"], &bare);
    let bytes = ["memcpy", "memmove", "memset", "memcmp", "bcmp"].map(str::to_owned);
    assert!(asked.iter().all(|name| bytes.contains(name)), "{asked:?}");

    // The proof that nothing panics has all of them.
    let proof = std::fs::read_to_string(root().join("tests/no_panic/src/capi.rs")).unwrap();
    for name in &declared {
        assert!(proof.contains(&format!(" {name} as ")), "{name} is not in tests/no_panic/src/capi.rs");
    }
}

#[test]
fn misuse_is_refused_and_changes_nothing() {
    for options in [&[][..], &["-DWIDE"]] {
        let name = format!("misuse{}", options.join(""));
        for linking in [Linking::Static, Linking::Shared] {
            let program = compile("gcc", "tests/c/misuse.c", &name, linking, options);
            println!("{}", succeed(&mut Command::new(&program)));
            if has("valgrind") {
                let mut valgrind = Command::new("valgrind");
                valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
                succeed(valgrind.arg(&program));
            }
        }
        for compiler in ["gcc", "clang"] {
            let sanitize = "-fsanitize=address,undefined";
            let source = write("sanitized.c", "int main(void) { return 0; }\n");
            if !has(compiler)
                || !works(Command::new(compiler).arg(sanitize).arg(source).args(["-o", "/dev/null"]))
            {
                println!("SKIPPED: {compiler} has no AddressSanitizer");
                continue;
            }
            // A misaligned pointer in C is what is being tested: the library must look before it leaps.
            let options: Vec<_> = [sanitize, "-fno-sanitize=alignment", "-fno-sanitize-recover=all"]
                .into_iter()
                .chain(options.iter().copied())
                .collect();
            let name = format!("{name}_{compiler}_asan");
            succeed(&mut Command::new(compile(
                compiler,
                "tests/c/misuse.c",
                &name,
                Linking::Static,
                &options,
            )));
        }
    }
}

#[test]
fn an_older_struct_is_accepted() {
    let program = compile("gcc", "tests/c/older.c", "older", Linking::Static, &[]);
    succeed(&mut Command::new(&program));
    if has("valgrind") {
        succeed(Command::new("valgrind").args(["--quiet", "--error-exitcode=9"]).arg(&program));
    }
}

#[test]
fn the_workspace_macro_bounds_the_query() {
    let program = compile("gcc", "tests/c/workspace.c", "workspace", Linking::Shared, &["-O2"]);
    println!("{}", succeed(&mut Command::new(program)));
}

/// The data of the examples.
fn feature<T: Scalar>(view: usize, f: usize, i: usize) -> T {
    let own = if f % 3 == (i + view) % 3 { T::ONE } else { T::ZERO };
    own + T::from_usize((i * 7 + f * 13 + view * 29 + i * f) % 11) / T::from_usize(22)
}

/// Labels by the Rust interface, as the examples print them.
fn labels<T: Scalar>(config: &Config<T>, push: impl FnOnce(&mut Session<'_, T>)) -> String {
    let mut memory = Workspace::new(Session::layout(config).unwrap());
    let mut session = Session::new(memory.bytes_mut(), config).unwrap();
    push(&mut session);
    session.run(|_| Flow::Continue).unwrap();
    let mut labels = vec![0; config.samples];
    session.cluster(&mut labels).unwrap();
    line(&labels)
}

fn line(labels: &[u32]) -> String {
    labels.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

fn example_labels<T: Scalar>(config: &Config<T>, features: [usize; 2]) -> String {
    labels(config, |session| {
        for (v, d) in features.into_iter().enumerate() {
            let n = config.samples;
            let block: Vec<T> = (0..d * n).map(|k| feature(v, k / n, k % n)).collect();
            session.push_dense(v, &Dense::by_feature(&block, d, n).unwrap()).unwrap();
        }
    })
}

fn sparse_labels() -> String {
    let config = Config::<f32> { clusters: 3, graph: neighbours(2), ..Config::new(9, 2) };
    labels(&config, |session| {
        let words = [0, 1, 6, 0, 1, 0, 1, 6, 2, 3, 2, 3, 6, 2, 3, 4, 5, 6, 4, 5, 4, 5, 6];
        let counts = [3, 1, 1, 2, 2, 1, 4, 2, 3, 3, 2, 1, 1, 1, 2, 2, 2, 1, 3, 1, 1, 2, 1].map(|x| x as f32);
        let pointers = [0, 3, 5, 8, 10, 13, 15, 18, 20, 23];
        session.push_sparse(0, &Csr::by_sample(&pointers, &words, &counts, 7, 9).unwrap()).unwrap();
        let linking = [0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8];
        let pointers = [0, 2, 4, 6, 8, 10, 12];
        session.push_sparse(1, &Csr::by_feature(&pointers, &linking, &[1.0; 12], 6, 9).unwrap()).unwrap();
    })
}

fn neighbours<T: Scalar>(neighbours: usize) -> cstgl::config::GraphTerm<T> {
    cstgl::config::GraphTerm::Adaptive { neighbours, weight: T::from_usize(100) }
}

/// Features as the streaming example reads them.
fn stream(n: usize, d: usize) -> String {
    let mut text = format!("{n} 2 3\n");
    for (v, f) in (0..2 * d).map(|k| (k / d, k % d)) {
        let row: Vec<String> = (0..n).map(|i| format!("{:?}", feature::<f64>(v, f, i))).collect();
        text += &format!("{v} {}\n", row.join(" "));
    }
    text
}

#[test]
fn every_example_has_the_labels_of_the_rust_interface() {
    let quick = example_labels(&Config::<f32> { clusters: 3, ..Config::new(12, 2) }, [6, 9]);
    let small = example_labels(&Config::<f32> { clusters: 3, ..Config::new(24, 2) }, [6, 6]);
    let streamed = example_labels(&Config::<f64> { clusters: 3, ..Config::new(30, 2) }, [5, 5]);
    let inspected = example_labels(&Config::<f64> { graph: neighbours(5), ..Config::new(24, 2) }, [6, 6]);
    let features = write("features.txt", &stream(30, 5));
    for linking in [Linking::Static, Linking::Shared] {
        let out = scratch(&format!("examples_{linking:?}"));
        let mut make = Command::new("make");
        make.arg("-C").arg(root().join("c_examples")).arg(format!("OUT={}", out.display()));
        make.arg("--always-make").env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig"));
        if linking == Linking::Static {
            make.arg("STATIC=1");
        }
        succeed(&mut make);
        let first_line = |name: &str, arguments: &[&Path]| {
            let text = succeed(Command::new(out.join(name)).args(arguments));
            text.lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(first_line("quickstart", &[]), quick);
        assert_eq!(first_line("cpp_quickstart", &[]), quick);
        assert_eq!(first_line("static_buffer", &[]), small);
        assert_eq!(first_line("sparse", &[]), sparse_labels());
        assert_eq!(first_line("streaming", &[&features]), streamed);
        assert_eq!(first_line("inspect", &[&out]), inspected);
        let trace = std::fs::read_to_string(out.join("trace.csv")).unwrap();
        assert_eq!(trace.lines().count(), 21, "{trace}");
        for name in
            ["consistent_0", "consistent_1", "specific_0", "specific_1", "noise_0", "noise_1", "affinity"]
        {
            let matrix = std::fs::read_to_string(out.join(name).with_extension("csv")).unwrap();
            assert!(
                matrix.lines().count() == 24 && matrix.lines().all(|row| row.split(',').count() == 24),
                "{name}"
            );
        }
        if has("valgrind") {
            succeed(
                Command::new("valgrind")
                    .args(["--quiet", "--error-exitcode=9"])
                    .arg(out.join("static_buffer")),
            );
        }
    }
    if has("python3") {
        let mut python = Command::new("python3");
        python.arg(root().join("c_examples/ctypes_quickstart.py")).arg(installed().join("lib/libcstgl.so"));
        assert_eq!(succeed(&mut python).trim_end(), quick);
    }
}

#[test]
fn control_c_cancels_cleanly() {
    let program = compile("gcc", "c_examples/streaming.c", "interrupted", Linking::Static, &[]);
    let features = write("many_features.txt", &stream(400, 3));
    let mut child =
        Command::new(program).arg(features).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = String::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap) {
        if line.starts_with("step 1 ") {
            succeed(Command::new("kill").arg("-INT").arg(child.id().to_string()));
        }
        told += &line;
        told.push('\n');
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("cancelled after step"), "{told}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).split_whitespace().count(), 400);
}

/// The example at the top of the header, as it stands there.
#[test]
fn the_example_in_the_header_works() {
    let header = header();
    let (_, example) = header.split_once(" *     #include <cstgl.h>").unwrap();
    let (example, _) = example.split_once("\n *     }\n").unwrap();
    let strip = |line: &str| line.trim_start_matches(" *").get(5..).unwrap_or("").to_owned();
    let body: Vec<String> = example.lines().skip(1).map(strip).collect();
    let source = write("example.c", &format!("#include <cstgl.h>\n{}\n}}\n", body.join("\n")));
    let program = compile("gcc", source.to_str().unwrap(), "example", Linking::Static, &["-std=c99"]);
    assert_eq!(succeed(&mut Command::new(program)), "0 1 0 1\n");
}

/// As a function alone, with neither std nor a C library's headers' functions: it links with nothing but our archive.
#[test]
fn the_static_buffer_needs_no_operating_system() {
    let prefix = installed_without_std();
    let out = scratch("freestanding");
    let entry = write(
        "entry.c",
        "#include <stdint.h>\n#include <stddef.h>\nint32_t cluster_sensors(uint32_t *);\nuint32_t labels[24];\nvoid *memcpy(void *a, const void *b, size_t n) { char *p = a; const char *q = b; while (n--) *p++ = *q++; return a; }\nvoid *memset(void *a, int c, size_t n) { char *p = a; while (n--) *p++ = (char)c; return a; }\nvoid *memmove(void *a, const void *b, size_t n) { char *p = a; const char *q = b; if (p < q) while (n--) *p++ = *q++; else while (n--) p[n] = q[n]; return a; }\nint memcmp(const void *a, const void *b, size_t n) { const unsigned char *p = a, *q = b; for (; n--; p++, q++) if (*p != *q) return *p - *q; return 0; }\nint bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }\nvoid _start(void) { cluster_sensors(labels); for (;;) {} }\n",
    );
    let mut link = Command::new("gcc");
    link.args([
        "-std=c11",
        "-O2",
        "-DFREESTANDING",
        "-ffreestanding",
        "-nostdlib",
        "-static",
        "-fno-builtin",
        "-fno-stack-protector",
        "-Wl,--gc-sections",
    ]);
    link.arg("-I").arg(prefix.join("include")).arg(root().join("c_examples/static_buffer.c")).arg(entry);
    link.arg(prefix.join("lib/libcstgl.a")).arg("-o").arg(out.join("image"));
    succeed(&mut link);
    assert!(symbols(&["--undefined-only"], &out.join("image")).is_empty());
}

#[test]
fn a_program_elsewhere_finds_the_package() {
    let prefix = installed();
    let source = root().join("c_examples/quickstart.c");
    let expected = example_labels(&Config::<f32> { clusters: 3, ..Config::new(12, 2) }, [6, 9]);
    let pkg_config = prefix.join("lib/pkgconfig");
    let ask = |arguments: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.args(arguments).env("PKG_CONFIG_PATH", &pkg_config);
        command
    };
    if has("pkg-config") {
        for (name, linking) in [("shared", &["--libs"][..]), ("static", &["--static", "--libs"])] {
            let flags = succeed(ask(&["--cflags"]).args(linking).arg("cstgl"));
            let program = scratch("elsewhere").join(name);
            let mut compile = Command::new("gcc");
            compile.arg(&source).arg("-o").arg(&program);
            for flag in flags.split_whitespace() {
                // The archive's name is the only way to say "static" of one library.
                let static_name = if name == "static" && flag == "-lcstgl" { "-l:libcstgl.a" } else { flag };
                compile.arg(static_name);
            }
            succeed(&mut compile);
            let mut run = Command::new(&program);
            if name == "shared" {
                run.env("LD_LIBRARY_PATH", prefix.join("lib"));
            }
            assert_eq!(succeed(&mut run).trim_end(), expected);
        }
        assert!(works(&mut ask(&["--exists", "cstgl >= 0.1.0"])));
        assert!(!works(&mut ask(&["--exists", "cstgl >= 0.2"])), "a wrong version");
    }
    if has("cmake") {
        let project = |name: &str, version: &str| {
            let directory = scratch(&format!("cmake_{name}"));
            let text = format!(
                "cmake_minimum_required(VERSION 3.16)\nproject(elsewhere C)\nfind_package(cstgl {version} REQUIRED)\n\
                 add_executable(shared {0})\ntarget_link_libraries(shared cstgl::cstgl)\n\
                 add_executable(static {0})\ntarget_link_libraries(static cstgl::static)\n",
                source.display()
            );
            std::fs::write(directory.join("CMakeLists.txt"), text).unwrap();
            let mut configure = Command::new("cmake");
            configure.arg("-S").arg(&directory).arg("-B").arg(directory.join("build"));
            configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
            (directory, configure)
        };
        let (directory, mut configure) = project("right", "0.1");
        succeed(&mut configure);
        succeed(Command::new("cmake").arg("--build").arg(directory.join("build")));
        for name in ["shared", "static"] {
            assert_eq!(succeed(&mut Command::new(directory.join("build").join(name))).trim_end(), expected);
        }
        for wrong in ["0.2", "1.0", "0.1.1", "0.0.9"] {
            assert!(!works(&mut project("wrong", wrong).1), "CMake takes version {wrong}");
        }
        let mut examples = Command::new("cmake");
        let build = scratch("cmake_examples");
        examples.arg("-S").arg(root().join("c_examples")).arg("-B").arg(&build);
        succeed(examples.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).arg("-DCSTGL_STATIC=ON"));
        succeed(Command::new("cmake").arg("--build").arg(&build));
        assert_eq!(succeed(&mut Command::new(build.join("quickstart"))).trim_end(), expected);
    }
}
