//! The scores of all arcs of a sentence, for every label.
//!
//! One look-up of a feature's row scores all labels. Features of one word alone are summed once for that word
//! (see [`Scoring`]). O(n²) parts, O(n²·labels) memory.

use crate::configuration::Part;
use crate::scoring::{Rows, Scoring};
use crate::template::Templates;
use crate::words::Words;
use pleach_transition::Node;
use std::ops::AddAssign;

/// A score for every ordered pair of nodes and every label; the root is node 0.
#[derive(Clone, Debug, Default)]
pub struct LabelScores {
    nodes: usize,
    labels: usize,
    scores: Vec<f32>,
}

impl LabelScores {
    /// Starts again for a sentence, in the same memory; all scores are minus infinity.
    pub fn reset(&mut self, nodes: usize, labels: usize) {
        (self.nodes, self.labels) = (nodes, labels);
        self.scores.clear();
        self.scores.resize(nodes * nodes * labels, f32::NEG_INFINITY);
    }

    /// The number of nodes, the root counted.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The scores of an arc under each label.
    #[inline]
    pub fn get(&self, head: usize, dependent: usize) -> &[f32] {
        &self.scores[(dependent * self.nodes + head) * self.labels..][..self.labels]
    }

    /// The same scores, to be changed: costs and multipliers are added here.
    #[inline]
    pub fn get_mut(&mut self, head: usize, dependent: usize) -> &mut [f32] {
        &mut self.scores[(dependent * self.nodes + head) * self.labels..][..self.labels]
    }

    /// The best label of an arc and its score; the first one among equals.
    pub fn best(&self, head: usize, dependent: usize) -> (usize, f32) {
        best_label(self.get(head, dependent))
    }
}

/// The best label and its score; the first one among equals.
#[inline]
pub fn best_label(scores: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (label, &score) in scores.iter().enumerate() {
        if score > best.1 {
            best = (label, score);
        }
    }
    best
}

/// Scores arcs; holds the memory for it.
#[derive(Clone, Debug, Default)]
pub struct ArcScorer<S> {
    scoring: Scoring<S>,
}

impl<S: Copy + Default + AddAssign> ArcScorer<S> {
    /// Writes the scores of all arcs between different nodes that are `wanted` (head, dependent); those of all others
    /// are minus infinity.
    pub fn fill(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &Templates,
        words: &Words,
        labels: usize,
        wanted: impl Fn(usize, usize) -> bool,
        scores: &mut LabelScores,
    ) {
        let nodes = words.len() + 1;
        scores.reset(nodes, labels);
        self.scoring.begin();
        for dependent in 1..nodes {
            for head in (0..nodes).filter(|&head| head != dependent && wanted(head, dependent)) {
                let part = Part::arc(head as Node, dependent as Node);
                self.scoring.score(rows, templates, words, &part, scores.get_mut(head, dependent));
            }
        }
    }

    /// The feature keys of an arc, for updates.
    pub fn keys(&mut self, templates: &Templates, words: &Words, head: usize, dependent: usize) -> &[u64] {
        self.scoring.keys(templates, words, &Part::arc(head as Node, dependent as Node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Learner;
    use crate::template;
    use pleach_graph::Sentence;

    /// Scores are the plain sums over the keys, and only wanted arcs have any.
    #[test]
    fn scores_are_sums_over_keys() {
        let templates = Templates::parse("tree-label", template::shipped("tree-label").unwrap()).unwrap();
        let mut words = Words::default();
        words.fill(&Sentence::from_forms(["a", "b", "a", "c"]), false);
        let mut scorer = ArcScorer::default();
        let mut learner = Learner::default();
        for (head, dependent) in [(0, 1), (1, 3), (3, 2), (4, 1)] {
            for &key in scorer.keys(&templates, &words, head, dependent) {
                learner.update(key, (key % 3) as u16, 1.0 + head as f32);
            }
        }
        let mut scores = LabelScores::default();
        let wanted = |head: usize, dependent: usize| head + dependent != 5;
        scorer.fill(&learner, &templates, &words, 3, wanted, &mut scores);
        assert_eq!((scores.nodes(), scores.labels()), (5, 3));
        for head in 0..5 {
            for dependent in 0..5 {
                let mut plain = [0.0; 3];
                let keys = scorer.keys(&templates, &words, head, dependent).to_vec();
                learner.add(&keys, &mut Vec::new(), &mut plain);
                if head == dependent || dependent == 0 || !wanted(head, dependent) {
                    plain.fill(f32::NEG_INFINITY);
                } else {
                    assert!(plain.iter().any(|&score| score != 0.0));
                    assert_eq!(scores.best(head, dependent).1, plain.into_iter().fold(-1.0, f32::max));
                }
                assert_eq!(scores.get(head, dependent), plain);
            }
        }
    }
}
