//! What a model of this family says of itself.

use super::recipe::BookRecipe;
use crate::families::sieve::Sieve;
use serde::{Deserialize, Serialize};

/// The description of a trained parser or of one of its pages, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: BookRecipe,
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
    /// The label sets, from id 1.
    pub label_sets: Vec<Vec<String>>,
    /// The encoded labels: label sets to the left and to the right.
    pub edges: Vec<(u16, u16)>,
    /// What arcs go through before they are scored, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::families) sieve: Option<Sieve>,
}

/// What is wrong with a card.
#[derive(Debug, thiserror::Error)]
pub(super) enum CardError {
    /// A setting makes no sense.
    #[error("{0}")]
    Setting(String),
    /// A label that is not there.
    #[error("the model's edges are out of range")]
    Range,
}
