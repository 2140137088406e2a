//! Where a model comes from and what it reached.

use crate::recipe::Recipe;
use crate::score::Scores;
use serde::{Deserialize, Serialize};

/// The version of the file's layout; a reader refuses others.
pub const VERSION: u32 = 2;

/// The training run behind a part of a model. No time stamps: the same run gives the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// How it was trained.
    pub recipe: Recipe,
    /// The version of Pleach.
    pub pleach: String,
    /// The training file's name.
    pub train: String,
    /// The development file's name.
    pub dev: String,
    /// How much it was trained on.
    pub sentences: usize,
    /// How many words that was.
    pub tokens: usize,
    /// Arcs of the training data that the model can't build.
    pub arcs_out_of_reach: usize,
    /// All arcs of the training data.
    pub arcs: usize,
    /// The epoch whose weights these are, from 1.
    pub epoch: usize,
    /// How many features have weights.
    pub features: usize,
    /// How many weights there are.
    pub weights: usize,
    /// What it reached on the development data.
    pub dev_scores: Option<Scores>,
}
