//! What the transition systems for graphs share.
//!
//! A system is a set of moves over stacks and buffer ([`systems`](super::systems)). Everything about edges is here, once:
//! which edges the top of the stack and the front of the buffer may get, whether an edge is an action of
//! its own (standard) or is made together with the move that follows it (combined, `zhang-2016` section
//! 3.2), where the root is, and when a configuration is final.
//!
//! Invariant: SHIFT is legal in every configuration that is not final, so some action always is.

use super::action::{Action, Addition, Inventory, Legal, LinkKind, Move, Step};
use super::oracle::Progress;
use super::settings::{Root, Settings, TwoCycles};
use super::state::State;
use super::systems::{Extent, Mechanics, Moves, by_kind};
use crate::{NONE, Node};

/// A transition system for graphs: configurations, legal actions, their effect and the end.
///
/// Any sequence of legal actions ends within [`System::max_steps`], whoever chooses them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    settings: Settings,
}

impl System {
    /// The system that the settings describe.
    pub fn new(settings: &Settings) -> Self {
        System { settings: settings.clone() }
    }

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
        let top = state.stack_at(0);
        if let Some(edge) = step.add.edge(top) {
            state.link(top, state.buffer_at(0), edge);
            by_kind!(self.settings.kind, S => S::note_link(&mut state.counter));
        } else if let Addition::Loop(label) = step.add {
            state.loops[top as usize] = label;
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
        if self.settings.root_actions && (top == 0 || front == 0) {
            return u8::from(left || right) << LinkKind::Root as u8;
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
        by_kind!(self.settings.kind, S => S::CLOSING)
    }

    /// How many nodes of the buffer have never been on a stack; they are its last ones.
    pub(crate) fn unread(&self, state: &State) -> usize {
        by_kind!(self.settings.kind, S => S::unread(state))
    }

    /// Whether nodes on the second stack can still meet the front.
    pub(crate) fn meets_second(&self) -> bool {
        by_kind!(self.settings.kind, S => S::MEETS_SECOND)
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

    /// Puts `state` into the initial configuration for a sentence of `len` words.
    pub fn start(&self, len: usize, state: &mut State) {
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

    /// The classes of actions that are legal; none means that the configuration is final.
    #[inline]
    pub fn legal(&self, state: &State) -> Legal {
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

    /// Takes a legal action.
    #[inline]
    pub fn apply(&self, inventory: &Inventory, action: Action, state: &mut State) {
        self.perform(inventory.step(action), state);
    }

    /// Final is a configuration with an empty buffer, or one in which only the root is left anywhere.
    #[inline]
    pub fn is_final(&self, state: &State) -> bool {
        match state.buffer.as_slice() {
            [] => !self.is_closing(state),
            [0] => state.stack.is_empty() && state.second.is_empty(),
            _ => false,
        }
    }

    /// An upper bound of the length of any legal sequence for a sentence of `len` words.
    pub fn max_steps(&self, len: usize) -> usize {
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
