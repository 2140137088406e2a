//! Guarantees for parsed graphs: at least one top, exactly one, every word reachable from the root, no cycles, no empty
//! nodes or labels such as the treebank doesn't have.
//!
//! Which of them hold when nobody asks is learnt ([`kept`]): those that nearly all training graphs keep.
//!
//! A repair changes as little as possible, and among equally small changes takes the one that the model likes
//! best. What the model thinks of an arc that it did not choose is its score for making that edge, minus its
//! score for the best action without an edge, in a configuration in which the two words face each other and
//! all other arcs are as parsed.
//!
//! - rooted: one arc from the root, to the word that gets the best score for it;
//! - one-root: of several tops the best one stays; together with connected, the one that reaches most words is the top, and what
//!   it doesn't reach hangs on it;
//! - acyclic: per strongly connected component, the arcs of the cheapest set that leaves no cycle (exact up to
//!   14 words, by local search above that);
//! - connected: the fewest new arcs, of the highest total score, that make every word reachable: a spanning
//!   tree in which arcs that are there cost nothing. Together with acyclic, or in sentences of more
//!   than [`LONG`] words, arcs are added one at a time, best first, and in these from the root or a word that is at most so
//!   many words away, so that time grows with the words and not with their pairs;
//! - nodes: an empty node with fewer dependents than those of the treebank gives its place to them;
//! - labels: labels name words of their sentence only, and arcs from the root have the root's label.

mod connect;
mod cycles;
mod gather;
mod labels;
mod learnt;
mod reach;
mod scores;

pub use labels::mend_labels;
pub use learnt::{ENOUGH, SHARE, kept};
pub use scores::{ArcScores, Listed, Nearness};

use connect::{connect, connect_greedily};
use gather::gather;
use pleach_graph::{Graph, NodeId, Text};
use reach::reachable;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// Above this length, arcs that connect are chosen one at a time, and are no longer than this.
pub const LONG: usize = 120;

/// What every parsed graph must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarantees {
    /// At least one top.
    pub rooted: bool,
    /// At most one top.
    pub one_root: bool,
    /// Every word can be reached from the root.
    pub connected: bool,
    /// No cycles, two-cycles and self-loops included.
    pub acyclic: bool,
    /// Empty nodes have as many dependents as those of the treebank.
    pub nodes: bool,
    /// Labels name words of the sentence only, and arcs from the root have the root's label.
    pub labels: bool,
}

impl Guarantees {
    /// The names, in the order in which they are said.
    pub const NAMES: [&str; 6] = ["rooted", "one-root", "connected", "acyclic", "nodes", "labels"];

    fn fields(&mut self) -> [&mut bool; 6] {
        let Guarantees { rooted, one_root, connected, acyclic, nodes, labels } = self;
        [rooted, one_root, connected, acyclic, nodes, labels]
    }

    /// Whether anything is asked for that takes or adds arcs.
    pub fn any(self) -> bool {
        self.rooted || self.one_root || self.connected || self.acyclic
    }

    /// What both ask for.
    pub fn and(mut self, mut other: Guarantees) -> Guarantees {
        self.fields().into_iter().zip(other.fields()).for_each(|(mine, other)| *mine &= *other);
        self
    }
}

impl Display for Guarantees {
    /// The names of what is asked for, as they are read; `none` when nothing is.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut copy = *self;
        let wanted = Self::NAMES.into_iter().zip(copy.fields());
        let names: Vec<&str> = wanted.filter(|(_, wanted)| **wanted).map(|(name, _)| name).collect();
        f.write_str(if names.is_empty() { NONE } else { "" })?;
        f.write_str(&names.join(","))
    }
}

/// Asks for nothing.
const NONE: &str = "none";

/// An unknown guarantee.
#[derive(Debug, thiserror::Error)]
#[error("no guarantee '{name}'; there are {}, or {NONE}", Guarantees::NAMES.join(", "))]
pub struct UnknownGuarantee {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Guarantees {
    type Err = UnknownGuarantee;

    /// Reads a list such as `rooted,acyclic`, or `none`.
    fn from_str(list: &str) -> Result<Self, UnknownGuarantee> {
        let mut guarantees = Guarantees::default();
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != NONE);
        for name in names {
            let known = Self::NAMES.into_iter().position(|known| known == name);
            let known = known.ok_or_else(|| UnknownGuarantee { name: name.to_owned() })?;
            *guarantees.fields()[known] = true;
        }
        Ok(guarantees)
    }
}

/// Whether a graph lacks arcs that it must have, or has some that it may not have.
pub fn lacks(graph: &Graph, guarantees: Guarantees) -> bool {
    (guarantees.rooted && graph.tops().next().is_none())
        || (guarantees.one_root && graph.tops().nth(1).is_some())
        || (guarantees.connected && !reachable(graph).iter().all(|&r| r))
        || (guarantees.acyclic && !cycles::components(graph).is_empty())
}

/// The word that the model would most like to see below the root; the earlier one among equals.
fn best_top(mut words: impl Iterator<Item = NodeId>, scores: &mut dyn ArcScores) -> Option<NodeId> {
    let first = words.next()?;
    // Scores are dear, and the only word needs none.
    let Some(second) = words.next() else { return Some(first) };
    let scored = [first, second].into_iter().chain(words);
    let scored = scored.map(|word| (scores.score(NodeId::ROOT, word), word));
    scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, word)| word)
}

/// Mends the graph of a parsed sentence (transforms not undone).
pub fn repair(graph: &mut Graph, guarantees: Guarantees, scores: &mut dyn ArcScores) {
    if guarantees.acyclic {
        for arc in cycles::cheapest_break(graph, |head, dependent| scores.score(head, dependent)) {
            graph.remove(&arc);
        }
    }
    if guarantees.one_root && guarantees.connected {
        if lacks(graph, guarantees) {
            gather(graph, guarantees.acyclic, scores);
        }
        return;
    }
    if guarantees.rooted
        && graph.tops().next().is_none()
        && let Some(word) = best_top(graph.tokens(), scores)
    {
        add(graph, NodeId::ROOT, word, scores);
    }
    if guarantees.one_root
        && graph.tops().nth(1).is_some()
        && let Some(best) = best_top(graph.tops(), scores)
    {
        graph.retain(|arc| !arc.head.is_root() || arc.dependent == best);
    }
    if guarantees.connected {
        if guarantees.acyclic || graph.len() > LONG {
            connect_greedily(graph, guarantees.acyclic, scores);
        } else {
            connect(graph, scores);
        }
    }
}

/// Adds an arc; one that training never saw there is `root` or `dep`.
fn add(graph: &mut Graph, head: NodeId, dependent: NodeId, scores: &mut dyn ArcScores) {
    let labels = scores.labels(head, dependent);
    if labels.is_empty() {
        graph.insert(head, dependent, Text::from(if head.is_root() { "root" } else { "dep" }));
    }
    for label in labels {
        graph.insert(head, dependent, label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use pleach_graph::Arc;

    /// Any graph, with all guarantees that the arcs are about, alone and together.
    #[test]
    fn every_graph_can_be_mended() {
        let mut random = Random::new(5, 5);
        for round in 0..2000 {
            let n = 1 + round % 12;
            let arcs = (0..random.below(2 * n + 1)).map(|_| Arc {
                head: NodeId(random.below(n + 1) as u32),
                dependent: NodeId(1 + random.below(n) as u32),
                label: Text::from("x"),
            });
            let graph = Graph::from_arcs(n, arcs.collect());
            for wanted in ["one-root", "connected", "one-root,connected", "rooted,one-root,connected,acyclic"]
            {
                let guarantees: Guarantees = wanted.parse().unwrap();
                let mut mended = graph.clone();
                repair(&mut mended, guarantees, &mut Nearness);
                assert!(!lacks(&mended, guarantees), "{wanted}: {graph:?} became {mended:?}");
                if !lacks(&graph, guarantees) {
                    assert_eq!(mended, graph, "{wanted}");
                }
            }
        }
    }

    /// A root without a root arc that has the sentence below it is the top, not a word at the rim that has one.
    #[test]
    fn the_word_that_reaches_most_is_the_top() {
        let mut graph = Graph::new(5);
        for (head, dependent) in [(0, 5), (2, 1), (2, 3), (3, 4)] {
            graph.insert(NodeId(head), NodeId(dependent), "x".into());
        }
        repair(&mut graph, "one-root,connected".parse().unwrap(), &mut Nearness);
        assert!(graph.tops().eq([NodeId(2)]));
        assert!(graph.has_edge(NodeId(2), NodeId(5)));
    }

    /// "written by Anna and sent to Bob": of two tops one stays, and the other hangs on it.
    #[test]
    fn one_of_two_tops_stays() {
        let mut graph = Graph::new(3);
        for (head, dependent) in [(0, 1), (0, 3), (3, 2)] {
            graph.insert(NodeId(head), NodeId(dependent), "root".into());
        }
        let mut scores = Listed::default();
        scores.add(NodeId(0), NodeId(1), 1.0, || vec!["root".into()]);
        scores.add(NodeId(0), NodeId(3), 2.0, || vec!["root".into()]);
        scores.add(NodeId(3), NodeId(1), 0.5, || vec!["conj".into()]);
        repair(&mut graph, "one-root,connected".parse().unwrap(), &mut scores);
        assert!(graph.tops().eq([NodeId(3)]));
        assert!(graph.labels(NodeId(3), NodeId(1)).eq(["conj"]));
    }

    #[test]
    fn names_are_read_as_they_are_said() {
        for list in ["none", "rooted", "one-root,nodes", "rooted,one-root,connected,acyclic,nodes,labels"] {
            assert_eq!(list.parse::<Guarantees>().unwrap().to_string(), list);
        }
        let error = "happy".parse::<Guarantees>().unwrap_err().to_string();
        assert_eq!(
            error,
            "no guarantee 'happy'; there are rooted, one-root, connected, acyclic, nodes, labels, or none"
        );
    }
}
