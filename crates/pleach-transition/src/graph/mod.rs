//! The transition systems for graphs: what they share.
//!
//! A system is a set of moves over stacks and buffer, one file each. Everything about edges is here, once:
//! which edges the top of the stack and the front of the buffer may get, whether an edge is an action of
//! its own (standard) or is made together with the move that follows it (combined, `zhang-2016` section
//! 3.2), where the root is, and when a configuration is final.
//!
//! Invariant: SHIFT is legal in every configuration that is not final, so some action always is.

mod list;
mod reorder;
mod thmm;
mod two_stack;

use crate::action::{Action, Addition, Inventory, Legal, LinkKind, Move, Step};
use crate::oracle::Progress;
use crate::settings::{Kind, Root, Settings, TwoCycles};
use crate::state::State;
use crate::system::System;
use crate::{NONE, Node};

/// A set of moves, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moves(u8);

impl Moves {
    fn of(moves: &[Move]) -> Moves {
        moves.iter().fold(Moves(0), |set, &mv| set.with_if(mv, true))
    }

    #[inline]
    fn with_if(self, mv: Move, legal: bool) -> Moves {
        Moves(self.0 | u8::from(legal) << mv as u8)
    }
}

/// The numbers that bound the length of a sequence.
struct Extent {
    /// How many nodes the stacks hold when the `i`-th node is the front, at most.
    stacked: Vec<usize>,
    /// How many edges one pair can get.
    per_pair: usize,
}

impl Extent {
    fn pops(&self) -> usize {
        self.stacked.last().copied().unwrap_or(0)
    }

    fn edges(&self) -> usize {
        self.stacked.iter().sum::<usize>() * self.per_pair
    }

    fn shifts(&self) -> usize {
        self.stacked.len()
    }
}

/// What tells one system from another: its moves.
trait Mechanics {
    /// All moves that the system has.
    const MOVES: &'static [Move];

    /// Called once the buffer is filled.
    fn start(_state: &mut State) {}

    /// The moves that are legal while the buffer is not empty, if an edge has (`linked`) or has not been
    /// made in the same action.
    fn moves(state: &State, linked: bool) -> Moves;

    /// Whether the top and the front may be linked, beyond what holds for all systems.
    #[inline]
    fn can_link(_state: &State) -> bool {
        true
    }

    /// Called after an edge has been made.
    #[inline]
    fn linked(_state: &mut State) {}

    /// Makes a legal move.
    fn perform(mv: Move, tag: u16, state: &mut State);

    /// How many moves a legal sequence has at most, SHIFT and POP included.
    fn bound(extent: &Extent) -> usize;

    /// The move of the static oracle, when the top and the front have all edges they should have.
    fn oracle(progress: &Progress, state: &State) -> Move;
}

macro_rules! by_kind {
    ($kind:expr, $system:ident => $body:expr) => {
        match $kind {
            Kind::Thmm => {
                type $system = thmm::Thmm;
                $body
            }
            Kind::Reorder => {
                type $system = reorder::Reorder;
                $body
            }
            Kind::TwoStack => {
                type $system = two_stack::TwoStack;
                $body
            }
            Kind::List => {
                type $system = list::List;
                $body
            }
        }
    };
}

/// Any of the graph systems with any options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnySystem {
    settings: Settings,
}

/// The system that the settings describe.
pub fn system(settings: &Settings) -> AnySystem {
    AnySystem { settings: settings.clone() }
}

impl AnySystem {
    /// The settings that the system was made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The moves that the system has.
    pub fn moves(&self) -> &'static [Move] {
        by_kind!(self.settings.kind, S => S::MOVES)
    }

    /// Takes a legal step.
    #[inline]
    pub fn perform(&self, step: Step, state: &mut State) {
        match step.add {
            Addition::None => {}
            Addition::Edge(edge) => {
                let (top, front) = (state.stack_at(0), state.buffer_at(0));
                state.link(top, front, edge);
                by_kind!(self.settings.kind, S => S::linked(state));
            }
            Addition::Loop(label) => {
                let top = state.stack_at(0);
                state.loops[top as usize] = label;
            }
        }
        if step.mv != Move::Stay {
            by_kind!(self.settings.kind, S => S::perform(step.mv, step.tag, state));
            state.last = step.mv;
        }
        state.steps += 1;
    }

    /// The kinds of link between top and front that are legal, as bits.
    #[inline]
    fn edge_kinds(&self, state: &State) -> u8 {
        let (top, front) = (state.stack_at(0), state.buffer_at(0));
        if top == NONE || front == NONE || !by_kind!(self.settings.kind, S => S::can_link(state)) {
            return 0;
        }
        let made = state.edge_between(top, front);
        let mut left = top != 0;
        let mut right = front != 0;
        let mut both = left && right && made.is_none();
        match (self.settings.two_cycles, made) {
            (TwoCycles::Encoded, Some(_)) => return 0,
            (TwoCycles::Encoded, None) => {}
            (TwoCycles::Transitions, made) => {
                let made = made.unwrap_or_default();
                left &= made.left == 0;
                right &= made.right == 0;
                both &= self.settings.combined;
            }
        }
        u8::from(left) << LinkKind::Left as u8
            | u8::from(right) << LinkKind::Right as u8
            | u8::from(both) << LinkKind::Both as u8
    }

    /// Whether the top of the stack may get an arc to itself.
    #[inline]
    fn can_loop(&self, state: &State) -> bool {
        let top = state.stack_at(0);
        self.settings.self_arcs && top != NONE && top != 0 && state.loops[top as usize] == 0
    }

    /// Whether the last word has just come onto the stack and may still get an arc to itself.
    #[inline]
    fn is_closing(&self, state: &State) -> bool {
        state.last == Move::Shift && self.can_loop(state)
    }

    /// The move that ends the sequence when the last word gets no arc to itself.
    fn closing_move(&self) -> Move {
        if self.settings.kind == Kind::List { Move::NoArc } else { Move::Pop }
    }

    pub(crate) fn oracle_move(&self, progress: &Progress, state: &State) -> Move {
        if state.buffer.is_empty() {
            return self.closing_move();
        }
        // The last SHIFT ends the sequence, so that nothing needs to be tidied up before it.
        if state.buffer.len() == 1 && progress.is_done(state.buffer[0]) {
            return Move::Shift;
        }
        by_kind!(self.settings.kind, S => S::oracle(progress, state))
    }

    fn extent(&self, len: usize) -> Extent {
        let (start, nodes) = match self.settings.root {
            Root::First => (1, len),
            Root::Last => (0, len + 1),
            Root::None => (0, len),
        };
        let per_pair = match self.settings.two_cycles {
            TwoCycles::Encoded => 1,
            TwoCycles::Transitions => 2,
        };
        Extent { stacked: (start..start + nodes).collect(), per_pair }
    }
}

impl System for AnySystem {
    fn name(&self) -> &str {
        self.settings.name()
    }

    fn start(&self, len: usize, state: &mut State) {
        state.reset(len);
        if self.settings.root == Root::Last {
            state.buffer.push(0);
        }
        state.buffer.extend((1..=len as Node).rev());
        if self.settings.root == Root::First {
            state.stack.push(0);
        }
        by_kind!(self.settings.kind, S => S::start(state));
    }

    #[inline]
    fn legal(&self, state: &State) -> Legal {
        let mut legal = Legal::default();
        if self.is_final(state) {
            return legal;
        }
        if self.can_loop(state) {
            legal.allow(Move::Stay, LinkKind::Loop);
        }
        if state.buffer.is_empty() {
            legal.allow(self.closing_move(), LinkKind::None);
            return legal;
        }
        let edges = self.edge_kinds(state);
        by_kind!(self.settings.kind, S => {
            let alone = S::moves(state, false);
            if self.settings.combined {
                let after_edge = if edges == 0 { Moves::default() } else { S::moves(state, true) };
                for &mv in S::MOVES {
                    let bit = 1 << mv as u8;
                    let links = if after_edge.0 & bit == 0 { 0 } else { edges };
                    legal.allow_all(mv, links | u8::from(alone.0 & bit != 0));
                }
            } else {
                legal.allow_all(Move::Stay, edges);
                for &mv in S::MOVES {
                    legal.allow_all(mv, u8::from(alone.0 & (1 << mv as u8) != 0));
                }
            }
        });
        legal
    }

    #[inline]
    fn apply(&self, inventory: &Inventory, action: Action, state: &mut State) {
        self.perform(inventory.step(action), state);
    }

    /// Final is a configuration with an empty buffer, or one in which only the root is left anywhere.
    #[inline]
    fn is_final(&self, state: &State) -> bool {
        match state.buffer.as_slice() {
            [] => !self.is_closing(state),
            [0] => state.stack.is_empty() && state.second.is_empty(),
            _ => false,
        }
    }

    fn max_steps(&self, len: usize) -> usize {
        let extent = self.extent(len);
        let mut steps = by_kind!(self.settings.kind, S => S::bound(&extent));
        if !self.settings.combined {
            steps += extent.edges();
        }
        if self.settings.self_arcs {
            // Every word once, and the move that closes the sequence.
            steps += len + 1;
        }
        steps
    }
}
