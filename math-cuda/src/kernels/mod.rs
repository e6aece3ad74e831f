//! One safe function for each kernel, by family.
//!
//! A function checks that everything has the length that the kernel takes for granted, allocates what it
//! returns, and issues the work. One that fails leaves nothing allocated, and what it was to write may hold
//! anything.

pub mod batch_inverse;
mod chunk_tree;
pub mod deep;
pub mod domain;
pub mod fill;
pub mod fri;
pub mod gather;
pub mod grind;
pub mod lookup;
pub mod ntt;
pub mod ood;
pub mod program;
pub mod quotient;
pub mod rows;
pub mod scan;
pub mod tree;
pub mod widen;
