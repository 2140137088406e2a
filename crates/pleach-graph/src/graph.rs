//! The labelled multigraph over the nodes of one sentence.
//!
//! Invariant: arcs are sorted by (dependent, head, label) and no arc stands twice, so that two graphs with
//! the same arcs are equal, and the heads of a node are one contiguous slice.

use crate::Text;
use std::fmt;
use thiserror::Error;

/// A node of a graph: 0 is the virtual root, `1..=n` are the tokens of the sentence in file order.
///
/// Empty nodes (`8.1`) have their own place in that order, so `NodeId` equals the word number only in
/// sentences without empty nodes; see [`Sentence::tokens`](crate::Sentence::tokens).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The virtual root: tops and `0:root` are arcs from it.
    pub const ROOT: NodeId = NodeId(0);

    /// The node as an index into an array that has a place for the root.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the virtual root.
    #[inline]
    pub fn is_root(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One labelled arc from a head to a dependent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arc<L = Text> {
    /// The governor; [`NodeId::ROOT`] for tops.
    pub head: NodeId,
    /// The word that depends on it; never the root.
    pub dependent: NodeId,
    /// The relation.
    pub label: L,
}

impl<L> Arc<L> {
    /// The two ends in surface order.
    #[inline]
    pub fn span(&self) -> (NodeId, NodeId) {
        if self.head <= self.dependent { (self.head, self.dependent) } else { (self.dependent, self.head) }
    }

    /// How far apart the two ends are.
    pub fn length(&self) -> u32 {
        self.head.0.abs_diff(self.dependent.0)
    }
}

impl<L: Ord> Arc<L> {
    fn key(&self) -> (NodeId, NodeId, &L) {
        (self.dependent, self.head, &self.label)
    }
}

impl<L: Ord> PartialOrd for Arc<L> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<L: Ord> Ord for Arc<L> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// An arc that a sentence can't have: it ends in the root or names a node that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no arc can go from {head} to {dependent} in a sentence of {len} tokens")]
pub struct ImpossibleArc {
    /// The governor.
    pub head: NodeId,
    /// The dependent.
    pub dependent: NodeId,
    /// How many tokens there are.
    pub len: usize,
}

impl ImpossibleArc {
    fn check(head: NodeId, dependent: NodeId, len: usize) -> Result<(), ImpossibleArc> {
        let possible = !dependent.is_root() && dependent.index() <= len && head.index() <= len;
        if possible { Ok(()) } else { Err(ImpossibleArc { head, dependent, len }) }
    }
}

/// A labelled directed multigraph over the root and `len` tokens.
///
/// Self-loops, two-cycles and several labels for one ordered pair are allowed; the same arc with the same
/// label stands once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph<L = Text> {
    len: u32,
    arcs: Vec<Arc<L>>,
}

impl<L> Default for Graph<L> {
    fn default() -> Self {
        Graph { len: 0, arcs: Vec::new() }
    }
}

impl<L: Ord> Graph<L> {
    /// An empty graph over `len` tokens.
    pub fn new(len: usize) -> Self {
        Graph { len: len as u32, arcs: Vec::new() }
    }

    /// A graph from heads, dependents and labels in any order, 0 for the root; duplicates are dropped.
    ///
    /// ```
    /// use pleach_graph::Graph;
    ///
    /// let graph: Graph = Graph::from_tuples(2, [(0, 2, "root"), (2, 1, "nsubj")])?;
    /// assert_eq!(graph.arcs().len(), 2);
    /// let wrong: Result<Graph, _> = Graph::from_tuples(2, [(2, 3, "obj")]);
    /// assert_eq!(wrong.unwrap_err().to_string(), "no arc can go from 2 to 3 in a sentence of 2 tokens");
    /// # Ok::<(), pleach_graph::ImpossibleArc>(())
    /// ```
    ///
    /// # Errors
    /// When an arc ends in the root or names a node beyond `len`.
    pub fn from_tuples<T: Into<L>>(
        len: usize,
        arcs: impl IntoIterator<Item = (u32, u32, T)>,
    ) -> Result<Self, ImpossibleArc> {
        let arc = |(head, dependent, label): (u32, u32, T)| {
            let (head, dependent) = (NodeId(head), NodeId(dependent));
            ImpossibleArc::check(head, dependent, len)?;
            Ok(Arc { head, dependent, label: label.into() })
        };
        Ok(Graph::from_arcs(len, arcs.into_iter().map(arc).collect::<Result<_, ImpossibleArc>>()?))
    }

    /// A graph from arcs in any order; duplicates are dropped. [`Graph::try_from_arcs`] is the form without panics.
    ///
    /// # Panics
    /// When an arc ends in the root or names a node beyond `len`.
    pub fn from_arcs(len: usize, mut arcs: Vec<Arc<L>>) -> Self {
        for arc in &arcs {
            assert!(
                !arc.dependent.is_root() && arc.dependent.index() <= len && arc.head.index() <= len,
                "arc {} -> {} outside of a graph with {len} tokens",
                arc.head,
                arc.dependent
            );
        }
        // Readers deliver arcs in order: look before sorting.
        if !arcs.is_sorted() {
            arcs.sort_unstable();
        }
        arcs.dedup();
        Graph { len: len as u32, arcs }
    }

    /// A graph from arcs in any order; duplicates are dropped.
    ///
    /// # Errors
    /// When an arc ends in the root or names a node beyond `len`.
    pub fn try_from_arcs(len: usize, arcs: Vec<Arc<L>>) -> Result<Self, ImpossibleArc> {
        arcs.iter().try_for_each(|arc| ImpossibleArc::check(arc.head, arc.dependent, len))?;
        Ok(Graph::from_arcs(len, arcs))
    }

    /// The number of tokens, the root not counted.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no arcs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.arcs.is_empty()
    }

    /// All arcs, sorted by dependent, head and label; arcs from the root included.
    #[inline]
    pub fn arcs(&self) -> &[Arc<L>] {
        &self.arcs
    }

    /// The arcs, taken out of the graph.
    pub fn into_arcs(self) -> Vec<Arc<L>> {
        self.arcs
    }

    /// The nodes `1..=len`.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<L> {
        (1..=self.len).map(NodeId)
    }

    /// Adds an arc; false when it was there already.
    ///
    /// # Errors
    /// When the arc ends in the root or names a node beyond the sentence.
    pub fn try_insert(&mut self, head: NodeId, dependent: NodeId, label: L) -> Result<bool, ImpossibleArc> {
        ImpossibleArc::check(head, dependent, self.len())?;
        Ok(self.insert(head, dependent, label))
    }

    /// Adds an arc; false when it was there already. [`Graph::try_insert`] is the form without panics.
    ///
    /// # Panics
    /// When the arc ends in the root or names a node beyond the sentence.
    pub fn insert(&mut self, head: NodeId, dependent: NodeId, label: L) -> bool {
        assert!(!dependent.is_root() && dependent.0 <= self.len && head.0 <= self.len);
        let arc = Arc { head, dependent, label };
        match self.arcs.binary_search(&arc) {
            Ok(_) => false,
            Err(place) => {
                self.arcs.insert(place, arc);
                true
            }
        }
    }

    /// Takes an arc out; false when it was not there.
    pub fn remove(&mut self, arc: &Arc<L>) -> bool {
        match self.arcs.binary_search(arc) {
            Ok(place) => {
                self.arcs.remove(place);
                true
            }
            Err(_) => false,
        }
    }

    /// Whether exactly this arc is there.
    pub fn contains(&self, arc: &Arc<L>) -> bool {
        self.arcs.binary_search(arc).is_ok()
    }

    /// Keeps only the arcs for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(&Arc<L>) -> bool) {
        self.arcs.retain(keep);
    }

    /// The arcs into a node: a contiguous slice, sorted by head and label.
    pub fn incoming(&self, dependent: NodeId) -> &[Arc<L>] {
        let start = self.arcs.partition_point(|arc| arc.dependent < dependent);
        let end = start + self.arcs[start..].partition_point(|arc| arc.dependent == dependent);
        &self.arcs[start..end]
    }

    /// The arcs into a node.
    pub fn heads_of(&self, dependent: NodeId) -> impl Iterator<Item = &Arc<L>> {
        self.incoming(dependent).iter()
    }

    /// The arcs out of a node, by a scan over all arcs.
    pub fn dependents_of(&self, head: NodeId) -> impl Iterator<Item = &Arc<L>> {
        self.arcs.iter().filter(move |arc| arc.head == head)
    }

    /// The labels of one ordered pair.
    pub fn labels(&self, head: NodeId, dependent: NodeId) -> impl Iterator<Item = &L> {
        let arcs = self.incoming(dependent);
        let arcs = &arcs[arcs.partition_point(|arc| arc.head < head)..];
        arcs.iter().take_while(move |arc| arc.head == head).map(|arc| &arc.label)
    }

    /// Whether the ordered pair is linked by any label.
    pub fn has_edge(&self, head: NodeId, dependent: NodeId) -> bool {
        self.labels(head, dependent).next().is_some()
    }

    /// The tops: tokens with an arc from the root, each once, in order.
    pub fn tops(&self) -> impl Iterator<Item = NodeId> {
        let mut last = NodeId::ROOT;
        self.arcs.iter().filter(|arc| arc.head.is_root()).filter_map(move |arc| {
            let new = arc.dependent != last;
            last = arc.dependent;
            new.then_some(arc.dependent)
        })
    }

    /// The same graph with other labels, e.g. interned ids for strings.
    pub fn map_labels<M: Ord>(&self, mut label: impl FnMut(&L) -> M) -> Graph<M> {
        let arcs = self.arcs.iter();
        let arcs = arcs.map(|a| Arc { head: a.head, dependent: a.dependent, label: label(&a.label) });
        Graph::from_arcs(self.len(), arcs.collect())
    }

    /// The ordered pairs that are linked, labels put aside.
    pub fn unlabelled(&self) -> Graph<()> {
        let arcs = self.arcs.iter().map(|arc| Arc { head: arc.head, dependent: arc.dependent, label: () });
        Graph::from_arcs(self.len(), arcs.collect())
    }

    /// The graph of the sentence read from right to left: token `i` becomes `len + 1 - i`.
    pub fn mirrored(&self) -> Graph<L>
    where
        L: Clone,
    {
        let flip = |node: NodeId| if node.is_root() { node } else { NodeId(self.len + 1 - node.0) };
        let arcs = self.arcs.iter();
        let arcs =
            arcs.map(|a| Arc { head: flip(a.head), dependent: flip(a.dependent), label: a.label.clone() });
        Graph::from_arcs(self.len(), arcs.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(len: usize, arcs: &[(u32, u32, &str)]) -> Graph {
        let arcs =
            arcs.iter().map(|&(h, d, l)| Arc { head: NodeId(h), dependent: NodeId(d), label: Text::from(l) });
        Graph::from_arcs(len, arcs.collect())
    }

    #[test]
    fn arcs_are_sorted_and_unique() {
        let g = graph(3, &[(2, 3, "b"), (0, 2, "root"), (2, 3, "a"), (2, 3, "b"), (3, 2, "c")]);
        let order: Vec<_> = g.arcs().iter().map(|a| (a.head.0, a.dependent.0, a.label.as_str())).collect();
        assert_eq!(order, [(0, 2, "root"), (3, 2, "c"), (2, 3, "a"), (2, 3, "b")]);
        assert_eq!(g.incoming(NodeId(3)).len(), 2);
        assert!(g.incoming(NodeId(1)).is_empty());
        assert_eq!(g.tops().collect::<Vec<_>>(), [NodeId(2)]);
    }

    #[test]
    fn arcs_that_cannot_be_are_refused() {
        let made: Graph = Graph::from_tuples(2, [(2, 1, "b"), (0, 2, "a"), (2, 1, "b")]).unwrap();
        assert_eq!(made, graph(2, &[(2, 1, "b"), (0, 2, "a")]));
        for (head, dependent) in [(1, 0), (0, 0), (3, 1), (1, 3), (u32::MAX, 1)] {
            let refused: Result<Graph, _> = Graph::from_tuples(2, [(0, 1, "x"), (head, dependent, "x")]);
            let (head, dependent) = (NodeId(head), NodeId(dependent));
            assert_eq!(refused, Err(ImpossibleArc { head, dependent, len: 2 }));
            let mut unchanged = made.clone();
            assert!(unchanged.try_insert(head, dependent, "x".into()).is_err() && unchanged == made);
            assert!(Graph::try_from_arcs(2, vec![Arc { head, dependent, label: 0 }]).is_err());
        }
        assert_eq!(made.clone().try_insert(NodeId(1), NodeId(1), "self".into()), Ok(true));
    }

    #[test]
    fn insert_and_remove_keep_the_order() {
        let mut g = graph(3, &[(1, 2, "x")]);
        assert!(g.insert(NodeId(3), NodeId(1), "y".into()));
        assert!(!g.insert(NodeId(3), NodeId(1), "y".into()));
        assert_eq!(g, graph(3, &[(3, 1, "y"), (1, 2, "x")]));
        let arc = g.arcs()[0].clone();
        assert!(g.remove(&arc) && !g.remove(&arc));
        assert_eq!(g, graph(3, &[(1, 2, "x")]));
    }

    #[test]
    fn mirroring_twice_changes_nothing() {
        let g = graph(4, &[(0, 3, "root"), (3, 1, "a"), (1, 4, "b"), (2, 2, "self")]);
        assert_eq!(g.mirrored().mirrored(), g);
        assert!(g.mirrored().has_edge(NodeId(2), NodeId(4)));
        assert!(g.mirrored().has_edge(NodeId::ROOT, NodeId(2)));
    }
}
