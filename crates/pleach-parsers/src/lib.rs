//! Families of parsers: a search over a structure each, guided by a scorer, and how they are trained.
//!
//! From the bottom up: [`scorer`] is the seam between families and who scores; [`engine`] says what trained models give;
//! [`train`] has the trait of families and the one training loop; [`trees`] are the trees that graph parsers may look at;
//! [`families`] are the families themselves; [`Parser`] opens a model and runs its stages.

#![forbid(unsafe_code)]

pub mod engine;
pub mod ensure;
pub mod families;
mod given;
pub mod held_out;
pub mod language;
mod parser;
pub mod pieces;
mod random;
pub mod scorer;
pub mod train;
mod transform;
pub mod trees;
pub mod vote;
mod workspace;

pub use engine::Tags;
pub use families::{CATALOGUE, SHELF};
pub use given::KEPT;
pub use parser::{ParseOptions, Parser, ParserError};
pub use random::Random;
pub use transform::choose_transform;
pub use workspace::Workspace;
