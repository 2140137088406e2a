//! Transition systems that build dependency graphs and trees, their oracles, and the search over them.
//!
//! A [`System`](system::System) defines configurations and actions, a [`Scorer`](search::Scorer) says how good each
//! action is, and [`search`] finds a good sequence. Nothing here knows of features or weights.

#![forbid(unsafe_code)]

pub mod action;
pub mod coverage;
pub mod dynamic;
pub mod graph;
pub mod inventory;
pub mod labels;
pub mod oracle;
pub mod search;
pub mod settings;
pub mod state;
pub mod system;
pub mod trace;
pub mod tree;

/// A node inside a parser configuration: 0 is the virtual root, `1..=n` the words.
pub type Node = u16;

/// "No node": the value of an absent neighbour.
pub const NONE: Node = u16::MAX;

/// How many words a sentence may have: node numbers and counts of nodes must fit into 16 bits.
pub const MAX_WORDS: usize = 65_000;
