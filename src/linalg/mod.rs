//! Linear algebra without an allocator, real and complex in one text.
//!
//! Vectors that an algorithm works on are stored as **rows**, because rows are contiguous; a function that
//! returns singular vectors or a basis says so at its argument.

mod above;
pub mod certificate;
mod combine;
pub mod dense_svd;
mod implicit_ql;
mod inverse_iteration;
mod inverse_root;
pub mod jacobi_eigen;
pub mod jacobi_svd;
pub mod krylov;
mod leading;
pub mod matrix;
pub(crate) mod narrow;
pub(crate) mod normal;
pub mod partial_svd;
mod parts;
pub mod product;
pub mod qr;
pub(crate) mod reflectors;
mod rotate;
pub(crate) mod schur;
pub mod shrink;
mod shrink_whole;
pub(crate) mod triangle;
pub mod tridiagonal;
pub mod vector;

pub use matrix::{Mat, MatMut};
