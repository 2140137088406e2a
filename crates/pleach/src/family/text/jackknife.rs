//! Tags, features and lemmas as a parser meets them at run time: predicted, also for the training sentences.
//!
//! The training sentences are annotated by jackknifing: each fold by stages that were trained on the others, so that a
//! parser doesn't learn to trust tags that are better than those it will see.

use super::engine::WordEngine;
use crate::family::{self, Opened};
use crate::model::Model;
use crate::parser::ParserError;
use crate::recipe::Recipe;
use crate::train::{Corpus, Fitted, Session, TrainError};
use crate::workspace::Workspace;
use pleach_graph::Sentence;
use rayon::prelude::*;

/// The stages that annotate, in order, and how they are trained.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The recipes of the stages; each sees what those before it wrote.
    pub recipes: Vec<Recipe>,
    /// How many folds the training data is jackknifed in.
    pub folds: usize,
}

/// A corpus whose annotation is predicted, and the models that do it for other sentences.
#[derive(Debug)]
pub struct Annotated {
    /// The sentences.
    pub corpus: Corpus,
    /// The models, trained on all training sentences.
    pub models: Vec<Model>,
}

impl Default for Annotation {
    fn default() -> Self {
        let preset = |name| Recipe::preset(name).unwrap_or_default();
        Annotation { recipes: ["tagger", "morphology", "lemmatizer"].map(preset).into(), folds: 5 }
    }
}

impl Annotation {
    /// Says what makes no sense.
    pub fn check(&self) -> Result<(), String> {
        match self.folds {
            1 => {
                Err("'folds' is at least 2: a tagger must not tag what it was trained on; 0 for none".into())
            }
            _ => Ok(()),
        }
    }

    /// Trains the stages within a run and annotates its sentences; `None` when the run was stopped.
    pub fn supply(
        &self,
        corpus: &Corpus,
        session: &mut Session<'_>,
    ) -> Result<Option<Annotated>, TrainError> {
        let Corpus { train, dev } = corpus;
        let folds = self.folds.min(train.len()).max(1);
        let mut annotated = Vec::with_capacity(train.len());
        for fold in 0..folds {
            let (from, to) = (train.len() * fold / folds, train.len() * (fold + 1) / folds);
            let rest = Corpus { train: [&train[..from], &train[to..]].concat(), dev: Vec::new() };
            let Some(models) = self.fit(&format!("-fold-{}", fold + 1), rest, session)? else {
                return Ok(None);
            };
            annotated.extend(annotate(&models, &train[from..to])?);
        }
        let Some(models) = self.fit("", corpus.clone(), session)? else { return Ok(None) };
        let dev = annotate(&models, dev)?;
        Ok(Some(Annotated { corpus: Corpus { train: annotated, dev }, models }))
    }

    fn fit(
        &self,
        suffix: &str,
        corpus: Corpus,
        session: &mut Session<'_>,
    ) -> Result<Option<Vec<Model>>, TrainError> {
        let mut models = Vec::new();
        for recipe in &self.recipes {
            match session.stage(&format!("{}{suffix}", recipe.name()), recipe, corpus.clone())? {
                Fitted::Done(model, _) => models.push(*model),
                Fitted::Stopped => return Ok(None),
            }
        }
        Ok(Some(models))
    }
}

/// Annotates copies of sentences with one model after the other.
fn annotate(models: &[Model], sentences: &[Sentence]) -> Result<Vec<Sentence>, TrainError> {
    let failed = |source| TrainError::Parser(ParserError::Open { file: "stage".into(), source });
    let mut engines: Vec<(&Model, Box<dyn WordEngine>)> = Vec::new();
    for model in models {
        if let Opened::Words(engine) = family::open(model.root()).map_err(failed)? {
            engines.push((model, engine));
        }
    }
    let copy = |workspace: &mut Workspace, sentence: &Sentence| {
        let mut sentence = sentence.clone();
        for (model, engine) in &engines {
            engine.annotate(model.root(), &mut sentence, workspace);
        }
        sentence
    };
    Ok(sentences.par_iter().map_init(Workspace::default, copy).collect())
}
