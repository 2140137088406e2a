//! S_2S, the system with two stacks: `zhang-2016` section 2.4.
//!
//! Graph class: all directed graphs (with self-loops if SELF-ARC is on). Complexity: at most n SHIFTs and
//! POPs, and at most 2k MEMs and RECALLs while k nodes are on the stacks and one word is the front.
//!
//! Seen from the front of the buffer the two stacks are one line of nodes with a cursor in it: MEM moves
//! the cursor down into the primary stack, RECALL back up. The shortest walk over some nodes of a line
//! turns round at most once, and only where it has just found one of them. So that is the rule that makes
//! every sequence end: *until the next SHIFT, MEM and RECALL may change direction once, and only if an
//! edge has been made since the last of them.*

use super::{About, Extent, Mechanics, Moves};
use crate::graph::action::Move;
use crate::graph::oracle::Progress;
use crate::graph::settings::Root;
use crate::graph::state::State;

/// What [`State::counter`] holds: the direction of the last MEM or RECALL since the last SHIFT …
const DIRECTION: u32 = 3;
const DOWN: u32 = 1;
const UP: u32 = 2;
/// … whether an edge has been made after it …
const EDGE_SINCE: u32 = 4;
/// … and whether the direction has changed.
const TURNED: u32 = 8;

/// The moves of S_2S.
///
/// - **SHIFT**: *legal* when the buffer is not empty. *Effect*: the front goes onto the primary stack.
///   *Oracle cost*: the arcs between the front and the nodes on both stacks.
/// - **POP**: *legal* when the primary stack is not empty. *Effect*: its top is gone. *Oracle cost*: the
///   arcs between the top and all nodes in the buffer.
/// - **MEM**: *legal* when the primary stack is not empty and the direction allows it. *Effect*: its top
///   goes onto the second stack. *Oracle cost*: none, unless the direction can't change any more and the
///   front has arcs with nodes on the second stack.
/// - **RECALL**: *legal* when the second stack is not empty and the direction allows it. *Effect*: its top
///   goes onto the primary stack. *Oracle cost*: as for MEM, with the stacks exchanged.
pub(in crate::graph) struct TwoStack;

#[inline]
fn can_go(direction: u32, state: &State, linked: bool) -> bool {
    let last = state.counter & DIRECTION;
    let can_turn = state.counter & TURNED == 0 && (linked || state.counter & EDGE_SINCE != 0);
    last == 0 || last == direction || can_turn
}

fn go(direction: u32, state: &mut State) {
    let last = state.counter & DIRECTION;
    let turned = if last == 0 || last == direction { state.counter & TURNED } else { TURNED };
    state.counter = direction | turned;
}

impl Mechanics for TwoStack {
    const ABOUT: About = About {
        name: "s2s",
        title: "two stacks",
        lists: &["σ", "σ'"],
        continues: false,
        root: Root::Last,
        templates: "two-stack",
        tree_templates: "paths-two-stack",
    };
    const MOVES: &'static [Move] = &[Move::Shift, Move::Pop, Move::Mem, Move::Recall];

    #[inline]
    fn moves(state: &State, linked: bool) -> Moves {
        let top = !state.stack.is_empty();
        Moves::of(&[Move::Shift])
            .with_if(Move::Pop, top)
            .with_if(Move::Mem, top && can_go(DOWN, state, linked))
            .with_if(Move::Recall, !state.second.is_empty() && can_go(UP, state, linked))
    }

    #[inline]
    fn linked(state: &mut State) {
        state.counter |= EDGE_SINCE;
    }

    #[inline]
    fn perform(mv: Move, tag: u16, state: &mut State) {
        match mv {
            Move::Shift => {
                state.shift(tag);
                state.counter = 0;
            }
            Move::Pop => {
                state.stack.pop();
            }
            Move::Mem => {
                let top = state.stack.pop();
                state.second.extend(top);
                go(DOWN, state);
            }
            Move::Recall => {
                let top = state.second.pop();
                state.stack.extend(top);
                go(UP, state);
            }
            Move::Stay | Move::Swap | Move::NoArc => {}
        }
    }

    fn bound(extent: &Extent) -> usize {
        extent.shifts() + extent.pops() + 2 * extent.stacked.iter().sum::<usize>()
    }

    /// Pops what is done with and walks to the nodes that the front is linked to, the nearer end first.
    fn oracle(progress: &Progress, state: &State) -> Move {
        let front = state.buffer_at(0);
        if state.stack.last().is_some_and(|&top| progress.rest(top).is_empty()) {
            return Move::Pop;
        }
        if progress.is_done(front) {
            return Move::Shift;
        }
        let linked = |&node: &u16| progress.wants(node, front);
        let below = state.stack.iter().position(linked).map(|place| state.stack.len() - 1 - place);
        let above = state.second.iter().position(linked).map(|place| state.second.len() - place);
        match (below, above) {
            (Some(below), Some(above)) if above < below => Move::Recall,
            (Some(_), _) => Move::Mem,
            (None, Some(_)) => Move::Recall,
            (None, None) => Move::Shift,
        }
    }
}
