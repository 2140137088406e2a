//! What the models think of single arcs, for repairs of graphs (`--ensure`).

use super::engine::{Engine, Space, Weights};
use super::search::Problem;
use crate::ensure::ArcScores;
use pleach_graph::{NodeId, Text};
use pleach_linear::table::Table;

/// Scores arcs by the first-order parts of all chain models, pruned ones too.
#[derive(Debug)]
pub(super) struct Alone<'a> {
    engine: &'a Engine,
    weights: Weights<'a>,
    space: &'a mut Space,
}

impl<'a> Alone<'a> {
    /// For the sentence that `space` begins with.
    pub fn new(engine: &'a Engine, weights: Weights<'a>, space: &'a mut Space) -> Self {
        let tables: Vec<&Table<'_>> = weights.chains.iter().collect();
        let problem = Problem { pruning: None, ..engine.problem(&space.words) };
        space.search.prepare_alone(&tables, &problem);
        Alone { engine, weights, space }
    }

    fn best(&mut self, head: NodeId, dependent: NodeId) -> (u16, f32) {
        let tables: Vec<&Table<'_>> = self.weights.chains.iter().collect();
        let problem = self.engine.problem(&self.space.words);
        self.space.search.alone(&tables, &problem, (head.0, dependent.0))
    }
}

impl ArcScores for Alone<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        self.best(head, dependent).1
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        let (label, _) = self.best(head, dependent);
        self.engine.labels.set(label).to_vec()
    }
}
