//! The end of stage 3: ba, bei and serial verbs, which change functions and heads rather than links.
//!
//! They come after the links, which look for subjects by their function.

use crate::tree::{Role, Tree};

/// The function of the subject of a clause under a marker.
const MARKED: [(&str, &str); 2] = [("BA", "SBJ*ba"), ("LB", "SBJ*bei")];

/// The function of the subject of a clause with short bei.
const SHORT_BEI: &str = "SBJbei";

/// Marks subjects under ba and bei, and makes both verb phrases of a serial construction heads.
pub fn mark(tree: &mut Tree) {
    for place in tree.preorder() {
        if tree.node(place).function != Some("SBJ") {
            continue;
        }
        let mut above = tree.ancestors(place).take(2);
        let (Some(clause), Some(phrase)) = (above.next(), above.next()) else { continue };
        drop(above);
        if !tree.node(clause).is("IP") || !tree.node(phrase).is("VP") {
            continue;
        }
        let marker = tree.children(phrase).first().map(|&first| tree.node(first).category.clone());
        if let Some(&(_, function)) = MARKED.iter().find(|(tag, _)| marker.as_deref() == Some(*tag)) {
            tree.node_mut(place).function = Some(function);
        }
    }
    for leaf in tree.leaves().to_vec() {
        if !tree.node(leaf).is("SB") {
            continue;
        }
        let Some(clause) = tree.above(leaf, &["IP"]) else { continue };
        for child in tree.children(clause).to_vec() {
            let node = tree.node_mut(child);
            if node.function == Some("SBJ") {
                node.function = Some(SHORT_BEI);
            }
        }
    }
    for place in tree.preorder() {
        if let &[first, second] = tree.children(place)
            && [place, first, second].iter().all(|&verbal| tree.node(verbal).is("VP"))
        {
            for verbal in [first, second] {
                let node = tree.node_mut(verbal);
                (node.role, node.function) = (Role::Conjunct, None);
            }
        }
    }
}
