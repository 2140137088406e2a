//! Graph-based tree parsers: Eisner's algorithm, its second-order extension (Carreras 2007, Bohnet 2010),
//! Chu-Liu-Edmonds, and rearrangement (McDonald & Pereira 2006), with linear scorers.

mod engine;
mod learn;
mod recipe;
mod search;
mod task;

pub use engine::{Card, MOST_WORDS};
pub use recipe::{SpanRecipe, Trees};
pub(super) use search::Search;

use super::{Family, OpenError, Opened};
use crate::model::View;
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Session, TrainError};
pub(super) use engine::Engine;
use serde_json::Value;
use task::SpanTask;

/// The family's name.
const NAME: &str = "span";

/// The family.
#[derive(Debug)]
pub(super) struct Span;

impl Family for Span {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        recipe::PRESETS.iter().map(|(name, ..)| (*name).to_owned()).collect()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(SpanRecipe::preset(name)?).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: SpanRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let recipe: SpanRecipe = recipe.typed()?;
        Ok(recipe.sources()?.concat())
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: SpanRecipe = recipe.typed()?;
        let task = SpanTask::prepare(&recipe, corpus)?;
        Ok(session.fit("", &task, &recipe.schedule)?.into())
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        Ok(Opened::Tree(Box::new(Engine::open(view)?)))
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
        vec![("search", search), ("labels", card.labels.len().to_string())]
    }
}
