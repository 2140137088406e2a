//! Trees and projective trees.
//!
//! A tree spans the root and all tokens, its arcs lead away from the root, and each token has one head; the
//! root may have several dependents. Labels are put aside.

use super::edges::{Edges, Root};
use super::reach::unreachable;
use crate::Graph;

/// Whether each token has exactly one head, the root counted as one. O(m + n).
pub fn is_single_headed<L: Ord>(graph: &Graph<L>) -> bool {
    let mut arcs = graph.arcs().chunk_by(|a, b| a.dependent == b.dependent);
    arcs.clone().count() == graph.len() && arcs.all(|arcs| arcs.iter().all(|arc| arc.head == arcs[0].head))
}

/// Whether the graph is a tree over the root and all tokens. O((n + m) log m).
pub fn is_tree<L: Ord>(graph: &Graph<L>) -> bool {
    is_single_headed(graph) && unreachable(graph).is_empty()
}

/// Whether the graph is a projective tree: every token between a head and its dependent descends from that
/// head. That is a tree whose edges, those of the root included, do not cross. O((n + m) log m).
pub fn is_projective<L: Ord>(graph: &Graph<L>) -> bool {
    is_tree(graph) && Edges::new(graph, Root::Included).is_noncrossing()
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::NodeId;

    /// The nodes from a token up to the root; `None` when there is a cycle.
    fn ancestors(graph: &Graph<()>, token: NodeId) -> Option<Vec<NodeId>> {
        let mut path = vec![token];
        while let Some(arc) = graph.heads_of(path[path.len() - 1]).next() {
            path.push(arc.head);
            if path.len() > graph.len() + 1 {
                return None;
            }
        }
        Some(path)
    }

    #[test]
    fn trees_lead_every_token_to_the_root() {
        samples::graphs(|graph| {
            let single = graph.tokens().all(|token| graph.heads_of(token).count() == 1);
            assert_eq!(is_single_headed(graph), single);
            let naive = single && graph.tokens().all(|token| ancestors(graph, token).is_some());
            assert_eq!(is_tree(graph), naive, "{graph:?}");
        });
    }

    #[test]
    fn projective_trees_agree_with_the_definition() {
        let (mut trees, mut projective) = (0, 0);
        samples::single_headed(|graph| {
            let naive = graph.tokens().all(|token| ancestors(graph, token).is_some());
            assert_eq!(is_tree(graph), naive);
            let naive = naive
                && graph.arcs().iter().all(|arc| {
                    let (left, right) = arc.span();
                    (left.0 + 1..right.0)
                        .all(|token| ancestors(graph, NodeId(token)).unwrap().contains(&arc.head))
                });
            assert_eq!(is_projective(graph), naive, "{graph:?}");
            trees += u32::from(is_tree(graph));
            projective += u32::from(naive);
        });
        // Cayley's formula for one to five tokens under a root.
        assert_eq!(trees, 1 + 3 + 16 + 125 + 1296);
        assert!(projective < trees);
    }

    #[test]
    fn two_labels_are_one_head() {
        let mut graph: Graph<u8> = Graph::new(1);
        graph.insert(NodeId::ROOT, NodeId(1), 0);
        graph.insert(NodeId::ROOT, NodeId(1), 1);
        assert!(is_tree(&graph) && is_projective(&graph));
        assert!(is_tree(&Graph::<u8>::new(0)) && !is_tree(&Graph::<u8>::new(1)));
    }
}
