//! A graph as three trees whose labels say how to get it back, and how much of it they hold (`sun-2019` section 4.2).
//!
//! The label of a tree arc is `X` for an arc of the graph, `X~R` for one that goes the other way, `X~Y~R` where the graph
//! has both, and `None` for neither; several labels of one arc are joined by `&`. Behind a `#` stands the consistency tag.

use super::marks::Marks;
use crate::trees::{JOINED, REVERSED, UNLINKED};
use pleach_decode::merge::{Decomposer, Plan, TREES, consistency};
use pleach_graph::{Arc, Graph, NodeId, Text, Tree};

/// Between the labels along a tree arc and those against it.
const BOTH: char = '~';
/// Before the consistency tag.
const TAGGED: char = '#';

/// What a tree arc says of the graph: the labels along it and those against it, joined; empty where there is no arc.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Said {
    pub along: Text,
    pub against: Text,
}

impl Said {
    /// Whether it says nothing.
    pub fn is_nothing(&self) -> bool {
        self.along.is_empty() && self.against.is_empty()
    }

    /// The same as seen from the other end.
    pub fn turned(&self) -> Said {
        Said { along: self.against.clone(), against: self.along.clone() }
    }

    /// What is between two nodes of a graph, as said by a tree arc from `head` to `dependent`.
    fn of(graph: &Graph, head: NodeId, dependent: NodeId) -> Said {
        let joined = |head: NodeId, dependent: NodeId| {
            let mut joined = Text::default();
            for label in graph.labels(head, dependent) {
                if !joined.is_empty() {
                    joined.push(JOINED);
                }
                joined.push_str(label);
            }
            joined
        };
        let against = if head.is_root() { Text::default() } else { joined(dependent, head) };
        Said { along: joined(head, dependent), against }
    }

    /// The label that says it, with a tag.
    fn label(&self, tag: u32) -> Text {
        let Said { along, against } = self;
        let label = match (along.is_empty(), against.is_empty()) {
            (true, true) => return Text::from(UNLINKED),
            (false, true) => along.to_string(),
            (true, false) => format!("{against}{REVERSED}"),
            (false, false) => format!("{along}{BOTH}{against}{REVERSED}"),
        };
        Text::from(format!("{label}{TAGGED}{tag}"))
    }

    /// What a label says, and its tag.
    pub fn parse(label: &str) -> (Said, u32) {
        let (label, tag) = match label.rsplit_once(TAGGED) {
            Some((label, tag)) => (label, tag.parse().unwrap_or(0)),
            None => (label, 0),
        };
        let said = match label.strip_suffix(REVERSED) {
            _ if label == UNLINKED => Said::default(),
            None => Said { along: label.into(), against: Text::default() },
            Some(both) => match both.split_once(BOTH) {
                Some((along, against)) => Said { along: along.into(), against: against.into() },
                None => Said { along: Text::default(), against: both.into() },
            },
        };
        (said, tag)
    }

    /// The arcs that it stands for, when said by a tree arc from `head` to `dependent`.
    pub fn arcs(&self, head: NodeId, dependent: NodeId) -> impl Iterator<Item = Arc> {
        let split = |labels: &Text| -> Vec<Text> {
            labels.split(JOINED).filter(|label| !label.is_empty()).map(Text::from).collect()
        };
        let along = split(&self.along).into_iter().map(move |label| Arc { head, dependent, label });
        let against = split(&self.against).into_iter();
        // Nothing can point at the root.
        let against = against.filter(move |_| !head.is_root());
        along.chain(against.map(move |label| Arc { head: dependent, dependent: head, label }))
    }
}

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

    /// The three trees of a graph, their labels with tags; `None` when the sentence is too long.
    pub fn trees(&mut self, graph: &Graph) -> Option<[Tree; TREES]> {
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
        let trees = std::array::from_fn(|tree| Tree {
            heads: words.clone().map(|word| heads[tree][word as usize] as u16).collect(),
            labels: words
                .clone()
                .map(|word| {
                    let head = heads[tree][word as usize];
                    let makers = std::array::from_fn(|other| makes(other, head, word));
                    Said::of(graph, NodeId(head), NodeId(word)).label(consistency::tag(tree, makers))
                })
                .collect(),
        });
        let subgraphs = trees.each_ref().map(subgraph);
        self.coverage.add(graph, &subgraphs);
        Some(trees)
    }

    /// What the trees so far held.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

/// The graph that a tree stands for (`t2g`).
pub fn subgraph(tree: &Tree) -> Graph {
    let words = tree.heads.iter().zip(&tree.labels).enumerate();
    let arcs = words.flat_map(|(i, (&head, label))| {
        Said::parse(label).0.arcs(NodeId(u32::from(head)), NodeId(i as u32 + 1)).collect::<Vec<_>>()
    });
    Graph::from_arcs(tree.len(), arcs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_say_what_they_said() {
        for (along, against) in [("", ""), ("nsubj", ""), ("", "obj&iobj"), ("acl:relcl", "nsubj")] {
            let said = Said { along: along.into(), against: against.into() };
            let tag = if said.is_nothing() { 0 } else { 5 };
            assert_eq!(Said::parse(&said.label(tag)), (said, tag));
        }
    }

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
            let subgraphs = trees.each_ref().map(subgraph);
            let mut all: Vec<Arc> = subgraphs.iter().flat_map(|graph| graph.arcs().to_vec()).collect();
            all.sort();
            all.dedup();
            assert_eq!(all, graph.arcs());
            for (tree, labels) in trees.iter().map(|tree| &tree.labels).enumerate() {
                for (word, label) in labels.iter().enumerate() {
                    let (said, tag) = Said::parse(label);
                    let arcs: Vec<Arc> =
                        said.arcs(NodeId(trees[tree].heads[word].into()), NodeId(word as u32 + 1)).collect();
                    for other in (0..TREES).filter(|&other| other != tree && !said.is_nothing()) {
                        let there = arcs.iter().all(|arc| subgraphs[other].contains(arc));
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
