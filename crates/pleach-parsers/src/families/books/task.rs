//! A page of a book as something that the perceptron trains.

use super::data::Data;
use super::learn::{LearnSpace, learn};
use super::recipe::Pages;
use crate::family::Options;
use crate::model::{Model, Provenance, Section};
use crate::score::Scores;
use crate::train::{Lesson, Random, Size, Task};
use crate::trees;
use pleach_graph::enhanced::Transform;
use pleach_linear::learner::Learner;
use pleach_linear::table::Table;
use serde_json::Value;

/// One page of the data.
pub(super) struct PageTask<'a> {
    pub data: &'a Data,
    pub page: usize,
    /// The tree parser that goes into the model.
    pub tree: Option<&'a Model>,
}

impl Task for PageTask<'_> {
    type Workspace = LearnSpace;

    fn size(&self) -> Size {
        let model = &self.data.engine.model;
        Size {
            examples: self.data.examples.len(),
            tokens: self.data.tokens,
            choices: model.edges.len(),
            templates: model.templates.len(),
            arcs: self.data.arcs,
            lost: self.data.lost,
        }
    }

    fn tokens(&self, example: usize) -> usize {
        self.data.examples[example].words.len()
    }

    fn learn(&self, learner: &Learner, example: usize, _: Random, space: &mut LearnSpace) -> Lesson {
        let (engine, example) = (&self.data.engine, &self.data.examples[example]);
        let beam = engine.card.recipe.beam;
        learn(&engine.model, learner, &example.words, &example.pages[self.page], beam, space)
    }

    /// A page of several is compared with what of the gold graph is on it, the only page with the whole graph.
    fn evaluate(&self, table: Table<'_>) -> Option<Scores> {
        let engine = &self.data.engine;
        if engine.card.recipe.pages == Pages::One {
            return evaluate(self.data, &[table]);
        }
        self.data.dev_pages[self.page].score(Transform::default(), |sentence, tree, space| {
            engine.parse(&[table], (sentence, tree), &Options::default(), space)
        })
    }

    fn section<'a>(&'a self, table: Table<'a>, provenance: Provenance) -> Section<'a> {
        Section { provenance: Some(provenance), table, ..book_section(self.data, Vec::new(), self.tree) }
    }
}

/// A section of this family.
pub(super) fn book_section<'a>(
    data: &Data,
    mut children: Vec<Section<'a>>,
    tree: Option<&'a Model>,
) -> Section<'a> {
    children.extend(tree.map(|tree| tree.root().section().with_role(trees::ROLE)));
    // A card of strings and numbers always has JSON.
    let card = serde_json::to_value(&data.engine.card).unwrap_or(Value::Null);
    Section::group(super::NAME, card, children)
}

/// Parses the development data and scores it as a user would.
pub(super) fn evaluate(data: &Data, tables: &[Table<'_>]) -> Option<Scores> {
    data.dev.score(data.engine.transform, |sentence, tree, space| {
        data.engine.parse(tables, (sentence, tree), &Options::default(), space)
    })
}
