//! Transition-based graph parsers (`zhang-2016`, `sun-2019` section 5): S_T, S_S, S_2S and S_L with linear scorers.

mod arcs;
mod card;
mod data;
mod engine;
mod greedy;
mod perceptron;
mod recipe;
mod task;

pub use card::Card;
pub use data::DataError;
pub use engine::{Engine, EngineError};
pub use recipe::{TransitionRecipe, Update};

use super::{Family, OpenError, Opened};
use crate::model::View;
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Session, TrainError, choose_transform};
use crate::trees::{Supply, TreeStage};
use data::Data;
use serde_json::Value;
use task::TransitionTask;

/// The family.
#[derive(Debug)]
pub(super) struct Transition;

impl Family for Transition {
    fn name(&self) -> &'static str {
        "transition"
    }

    fn presets(&self) -> Vec<String> {
        recipe::presets()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(TransitionRecipe::preset(name)).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: TransitionRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.trees.check()?;
        engine::settings(&recipe, false).map(|_| ()).map_err(|error| error.to_string())
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let recipe: TransitionRecipe = recipe.typed()?;
        Ok(recipe.templates()?.source().to_owned())
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: TransitionRecipe = recipe.typed()?;
        let transform = choose_transform(recipe.collapse, recipe.delexicalise, &corpus.train);
        let supply = recipe.trees.supply(&corpus, transform, session)?;
        if matches!(supply, Supply::Stopped) {
            return Ok(Ended::STOPPED);
        }
        let data = Data::prepare(&recipe, transform, corpus, supply.supplied())?;
        let tree = supply.supplied().map(|trees| &trees.model);
        let task = TransitionTask { recipe: &recipe, data: &data, tree };
        Ok(session.fit("", &task, &recipe.schedule)?.into())
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let mut engine = Engine::new(&card).map_err(|error| OpenError::Inconsistent(error.to_string()))?;
        engine.tree = TreeStage::below(view)?;
        Ok(Opened::Graph(Box::new(engine)))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let Ok(card) = serde_json::from_value::<Card>(card.clone()) else { return Vec::new() };
        let recipe = &card.recipe;
        vec![
            (
                "system",
                format!(
                    "{}, {}, {}, root {}, beam {}",
                    recipe.system,
                    if recipe.combined { "combined" } else { "standard" },
                    if recipe.reversed { "right to left" } else { "left to right" },
                    recipe.root,
                    recipe.beam
                ),
            ),
            (
                "labels",
                format!(
                    "{} label sets, {} edges, {} actions{}{}",
                    card.label_sets.len(),
                    card.edges.len(),
                    card.actions.len(),
                    if card.delexicalise { ", delexicalised" } else { "" },
                    if card.collapse { ", empty nodes collapsed" } else { "" }
                ),
            ),
        ]
    }
}
