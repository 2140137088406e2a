//! What a model thinks of arcs that it did not make.

use pleach_graph::{NodeId, Text};

/// Scores arcs of one sentence on demand.
pub trait ArcScores {
    /// The score of an arc; higher is better.
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32;

    /// The labels that it would get; none when the model never saw such an arc.
    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text>;
}

/// Short arcs are better than long ones: for models that score nothing but what they build.
#[derive(Clone, Copy, Debug)]
pub struct Nearness;

impl ArcScores for Nearness {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        -(head.index().abs_diff(dependent.index()) as f32)
    }

    fn labels(&mut self, _: NodeId, _: NodeId) -> Vec<Text> {
        Vec::new()
    }
}
