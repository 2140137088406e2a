//! Transition-based graph parsers (`zhang-2016`, `sun-2019` section 5): S_T, S_S, S_2S and S_L.

mod arcs;
mod beam;
mod card;
mod data;
mod engine;
mod greedy;
mod parse;
mod recipe;
mod task;
mod watch;

pub use card::Card;
pub use recipe::{TransitionRecipe, Update};

use crate::families::keys;
use crate::scorer::{ActionShape, Structure};
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use crate::transform::choose_transform;
use crate::trees::Supply;
use data::Data;
use engine::Engine;
use pleach_model::View;
use pleach_model::recipe::{Keys, Recipe};
use serde_json::Value;
use task::TransitionTask;

/// The family's name.
const NAME: &str = "transition";

/// The family.
#[derive(Debug)]
pub struct Transition;

/// What a scorer of so many actions is asked.
fn structure(recipe: &TransitionRecipe, actions: usize) -> Structure {
    let shape = ActionShape { count: actions, sites: false, templates: recipe.template_files() };
    Structure { actions: Some(shape), parts: Vec::new() }
}

impl Keys for Transition {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        recipe::presets()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        Some(keys::without(&TransitionRecipe::preset(name)?, recipe::LINEAR_KEYS))
    }

    fn scorer_keys(&self, scorer: &str, recipe: &toml::Table) -> toml::Table {
        keys::of_scorer(scorer, &TransitionRecipe::preset(keys::preset(recipe)), recipe::LINEAR_KEYS)
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let shelf = recipe.shelf();
        let recipe: TransitionRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.trees.check(shelf)?;
        recipe.settings(false).map(|_| ()).map_err(|error| error.to_string())
    }
}

impl Family for Transition {
    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        catalogue.scorer_sources(recipe, &structure(&recipe.typed()?, 0))
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: TransitionRecipe = recipe.typed()?;
        let transform = choose_transform(recipe.collapse, recipe.delexicalise, &corpus.train);
        let supply = recipe.trees.supply(&corpus, transform, session)?;
        if matches!(supply, Supply::Stopped) {
            return Ok(Ended::STOPPED);
        }
        let data = Data::prepare(&recipe, transform, corpus, supply.supplied())?;
        let tree = supply.supplied().map(|trees| trees.model.root());
        let structure = structure(&recipe, data.parse.machine.actions());
        let task = TransitionTask { recipe: &recipe, data: &data, tree };
        Ok(session.teach("", &task, &structure, &recipe.schedule)?.into())
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        Ok(Opened::Graph(Box::new(Engine::open(view, catalogue)?)))
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
