//! Model files: weights and tables as safetensors, everything else as JSON in its header; memory-mapped.
//!
//! A model is a tree of sections. Each has a family, a description, one table of weights (maybe empty) and sections
//! below it with roles: the voters of an ensemble, the tree parser that a graph parser looks at, the stages of a
//! pipeline. A model is data: opening it reads the header only, and nothing in it is run. A corrupt file is an error
//! or, inside the weights, a wrong score, never a panic.

mod bytes;
mod card;
mod file;
mod section;

pub use card::{Provenance, VERSION};
pub use file::{Model, ModelError};
pub use section::{Section, View};
