//! Graph-based tree parsers: Eisner's algorithm, its second-order extension (Carreras 2007, Bohnet 2010),
//! Chu-Liu-Edmonds, and rearrangement (McDonald & Pereira 2006).

mod engine;
mod learn;
mod local;
mod parse;
mod recipe;
mod search;
mod task;

pub use engine::Card;
pub(super) use engine::Engine;
pub(super) use local::{LocalSpace, learn as learn_locally};
pub(super) use parse::Parse;
pub use recipe::{GraphBasedRecipe, Loss, Trees};
#[cfg(test)]
pub(super) use search::Analysis;
pub(super) use search::Search;
pub(super) use task::GraphBasedTask;

use crate::families::keys;
use crate::scorer::{PartShape, Structure};
use crate::train::{Catalogue, Corpus, Ended, Family, OpenError, Opened, Session, TrainError};
use pleach_decode::part::Kind;
use pleach_decode::tree::around::{CHANNELS, GRANDCHILD, GRANDCHILD_LABEL, SIBLING, SIBLING_LABEL};
use pleach_model::View;
use pleach_model::recipe::{Gives, Keys, Recipe};
use serde_json::Value;

/// The family's name.
const NAME: &str = "graph-based-trees";

/// The family.
#[derive(Debug)]
pub struct GraphBasedTrees;

/// What a scorer is asked when there are so many labels.
fn structure(recipe: &GraphBasedRecipe, labels: usize) -> Structure {
    let GraphBasedRecipe { arc_templates, label_templates, sibling_templates, grandchild_templates, .. } =
        recipe;
    // What is learnt locally is its own filter: the channel of another one, the first, is never asked for.
    let unused = usize::from(recipe.loss == Loss::Local);
    let mut parts = vec![
        PartShape::new(Kind::ARC, CHANNELS, 0, arc_templates).without_first(unused),
        PartShape::new(Kind::LABEL, labels, 1, label_templates),
    ];
    if recipe.order == 2 {
        parts.extend([
            PartShape::new(SIBLING, CHANNELS, 2, sibling_templates),
            PartShape::new(GRANDCHILD, CHANNELS, 3, grandchild_templates),
            PartShape::new(SIBLING_LABEL, labels, 2, sibling_templates).once(),
            PartShape::new(GRANDCHILD_LABEL, labels, 3, grandchild_templates).once(),
        ]);
    }
    Structure { actions: None, parts }
}

impl Keys for GraphBasedTrees {
    fn name(&self) -> &'static str {
        NAME
    }

    fn gives(&self, _: &toml::Table) -> Gives {
        Gives::Trees
    }

    fn presets(&self) -> Vec<String> {
        recipe::PRESETS.iter().map(|(name, ..)| (*name).to_owned()).collect()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        Some(keys::without(&GraphBasedRecipe::preset(name)?, recipe::LINEAR_KEYS))
    }

    fn scorer_keys(&self, scorer: &str, recipe: &toml::Table) -> toml::Table {
        let preset = GraphBasedRecipe::preset(keys::preset(recipe));
        let mut keys = keys::of_scorer(scorer, &preset, recipe::LINEAR_KEYS);
        let first_order = recipe.get("order").and_then(toml::Value::as_integer) == Some(1);
        keys::local_for_networks(scorer, first_order, &mut keys);
        keys::sieve_for_linear(scorer, recipe, keys::PASSED, &mut keys);
        keys
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: GraphBasedRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }
}

impl Family for GraphBasedTrees {
    fn old_name(&self) -> Option<&'static str> {
        Some("span")
    }

    fn sources(&self, recipe: &Recipe, catalogue: Catalogue) -> Result<String, TrainError> {
        catalogue.scorer_sources(recipe, &structure(&recipe.typed()?, 0))
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: GraphBasedRecipe = recipe.typed()?;
        let task = GraphBasedTask::prepare(&recipe, corpus)?;
        let structure = structure(&recipe, task.parse.labels.len());
        Ok(session.teach("", &task, &structure, &recipe.schedule)?.into())
    }

    fn open(&self, view: &View, catalogue: Catalogue) -> Result<Opened, OpenError> {
        Ok(Opened::Tree(Box::new(Engine::open(view, catalogue)?)))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let Ok(card) = serde_json::from_value::<Card>(card.clone()) else { return Vec::new() };
        let recipe = &card.recipe;
        let trees = match recipe.trees {
            Trees::Projective => "projective trees",
            Trees::Spanning => "all trees",
            Trees::Rearranged => "projective trees, rearranged",
        };
        let order = if recipe.order == 2 { "arcs, siblings and grandchildren" } else { "arcs" };
        let search = format!("{trees} over {order}, {} heads a word", recipe.heads);
        let sieve = card.sieve.iter().map(|sieve| ("first pass", sieve.measured.to_string()));
        let about = [("search", search), ("labels", card.labels.len().to_string())];
        about.into_iter().chain(sieve).collect()
    }
}
