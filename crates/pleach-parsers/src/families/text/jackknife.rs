//! Tags, features and lemmas as a parser meets them at run time: predicted, also for the training sentences.
//!
//! The training sentences are annotated by jackknifing: each fold by stages that were trained on the others, so that a
//! parser doesn't learn to trust tags that are better than those it will see.

use crate::engine::WordEngine;
use crate::train::{Catalogue, Corpus, Fitted, Opened, Session, TrainError, folds};
use crate::workspace::Workspace;
use pleach_graph::Sentence;
use pleach_model::Model;
use pleach_model::recipe::{Recipe, RecipeError, Shelf};
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

impl Annotation {
    /// Tagger, morphology and lemmatizer, in five folds.
    pub fn new(shelf: Shelf) -> Result<Self, RecipeError> {
        let recipes: Result<Vec<Recipe>, RecipeError> =
            ["tagger", "morphology", "lemmatizer"].into_iter().map(|name| shelf.preset(name)).collect();
        Ok(Annotation { recipes: recipes?, folds: 5 })
    }

    /// Says what makes no sense.
    pub fn check(&self) -> Result<(), String> {
        match self.folds {
            1 => {
                Err("'folds' is at least 2: a tagger must not tag what it was trained on; 0 for none".into())
            }
            _ => Ok(()),
        }
    }

    /// How often the stages are trained on a part of the sentences.
    pub fn rounds(&self, corpus: &Corpus) -> usize {
        folds(&corpus.train, self.folds).count()
    }

    /// Trains the stages within a run and annotates its sentences; `None` when the run was stopped.
    pub fn supply(
        &self,
        corpus: &Corpus,
        session: &mut Session<'_>,
    ) -> Result<Option<Annotated>, TrainError> {
        let Corpus { train, dev } = corpus;
        let catalogue = session.catalogue();
        let mut annotated = Vec::with_capacity(train.len());
        for (fold, (held, others)) in folds(train, self.folds).enumerate() {
            let rest = Corpus { train: others, dev: Vec::new() };
            let Some(models) = self.fit(&format!("-fold-{}", fold + 1), rest, session)? else {
                return Ok(None);
            };
            annotated.extend(annotate(&models, held, catalogue)?);
        }
        let Some(models) = self.fit("", corpus.clone(), session)? else { return Ok(None) };
        let dev = annotate(&models, dev, catalogue)?;
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
fn annotate(
    models: &[Model],
    sentences: &[Sentence],
    catalogue: Catalogue,
) -> Result<Vec<Sentence>, TrainError> {
    let failed = |source| TrainError::Open { what: "stage", source };
    let mut engines: Vec<Box<dyn WordEngine>> = Vec::new();
    for model in models {
        if let Opened::Words(engine) = catalogue.open(&model.root()).map_err(failed)? {
            engines.push(engine);
        }
    }
    let copy = |workspace: &mut Workspace, sentence: &Sentence| {
        let mut sentence = sentence.clone();
        engines.iter().for_each(|engine| engine.annotate(&mut sentence, workspace));
        sentence
    };
    Ok(sentences.par_iter().map_init(Workspace::default, copy).collect())
}
