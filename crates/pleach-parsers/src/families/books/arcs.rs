//! What a book model thinks of an arc that it did not make.

use super::book::{Book, BoundPages};
use super::recipe::Loss;
use crate::ensure::ArcScores;
use pleach_decode::noncrossing::factors::{CHANNELS, channel};
use pleach_decode::noncrossing::{Direction, Node};
use pleach_decode::part::Part;
use pleach_graph::{NodeId, Text};
use std::collections::BTreeMap;

/// Scores arcs of one sentence on demand, as edges without neighbours; pages are summed up.
pub(super) struct PairScores<'a> {
    book: &'a Book,
    pages: BoundPages<'a>,
    labels: Vec<f32>,
    of_page: Vec<f32>,
    /// What was asked before: the score and the label set of an arc.
    known: BTreeMap<(NodeId, NodeId), Option<(f32, u16)>>,
}

impl<'a> PairScores<'a> {
    pub fn new(book: &'a Book, pages: BoundPages<'a>) -> Self {
        let labels = vec![0.0; book.model.edges.len()];
        PairScores { book, pages, of_page: labels.clone(), labels, known: BTreeMap::new() }
    }

    /// What [`best`](Self::best) says, computed once: repairs ask for an arc several times.
    fn known(&mut self, head: NodeId, dependent: NodeId) -> Option<(f32, u16)> {
        if let Some(known) = self.known.get(&(head, dependent)) {
            return *known;
        }
        let best = self.best(head, dependent);
        self.known.insert((head, dependent), best);
        best
    }

    /// The score of an arc with its best label, and that label's set; `None` when the model has no such arcs.
    fn best(&mut self, head: NodeId, dependent: NodeId) -> Option<(f32, u16)> {
        let ends = (head.0.min(dependent.0), head.0.max(dependent.0));
        let (left, right) = (Node::try_from(ends.0).ok()?, Node::try_from(ends.1).ok()?);
        let direction = if head < dependent { Direction::Right } else { Direction::Left };
        if head == dependent || (left == 0 && direction == Direction::Left) {
            return None;
        }
        let (mut arc, mut row) = (0.0, [0.0; CHANNELS]);
        self.labels.fill(0.0);
        // Only the first page's model knows of a root that is apart.
        let pages = if left == 0 && self.book.model.apart { 1 } else { self.pages.len() };
        for page in &mut self.pages[..pages] {
            page.score(Part::arc(left, right), &mut row);
            arc += row[usize::from(channel(direction))];
            page.score(Part::label(left, right), &mut self.of_page);
            self.labels.iter_mut().zip(&self.of_page).for_each(|(sum, score)| *sum += score);
        }
        let model = &self.book.model;
        let label = model.best_of(direction, |label| self.labels[usize::from(label)])?;
        let edge = model.edges[usize::from(label)];
        let set = if direction == Direction::Right { edge.right } else { edge.left };
        // Of probabilities, labels say nothing of the arc.
        let of_label = if model.loss == Loss::Local { 0.0 } else { self.labels[usize::from(label)] };
        Some((arc + of_label, set))
    }
}

impl ArcScores for PairScores<'_> {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        self.known(head, dependent).map_or(f32::NEG_INFINITY, |(score, _)| score)
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        self.known(head, dependent).map_or_else(Vec::new, |(_, set)| self.book.labels.set(set).to_vec())
    }
}
