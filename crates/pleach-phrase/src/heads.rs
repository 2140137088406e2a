//! Stage 4: head words are passed upwards; a coordination passes those of all its conjuncts.
//!
//! Sun et al. (2019), section 3.2.3. Time O(nodes × heads); a node with n conjuncts has at least n heads.

use crate::tree::{Role, Tree};

/// Sets the heads of all nodes: leaf numbers, sorted, traces included.
pub fn pass(tree: &mut Tree) {
    for place in tree.postorder() {
        let node = tree.node(place);
        let mut heads: Vec<u32> = Vec::new();
        if node.is_leaf() {
            heads.push(node.first);
        }
        for &child in &node.children {
            let child = tree.node(child);
            if matches!(child.role, Role::Head | Role::Conjunct) {
                heads.extend_from_slice(&child.heads);
            }
        }
        heads.sort_unstable();
        heads.dedup();
        tree.node_mut(place).heads = heads;
    }
}
