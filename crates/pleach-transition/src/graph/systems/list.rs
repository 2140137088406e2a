//! S_L, the list-based system: `sun-2019` section 5.2, after Nivre (2008) and Covington (2001).
//!
//! Graph class: all directed graphs (with self-loops if SELF-ARC is on). Complexity: O(n²) moves at most.
//!
//! Every node of the first list is met at most once by every front of the buffer, so that every sequence
//! ends without a rule.

use super::{About, Extent, Mechanics, Moves};
use crate::graph::action::Move;
use crate::graph::costs::{Prospect, Spot};
use crate::graph::oracle::Progress;
use crate::graph::settings::{Root, Settings};
use crate::graph::state::State;

/// The moves of S_L.
///
/// - **SHIFT**: *legal* when the buffer is not empty. *Effect*: what NO-ARC has passed over goes back to
///   the first list, then the front does. *Oracle cost*: the arcs between the front and all nodes that are
///   still in the first list.
/// - **NO-ARC**: *legal* when the first list is not empty. *Effect*: its last node goes to the second list.
///   *Oracle cost*: the arcs between that node and the front that have not been made.
pub(in crate::graph) struct List;

impl Mechanics for List {
    const ABOUT: About = About {
        name: "sl",
        title: "lists",
        lists: &["λ", "λ'"],
        continues: true,
        // The list-based parser meets the root last of all words on its way to the left (`sun-2019` Figure 15).
        root: Root::First,
        templates: "list",
        tree_templates: "paths",
    };
    const MOVES: &'static [Move] = &[Move::Shift, Move::NoArc];
    const CLOSING: Move = Move::NoArc;
    const MEETS_SECOND: bool = false;

    #[inline]
    fn moves(state: &State, _linked: bool) -> Moves {
        Moves::of(&[Move::Shift]).with_if(Move::NoArc, !state.stack.is_empty())
    }

    #[inline]
    fn perform(mv: Move, tag: u16, state: &mut State) {
        match mv {
            Move::Shift => {
                state.stack.extend(state.second.drain(..).rev());
                state.shift(tag);
            }
            Move::NoArc => {
                let top = state.stack.pop();
                state.second.extend(top);
            }
            Move::Stay | Move::Pop | Move::Swap | Move::Mem | Move::Recall => {}
        }
    }

    fn bound(extent: &Extent) -> usize {
        extent.shifts() + extent.stacked.iter().sum::<usize>()
    }

    /// Passes over nodes as long as the front has arcs with others.
    fn oracle(progress: &Progress, state: &State) -> Move {
        if progress.is_done(state.buffer_at(0)) { Move::Shift } else { Move::NoArc }
    }

    fn has_costs(_settings: &Settings) -> bool {
        true
    }

    /// A node of the first list meets the front once: NO-ARC gives up its arcs with the front, SHIFT those of all nodes that
    /// are left in the list. A loop can wait as long as another SHIFT brings its node back.
    fn loss(prospect: &Prospect, mv: Move) -> u32 {
        let lost = |spot: &Spot| spot.now + u32::from(prospect.last && spot.wants_loop);
        match mv {
            Move::Shift => prospect.line[..prospect.stacked].iter().map(lost).sum(),
            Move::NoArc => lost(&prospect.top()),
            _ => 0,
        }
    }
}
