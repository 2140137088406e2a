//! The recipe keys of parsers that merge trees.

use super::marks::Marks;
use crate::families::{keys, sieve};
use pleach_decode::merge::{Coefficients, Plan, TREES};
use pleach_model::recipe::{Recipe, RecipeError, Schedule, Shelf, When};
use serde::{Deserialize, Serialize};

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MergingRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// Who scores in the tree models.
    pub scorer: String,
    /// The labels of long-distance dependencies; a star at the end stands for any ending.
    pub long_labels: String,
    /// The labels of arcs from one conjunct to another.
    pub coordination_labels: String,
    /// w1: what an edge of the graph is worth to a tree.
    pub edge_weight: f64,
    /// w2: what its direction is worth.
    pub direction_weight: f64,
    /// w3: what a short arc is worth.
    pub distance_weight: f64,
    /// w4: what a short path in the graph is worth.
    pub path_weight: f64,
    /// d: what a long-distance arc or a conjunct is worth to the tree that should have it.
    pub variation_weight: f64,
    /// By how much the trees prefer different edges.
    pub lean_weight: f64,
    /// The most iterations when a graph is taken apart; 1 is simple decomposition.
    pub decompositions: usize,
    /// The most iterations when trees are merged; 1 is simple merging.
    pub iterations: usize,
    /// The first step when trees are merged, in units of the tree models' margin.
    pub step: f64,
    /// How many readings of an edge are told apart: its labels, by what the trees think of them.
    pub readings: usize,
    /// Which tree's subgraph is given, 1 to 3; 0 for all three merged.
    pub subgraph: usize,
    /// The share of arcs that a first, cheap pass is to let through, measured on held-out training sentences; 0: there is no such
    /// pass, nor with the local loss.
    pub sieve: f64,
    /// The preset of the tree models.
    pub tree_model: String,
    /// The tree models share one scorer, as a network that reads a sentence once; they must learn locally then.
    pub share: bool,
    /// Put labels aside.
    pub unlabelled: bool,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// Fold empty nodes into path labels.
    pub collapse: When,
    /// Write placeholders for words in labels.
    pub delexicalise: When,
}

impl Default for MergingRecipe {
    fn default() -> Self {
        let Plan { coefficients, iterations, .. } = Plan::default();
        MergingRecipe {
            preset: PRESETS[0].into(),
            scorer: "linear".into(),
            // Those of enhanced UD, then the reverse relations of Chinese semantic dependencies.
            long_labels: "nsubj:xsubj,nsubj:pass:xsubj,csubj:xsubj,ref,\
                          rA*,rB*,rC*,rD*,rE*,rF*,rH*,rI*,rL*,rM*,rO*,rP*,rQ*,rR*,rS*,rT*,rV*"
                .into(),
            coordination_labels: "conj*,eCoo".into(),
            edge_weight: coefficients.edge,
            direction_weight: coefficients.direction,
            distance_weight: coefficients.distance,
            path_weight: coefficients.path,
            variation_weight: coefficients.variation,
            lean_weight: coefficients.lean,
            decompositions: iterations,
            iterations: 100,
            step: 0.2,
            readings: 2,
            subgraph: 0,
            sieve: 0.0,
            tree_model: "eisner2".into(),
            share: false,
            unlabelled: false,
            schedule: Schedule { epochs: 8, ..Schedule::default() },
            collapse: When::Auto,
            delexicalise: When::Auto,
        }
    }
}

/// The share of arcs that the first pass of linear tree models is to let through: with 0.995 of them graphs lose 0.15 LF, with this
/// nothing that could be told (`docs/results/speed.md`).
pub(super) const PASSED: f64 = 0.998;

/// How often a weight must have changed where there are enough sentences: with 3 changes graphs lose 0.05 LF, with 2 they gain 0.09.
pub(super) const LEAST_UPDATES: i64 = 2;

/// The names of the presets: merging by relaxation, and simple merging.
pub(super) const PRESETS: [&str; 4] =
    ["merge-linear", "merge-linear-simple", "merge-bilstm", "merge-bilstm-simple"];

impl MergingRecipe {
    /// The recipe of a preset.
    pub(super) fn preset(name: &str) -> Option<Self> {
        PRESETS.contains(&name).then_some(())?;
        let mut recipe = MergingRecipe { preset: name.to_owned(), ..MergingRecipe::default() };
        if name.starts_with("merge-bilstm") {
            recipe.scorer = "bilstm".into();
            recipe.tree_model = "eisner-bilstm".into();
            recipe.share = true;
            recipe.schedule = Schedule::by_size();
        }
        if name.ends_with("-simple") {
            recipe.iterations = 1;
        }
        Some(recipe)
    }

    /// How graphs are taken apart.
    pub fn plan(&self) -> Plan {
        let coefficients = Coefficients {
            edge: self.edge_weight,
            direction: self.direction_weight,
            distance: self.distance_weight,
            path: self.path_weight,
            variation: self.variation_weight,
            lean: self.lean_weight,
        };
        Plan { coefficients, iterations: self.decompositions, ..Plan::default() }
    }

    /// The labels that it names.
    pub fn marks(&self) -> Marks {
        Marks::new(&self.long_labels, &self.coordination_labels)
    }

    /// The recipe of the tree models in a recipe of this kind.
    pub(super) fn tree_recipe(recipe: &Recipe) -> Result<Recipe, RecipeError> {
        let MergingRecipe { tree_model, schedule, sieve, .. } = recipe.typed()?;
        let mut tree = recipe.shelf().preset(&tree_model)?;
        tree.set("single_root", false)?;
        tree.set("sieve", sieve)?;
        keys::hand_down(recipe, &schedule, &mut tree)?;
        Ok(tree)
    }

    /// Says what makes no sense.
    pub(super) fn check(&self, shelf: Shelf) -> Result<(), String> {
        match () {
            () if self.iterations == 0 || self.decompositions == 0 => {
                Err("'iterations' and 'decompositions' are at least 1".into())
            }
            () if !(0.0..=1.0).contains(&self.sieve) => Err(sieve::no_share(self.sieve)),
            () if self.readings == 0 => Err("'readings' is at least 1".into()),
            () if self.subgraph > TREES => Err(format!("'subgraph' is 0 to {TREES}")),
            () => {
                let recipe =
                    shelf.preset(&self.tree_model).map_err(|error| format!("tree_model: {error}"))?;
                match recipe.number("order") {
                    Some(_) => Ok(()),
                    None => Err(format!("tree_model: '{}' is no graph-based tree parser", self.tree_model)),
                }
            }
        }
    }
}
