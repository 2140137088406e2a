//! Trees for graph parsers (`zhang-2016` section 4, `du-2015` section 3.4): where path features come from.
//!
//! A graph parser may look at a tree over the words, syntactic (HEAD and DEPREL) or pseudo (made of the graph). At run
//! time the tree is a tree parser's, which lies inside the graph model. So that the features are no better in training
//! than later, the training sentences get their trees by jackknifing: each fold is parsed by a tree parser that was
//! trained on the others.

mod pseudo;
mod stage;

pub use pseudo::{Converter, Kept, graph_of};
pub(crate) use pseudo::{JOINED, REVERSED, UNLINKED};
pub use stage::TreeStage;

use crate::family::Options;
use crate::model::Model;
use crate::parser::{ParserError, drop_empty_nodes};
use crate::recipe::Recipe;
use crate::train::{Corpus, Fitted, Session, TrainError};
use pleach_graph::enhanced::Transform;
use pleach_graph::{Sentence, Tree};
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
    pub fn check(&self) -> Result<(), String> {
        if self.trees == Source::None {
            return Ok(());
        }
        if self.folds < 2 {
            return Err("'folds' is at least 2: a tree parser must not parse what it was trained on".into());
        }
        self.recipe().map(|_| ()).map_err(|error| format!("tree_parser: {error}"))
    }

    fn recipe(&self) -> Result<Recipe, TrainError> {
        let mut recipe = Recipe::preset(&self.tree_parser)?;
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
        let recipe = self.recipe()?;
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
                            return Err(TrainError::NoTree { sentence: i + 1 });
                        }
                    }
                }
                Ok(sentence)
            };
            sentences.iter().enumerate().map(prepare).collect()
        };
        let (train, dev) = (treebank(&corpus.train)?, treebank(&corpus.dev)?);
        let folds = self.folds.min(train.len()).max(1);
        let mut trees = Vec::with_capacity(train.len());
        for fold in 0..folds {
            let (from, to) = (train.len() * fold / folds, train.len() * (fold + 1) / folds);
            let others = [&train[..from], &train[to..]].concat();
            let name = format!("tree-fold-{}", fold + 1);
            let rest = Corpus { train: others, dev: Vec::new() };
            let Fitted::Done(model, _) = session.stage(&name, &recipe, rest)? else {
                return Ok(Supply::Stopped);
            };
            trees.extend(parse(*model, &train[from..to])?.0);
        }
        let whole = Corpus { train, dev: dev.clone() };
        let Fitted::Done(model, _) = session.stage(ROLE, &recipe, whole)? else { return Ok(Supply::Stopped) };
        let (dev, model) = parse(*model, &dev)?;
        Ok(Supply::Trees(Supplied { train: trees, dev, model }))
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

/// Parses sentences that have no empty nodes with a tree model.
fn parse(model: Model, sentences: &[Sentence]) -> Result<(Vec<Tree>, Model), TrainError> {
    let failed = |source| TrainError::Parser(ParserError::Open { file: "tree parser".into(), source });
    let stage = TreeStage::open(model.root()).map_err(failed)?;
    let trees = sentences
        .par_iter()
        .map_init(Default::default, |workspace, sentence| {
            stage.tree(model.root(), sentence, &Options::default(), workspace)
        })
        .collect();
    Ok((trees, model))
}
