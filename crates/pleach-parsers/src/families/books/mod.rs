//! Book embedding (`sun-2017`): noncrossing graphs on one page or two, found by M1 to M5, bound by relaxation.
//!
//! A model of one page is a section with weights; a model of two is a section with two such sections below it, in the
//! roles `page-1` and `page-2`.

mod arcs;
mod data;
mod engine;
mod explain;
mod learn;
mod page;
mod pages;
mod recipe;
mod report;
mod task;

pub use engine::{BookError, Card, MOST_WORDS};
pub use recipe::{BookRecipe, Excuses, Flips, Pages};
pub use report::{Kept, Report};

use super::{Family, OpenError, Opened};
use crate::model::View;
use crate::recipe::Recipe;
use crate::train::{Corpus, Ended, Fitted, Session, TrainError, choose_transform};
use crate::trees::Supply;
use data::Data;
use engine::Engine;
use serde_json::Value;
use task::{PageTask, book_section, evaluate};

/// The family's name.
const NAME: &str = "book";

/// The sections of two pages.
const ROLES: [&str; 2] = ["page-1", "page-2"];

/// The family.
#[derive(Debug)]
pub(super) struct Book;

impl Family for Book {
    fn name(&self) -> &'static str {
        NAME
    }

    fn presets(&self) -> Vec<String> {
        recipe::presets()
    }

    fn preset(&self, name: &str) -> Option<toml::Table> {
        toml::Table::try_from(BookRecipe::preset(name)?).ok()
    }

    fn check(&self, recipe: &Recipe) -> Result<(), String> {
        let recipe: BookRecipe = recipe.typed().map_err(|error| error.to_string())?;
        recipe.check()
    }

    fn keep_learnt(&self, recipe: &mut toml::Table) {
        recipe.retain(|key, _| !["iterations", "step", "excuses"].contains(&key));
        if let Some(pages) = recipe.get_mut("pages").filter(|pages| pages.as_str() == Some("naive")) {
            *pages = "bound".into();
        }
    }

    fn sources(&self, recipe: &Recipe) -> Result<String, TrainError> {
        let recipe: BookRecipe = recipe.typed()?;
        Ok(recipe.sources()?.concat())
    }

    fn train(&self, recipe: &Recipe, corpus: Corpus, session: &mut Session<'_>) -> Result<Ended, TrainError> {
        let recipe: BookRecipe = recipe.typed()?;
        let transform = choose_transform(recipe.collapse, recipe.delexicalise, &corpus.train);
        let supply = recipe.trees.supply(&corpus, transform, session)?;
        if matches!(supply, Supply::Stopped) {
            return Ok(Ended::STOPPED);
        }
        let data = Data::prepare(&recipe, transform, corpus, supply.supplied())?;
        let tree = supply.supplied().map(|trees| &trees.model);
        if recipe.pages == Pages::One {
            let task = PageTask { data: &data, page: 0, tree };
            return Ok(session.fit("", &task, &recipe.schedule)?.into());
        }
        let mut models = Vec::new();
        for (page, role) in ROLES.into_iter().enumerate() {
            match session.fit(role, &PageTask { data: &data, page, tree: None }, &recipe.schedule)? {
                Fitted::Done(model, _) => models.push(model),
                Fitted::Stopped => return Ok(Ended::STOPPED),
            }
        }
        let pages = models.iter().zip(ROLES).map(|(model, role)| model.root().section().with_role(role));
        session.write(&book_section(&data, pages.collect(), tree))?;
        let tables: Vec<_> = models.iter().map(|model| model.root().table()).collect();
        let best = evaluate(&data, &tables).map(|scores| (scores, recipe.schedule.epochs));
        Ok(Ended { best, stopped: false })
    }

    fn open(&self, view: View<'_>) -> Result<Opened, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        let pages = card.recipe.page_count();
        if pages == 2 && ROLES.iter().any(|role| view.role_child(role).is_none()) {
            return Err(OpenError::Inconsistent("a book of two pages needs both".into()));
        }
        Ok(Opened::Graph(Box::new(Engine::open(card, view)?)))
    }

    fn summary(&self, card: &Value) -> Vec<(&'static str, String)> {
        let Ok(card) = serde_json::from_value::<Card>(card.clone()) else { return Vec::new() };
        let recipe = &card.recipe;
        let pages = match recipe.pages {
            Pages::One => "one page",
            Pages::Naive => "two pages laid upon each other",
            Pages::Bound => "two pages bound by relaxation",
        };
        let search =
            format!("{}, {pages}, beam {}, {} edges a word", recipe.model, recipe.beam, recipe.candidates);
        let labels = format!("{} label sets, {} edges", card.label_sets.len(), card.edges.len());
        vec![("search", search), ("labels", labels)]
    }
}
