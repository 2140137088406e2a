//! What makes one tree better than another, told to a learner: the parts that only one of the two has.
//!
//! Every function tells exactly the difference of two scores, so that a perceptron's update is one call. O(n) parts.

use super::around::{FILTER, TREE, TreeParts};
use crate::part::{Part, PartLearner};
use pleach_graph::Node;

/// A tree and the label of each word's arc, the root's own place first.
pub type Labelled<'a> = (&'a TreeParts, &'a [u16]);

/// The search should prefer the `right` tree to the `wrong` one, labels by the arcs alone.
pub fn prefer_tree(learner: &mut dyn PartLearner, right: Labelled<'_>, wrong: Labelled<'_>) {
    for dependent in 1..right.0.nodes() {
        for (this, other, amount) in [(right, wrong, 1.0), (wrong, right, -1.0)] {
            let same_arc = this.0.arc(dependent) == other.0.arc(dependent);
            if !same_arc {
                learner.change_part(this.0.arc(dependent), TREE, amount);
            }
            if !same_arc || this.1[dependent] != other.1[dependent] {
                learner.change_part(this.0.label(dependent), this.1[dependent], amount);
            }
            for (here, there) in this.0.around(dependent).into_iter().zip(other.0.around(dependent)) {
                if here != there && learner.scores(here.kind) {
                    learner.change_part(here, TREE, amount);
                }
            }
        }
    }
}

/// What is around the arc into a word should prefer the `right` label to the `wrong` one. The arc's own weights are left
/// alone: the search has to do with them, and what is around an arc learns what they leave open.
pub fn prefer_label(
    learner: &mut dyn PartLearner,
    tree: &TreeParts,
    dependent: usize,
    [right, wrong]: [u16; 2],
) {
    for part in tree.around_label(dependent) {
        if learner.scores(part.kind) {
            learner.change_part(part, right, 1.0);
            learner.change_part(part, wrong, -1.0);
        }
    }
}

/// The filter should prefer one array of heads to another.
pub fn prefer_heads(learner: &mut dyn PartLearner, right: &[u32], wrong: &[u32]) {
    for dependent in (1..right.len()).filter(|&dependent| right[dependent] != wrong[dependent]) {
        for (heads, amount) in [(right, 1.0), (wrong, -1.0)] {
            learner.change_part(Part::arc(heads[dependent] as Node, dependent as Node), FILTER, amount);
        }
    }
}
