//! From views to distances.
//!
//! A view arrives in any number of blocks of features and is never stored: only its Gram matrix `X^T X`, n x n, is
//! accumulated ([`dense`], [`sparse`], or whole, [`gram`]). At the end it turns into distances in its own memory
//! ([`distance`]), which the graph term may rescale ([`adaptive`]). [`knn`] is the graph of the nearest neighbours.

pub mod adaptive;
pub mod dense;
pub mod distance;
pub mod gram;
pub mod knn;
mod nearest;
pub mod sparse;
