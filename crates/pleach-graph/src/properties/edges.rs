//! The linked pairs of nodes, directions and labels put aside.
//!
//! Invariant: sorted by left, then right end; no pair stands twice; left < right.

use crate::{Graph, NodeId};

/// Whether the arcs of the virtual root count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The root is a node left of the first token.
    Included,
    /// Only arcs between tokens count.
    Excluded,
}

/// An unordered pair of linked nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The end that comes first in the sentence.
    pub left: NodeId,
    /// The end that comes last.
    pub right: NodeId,
}

impl Edge {
    /// Whether the two edges cross when both are drawn above the words: one end of each lies strictly
    /// inside the other.
    pub fn crosses(self, other: Edge) -> bool {
        let inside = |node: NodeId, edge: Edge| edge.left < node && node < edge.right;
        (inside(self.left, other) && self.right > other.right)
            || (inside(self.right, other) && self.left < other.left)
    }
}

/// The undirected edges of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edges {
    pub(super) edges: Vec<Edge>,
    /// The number of nodes, the root among them.
    pub(super) nodes: usize,
}

impl Edges {
    /// The edges of a graph; self-loops are none. O(m log m).
    pub fn new<L: Ord>(graph: &Graph<L>, root: Root) -> Edges {
        let arcs = graph.arcs().iter().filter(|arc| root == Root::Included || !arc.head.is_root());
        let edges = arcs.map(|arc| arc.span()).filter(|(left, right)| left != right);
        let mut edges: Vec<Edge> = edges.map(|(left, right)| Edge { left, right }).collect();
        edges.sort_unstable();
        edges.dedup();
        Edges { edges, nodes: graph.len() + 1 }
    }

    /// The edges in order.
    pub fn as_slice(&self) -> &[Edge] {
        &self.edges
    }

    /// The number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }
}
