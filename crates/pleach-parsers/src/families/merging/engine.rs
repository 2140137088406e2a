//! A model that merges trees, ready to run.

use super::card::Card;
use super::edges::edge;
use super::explain::explain;
use super::merger::{BatchSpace, Merger, Space};
use super::recipe::MergingRecipe;
use super::voices::Scorers;
use crate::engine::{GraphEngine, Options, Searched};
use crate::ensure::{ArcScores, Listed};
use crate::families::batch;
use crate::families::graph_based_trees::Parse;
use crate::families::offers::OfferModel;
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError};
use crate::workspace::Workspace;
use pleach_decode::merge::TREES;
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence};
use pleach_model::View;
use std::collections::BTreeSet;

/// Longer sentences are cut into pieces: a hundred iterations over three charts would take minutes.
pub(super) const LONGEST: usize = 300;

/// The roles of the tree models.
pub(super) const ROLES: [&str; TREES] = ["tree-1", "tree-2", "tree-3"];

/// A merger and what is done to graphs before and after.
#[derive(Debug)]
pub(super) struct Engine {
    merger: Merger,
    /// One for each tree, or one for all.
    scorers: Vec<Box<dyn ModelScorer>>,
    transform: Transform,
}

impl Engine {
    /// The engine of a trained model.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        let Card { recipe, collapse, delexicalise, trees } = serde_json::from_value(view.card().clone())?;
        recipe.check(catalogue.shelf).map_err(OpenError::Inconsistent)?;
        let (merger, scorers) = match trees {
            Some(cards) => {
                let models = cards.map(|card| OfferModel::new(Parse::from(card)));
                let merger = Merger::new(MergingRecipe { share: true, ..recipe }, models);
                let structure = merger.voices.as_ref().map(|voices| voices.structure(&merger.models[0]));
                (merger, vec![catalogue.open_scorer(view, &structure.unwrap_or_default())?])
            }
            None => {
                let open = |role: &str| {
                    let missing = || OpenError::Inconsistent(format!("the model has no {role}"));
                    OfferModel::open(&view.role_child(role).ok_or_else(missing)?, catalogue)
                };
                let [(first, a), (second, b), (third, c)] =
                    [open(ROLES[0])?, open(ROLES[1])?, open(ROLES[2])?];
                let recipe = MergingRecipe { share: false, ..recipe };
                (Merger::new(recipe, [first, second, third]), vec![a, b, c])
            }
        };
        Ok(Engine { merger, scorers, transform: Transform { collapse, delexicalise } })
    }

    fn scorers(&self) -> impl Iterator<Item = &dyn ModelScorer> {
        self.scorers.iter().map(|scorer| &**scorer)
    }

    /// Looks at one sentence of a length that can be parsed whole.
    fn look<T>(
        &self,
        sentence: &Sentence,
        workspace: &mut Workspace,
        look: impl FnOnce(&mut Scorers<'_>, &mut Space) -> T,
    ) -> Option<T> {
        if sentence.is_empty() || sentence.len() > LONGEST {
            return None;
        }
        let BatchSpace { words, scoring, merging } = workspace.part();
        let words = batch::fill(words, [sentence].into_iter(), &[]);
        let mut scorers = self.merger.bind(self.scorers(), words, scoring);
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
        self.scorers[0].batch()
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn graphs(&self, sentences: &mut [Sentence], _: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        self.merger.graphs(self.scorers(), sentences, workspace.part())
    }

    fn explain(&self, sentence: &Sentence, _: &Options, workspace: &mut Workspace) -> Option<String> {
        self.look(sentence, workspace, |scorers, space| {
            let mut trace = Vec::new();
            let outcome = self.merger.merge(scorers, space, Some(&mut trace));
            explain(&self.merger.meanings, space, sentence, &outcome, &trace)
        })
    }

    /// The candidates are the edges that some tree may have.
    fn searched(&self, sentence: &Sentence, _: &Options, workspace: &mut Workspace) -> Option<Searched> {
        self.look(sentence, workspace, |scorers, space| {
            let outcome = self.merger.merge(scorers, space, None);
            let arcs = sentence.graph.arcs().iter().map(|arc| edge((arc.head.0, arc.dependent.0)));
            let gold: BTreeSet<(u32, u32)> = arcs.collect();
            let left = gold.iter().filter(|gold| space.edges.find(**gold).is_some()).count();
            Searched {
                gold: gold.len(),
                candidates: space.edges.all.len(),
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
        match self.look(sentence, workspace, |scorers, space| self.merger.look_again(scorers, space)) {
            Some(()) => {
                let BatchSpace { merging, .. } = workspace.part();
                Box::new(self.merger.opinions(merging))
            }
            None => Box::new(Listed::default()),
        }
    }
}
