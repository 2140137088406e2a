//! The tree parser inside a model, ready to run.

use super::ROLE;
use crate::engine::{Options, TreeEngine};
use crate::pieces::trees_in_pieces;
use crate::train::{Catalogue, OpenError, Opened};
use crate::workspace::Workspace;
use pleach_graph::{Sentence, Tree};
use pleach_model::View;

/// An opened tree parser.
#[derive(Debug)]
pub struct TreeStage {
    engine: Box<dyn TreeEngine>,
}

impl TreeStage {
    /// Opens a tree parser's section.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        match catalogue.open(view)? {
            Opened::Tree(engine) => Ok(TreeStage { engine }),
            _ => Err(OpenError::Inconsistent("the section of the tree parser is none".into())),
        }
    }

    /// The tree parser of a graph model, if it has one.
    pub fn below(view: &View, catalogue: Catalogue) -> Result<Option<Self>, OpenError> {
        view.role_child(ROLE).map(|tree| TreeStage::open(&tree, catalogue)).transpose()
    }

    /// The trees of sentences without empty nodes; a beam that was asked for is the graph parser's.
    pub fn trees(&self, sentences: &[&Sentence], workspace: &mut Workspace) -> Vec<Tree> {
        trees_in_pieces(sentences, self.engine.longest(), |sentences| {
            self.engine.trees(sentences, &Options::default(), workspace)
        })
    }

    /// How many sentences it likes to parse together.
    pub fn batch(&self) -> usize {
        self.engine.batch()
    }
}
