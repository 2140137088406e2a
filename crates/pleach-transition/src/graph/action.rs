//! Actions: an optional edge between the top of the stack and the front of the buffer, and a move.
//!
//! In a standard system an action is either an edge or a move; in a combined one (`zhang-2016` section 3.2)
//! it is a move that an edge may come before. Both are the same type here, so that search and learning need
//! not know which one they drive.

use crate::Node;

pub use pleach_graph::encoded::Edge;

/// What a move does to the stacks and the buffer; each system uses some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Move {
    /// No change: an edge on its own in a standard system.
    #[default]
    Stay,
    /// The front of the buffer goes onto the stack.
    Shift,
    /// The top of the stack is done with.
    Pop,
    /// S_S: the second node of the stack goes back to the buffer. S_T: the two topmost nodes trade places.
    Swap,
    /// S_2S: the top goes onto the second stack.
    Mem,
    /// S_2S: the top of the second stack comes back.
    Recall,
    /// S_L: the top of the list is passed over.
    NoArc,
}

impl Move {
    /// How many moves there are.
    pub const COUNT: usize = 7;
}

/// What an action adds to the graph before its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// Nothing.
    None,
    /// An edge between the top of the stack and the front of the buffer: an index into [`Inventory::edges`].
    Edge(u16),
    /// An arc from the top of the stack to itself, with this label set.
    Loop(u16),
    /// An arc from the root, which is the top or the front, to the other of the two, with this label set; only in
    /// systems with [`Settings::root_actions`](super::settings::Settings::root_actions).
    Root(u16),
}

/// One action of a transition system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The move that follows the edge.
    pub mv: Move,
    /// The edge.
    pub link: Link,
    /// For SHIFT: the supertag that the word gets, 0 for none.
    pub tag: u16,
}

/// What a [`Step`] adds to the graph before its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Addition {
    /// Nothing.
    None,
    /// An edge between the top of the stack and the front of the buffer.
    Edge(Edge),
    /// An arc from the top of the stack to itself, with this label set.
    Loop(u16),
    /// An arc from the root, which is the top or the front, to the other of the two, with this label set.
    Root(u16),
}

impl Addition {
    /// The edge between top and front that is added, if it is one.
    #[inline]
    pub fn edge(self, top: Node) -> Option<Edge> {
        match self {
            Addition::None | Addition::Loop(_) => None,
            Addition::Edge(edge) => Some(edge),
            Addition::Root(label) if top == 0 => Some(Edge { left: 0, right: label }),
            Addition::Root(label) => Some(Edge { left: label, right: 0 }),
        }
    }
}

/// An action spelled out, as an oracle gives it before there is an [`Inventory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The move that follows the edge.
    pub mv: Move,
    /// The edge.
    pub add: Addition,
    /// For SHIFT: the supertag that the word gets, 0 for none.
    pub tag: u16,
}

impl Step {
    /// A move on its own.
    pub fn plain(mv: Move) -> Step {
        Step { mv, add: Addition::None, tag: 0 }
    }
}

/// What a parser can say: the edges and the actions, in a fixed order.
///
/// Label sets and supertags are ids that the caller has given to them, 1, 2, …; 0 means none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The encoded edges (`zhang-2016` Algorithms 1 and 2, extended to label sets).
    pub edges: Vec<Edge>,
    /// All actions, sorted; an action's index is its id in scores and models.
    pub actions: Vec<Action>,
}

impl Inventory {
    /// The id of an action.
    pub fn id(&self, action: Action) -> Option<usize> {
        self.actions.binary_search(&action).ok()
    }

    /// An action spelled out.
    #[inline]
    pub fn step(&self, action: Action) -> Step {
        let add = match action.link {
            Link::None => Addition::None,
            Link::Edge(edge) => Addition::Edge(self.edges[edge as usize]),
            Link::Loop(label) => Addition::Loop(label),
            Link::Root(label) => Addition::Root(label),
        };
        Step { mv: action.mv, add, tag: action.tag }
    }

    /// The action that a step is, if the inventory has it.
    pub fn action(&self, step: Step) -> Option<Action> {
        let link = match step.add {
            Addition::None => Link::None,
            Addition::Edge(edge) => Link::Edge(self.edges.binary_search(&edge).ok()? as u16),
            Addition::Loop(label) => Link::Loop(label),
            Addition::Root(label) => Link::Root(label),
        };
        let action = Action { mv: step.mv, link, tag: step.tag };
        self.id(action).map(|_| action)
    }

    /// The class of an action: what decides whether it is legal, one bit in [`Legal`].
    #[inline]
    pub fn class(&self, action: Action) -> Class {
        let link = match action.link {
            Link::None => 0,
            Link::Edge(edge) => match self.edges[edge as usize] {
                Edge { right: 0, .. } => 1,
                Edge { left: 0, .. } => 2,
                _ => 3,
            },
            Link::Loop(_) => 4,
            Link::Root(_) => 5,
        };
        Class(action.mv as u8 * 8 + link)
    }
}

/// A set of actions that are legal together: one move with one kind of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(pub u8);

/// The kinds of link that a [`Class`] tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LinkKind {
    /// No link.
    None = 0,
    /// From the buffer's front to the stack's top.
    Left = 1,
    /// From the stack's top to the buffer's front.
    Right = 2,
    /// Both directions.
    Both = 3,
    /// From the stack's top to itself.
    Loop = 4,
    /// From the root, as an action of its own.
    Root = 5,
}

/// The legal classes of a configuration as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Legal(pub u64);

impl Legal {
    /// Whether a class is legal.
    #[inline]
    pub fn has(self, class: Class) -> bool {
        self.0 >> class.0 & 1 == 1
    }

    /// Makes a move with a kind of link legal.
    #[inline]
    pub fn allow(&mut self, mv: Move, link: LinkKind) {
        self.0 |= 1 << (mv as u8 * 8 + link as u8);
    }

    /// Makes a move with several kinds of link legal: bit `k` of `links` stands for the kind `k`.
    #[inline]
    pub(crate) fn allow_all(&mut self, mv: Move, links: u8) {
        self.0 |= u64::from(links) << (mv as u8 * 8);
    }

    /// Whether nothing is legal.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}
