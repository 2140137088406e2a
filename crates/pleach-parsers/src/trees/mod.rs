//! Trees for graph parsers (`zhang-2016` section 4, `du-2015` section 3.4): where path features come from.
//!
//! A graph parser may look at a tree over the words, syntactic (HEAD and DEPREL) or pseudo (made of the graph). At run
//! time the tree is a tree parser's, which lies inside the graph model. So that the features are no better in training
//! than later, the training sentences get their trees by jackknifing: each fold is parsed by a tree parser that was
//! trained on the others.

mod pseudo;
mod said;
mod stage;

pub use pseudo::{Converter, Kept, PseudoTree, graph_of};
pub use said::Said;
pub(crate) use said::places;

pub use stage::TreeStage;

use crate::train::{Catalogue, Corpus, Fitted, Session, TrainError, folds};
use crate::workspace::Workspace;
use pleach_graph::enhanced::{Transform, drop_empty_nodes};
use pleach_graph::{Sentence, Tree};
use pleach_model::Model;
use pleach_model::recipe::{Recipe, RecipeError, Shelf};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The role of a tree parser inside a graph model.
pub const ROLE: &str = "tree";

/// Which trees a graph parser looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// None.
    #[default]
    None,
    /// Trees made of the graphs.
    Pseudo,
    /// The treebank's own, HEAD and DEPREL.
    Syntactic,
}

/// The recipe keys of graph parsers that can look at trees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TreeKeys {
    /// Which trees: `none`, `pseudo` or `syntactic`.
    pub trees: Source,
    /// The preset of the tree parser.
    pub tree_parser: String,
    /// The epochs of the tree parser; 0 for its preset's.
    pub tree_epochs: usize,
    /// How many folds the training data is jackknifed in.
    pub folds: usize,
}

impl Default for TreeKeys {
    fn default() -> Self {
        TreeKeys { trees: Source::None, tree_parser: "arc-eager".into(), tree_epochs: 5, folds: 5 }
    }
}

impl TreeKeys {
    /// Says what makes no sense.
    pub fn check(&self, shelf: Shelf) -> Result<(), String> {
        if self.trees == Source::None {
            return Ok(());
        }
        if self.folds < 2 {
            return Err("'folds' is at least 2: a tree parser must not parse what it was trained on".into());
        }
        self.recipe(shelf).map(|_| ()).map_err(|error| format!("tree_parser: {error}"))
    }

    fn recipe(&self, shelf: Shelf) -> Result<Recipe, RecipeError> {
        let mut recipe = shelf.preset(&self.tree_parser)?;
        if self.tree_epochs > 0 {
            recipe.set("epochs", self.tree_epochs as i64)?;
        }
        Ok(recipe)
    }

    /// Trains the tree parsers as stages of a run and parses its sentences with them. `corpus` is as read; the graphs
    /// that pseudo trees are made of are transformed first.
    pub fn supply(
        &self,
        corpus: &Corpus,
        transform: Transform,
        session: &mut Session<'_>,
    ) -> Result<Supply, TrainError> {
        if self.trees == Source::None {
            return Ok(Supply::None);
        }
        let catalogue = session.catalogue();
        let recipe = self.recipe(catalogue.shelf)?;
        let mut converter = Converter::default();
        let mut treebank = |sentences: &[Sentence]| -> Result<Vec<Sentence>, TrainError> {
            let prepare = |(i, sentence): (usize, &Sentence)| {
                let mut sentence = sentence.clone();
                match self.trees {
                    Source::Pseudo => {
                        transform.apply(&mut sentence);
                        converter.convert(&mut sentence);
                    }
                    _ => {
                        drop_empty_nodes(&mut sentence);
                        if Tree::of(&sentence).is_none() {
                            return Err(TrainError::family(NoTree { sentence: i + 1 }));
                        }
                    }
                }
                Ok(sentence)
            };
            sentences.iter().enumerate().map(prepare).collect()
        };
        let (train, dev) = (treebank(&corpus.train)?, treebank(&corpus.dev)?);
        let mut trees = Vec::with_capacity(train.len());
        for (fold, (held, others)) in folds(&train, self.folds).enumerate() {
            let rest = Corpus { train: others, dev: Vec::new() };
            let Fitted::Done(model, _) = session.stage(&format!("tree-fold-{}", fold + 1), &recipe, rest)?
            else {
                return Ok(Supply::Stopped);
            };
            trees.extend(parse(&model, held, catalogue)?);
        }
        let whole = Corpus { train, dev: dev.clone() };
        let Fitted::Done(model, _) = session.stage(ROLE, &recipe, whole)? else { return Ok(Supply::Stopped) };
        let dev = parse(&model, &dev, catalogue)?;
        Ok(Supply::Trees(Supplied { train: trees, dev, model: *model }))
    }
}

/// What came of training the tree parsers.
#[derive(Debug)]
pub enum Supply {
    /// No trees are wanted.
    None,
    /// The trees and the parser that goes into the model.
    Trees(Supplied),
    /// The run was stopped.
    Stopped,
}

impl Supply {
    /// The trees, or `None`; a stopped run has neither.
    pub fn supplied(&self) -> Option<&Supplied> {
        match self {
            Supply::Trees(supplied) => Some(supplied),
            Supply::None | Supply::Stopped => None,
        }
    }
}

/// Predicted trees for all sentences of a run.
#[derive(Debug)]
pub struct Supplied {
    /// For the training sentences, each by a parser that has not seen it.
    pub train: Vec<Tree>,
    /// For the development sentences.
    pub dev: Vec<Tree>,
    /// The parser that was trained on all training sentences.
    pub model: Model,
}

/// A sentence without the tree that is to be learnt.
#[derive(Debug, thiserror::Error)]
#[error("training or development sentence {sentence} has no tree in HEAD and DEPREL")]
struct NoTree {
    /// Its number, from 1.
    sentence: usize,
}

/// Parses sentences that have no empty nodes with a tree model.
fn parse(model: &Model, sentences: &[Sentence], catalogue: Catalogue) -> Result<Vec<Tree>, TrainError> {
    let failed = |source| TrainError::Open { what: "tree parser", source };
    let stage = TreeStage::open(&model.root(), catalogue).map_err(failed)?;
    let trees =
        sentences.par_chunks(stage.batch().max(1)).map_init(Workspace::default, |workspace, sentences| {
            let sentences: Vec<&Sentence> = sentences.iter().collect();
            stage.trees(&sentences, workspace)
        });
    Ok(trees.flatten_iter().collect())
}
