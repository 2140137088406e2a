//! Structured learning over whole trees (McDonald et al. 2005), with costs in the search.
//!
//! The filter and the tree model learn from the same sentence: each from its own best tree. What is around an arc learns
//! its label where the arc is right.

use super::search::{Analysis, Problem, Search};
use crate::scorer::Learner;
use pleach_decode::tree::TreeParts;
use pleach_decode::tree::learning::{prefer_heads, prefer_label, prefer_tree};

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct Space {
    search: Search,
    gold: TreeParts,
    best: TreeParts,
}

/// Searches one sentence and says what should change; `problem` has the gold tree.
pub(super) fn learn(
    learner: &mut dyn Learner,
    problem: &Problem<'_>,
    gold: &Analysis,
    space: &mut Space,
) -> bool {
    let Space { search, gold: gold_parts, best: best_parts } = space;
    search.run(learner, problem);
    prefer_heads(learner, &gold.heads, &search.filtered);
    gold_parts.fill(&gold.heads);
    best_parts.fill(&search.best.heads);
    prefer_tree(learner, (gold_parts, &gold.labels), (best_parts, &search.first_labels));
    for word in 1..gold.heads.len() {
        let labels = [gold.labels[word], search.best.labels[word]];
        if search.best.heads[word] == gold.heads[word] && labels[0] != labels[1] {
            prefer_label(learner, best_parts, word, labels);
        }
    }
    search.best != *gold
}
