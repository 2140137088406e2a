//! The tree parser inside a model, ready to run.

use super::ROLE;
use crate::family::{self, OpenError, Opened, Options, TreeEngine};
use crate::model::View;
use crate::workspace::Workspace;
use pleach_graph::{Sentence, Tree};

/// An opened tree parser.
#[derive(Debug)]
pub struct TreeStage {
    engine: Box<dyn TreeEngine>,
}

impl TreeStage {
    /// Opens a tree parser's section.
    pub fn open(view: View<'_>) -> Result<Self, OpenError> {
        match family::open(view)? {
            Opened::Tree(engine) => Ok(TreeStage { engine }),
            _ => Err(OpenError::Inconsistent("the section of the tree parser is none".into())),
        }
    }

    /// The tree parser of a graph model, if it has one.
    pub fn below(view: View<'_>) -> Result<Option<Self>, OpenError> {
        view.role_child(ROLE).map(TreeStage::open).transpose()
    }

    /// The tree of a sentence without empty nodes; `view` is the tree parser's section.
    pub fn tree(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Tree {
        self.engine.tree(view, sentence, options, workspace)
    }

    /// The tree of a sentence; `view` is the graph model's section, and a beam that was asked for is the graph
    /// parser's.
    pub fn tree_below(&self, view: View<'_>, sentence: &Sentence, workspace: &mut Workspace) -> Tree {
        match view.role_child(ROLE) {
            Some(tree) => self.tree(tree, sentence, &Options::default(), workspace),
            None => Tree::default(),
        }
    }
}
