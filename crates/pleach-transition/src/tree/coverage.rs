//! What a setting can build of a treebank: NPS of `bohnet-2016` Table 2, and the part of a graph that the DAG
//! system covers.

use super::oracle::{Gold, Oracle};
use super::system::System;
use crate::Node;

/// How many trees of a treebank a system can build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The trees that it can build.
    pub reached: usize,
    /// All trees.
    pub trees: usize,
}

impl Coverage {
    /// Counts one tree; gives whether it can be built.
    pub fn add(&mut self, system: &System, gold: &Gold, oracle: &mut Oracle) -> bool {
        let reached = oracle.derive(system, gold).is_some();
        self.trees += 1;
        self.reached += usize::from(reached);
        reached
    }

    /// NPS: the share of trees that can be built, in percent.
    pub fn share(&self) -> f64 {
        100.0 * self.reached as f64 / self.trees.max(1) as f64
    }
}

/// The arcs (head, dependent, label) of a graph that a system with the root on the right and `Heads::Many` can
/// build together: no two cross, none closes a cycle, and a pair has one at most. Short arcs come first.
///
/// Complexity: O(m²).
pub fn noncrossing_acyclic(len: usize, arcs: &[(Node, Node, u16)]) -> Vec<(Node, Node, u16)> {
    let place = |node: Node| if node == 0 { len as Node + 1 } else { node };
    let span = |&(head, dependent, _): &(Node, Node, u16)| {
        let (head, dependent) = (place(head), place(dependent));
        (head.min(dependent), head.max(dependent))
    };
    let mut sorted = arcs.to_vec();
    sorted.sort_unstable_by_key(|arc| (span(arc).1 - span(arc).0, span(arc), *arc));
    let mut kept: Vec<(Node, Node, u16)> = Vec::new();
    for arc in sorted {
        let (low, high) = span(&arc);
        let clash = |other: &(Node, Node, u16)| {
            let (a, b) = span(other);
            (a, b) == (low, high) || a < low && low < b && b < high || low < a && a < high && high < b
        };
        if low != high && arc.1 != 0 && !kept.iter().any(clash) && !leads_to(len, &kept, arc.1, arc.0) {
            kept.push(arc);
        }
    }
    kept
}

/// Whether there is a path from one node to another.
fn leads_to(len: usize, arcs: &[(Node, Node, u16)], from: Node, to: Node) -> bool {
    let mut seen = vec![false; len + 1];
    let mut waiting = vec![from];
    while let Some(node) = waiting.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node as usize], true) {
            waiting.extend(arcs.iter().filter(|arc| arc.0 == node).map(|arc| arc.1));
        }
    }
    false
}
