//! What the graphs of a treebank keep to, as counted when a model was trained on them.

use serde::{Deserialize, Serialize};

/// Counts over the training graphs, empty nodes folded away. What nearly all of them keep, parsed graphs are made to
/// keep too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// How many graphs there were.
    pub graphs: usize,
    /// Those with a top.
    pub rooted: usize,
    /// Those with exactly one.
    pub one_root: usize,
    /// Those whose words can all be reached from the root.
    pub connected: usize,
    /// Those without cycles.
    pub acyclic: usize,
    /// The label that nearly all arcs from the root have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_label: Option<String>,
    /// As many dependents nearly all empty nodes have; 0 when there are no empty nodes.
    pub least_dependents: usize,
    /// The parts of labels that name words of their sentence (`because_of` in `obl:because_of`), sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}
