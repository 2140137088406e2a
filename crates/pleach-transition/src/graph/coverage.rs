//! How much of a treebank the oracle of a system reaches, and at what length.

use super::labels::Labels;
use super::oracle::Derivation;
use pleach_graph::Graph;

/// Counts over the derivations of a treebank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Sentences.
    pub sentences: u64,
    /// Sentences whose graph is built without loss.
    pub complete: u64,
    /// Words.
    pub words: u64,
    /// Labelled arcs, those from the root included.
    pub arcs: u64,
    /// Labelled arcs that are not reached.
    pub lost: u64,
    /// Steps of all sequences together.
    pub steps: u64,
}

impl Coverage {
    /// Counts one sentence.
    pub fn add(&mut self, graph: &Graph, labels: &Labels, derivation: &Derivation) {
        self.sentences += 1;
        self.complete += u64::from(derivation.lost.is_empty());
        self.words += graph.len() as u64;
        self.arcs += graph.arcs().len() as u64;
        self.lost += derivation.lost.iter().map(|&(_, _, set)| labels.set(set).len() as u64).sum::<u64>();
        self.steps += derivation.steps.len() as u64;
    }

    /// The share of arcs that are reached, from 0 to 1.
    pub fn arc_share(&self) -> f64 {
        share(self.arcs - self.lost.min(self.arcs), self.arcs)
    }

    /// The share of sentences that are reached without loss, from 0 to 1.
    pub fn sentence_share(&self) -> f64 {
        share(self.complete, self.sentences)
    }

    /// Steps per word.
    pub fn steps_per_word(&self) -> f64 {
        if self.words == 0 { 0.0 } else { self.steps as f64 / self.words as f64 }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::oracle;
    use super::super::settings::{Kind, Root, Settings};
    use super::super::system::System;
    use super::*;
    use pleach_graph::{NodeId, Text};

    #[test]
    fn lost_arcs_are_counted_with_their_labels() {
        let settings = Settings { root: Root::Last, ..Settings::new(Kind::List, true) };
        let mut graph = Graph::new(2);
        for (head, dependent, label) in [(0, 1, "root"), (1, 1, "x"), (1, 1, "y"), (1, 2, "z")] {
            graph.insert(NodeId(head), NodeId(dependent), Text::from(label));
        }
        let mut labels = Labels::new(&settings, false);
        let gold = labels.encode(&graph, &[]).unwrap();
        let mut coverage = Coverage::default();
        coverage.add(&graph, &labels, &oracle(&System::new(&settings), &gold));
        // Self-loops are out of reach without SELF-ARC. SHIFT, ARC-SHIFT, NO-ARC, ARC-SHIFT.
        let expected = Coverage { sentences: 1, complete: 0, words: 2, arcs: 4, lost: 2, steps: 4 };
        assert_eq!(coverage, expected);
        assert_eq!((coverage.arc_share(), coverage.sentence_share()), (0.5, 0.0));
        assert_eq!(coverage.steps_per_word(), 2.0);
        assert_eq!(Coverage::default().arc_share(), 1.0);
    }
}
