//! Where a model comes from and what it reached.

use crate::kept::Kept;
use crate::scores::Scores;
use serde::{Deserialize, Serialize};

/// The training run behind a part of a model. No time stamps: the same run gives the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// How it was trained: all keys of the recipe.
    pub recipe: toml::Table,
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
    /// How many features have weights; 0 where there are no features.
    pub features: usize,
    /// How many weights there are.
    pub weights: usize,
    /// What it reached on the development data.
    pub dev_scores: Option<Scores>,
    /// What the training graphs keep to; files of older versions and parts without graphs don't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
}

impl Provenance {
    /// A whole number of the recipe.
    pub fn number(&self, key: &str) -> Option<usize> {
        self.recipe.get(key)?.as_integer().and_then(|value| usize::try_from(value).ok())
    }

    /// The preset's name.
    pub fn preset(&self) -> &str {
        self.recipe.get("preset").and_then(toml::Value::as_str).unwrap_or_default()
    }
}
