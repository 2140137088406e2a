//! Empty nodes that a parser invented: path labels taken back where their node would have too few dependents.
//!
//! A node that is not spoken holds at least two words together ("Mary ate apples and John **_** pears"); one that holds a
//! single word is a mistake. Then the word takes its place, as in basic trees: `conj>obj` becomes `conj`.
//!
//! Complexity: that of splitting paths. Invariant: afterwards [`expand`](super::expand) makes no node with fewer
//! dependents.

use super::path::{join, split};
use crate::{Arc, Graph, NodeId};
use std::collections::BTreeSet;

/// Takes back the paths through nodes of fewer than `least` dependents. Labels must not be written with words yet.
pub fn thin_paths(graph: &mut Graph, least: usize) {
    let Some(parts) = (least > 1).then(|| split(graph)).flatten() else { return };
    let len = graph.len();
    let mut arcs = parts.arcs().to_vec();
    // Nodes below have higher numbers than those above: what happens to them is known first.
    for node in (len + 1..=parts.len()).rev().map(|node| NodeId(node as u32)) {
        let below: BTreeSet<NodeId> =
            arcs.iter().filter(|arc| arc.head == node).map(|arc| arc.dependent).collect();
        if below.len() >= least {
            continue;
        }
        let Some(above) = arcs.iter().find(|arc| arc.dependent == node).cloned() else { continue };
        arcs.retain(|arc| arc.head != node && arc.dependent != node);
        arcs.extend(below.into_iter().map(|dependent| Arc { dependent, ..above.clone() }));
    }
    let parts = Graph::from_arcs(parts.len(), arcs);
    let inner = |node: NodeId| node.index() > len;
    let plain = parts.arcs().iter().filter(|arc| !inner(arc.head) && !inner(arc.dependent)).cloned();
    *graph = Graph::from_arcs(len, plain.chain(join(&parts, inner)).collect());
}

#[cfg(test)]
mod tests {
    use super::super::expand;
    use super::super::fixture::{deps, sentence};
    use super::*;
    use crate::Sentence;
    use crate::random::Random;

    fn thinned(lines: &str, least: usize) -> Vec<String> {
        let mut s = sentence(lines);
        thin_paths(&mut s.graph, least);
        deps(&s)
    }

    #[test]
    fn a_node_with_one_dependent_goes_and_one_with_two_stays() {
        let lines = "1 a 0:root
                     2 b 1:conj:[cc]>obj
                     3 c 1:advcl:as>nsubj
                     4 d 1:advcl:as>obj";
        let expected = ["1 0:root", "2 1:conj:[cc]", "3 1:advcl:as>nsubj", "4 1:advcl:as>obj"];
        assert_eq!(thinned(lines, 2), expected);
        let expected = ["1 0:root", "2 1:conj:[cc]", "3 1:advcl:as", "4 1:advcl:as"];
        assert_eq!(thinned(lines, 3), expected);
        assert_eq!(thinned(lines, 1)[1], "2 1:conj:[cc]>obj");
    }

    #[test]
    fn chains_are_taken_back_from_below() {
        assert_eq!(thinned("1 a 0:root\n2 b 1:conj>xcomp>obj\n3 c 1:conj>nsubj", 2)[1], "2 1:conj>xcomp");
        assert_eq!(thinned("1 a 0:root\n2 b 1:conj>xcomp>obj", 2)[1], "2 1:conj");
    }

    #[test]
    fn no_thin_node_is_left_in_any_graph() {
        const LABELS: [&str; 6] = ["a", "b>a", "b>c", "a>b>c", "c>a>b>a", "b>b"];
        let mut random = Random(3);
        for _ in 0..3000 {
            let len = 2 + random.below(5);
            let mut s = Sentence::from_forms((0..len).map(|_| "w"));
            for _ in 0..random.below(3 * len) {
                let label = LABELS[random.below(6) as usize];
                s.graph.insert(NodeId(random.below(len + 1)), NodeId(1 + random.below(len)), label.into());
            }
            let edges: BTreeSet<_> = s.graph.arcs().iter().map(|arc| (arc.head, arc.dependent)).collect();
            thin_paths(&mut s.graph, 2);
            let left: BTreeSet<_> = s.graph.arcs().iter().map(|arc| (arc.head, arc.dependent)).collect();
            assert_eq!(left, edges);
            expand(&mut s);
            for (place, _) in s.tokens.iter().enumerate().filter(|(_, token)| token.id.is_empty_node()) {
                let node = NodeId(place as u32 + 1);
                let below: BTreeSet<_> =
                    s.graph.arcs().iter().filter(|arc| arc.head == node).map(|arc| arc.dependent).collect();
                assert!(below.len() >= 2, "{:?}", deps(&s));
            }
        }
    }
}
