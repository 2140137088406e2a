//! Transition systems that build dependency graphs and trees, their oracles, and the search over them.
//!
//! [`graph`] and [`tree`] are twins: each has configurations (`state`), a `system` that says what is legal and what it does,
//! `settings` that describe it, and an `oracle`. A [`Scorer`](scorer::Scorer) says how good each action is at a place,
//! and [`search`] finds a good sequence. What scorers look at is a [`Configuration`](configuration::Configuration).
//! Nothing here knows of features or weights.

#![forbid(unsafe_code)]

pub mod configuration;
pub mod graph;
pub mod scorer;
pub mod search;
pub mod tree;

// Graph systems are what most callers mean.
pub use graph::{
    action, costs, coverage, factors, inventory, labels, oracle, settings, state, story, system, trace,
};
pub use pleach_graph::node::{MAX_WORDS, NONE, Node};
