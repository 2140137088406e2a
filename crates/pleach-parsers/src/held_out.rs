//! The development data of graph parsers.

use crate::engine::Options;
use crate::pieces::graphs_in_pieces;
use crate::train::{Catalogue, Opened, TrainError};
use crate::workspace::Workspace;
use pleach_eval::graph::GraphScores;
use pleach_graph::enhanced::{Transform, collapse, drop_empty_nodes};
use pleach_graph::{Graph, Sentence, Tree};
use pleach_model::{Model, Scores, Section, comparable};
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
    pub fn new(mut sentences: Vec<Sentence>, unlabelled: bool, trees: Option<&[Tree]>) -> Self {
        let gold: Vec<Graph> =
            sentences.iter().map(|sentence| comparable(sentence.clone(), unlabelled)).collect();
        for (sentence, gold) in sentences.iter_mut().zip(&gold) {
            drop_empty_nodes(sentence);
            sentence.graph = Graph::new(gold.len());
        }
        HeldOut { sentences, gold, trees: trees.map_or_else(Vec::new, <[Tree]>::to_vec) }
    }

    /// The same sentences with other graphs, one for each.
    pub fn with_gold(&self, gold: Vec<Graph>) -> Self {
        HeldOut { sentences: self.sentences.clone(), gold, trees: self.trees.clone() }
    }

    /// Parses the sentences, `batch` of them at a time and those of more than `longest` words in pieces, and scores the graphs as a user would; `None` when there are no
    /// sentences. `parse` gives the graphs as the model learnt them; the trees are none or one for each sentence.
    pub fn score(
        &self,
        transform: Transform,
        (batch, longest): (usize, usize),
        parse: impl Fn(&mut [Sentence], &[Tree], &mut Workspace) -> Vec<Graph> + Sync,
    ) -> Option<Scores> {
        if self.sentences.is_empty() {
            return None;
        }
        let batch = batch.max(1);
        let scores = self
            .sentences
            .par_chunks(batch)
            .zip(self.gold.par_chunks(batch))
            .enumerate()
            .map_init(Workspace::default, |workspace, (number, (inputs, gold))| {
                let mut sentences = inputs.to_vec();
                let trees = self.trees.get(number * batch..number * batch + inputs.len()).unwrap_or_default();
                let graphs = graphs_in_pieces(&mut sentences, trees, longest, |sentences, trees| {
                    parse(sentences, trees, workspace)
                });
                let mut scores = GraphScores::new();
                for ((mut sentence, graph), gold) in sentences.into_iter().zip(graphs).zip(gold) {
                    sentence.graph = graph;
                    transform.undo(&mut sentence);
                    collapse(&mut sentence);
                    scores.add(gold, &sentence.graph);
                }
                scores
            })
            .reduce(GraphScores::new, |mut all, some| {
                all.merge(&some);
                all
            });
        Some(Scores::of_graphs(&scores))
    }

    /// What a whole model reaches, its own trees included; `None` when there are no sentences or it gives no graphs.
    pub fn score_model(
        &self,
        section: &Section<'_>,
        catalogue: Catalogue,
    ) -> Result<Option<Scores>, TrainError> {
        let model = Model::from_bytes("new model", &Model::to_bytes(section)?)?;
        let failed = |source| TrainError::Open { what: "new model", source };
        let Opened::Graph(engine) = catalogue.open(&model.root()).map_err(failed)? else { return Ok(None) };
        Ok(self.score(engine.transform(), (engine.batch(), engine.longest()), |sentences, _, workspace| {
            engine.graphs(sentences, &Options::default(), workspace)
        }))
    }
}
