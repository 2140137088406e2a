//! Stage 1: every node gets one grammatical function, or is a head, a conjunct or a conjunction.
//!
//! Sun et al. (2019), section 3.2.1. What each local tree does stands in [`super::tables`]; the few things
//! that are no table are here. Time linear in the size of the tree.

use super::shape::{Shape, analyse};
use super::tables::{CONJUNCTIONS, FULL_STOP, FUNCTIONS, PARENTHETICAL, REFINED, ROWS, find};
use crate::rules::{apply, crown, nouns_in_row};
use crate::tree::{Place, ROOT, Role, Tree};
use crate::{Style, is_punctuation};

/// Annotates all nodes.
pub fn annotate(tree: &mut Tree, style: Style) {
    for place in tree.preorder() {
        if place == ROOT {
            crown(tree);
        } else if !tree.node(place).is_leaf() {
            local(tree, place, style);
        }
    }
    correct(tree);
}

fn local(tree: &mut Tree, place: Place, style: Style) {
    let (shape, head) = analyse(tree, place, style);
    let category = tree.node(place).category.clone();
    let refined = if style == Style::Refined { find(REFINED, &category, shape) } else { None };
    let Some(row) = refined.or_else(|| find(ROWS, &category, shape)) else { return };
    apply(tree, place, &row.rule, head, FUNCTIONS, is_conjunction);
    if shape == Shape::Coordination && category == "NP" {
        nouns_in_row(tree, place);
    }
    if style == Style::Refined {
        refine(tree, place, shape);
    }
}

/// Whether a child stands between conjuncts.
fn is_conjunction(tree: &Tree, place: Place) -> bool {
    let node = tree.node(place);
    let joins = CONJUNCTIONS.contains(&node.category.as_str());
    let mark = is_punctuation(node) && node.word.as_deref() != Some(FULL_STOP);
    node.is_leaf() && (joins || mark)
}

/// An IP under a VP is a complement whatever its tag says, and an IP alone under an IP is that IP.
fn correct(tree: &mut Tree) {
    for place in tree.preorder() {
        while let &[only] = tree.children(place)
            && tree.node(place).is("IP")
            && tree.node(only).is("IP")
        {
            let children = std::mem::take(&mut tree.node_mut(only).children);
            tree.set_children(place, children);
        }
        if tree.node(place).is("VP") {
            for child in tree.children(place).to_vec() {
                let node = tree.node_mut(child);
                if node.is("IP") && node.role == Role::Dependent {
                    node.function = Some("COMP");
                }
            }
        }
    }
}

/// What the refined style does beyond its tables.
fn refine(tree: &mut Tree, place: Place, shape: Shape) {
    let children = tree.children(place).to_vec();
    // A parenthesis explains what stands before it and is no conjunct.
    if shape == Shape::Coordination {
        for pair in children.windows(2) {
            if tree.node(pair[1]).is(PARENTHETICAL) && tree.node(pair[1]).role == Role::Conjunct {
                tree.node_mut(pair[1]).role = Role::Dependent;
            }
        }
    }
    // The head of a clause is its predicate, also when a particle or a stray leaf follows it.
    let clause = tree.node(place).is("IP") && shape == Shape::Complementation;
    let predicate = children.iter().rev().copied().find(|&child| tree.node(child).is("VP"));
    if let Some(predicate) = predicate.filter(|_| clause) {
        for &child in &children {
            let particle = tree.node(child).is("SP");
            let node = tree.node_mut(child);
            if child == predicate {
                (node.role, node.function) = (Role::Head, None);
            } else if node.role == Role::Head {
                (node.role, node.function) = (Role::Dependent, Some(if particle { "PRT" } else { "ADV" }));
            } else if particle {
                node.function = Some("PRT");
            }
        }
    }
}
