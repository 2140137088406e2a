//! One tree parser, ready to run: the search that a [`Card`] describes, and who scores.

use super::parse::{Parse, Space};
use super::recipe::GraphBasedRecipe;
use super::structure;
use crate::engine::{Heeds, Options, TreeEngine};
use crate::families::sieve::Sieve;
use crate::scorer::ModelScorer;
use crate::train::{Catalogue, OpenError};
use crate::workspace::Workspace;
use pleach_graph::{Sentence, Text, Tree};
use pleach_model::View;
use serde::{Deserialize, Serialize};

/// Longer sentences are cut into pieces: the chart and the scores of all arcs grow with the square of the length.
pub(super) const LONGEST: usize = 500;

/// The description of one trained parser, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: GraphBasedRecipe,
    /// The labels; a label is its place here.
    pub labels: Vec<String>,
    /// What arcs go through before they are scored, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::families) sieve: Option<Sieve>,
}

impl From<Card> for Parse {
    fn from(Card { recipe, labels, sieve }: Card) -> Self {
        Parse { recipe, labels: labels.iter().map(Text::from).collect(), sieve }
    }
}

impl From<&Parse> for Card {
    fn from(Parse { recipe, labels, sieve }: &Parse) -> Self {
        let labels = labels.iter().map(Text::to_string).collect();
        Card { recipe: recipe.clone(), labels, sieve: sieve.clone() }
    }
}

/// A parser with its scorer.
#[derive(Debug)]
pub(in crate::families) struct Engine {
    pub parse: Parse,
    pub scorer: Box<dyn ModelScorer>,
}

impl Engine {
    /// The engine of a part of a model file.
    pub fn open(view: &View, catalogue: Catalogue) -> Result<Self, OpenError> {
        let card: Card = serde_json::from_value(view.card().clone())?;
        if card.labels.is_empty() {
            return Err(OpenError::inconsistent("a tree parser needs labels"));
        }
        card.recipe.check().map_err(OpenError::Inconsistent)?;
        let scorer = catalogue.open_scorer(view, &structure(&card.recipe, card.labels.len()))?;
        Ok(Engine { parse: Parse::from(card), scorer })
    }
}

impl TreeEngine for Engine {
    fn batch(&self) -> usize {
        self.scorer.batch()
    }

    fn longest(&self) -> usize {
        LONGEST
    }

    fn heeds(&self) -> Heeds {
        Heeds::BEAM
    }

    fn trees(&self, sentences: &[&Sentence], options: &Options, workspace: &mut Workspace) -> Vec<Tree> {
        let space: &mut Space = workspace.part();
        self.parse.trees(&*self.scorer, sentences, options.beam, space)
    }
}
