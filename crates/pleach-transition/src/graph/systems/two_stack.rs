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
use crate::graph::costs::{Prospect, Spot};
use crate::graph::oracle::Progress;
use crate::graph::settings::{Root, Settings};
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
///   goes onto the second stack. *Oracle cost*: none, unless the walk can't come back to nodes on the second stack
///   that the front has arcs with: see [`unavoidable`].
/// - **RECALL**: *legal* when the second stack is not empty and the direction allows it. *Effect*: its top
///   goes onto the primary stack. *Oracle cost*: as for MEM, with the stacks exchanged.
pub(in crate::graph) struct TwoStack;

#[inline]
fn can_go(direction: u32, state: &State, linked: bool) -> bool {
    let last = state.counter & DIRECTION;
    let can_turn = state.counter & TURNED == 0 && (linked || state.counter & EDGE_SINCE != 0);
    last == 0 || last == direction || can_turn
}

/// The counter after a MEM or a RECALL.
fn go(direction: u32, counter: u32) -> u32 {
    let last = counter & DIRECTION;
    let turned = if last == 0 || last == direction { counter & TURNED } else { TURNED };
    direction | turned
}

/// What the front must lose when these nodes are below the cursor, the top last, and those above it.
///
/// A walk that has not begun, or can turn, finds all nodes. One that can't turn because no edge has been made since the
/// last step may make a wrong one, for a cost of one. Going down is also possible by POPs, which cost the arcs of what
/// they remove with the rest of the buffer.
fn unavoidable(below: &[Spot], above: &[Spot], counter: u32) -> u32 {
    let wanted = |spots: &[Spot]| spots.iter().map(|spot| spot.now).sum::<u32>();
    let open = |spots: &[Spot]| spots.iter().any(|spot| spot.open);
    let can_turn = counter & TURNED == 0;
    let turns = |ahead: u32| can_turn && (counter & EDGE_SINCE != 0 || ahead != 0);
    match counter & DIRECTION {
        DOWN => match wanted(above) {
            _ if turns(wanted(below)) => 0,
            behind if can_turn && open(below) => behind.min(1),
            behind => behind,
        },
        UP => {
            let Some((top, rest)) = below.split_last() else { return 0 };
            let mut behind = wanted(rest);
            if behind == 0 || turns(top.now + wanted(above)) {
                return 0;
            }
            let mut least = if can_turn && (top.open || open(above)) { 1 } else { behind };
            let mut popped = 0;
            for pair in below.windows(2).rev() {
                let [spot, above] = pair else { break };
                popped += above.later;
                behind -= spot.now;
                let then = match spot {
                    _ if !can_turn => behind,
                    Spot { now: 1.., .. } => 0,
                    Spot { open: true, .. } => 1,
                    _ => behind,
                };
                least = least.min(popped + then);
            }
            least
        }
        _ => 0,
    }
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
    fn note_link(counter: &mut u32) {
        *counter |= EDGE_SINCE;
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
                state.counter = go(DOWN, state.counter);
            }
            Move::Recall => {
                let top = state.second.pop();
                state.stack.extend(top);
                state.counter = go(UP, state.counter);
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

    // Loops are left out: a node can wait for its own over many fronts, so that they don't decompose.
    fn has_costs(settings: &Settings) -> bool {
        !settings.self_arcs
    }

    fn loss(prospect: &Prospect, mv: Move) -> u32 {
        let Prospect { line, stacked, counter, .. } = prospect;
        let split = |cursor: usize, counter: u32| unavoidable(&line[..cursor], &line[cursor..], counter);
        match mv {
            Move::Shift => line.iter().map(|spot| spot.now).sum(),
            Move::Pop => {
                let top = prospect.top();
                let (below, above) = (stacked.saturating_sub(1), *stacked);
                top.now + top.later + unavoidable(&line[..below], &line[above..], *counter)
            }
            Move::Mem => split(stacked.saturating_sub(1), go(DOWN, *counter)),
            Move::Recall => split((stacked + 1).min(line.len()), go(UP, *counter)),
            Move::Stay | Move::Swap | Move::NoArc => split(*stacked, *counter),
        }
    }
}
