//! Search for the best sequence, step by step: greedy, with a heap, with a beam; over graph and tree systems.
//!
//! A search says which places are open, gets rows of scores for them, and advances ([`Stepped`]); so parsing and training,
//! one sentence and many in [`Lockstep`], linear models and networks share one path. The searches over graph systems
//! and those over tree systems are twins: [`graph`] asks about whole configurations, [`tree`] about sites.

pub mod graph;
mod lockstep;
mod selection;
pub mod tree;

pub use lockstep::{Lockstep, Stepped};

// The names that graph parsers use.
pub use graph::{ActionIndex, Beam, Factored, Greedy, Machine, Moment};
