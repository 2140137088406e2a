//! A stage as something that the perceptron trains.

use super::Card;
use super::recipe::StageRecipe;
use crate::model::{Provenance, Section, View};
use crate::score::Scores;
use crate::train::{Corpus, Lesson, Random, Size, Task};
use pleach_linear::learner::Learner;
use pleach_linear::table::Table;
use pleach_text::labelling::Labelling;
use pleach_text::labelling::learn::learn;
use pleach_text::labelling::search::{Memory, Search};
use pleach_text::stage::{Example, Stage};
use rayon::prelude::*;
use serde_json::Value;

/// A stage and the data that was made ready for it.
pub(super) struct StageTask<'a, S: Stage> {
    stage: &'a S,
    recipe: &'a StageRecipe,
    examples: Vec<Example<S::Sequence<'a>>>,
    dev: Vec<Example<S::Sequence<'a>>>,
    /// A section that goes below the stage's.
    below: Option<View<'a>>,
}

impl<'a, S: Stage> StageTask<'a, S> {
    pub fn new(stage: &'a S, recipe: &'a StageRecipe, corpus: &Corpus, below: Option<View<'a>>) -> Self {
        let (examples, dev) = (stage.examples(&corpus.train), stage.examples(&corpus.dev));
        StageTask { stage, recipe, examples, dev, below }
    }
}

impl<S: Stage> Task for StageTask<'_, S> {
    type Workspace = Search<S::History, f32>;

    fn size(&self) -> Size {
        Size {
            examples: self.examples.len(),
            tokens: self.examples.iter().map(|example| example.words).sum(),
            choices: self.stage.labels(),
            ..Size::default()
        }
    }

    fn tokens(&self, example: usize) -> usize {
        self.examples[example].words
    }

    fn learn(&self, learner: &Learner, example: usize, _: Random, search: &mut Self::Workspace) -> Lesson {
        let Example { sequence, gold, .. } = &self.examples[example];
        let mut changes = Vec::new();
        let wrong =
            learn(sequence, gold, learner, self.recipe.beam, self.recipe.margin, search, &mut changes);
        Lesson { changes, wrong: wrong > 0 }
    }

    /// The share of positions with the right label, of those where there is something to decide, and of sequences.
    fn evaluate(&self, table: Table<'_>) -> Option<Scores> {
        if self.dev.is_empty() {
            return None;
        }
        let count = |memory: &mut Memory<S::History>, example: &Example<S::Sequence<'_>>| {
            let Example { sequence, gold, .. } = example;
            let labels = memory.label(sequence, table, self.recipe.beam);
            let mut history = S::History::default();
            let (mut decided, mut right) = (0, 0);
            for (position, (&label, &gold)) in labels.iter().zip(gold).enumerate() {
                if sequence.only(position, &history).is_none() {
                    decided += 1;
                    right += usize::from(label == gold);
                }
                history = sequence.next(position, history, label);
            }
            (decided, right, usize::from(labels == gold))
        };
        let (decided, right, whole) = self
            .dev
            .par_iter()
            .map_init(Memory::default, count)
            .reduce(|| (0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        Some(Scores::new([("labels", share(right, decided)), ("whole", share(whole, self.dev.len()))]))
    }

    fn section<'b>(&'b self, table: Table<'b>, provenance: Provenance) -> Section<'b> {
        let card = Card { beam: self.recipe.beam, labels: self.stage.labels(), stage: self.stage.clone() };
        Section {
            role: String::new(),
            family: S::NAME.to_owned(),
            // A card of strings and numbers always has JSON.
            card: serde_json::to_value(card).unwrap_or(Value::Null),
            provenance: Some(provenance),
            table,
            children: self.below.map(View::section).into_iter().collect(),
        }
    }
}
