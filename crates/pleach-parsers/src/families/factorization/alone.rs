//! What the models think of single arcs, for repairs of graphs (`--ensure`).

use super::parse::{Parse, Scorers};
use super::search::Search;
use crate::ensure::ArcScores;
use pleach_graph::{NodeId, Text};

/// Scores arcs by the first-order parts of all chain models, pruned ones too.
pub(super) struct Alone<'a> {
    parse: &'a Parse,
    scorers: Scorers<'a>,
    search: &'a mut Search,
}

impl<'a> Alone<'a> {
    /// For the sentence that the scorers are turned to.
    pub fn new(parse: &'a Parse, mut scorers: Scorers<'a>, search: &'a mut Search) -> Self {
        let problem = parse.problem(scorers.words());
        search.prepare_alone(&scorers.chains(), &problem);
        Alone { parse, scorers, search }
    }

    fn best(&mut self, head: NodeId, dependent: NodeId) -> (u16, f32) {
        let problem = self.parse.problem(self.scorers.words());
        self.search.alone(&mut self.scorers.chains(), &problem, (head.0, dependent.0))
    }
}

impl ArcScores for Alone<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        self.best(head, dependent).1
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        let (label, _) = self.best(head, dependent);
        self.parse.labels.set(label).to_vec()
    }
}
