//! Model files and recipes: what is trained, and what comes of it.
//!
//! A model is a tree of sections. Each has a family, a description, named tensors (maybe none) and sections below it with
//! roles: the voters of an ensemble, the tree parser that a graph parser looks at, the stages of a pipeline. The weights
//! are safetensors, everything else is JSON in the header. A model is data: nothing in it is run. A damaged file is an
//! error: every section has a checksum.

#![deny(unsafe_code)]

mod bytes;
mod file;
mod kept;
mod provenance;
pub mod recipe;
mod scores;
mod section;
mod tensor;

pub use file::{MAPPED_FROM, Model, ModelError, VERSION};
pub use kept::Kept;
pub use provenance::Provenance;
pub use scores::{Scores, comparable};
pub use section::{Section, View};
pub use tensor::{Dtype, Tensor, TensorView};
