//! Penn Treebank brackets: the common rules. What is not covered is said in `docs/ctb.md`.

pub mod functions;
pub mod tables;
pub mod traces;
