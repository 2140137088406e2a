//! One parser, ready to run: the search that a [`Card`] describes, and who scores.

use super::arcs::StateScores;
use super::card::Card;
use super::parse::{Parse, Space};
use super::structure;
use crate::engine::{GraphEngine, Heeds, Options, Watched};
use crate::ensure::ArcScores;
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError};
use crate::trees::TreeStage;
use crate::workspace::Workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence, Tree};
use pleach_model::View;

/// States are copied for every hypothesis: the time of a beam grows with the square of the length.
const LONGEST: usize = 2000;

/// A parser with its scorer.
#[derive(Debug)]
pub(super) struct Engine {
    parse: Parse,
    scorer: Box<dyn ModelScorer>,
    /// The parser of the trees that it looks at, if it does.
    tree: Option<TreeStage>,
    /// The default beam.
    beam: usize,
}

impl Engine {
    /// The engine of a trained model.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let parse = Parse::new(&card).map_err(OpenError::inconsistent)?;
        let structure = structure(&card.recipe, &parse.machine.inventory);
        Ok(Engine {
            scorer: catalogue.open_scorer(view, &structure)?,
            tree: TreeStage::below(view, catalogue)?,
            beam: card.recipe.beam,
            parse,
        })
    }

    fn trees(&self, sentences: &[Sentence], workspace: &mut Workspace) -> Vec<Tree> {
        let sentences = || sentences.iter().collect::<Vec<_>>();
        self.tree.as_ref().map_or_else(Vec::new, |stage| stage.trees(&sentences(), workspace))
    }
}

impl GraphEngine for Engine {
    fn transform(&self) -> Transform {
        self.parse.transform
    }

    fn unlabelled(&self) -> bool {
        self.parse.unlabelled
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
        let trees = self.trees(sentences, workspace);
        let beam = options.beam.unwrap_or(self.beam);
        self.parse.graphs(&*self.scorer, sentences, &trees, beam, workspace.part())
    }

    fn watch(&self, sentence: &Sentence, options: &Options, workspace: &mut Workspace) -> Option<Watched> {
        let trees = self.trees(std::slice::from_ref(sentence), workspace);
        let beam = options.beam.unwrap_or(self.beam);
        self.parse.watch(&*self.scorer, sentence, &trees, beam, workspace.part())
    }

    fn arc_scores<'a>(
        &'a self,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let trees = self.trees(std::slice::from_ref(sentence), workspace);
        let space: &mut Space = workspace.part();
        Box::new(StateScores::new(&self.parse, &*self.scorer, sentence, &trees, space))
    }
}
