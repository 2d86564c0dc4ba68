//! The proximal steps of the three regularised terms, one file each: rows on the simplex (Eq. 21), groups shrunk in
//! norm (Eq. 24), and tubal shrinkage (Eq. 26) on either axis.

pub mod group;
pub mod simplex;
pub mod tubal;
