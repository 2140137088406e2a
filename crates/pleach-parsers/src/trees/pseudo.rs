//! Graphs as pseudo trees and back (weighted conversion, `zhang-2016` section 4): trees whose arcs say how they stand in
//! the graph.

use super::said::Said;
use pleach_decode::tree::{Approximator, Root, TreeArc};
use pleach_graph::{Graph, NodeId, Sentence, Text, Tree};

/// A tree over the words of a sentence that stands for a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PseudoTree {
    /// The head of each word, the first word's first; 0 is the root.
    pub heads: Vec<u16>,
    /// What the arc to each word says.
    pub said: Vec<Said>,
}

impl PseudoTree {
    /// The graph that it stands for (`t2g`).
    pub fn graph(&self) -> Graph {
        let arcs =
            self.heads.iter().zip(&self.said).enumerate().flat_map(|(word, (&head, said))| {
                said.arcs(NodeId(u32::from(head)), NodeId(word as u32 + 1))
            });
        Graph::from_arcs(self.heads.len(), arcs.collect())
    }

    /// The same with names for what is said: for files, and for tree parsers, to whom labels are only names.
    pub fn named(&self) -> Tree {
        Tree { heads: self.heads.clone(), labels: self.said.iter().map(Said::name).collect() }
    }
}

impl From<&Tree> for PseudoTree {
    /// Reads names.
    fn from(tree: &Tree) -> Self {
        let said = tree.labels.iter().map(|name| Said::parse(name));
        PseudoTree { heads: tree.heads.clone(), said: said.collect() }
    }
}

/// How many arcs survive the way into a tree and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Arcs of the graphs.
    pub arcs: usize,
    /// Those that the tree gives back.
    pub kept: usize,
    /// The arcs of the tree that go the other way.
    pub reversed: usize,
}

/// Converts the graphs of sentences into trees; holds the memory for it.
#[derive(Debug, Default)]
pub struct Converter {
    approximator: Approximator,
    arcs: Vec<(u32, u32, u32)>,
    tree: Vec<(u32, TreeArc<u32>)>,
}

impl Converter {
    /// The pseudo tree of a graph (`g2t`). In a sentence of more than 2,000 words every word hangs on the one before it.
    pub fn tree(&mut self, graph: &Graph) -> PseudoTree {
        let mut labels: Vec<Vec<Text>> = Vec::new();
        self.arcs.clear();
        for pair in graph.arcs().chunk_by(|a, b| (a.head, a.dependent) == (b.head, b.dependent)) {
            self.arcs.push((pair[0].head.0, pair[0].dependent.0, labels.len() as u32));
            labels.push(pair.iter().map(|arc| arc.label.clone()).collect());
        }
        let len = graph.len();
        if self.approximator.convert(len, &self.arcs, Root::Many, &mut self.tree).is_err() {
            return PseudoTree { heads: (0..len as u16).collect(), said: vec![Said::Nothing; len] };
        }
        let said = |&(_, arc): &(u32, TreeArc<u32>)| match arc {
            TreeArc::Forward(label) => Said::Along(labels[label as usize].clone()),
            TreeArc::Backward(label) => Said::Against(labels[label as usize].clone()),
            TreeArc::Unlinked => Said::Nothing,
        };
        PseudoTree {
            heads: self.tree[1..].iter().map(|&(head, _)| head as u16).collect(),
            said: self.tree[1..].iter().map(said).collect(),
        }
    }

    /// Writes the pseudo tree of the graph into HEAD and DEPREL of a sentence without empty nodes, by names, and says how
    /// much of the graph comes back from what was written.
    pub fn convert(&mut self, sentence: &mut Sentence) -> Kept {
        let tree = self.tree(&sentence.graph).named();
        tree.write(sentence);
        let read = PseudoTree::from(&tree);
        let back = read.graph();
        let (arcs, reversed) =
            (sentence.graph.arcs(), read.said.iter().filter(|said| !said.against().is_empty()));
        Kept {
            arcs: arcs.len(),
            kept: arcs.iter().filter(|arc| back.contains(arc)).count(),
            reversed: reversed.count(),
        }
    }
}

/// The graph that a tree with names for labels stands for (`t2g`).
pub fn graph_of(tree: &Tree) -> Graph {
    PseudoTree::from(tree).graph()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of arcs among three words and the root, with labels from some list.
    fn check(label: impl Fn(usize) -> Text) {
        let mut converter = Converter::default();
        let pairs: Vec<(u32, u32)> =
            (0..=3).flat_map(|h| (1..=3).map(move |d| (h, d))).filter(|(h, d)| h != d).collect();
        for code in 0..1u32 << pairs.len() {
            let mut sentence = Sentence::from_forms(["a", "b", "c"]);
            for (i, &(head, dependent)) in pairs.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1) {
                sentence.graph.insert(NodeId(head), NodeId(dependent), label(i));
                if i % 4 == 0 {
                    sentence.graph.insert(NodeId(head), NodeId(dependent), "second".into());
                }
            }
            let kept = converter.convert(&mut sentence);
            let tree = Tree::of(&sentence).unwrap();
            let back = graph_of(&tree);
            assert_eq!(PseudoTree::from(&tree), converter.tree(&sentence.graph), "names are read as written");
            assert!(back.arcs().iter().all(|arc| sentence.graph.arcs().contains(arc)), "nothing is made up");
            assert_eq!((kept.arcs, kept.kept), (sentence.graph.arcs().len(), back.arcs().len()));
            // A graph that is a projective tree comes back whole.
            use pleach_graph::properties::{is_projective, is_tree};
            if is_tree(&sentence.graph) && is_projective(&sentence.graph) {
                assert_eq!(back, sentence.graph);
            }
        }
    }

    #[test]
    fn graphs_survive_as_far_as_trees_can_hold_them() {
        check(|i| Text::from(format!("l{i}")));
    }

    #[test]
    fn labels_may_look_like_marks() {
        let labels = ["a&b", "None", "x~R", "x~y~R", "", "_", "\\", "None~R", "#3"];
        check(|i| labels[i % labels.len()].into());
    }
}
