//! A transition parser as something that the perceptron trains.

use super::card::Card;
use super::data::Data;
use super::engine::{Workspace, stored_actions};
use super::greedy;
use super::perceptron::{self, LearnSpace};
use super::recipe::TransitionRecipe;
use crate::model::{Model, Provenance, Section};
use crate::score::Scores;
use crate::train::{Lesson, Random, Size, Task};
use crate::trees;
use pleach_linear::learner::Learner;
use pleach_linear::table::Table;
use serde_json::Value;

/// A recipe and the data that was made ready for it.
pub(super) struct TransitionTask<'a> {
    pub recipe: &'a TransitionRecipe,
    pub data: &'a Data,
    /// The tree parser that goes into the model.
    pub tree: Option<&'a Model>,
}

impl Task for TransitionTask<'_> {
    type Workspace = LearnSpace;

    fn size(&self) -> Size {
        let data = self.data;
        Size {
            examples: data.examples.len(),
            tokens: data.tokens,
            choices: data.engine.index.len(),
            templates: data.engine.templates.len(),
            arcs: data.arcs,
            lost: data.lost,
        }
    }

    fn tokens(&self, example: usize) -> usize {
        self.data.examples[example].words.len()
    }

    fn learn(&self, learner: &Learner, example: usize, random: Random, workspace: &mut LearnSpace) -> Lesson {
        let (engine, example) = (&self.data.engine, &self.data.examples[example]);
        if self.recipe.beam <= 1 {
            greedy::learn(engine, learner, example, self.recipe.explore, random, workspace)
        } else {
            perceptron::learn(engine, learner, example, self.recipe, workspace)
        }
    }

    fn evaluate(&self, table: Table<'_>) -> Option<Scores> {
        let engine = &self.data.engine;
        self.data.dev.score(engine.transform, |sentence, tree, workspace: &mut Workspace| {
            engine.parse(table, sentence, tree, self.recipe.beam, workspace)
        })
    }

    fn section<'a>(&'a self, table: Table<'a>, provenance: Provenance) -> Section<'a> {
        let engine = &self.data.engine;
        let card = Card {
            recipe: self.recipe.clone(),
            templates: engine.templates.source().to_owned(),
            collapse: engine.transform.collapse,
            delexicalise: engine.transform.delexicalise,
            self_arcs: engine.system.settings().self_arcs,
            label_sets: engine.labels.sets(),
            tags: engine.labels.tags(),
            edges: engine.inventory.edges.iter().map(|edge| (edge.left, edge.right)).collect(),
            actions: stored_actions(&engine.inventory),
        };
        Section {
            role: String::new(),
            family: "transition".to_owned(),
            // A card of strings and numbers always has JSON.
            card: serde_json::to_value(card).unwrap_or(Value::Null),
            provenance: Some(provenance),
            table,
            children: self
                .tree
                .map(|tree| tree.root().section().with_role(trees::ROLE))
                .into_iter()
                .collect(),
        }
    }
}
