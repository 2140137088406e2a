//! Joint parsers: one network reads the words of a sentence once, and tags, features, lemmas, the basic tree and the deep graph
//! are all decided from what it read (`sun-2019` section 6.5 parses without tags; multi-task heads as in Straka 2018).
//!
//! What a treebank doesn't have is not learnt. The scorer must be one that shares something between tasks.

mod data;
mod engine;
mod inventory;
mod learn;
mod parse;
mod recipe;
mod task;

pub use recipe::JointRecipe;

use crate::families::keys;
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use data::Data;
use engine::Engine;
use parse::Card;
use pleach_model::View;
use pleach_model::recipe::{Keys, Recipe};
use recipe::NAME;
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

    /// What is predicted is not looked at.
    fn scorer_keys(&self, scorer: &str, _: &toml::Table) -> toml::Table {
        let mut keys = toml::Table::new();
        if scorer == "bilstm" {
            keys.insert("inputs".into(), "lower:100 suffix:32".into());
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
    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: JointRecipe = recipe.typed()?;
        let task = JointTask::new(Data::prepare(&recipe, corpus)?);
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
