//! What a model says of itself: what it is, how it was trained, what it reached.

use crate::recipe::Recipe;
use serde::{Deserialize, Serialize};

/// The version of the file's layout; a reader refuses others.
pub const VERSION: u32 = 1;

/// The description of one trained parser, as JSON in the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// How it was trained.
    pub recipe: Recipe,
    /// The feature templates' text.
    pub templates: String,
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
    /// The actions: move, kind of link (0 none, 1 edge, 2 loop), its id, supertag.
    pub actions: Vec<(u8, u8, u16, u16)>,
    /// What one step of a quantised weight is worth.
    pub scale: f32,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// The training run behind a model. No time stamps: the same run gives the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
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
    /// Arcs of the training data that the system can't build.
    pub arcs_out_of_reach: usize,
    /// All arcs of the training data.
    pub arcs: usize,
    /// The epoch whose weights these are, from 1.
    pub epoch: usize,
    /// How many features have weights.
    pub features: usize,
    /// How many weights there are.
    pub weights: usize,
    /// What it reached on the development data.
    pub dev_scores: Option<DevScores>,
}

/// Scores on the development data: root arcs counted, labels as in the treebank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DevScores {
    /// Labelled precision, in percent.
    pub lp: f64,
    /// Labelled recall.
    pub lr: f64,
    /// Labelled F.
    pub lf: f64,
    /// Unlabelled F.
    pub uf: f64,
    /// Sentences with all arcs and labels right.
    pub exact: f64,
}

impl DevScores {
    /// The scores of a finished comparison.
    pub fn new(scores: &pleach_eval::graph::GraphScores) -> Self {
        DevScores {
            lp: 100.0 * scores.lp(),
            lr: 100.0 * scores.lr(),
            lf: 100.0 * scores.lf(),
            uf: 100.0 * scores.uf(),
            exact: 100.0 * scores.exact(),
        }
    }
}
