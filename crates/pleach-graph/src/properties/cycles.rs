//! Directed cycles, the short ones counted.
//!
//! The root has no head, so its arcs take part in no cycle. Labels are put aside: two arcs with different
//! labels between the same nodes are one.

use crate::{Graph, NodeId};

/// Whether there is no directed cycle; a self-loop is one. O(n + m).
pub fn is_acyclic<L: Ord>(graph: &Graph<L>) -> bool {
    // Take away tokens that nothing depends on, as long as there are any.
    let mut waiting = vec![0u32; graph.len() + 1];
    for arc in graph.arcs() {
        waiting[arc.head.index()] += 1;
    }
    let mut free: Vec<NodeId> = graph.tokens().filter(|token| waiting[token.index()] == 0).collect();
    let mut taken = 0;
    while let Some(token) = free.pop() {
        taken += 1;
        for arc in graph.heads_of(token) {
            let count = &mut waiting[arc.head.index()];
            *count -= 1;
            if *count == 0 && !arc.head.is_root() {
                free.push(arc.head);
            }
        }
    }
    taken == graph.len()
}

/// The pairs of tokens, the left one first, that are heads of each other. O(m log m).
pub fn two_cycles<L: Ord>(graph: &Graph<L>) -> Vec<(NodeId, NodeId)> {
    let arcs = graph.arcs().iter().filter(|arc| !arc.head.is_root() && arc.head < arc.dependent);
    let mut pairs: Vec<_> = arcs
        .map(|arc| (arc.head, arc.dependent))
        .filter(|&(left, right)| graph.has_edge(right, left))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The tokens that are their own heads. O(m).
pub fn self_loops<L: Ord>(graph: &Graph<L>) -> Vec<NodeId> {
    let mut tokens: Vec<NodeId> =
        graph.arcs().iter().filter(|arc| arc.head == arc.dependent).map(|arc| arc.dependent).collect();
    tokens.dedup();
    tokens
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    /// Whether there is a path of at least one arc, by transitive closure.
    fn closure(graph: &Graph<()>) -> Vec<Vec<bool>> {
        let n = graph.len() + 1;
        let mut path = vec![vec![false; n]; n];
        for arc in graph.arcs() {
            path[arc.head.index()][arc.dependent.index()] = true;
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    path[i][j] |= path[i][k] && path[k][j];
                }
            }
        }
        path
    }

    #[test]
    fn cycles_are_those_of_the_transitive_closure() {
        samples::graphs(|graph| {
            let path = closure(graph);
            assert_eq!(is_acyclic(graph), (0..path.len()).all(|i| !path[i][i]), "{graph:?}");
        });
    }

    #[test]
    fn two_cycles_and_loops_are_found() {
        samples::graphs(|graph| {
            let mut pairs = Vec::new();
            let mut loops = Vec::new();
            for a in graph.tokens() {
                for b in graph.tokens() {
                    if graph.has_edge(a, b) && graph.has_edge(b, a) {
                        match a.cmp(&b) {
                            std::cmp::Ordering::Less => pairs.push((a, b)),
                            std::cmp::Ordering::Equal => loops.push(a),
                            std::cmp::Ordering::Greater => {}
                        }
                    }
                }
            }
            assert_eq!(two_cycles(graph), pairs);
            assert_eq!(self_loops(graph), loops);
        });
    }

    #[test]
    fn labels_do_not_make_two_of_one() {
        let mut graph: Graph<u8> = Graph::new(2);
        for (head, dependent, label) in [(1, 2, 0), (1, 2, 1), (2, 1, 0), (2, 1, 1), (2, 2, 0), (2, 2, 1)] {
            graph.insert(NodeId(head), NodeId(dependent), label);
        }
        assert_eq!(two_cycles(&graph), [(NodeId(1), NodeId(2))]);
        assert_eq!(self_loops(&graph), [NodeId(2)]);
        assert!(!is_acyclic(&graph));
    }
}
