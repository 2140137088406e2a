//! The dependency tree that the same heads give: one head for each word.
//!
//! Where a node has several head words the first one stands for it, the other conjuncts depend on it (CJT), as
//! in Xue's CTB dependencies (Figure 7b of Sun et al. 2019). Traces have no place here: a phrase whose head is
//! empty is headed by its next best child. Invariant: the heads form a projective tree over all words.

use crate::is_punctuation;
use crate::tree::{Place, ROOT, Role, Tree};
use pleach_graph::NodeId;

/// The head of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The head; the root for one word of the sentence.
    pub head: NodeId,
    /// The relation.
    pub label: &'static str,
}

/// The attachments of all words in order.
pub fn attach(tree: &Tree) -> Vec<Attachment> {
    let order = tree.preorder();
    let last = order.iter().max().copied().unwrap_or(ROOT);
    // The word that stands for each node.
    let mut word: Vec<Option<NodeId>> = vec![None; last + 1];
    let mut attachments = vec![Attachment { head: NodeId::ROOT, label: "ROOT" }; tree.word_count()];
    for &place in order.iter().rev() {
        let node = tree.node(place);
        if node.is_leaf() {
            word[place] = tree.word(node.first);
            continue;
        }
        let Some(head) = best_child(tree, place, &word) else { continue };
        word[place] = word[head];
        let Some(governor) = word[head] else { continue };
        for &child in &node.children {
            if let Some(dependent) = word[child].filter(|_| child != head) {
                let label = label_of(tree, child);
                attachments[dependent.index() - 1] = Attachment { head: governor, label };
            }
        }
    }
    attachments
}

/// The child whose word stands for the node.
fn best_child(tree: &Tree, place: Place, word: &[Option<NodeId>]) -> Option<Place> {
    let children = tree.children(place);
    let filled = || children.iter().copied().filter(|&child| word[child].is_some());
    let with = |role: Role| filled().find(|&child| tree.node(child).role == role);
    with(Role::Head)
        .or_else(|| with(Role::Conjunct))
        .or_else(|| filled().rfind(|&child| !is_punctuation(tree.node(child))))
        .or_else(|| filled().next())
}

fn label_of(tree: &Tree, place: Place) -> &'static str {
    let node = tree.node(place);
    match (node.role, node.function) {
        _ if is_punctuation(node) => "PU",
        (Role::Conjunction, _) => "CC",
        (Role::Conjunct | Role::Head, _) => "CJT",
        (Role::Dependent, Some(function)) => function,
        (Role::Dependent, None) => "UNSPEC",
    }
}
