//! A configuration (O, U, A) of the tree framework (`bohnet-2016` section 3.2).
//!
//! U is always a suffix of the sentence and O keeps the order of the words, so both are one linked [`Row`] of the
//! tokens that are not reduced, with a mark where O ends: SHIFT moves the mark, REDUCE unlinks a token, both in O(1).
//! Node 0 is the root wherever it stands in the row.

use super::settings::Side;
use crate::graph::state::{Links, note_arc};
use crate::{NONE, Node};

/// The tokens that are left, O first and then U.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Row {
    before: Vec<Node>,
    after: Vec<Node>,
    top: Node,
    size: usize,
    waiting: usize,
}

impl Clone for Row {
    fn clone(&self) -> Self {
        let mut new = Row::default();
        new.clone_from(self);
        new
    }

    fn clone_from(&mut self, from: &Self) {
        self.before.clone_from(&from.before);
        self.after.clone_from(&from.after);
        self.top = from.top;
        self.size = from.size;
        self.waiting = from.waiting;
    }
}

impl Row {
    /// All tokens of a sentence of `len` words; the first of them is operative.
    pub fn reset(&mut self, len: usize, root: Side) {
        let last = len as Node;
        self.before.clear();
        self.after.clear();
        // The words in their order, and the root as if it stood on the left.
        self.before.push(NONE);
        self.before.extend(0..last);
        self.after.extend(1..=last);
        self.after.push(NONE);
        self.size = 1;
        self.waiting = len;
        self.top = 0;
        if root == Side::Right && len > 0 {
            self.before[1] = NONE;
            (self.before[0], self.after[0]) = (last, NONE);
            self.after[len] = 0;
            self.top = 1;
        }
    }

    /// `O[1]`, the rightmost operative token.
    #[inline]
    pub fn top(&self) -> Node {
        self.top
    }

    /// |O|.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// |U|.
    #[inline]
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// The first token of U, or [`NONE`].
    #[inline]
    pub fn front(&self) -> Node {
        self.after[self.top as usize]
    }

    /// The token to the left of one that is left, or [`NONE`].
    #[inline]
    pub fn before(&self, node: Node) -> Node {
        self.before[node as usize]
    }

    /// The token to the right of one that is left, or [`NONE`].
    #[inline]
    pub fn after(&self, node: Node) -> Node {
        self.after[node as usize]
    }

    /// Whether a token is left.
    #[inline]
    pub fn holds(&self, node: Node) -> bool {
        let (before, after) = (self.before(node), self.after(node));
        // One that has gone still knows who stood beside it, but they don't know it any more.
        if before != NONE { self.after(before) == node } else { after == NONE || self.before(after) == node }
    }

    /// O from right to left.
    pub fn operative(&self) -> impl Iterator<Item = Node> {
        std::iter::successors(Some(self.top), |&node| Some(self.before(node)).filter(|&node| node != NONE))
    }

    /// The first token of U becomes operative.
    #[inline]
    pub(super) fn shift(&mut self) {
        self.top = self.front();
        self.size += 1;
        self.waiting -= 1;
    }

    /// An operative token leaves; it is not the only one.
    #[inline]
    pub(super) fn remove(&mut self, node: Node) {
        let (before, after) = (self.before(node), self.after(node));
        if before != NONE {
            self.after[before as usize] = after;
        }
        if after != NONE {
            self.before[after as usize] = before;
        }
        if node == self.top {
            self.top = before;
        }
        self.size -= 1;
    }
}

/// An arc of A; the arcs of a dependent form a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arc {
    head: Node,
    dependent: Node,
    label: u16,
    /// The place of the dependent's arc before this one, plus one; 0 for none.
    next: u32,
}

/// A configuration of a tree system.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct State {
    /// O and U.
    pub row: Row,
    /// The neighbours of each node in the partial tree, the root's first.
    pub links: Vec<Links>,
    /// How many transitions were taken, deterministic SHIFTs counted: derivations of a bottom-up system that
    /// have taken as many have equally many to go.
    pub steps: u32,
    /// K: how many tokens are active at most.
    capacity: usize,
    arcs: Vec<Arc>,
    /// The newest arc of each dependent, plus one.
    newest: Vec<u32>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut new = State::default();
        new.clone_from(self);
        new
    }

    // The beam copies states into old ones, so that no memory is allocated per hypothesis.
    fn clone_from(&mut self, from: &Self) {
        self.row.clone_from(&from.row);
        self.links.clone_from(&from.links);
        self.steps = from.steps;
        self.capacity = from.capacity;
        self.arcs.clone_from(&from.arcs);
        self.newest.clone_from(&from.newest);
    }
}

impl State {
    /// The configuration before all transitions, with one operative token and at most `capacity` active ones.
    pub(super) fn reset(&mut self, len: usize, root: Side, capacity: usize) {
        self.row.reset(len, root);
        self.capacity = capacity;
        self.links.clear();
        self.links.resize(len + 1, Links::default());
        self.steps = 0;
        self.arcs.clear();
        self.newest.clear();
        self.newest.resize(len + 1, 0);
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.links.len().saturating_sub(1)
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The leftmost active token, if SHIFT would push it out of the window. O(K).
    #[inline]
    pub fn pushed_out(&self) -> Option<Node> {
        let row = &self.row;
        let full = row.size() >= self.capacity && row.front() != NONE;
        full.then(|| (1..self.capacity).fold(row.top(), |node, _| row.before(node)))
    }

    /// Whether a word has a head.
    #[inline]
    pub fn has_head(&self, node: Node) -> bool {
        self.newest[node as usize] != 0
    }

    /// The heads of a node with their labels, the newest first.
    pub fn heads(&self, node: Node) -> impl Iterator<Item = (Node, u16)> {
        let mut at = self.newest[node as usize];
        std::iter::from_fn(move || {
            let arc = self.arcs.get((at as usize).checked_sub(1)?)?;
            at = arc.next;
            Some((arc.head, arc.label))
        })
    }

    /// The label of an arc, if there is such an arc. O(heads of the dependent).
    #[inline]
    pub fn label(&self, head: Node, dependent: Node) -> Option<u16> {
        self.heads(dependent).find(|&(other, _)| other == head).map(|(_, label)| label)
    }

    /// Whether `node` is `from` or hangs below it. O(depth) in trees, O(arcs) in graphs.
    pub fn hangs_below(&self, node: Node, from: Node) -> bool {
        let mut at = node;
        loop {
            if at == from {
                return true;
            }
            let mut heads = self.heads(at);
            match (heads.next(), heads.next()) {
                (None, _) => return false,
                (Some((head, _)), None) => at = head,
                // Only here there are several ways up, so that nodes have to be remembered.
                (Some(_), Some(_)) => return self.hangs_below_in_graph(at, from),
            }
        }
    }

    fn hangs_below_in_graph(&self, node: Node, from: Node) -> bool {
        let mut seen = vec![false; self.links.len()];
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if node == from {
                return true;
            }
            if !std::mem::replace(&mut seen[node as usize], true) {
                waiting.extend(self.heads(node).map(|(head, _)| head));
            }
        }
        false
    }

    /// All arcs so far as (head, dependent, label).
    pub fn arcs(&self) -> impl Iterator<Item = (Node, Node, u16)> {
        self.arcs.iter().map(|arc| (arc.head, arc.dependent, arc.label))
    }

    pub(super) fn link(&mut self, head: Node, dependent: Node, label: u16) {
        self.arcs.push(Arc { head, dependent, label, next: self.newest[dependent as usize] });
        self.newest[dependent as usize] = self.arcs.len() as u32;
        note_arc(&mut self.links, head, dependent, label);
    }
}
