//! The development data of graph parsers.

use crate::parser::drop_empty_nodes;
use crate::score::{Scores, comparable};
use crate::trees::Supplied;
use pleach_eval::graph::GraphScores;
use pleach_graph::enhanced::{Transform, collapse};
use pleach_graph::{Graph, Sentence, Tree};
use rayon::prelude::*;

/// Sentences without their graphs, and the graphs as they are scored: empty nodes collapsed, labels in full.
#[derive(Debug, Default)]
pub struct HeldOut {
    sentences: Vec<Sentence>,
    gold: Vec<Graph>,
    /// The sentences' trees, when the parser looks at trees.
    trees: Vec<Tree>,
}

impl HeldOut {
    /// Takes the graphs out of sentences.
    pub fn new(mut sentences: Vec<Sentence>, unlabelled: bool, trees: Option<&Supplied>) -> Self {
        let gold: Vec<Graph> =
            sentences.iter().map(|sentence| comparable(sentence.clone(), unlabelled)).collect();
        for (sentence, gold) in sentences.iter_mut().zip(&gold) {
            drop_empty_nodes(sentence);
            sentence.graph = Graph::new(gold.len());
        }
        HeldOut { sentences, gold, trees: trees.map_or_else(Vec::new, |trees| trees.dev.clone()) }
    }

    /// Parses the sentences and scores the graphs as a user would; `None` when there are no sentences. `parse` gives
    /// the graph as the model learnt it.
    pub fn score<W: Default>(
        &self,
        transform: Transform,
        parse: impl Fn(&mut Sentence, Option<&Tree>, &mut W) -> Graph + Sync,
    ) -> Option<Scores> {
        if self.sentences.is_empty() {
            return None;
        }
        let scores = self
            .sentences
            .par_iter()
            .zip(&self.gold)
            .enumerate()
            .map_init(W::default, |workspace, (i, (input, gold))| {
                let mut sentence = input.clone();
                sentence.graph = parse(&mut sentence, self.trees.get(i), workspace);
                transform.undo(&mut sentence);
                collapse(&mut sentence);
                let mut scores = GraphScores::new();
                scores.add(gold, &sentence.graph);
                scores
            })
            .reduce(GraphScores::new, |mut all, some| {
                all.merge(&some);
                all
            });
        Some(Scores::of_graphs(&scores))
    }
}
