//! What the models of this family say of themselves.

use super::recipe::MergingRecipe;
use crate::families::graph_based_trees::Card as TreeCard;
use pleach_decode::merge::TREES;
use serde::{Deserialize, Serialize};

/// The description of a model, as JSON in the model file; its three tree models are the sections below, or share
/// a scorer and are described here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Card {
    /// How it was trained.
    pub recipe: MergingRecipe,
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
    /// The tree models, when they share the scorer of this section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trees: Option<[TreeCard; TREES]>,
}
