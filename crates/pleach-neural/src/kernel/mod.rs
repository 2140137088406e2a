//! The few operations that networks here are made of, forward and backward, one a file.
//!
//! Matrices are row-major slices of `f32`. A backward function adds to the gradients of parameters and says of
//! each other gradient whether it adds or writes. Every kernel is checked against finite differences.
//!
//! Two rules make results reproducible. What a row comes out as depends on that row alone, not on the rows beside
//! it ([`product`] sees to that for matrix products), so a sentence's scores don't depend on its batch. And
//! element-wise code multiplies and adds in two roundings, never fused, so it gives the same bits whichever
//! instructions [`simd`] chose.

pub mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
pub mod biaffine;
pub mod convolution;
pub mod dense;
pub mod elementwise;
pub mod embedding;
#[cfg(test)]
pub(crate) mod finite;
pub mod gelu;
pub mod layer_norm;
pub mod loss;
pub mod lstm;
pub mod mix;
pub mod pairs;
#[cfg(target_arch = "x86_64")]
mod panels;
pub mod positions;
pub mod product;
pub mod simd;
#[cfg(target_arch = "x86_64")]
mod vnni;
pub mod whole;
