//! What a book model thinks of an arc that it did not make.

use super::engine::{Engine, Space};
use crate::ensure::ArcScores;
use pleach_decode::noncrossing::{Direction, Node};
use pleach_graph::{NodeId, Sentence, Text, Tree};
use pleach_linear::table::Table;

/// Scores arcs of one sentence on demand, as edges without neighbours; pages are summed up.
pub(super) struct PairScores<'a> {
    engine: &'a Engine,
    tables: Vec<Table<'a>>,
    space: &'a mut Space,
    labels: Vec<f32>,
    of_page: Vec<f32>,
}

impl<'a> PairScores<'a> {
    pub fn new(
        engine: &'a Engine,
        tables: Vec<Table<'a>>,
        (sentence, tree): (&Sentence, Option<&Tree>),
        space: &'a mut Space,
    ) -> Self {
        space.begin(sentence, tree);
        let labels = vec![0.0; engine.model.edges.len()];
        PairScores { engine, tables, space, of_page: labels.clone(), labels }
    }

    /// The score of an arc with its best label, and that label's set; `None` when the model has no such arcs.
    fn best(&mut self, head: NodeId, dependent: NodeId) -> Option<(f32, u16)> {
        let ends = (head.0.min(dependent.0), head.0.max(dependent.0));
        let ends = (Node::try_from(ends.0).ok()?, Node::try_from(ends.1).ok()?);
        let direction = if head < dependent { Direction::Right } else { Direction::Left };
        if head == dependent || (ends.0 == 0 && direction == Direction::Left) {
            return None;
        }
        let templates = &self.engine.model.templates;
        let Space { words, pages, .. } = &mut *self.space;
        let mut arc = 0.0;
        self.labels.fill(0.0);
        for (table, page) in self.tables.iter().zip(pages) {
            arc += page.scorer.words(table, templates, words, ends)[1 + direction.index()];
            page.scorer.labels(table, templates, words, ends, &mut self.of_page);
            self.labels.iter_mut().zip(&self.of_page).for_each(|(sum, score)| *sum += score);
        }
        let label = self.engine.model.best_of(direction, |label| self.labels[usize::from(label)])?;
        let edge = self.engine.model.edges[usize::from(label)];
        let set = if direction == Direction::Right { edge.right } else { edge.left };
        Some((arc + self.labels[usize::from(label)], set))
    }
}

impl ArcScores for PairScores<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        self.best(head, dependent).map_or(f32::NEG_INFINITY, |(score, _)| score)
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        self.best(head, dependent).map_or_else(Vec::new, |(_, set)| self.engine.labels.set(set).to_vec())
    }
}
