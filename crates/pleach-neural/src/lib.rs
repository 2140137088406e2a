//! Neural scorers: networks that read sentences and score arcs, labels, transitions and tags.
//!
//! Everything is written by hand on matrix products: a few [`kernel`]s, each with its gradient; a [`network`] of an
//! encoder and heads; training ([`learn`]); the weights as named [`tensors`]. There is no tape and no graph of
//! operations: a caller asks a [`network::Pass`] for scores and gives gradients for them.

pub mod kernel;
pub mod learn;
pub mod memory;
pub mod network;
#[cfg(feature = "pretrained")]
pub mod pretrained;
pub mod random;
pub mod tensors;
pub mod vectors;

mod error;

pub use error::NeuralError;
