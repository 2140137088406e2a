//! Pleach turns sentences into deep dependency graphs.
//!
//! This crate is what programs depend on: [`Parser`] opens a model and parses text or sentences, [`train`] makes
//! models, and the crates below it are re-exported.

pub mod bench;
pub mod diversity;
pub mod ensure;
pub mod experiment;
pub mod family;
pub mod model;
pub mod models;
mod parser;
pub mod recipe;
pub mod relaxed;
pub mod score;
pub mod train;
pub mod trees;
pub mod vote;
mod workspace;

pub use parser::{Parser, ParserError, Tags, drop_empty_nodes};
pub use workspace::Workspace;

pub use pleach_decode as decode;
pub use pleach_eval as eval;
pub use pleach_formats as formats;
pub use pleach_graph as graph;
pub use pleach_linear as linear;
pub use pleach_text as text;
pub use pleach_transition as transition;
