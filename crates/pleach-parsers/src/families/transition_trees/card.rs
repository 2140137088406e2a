//! What a model of this family says of itself.

use super::recipe::TreeRecipe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The description of one trained parser, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: TreeRecipe,
    /// The label sets, from id 1; those of trees have one label.
    pub labels: Vec<Vec<String>>,
    /// The ids of the labels of arcs that go left, that go right, and that come from the root.
    pub directions: [BTreeSet<u16>; 3],
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
}
