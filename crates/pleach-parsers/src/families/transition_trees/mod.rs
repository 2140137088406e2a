//! Transition-based tree parsers by control parameters (`bohnet-2016`), and the DAG system, which gives graphs.

mod card;
mod data;
mod engine;
mod learn;
mod local;
mod parse;
mod recipe;
mod task;

pub use card::Card;
pub use recipe::{Correct, Loss, TreeRecipe, Update};

use crate::families::keys;
use crate::scorer::{ActionShape, Made, Structure};
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use data::Data;
use engine::Engine;
use pleach_model::View;
use pleach_model::recipe::{Gives, Keys, Recipe};
use pleach_transition::search::tree::Machine;
use pleach_transition::tree::classes::Class;
use pleach_transition::tree::settings::{Base, Heads};
use serde_json::Value;
use task::TreeTask;

/// The family's name.
const NAME: &str = "transition-trees";

/// The family.
#[derive(Debug)]
pub struct TransitionTrees;

/// What a scorer of a parser's classes is asked; of none before there is a parser.
fn structure(recipe: &TreeRecipe, machine: Option<&Machine>) -> Structure {
    let shape = ActionShape {
        count: machine.map_or(0, Machine::actions),
        sites: true,
        templates: vec![recipe.templates.clone()],
        made: machine.map_or_else(Vec::new, made),
        label_templates: None,
    };
    Structure { actions: Some(shape), parts: Vec::new() }
}

/// What the classes of a parser are made of: arcs have their labels apart.
fn made(machine: &Machine) -> Vec<Made> {
    let made = |class: u16| {
        let Class { transition, variant, label } = machine.classes.get(class);
        let base = machine.system.transitions()[usize::from(transition)].base;
        let class = u16::from(transition) * 2 + u16::from(variant);
        match base {
            Base::LeftArc => Made { class, left: label, right: 0 },
            Base::RightArc => Made { class, left: 0, right: label },
            Base::Reduce | Base::Shift => Made { class, left: 0, right: 0 },
        }
    };
    (0..machine.actions() as u16).map(made).collect()
}

impl Keys for TransitionTrees {
    fn name(&self) -> &'static str {
        NAME
    }

    fn gives(&self, recipe: &toml::Table) -> Gives {
        let recipe: Option<TreeRecipe> = recipe.clone().try_into().ok();
        match recipe.is_some_and(|recipe| recipe.settings.heads == Heads::Many) {
            true => Gives::Graphs,
            false => Gives::Trees,
        }
    }

    fn presets(&self) -> Vec<String> {
        recipe::presets()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        Some(keys::without(&TreeRecipe::preset(name)?, recipe::LINEAR_KEYS))
    }

    fn scorer_keys(&self, scorer: &str, recipe: &toml::Table) -> toml::Table {
        let preset = TreeRecipe::preset(keys::preset(recipe));
        let mut keys = keys::of_growing_scorer(scorer, &preset, recipe::LINEAR_KEYS);
        let greedy = recipe.get("beam").and_then(toml::Value::as_integer) == Some(1);
        keys::local_for_networks(scorer, greedy, &mut keys);
        keys
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: TreeRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }
}

impl Family for TransitionTrees {
    fn old_name(&self) -> Option<&'static str> {
        Some("control")
    }

    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        catalogue.scorer_sources(recipe, &structure(&recipe.typed()?, None))
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: TreeRecipe = recipe.typed()?;
        let task = TreeTask { data: Data::prepare(&recipe, corpus)? };
        let structure = structure(&recipe, Some(&task.data.parse.machine));
        Ok(session.teach("", &task, &structure, &recipe.schedule)?.into())
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        Engine::open(view, catalogue)
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
