//! The graphs on which the properties are tested.

use super::edges::{Edge, Edges};
use crate::random::Random;
use crate::{Arc, Graph, NodeId};

fn pairs(nodes: u32) -> Vec<Edge> {
    let pair = |left| (left + 1..nodes).map(move |right| Edge { left: NodeId(left), right: NodeId(right) });
    (0..nodes).flat_map(pair).collect()
}

/// All sets of edges over up to six nodes.
pub(super) fn small_edge_sets(mut check: impl FnMut(&Edges)) {
    for nodes in 1..=6 {
        let pairs = pairs(nodes);
        for set in 0..1u32 << pairs.len() {
            let edges = (0..pairs.len()).filter(|i| set >> i & 1 == 1).map(|i| pairs[i]).collect();
            check(&Edges { edges, nodes: nodes as usize });
        }
    }
}

/// All sets of edges over up to six nodes, and random ones over more.
pub(super) fn edge_sets(mut check: impl FnMut(&Edges)) {
    small_edge_sets(&mut check);
    random_edge_sets(7, 40, 2000, check);
}

/// Random sets of edges, from sparse to dense.
pub(super) fn random_edge_sets(from: u32, to: u32, count: u32, mut check: impl FnMut(&Edges)) {
    let mut random = Random(11);
    for _ in 0..count {
        let nodes = from + random.below(to - from);
        let wanted = 1 + random.below(3 * nodes);
        let pairs = pairs(nodes);
        let mut edges: Vec<Edge> =
            (0..wanted).map(|_| pairs[random.below(pairs.len() as u32) as usize]).collect();
        edges.sort_unstable();
        edges.dedup();
        check(&Edges { edges, nodes: nodes as usize });
    }
}

/// All digraphs over up to three tokens and the root, self-loops among them, and random ones over more.
pub(super) fn graphs(mut check: impl FnMut(&Graph<()>)) {
    for len in 0..=3u32 {
        let arcs: Vec<Arc<()>> = (1..=len)
            .flat_map(|dependent| (0..=len).map(move |head| (head, dependent)))
            .map(|(head, dependent)| Arc { head: NodeId(head), dependent: NodeId(dependent), label: () })
            .collect();
        for set in 0..1u32 << arcs.len() {
            let arcs = (0..arcs.len()).filter(|i| set >> i & 1 == 1).map(|i| arcs[i]).collect();
            check(&Graph::from_arcs(len as usize, arcs));
        }
    }
    let mut random = Random(5);
    for _ in 0..20_000 {
        let len = 4 + random.below(6);
        let wanted = random.below(2 * len);
        let arc = |_| Arc {
            head: NodeId(random.below(len + 1)),
            dependent: NodeId(1 + random.below(len)),
            label: (),
        };
        let arcs = (0..wanted).map(arc).collect();
        check(&Graph::from_arcs(len as usize, arcs));
    }
}

/// All ways to give each of up to five tokens one head, the root or itself among them.
pub(super) fn single_headed(mut check: impl FnMut(&Graph<()>)) {
    for len in 1..=5u32 {
        for code in 0..(len + 1).pow(len) {
            let head = |token: u32| code / (len + 1).pow(token - 1) % (len + 1);
            let arcs =
                (1..=len).map(|token| Arc { head: NodeId(head(token)), dependent: NodeId(token), label: () });
            check(&Graph::from_arcs(len as usize, arcs.collect()));
        }
    }
}
