//! A tree parser by control parameters as something that the perceptron trains.

use super::data::{Data, Dev};
use super::engine::Space;
use super::learn::{self, LearnSpace};
use crate::model::{Provenance, Section};
use crate::score::Scores;
use crate::train::{Lesson, Random, Size, Task};
use pleach_graph::Sentence;
use pleach_linear::learner::Learner;
use pleach_linear::table::Table;
use rayon::prelude::*;
use serde_json::Value;

/// A treebank made ready.
pub(super) struct ControlTask {
    pub data: Data,
}

impl Task for ControlTask {
    type Workspace = LearnSpace;

    fn size(&self) -> Size {
        let Data { engine, examples, tokens, arcs, lost, .. } = &self.data;
        Size {
            examples: examples.len(),
            tokens: *tokens,
            choices: engine.classes.len(),
            templates: engine.templates.len(),
            arcs: *arcs,
            lost: *lost,
        }
    }

    fn tokens(&self, example: usize) -> usize {
        self.data.examples[example].words.len()
    }

    fn learn(&self, learner: &Learner, example: usize, _: Random, workspace: &mut LearnSpace) -> Lesson {
        learn::learn(&self.data.engine, learner, &self.data.examples[example], workspace)
    }

    fn evaluate(&self, table: Table<'_>) -> Option<Scores> {
        let engine = &self.data.engine;
        let beam = engine.card.recipe.beam;
        match &self.data.dev {
            Dev::Trees(dev) if !dev.is_empty() => {
                let parsed: Vec<Sentence> = dev
                    .par_iter()
                    .map_init(Space::default, |space, sentence| {
                        let mut sentence = sentence.clone();
                        engine.parse_tree(table, &sentence, beam, space).write(&mut sentence);
                        sentence
                    })
                    .collect();
                Some(Scores::of_trees(dev.iter().zip(&parsed)))
            }
            Dev::Graphs(dev) => dev.score(engine.transform(), |sentence, _, space: &mut Space| {
                engine.parse_graph(table, sentence, beam, space)
            }),
            Dev::Trees(_) => None,
        }
    }

    fn section<'a>(&'a self, table: Table<'a>, provenance: Provenance) -> Section<'a> {
        Section {
            role: String::new(),
            family: super::NAME.to_owned(),
            // A card of strings and numbers always has JSON.
            card: serde_json::to_value(&self.data.engine.card).unwrap_or(Value::Null),
            provenance: Some(provenance),
            table,
            children: Vec::new(),
        }
    }
}
