//! Compilers, and the library installed as a C programmer would.

#![allow(dead_code)] // Each test binary uses its own part.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A directory of this name, there.
pub fn scratch(name: &str) -> PathBuf {
    // Not the directory of the cargo that runs this test: it holds that lock.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi").join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A file of this name with this text.
pub fn write(name: &str, text: &str) -> PathBuf {
    let path = scratch("sources").join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// What the command writes to stdout; it must succeed.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{}\n{out}{err}", output.status);
    out.into_owned()
}

pub fn works(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Is there such a tool? If not, that is said.
pub fn has(tool: &str) -> bool {
    let there = works(Command::new(tool).arg("--version"));
    if !there {
        println!("SKIPPED: there is no {tool} here");
    }
    there
}

/// Pairs of a C and a C++ compiler. gcc must be there.
pub fn compilers() -> Vec<(&'static str, &'static str)> {
    let clang = has("clang") && has("clang++");
    std::iter::once(("gcc", "g++")).chain(clang.then_some(("clang", "clang++"))).collect()
}

fn install(name: &str, variables: &[(&str, &str)]) -> PathBuf {
    let prefix = scratch(name);
    let mut install = Command::new("sh");
    install.arg(root().join("install.sh")).env("PREFIX", &prefix).env_remove("DESTDIR").env_remove("LIBDIR");
    succeed(
        install.env("CARGO_TARGET_DIR", scratch(&format!("{name}_target"))).envs(variables.iter().copied()),
    );
    prefix
}

/// Where the library is installed.
pub fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| install("prefix", &[]))
}

/// Where the library for small targets is installed.
pub fn installed_without_std() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| install("prefix_without_std", &[("NO_STD", "1")]))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    Static,
    Shared,
}

/// Compiles a source, from the root of the repository or from anywhere, with the installed library.
pub fn compile(compiler: &str, source: &str, name: &str, linking: Linking, options: &[&str]) -> PathBuf {
    let library = installed().join("lib");
    let program = scratch("programs").join(format!("{name}_{linking:?}"));
    let mut compile = Command::new(compiler);
    compile.args(["-std=c99", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]).args(options);
    compile.arg("-I").arg(installed().join("include")).arg(root().join(source)).arg("-o").arg(&program);
    match linking {
        Linking::Static => {
            compile.arg(library.join("libcstgl.a"));
            let flags = std::fs::read_to_string(library.join("pkgconfig/cstgl.pc")).unwrap();
            let private = flags.lines().find_map(|line| line.strip_prefix("Libs.private:")).unwrap();
            compile.args(private.split_whitespace());
        }
        Linking::Shared => {
            compile.arg("-L").arg(&library).arg("-lcstgl").arg(format!("-Wl,-rpath,{}", library.display()));
            compile.arg("-lm");
        }
    }
    succeed(&mut compile);
    program
}

/// Names that nm lists.
pub fn symbols(options: &[&str], file: &Path) -> BTreeSet<String> {
    let listed = succeed(Command::new("nm").args(options).arg(file));
    listed
        .lines()
        .filter(|line| !line.ends_with(':'))
        .filter_map(|line| line.split_whitespace().last())
        .map(str::to_owned)
        .collect()
}
