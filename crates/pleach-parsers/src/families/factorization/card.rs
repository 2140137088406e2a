//! What the models of this family say of themselves.

use super::pruning::Pruning;
use super::recipe::FactorRecipe;
use crate::families::sieve::Sieve;
use serde::{Deserialize, Serialize};

/// The description of a model, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Card {
    /// A predicate-centric or argument-centric model.
    Chains(ModelCard),
    /// Models that agree; they are the sections below, in their roles `pc`, `ac` and `ta`.
    Joint(ModelCard),
}

/// How a model was trained, and on what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ModelCard {
    /// How it was trained.
    pub recipe: FactorRecipe,
    /// What graphs are like.
    pub graphs: GraphCard,
}

/// What a model knows about graphs beside its weights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct GraphCard {
    /// Fold empty nodes into path labels before, restore them after.
    pub collapse: bool,
    /// Placeholders for words in labels.
    pub delexicalise: bool,
    /// The label sets, from id 1.
    pub label_sets: Vec<Vec<String>>,
    /// What the training data says about tags, if that is used.
    pub pruning: Option<Pruning>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sieve: Option<Sieve>,
}
