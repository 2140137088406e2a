//! Scores of a parser's graphs as users see them: labels in full, root arcs counted, empty nodes collapsed.

use pleach_eval::graph::GraphScores;
use pleach_graph::{Graph, Sentence, Text};
use serde::{Deserialize, Serialize};

/// The graph of a sentence as it is scored: empty nodes are folded into path labels, and for an unlabelled
/// parser all labels are one.
pub fn comparable(mut sentence: Sentence, unlabelled: bool) -> Graph {
    pleach_graph::enhanced::collapse(&mut sentence);
    match unlabelled {
        true => sentence.graph.map_labels(|_| Text::from(pleach_transition::labels::UNLABELLED)),
        false => sentence.graph,
    }
}

/// Scores in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Labelled precision.
    #[serde(rename = "LP")]
    pub lp: f64,
    /// Labelled recall.
    #[serde(rename = "LR")]
    pub lr: f64,
    /// Labelled F.
    #[serde(rename = "LF")]
    pub lf: f64,
    /// Unlabelled precision.
    #[serde(rename = "UP")]
    pub up: f64,
    /// Unlabelled recall.
    #[serde(rename = "UR")]
    pub ur: f64,
    /// Unlabelled F.
    #[serde(rename = "UF")]
    pub uf: f64,
    /// Sentences with all arcs and labels right.
    #[serde(rename = "exact")]
    pub exact: f64,
}

impl Scores {
    /// Compares gold graphs with a system's.
    pub fn new<'a>(pairs: impl IntoIterator<Item = (&'a Graph, &'a Graph)>) -> Self {
        let mut counts = GraphScores::new();
        pairs.into_iter().for_each(|(gold, system)| counts.add(gold, system));
        Scores {
            lp: 100.0 * counts.lp(),
            lr: 100.0 * counts.lr(),
            lf: 100.0 * counts.lf(),
            up: 100.0 * counts.up(),
            ur: 100.0 * counts.ur(),
            uf: 100.0 * counts.uf(),
            exact: 100.0 * counts.exact(),
        }
    }
}
