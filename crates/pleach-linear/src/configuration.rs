//! What templates look at: the configuration of a transition system, or a part of a graph.
//!
//! The template language names nodes by a list and an index (`s0`, `b1`, `h`); what they are is up to the
//! [`Configuration`]. A transition system has stacks, a buffer and a partial graph; a [`Part`] is a few nodes that a
//! decoder scores together, with no partial graph around them.

use pleach_transition::state::{Links, State};
use pleach_transition::{NONE, Node};

/// The place before the first word: it has no word, but templates that name one see that.
pub const LEFT_EDGE: Node = NONE - 2;
/// The place behind the last word.
pub const RIGHT_EDGE: Node = NONE - 1;

/// A list of nodes that templates start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// `s0` …: the stack, from its top.
    Stack,
    /// `m0` …: the second stack, from its top.
    Second,
    /// `b0` …: the buffer, from its front.
    Buffer,
    /// `h d x y`: the nodes of a part.
    Part,
}

/// Something that features are taken from.
pub trait Configuration {
    /// A node of a list, or [`NONE`].
    fn start(&self, list: List, index: usize) -> Node;

    /// The neighbours of a node in the partial graph; `None` when there is no such node or no partial graph.
    fn links(&self, node: Node) -> Option<&Links>;

    /// The labels between two nodes in the partial graph as one number; 0 when they are not linked.
    fn arc(&self, a: Node, b: Node) -> u32;

    /// A number that goes into every feature; 0 leaves them as they are.
    fn salt(&self) -> u32 {
        0
    }

    /// Whether what features of so many start nodes add up to is hardly asked for twice in a sentence, and so not worth
    /// keeping.
    fn is_unique(&self, nodes: usize) -> bool {
        let _ = nodes;
        false
    }
}

impl Configuration for State {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        match list {
            List::Stack => self.stack_at(index),
            List::Second => self.second_at(index),
            List::Buffer => self.buffer_at(index),
            List::Part => NONE,
        }
    }

    #[inline]
    fn links(&self, node: Node) -> Option<&Links> {
        self.links.get(node as usize)
    }

    #[inline]
    fn arc(&self, a: Node, b: Node) -> u32 {
        let edge = self.edge_between(a, b);
        edge.map_or(0, |edge| 1 + (u32::from(edge.left) << 16 | u32::from(edge.right)))
    }
}

/// Up to four nodes that are scored together: an arc (`h d`), an arc with a sibling, a grandchild or a neighbour
/// (`h d x`), or with two (`h d x y`). A node that the part doesn't have is [`NONE`]; where a word is missing in its
/// place (no sibling, no grandchild on that side) it is [`LEFT_EDGE`] or [`RIGHT_EDGE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part(pub [Node; 4]);

impl Part {
    /// An arc.
    pub fn arc(head: Node, dependent: Node) -> Self {
        Part([head, dependent, NONE, NONE])
    }

    /// An arc and a third node.
    pub fn triple(head: Node, dependent: Node, third: Node) -> Self {
        Part([head, dependent, third, NONE])
    }
}

impl Configuration for Part {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        match list {
            List::Part => self.0.get(index).copied().unwrap_or(NONE),
            _ => NONE,
        }
    }

    #[inline]
    fn links(&self, _: Node) -> Option<&Links> {
        None
    }

    #[inline]
    fn arc(&self, _: Node, _: Node) -> u32 {
        0
    }

    /// All nodes together make the part.
    #[inline]
    fn is_unique(&self, nodes: usize) -> bool {
        nodes >= self.0.iter().filter(|&&node| node != NONE).count()
    }
}
