//! A family's task with a scorer that learns it.

use super::course::{Course, Size};
use super::error::TrainError;
use crate::random::Random;
use crate::scorer::{Frozen, Learner, ModelScorer, Saved, Trainable};
use crate::workspace::Workspace;
use pleach_graph::words::Words;
use pleach_model::{Scores, Section};
use serde_json::Value;

/// What a family trains: examples to analyse with whatever scores, and a measure.
pub trait Task: Sync {
    /// How large it is.
    fn size(&self) -> Size;

    /// The examples that an epoch (from 0) goes through, as many in every epoch; all of them, as a rule.
    fn examples(&self, epoch: usize) -> Vec<u32> {
        let _ = epoch;
        (0..self.size().examples as u32).collect()
    }

    /// The words of an example.
    fn words(&self, example: usize) -> &Words;

    /// Analyses an example with the weights so far and says how the scores should change; gives whether the gold
    /// analysis was not the best one.
    fn learn(
        &self,
        example: usize,
        learner: &mut dyn Learner,
        random: Random,
        workspace: &mut Workspace,
    ) -> bool;

    /// What a scorer reaches on the development data; `None` when there is none.
    fn evaluate(&self, scorer: &dyn ModelScorer) -> Option<Scores>;

    /// The model without its weights.
    fn section(&self) -> Section<'_>;
}

/// A task and who learns it.
pub struct Lessons<'a, T> {
    task: &'a T,
    scorer: Box<dyn Trainable>,
    frozen: Option<Box<dyn Frozen>>,
}

impl<'a, T: Task> Lessons<'a, T> {
    /// Nothing is learnt yet.
    pub fn new(task: &'a T, scorer: Box<dyn Trainable>) -> Self {
        Lessons { task, scorer, frozen: None }
    }
}

/// The random numbers of an example in an epoch.
pub(super) fn random_of(seed: u64, epoch: usize, example: u32) -> Random {
    Random::new(seed, (epoch as u64) << 32 | u64::from(example) | 1 << 63)
}

impl<T: Task> Course for Lessons<'_, T> {
    fn size(&self) -> Size {
        self.task.size()
    }

    fn examples(&self, epoch: usize) -> Vec<u32> {
        self.task.examples(epoch)
    }

    fn inputs(&self) -> usize {
        self.scorer.inputs()
    }

    fn tokens(&self, example: usize) -> usize {
        self.task.words(example).len()
    }

    fn batch(&self, epoch: usize) -> usize {
        self.scorer.batch(self.task.size().examples, epoch)
    }

    fn plan(&mut self, steps: usize) -> Result<(), TrainError> {
        let task = self.task;
        let mut words = (0..task.size().examples).map(|example| task.words(example));
        self.scorer.plan(steps, &mut words).map_err(TrainError::Family)
    }

    fn step(&mut self, examples: &[u32], epoch: usize, seed: u64) -> Result<usize, TrainError> {
        let task = self.task;
        let words: Vec<&Words> = examples.iter().map(|&id| task.words(id as usize)).collect();
        let teach = |number: usize, learner: &mut dyn Learner, workspace: &mut Workspace| {
            let id = examples[number];
            task.learn(id as usize, learner, random_of(seed, epoch, id), workspace)
        };
        self.scorer.step(&words, &teach).map_err(TrainError::Family)
    }

    fn evaluate(&mut self) -> Option<Scores> {
        let frozen = self.frozen.insert(self.scorer.freeze());
        self.task.evaluate(frozen.scorer())
    }

    fn section(&self) -> Section<'_> {
        let section = self.task.section();
        match &self.frozen {
            Some(frozen) => Section { scorer: frozen.card(), tensors: frozen.tensors(), ..section },
            None => section,
        }
    }

    fn forget(&mut self) {
        self.frozen = None;
    }

    fn counts(&self) -> (usize, usize) {
        self.frozen.as_ref().map_or((0, 0), |frozen| frozen.counts())
    }

    fn learnt(&self) -> usize {
        self.scorer.size()
    }

    fn save(&self) -> (Value, Vec<Saved<'_>>) {
        self.scorer.save()
    }

    fn restore(&mut self, description: &Value, tensors: &[(String, Vec<u8>)]) -> bool {
        self.scorer.restore(description, tensors)
    }
}
