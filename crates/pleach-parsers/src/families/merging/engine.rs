//! A model that merges trees, ready to run.

use super::card::Card;
use super::explain::explain;
use super::meanings::Meanings;
use super::merger::{self, Merger, Scorers, edge};
use crate::engine::{GraphEngine, Options, Searched};
use crate::ensure::ArcScores;
use crate::families::batch;
use crate::families::offers::OfferModel;
use crate::train::{Catalogue, OpenError};
use crate::workspace::Workspace;
use pleach_decode::merge::TREES;
use pleach_graph::enhanced::Transform;
use pleach_graph::words::Words;
use pleach_graph::{Graph, Sentence};
use pleach_model::View;
use std::collections::BTreeSet;

/// Longer sentences are cut into pieces: a hundred iterations over three charts would take minutes.
const LONGEST: usize = 300;

/// The roles of the tree models.
pub(super) const ROLES: [&str; TREES] = ["tree-1", "tree-2", "tree-3"];

/// A merger and what is done to graphs before and after.
#[derive(Debug)]
pub(super) struct Engine {
    merger: Merger,
    transform: Transform,
}

/// What an engine needs in memory.
#[derive(Debug, Default)]
struct Space {
    words: Vec<Words>,
    scoring: [Workspace; TREES],
    merging: merger::Space,
}

impl Engine {
    /// The engine of a trained model.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        let Card { recipe, collapse, delexicalise } = serde_json::from_value(view.card().clone())?;
        recipe.check(catalogue.shelf).map_err(OpenError::Inconsistent)?;
        let child = |number: usize| {
            let missing = || OpenError::Inconsistent(format!("the model has no tree {}", number + 1));
            OfferModel::open(&view.role_child(ROLES[number]).ok_or_else(missing)?, catalogue)
        };
        let models = [child(0)?, child(1)?, child(2)?];
        let meanings = Meanings::new(models.each_ref().map(OfferModel::labels));
        Ok(Engine {
            merger: Merger { recipe, models, meanings },
            transform: Transform { collapse, delexicalise },
        })
    }

    /// Looks at one sentence of a length that can be parsed whole.
    fn look<T>(
        &self,
        sentence: &Sentence,
        workspace: &mut Workspace,
        look: impl FnOnce(&mut Scorers<'_>, &mut merger::Space) -> T,
    ) -> Option<T> {
        if sentence.is_empty() || sentence.len() > LONGEST {
            return None;
        }
        let Space { words, scoring, merging } = workspace.part();
        let mut scorers = self.merger.bind(batch::fill(words, [sentence].into_iter(), &[]), scoring);
        Some(look(&mut scorers, merging))
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.transform
    }

    fn unlabelled(&self) -> bool {
        self.merger.recipe.unlabelled
    }

    fn batch(&self) -> usize {
        self.merger.models[0].batch()
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn graphs(&self, sentences: &mut [Sentence], _: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        let Space { words, scoring, merging } = workspace.part();
        let mut scorers = self.merger.bind(batch::fill(words, sentences.iter(), &[]), scoring);
        let graph = |(number, sentence): (usize, &Sentence)| {
            let len = sentence.len();
            if len == 0 {
                return Graph::new(0);
            }
            scorers.iter_mut().for_each(|scorer| scorer.turn_to(number));
            self.merger.merge(&mut scorers, len, merging, None);
            Graph::from_arcs(len, self.merger.arcs(&mut scorers, len, merging))
        };
        sentences.iter().enumerate().map(graph).collect()
    }

    fn explain(&self, sentence: &Sentence, _: &Options, workspace: &mut Workspace) -> Option<String> {
        self.look(sentence, workspace, |scorers, space| {
            let mut trace = Vec::new();
            let outcome = self.merger.merge(scorers, sentence.len(), space, Some(&mut trace));
            explain(&self.merger.meanings, space, sentence, &outcome, &trace)
        })
    }

    /// The candidates are the edges that some tree may have.
    fn searched(&self, sentence: &Sentence, _: &Options, workspace: &mut Workspace) -> Option<Searched> {
        self.look(sentence, workspace, |scorers, space| {
            let outcome = self.merger.merge(scorers, sentence.len(), space, None);
            let arcs = sentence.graph.arcs().iter().map(|arc| edge((arc.head.0, arc.dependent.0)));
            let gold: BTreeSet<(u32, u32)> = arcs.collect();
            let left = gold.iter().filter(|gold| space.edges.contains_key(gold)).count();
            Searched {
                gold: gold.len(),
                candidates: space.edges.len(),
                left: vec![("the filters", left)],
                outcome: (self.merger.recipe.iterations > 1).then_some(outcome),
            }
        })
    }

    /// The best that any tree thinks of an arc.
    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let list =
            self.look(sentence, workspace, |scorers, space| self.merger.list(scorers, sentence.len(), space));
        Box::new(list.unwrap_or_default())
    }
}
