//! Scores as users see them; of graphs, with labels in full, root arcs counted and empty nodes collapsed.

use indexmap::IndexMap;
use pleach_eval::graph::GraphScores;
use pleach_eval::tree::TreeScores;
use pleach_graph::{Graph, Sentence, Text};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The graph of a sentence as it is scored: empty nodes are folded into path labels, and for an unlabelled
/// parser all labels are one.
pub fn comparable(mut sentence: Sentence, unlabelled: bool) -> Graph {
    pleach_graph::enhanced::collapse(&mut sentence);
    match unlabelled {
        true => sentence.graph.map_labels(|_| Text::from(pleach_graph::encoded::UNLABELLED)),
        false => sentence.graph,
    }
}

/// Named scores in percent; the first one is what models are chosen by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scores(IndexMap<String, f64>);

impl Scores {
    /// Scores with their names.
    pub fn new<'a>(scores: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        Scores(scores.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The scores of graphs: labelled and unlabelled F, precision and recall, whole sentences with
    /// their labels and without (UEM).
    pub fn of_graphs(counts: &GraphScores) -> Self {
        Scores::new([
            ("LF", 100.0 * counts.lf()),
            ("LP", 100.0 * counts.lp()),
            ("LR", 100.0 * counts.lr()),
            ("UF", 100.0 * counts.uf()),
            ("UP", 100.0 * counts.up()),
            ("UR", 100.0 * counts.ur()),
            ("exact", 100.0 * counts.exact()),
            ("UEM", 100.0 * counts.unlabelled_exact()),
        ])
    }

    /// Compares gold graphs with a system's.
    pub fn compare<'a>(pairs: impl IntoIterator<Item = (&'a Graph, &'a Graph)>) -> Self {
        let mut counts = GraphScores::new();
        pairs.into_iter().for_each(|(gold, system)| counts.add(gold, system));
        Scores::of_graphs(&counts)
    }

    /// Compares gold trees with a system's: the share of words with the right head and label, with the right head, and of
    /// sentences that are right. Words without a head in the gold tree are not counted. CUR (`bohnet-2016`) is the share
    /// of crossing arcs whose words have the right head; it is there when the gold trees have such arcs.
    pub fn of_trees<'a>(pairs: impl IntoIterator<Item = (&'a Sentence, &'a Sentence)>) -> Self {
        let (mut words, mut attached, mut labelled, mut sentences, mut exact) = (0, 0, 0, 0, 0);
        let mut trees = TreeScores::new();
        for (gold, system) in pairs {
            let (mut all, mut right) = (0, 0);
            for (gold, system) in
                gold.tokens.iter().zip(&system.tokens).filter(|(gold, _)| gold.head.is_some())
            {
                all += 1;
                attached += usize::from(gold.head == system.head);
                right += usize::from(gold.head == system.head && gold.deprel == system.deprel);
            }
            // Only whole trees have crossing arcs to find.
            let _ = trees.add(gold, system);
            words += all;
            labelled += right;
            sentences += 1;
            exact += usize::from(all == right);
        }
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        let crossing_recall = trees.crossing.recall().map(|recall| ("CUR", 100.0 * recall));
        let scores = [
            ("LAS", share(labelled, words)),
            ("UAS", share(attached, words)),
            ("exact", share(exact, sentences)),
        ];
        Scores::new(scores.into_iter().chain(crossing_recall))
    }

    /// The score of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The score that models are chosen by.
    pub fn main(&self) -> f64 {
        self.0.first().map_or(0.0, |(_, &value)| value)
    }

    /// All scores.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, &value)| (name.as_str(), value))
    }

    /// Combines two lists of scores, name by name; names that only one has are left out.
    pub fn zip(&self, other: &Scores, combine: impl Fn(f64, f64) -> f64) -> Self {
        let both = |(name, a)| Some((name, combine(a, other.get(name)?)));
        Scores::new(self.iter().filter_map(both))
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iter().enumerate() {
            write!(f, "{}{name} {value:.2}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}
