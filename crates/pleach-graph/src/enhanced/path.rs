//! Path labels: the arcs that remain when nodes in the middle are taken out, and the way back.
//!
//! `h -r1-> e -r2-> d` becomes `h -r1>r2-> d`, through chains of removed nodes too. Cycles are cut: a path
//! visits each removed node once. The number of such paths can be exponential in hostile input, so the
//! search has a budget; within it the result is complete and the order deterministic.
//!
//! Splitting is a trie over the components: paths with the same head and the same first components share
//! their nodes. Joining what was split gives the same arcs back.
//!
//! Complexity: linear in the bytes of the labels written (joining) or read (splitting), times log n.

use crate::{Arc, Graph, NodeId, Text};
use std::collections::BTreeMap;

/// Stands between the relations of a path label.
pub const SEPARATOR: char = '>';

/// The longest chain of removed nodes that is followed.
const LONGEST_CHAIN: usize = 32;

/// Steps plus label bytes that one sentence may cost.
const BUDGET: usize = 1 << 22;

/// The arcs between nodes that stay, for all paths through nodes that go. Arcs that touch no such node
/// are not among them.
pub(super) fn join(graph: &Graph, goes: impl Fn(NodeId) -> bool) -> Vec<Arc> {
    let mut leaving: Vec<&Arc> =
        graph.arcs().iter().filter(|arc| goes(arc.head) && !goes(arc.dependent)).collect();
    leaving.sort_by_key(|arc| arc.head);
    let mut climb =
        Climb { graph, goes, budget: BUDGET, visited: Vec::new(), below: Vec::new(), found: Vec::new() };
    let mut arcs = Vec::new();
    for group in leaving.chunk_by(|a, b| a.head == b.head) {
        climb.found.clear();
        climb.from(group[0].head);
        for arc in group {
            for (head, path) in &climb.found {
                let cost = path.len() + arc.label.len() + 1;
                if climb.budget < cost {
                    return arcs;
                }
                climb.budget -= cost;
                let mut label = path.clone();
                label.push(SEPARATOR);
                label.push_str(&arc.label);
                arcs.push(Arc { head: *head, dependent: arc.dependent, label });
            }
        }
    }
    arcs
}

/// A walk from a removed node up to all the nodes that stay.
struct Climb<'a, F> {
    graph: &'a Graph,
    goes: F,
    budget: usize,
    visited: Vec<NodeId>,
    /// The labels from the current node down, nearest first.
    below: Vec<&'a str>,
    found: Vec<(NodeId, Text)>,
}

impl<F: Fn(NodeId) -> bool> Climb<'_, F> {
    fn from(&mut self, node: NodeId) {
        self.visited.push(node);
        for arc in self.graph.incoming(node) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            if !(self.goes)(arc.head) {
                let mut path = arc.label.clone();
                for label in self.below.iter().rev() {
                    path.push(SEPARATOR);
                    path.push_str(label);
                }
                self.budget = self.budget.saturating_sub(path.len());
                self.found.push((arc.head, path));
            } else if self.visited.len() < LONGEST_CHAIN && !self.visited.contains(&arc.head) {
                self.below.push(&arc.label);
                self.from(arc.head);
                self.below.pop();
            }
        }
        self.visited.pop();
    }
}

/// Whether a label is a path: several relations, none of them empty.
pub(super) fn is_path(label: &str) -> bool {
    label.contains(SEPARATOR) && label.split(SEPARATOR).all(|part| !part.is_empty())
}

/// The graph with a node for every inner place of a path, or `None` when there is no path. New nodes are
/// numbered after the old ones, heads before dependents.
pub(super) fn split(graph: &Graph) -> Option<Graph> {
    if !graph.arcs().iter().any(|arc| is_path(&arc.label)) {
        return None;
    }
    let mut len = graph.len();
    let mut places: BTreeMap<(NodeId, &str), NodeId> = BTreeMap::new();
    let mut arcs = Vec::with_capacity(graph.arcs().len());
    for arc in graph.arcs() {
        let mut head = arc.head;
        let mut label = arc.label.as_str();
        if is_path(label) {
            while let Some((first, rest)) = label.split_once(SEPARATOR) {
                head = *places.entry((head, first)).or_insert_with(|| {
                    len += 1;
                    let place = NodeId(len as u32);
                    arcs.push(Arc { head, dependent: place, label: Text::from(first) });
                    place
                });
                label = rest;
            }
        }
        arcs.push(Arc { head, dependent: arc.dependent, label: Text::from(label) });
    }
    Some(Graph::from_arcs(len, arcs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(len: usize, arcs: &[(u32, u32, &str)]) -> Graph {
        let arcs =
            arcs.iter().map(|&(h, d, l)| Arc { head: NodeId(h), dependent: NodeId(d), label: Text::from(l) });
        Graph::from_arcs(len, arcs.collect())
    }

    fn joined(g: &Graph, first_gone: u32) -> Vec<(u32, u32, String)> {
        let mut arcs: Vec<_> = join(g, |node| node.0 >= first_gone)
            .into_iter()
            .map(|a| (a.head.0, a.dependent.0, a.label.to_string()))
            .collect();
        arcs.sort();
        arcs
    }

    #[test]
    fn chains_and_several_heads() {
        let g = graph(5, &[(0, 4, "root"), (1, 4, "conj"), (4, 5, "xcomp"), (5, 2, "obj"), (4, 3, "nsubj")]);
        let expected =
            [(0, 2, "root>xcomp>obj"), (0, 3, "root>nsubj"), (1, 2, "conj>xcomp>obj"), (1, 3, "conj>nsubj")];
        assert_eq!(joined(&g, 4), expected.map(|(h, d, l)| (h, d, l.to_owned())));
    }

    #[test]
    fn cycles_are_cut_and_unreachable_nodes_give_nothing() {
        let g = graph(4, &[(3, 4, "a"), (4, 3, "b"), (3, 1, "x"), (1, 4, "in")]);
        assert_eq!(joined(&g, 3), [(1, 1, "in>b>x".to_owned())]);
        let g = graph(4, &[(3, 4, "a"), (4, 3, "b"), (3, 1, "x")]);
        assert!(joined(&g, 3).is_empty());
    }

    #[test]
    fn a_dense_mass_of_nodes_ends() {
        let n = 200;
        let mut arcs = vec![(1, 3, "in"), (3, 2, "out")];
        for i in 3..n {
            for j in 3..n {
                arcs.push((i, j, "x"));
            }
        }
        assert!(joined(&graph(n as usize, &arcs), 3).len() < BUDGET);
    }

    #[test]
    fn splitting_is_undone_by_joining() {
        let g = graph(
            4,
            &[(1, 2, "a>b"), (1, 3, "a>b"), (1, 3, "a>c>d"), (2, 3, "a>b"), (4, 1, "x"), (3, 4, ">y")],
        );
        let mut parts = split(&g).unwrap();
        assert_eq!(parts.len(), 4 + 3);
        let paths = join(&parts, |node| node.0 > 4);
        parts.retain(|arc| arc.head.0 <= 4 && arc.dependent.0 <= 4);
        let back = parts.into_arcs().into_iter().chain(paths).collect();
        assert_eq!(Graph::from_arcs(4, back), g);
        assert!(split(&graph(2, &[(1, 2, "a"), (1, 2, "a>")])).is_none());
    }
}
