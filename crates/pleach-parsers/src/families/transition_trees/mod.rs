//! Transition-based tree parsers by control parameters (`bohnet-2016`), with linear scorers; and the DAG system, which
//! gives graphs.

mod data;
mod engine;
mod learn;
mod recipe;
mod task;

pub use engine::Card;
pub use recipe::{ControlRecipe, Correct, Update};

use super::{Family, OpenError, Opened};
use crate::model::View;
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Session, TrainError};
use data::Data;
use engine::Engine;
use pleach_transition::tree::presets::Preset;
use pleach_transition::tree::settings::Heads;
use serde_json::Value;
use task::ControlTask;

/// The family's name.
const NAME: &str = "control";

/// The family.
#[derive(Debug)]
pub(super) struct Control;

impl Family for Control {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        Preset::ALL.iter().map(Preset::to_string).chain([recipe::GREEDY.to_owned()]).collect()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(ControlRecipe::preset(name)?).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: ControlRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let recipe: ControlRecipe = recipe.typed()?;
        Ok(recipe.templates()?.source().to_owned())
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: ControlRecipe = recipe.typed()?;
        let task = ControlTask { data: Data::prepare(&recipe, corpus)? };
        Ok(session.fit("", &task, &recipe.schedule)?.into())
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let graphs = card.recipe.settings.heads == Heads::Many;
        let engine = Engine::new(card).map_err(|error| OpenError::Inconsistent(error.to_string()))?;
        Ok(if graphs { Opened::Graph(Box::new(engine)) } else { Opened::Tree(Box::new(engine)) })
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let Ok(card) = serde_json::from_value::<Card>(card.clone()) else { return Vec::new() };
        let settings = &card.recipe.settings;
        let transitions: Vec<String> = settings.transitions.iter().map(ToString::to_string).collect();
        vec![
            (
                "system",
                format!(
                    "K = {}, D = {}; {}; beam {}",
                    settings.capacity,
                    settings.distance,
                    transitions.join(", "),
                    card.recipe.beam
                ),
            ),
            ("labels", card.labels.len().to_string()),
        ]
    }
}
