//! A parser configuration: stacks, buffer and the partial graph with the neighbours that features ask for.
//!
//! One type serves all systems, so that features and search are written once. It holds no more than O(n)
//! and is copied for every hypothesis that survives in a beam.

use super::action::{Edge, Move};
use crate::{NONE, Node};

/// A neighbour of a node and the label set of the arc to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The other node, or [`NONE`].
    pub node: Node,
    /// The label set of the arc, 0 when there is none.
    pub label: u16,
}

/// No neighbour.
pub const NOBODY: Neighbour = Neighbour { node: NONE, label: 0 };

/// The neighbours of one node in the partial graph (`lp rp lc rc` of `zhang-2016` Figure 6).
///
/// Left ones stand before the node in the sentence, right ones after it; the virtual root stands before
/// every word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Links {
    /// The leftmost parent on the left.
    pub left_parent: Neighbour,
    /// The rightmost parent on the right.
    pub right_parent: Neighbour,
    /// The leftmost child on the left.
    pub left_child: Neighbour,
    /// The second leftmost child on the left.
    pub left_child2: Neighbour,
    /// The rightmost child on the right.
    pub right_child: Neighbour,
    /// The second rightmost child on the right.
    pub right_child2: Neighbour,
    /// How many parents on the left, parents on the right, children on the left, children on the right.
    pub counts: [u8; 4],
    /// The sets of labels of the children on the left and on the right, as order-free hashes.
    pub child_labels: [u32; 2],
    /// The most recent record in [`State::records`] that touches this node, plus one; 0 for none.
    newest: u32,
}

impl Default for Links {
    fn default() -> Self {
        Links {
            left_parent: NOBODY,
            right_parent: NOBODY,
            left_child: NOBODY,
            left_child2: NOBODY,
            right_child: NOBODY,
            right_child2: NOBODY,
            counts: [0; 4],
            child_labels: [0; 2],
            newest: 0,
        }
    }
}

/// One linked pair; the records of a node form a list through `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    /// The stack's top and the buffer's front when the edge was made.
    ends: [Node; 2],
    edge: Edge,
    next: [u32; 2],
}

/// A configuration of any of the graph systems.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The number of words.
    pub len: u16,
    /// The primary stack or list; the top is last.
    pub stack: Vec<Node>,
    /// The second stack or list; the top (the node that left the primary one most recently) is last.
    pub second: Vec<Node>,
    /// The buffer in reverse: the front is last.
    pub buffer: Vec<Node>,
    /// The neighbours of each node, the root's first.
    pub links: Vec<Links>,
    /// The label sets of self-loops, 0 for none; node by node.
    pub loops: Vec<u16>,
    /// The supertags, 0 for none; node by node.
    pub tags: Vec<u16>,
    /// What a system counts to guarantee termination; its meaning is the system's.
    pub counter: u32,
    /// How many actions were taken.
    pub steps: u32,
    /// The last move other than [`Move::Stay`], which is also what it is before the first one.
    pub last: Move,
    records: Vec<Record>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut new = State::default();
        new.clone_from(self);
        new
    }

    // The beam copies states into old ones, so that no memory is allocated per hypothesis.
    fn clone_from(&mut self, from: &Self) {
        self.len = from.len;
        self.stack.clone_from(&from.stack);
        self.second.clone_from(&from.second);
        self.buffer.clone_from(&from.buffer);
        self.links.clone_from(&from.links);
        self.loops.clone_from(&from.loops);
        self.tags.clone_from(&from.tags);
        self.counter = from.counter;
        self.steps = from.steps;
        self.last = from.last;
        self.records.clone_from(&from.records);
    }
}

impl State {
    /// Empties everything and makes room for a sentence of `len` words.
    pub fn reset(&mut self, len: usize) {
        self.len = len as u16;
        self.stack.clear();
        self.second.clear();
        self.buffer.clear();
        self.links.clear();
        self.links.resize(len + 1, Links::default());
        self.loops.clear();
        self.loops.resize(len + 1, 0);
        self.tags.clear();
        self.tags.resize(len + 1, 0);
        self.counter = 0;
        self.steps = 0;
        self.last = Move::Stay;
        self.records.clear();
    }

    /// The node `depth` below the top of the stack, or [`NONE`].
    #[inline]
    pub fn stack_at(&self, depth: usize) -> Node {
        self.stack.len().checked_sub(depth + 1).map_or(NONE, |i| self.stack[i])
    }

    /// The node `depth` below the top of the second stack, or [`NONE`].
    #[inline]
    pub fn second_at(&self, depth: usize) -> Node {
        self.second.len().checked_sub(depth + 1).map_or(NONE, |i| self.second[i])
    }

    /// The node `depth` behind the front of the buffer, or [`NONE`].
    #[inline]
    pub fn buffer_at(&self, depth: usize) -> Node {
        self.buffer.len().checked_sub(depth + 1).map_or(NONE, |i| self.buffer[i])
    }

    /// Moves the front of the buffer onto the stack and gives it a tag.
    #[inline]
    pub(crate) fn shift(&mut self, tag: u16) {
        if let Some(front) = self.buffer.pop() {
            self.stack.push(front);
            self.tags[usize::from(front)] = tag;
        }
    }

    /// The edge between two nodes as seen from `top` and `front`, if they are linked. O(degree).
    pub fn edge_between(&self, top: Node, front: Node) -> Option<Edge> {
        let mut found: Option<Edge> = None;
        let mut at = self.links[top as usize].newest;
        while at != 0 {
            let record = &self.records[at as usize - 1];
            let side = usize::from(record.ends[0] != top);
            if record.ends[1 - side] == front {
                let Edge { left, right } = record.edge;
                let edge = if side == 0 { record.edge } else { Edge { left: right, right: left } };
                // Strategy A may link a pair twice, once in each direction.
                let old = found.unwrap_or_default();
                found = Some(Edge { left: edge.left | old.left, right: edge.right | old.right });
            }
            at = record.next[side];
        }
        found
    }

    /// Adds an edge between the top of the stack and the front of the buffer.
    pub fn link(&mut self, top: Node, front: Node, edge: Edge) {
        let id = self.records.len() as u32 + 1;
        let next = [self.links[top as usize].newest, self.links[front as usize].newest];
        self.records.push(Record { ends: [top, front], edge, next });
        self.links[top as usize].newest = id;
        self.links[front as usize].newest = id;
        if edge.left != 0 {
            note_arc(&mut self.links, front, top, edge.left);
        }
        if edge.right != 0 {
            note_arc(&mut self.links, top, front, edge.right);
        }
    }

    /// All arcs so far as (head, dependent, label set), self-loops included.
    pub fn arcs(&self) -> impl Iterator<Item = (Node, Node, u16)> {
        let pairs = self.records.iter().flat_map(|record| {
            let [top, front] = record.ends;
            let left = (record.edge.left != 0).then_some((front, top, record.edge.left));
            let right = (record.edge.right != 0).then_some((top, front, record.edge.right));
            left.into_iter().chain(right)
        });
        let loops = self.loops.iter().enumerate().filter(|&(_, &label)| label != 0);
        pairs.chain(loops.map(|(node, &label)| (node as Node, node as Node, label)))
    }
}

/// Notes an arc with both of its ends.
pub(crate) fn note_arc(links: &mut [Links], head: Node, dependent: Node, label: u16) {
    let child = &mut links[dependent as usize];
    let new = Neighbour { node: head, label };
    if head < dependent {
        child.counts[0] = child.counts[0].saturating_add(1);
        if child.left_parent.node == NONE || head < child.left_parent.node {
            child.left_parent = new;
        }
    } else {
        child.counts[1] = child.counts[1].saturating_add(1);
        if child.right_parent.node == NONE || head > child.right_parent.node {
            child.right_parent = new;
        }
    }
    let parent = &mut links[head as usize];
    let new = Neighbour { node: dependent, label };
    if dependent < head {
        parent.counts[2] = parent.counts[2].saturating_add(1);
        parent.child_labels[0] = parent.child_labels[0].wrapping_add(spread(label));
        if parent.left_child.node == NONE || dependent < parent.left_child.node {
            parent.left_child2 = parent.left_child;
            parent.left_child = new;
        } else if parent.left_child2.node == NONE || dependent < parent.left_child2.node {
            parent.left_child2 = new;
        }
    } else {
        parent.counts[3] = parent.counts[3].saturating_add(1);
        parent.child_labels[1] = parent.child_labels[1].wrapping_add(spread(label));
        if parent.right_child.node == NONE || dependent > parent.right_child.node {
            parent.right_child2 = parent.right_child;
            parent.right_child = new;
        } else if parent.right_child2.node == NONE || dependent > parent.right_child2.node {
            parent.right_child2 = new;
        }
    }
}

/// A label as a number whose sums tell sets of labels apart.
fn spread(label: u16) -> u32 {
    (u32::from(label) + 1).wrapping_mul(0x9E37_79B1) | 1
}
