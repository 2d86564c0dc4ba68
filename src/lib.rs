//! Multi-view clustering by tensor-based graph learning (CSTGL), for hosts with an allocator and for chips without.
//!
//! Several *views* describe the same samples: words and citations of a page, colours and shapes of a picture. Each
//! view says in its own way who is near whom. This crate learns a neighbour graph a view, splits the graphs into what
//! they have in common, what is a view's own and what is noise, and clusters what is left after the noise.
//!
//! ```
//! use cstgl::demo::Demo;
//! use cstgl::graph::dense::Dense;
//!
//! // Three views of 120 samples, a row a feature. None of them can tell the four clusters apart.
//! let demo = Demo::<f64>::small();
//! let [a, b, c] = [demo.view(0)?, demo.view(1)?, demo.view(2)?];
//! let views = [(&a, 20), (&b, 30), (&c, 25)].map(|(x, d)| Dense::by_feature(x, d, 120));
//! let labels = cstgl::cluster(&views.into_iter().collect::<Result<Vec<_>, _>>()?, 4)?;
//! assert_eq!((labels[0], labels[1]), (labels[4], labels[5]));
//! assert_ne!(labels[0], labels[1]);
//! # Ok::<(), cstgl::Error>(())
//! ```
//!
//! # Layers
//!
//! They point downward only. Nothing below [`session`] knows the whole, nothing above knows an offset.
//!
//! | layer | what it does |
//! |---|---|
//! | [`Model`], [`cluster`] | a session with memory of its own (feature `std`) |
//! | [`session`] | a whole run in one caller's buffer: views in, steps, labels and tensors out |
//! | [`solver`] | the ADMM, one iteration at a time: six tensors, one pass |
//! | [`graph`] | views come in, block by block, and become distances |
//! | [`spectral`], [`kmeans`], [`metrics`] | from a graph to labels, and what they are worth |
//! | [`prox`] | the proximal steps: simplex, groups, tubal shrinkage |
//! | [`tensor`] | t-product, t-SVD and norms, the paper's Definitions 1 to 5 |
//! | [`linalg`], [`fft`] | matrices and transforms without an allocator |
//! | [`workspace`], [`scalar`], [`rng`] | memory in one buffer, `f32` or `f64`, numbers from a seed |
//!
//! # Memory
//!
//! Every algorithm has a sibling that states its need (`..._layout`), and carves its pieces from one buffer. A buffer
//! that is a byte too short is refused at the door. Nothing allocates, nothing panics, nothing is global.
//!
//! # Same bits everywhere
//!
//! Results are made of additions, products, quotients and square roots, in an order that depends on the problem alone.
//! So the number of threads, the width of the registers and the kind of machine change no bit of a result.
//!
//! # What this is not
//!
//! No general tensor library, no BLAS, no other clustering methods, and no promises about data that do not fit: memory
//! grows with the square of the number of samples.
#![no_std]
#![deny(missing_docs, unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "capi")]
pub mod capi;
mod check;
pub mod config;
pub mod demo;
mod error;
pub mod fft;
pub mod graph;
pub mod kmeans;
pub mod linalg;
pub mod metrics;
#[cfg(feature = "std")]
mod model;
pub mod order;
mod parallel;
pub mod promises;
pub mod prox;
pub mod rng;
pub mod scalar;
pub mod session;
mod simd;
pub mod solver;
pub mod spectral;
pub mod tensor;
pub mod workspace;

pub use config::Config;
pub use error::Error;
#[cfg(feature = "std")]
pub use model::{Model, cluster};
pub use num_complex::Complex;
pub use scalar::{Field, Scalar};
pub use session::{Flow, Session};
