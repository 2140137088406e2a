//! What a model of this family says of itself.

use super::recipe::TransitionRecipe;
use serde::{Deserialize, Serialize};

/// The description of one trained parser, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: TransitionRecipe,
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
    /// Whether words may be linked to themselves.
    pub self_arcs: bool,
    /// The label sets, from id 1.
    pub label_sets: Vec<Vec<String>>,
    /// The tags of SHIFT, from id 1: a frame, then the labels of a top.
    pub tags: Vec<Vec<String>>,
    /// The edges: label sets to the left and to the right.
    pub edges: Vec<(u16, u16)>,
    /// The actions: move, kind of link (0 none, 1 edge, 2 loop, 3 arc from the root), its id, supertag.
    pub actions: Vec<(u8, u8, u16, u16)>,
}
