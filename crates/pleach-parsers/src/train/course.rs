//! What the session drives: something that learns in steps and can be measured, written, saved and taken up again.

use super::error::TrainError;
use crate::scorer::Saved;
use pleach_model::{Scores, Section};
use serde_json::Value;

/// How large a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Training sentences.
    pub examples: usize,
    /// Their words.
    pub tokens: usize,
    /// Actions or labels to choose from.
    pub choices: usize,
    /// Arcs in the training data.
    pub arcs: usize,
    /// Those that the model can't build.
    pub lost: usize,
}

/// A model under training: the data, and the weights so far.
pub trait Course {
    /// How large it is.
    fn size(&self) -> Size;

    /// The examples that an epoch (from 0) goes through, as many in every epoch: all of them, unless there are more than a
    /// task wants to see each time.
    fn examples(&self, epoch: usize) -> Vec<u32> {
        let _ = epoch;
        (0..self.size().examples as u32).collect()
    }

    /// How many templates or other inputs there are.
    fn inputs(&self) -> usize;

    /// The words of an example.
    fn tokens(&self, example: usize) -> usize;

    /// How many examples a step takes in an epoch (from 0).
    fn batch(&self, epoch: usize) -> usize;

    /// Says how many steps the whole run has, before the first one.
    fn plan(&mut self, steps: usize) -> Result<(), TrainError>;

    /// Learns from some examples in an epoch (from 0); gives how many were wrong. `seed` is the run's.
    fn step(&mut self, examples: &[u32], epoch: usize, seed: u64) -> Result<usize, TrainError>;

    /// Freezes the weights so far and measures them on the development data; `None` when there is none, and the last
    /// epoch is kept then.
    fn evaluate(&mut self) -> Option<Scores>;

    /// The model with the weights that were measured last, provenance not filled in.
    fn section(&self) -> Section<'_>;

    /// These weights are not needed any more: they were written.
    fn forget(&mut self) {}

    /// The features and weights of that model.
    fn counts(&self) -> (usize, usize);

    /// How much was learnt so far, for people.
    fn learnt(&self) -> usize;

    /// Everything that training needs to go on.
    fn save(&self) -> (Value, Vec<Saved<'_>>);

    /// Takes up what [`Course::save`] gave; false when it doesn't fit.
    fn restore(&mut self, description: &Value, tensors: &[(String, Vec<u8>)]) -> bool;
}
