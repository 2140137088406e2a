//! The shape of a local tree (a node and its children) and its head.
//!
//! Xue, *Tapping the implicit information for the PS to DS conversion of the Chinese Treebank* (2007), as the
//! conversion of Sun et al. (2019), section 3.2.1, uses it. Time linear in the number of children.

use super::tables::{ASPECT, COMPOUNDS, CONJUNCTIONS, PARENTHETICAL};
use crate::tree::{Place, Tree};
use crate::{Style, is_punctuation};

/// How the children of a node hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Conjuncts beside each other.
    Coordination,
    /// Leaves (or verb compounds) only.
    Flat,
    /// An auxiliary before the verb phrase that it belongs to.
    Auxiliary,
    /// A leaf with its complements.
    Complementation,
    /// A subject and its predicate.
    Predication,
    /// Adjuncts and the phrase that they modify.
    Adjunction,
}

/// What is counted about the children of a node.
#[derive(Default)]
struct Children {
    conjunctions: usize,
    punctuation: usize,
    leaves: usize,
    /// Whether all counted leaves have the same tag.
    mixed_leaves: bool,
    /// The last leaf or compound that can be a head, with its place among the children.
    leaf_head: Option<(usize, Place)>,
    leaf: Option<Place>,
    phrases: usize,
    mixed_phrases: bool,
    phrase_head: Option<Place>,
}

/// The shape of a node and the child that heads it. A coordination has no single head.
pub fn analyse(tree: &Tree, place: Place, style: Style) -> (Shape, Option<Place>) {
    let node = tree.node(place);
    let children = &node.children;
    let seen = survey(tree, place, style);
    let no_leaf = seen.leaf_head.is_none();
    let list_of_leaves = seen.leaves > 1 && seen.phrases == 0 && !seen.mixed_leaves;
    let list_of_phrases = no_leaf && seen.phrases > 1 && !seen.mixed_phrases;
    if seen.conjunctions > 0
        || node.is("VCD")
        || (seen.punctuation > 0 && (list_of_leaves || list_of_phrases))
        || (no_leaf && node.is("UCP"))
    {
        return (Shape::Coordination, None);
    }
    if seen.phrases == 0 {
        let other = || children.iter().copied().find(|&child| !is_punctuation(tree.node(child)));
        return (Shape::Flat, seen.leaf_head.map(|(_, leaf)| leaf).or_else(other));
    }
    if let Some((at, leaf)) = seen.leaf_head {
        return match children.get(at + 1) {
            Some(&next) if tree.node(next).is("VP") => (Shape::Auxiliary, Some(next)),
            _ => (Shape::Complementation, Some(leaf)),
        };
    }
    let predicate = |head: Place| {
        let head = tree.node(head);
        head.is("VP") || head.tags.iter().any(|tag| tag == "PRD")
    };
    let shape = match seen.phrase_head {
        Some(head) if node.is("IP") && predicate(head) => Shape::Predication,
        _ => Shape::Adjunction,
    };
    (shape, seen.phrase_head)
}

fn survey(tree: &Tree, place: Place, style: Style) -> Children {
    let mut seen = Children::default();
    let mut begun = false;
    let mut waiting = 0;
    for (at, &child) in tree.children(place).iter().enumerate() {
        let node = tree.node(child);
        if is_punctuation(node) {
            waiting += usize::from(begun || style == Style::Reference);
            continue;
        }
        seen.punctuation += std::mem::take(&mut waiting);
        // A conjunction before everything else joins the clause to the text, not two conjuncts.
        let joins = begun || style == Style::Reference;
        begun = true;
        if node.is_leaf() && CONJUNCTIONS.contains(&node.category.as_str()) {
            seen.conjunctions += usize::from(joins);
        } else if node.is_leaf() && node.is(ASPECT) {
            // An aspect marker is never a head.
        } else if node.is_leaf() {
            seen.leaves += 1;
            seen.mixed_leaves |= seen.leaf.is_some_and(|leaf| tree.node(leaf).category != node.category);
            seen.leaf = Some(child);
            seen.leaf_head = Some((at, child));
        } else if COMPOUNDS.contains(&node.category.as_str()) {
            seen.leaf_head = Some((at, child));
        } else if !node.is(PARENTHETICAL) {
            seen.phrases += 1;
            seen.mixed_phrases |=
                seen.phrase_head.is_some_and(|last| tree.node(last).category != node.category);
            seen.phrase_head = Some(child);
        }
    }
    // A full stop behind a subject and a nominal predicate makes no list of them, except in the paper's graphs.
    seen.punctuation += if style == Style::Reference { waiting } else { 0 };
    seen
}

/// Whether the modifiers of a node can be nested one by one: it is an adjunction.
pub(crate) fn is_adjunction(tree: &Tree, place: Place) -> bool {
    analyse(tree, place, Style::Reference).0 == Shape::Adjunction
}
