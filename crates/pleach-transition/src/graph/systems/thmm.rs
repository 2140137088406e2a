//! S_T, the system of Titov et al. (2009), called THMM in `zhang-2016`.
//!
//! Graph class: not all graphs, because only the two topmost nodes of the stack can be linked to the front
//! unless one of them is popped; graphs with up to four nodes all are. Complexity: O(n + arcs) moves.
//!
//! Two SWAPs in a row would undo each other. The rule that makes every sequence end: *between two SWAPs
//! there is an edge, a POP or a SHIFT*.

use super::{About, Extent, Mechanics, Moves};
use crate::graph::action::Move;
use crate::graph::oracle::Progress;
use crate::graph::settings::Root;
use crate::graph::state::State;

/// What [`State::counter`] holds: whether nothing has happened since the last SWAP.
const JUST_SWAPPED: u32 = 1;

/// The moves of S_T.
///
/// - **SHIFT**: *legal* when the buffer is not empty. *Effect*: the front goes onto the stack. *Oracle
///   cost*: the arcs between the front and all nodes on the stack.
/// - **POP**: *legal* when the stack is not empty. *Effect*: its top is gone. *Oracle cost*: the arcs
///   between the top and all nodes in the buffer.
/// - **SWAP**: *legal* when the stack has two nodes and anything but a SWAP came before. *Effect*: the two
///   topmost nodes trade places. *Oracle cost*: none if an edge or a POP follows.
///
/// These are the costs along the oracle's path; off it they depend on the order of the whole stack.
pub(in crate::graph) struct Thmm;

impl Mechanics for Thmm {
    const ABOUT: About = About {
        name: "st",
        title: "THMM",
        lists: &["σ"],
        continues: false,
        root: Root::Last,
        templates: "thmm",
        tree_templates: "paths",
    };
    const MOVES: &'static [Move] = &[Move::Shift, Move::Pop, Move::Swap];

    #[inline]
    fn moves(state: &State, linked: bool) -> Moves {
        Moves::of(&[Move::Shift])
            .with_if(Move::Pop, !state.stack.is_empty())
            .with_if(Move::Swap, state.stack.len() >= 2 && (linked || state.counter & JUST_SWAPPED == 0))
    }

    #[inline]
    fn note_link(counter: &mut u32) {
        *counter = 0;
    }

    #[inline]
    fn perform(mv: Move, tag: u16, state: &mut State) {
        state.counter = 0;
        match mv {
            Move::Shift => state.shift(tag),
            Move::Pop => {
                state.stack.pop();
            }
            Move::Swap => {
                if let [.., second, top] = state.stack.as_mut_slice() {
                    std::mem::swap(second, top);
                }
                state.counter = JUST_SWAPPED;
            }
            Move::Stay | Move::Mem | Move::Recall | Move::NoArc => {}
        }
    }

    fn bound(extent: &Extent) -> usize {
        // A SWAP comes first, or directly after an edge, a POP or a SHIFT.
        2 * (extent.shifts() + extent.pops()) + extent.edges() + 1
    }

    /// Pops what is done with, and keeps the node on top that is needed first.
    ///
    /// Algorithm 3 of `zhang-2016` compares the next arcs of the top and of the second node. Comparing the
    /// whole lists of what they still have to be linked to reaches more: of the 32,768 undirected graphs
    /// over six nodes Algorithm 3 loses arcs in 10,496, this oracle in 8,256, and these are exactly those
    /// that no sequence of S_T builds (by enumeration in the tests). Of those graphs it makes nearly as
    /// many arcs as can be made (9,472 lost where 9,152 must be).
    fn oracle(progress: &Progress, state: &State) -> Move {
        let [rest @ .., top] = state.stack.as_slice() else { return Move::Shift };
        let wanted = progress.rest(*top);
        match rest.last().map(|&second| progress.rest(second)) {
            _ if wanted.is_empty() => Move::Pop,
            Some(second) if second < wanted => Move::Swap,
            _ => Move::Shift,
        }
    }
}
