//! One parser, ready to run: the search that a [`Card`] describes, and who scores.

use super::card::Card;
use super::parse::Parse;
use super::structure;
use crate::engine::{GraphEngine, Heeds, Options, TreeEngine};
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError, Opened};
use crate::workspace::Workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence, Tree};
use pleach_model::View;
use pleach_transition::tree::settings::Heads;

/// All positions may be active: time and memory grow with the square of the length in some systems.
const LONGEST: usize = 2000;

/// A parser with its scorer.
#[derive(Debug)]
pub(super) struct Engine {
    parse: Parse,
    scorer: Box<dyn ModelScorer>,
}

impl Engine {
    /// The engine of a trained model, by what its system builds.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let graphs = card.recipe.settings.heads == Heads::Many;
        let parse = Parse::new(card).map_err(OpenError::inconsistent)?;
        let structure = structure(&parse.card.recipe, Some(&parse.machine));
        let engine = Engine { scorer: catalogue.open_scorer(view, &structure)?, parse };
        Ok(if graphs { Opened::Graph(Box::new(engine)) } else { Opened::Tree(Box::new(engine)) })
    }

    fn beam(&self, options: &Options) -> usize {
        options.beam.unwrap_or(self.parse.card.recipe.beam)
    }
}

impl TreeEngine for Engine {
    fn batch(&self) -> usize {
        self.scorer.batch()
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn heeds(&self) -> Heeds {
        Heeds::BEAM
    }

    fn trees(&self, sentences: &[&Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Tree> {
        self.parse.trees(&*self.scorer, sentences, self.beam(options), workspace.part())
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.parse.transform()
    }

    fn unlabelled(&self) -> bool {
        false
    }

    fn batch(&self) -> usize {
        self.scorer.batch()
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn heeds(&self) -> Heeds {
        Heeds::BEAM
    }

    fn graphs(&self, sentences: &mut [Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Graph> {
        let sentences: Vec<&Sentence> = sentences.iter().collect();
        self.parse.graphs(&*self.scorer, &sentences, self.beam(options), workspace.part())
    }
}
