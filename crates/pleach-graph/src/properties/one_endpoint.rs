//! 1-endpoint-crossing graphs (Pitler, Kannan and Marcus 2013, Definition 3; there for trees).
//!
//! Graph class: for every edge, all edges that cross it share an endpoint.
//!
//! Complexity: O(m log m) time, O(n + m) memory. One crosser of an edge leaves two candidates for the
//! shared endpoint; a candidate is right when it is an end of as many crossers as there are.

use super::edges::{Edge, Edges};
use super::range::Crossers;
use crate::NodeId;

impl Edges {
    /// Whether for every edge all edges that cross it share an endpoint.
    pub fn is_one_endpoint_crossing(&self) -> bool {
        let crossers = Crossers::new(&self.edges);
        let neighbours = Neighbours::new(self);
        self.edges.iter().zip(self.crossings()).all(|(&edge, count)| {
            let Some(other) = crossers.any(edge) else { return count == 0 };
            let other = self.edges[other];
            [other.left, other.right].into_iter().any(|end| neighbours.crossing(end, edge) == count)
        })
    }
}

/// The neighbours of each node, sorted.
struct Neighbours {
    starts: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Neighbours {
    fn new(edges: &Edges) -> Self {
        let mut ends: Vec<(NodeId, NodeId)> =
            edges.edges.iter().flat_map(|edge| [(edge.left, edge.right), (edge.right, edge.left)]).collect();
        ends.sort_unstable();
        let mut starts = vec![0; edges.nodes + 1];
        for &(node, _) in &ends {
            starts[node.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Neighbours { starts, nodes: ends.into_iter().map(|(_, node)| node).collect() }
    }

    /// How many edges of a node cross an edge of which it is no end.
    fn crossing(&self, node: NodeId, edge: Edge) -> u64 {
        let place = node.index();
        let nodes = &self.nodes[self.starts[place] as usize..self.starts[place + 1] as usize];
        let from = nodes.partition_point(|&other| other < edge.left);
        let inner_from = nodes.partition_point(|&other| other <= edge.left);
        let inner_to = nodes.partition_point(|&other| other < edge.right);
        let to = nodes.partition_point(|&other| other <= edge.right);
        let count = if edge.left < node && node < edge.right {
            from + (nodes.len() - to)
        } else {
            inner_to.saturating_sub(inner_from)
        };
        count as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn agrees_with_the_definition() {
        let (mut yes, mut no) = (0, 0);
        samples::edge_sets(|edges| {
            let slice = edges.as_slice();
            let naive = slice.iter().all(|edge| {
                let crossers: Vec<_> = slice.iter().filter(|other| edge.crosses(**other)).collect();
                crossers.is_empty()
                    || (0..edges.nodes as u32)
                        .map(NodeId)
                        .any(|node| crossers.iter().all(|other| other.left == node || other.right == node))
            });
            assert_eq!(edges.is_one_endpoint_crossing(), naive, "{slice:?}");
            *(if naive { &mut yes } else { &mut no }) += 1;
        });
        assert!(yes > 1000 && no > 1000);
    }
}
