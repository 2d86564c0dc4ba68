//! Linear algebra without an allocator, real and complex in one text.
//!
//! Vectors that an algorithm works on are stored as **rows**, because rows are contiguous; a function that
//! returns singular vectors or a basis says so at its argument.

mod above;
pub mod certificate;
mod combine;
pub mod dense_svd;
mod implicit_ql;
pub mod jacobi_eigen;
pub mod jacobi_svd;
pub mod krylov;
pub mod matrix;
pub(crate) mod normal;
pub mod partial_svd;
pub mod product;
pub mod qr;
pub(crate) mod reflectors;
mod rotate;
pub(crate) mod schur;
pub mod shrink;
pub(crate) mod triangle;
pub mod tridiagonal;
pub mod vector;

pub use matrix::{Mat, MatMut};
