//! The stages from raw text to tagged sentences as families of models, and pipelines of them.

mod compilation;
mod engine;
mod jackknife;
mod pipeline;
mod recipe;
mod task;
mod tokenizer;

pub(in crate::families) use compilation::file_sum;
pub use jackknife::{Annotated, Annotation};
pub use pipeline::{PIPELINE, PipelineFamily};
pub use tokenizer::TokenizerFamily;

use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use engine::{Annotator, Weights};
use pleach_model::View;
use pleach_model::recipe::{Gives, Keys, Recipe};
use pleach_text::lemmatizer::Lemmatizer;
use pleach_text::morphology::Morphology;
use pleach_text::stage::Annotate;
use pleach_text::tagger::Tagger;
use recipe::StageRecipe;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Debug;
use std::marker::PhantomData;
use task::StageCourse;

/// What a stage's section says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card<S> {
    /// The beam's width.
    pub beam: usize,
    /// How many labels there are to choose from.
    pub labels: usize,
    /// What the stage knows apart from its weights.
    pub stage: S,
}

/// A family of stages that write something into the words of sentences.
#[derive(Debug)]
pub struct Words<S>(PhantomData<fn() -> S>);

/// The tagger.
pub static TAGGER: Words<Tagger> = Words(PhantomData);
/// Morphological features.
pub static MORPHOLOGY: Words<Morphology> = Words(PhantomData);
/// The lemmatizer.
pub static LEMMATIZER: Words<Lemmatizer> = Words(PhantomData);

impl<S: Annotate> Keys for Words<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn gives(&self, _: &toml::Table) -> Gives {
        Gives::Words
    }

    fn presets(&self) -> Vec<String> {
        vec![S::NAME.to_owned()]
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(StageRecipe::preset(name)).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        recipe.typed::<StageRecipe>().map_err(|error| error.to_string())?.check()
    }
}

impl<S: Annotate> Family for Words<S> {
    fn sources(&self, recipe: &Recipe, _: Catalogue) -> Result<String, TrainError> {
        recipe.typed::<StageRecipe>()?.sources()
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: StageRecipe = recipe.typed()?;
        let corpus = recipe.taught(corpus, session.catalogue())?;
        let mut stage = S::new(&corpus.train);
        if recipe.sure > 0 {
            stage = stage.with_sure(&corpus.train, recipe.sure);
        }
        let mut course = StageCourse::new(&stage, &recipe, &corpus, None);
        Ok(session.fit("", &mut course, &recipe.schedule)?.into())
    }

    fn open(&self, view: &View, _: Catalogue) -> Result<Opened, OpenError> {
        let card: Card<S> = serde_json::from_value(view.card().clone())?;
        let weights = Weights::open(view)?;
        Ok(Opened::Words(Box::new(Annotator { stage: card.stage, beam: card.beam, weights })))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        summary(card)
    }
}

/// What there is to say of any stage.
fn summary(card: &Value) -> Vec<(&'static str, String)> {
    let number = |key: &str| card.get(key).and_then(Value::as_u64).unwrap_or_default();
    vec![("labels", format!("{}, beam {}", number("labels"), number("beam")))]
}
