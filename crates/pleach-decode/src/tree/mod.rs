//! Decoders for dependency trees.
//!
//! | file | class of trees | factors | time | paper |
//! | --- | --- | --- | --- | --- |
//! | [`eisner`] | projective | arcs | O(n³) | Eisner 1996 |
//! | [`spanning`] | all | arcs | O(n²) | Chu & Liu 1965, Edmonds 1967, Tarjan 1977 |
//! | [`carreras`] | projective | arcs, siblings, grandchildren | O(n⁴), O(k²·n²) with k candidate heads a word | Carreras 2007 |
//! | [`rearrange`] | all | those of any tree score | local search | McDonald & Pereira 2006 |
//! | [`approximate`] | graphs as projective trees | arcs | O(n³) | Zhang et al. 2016, Du et al. 2015 |
//!
//! [`around`] says how the words of a tree make up parts, [`scoring`] has them scored, [`learning`] tells a learner what
//! makes one tree better than another.
//!
//! Nodes are `0..n`, node 0 is the virtual root, and a tree is an array of heads: `heads[d]` for the words
//! `d = 1..n`, with 0 in the root's own place. Labels are maximised out before decoding, and whoever adds costs
//! or multipliers adds them to the scores.

pub mod approximate;
mod arcs;
pub mod around;
pub mod carreras;
pub mod eisner;
pub mod learning;
pub mod parts;
pub mod rearrange;
mod score;
pub mod scoring;
pub mod spanning;

pub use approximate::{Approximator, TreeArc};
pub use arcs::Arcs;
pub use around::TreeParts;
pub use carreras::SecondOrder;
pub use eisner::Eisner;
pub use parts::{Candidates, Parts};
pub use score::Score;
pub use scoring::TreeScores;
pub use spanning::SpanningTree;

/// How many dependents the virtual root may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Root {
    /// Exactly one.
    Single,
    /// One or more.
    #[default]
    Many,
}
