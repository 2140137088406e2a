//! What the models of this family say of themselves.

use super::recipe::MergingRecipe;
use serde::{Deserialize, Serialize};

/// The description of a model, as JSON in the model file; its three tree models are the sections below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Card {
    /// How it was trained.
    pub recipe: MergingRecipe,
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
}
