//! Chinese Treebank brackets.

pub mod constructions;
pub mod functions;
pub mod shape;
pub mod tables;
pub mod traces;
