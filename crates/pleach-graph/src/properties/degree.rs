//! How many arcs there are, and how many heads tokens have.

use super::edges::Root;
use crate::{Graph, NodeId};

/// Arcs per token; 0 without tokens. The same pair under two labels is two arcs. O(m).
pub fn density<L: Ord>(graph: &Graph<L>, root: Root) -> f64 {
    let arcs = graph.arcs().iter().filter(|arc| root == Root::Included || !arc.head.is_root()).count();
    if graph.is_empty() { 0.0 } else { arcs as f64 / graph.len() as f64 }
}

/// The tokens with more than one head; the same head under two labels is one. A graph is re-entrant when
/// there are any. O(m).
pub fn multi_headed<L: Ord>(graph: &Graph<L>, root: Root) -> Vec<NodeId> {
    let chunks = graph.arcs().chunk_by(|a, b| a.dependent == b.dependent);
    let several = chunks.filter(|arcs| {
        let mut heads =
            arcs.iter().map(|arc| arc.head).filter(|head| root == Root::Included || !head.is_root());
        heads.next().is_some_and(|first| heads.any(|head| head != first))
    });
    several.map(|arcs| arcs[0].dependent).collect()
}

/// The tokens without any arc, be it in or out. O(n + m).
pub fn isolated<L: Ord>(graph: &Graph<L>) -> Vec<NodeId> {
    let mut linked = vec![false; graph.len() + 1];
    for arc in graph.arcs() {
        linked[arc.head.index()] = true;
        linked[arc.dependent.index()] = true;
    }
    graph.tokens().filter(|token| !linked[token.index()]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn heads_are_counted_once() {
        samples::graphs(|graph| {
            for (root, from) in [(Root::Included, 0), (Root::Excluded, 1)] {
                let heads =
                    |token| (from..=graph.len() as u32).filter(|&h| graph.has_edge(NodeId(h), token)).count();
                let expected: Vec<NodeId> = graph.tokens().filter(|&token| heads(token) > 1).collect();
                assert_eq!(multi_headed(graph, root), expected);
                let arcs: usize = graph.tokens().map(heads).sum();
                assert_eq!(density(graph, root) * graph.len() as f64, arcs as f64);
            }
            let linked = |token| graph.arcs().iter().any(|arc| arc.head == token || arc.dependent == token);
            let expected: Vec<NodeId> = graph.tokens().filter(|&token| !linked(token)).collect();
            assert_eq!(isolated(graph), expected);
        });
    }

    #[test]
    fn labels_count_for_density_only() {
        let mut graph: Graph<u8> = Graph::new(2);
        graph.insert(NodeId(1), NodeId(2), 0);
        graph.insert(NodeId(1), NodeId(2), 1);
        assert_eq!(density(&graph, Root::Included), 1.0);
        assert!(multi_headed(&graph, Root::Included).is_empty());
    }
}
