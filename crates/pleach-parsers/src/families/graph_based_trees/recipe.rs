//! The recipe keys of graph-based tree parsers.

use crate::families::sieve;
use pleach_model::recipe::Schedule;
use serde::{Deserialize, Serialize};

/// Which trees are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trees {
    /// Projective ones: Eisner's algorithm, or its second-order extension.
    Projective,
    /// All, exactly over single arcs: Chu-Liu-Edmonds.
    Spanning,
    /// All, from the best projective one by rearrangement.
    Rearranged,
}

/// What training makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// How far the best wrong tree is above the right one, costs counted.
    Margin,
    /// The negative log-likelihood of each word's head and of its label (Dozat & Manning 2017).
    Local,
}

/// All keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphBasedRecipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// Who scores the parts.
    pub scorer: String,
    /// Which trees: `projective`, `spanning` or `rearranged`.
    pub trees: Trees,
    /// 1: arcs alone. 2: siblings and grandchildren too.
    pub order: u8,
    /// The root has exactly one dependent.
    pub single_root: bool,
    /// The share of arcs that a first, cheap pass is to let through, measured on held-out training sentences; 0: there is no such
    /// pass, nor with the local loss.
    pub sieve: f64,
    /// How many heads a word keeps at most for the dear part of the search; `--beam` says otherwise when parsing.
    pub heads: usize,
    /// A head is left out when the filter's score for it is more than this many margins (or logarithms, with local losses)
    /// below the best one's.
    pub gap: f32,
    /// What a rearrangement has to gain.
    pub threshold: f32,
    /// What training makes small: `margin` or `local`; scores are logarithms of probabilities with the latter.
    pub loss: Loss,
    /// By how much a wrong head has to be worse than the gold one in training; a wrong label by half of it.
    pub margin: f32,
    /// How the training data is gone through.
    #[serde(flatten)]
    pub schedule: Schedule,
    /// The template files, shipped names or paths: for arcs.
    pub arc_templates: String,
    /// For labels.
    pub label_templates: String,
    /// For arcs with their inner siblings.
    pub sibling_templates: String,
    /// For arcs with their outermost grandchildren.
    pub grandchild_templates: String,
}

impl Default for GraphBasedRecipe {
    fn default() -> Self {
        GraphBasedRecipe {
            preset: "eisner2".into(),
            scorer: "linear".into(),
            trees: Trees::Projective,
            order: 2,
            single_root: true,
            sieve: 0.0,
            heads: 8,
            gap: 2.0,
            threshold: 0.0,
            loss: Loss::Margin,
            margin: 60.0,
            schedule: Schedule { epochs: 10, ..Schedule::default() },
            arc_templates: "tree-arc".into(),
            label_templates: "tree-label".into(),
            sibling_templates: "tree-sibling".into(),
            grandchild_templates: "tree-grandchild".into(),
        }
    }
}

/// The keys that only linear scorers have.
pub(super) const LINEAR_KEYS: &[&str] =
    &["arc_templates", "label_templates", "sibling_templates", "grandchild_templates"];

/// The presets.
pub(super) const PRESETS: [(&str, Trees, u8); 6] = [
    ("eisner", Trees::Projective, 1),
    ("eisner2", Trees::Projective, 2),
    ("cle", Trees::Spanning, 1),
    ("eisner2-rearranged", Trees::Rearranged, 2),
    ("eisner-bilstm", Trees::Projective, 1),
    ("cle-bilstm", Trees::Spanning, 1),
];

/// What the names of presets end in whose scorer is a network.
const NEURAL: &str = "-bilstm";

impl GraphBasedRecipe {
    /// The recipe of a preset.
    pub(super) fn preset(name: &str) -> Option<Self> {
        let &(preset, trees, order) = PRESETS.iter().find(|(preset, ..)| *preset == name)?;
        let recipe =
            GraphBasedRecipe { preset: preset.to_owned(), trees, order, ..GraphBasedRecipe::default() };
        Some(if name.ends_with(NEURAL) { recipe.neural() } else { recipe })
    }

    /// The same for a network: words choose their heads, and arcs are decided by what they score.
    fn neural(self) -> Self {
        GraphBasedRecipe {
            scorer: "bilstm".into(),
            loss: Loss::Local,
            heads: 4,
            gap: 6.0,
            schedule: Schedule::by_size(),
            ..self
        }
    }

    /// The share that the sieve lets through, if there is one.
    pub(super) fn sieve(&self) -> Option<f64> {
        (self.loss == Loss::Margin && self.sieve > 0.0).then_some(self.sieve)
    }

    /// What scores are measured in: the margin, or the unit of logarithms.
    pub(in crate::families) fn unit(&self) -> f32 {
        match self.loss {
            Loss::Margin => self.margin,
            Loss::Local => 1.0,
        }
    }

    /// Says what makes no sense.
    pub(super) fn check(&self) -> Result<(), String> {
        match (self.trees, self.order) {
            (_, 0 | 3..) => Err(format!("'order' is 1 or 2, not {}", self.order)),
            (Trees::Spanning, 2) => Err("trees = 'spanning' goes with order = 1; 'rearranged' with 2".into()),
            (Trees::Rearranged, 1) => {
                Err("trees = 'rearranged' goes with order = 2; 'spanning' with 1".into())
            }
            (_, 2) if self.loss == Loss::Local => {
                Err("what is learnt locally are single arcs: 'order' is 1 with it".into())
            }
            _ if !(0.0..=1.0).contains(&self.sieve) => Err(sieve::no_share(self.sieve)),
            _ if self.heads == 0 => Err("'heads' is at least 1".into()),
            _ => Ok(()),
        }
    }
}
