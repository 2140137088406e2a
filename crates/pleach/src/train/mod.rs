//! Training: from a treebank and a recipe to a model.
//!
//! Sentences of a batch are searched in parallel with the same weights; their updates are then applied in
//! order. The batch size is part of the recipe, so the model is the same whatever the number of threads.
//! After every epoch the averaged model is scored on the development data, the best one is kept, and a
//! checkpoint is written from which a killed run goes on to the same final model.

mod checkpoint;
mod data;
mod greedy;
mod perceptron;
mod run;
mod shuffle;

#[cfg(test)]
pub(crate) use shuffle::Random;

pub use data::{Data, DataError};
pub(crate) use data::{fingerprint, templates};
pub use run::{Event, Outcome, TrainError, Training};
