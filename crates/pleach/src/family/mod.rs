//! Families of models: what can be trained, and what a trained model can do.
//!
//! A family owns its recipe keys, its training and its engine; everything else (files, checkpoints, voting, the
//! command line) is the same for all. A new family is a new folder and a line in [`FAMILIES`].

pub mod book;
pub mod control;
pub mod factor;
pub mod merge;
mod offers;
mod pieces;
pub mod span;
pub mod text;
pub mod transition;
mod vote;

use crate::ensure::{ArcScores, Nearness};
use crate::model::View;
use crate::recipe::Recipe;
use crate::relaxed::Searched;
use crate::train::{Corpus, Ended, Session, TrainError};
use crate::workspace::Workspace;
use pleach_graph::enhanced::Transform;
use pleach_graph::{Graph, Sentence, Tree};
use serde_json::Value;
use std::fmt::Debug;

pub use vote::VOTE;

/// All families.
pub static FAMILIES: &[&dyn Family] = &[
    &book::Book,
    &control::Control,
    &factor::Factor,
    &merge::Merge,
    &span::Span,
    &transition::Transition,
    &vote::Vote,
    &text::TokenizerFamily,
    &text::TAGGER,
    &text::MORPHOLOGY,
    &text::LEMMATIZER,
    &text::PipelineFamily,
];

/// The family of a name.
pub fn find(name: &str) -> Option<&'static dyn Family> {
    FAMILIES.iter().copied().find(|family| family.name() == name)
}

/// What is wrong with a model's description.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No such family in this version.
    #[error("no family '{0}' of models in this version of Pleach")]
    Family(String),
    /// The description can't be read.
    #[error("{0}")]
    Card(#[from] serde_json::Error),
    /// The parts of a model don't fit together.
    #[error("{0}")]
    Inconsistent(String),
}

/// A kind of model.
pub trait Family: Sync + Debug {
    /// The name in model files.
    fn name(&self) -> &'static str;

    /// The names of its presets; none for models that are made of others.
    fn presets(&self) -> Vec<String>;

    /// All keys and values of one of its presets.
    fn preset(&self, name: &str) -> Option<toml::Table>;

    /// Says what makes no sense in a recipe.
    fn check(&self, recipe: &Recipe) -> Result<(), String>;

    /// Takes out of a recipe what only parsing depends on: recipes that are equal then learn the same, and a finished
    /// model can be told the other values of the keys.
    fn keep_learnt(&self, recipe: &mut toml::Table) {
        let _ = recipe;
    }

    /// The texts beside the recipe that decide what is learnt: template files.
    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError>;

    /// Trains a model; the session keeps it.
    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError>;

    /// Makes a model ready to run.
    fn open(&self, view: View<'_>) -> Result<Opened, OpenError>;

    /// What a person may want to know of a model's description, as names and values.
    fn summary(&self, card: &Value) -> Vec<(&'static str, String)>;
}

/// A model that is ready to run, by what it gives.
#[derive(Debug)]
pub enum Opened {
    /// Deep graphs.
    Graph(Box<dyn GraphEngine>),
    /// Trees.
    Tree(Box<dyn TreeEngine>),
    /// Sentences of a text.
    Text(Box<dyn text::TextEngine>),
    /// Tags, features or lemmas.
    Words(Box<dyn text::WordEngine>),
    /// Several of these, one after the other.
    Pipeline(Box<text::Pipeline>),
}

/// Opens a part of a model.
pub fn open(view: View<'_>) -> Result<Opened, OpenError> {
    find(view.family()).ok_or_else(|| OpenError::Family(view.family().to_owned()))?.open(view)
}

/// What a caller may want otherwise than the model does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// The beam's width, if not the model's own.
    pub beam: Option<usize>,
    /// For votes: the share that an arc needs more than, if not the model's own.
    pub threshold: Option<f64>,
}

/// Gives graphs. An engine holds no weights: they are in the mapped file that `view` is of.
pub trait GraphEngine: Send + Sync + Debug {
    /// What is done to graphs before training and undone after parsing.
    fn transform(&self) -> Transform;

    /// Whether labels were put aside.
    fn unlabelled(&self) -> bool;

    /// The graph of a sentence without empty nodes, as the model learnt it: transforms not undone. Frames are set when
    /// the model predicts them; all else in the sentence stays.
    fn graph(
        &self,
        view: View<'_>,
        sentence: &mut Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Graph;

    /// How the graph of a sentence without empty nodes was found, in words; `None` for engines that have nothing to tell.
    fn explain(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Option<String> {
        let _ = (view, sentence, options, workspace);
        None
    }

    /// What the search for a sentence's graph was like; the sentence has no empty nodes and its gold graph as the model
    /// learns it. `None` for engines that neither choose candidates nor relax anything.
    fn searched(
        &self,
        view: View<'_>,
        sentence: &Sentence,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Option<Searched> {
        let _ = (view, sentence, options, workspace);
        None
    }

    /// What the model thinks of arcs that it did not make; `sentence` has the graph that it made.
    fn arc_scores<'a>(
        &'a self,
        view: View<'a>,
        sentence: &Sentence,
        workspace: &'a mut Workspace,
    ) -> Box<dyn ArcScores + 'a> {
        let _ = (view, sentence, workspace);
        Box::new(Nearness)
    }
}

/// Gives trees.
pub trait TreeEngine: Send + Sync + Debug {
    /// The tree of a sentence without empty nodes.
    fn tree(&self, view: View<'_>, sentence: &Sentence, options: &Options, workspace: &mut Workspace)
    -> Tree;
}
