//! Joint parsers: one network reads the words of a sentence once, and tags, features, lemmas, the basic tree and the deep graph
//! are all decided from what it read (`sun-2019` section 6.5 parses without tags; multi-task heads as in Straka 2018).
//!
//! What a treebank doesn't have is not learnt. The scorer must be one that shares something between tasks.

mod data;
mod dictionary;
mod endings;
mod engine;
mod inventory;
mod learn;
mod lemmas;
mod more;
mod parse;
mod recipe;
mod task;

pub use recipe::JointRecipe;

use crate::families::keys;
use crate::families::text::{Annotated, Annotation, file_sum};
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use data::Data;
use engine::{Engine, open_guesses};
use more::More;
use parse::Card;
use pleach_graph::Sentence;
use pleach_model::View;
use pleach_model::recipe::{Keys, Recipe};
pub(super) use recipe::NAME;
use serde_json::Value;
use task::JointTask;

/// The family.
#[derive(Debug)]
pub struct Joint;

impl Keys for Joint {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        vec![NAME.to_owned()]
    }

    fn preset(&self, _: &str) -> Option<toml::Table> {
        Some(keys::without(&JointRecipe::default(), &[]))
    }

    /// Features and lemmas are predicted, so they can't be looked at; tags are those of the stage that guesses.
    fn scorer_keys(&self, scorer: &str, _: &toml::Table) -> toml::Table {
        let mut keys = toml::Table::new();
        if scorer == "bilstm" {
            keys.insert("inputs".into(), "lower:100 suffix:32 shape:16 tags:32".into());
            keys.insert("drop_words".into(), 0.15.into());
        }
        keys
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: JointRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }

    fn keep_learnt(&self, recipe: &mut toml::Table) {
        recipe.remove("threshold");
    }
}

impl Family for Joint {
    fn sources(&self, recipe: &Recipe, _: Catalogue) -> Result<String, TrainError> {
        let recipe: JointRecipe = recipe.typed()?;
        if recipe.more.is_empty() { Ok(String::new()) } else { file_sum(&recipe.more) }
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let shelf = recipe.shelf();
        let recipe: JointRecipe = recipe.typed()?;
        let (mut guessed, mut guesses) = (None, None);
        let tagged = |sentence: &Sentence| {
            sentence.tokens.iter().any(|token| !token.upos.is_empty() || !token.xpos.is_empty())
        };
        if !recipe.guesses.is_empty() && corpus.train.iter().any(tagged) {
            let annotation =
                Annotation { recipes: vec![shelf.preset(&recipe.guesses)?], folds: recipe.folds };
            let Some(Annotated { corpus, models }) = annotation.supply(&corpus, session)? else {
                return Ok(Ended::STOPPED);
            };
            guessed = Some(corpus.train);
            let view = models.first().map(|model| model.root());
            guesses = view.map(|view| open_guesses(&view, session.catalogue()).map(|engine| (view, engine)));
        }
        let failed = |source| TrainError::Open { what: "tagger", source };
        let guesses = guesses.transpose().map_err(failed)?;
        let tagger = guesses.as_ref().map(|(_, engine)| &**engine);
        let more = More::read(&recipe.more, tagger, recipe.schedule.seed)?;
        let task = JointTask::new(Data::prepare(&recipe, corpus, guessed, more)?, guesses);
        let structure = task.data.parse.layout().structure();
        Ok(session.teach("", &task, &structure, &recipe.schedule)?.into())
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        Ok(Opened::Graph(Box::new(Engine::open(view, catalogue)?)))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let Ok(card) = serde_json::from_value::<Card>(card.clone()) else { return Vec::new() };
        vec![
            ("predicts", format!("{} graph", card.recipe.also)),
            ("labels", format!("{} label sets, {} of trees", card.label_sets.len(), card.tree_labels.len())),
            ("words", format!("{} tags, features and lemma rules", card.words.len())),
        ]
    }
}
