//! Families of models: what can be trained, and what a trained model can do.
//!
//! A family owns its recipe keys, its training and its engine; everything else (files, checkpoints, voting, the command
//! line) is the same for all. A [`Catalogue`] lists the families and the kinds of scorers; programs that bring their own
//! make a catalogue of their own.

use super::corpus::Corpus;
use super::error::TrainError;
use super::session::{Ended, Session};
use crate::engine::{GraphEngine, TextEngine, TreeEngine, WordEngine};
use crate::language;
use crate::scorer::{BoxError, ModelScorer, ScorerKind, Structure, Trainable};
use pleach_model::recipe::{Keys, Recipe, Shelf};
use pleach_model::{Section, View};
use serde_json::Value;
use std::fmt::Debug;

/// What is wrong with a model's description.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No such family in this version.
    #[error("no family '{0}' of models in this version of Pleach")]
    Family(String),
    /// No such scorer in this version.
    #[error("no scorer '{0}' in this version of Pleach")]
    Scorer(String),
    /// The description can't be read.
    #[error("{0}")]
    Card(#[from] serde_json::Error),
    /// The parts of a model don't fit together.
    #[error("{0}")]
    Inconsistent(String),
}

impl OpenError {
    /// From whatever a part of a family says.
    pub fn inconsistent(error: impl std::fmt::Display) -> Self {
        OpenError::Inconsistent(error.to_string())
    }
}

/// A kind of model.
pub trait Family: Keys {
    /// The name that model files of version 2 used.
    fn old_name(&self) -> Option<&'static str> {
        None
    }

    /// The texts beside the recipe that decide what is learnt: template files.
    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        let _ = (recipe, catalogue);
        Ok(String::new())
    }

    /// Trains a model; the session keeps it.
    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError>;

    /// Makes a model ready to run.
    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError>;

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
    Text(Box<dyn TextEngine>),
    /// Tags, features or lemmas.
    Words(Box<dyn WordEngine>),
    /// Several of these, one after the other, by their roles.
    Stages(Vec<Opened>),
}

/// The families of models and the kinds of scorers that there are.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue {
    /// The families.
    pub families: &'static [&'static dyn Family],
    /// The scorers.
    pub scorers: &'static [&'static dyn ScorerKind],
    /// The same for recipes.
    pub shelf: Shelf,
}

impl Catalogue {
    /// The family of a name.
    pub fn family(self, name: &str) -> Option<&'static dyn Family> {
        self.families.iter().copied().find(|family| family.name() == name || family.old_name() == Some(name))
    }

    /// Opens a part of a model.
    pub fn open(self, view: &View) -> Result<Opened, OpenError> {
        if view.family() == language::FAMILY {
            return Err(OpenError::inconsistent(
                "a language model, which does not parse; it is for 'pleach train --lm'",
            ));
        }
        let family = self.family(view.family()).ok_or_else(|| OpenError::Family(view.family().to_owned()))?;
        family.open(view, self)
    }

    fn scorer(self, name: &str) -> Option<&'static dyn ScorerKind> {
        self.scorers.iter().copied().find(|scorer| scorer.name() == name)
    }

    /// The scorer of a part of a model.
    pub fn open_scorer(self, view: &View, structure: &Structure) -> Result<Box<dyn ModelScorer>, OpenError> {
        // Files of version 2 have linear scorers only.
        let name = view.scorer().get("name").and_then(Value::as_str).unwrap_or("linear");
        let kind = self.scorer(name).ok_or_else(|| OpenError::Scorer(name.to_owned()))?;
        kind.open(view.clone(), structure).map_err(OpenError::inconsistent)
    }

    /// A model with the weights of its networks stored more or less exactly: `f32`, `f16` or `int8`. Gives how many
    /// of its sections are others now.
    pub fn rewrite<'a>(self, view: &'a View, weights: &str) -> Result<(Section<'a>, usize), OpenError> {
        let mut section = view.section();
        let changed = self.rewrite_below(&mut section, view, weights)?;
        Ok((section, changed))
    }

    fn rewrite_below(
        self,
        section: &mut Section<'_>,
        view: &View,
        weights: &str,
    ) -> Result<usize, OpenError> {
        let name = view.scorer().get("name").and_then(Value::as_str);
        let mut changed = 0;
        if let Some(kind) = name.and_then(|name| self.scorer(name))
            && let Some(tensors) = kind.rewrite(view, weights).map_err(OpenError::inconsistent)?
        {
            section.tensors = tensors;
            changed += 1;
        }
        for (section, view) in section.children.iter_mut().zip(view.children()) {
            changed += self.rewrite_below(section, &view, weights)?;
        }
        Ok(changed)
    }

    /// The scorer that a recipe names, to be trained.
    pub fn create_scorer(
        self,
        recipe: &Recipe,
        structure: &Structure,
    ) -> Result<Box<dyn Trainable>, TrainError> {
        self.scorer_of(recipe)?.create(recipe, structure).map_err(TrainError::Family)
    }

    /// The texts beside the recipe that decide what its scorer learns.
    pub fn scorer_sources(self, recipe: &Recipe, structure: &Structure) -> Result<String, TrainError> {
        self.scorer_of(recipe)?.sources(recipe, structure).map_err(TrainError::Family)
    }

    fn scorer_of(self, recipe: &Recipe) -> Result<&'static dyn ScorerKind, TrainError> {
        let name = recipe.scorer().unwrap_or("linear");
        let unknown = || -> BoxError { format!("no scorer '{name}' in this version of Pleach").into() };
        self.scorer(name).ok_or_else(|| TrainError::Family(unknown()))
    }
}
