//! Graphs as pseudo trees and back: the labels of a tree's arcs say how they stand in the graph.
//!
//! `X` is an arc of the graph, `X~R` an arc of the graph the other way round, `None` no arc at all. Several labels of
//! one arc are joined by `&`.

use pleach_decode::tree::{Approximator, Kind, Root};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Tree};

/// Behind the label of an arc that goes the other way in the graph.
pub(crate) const REVERSED: &str = "~R";
/// The label of a tree arc that is none in the graph.
pub(crate) const UNLINKED: &str = "None";
/// Between the labels of one arc.
pub(crate) const JOINED: char = '&';

/// How many arcs survive the way into a tree and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Arcs of the graphs.
    pub arcs: usize,
    /// Those that the tree gives back.
    pub kept: usize,
    /// Those that go the other way in the tree.
    pub reversed: usize,
}

/// Converts the graphs of sentences into trees; holds the memory for it.
#[derive(Debug, Default)]
pub struct Converter {
    approximator: Approximator,
    arcs: Vec<(u32, u32, u32)>,
    tree: Vec<(u32, Kind<u32>)>,
}

impl Converter {
    /// Writes the pseudo tree of the graph into HEAD and DEPREL of a sentence without empty nodes, and says how much
    /// of the graph it keeps. In a sentence of more than 2,000 words every word hangs on the one before it.
    pub fn convert(&mut self, sentence: &mut Sentence) -> Kept {
        let graph = &sentence.graph;
        let len = sentence.tokens.len();
        let mut labels: Vec<Text> = Vec::new();
        self.arcs.clear();
        for pair in graph.arcs().chunk_by(|a, b| (a.head, a.dependent) == (b.head, b.dependent)) {
            self.arcs.push((pair[0].head.0, pair[0].dependent.0, labels.len() as u32));
            let mut joined = pair[0].label.clone();
            for arc in &pair[1..] {
                joined.push(JOINED);
                joined.push_str(&arc.label);
            }
            labels.push(joined);
        }
        let converted = self.approximator.convert(len, &self.arcs, Root::Many, &mut self.tree);
        let mut kept = Kept { arcs: graph.arcs().len(), ..Kept::default() };
        let tree = if converted.is_ok() {
            let label = |&(_, kind): &(u32, Kind<u32>)| match kind {
                Kind::Forward(label) => labels[label as usize].clone(),
                Kind::Backward(label) => Text::from(format!("{}{REVERSED}", labels[label as usize])),
                Kind::Unlinked => Text::from(UNLINKED),
            };
            kept.reversed = self.tree.iter().filter(|(_, kind)| matches!(kind, Kind::Backward(_))).count();
            Tree {
                heads: self.tree[1..].iter().map(|&(head, _)| head as u16).collect(),
                labels: self.tree[1..].iter().map(label).collect(),
            }
        } else {
            Tree { heads: (0..len as u16).collect(), labels: vec![Text::from(UNLINKED); len] }
        };
        kept.kept = graph_of(&tree).arcs().len();
        tree.write(sentence);
        kept
    }
}

/// The graph that a pseudo tree stands for (`t2g`).
pub fn graph_of(tree: &Tree) -> Graph {
    let mut arcs = Vec::new();
    for (i, (&head, label)) in tree.heads.iter().zip(&tree.labels).enumerate() {
        let (head, word) = (NodeId(u32::from(head)), NodeId(i as u32 + 1));
        let (label, head, dependent) = match label.strip_suffix(REVERSED) {
            Some(label) if !head.is_root() => (label, word, head),
            _ => (label.as_str(), head, word),
        };
        if label != UNLINKED {
            arcs.extend(label.split(JOINED).map(|label| Arc { head, dependent, label: Text::from(label) }));
        }
    }
    Graph::from_arcs(tree.len(), arcs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_survive_as_far_as_trees_can_hold_them() {
        let mut converter = Converter::default();
        // Every set of arcs among three words and the root, with labels that tell them apart.
        let pairs: Vec<(u32, u32)> =
            (0..=3).flat_map(|h| (1..=3).map(move |d| (h, d))).filter(|(h, d)| h != d).collect();
        for code in 0..1u32 << pairs.len() {
            let mut sentence = Sentence::from_forms(["a", "b", "c"]);
            for (i, &(head, dependent)) in pairs.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1) {
                sentence.graph.insert(NodeId(head), NodeId(dependent), Text::from(format!("l{i}")));
                if i % 4 == 0 {
                    sentence.graph.insert(NodeId(head), NodeId(dependent), "second".into());
                }
            }
            let kept = converter.convert(&mut sentence);
            let tree = Tree::of(&sentence).unwrap();
            let back = graph_of(&tree);
            assert!(back.arcs().iter().all(|arc| sentence.graph.arcs().contains(arc)), "nothing is made up");
            assert_eq!((kept.arcs, kept.kept), (sentence.graph.arcs().len(), back.arcs().len()));
            // A graph that is a projective tree comes back whole.
            use pleach_graph::properties::{is_projective, is_tree};
            if is_tree(&sentence.graph) && is_projective(&sentence.graph) {
                assert_eq!(back, sentence.graph);
            }
        }
    }
}
