//! A stage under training, by the averaged perceptron.

use super::Card;
use super::recipe::StageRecipe;
use crate::scorer::{Saved, perceptron};
use crate::train::{Corpus, Course, Size, TrainError};
use pleach_linear::learner::Learner;
use pleach_linear::lesson::Taught;
use pleach_linear::table::Frozen;
use pleach_model::{Scores, Section, View};
use pleach_text::labelling::Labelling;
use pleach_text::labelling::learn::learn;
use pleach_text::labelling::search::{Memory, Search};
use pleach_text::stage::{Example, Stage};
use rayon::prelude::*;
use serde_json::Value;

/// A stage, the data that was made ready for it, and the weights so far.
pub(super) struct StageCourse<'a, S: Stage> {
    stage: &'a S,
    recipe: &'a StageRecipe,
    examples: Vec<Example<S::Sequence<'a>>>,
    dev: Vec<Example<S::Sequence<'a>>>,
    /// A section that goes below the stage's.
    below: Option<View>,
    learner: Learner,
    frozen: Option<Frozen>,
}

impl<'a, S: Stage> StageCourse<'a, S> {
    pub fn new(stage: &'a S, recipe: &'a StageRecipe, corpus: &Corpus, below: Option<View>) -> Self {
        let (examples, dev) = (stage.examples(&corpus.train), stage.examples(&corpus.dev));
        let learner = Learner::new(recipe.linear.least_updates);
        StageCourse { stage, recipe, examples, dev, below, learner, frozen: None }
    }
}

impl<S: Stage> Course for StageCourse<'_, S> {
    fn size(&self) -> Size {
        Size {
            examples: self.examples.len(),
            tokens: self.examples.iter().map(|example| example.words).sum(),
            choices: self.stage.labels(),
            ..Size::default()
        }
    }

    fn inputs(&self) -> usize {
        0
    }

    fn tokens(&self, example: usize) -> usize {
        self.examples[example].words
    }

    fn batch(&self, epoch: usize) -> usize {
        self.recipe.linear.batch(self.examples.len(), epoch)
    }

    fn plan(&mut self, _: usize) -> Result<(), TrainError> {
        Ok(())
    }

    fn step(&mut self, examples: &[u32], _: usize, _: u64) -> Result<usize, TrainError> {
        let (learner, StageRecipe { beam, margin, .. }) = (&self.learner, self.recipe);
        let lessons = examples
            .par_iter()
            .map_init(Search::<S::History, f32>::default, |search, &id| {
                let Example { sequence, gold, .. } = &self.examples[id as usize];
                let mut changes = Vec::new();
                let wrong = learn(sequence, gold, learner, *beam, *margin, search, &mut changes);
                (Taught { changes, demands: Vec::new() }, wrong > 0)
            })
            .collect();
        Ok(perceptron::learn_all(&mut self.learner, lessons))
    }

    /// The share of positions with the right label, of those where there is something to decide, and of sequences.
    fn evaluate(&mut self) -> Option<Scores> {
        let table = self.frozen.insert(self.learner.freeze(self.recipe.linear.prune)).table();
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

    fn section(&self) -> Section<'_> {
        let card = Card { beam: self.recipe.beam, labels: self.stage.labels(), stage: self.stage.clone() };
        // A card of strings and numbers always has JSON.
        let card = serde_json::to_value(card).unwrap_or(Value::Null);
        Section {
            tensors: self.frozen.as_ref().map_or_else(Vec::new, perceptron::table_tensors),
            ..Section::group(S::NAME, card, self.below.iter().map(View::section).collect())
        }
    }

    fn forget(&mut self) {
        self.frozen = None;
    }

    fn counts(&self) -> (usize, usize) {
        self.frozen.as_ref().map_or((0, 0), perceptron::table_counts)
    }

    fn learnt(&self) -> usize {
        self.learner.len()
    }

    fn save(&self) -> (Value, Vec<Saved<'_>>) {
        perceptron::save(&self.learner)
    }

    fn restore(&mut self, description: &Value, tensors: &[(String, Vec<u8>)]) -> bool {
        let restored = perceptron::restore(self.recipe.linear.least_updates, description, tensors);
        restored.map(|learner| self.learner = learner).is_some()
    }
}
