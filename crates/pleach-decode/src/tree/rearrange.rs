//! Non-projective trees by rearrangement (McDonald & Pereira 2006, Figure 4).
//!
//! Class: all trees over the candidate arcs. From the best projective tree on, the one change of a head that gains
//! most is made until none gains enough. Invariant: the array of heads is a tree after every change, and its
//! score rises with each. A change moves one subtree, which touches the factors of three nodes only: its own, its old
//! head's and its new head's. O(k·n·(k + depth)) a change.

use super::{Parts, Root};

/// Changes heads until no single change gains more than `threshold`; gives the number of changes. `heads` must
/// be a tree over the candidates. A single root keeps its dependent.
pub fn rearrange(parts: &Parts, root: Root, threshold: f32, heads: &mut [u32]) -> usize {
    let arcs = &parts.arcs;
    // Every change raises the score, so this ends; the bound is for rounding errors.
    for changes in 0..arcs.nodes() {
        let mut best = (threshold.max(0.0), None);
        for arc in 0..arcs.len() {
            let (head, dependent) = (arcs.head(arc), arcs.dependent(arc));
            let old = heads[dependent] as usize;
            let moves_root = root == Root::Single && (head == 0 || old == 0);
            if old == head || moves_root || is_below(heads, head, dependent) {
                continue;
            }
            let score = |heads: &[u32]| {
                parts.around(heads, old) + parts.around(heads, head) + parts.around(heads, dependent)
            };
            let before = score(heads);
            heads[dependent] = head as u32;
            let gain = score(heads) - before;
            heads[dependent] = old as u32;
            if gain > best.0 {
                best = (gain, Some(arc));
            }
        }
        let Some(arc) = best.1 else { return changes };
        heads[arcs.dependent(arc)] = arcs.head(arc) as u32;
    }
    arcs.nodes()
}

/// Whether `node` is `top` or hangs below it.
fn is_below(heads: &[u32], mut node: usize, top: usize) -> bool {
    while node != top && node != 0 {
        node = heads[node] as usize;
    }
    node == top
}

impl Parts {
    /// The score of a tree, projective or not; minus infinity when an arc is no candidate.
    pub fn total(&self, heads: &[u32]) -> f32 {
        (0..self.arcs.nodes()).map(|node| self.around(heads, node)).sum()
    }

    /// The score of the factors around a node: the arcs to its dependents with their inner siblings, and the arc
    /// from its head with its own outermost dependents. The sum over all nodes is the score of the tree.
    pub fn around(&self, heads: &[u32], node: usize) -> f32 {
        let arcs = &self.arcs;
        let is_child = |&arc: &usize| heads[arcs.dependent(arc)] as usize == node;
        let mut sum = 0.0;
        let mut outermost = [None; 2];
        for arc in arcs.left_of(node).rev().filter(is_child) {
            sum += self.scores[arc] + self.sibling(arc, outermost[0]);
            outermost[0] = Some(arc);
        }
        for arc in arcs.right_of(node).filter(is_child) {
            sum += self.scores[arc] + self.sibling(arc, outermost[1]);
            outermost[1] = Some(arc);
        }
        if node == 0 {
            return sum;
        }
        let Some(above) = arcs.find(heads[node] as usize, node) else { return f32::NEG_INFINITY };
        for (side, outermost) in outermost.into_iter().enumerate() {
            sum += match outermost {
                Some(outer) => self.grandchild(above, outer),
                None => self.no_grandchild(above, side == 1),
            };
        }
        sum
    }
}
