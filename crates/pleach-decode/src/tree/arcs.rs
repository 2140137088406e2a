//! The scores of all arcs of a sentence.

use super::score::Score;

/// A score for every ordered pair of nodes. The heads of one dependent lie side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arcs<S = f32> {
    nodes: usize,
    scores: Vec<S>,
}

impl<S: Score> Arcs<S> {
    /// Scores over `nodes` nodes, the root counted; all arcs get the same one.
    pub fn new(nodes: usize, score: S) -> Self {
        Arcs { nodes, scores: vec![score; nodes * nodes] }
    }

    /// Starts again for another sentence, in the same memory.
    pub fn reset(&mut self, nodes: usize, score: S) {
        self.nodes = nodes;
        self.scores.clear();
        self.scores.resize(nodes * nodes, score);
    }

    /// The number of nodes, the root counted.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The score of the arc from `head` to `dependent`.
    #[inline]
    pub fn get(&self, head: usize, dependent: usize) -> S {
        self.scores[dependent * self.nodes + head]
    }

    /// Sets the score of an arc.
    #[inline]
    pub fn set(&mut self, head: usize, dependent: usize, score: S) {
        self.scores[dependent * self.nodes + head] = score;
    }

    /// Adds to the score of an arc: a cost, a multiplier.
    #[inline]
    pub fn add(&mut self, head: usize, dependent: usize, change: S) {
        let score = &mut self.scores[dependent * self.nodes + head];
        *score = *score + change;
    }

    /// The scores of all heads of a dependent; its own place means nothing.
    #[inline]
    pub fn heads_of(&self, dependent: usize) -> &[S] {
        &self.scores[dependent * self.nodes..][..self.nodes]
    }

    /// The sum over the arcs of a tree.
    pub fn total(&self, heads: &[u32]) -> S {
        let words = heads.iter().enumerate().skip(1);
        words.fold(S::ZERO, |sum, (dependent, &head)| sum + self.get(head as usize, dependent))
    }
}
