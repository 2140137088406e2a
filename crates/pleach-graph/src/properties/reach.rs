//! Reachability and connectedness.

use super::edges::Root;
use crate::{Graph, NodeId};

/// The tokens that no directed path from the root leads to, in order. O((n + m) log m).
pub fn unreachable<L: Ord>(graph: &Graph<L>) -> Vec<NodeId> {
    let mut pairs: Vec<(NodeId, NodeId)> = graph.arcs().iter().map(|arc| (arc.head, arc.dependent)).collect();
    pairs.sort_unstable();
    let mut reached = vec![false; graph.len() + 1];
    reached[0] = true;
    let mut open = vec![NodeId::ROOT];
    while let Some(node) = open.pop() {
        let start = pairs.partition_point(|pair| pair.0 < node);
        for &(_, dependent) in pairs[start..].iter().take_while(|pair| pair.0 == node) {
            if !std::mem::replace(&mut reached[dependent.index()], true) {
                open.push(dependent);
            }
        }
    }
    graph.tokens().filter(|token| !reached[token.index()]).collect()
}

/// The number of connected components, directions put aside; a token without arcs is one. With
/// [`Root::Included`] the root is a node too and joins its dependents. O(n + m), nearly.
pub fn component_count<L: Ord>(graph: &Graph<L>, root: Root) -> usize {
    let mut parent: Vec<u32> = (0..=graph.len() as u32).collect();
    fn find(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            parent[node as usize] = parent[parent[node as usize] as usize];
            node = parent[node as usize];
        }
        node
    }
    let mut count = graph.len() + usize::from(root == Root::Included);
    for arc in graph.arcs().iter().filter(|arc| root == Root::Included || !arc.head.is_root()) {
        let (a, b) = (find(&mut parent, arc.head.0), find(&mut parent, arc.dependent.0));
        if a != b {
            parent[a.max(b) as usize] = a.min(b);
            count -= 1;
        }
    }
    count
}

/// Whether there is at most one component.
pub fn is_connected<L: Ord>(graph: &Graph<L>, root: Root) -> bool {
    component_count(graph, root) <= 1
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn agree_with_closures() {
        samples::graphs(|graph| {
            let n = graph.len() + 1;
            let mut path: Vec<Vec<bool>> = (0..n).map(|i| (0..n).map(|j| i == j).collect()).collect();
            let mut linked = path.clone();
            let mut linked_rootless = path.clone();
            for arc in graph.arcs() {
                let (h, d) = (arc.head.index(), arc.dependent.index());
                path[h][d] = true;
                (linked[h][d], linked[d][h]) = (true, true);
                if h > 0 {
                    (linked_rootless[h][d], linked_rootless[d][h]) = (true, true);
                }
            }
            for matrix in [&mut path, &mut linked, &mut linked_rootless] {
                for k in 0..n {
                    for i in 0..n {
                        for j in 0..n {
                            matrix[i][j] |= matrix[i][k] && matrix[k][j];
                        }
                    }
                }
            }
            let expected: Vec<NodeId> = graph.tokens().filter(|token| !path[0][token.index()]).collect();
            assert_eq!(unreachable(graph), expected);
            // A component is counted at its first node.
            let count = |matrix: &[Vec<bool>], from: usize| {
                (from..n).filter(|&i| (from..i).all(|j| !matrix[i][j])).count()
            };
            assert_eq!(component_count(graph, Root::Included), count(&linked, 0), "{graph:?}");
            assert_eq!(component_count(graph, Root::Excluded), count(&linked_rootless, 1), "{graph:?}");
            assert_eq!(is_connected(graph, Root::Included), count(&linked, 0) == 1);
        });
    }
}
