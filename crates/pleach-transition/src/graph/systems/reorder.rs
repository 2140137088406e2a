//! S_S, online re-ordering: `zhang-2016` section 2.3.
//!
//! Graph class: all directed graphs (with self-loops if SELF-ARC is on). Complexity: the oracle is linear
//! for graphs with few crossing arcs; a complete graph takes O(n³) moves, since SWAP changes the order of
//! one pair of nodes and each front wants each node on top once.
//!
//! A run of SWAPs and the SHIFTs that bring the nodes back let the top of the stack sink. The rules that
//! make every sequence end: *a run of SWAPs begins only while the top has just come from the unread part
//! of the buffer or has just got an edge*, and *while nodes that SWAP has sent back are in the buffer,
//! there are no edges* (all nodes that have been on the stack have met before, as far as the oracle goes).

use super::{About, Extent, Mechanics, Moves};
use crate::graph::action::Move;
use crate::graph::oracle::Progress;
use crate::graph::settings::{Root, Timing};
use crate::graph::state::State;

/// What [`State::counter`] holds: how many nodes of the buffer have never been on the stack …
const UNREAD: u32 = 0xFFFF;
/// … and whether the top may sink.
const MAY_SINK: u32 = 1 << 16;

/// The moves of S_S.
///
/// - **SHIFT**: *legal* when the buffer is not empty. *Effect*: the front goes onto the stack. *Oracle
///   cost*: for an unread front, the arcs between it and all nodes on the stack; else none.
/// - **POP**: *legal* when the stack is not empty. *Effect*: its top is gone. *Oracle cost*: the arcs
///   between the top and all unread nodes.
/// - **SWAP**: *legal* when the stack has two nodes, and an edge, an unread SHIFT or a SWAP has come just
///   before. *Effect*: the second node of the stack goes back to the buffer, in front of all others.
///   *Oracle cost*: that of the order of the stack it leads to.
///
/// These are the costs along the oracle's path; off it they depend on the order of the whole stack.
pub(in crate::graph) struct Reorder;

/// Whether the front has been on the stack before.
#[inline]
fn is_reread(state: &State) -> bool {
    state.buffer.len() as u32 > state.counter & UNREAD
}

impl Mechanics for Reorder {
    const ABOUT: About = About {
        name: "ss",
        title: "online re-ordering",
        lists: &["σ"],
        continues: false,
        root: Root::Last,
        templates: "reorder",
        tree_templates: "paths",
    };
    const MOVES: &'static [Move] = &[Move::Shift, Move::Pop, Move::Swap];

    fn start(state: &mut State) {
        state.counter = state.buffer.len() as u32;
    }

    fn unread(state: &State) -> usize {
        (state.counter & UNREAD) as usize
    }

    #[inline]
    fn moves(state: &State, linked: bool) -> Moves {
        Moves::of(&[Move::Shift])
            .with_if(Move::Pop, !state.stack.is_empty())
            .with_if(Move::Swap, state.stack.len() >= 2 && (linked || state.counter & MAY_SINK != 0))
    }

    #[inline]
    fn can_link(state: &State) -> bool {
        !is_reread(state)
    }

    #[inline]
    fn note_link(counter: &mut u32) {
        *counter |= MAY_SINK;
    }

    #[inline]
    fn perform(mv: Move, tag: u16, state: &mut State) {
        match mv {
            Move::Shift if is_reread(state) => {
                let front = state.buffer.pop();
                state.stack.extend(front);
                state.counter &= UNREAD;
            }
            Move::Shift => {
                state.shift(tag);
                state.counter = ((state.counter & UNREAD) - 1) | MAY_SINK;
            }
            Move::Pop => {
                state.stack.pop();
                state.counter &= UNREAD;
            }
            Move::Swap => {
                let top = state.stack.pop();
                let second = state.stack.pop();
                state.stack.extend(top);
                state.buffer.extend(second);
                state.counter |= MAY_SINK;
            }
            Move::Stay | Move::Mem | Move::Recall | Move::NoArc => {}
        }
    }

    fn bound(extent: &Extent) -> usize {
        // With k nodes on the stack a node sinks once because it is new and once for every edge, by at
        // most k - 1 places each time, and every SWAP is made good by a SHIFT.
        let sinks = |&k: &usize| (1 + k * extent.per_pair) * k.saturating_sub(1);
        extent.shifts() + extent.pops() + 2 * extent.stacked.iter().map(sinks).sum::<usize>()
    }

    /// Pops what is done with and lets the top sink to where it belongs.
    ///
    /// Eager: the stack is kept in the lexicographical order of the lists of remaining neighbours, the least on
    /// top; only the top can be out of order, so that looking at the second node is enough.
    ///
    /// Lazy: the order of the next neighbours is enough, since nodes that want the same front all get an edge with it and
    /// so another chance to sink; and nodes that want nothing are popped when they come up. So the top sinks only when
    /// a node below it is wanted before its own next edge, which is its last chance. On the dev set of English EWT
    /// 16 % of the SWAPs are made for a word that is not yet the front, where the eager oracle has 59 %.
    fn oracle(progress: &Progress, state: &State) -> Move {
        let [rest @ .., top] = state.stack.as_slice() else { return Move::Shift };
        let wanted = progress.rest(*top);
        let Some(next) = wanted.first() else { return Move::Pop };
        let sinks = match progress.timing {
            Timing::Eager => rest.last().is_some_and(|&second| progress.rest(second) < wanted),
            Timing::Lazy => {
                rest.iter().any(|&node| progress.rest(node).first().is_some_and(|first| first < next))
            }
        };
        if sinks { Move::Swap } else { Move::Shift }
    }
}
