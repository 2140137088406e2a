//! The recipe keys of the stages from text to tags.

use crate::scorer::LinearKeys;
use pleach_model::recipe::Schedule;
use serde::{Deserialize, Serialize};

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StageRecipe {
    /// The stage.
    pub preset: String,
    /// The beam's width, in training and after.
    pub beam: usize,
    /// By how much the gold labels have to be better than the others in training.
    pub margin: f32,
    /// A word that was seen so often with one label only has it wherever it stands: nothing is decided there, which is faster.
    /// 0 for no word.
    pub sure: usize,
    /// A better model (a file) whose annotation of `more` sentences is learnt from too; none when empty.
    pub teacher: String,
    /// The file of those sentences.
    pub more: String,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// How the perceptron learns.
    #[serde(flatten)]
    pub linear: LinearKeys,
}

impl Default for StageRecipe {
    fn default() -> Self {
        // The sequences are short and the weights move fast: large batches would learn from stale ones.
        let linear = LinearKeys { batch: 4, least_updates: 3, ..LinearKeys::default() };
        let schedule = Schedule { epochs: 8, ..Schedule::default() };
        StageRecipe {
            preset: String::new(),
            beam: 1,
            margin: 1.0,
            sure: 0,
            teacher: String::new(),
            more: String::new(),
            schedule,
            linear,
        }
    }
}

impl StageRecipe {
    /// The recipe of a stage.
    pub(super) fn preset(name: &str) -> Self {
        let plain = StageRecipe { preset: name.to_owned(), ..StageRecipe::default() };
        let schedule = plain.schedule.clone();
        match name {
            "tagger" => {
                StageRecipe { beam: 3, margin: 10.0, schedule: Schedule { epochs: 10, ..schedule }, ..plain }
            }
            "tokenizer" => {
                let linear = LinearKeys { least_updates: 1, ..plain.linear.clone() };
                StageRecipe { beam: 2, margin: 5.0, linear, ..plain }
            }
            _ => plain,
        }
    }
}
