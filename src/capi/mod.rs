//! The C interface: `include/cstgl.h` is made from these files by cbindgen (`build.rs`).
//!
//! | file | what |
//! |---|---|
//! | `version`, `status`, `error`, `config`, `types`, `score` | the types and functions of that name |
//! | `f32`, `f64` | the functions that come twice: nothing but names and types |
//! | `session`, `push`, `run`, `read` | what those do, once for both |
//! | `number` | `float` and `double` into each other without double arithmetic |
//! | `pointer` | a caller's pointer becomes a slice here, or a refusal |
//! | `header/` | the prose and the macros of the header |
//!
//! Every function has the same shape: turn pointers into slices, refuse what is wrong, call the Rust interface, and
//! write results last. No borrow outlives a call, and none is alive while a callback runs.
#![allow(unsafe_code)] // C's promises cannot be checked: each block names the one it relies on.
#![allow(non_camel_case_types)] // These names are the header's.
#![allow(clippy::missing_safety_doc)] // What a caller promises is said once, at the top of the header.

mod config;
mod error;
mod f32;
mod f64;
mod number;
#[cfg(all(feature = "panic-handler", not(feature = "std"), not(test)))]
mod panic;
mod pointer;
mod push;
mod read;
mod run;
mod score;
mod session;
mod status;
mod types;
mod version;

pub use config::*;
pub use error::*;
pub use f32::*;
pub use f64::*;
pub use score::*;
pub use status::*;
pub use types::*;
pub use version::*;
