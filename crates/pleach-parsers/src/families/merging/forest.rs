//! A graph as three trees that say how to get it back, and how much of it they hold (`sun-2019` section 4.2).

use super::marks::Marks;
use super::tagged::TaggedTree;
use crate::trees::{PseudoTree, Said};
use pleach_decode::merge::{Decomposer, Plan, TREES, consistency};
use pleach_graph::{Arc, Graph, NodeId};

/// How much of some graphs three trees hold: each tree, and all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Arcs of the graphs.
    pub arcs: usize,
    /// Those that each tree holds, and then those that at least one holds.
    pub held: [usize; TREES + 1],
    /// Sentences.
    pub sentences: usize,
    /// Those all of whose arcs are held, likewise.
    pub whole: [usize; TREES + 1],
    /// Sentences that are too long to be taken apart.
    pub too_long: usize,
}

impl Coverage {
    /// Adds what other sentences gave.
    pub fn merge(&mut self, other: &Coverage) {
        self.arcs += other.arcs;
        self.sentences += other.sentences;
        self.too_long += other.too_long;
        for place in 0..=TREES {
            self.held[place] += other.held[place];
            self.whole[place] += other.whole[place];
        }
    }

    fn add(&mut self, graph: &Graph, subgraphs: &[Graph; TREES]) {
        let held = |arc: &Arc| subgraphs.each_ref().map(|subgraph| subgraph.contains(arc));
        let mut here = [0; TREES + 1];
        for arc in graph.arcs() {
            let held = held(arc);
            for (count, held) in here.iter_mut().zip(held.into_iter().chain([held.contains(&true)])) {
                *count += usize::from(held);
            }
        }
        self.arcs += graph.arcs().len();
        self.sentences += 1;
        for (place, count) in here.into_iter().enumerate() {
            self.held[place] += count;
            self.whole[place] += usize::from(count == graph.arcs().len());
        }
    }
}

/// Takes graphs apart into labelled trees.
#[derive(Debug, Default)]
pub struct Forester {
    decomposer: Decomposer,
    marks: Marks,
    plan: Plan,
    heads: [Vec<u32>; TREES],
    coverage: Coverage,
}

impl Forester {
    /// With the labels that a treebank has, and the weights and iterations of a plan.
    pub fn new(marks: Marks, plan: Plan) -> Self {
        Forester { marks, plan, ..Forester::default() }
    }

    /// The three trees of a graph; `None` when the sentence is too long.
    pub fn trees(&mut self, graph: &Graph) -> Option<[TaggedTree; TREES]> {
        let source = self.marks.source(graph);
        if self.decomposer.decompose(&source, &self.plan, &mut self.heads).is_err() {
            self.coverage.too_long += 1;
            return None;
        }
        let words = 1..=graph.len() as u32;
        let heads = &self.heads;
        let makes = |tree: usize, a: u32, b: u32| {
            (b > 0 && heads[tree][b as usize] == a) || (a > 0 && heads[tree][a as usize] == b)
        };
        let said = |head: u32, word: u32| Said::of(graph, NodeId(head), NodeId(word));
        let trees = std::array::from_fn(|tree| {
            let arcs = || words.clone().map(|word| (heads[tree][word as usize], word));
            let tag = |(head, word): (u32, u32)| {
                consistency::tag(tree, std::array::from_fn(|other| makes(other, head, word)))
            };
            TaggedTree {
                tree: PseudoTree {
                    heads: arcs().map(|(head, _)| head as u16).collect(),
                    said: arcs().map(|(head, word)| said(head, word)).collect(),
                },
                tags: arcs().map(tag).collect(),
            }
        });
        let subgraphs = trees.each_ref().map(TaggedTree::subgraph);
        self.coverage.add(graph, &subgraphs);
        Some(trees)
    }

    /// What the trees so far held.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Text;

    /// Every graph over three words comes back from its trees, but for self-loops, and tags tell the truth.
    #[test]
    fn trees_hold_graphs() {
        let pairs: Vec<(u32, u32)> =
            (0..=3).flat_map(|h| (1..=3).map(move |d| (h, d))).filter(|(h, d)| h != d).collect();
        let mut forester = Forester::new(Marks::new("l1", "l2"), Plan::default());
        for code in 0..1u32 << pairs.len() {
            let mut graph = Graph::new(3);
            for (i, &(head, dependent)) in pairs.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1) {
                graph.insert(NodeId(head), NodeId(dependent), Text::from(format!("l{}", i % 4)));
            }
            let trees = forester.trees(&graph).unwrap();
            let subgraphs = trees.each_ref().map(TaggedTree::subgraph);
            let mut all: Vec<Arc> = subgraphs.iter().flat_map(|graph| graph.arcs().to_vec()).collect();
            all.sort();
            all.dedup();
            assert_eq!(all, graph.arcs());
            for (number, TaggedTree { tree, tags }) in trees.iter().enumerate() {
                for (word, (said, tag)) in tree.said.iter().zip(tags).enumerate() {
                    let (head, word) = (NodeId(tree.heads[word].into()), NodeId(word as u32 + 1));
                    for other in (0..TREES).filter(|&other| other != number && !said.is_nothing()) {
                        let there = said.arcs(head, word).all(|arc| subgraphs[other].contains(&arc));
                        assert_eq!(tag & 1 << other != 0, there);
                    }
                }
            }
        }
        let coverage = forester.coverage();
        assert_eq!((coverage.held[TREES], coverage.whole[TREES]), (coverage.arcs, coverage.sentences));
        assert!(coverage.held[0] < coverage.arcs && coverage.whole[0] < coverage.sentences);
    }
}
