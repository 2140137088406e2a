//! Model files: weights and tables as safetensors, everything else as JSON in its header; memory-mapped.
//!
//! A model is data: opening it reads the header only, and nothing in it is run. A corrupt file is an error
//! or, inside the weights, a wrong score, never a panic.

mod bytes;
mod card;
mod file;

pub use card::{Card, DevScores, Provenance, VERSION};
pub use file::{Component, Model, ModelError};
