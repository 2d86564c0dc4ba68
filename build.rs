//! Does nothing, unless the feature `header` asks for `include/cstgl.h` to be made anew from `src/capi`.
//!
//! The header goes to the file that the environment variable `CSTGL_HEADER` names, or to `OUT_DIR`:
//!
//! ```sh
//! CSTGL_HEADER=$PWD/include/cstgl.h cargo build --features header
//! ```

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "header")]
    header::write();
}

#[cfg(feature = "header")]
mod header {
    use std::path::{Path, PathBuf};

    /// In the order in which a reader wants them.
    const SOURCES: [&str; 8] = ["version", "status", "error", "config", "types", "score", "f32", "f64"];

    pub fn write() {
        println!("cargo::rerun-if-changed=src/capi");
        println!("cargo::rerun-if-env-changed=CSTGL_HEADER");
        let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
        let capi = root.join("src/capi");
        let config = cbindgen::Config::from_file(capi.join("cbindgen.toml")).expect("the settings are sound");
        let text = |name: &str| {
            std::fs::read_to_string(capi.join("header").join(name)).expect("the header's prose is there")
        };
        let mut builder = cbindgen::Builder::new()
            .with_config(config)
            .with_header(text("top.h").trim_end())
            .with_after_include(text("macros.h"));
        for source in SOURCES {
            builder = builder.with_src(capi.join(source).with_extension("rs"));
        }
        let out = std::env::var_os("CSTGL_HEADER").map_or_else(
            || Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets it")).join("cstgl.h"),
            PathBuf::from,
        );
        builder.generate().expect("src/capi is C").write_to_file(out);
    }
}
