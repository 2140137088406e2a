//! What a model thinks of arcs that it did not make.

use pleach_graph::{NodeId, Text};
use std::collections::BTreeMap;

/// Scores arcs of one sentence on demand.
pub trait ArcScores {
    /// The score of an arc; higher is better.
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32;

    /// The labels that it would get; none when the model never saw such an arc.
    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text>;

    /// Whether the scores come from a model.
    fn informed(&self) -> bool {
        true
    }
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

    fn informed(&self) -> bool {
        false
    }
}

/// The scores of candidate arcs; all others are worse, the longer the worse.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    arcs: BTreeMap<(NodeId, NodeId), (f32, Vec<Text>)>,
    least: f32,
}

impl Listed {
    /// Adds a candidate; of several for the same words the best one counts.
    pub fn add(&mut self, head: NodeId, dependent: NodeId, score: f32, labels: impl FnOnce() -> Vec<Text>) {
        self.least = self.least.min(score);
        match self.arcs.get_mut(&(head, dependent)) {
            Some((known, _)) if *known >= score => {}
            Some(known) => *known = (score, labels()),
            None => {
                self.arcs.insert((head, dependent), (score, labels()));
            }
        }
    }
}

impl ArcScores for Listed {
    fn score(&mut self, head: NodeId, dependent: NodeId) -> f32 {
        let known = self.arcs.get(&(head, dependent)).map(|known| known.0);
        known.unwrap_or_else(|| self.least + Nearness.score(head, dependent))
    }

    fn labels(&mut self, head: NodeId, dependent: NodeId) -> Vec<Text> {
        self.arcs.get(&(head, dependent)).map_or_else(Vec::new, |known| known.1.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_a_list_counts_and_others_are_worse() {
        let mut list = Listed::default();
        let [a, b, c] = [1, 2, 3].map(NodeId);
        for (score, label) in [(1.0, "x"), (3.0, "y"), (2.0, "z")] {
            list.add(a, b, score, || vec![label.into()]);
        }
        list.add(b, c, -5.0, Vec::new);
        assert_eq!((list.score(a, b), list.labels(a, b)), (3.0, vec!["y".into()]));
        assert!(list.score(b, a) < list.score(b, c));
        assert!(list.score(a, c) < list.score(b, a));
        assert_eq!(list.labels(a, c), Vec::<Text>::new());
    }
}
