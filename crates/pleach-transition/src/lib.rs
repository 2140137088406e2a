//! Transition systems that build dependency graphs and trees, their oracles, and the search over them.
//!
//! A [`System`](system::System) defines configurations and actions, a [`Scorer`](scorer::Scorer) says how good each
//! action is, and [`search`] finds a good sequence. Nothing here knows of features or weights.

pub mod action;
pub mod configuration;
pub mod coverage;
pub mod dynamic;
pub mod graph;
pub mod inventory;
pub mod labels;
pub mod oracle;
pub mod scorer;
pub mod search;
pub mod settings;
pub mod state;
pub mod system;
pub mod trace;
pub mod tree;

pub use pleach_graph::node::{MAX_WORDS, NONE, Node};
