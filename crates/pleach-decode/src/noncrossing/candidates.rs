//! The edges that a decoder may choose from.
//!
//! Invariant: sorted by left, then right end; no pair stands twice; left < right < number of nodes.

use pleach_graph::Node;
use std::ops::Range;

/// The number of a candidate edge.
pub type EdgeId = u32;

/// Candidate edges over a spine, found by either end. Can be filled again for the next sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    edges: Vec<(Node, Node)>,
    /// The edges whose left end is s are `starts[s]..starts[s + 1]`.
    starts: Vec<u32>,
    /// All edges by right, then left end.
    by_right: Vec<EdgeId>,
    /// The edges whose right end is e are `by_right[ends[e]..ends[e + 1]]`.
    ends: Vec<u32>,
}

impl Candidates {
    /// All pairs of nodes.
    pub fn complete(nodes: usize) -> Candidates {
        let mut all = Candidates::default();
        all.fill(nodes, |_, _| true);
        all
    }

    /// Takes those pairs of nodes for which `keep` says so. It is asked once for every pair, in order.
    pub fn fill(&mut self, nodes: usize, mut keep: impl FnMut(Node, Node) -> bool) {
        self.edges.clear();
        for left in 0..nodes as Node {
            self.edges.extend(
                (left + 1..nodes as Node).filter(|&right| keep(left, right)).map(|right| (left, right)),
            );
        }
        self.index(nodes);
    }

    /// Takes pairs of nodes in any order; pairs that are no edges over so many nodes are left out.
    pub fn set(&mut self, nodes: usize, pairs: impl IntoIterator<Item = (Node, Node)>) {
        self.edges.clear();
        let pairs = pairs.into_iter().filter(|&(left, right)| left < right && usize::from(right) < nodes);
        self.edges.extend(pairs);
        self.edges.sort_unstable();
        self.edges.dedup();
        self.index(nodes);
    }

    fn index(&mut self, nodes: usize) {
        for counts in [&mut self.starts, &mut self.ends] {
            counts.clear();
            counts.resize(nodes + 1, 0);
        }
        for &(left, right) in &self.edges {
            self.starts[usize::from(left) + 1] += 1;
            self.ends[usize::from(right) + 1] += 1;
        }
        for counts in [&mut self.starts, &mut self.ends] {
            for node in 0..nodes {
                counts[node + 1] += counts[node];
            }
        }
        self.by_right.clear();
        self.by_right.extend(0..self.edges.len() as EdgeId);
        self.by_right.sort_unstable_by_key(|&edge| {
            let (left, right) = self.edges[edge as usize];
            (right, left)
        });
    }

    /// The number of nodes.
    #[inline]
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of edges.
    #[inline]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The left and the right end of an edge.
    #[inline]
    pub fn ends(&self, edge: EdgeId) -> (Node, Node) {
        self.edges[edge as usize]
    }

    /// All edges in order.
    pub fn edges(&self) -> &[(Node, Node)] {
        &self.edges
    }

    /// The edges from a node to the right, the shortest first.
    #[inline]
    pub fn rightward(&self, node: Node) -> Range<EdgeId> {
        self.starts[usize::from(node)]..self.starts[usize::from(node) + 1]
    }

    /// The edges from a node to the left, the longest first.
    #[inline]
    pub fn leftward(&self, node: Node) -> &[EdgeId] {
        &self.by_right[self.ends[usize::from(node)] as usize..self.ends[usize::from(node) + 1] as usize]
    }

    /// The edge between two nodes.
    pub fn find(&self, left: Node, right: Node) -> Option<EdgeId> {
        self.edges.binary_search(&(left, right)).ok().map(|place| place as EdgeId)
    }

    /// Whether two edges cross.
    #[inline]
    pub fn cross(&self, a: EdgeId, b: EdgeId) -> bool {
        let ((a, b), (c, d)) = (self.ends(a), self.ends(b));
        (a < c && c < b && b < d) || (c < a && a < d && d < b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_found_by_either_end() {
        let mut some = Candidates::default();
        some.set(5, [(2, 4), (0, 3), (1, 3), (0, 1), (0, 3), (3, 2), (4, 5)]);
        assert_eq!(some.edges(), [(0, 1), (0, 3), (1, 3), (2, 4)]);
        assert_eq!((some.nodes(), some.len()), (5, 4));
        assert_eq!(some.rightward(0), 0..2);
        assert_eq!(some.rightward(3), 4..4);
        assert_eq!(some.leftward(3), [1, 2]);
        assert!(some.leftward(2).is_empty());
        assert_eq!((some.find(2, 4), some.find(2, 3)), (Some(3), None));
        assert!(some.cross(1, 3) && some.cross(3, 1) && !some.cross(1, 2) && !some.cross(0, 1));
        assert_eq!(Candidates::complete(4).len(), 6);
        assert_eq!(Candidates::default().nodes(), 0);
    }
}
