//! The families of models. A new family is a new folder and a line in [`FAMILIES`].

mod about;
mod batch;
pub mod books;
mod data;
pub mod factorization;
pub mod graph_based_trees;
pub mod joint;
mod keys;
mod likelihood;
pub mod merging;
mod offers;
mod section;
mod sieve;
#[cfg(test)]
mod tests;
pub mod text;
pub mod transition;
pub mod transition_trees;
mod votes;

pub use about::about;
pub use data::DataError;
pub use votes::{VOTE, tuned_vote_section, vote_section};

use crate::scorer::{BILSTM, LINEAR, ScorerKind};
use crate::train::{Catalogue, Family};
use pleach_model::recipe::{Keys, ScorerKeys, Shelf};

/// All families.
pub static FAMILIES: &[&dyn Family] = &[
    &transition::Transition,
    &transition_trees::TransitionTrees,
    &books::Books,
    &graph_based_trees::GraphBasedTrees,
    &merging::Merging,
    &factorization::Factorization,
    &joint::Joint,
    &votes::Vote,
    &text::TokenizerFamily,
    &text::TAGGER,
    &text::MORPHOLOGY,
    &text::LEMMATIZER,
    &text::PipelineFamily,
];

/// All kinds of scorers. A new one is a line here.
pub static SCORERS: &[&dyn ScorerKind] = &[&LINEAR, &BILSTM];

/// The preset of recipes that name none: its keys are the ones that most recipes of our own change.
const DEFAULT_PRESET: &str = "s2s-combined";

/// The preset that is trained when nothing is asked for: of all single parsers the most accurate, with few training
/// sentences and with many (docs/results/default-preset.md).
pub const BEST_PRESET: &str = "sl-bilstm";

fn family_keys() -> Vec<&'static dyn Keys> {
    FAMILIES.iter().map(|&family| family as &dyn Keys).collect()
}

fn scorer_keys() -> Vec<&'static dyn ScorerKeys> {
    SCORERS.iter().map(|&scorer| scorer as &dyn ScorerKeys).collect()
}

/// The recipes of all families and scorers.
pub const SHELF: Shelf = Shelf { families: family_keys, scorers: scorer_keys, default: DEFAULT_PRESET };

/// All families and scorers.
pub static CATALOGUE: Catalogue = Catalogue { families: FAMILIES, scorers: SCORERS, shelf: SHELF };
