//! Empty nodes turned into paths, exactly as `enhanced_collapse_empty_nodes.pl` of the Universal
//! Dependencies tools does it before the IWPT scorer runs.
//!
//! A path from a word over empty nodes to a word becomes one arc, labelled `conj>nsubj`. Where empty nodes
//! form no cycle these are all the paths, which is also what `pleach_graph::enhanced::collapse` gives.
//! Around cycles the script finds some walks that visit a node twice, depending on the order in which it
//! joins paths; to score the same, that order is kept here: paths that start in an empty node are taken
//! from a queue and joined to every path known so far that ends there.
//!
//! Invariant: no two paths in a list are the same. Time and memory grow with the number of paths, which is
//! bounded by [`MAX_PATHS`].

use pleach_graph::{Graph, NodeId, Text};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// More paths than this in one sentence are an error; real treebanks stay below a hundred.
pub(super) const MAX_PATHS: usize = 50_000;

/// Too many paths through empty nodes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooManyPaths;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Path<'a> {
    nodes: Vec<NodeId>,
    labels: Vec<&'a Text>,
}

impl<'a> Path<'a> {
    fn first(&self) -> NodeId {
        self.nodes[0]
    }

    fn last(&self) -> NodeId {
        self.nodes[self.nodes.len() - 1]
    }

    /// This path and then `next`, which starts where this one ends.
    fn join(&self, next: &Path<'a>) -> Path<'a> {
        let mut joined = self.clone();
        joined.nodes.extend(&next.nodes[1..]);
        joined.labels.extend(&next.labels);
        joined
    }

    fn visits_twice(&self) -> bool {
        let mut seen = BTreeSet::new();
        !self.nodes.iter().all(|node| seen.insert(*node))
    }

    fn label(&self) -> Text {
        let mut label = Text::default();
        for (i, part) in self.labels.iter().enumerate() {
            if i > 0 {
                label.push('>');
            }
            label.push_str(part);
        }
        label
    }
}

/// The arcs between words (and from the root), sorted by dependent, head and label, each once.
pub(super) fn collapse(
    graph: &Graph,
    is_empty: impl Fn(NodeId) -> bool,
) -> Result<Vec<(NodeId, NodeId, Text)>, TooManyPaths> {
    let mut arcs = Vec::new();
    let mut starting = VecDeque::new();
    let mut ending: BTreeMap<NodeId, Vec<Path<'_>>> = BTreeMap::new();
    for arc in graph.arcs() {
        let path = || Path { nodes: vec![arc.head, arc.dependent], labels: vec![&arc.label] };
        match (is_empty(arc.head), is_empty(arc.dependent)) {
            (false, false) => arcs.push((arc.dependent, arc.head, arc.label.clone())),
            (from, to) => {
                if from {
                    starting.push_back(path());
                }
                if to {
                    ending.entry(arc.dependent).or_default().push(path());
                }
            }
        }
    }
    let mut seen_starting: BTreeSet<Path<'_>> = starting.iter().cloned().collect();
    let mut seen_ending = BTreeSet::new();
    let mut paths = 0;
    while let Some(path) = starting.pop_front() {
        let known = ending.get(&path.first()).map_or(&[][..], Vec::as_slice);
        paths += known.len();
        if paths > MAX_PATHS {
            return Err(TooManyPaths);
        }
        for joined in known.iter().map(|before| before.join(&path)).collect::<Vec<_>>() {
            let (from, to) = (is_empty(joined.first()), is_empty(joined.last()));
            if !from && !to {
                arcs.push((joined.last(), joined.first(), joined.label()));
            } else if !joined.visits_twice() {
                if from && seen_starting.insert(joined.clone()) {
                    starting.push_back(joined.clone());
                }
                if to && seen_ending.insert(joined.clone()) {
                    ending.entry(joined.last()).or_default().push(joined);
                }
            }
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    Ok(arcs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::enhanced;
    use pleach_graph::{Arc, Sentence, Token, TokenId};
    use proptest::prelude::*;

    fn graph(len: usize, arcs: &[(u32, u32, &str)]) -> Graph {
        let arcs =
            arcs.iter().map(|&(h, d, l)| Arc { head: NodeId(h), dependent: NodeId(d), label: Text::from(l) });
        Graph::from_arcs(len, arcs.collect())
    }

    fn collapsed(graph: &Graph, empty: &[u32]) -> Vec<(u32, u32, String)> {
        let arcs = collapse(graph, |node| empty.contains(&node.0)).unwrap();
        arcs.into_iter().map(|(d, h, label)| (h.0, d.0, label.to_string())).collect()
    }

    #[test]
    fn gapping() {
        // Node 3 is empty: 1 -conj-> 3, 3 -nsubj-> 2, 3 -obj-> 4; node 5 hangs in the air.
        let g = graph(5, &[(0, 1, "root"), (1, 3, "conj"), (3, 2, "nsubj"), (3, 4, "obj"), (5, 4, "x")]);
        let arcs = collapsed(&g, &[3, 5]);
        let expected = [(0, 1, "root"), (1, 2, "conj>nsubj"), (1, 4, "conj>obj")];
        assert_eq!(arcs, expected.map(|(h, d, l)| (h, d, l.to_owned())));
    }

    #[test]
    fn cycles_give_the_walks_that_the_script_finds() {
        // 1 -a-> 2, 3 -y-> 2, 2 -x-> 3, 2 -b-> 4 with 2 and 3 empty; traced by hand through the script.
        let g = graph(4, &[(1, 2, "a"), (3, 2, "y"), (2, 3, "x"), (2, 4, "b")]);
        let arcs = collapsed(&g, &[2, 3]);
        assert_eq!(arcs, [(1, 4, "a>b".to_owned()), (1, 4, "a>x>y>b".to_owned())]);
    }

    #[test]
    fn a_dense_mass_of_empty_nodes_is_an_error() {
        let mut arcs = vec![(0, 1, "a")];
        for i in 1..40 {
            for j in 1..40 {
                arcs.push((i, j, "x"));
            }
        }
        assert_eq!(collapse(&graph(41, &arcs), |node| node.0 > 0 && node.0 < 40), Err(TooManyPaths));
    }

    proptest! {
        /// Empty nodes that only point forward have no cycles.
        #[test]
        fn without_cycles_the_paths_are_those_of_the_graph_crate(
            arcs in prop::collection::vec((0u32..8, 1u32..8, prop::sample::select(vec!["a", "b"])), 0..14),
        ) {
            let mut sentence = Sentence::default();
            for (word, empty) in [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1)] {
                sentence.tokens.push(Token { id: TokenId { word, empty }, ..Token::default() });
            }
            let is_empty = |node: NodeId| sentence.id_of(node).is_empty_node();
            let forward = |&(h, d, _): &(u32, u32, &str)| {
                h < d || !is_empty(NodeId(h)) || !is_empty(NodeId(d))
            };
            let arcs: Vec<_> = arcs.into_iter().filter(forward).collect();
            let mut sentence = Sentence { graph: graph(7, &arcs), ..sentence.clone() };
            let ours = collapse(&sentence.graph, |node| sentence.id_of(node).is_empty_node()).unwrap();
            let ids = |sentence: &Sentence, d, h, l: &Text| (sentence.id_of(d), sentence.id_of(h), l.clone());
            let ours: Vec<_> = ours.iter().map(|(d, h, l)| ids(&sentence, *d, *h, l)).collect();
            enhanced::collapse(&mut sentence);
            let theirs = sentence.graph.arcs().iter();
            let theirs: Vec<_> = theirs.map(|a| ids(&sentence, a.dependent, a.head, &a.label)).collect();
            prop_assert_eq!(ours, theirs);
        }
    }
}
