//! The table O of M1 and M2: the best graph over each span.
//!
//! > O[s,e] = max( O[s+1,e], max over edges (s,k), k ≤ e, of C[s,k] + O[k,e] ),  O[e,e] = 0,
//!
//! where k is the farthest node linked to s. Rows are filled from the last s to the first. In a row the edges of s
//! are linked from the shortest to the longest, so that O[s,k] is final without (s,k) just before (s,k) is linked.

use super::{EdgeId, Node};

pub(super) const NONE: EdgeId = EdgeId::MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    nodes: usize,
    values: Vec<f32>,
    /// The longest edge of s inside the span, or [`NONE`].
    longest: Vec<EdgeId>,
}

impl Open {
    pub(super) fn start(&mut self, nodes: usize) {
        self.nodes = nodes;
        self.values.clear();
        self.values.resize(nodes * nodes, 0.0);
        self.longest.clear();
        self.longest.resize(nodes * nodes, NONE);
    }

    fn place(&self, s: Node, e: Node) -> usize {
        usize::from(s) * self.nodes + usize::from(e)
    }

    /// O[s,e]; 0 for an empty span.
    pub(super) fn value(&self, s: Node, e: Node) -> f32 {
        if s < e { self.values[self.place(s, e)] } else { 0.0 }
    }

    pub(super) fn longest(&self, s: Node, e: Node) -> EdgeId {
        self.longest[self.place(s, e)]
    }

    /// O[s,e] ← O[s+1,e] for all e.
    pub(super) fn begin_row(&mut self, s: Node) {
        let (row, next) = (self.place(s, s + 1), self.place(s + 1, s + 1));
        let count = self.nodes - usize::from(s) - 1;
        self.values.copy_within(next..next + count, row);
    }

    /// O[s,e] ← max( O[s,e], C[s,k] + O[k,e] ) for all e ≥ k.
    pub(super) fn link(&mut self, s: Node, k: Node, edge: EdgeId, closed: f32) {
        let (row, next) = (self.place(s, k), self.place(k, k));
        let count = self.nodes - usize::from(k);
        let (above, below) = self.values.split_at_mut(next);
        let targets = above[row..row + count].iter_mut().zip(&mut self.longest[row..row + count]);
        for ((value, longest), tail) in targets.zip(&below[..count]) {
            let sum = closed + tail;
            if sum > *value {
                (*value, *longest) = (sum, edge);
            }
        }
    }
}
