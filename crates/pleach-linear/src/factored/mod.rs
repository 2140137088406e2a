//! Scores for decoders: features of arcs and of a few arcs together, summed from any table of weights.
//!
//! A decoder wants numbers for parts; templates over `h d x y` say what is looked at. [`ArcScorer`] fills the scores of
//! all arcs for every label; [`TreeScorer`] does what a tree parser needs: cheap scores for all arcs, and labels,
//! siblings and grandchildren for the few that are left after pruning; [`ChainScorer`] the same for the chains of graphs.

mod arcs;
mod chains;
mod tree;

pub use arcs::{ArcScorer, LabelScores, best_label};
pub use chains::{ARC, ChainScorer, ChainTemplates, FilterScores};
pub use tree::{SecondOrder, TreeParts, TreeScorer, TreeTemplates};

/// Where rows that also score arcs hold the weight that decides whether an arc is a candidate.
pub const FILTER: u16 = 0;
