//! Stage 3 for Penn Treebank brackets: traces have their antecedents in the file, except that the operator of a
//! relative clause stands for the noun that the clause modifies.

use crate::tree::{Place, Role, Tree};

/// Ties the operators of relative clauses to their nouns.
pub fn link(tree: &mut Tree) {
    for clause in tree.preorder() {
        if tree.node(clause).function != Some("RELATIVE") {
            continue;
        }
        let Some(phrase) = tree.node(clause).parent else { continue };
        let head = |&&child: &&Place| tree.node(child).role == Role::Head;
        let Some(noun) = tree.children(phrase).iter().find(head).copied() else { continue };
        let operator = |&&child: &&Place| tree.node(child).category.starts_with("WH");
        let operator = tree.children(clause).iter().find(operator).copied();
        if let Some(index) = operator.and_then(|operator| tree.node(operator).indices.first().copied()) {
            tree.node_mut(noun).indices.push(index);
        }
    }
}
