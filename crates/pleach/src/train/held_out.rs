//! The development data of graph parsers.

use super::TrainError;
use crate::family::{self, Opened, Options};
use crate::model::{Model, Section};
use crate::parser::{ParserError, drop_empty_nodes};
use crate::score::{Scores, comparable};
use crate::trees::Supplied;
use crate::workspace::Workspace;
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

    /// The same sentences with other graphs, one for each.
    pub fn with_gold(&self, gold: Vec<Graph>) -> Self {
        HeldOut { sentences: self.sentences.clone(), gold, trees: self.trees.clone() }
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

    /// What a whole model reaches, its own trees included; `None` when there are no sentences or it gives no graphs.
    pub fn score_model(&self, section: &Section<'_>) -> Result<Option<Scores>, TrainError> {
        let name = "new model";
        let model = Model::from_bytes(name, &Model::to_bytes(section)?)?;
        let failed = |source| TrainError::Parser(ParserError::Open { file: name.into(), source });
        let Opened::Graph(engine) = family::open(model.root()).map_err(failed)? else { return Ok(None) };
        Ok(self.score(engine.transform(), |sentence, _, workspace: &mut Workspace| {
            engine.graph(model.root(), sentence, &Options::default(), workspace)
        }))
    }
}
