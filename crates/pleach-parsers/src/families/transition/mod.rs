//! Transition-based graph parsers (`zhang-2016`, `sun-2019` section 5): S_T, S_S, S_2S and S_L.

mod apart;
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
pub use recipe::{Labelling, TransitionRecipe, Update};

use crate::families::keys;
use crate::scorer::{ActionShape, Made, Structure};
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use crate::transform::choose_transform;
use crate::trees::Supply;
use data::Data;
use engine::Engine;
use pleach_model::View;
use pleach_model::recipe::{Keys, Recipe};
use pleach_transition::action::Inventory;
use pleach_transition::factors::{Factor, Factors};
use recipe::Loss;
use serde_json::Value;
use task::TransitionTask;

/// The family's name.
const NAME: &str = "transition";

/// The family.
#[derive(Debug)]
pub struct Transition;

/// What a scorer of the actions of an inventory is asked.
fn structure(recipe: &TransitionRecipe, inventory: &Inventory) -> Structure {
    let shape = ActionShape {
        count: inventory.actions.len(),
        sites: false,
        templates: recipe.template_files(),
        label_templates: recipe.label_template_files(),
        made: made(inventory),
    };
    Structure { actions: Some(shape), parts: Vec::new() }
}

/// What the actions of an inventory are made of: edges between top and front have their labels apart.
fn made(inventory: &Inventory) -> Vec<Made> {
    let made = |&Factor { choice, left, right }: &Factor| Made { class: choice, left, right };
    Factors::new(inventory).all().iter().map(made).collect()
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
        let preset = keys::preset(recipe);
        let typed = TransitionRecipe::preset(preset);
        let mut keys = keys::of_growing_scorer(scorer, &typed, recipe::LINEAR_KEYS);
        if preset == recipe::FAST && scorer == "linear" {
            keys.insert("least_updates".into(), recipe::FAST_LEAST_UPDATES.into());
            keys.insert("prune".into(), recipe::FAST_PRUNE.into());
        }
        keys::local_for_networks(scorer, true, &mut keys);
        keys
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let shelf = recipe.shelf();
        let recipe: TransitionRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.trees.check(shelf)?;
        if recipe.labelling == Labelling::Factored && recipe.loss == Loss::Local {
            return Err("'labelling = \"factored\"' is learnt with 'loss = \"margin\"'".into());
        }
        recipe.settings(false).map(|_| ()).map_err(|error| error.to_string())
    }
}

impl Family for Transition {
    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        catalogue.scorer_sources(recipe, &structure(&recipe.typed()?, &Inventory::default()))
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
        let structure = structure(&recipe, &data.parse.machine.inventory);
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
