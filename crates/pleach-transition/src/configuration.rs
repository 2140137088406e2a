//! What scorers look at: which nodes `s0`, `m0`, `b0` … of a configuration are, and what is linked to them.
//!
//! Feature templates name nodes by a list and an index, networks ask for the same positions. In a graph system the
//! lists are its stacks and its buffer; at a site of a tree system they are the tokens around it.

use crate::graph::state::{Links, State};
use crate::tree::state::State as TreeState;
use crate::tree::system::Site;
use crate::{NONE, Node};

/// A list of nodes that scorers start from.
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
    /// `w0` …: where SHIFT pushes a token out of a tree system's window, that token and those to the right of it.
    Window,
}

/// Something that scorers look at.
pub trait Configuration {
    /// A node of a list, or [`NONE`].
    fn start(&self, list: List, index: usize) -> Node;

    /// The neighbours of a node in the partial graph; `None` when there is no such node or no partial graph.
    fn links(&self, node: Node) -> Option<&Links>;

    /// The labels between two nodes in the partial graph as one number; 0 when they are not linked.
    fn arc(&self, a: Node, b: Node) -> u32;

    /// The supertag that SHIFT gave to a node, 0 for none.
    fn tag(&self, node: Node) -> u32 {
        let _ = node;
        0
    }

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
            List::Part | List::Window => NONE,
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

    #[inline]
    fn tag(&self, node: Node) -> u32 {
        self.tags.get(node as usize).map_or(0, |&tag| u32::from(tag))
    }
}

/// Larger distances between the tokens of a site are one.
const FARTHEST: u16 = 8;

/// A configuration of a tree system seen from a site (`bohnet-2016` section 6).
///
/// What arc-eager calls the top of the stack and the front of the buffer are the left and the right token of a site
/// (`s0`, `b0`), and the tokens that are left on both sides follow (`s1`, `b1` …), wherever O ends; `m0` … stand between
/// them. SHIFT belongs to the rightmost site, but the token that it pushes out of the window stands at the left end: with
/// `w0` … the rightmost site sees that one and its neighbours too, and other sites have no such nodes. How far apart the
/// two tokens are is the salt of all features, as the paper has it for D > 1.
#[derive(Clone, Copy, Debug)]
pub struct SiteView<'a> {
    /// The configuration.
    pub state: &'a TreeState,
    /// The site.
    pub site: Site,
    /// Whether few features are asked for twice in a sentence: greedy search.
    pub fleeting: bool,
}

impl Configuration for SiteView<'_> {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        let row = &self.state.row;
        let mut node = match list {
            List::Stack => self.site.left,
            List::Buffer => self.site.right,
            List::Window if self.site.right == row.top() && self.site.distance == 1 => {
                self.state.pushed_out().unwrap_or(NONE)
            }
            List::Second if index + 1 < usize::from(self.site.distance) => row.after(self.site.left),
            List::Second | List::Part | List::Window => return NONE,
        };
        for _ in 0..index {
            if node == NONE {
                break;
            }
            node = if list == List::Stack { row.before(node) } else { row.after(node) };
        }
        node
    }

    #[inline]
    fn links(&self, node: Node) -> Option<&Links> {
        self.state.links.get(node as usize)
    }

    #[inline]
    fn arc(&self, a: Node, b: Node) -> u32 {
        let label = |head, dependent| self.state.label(head, dependent).map(u32::from);
        let left = label(b, a).map(|label| 1 + label);
        left.or_else(|| label(a, b).map(|label| 1 << 16 | label)).unwrap_or(0)
    }

    #[inline]
    fn salt(&self) -> u32 {
        u32::from(self.site.distance.min(FARTHEST)) - 1
    }

    #[inline]
    fn is_unique(&self, nodes: usize) -> bool {
        self.fleeting && nodes >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::presets::Preset;
    use crate::tree::settings::Bound;
    use crate::tree::system::{Op, System};

    /// `w0` … are the active tokens from the left, at the rightmost site and as long as SHIFT pushes one of them out.
    #[test]
    fn the_rightmost_site_sees_what_shift_pushes_out() {
        let settings = |capacity| {
            let mut settings = Preset::BoundedEasyFirst.settings();
            settings.capacity = Bound::Finite(capacity);
            settings
        };
        for capacity in 2..=5u16 {
            let system = System::new(&settings(capacity));
            let mut state = TreeState::default();
            system.start(6, &mut state);
            let shift = system.transitions().iter().position(|transition| !transition.is_arc()).unwrap();
            for shifts in 0.. {
                let row = &state.row;
                // Nothing is reduced, so O is the root and the first words.
                let last = capacity + shifts - 1;
                assert_eq!(row.top(), last);
                system.sites(row, |site, position| {
                    let view = SiteView { state: &state, site, fleeting: false };
                    for index in 0..5 {
                        let node = last + 1 - capacity + index;
                        let seen = position == 1 && row.front() != NONE && node <= 6;
                        let expected = if seen { node } else { NONE };
                        assert_eq!(
                            view.start(List::Window, index.into()),
                            expected,
                            "{capacity} {shifts} {index}"
                        );
                    }
                    true
                });
                if row.front() == NONE {
                    break;
                }
                let (left, right) = (row.before(row.top()), row.top());
                system.apply(Op { left, right, transition: shift as u8, variant: 0, label: 0 }, &mut state);
            }
        }
    }
}
