//! The transition systems for graphs, one file each: their moves, their names, what they like.
//!
//! A new system is a file here that implements `Mechanics`, and its line in `systems!`. Names, presets, help texts,
//! default options and templates come from its [`About`]; edges, combination, the root, search, learning and the
//! general tests (legal actions, bounds, replayed oracles) are there already.

pub(super) mod list;
pub(super) mod reorder;
pub(super) mod thmm;
pub(super) mod two_stack;

use super::action::Move;
use super::costs::Prospect;
use super::oracle::Progress;
use super::settings::{Root, Settings, UnknownName, by_name};
use super::state::State;
use std::str::FromStr;

/// Makes the enumeration of the systems and `by_kind!`, which runs code for the system of a kind.
macro_rules! systems {
    ($d:tt $($(#[$doc:meta])* $kind:ident = $module:ident::$system:ident;)*) => {
        /// The systems for graphs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All systems in the order of the papers.
            pub const ALL: [Kind; { [$(Kind::$kind),*].len() }] = [$(Kind::$kind),*];
        }

        macro_rules! by_kind {
            ($d kind:expr, $d s:ident => $d body:expr) => {
                match $d kind {
                    $(crate::graph::systems::Kind::$kind => {
                        type $d s = crate::graph::systems::$module::$system;
                        $d body
                    })*
                }
            };
        }
    };
}

systems! { $
    /// S_T: one stack whose two topmost nodes can trade places (Titov et al. 2009, THMM).
    Thmm = thmm::Thmm;
    /// S_S: online re-ordering, nodes go back to the buffer (`zhang-2016` section 2.3).
    Reorder = reorder::Reorder;
    /// S_2S: two stacks (`zhang-2016` section 2.4).
    TwoStack = two_stack::TwoStack;
    /// S_L: two lists (`sun-2019` section 5.2).
    List = list::List;
}

pub(super) use by_kind;

/// What is to be said of a system: its names and what it likes when nobody asks for anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The short name in presets and recipes, such as `s2s`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What papers call its stack or list and, if there is one, the second.
    pub lists: &'static [&'static str],
    /// Whether the second list continues the first one, so that its last node is the one next to the first list.
    pub continues: bool,
    /// Where the root is.
    pub root: Root,
    /// The name of the feature templates that are made for it.
    pub templates: &'static str,
    /// The name of those that look at trees besides.
    pub tree_templates: &'static str,
}

/// All systems and what is to be said of them, for recipes and help texts.
pub fn all() -> impl Iterator<Item = (Kind, &'static About)> {
    Kind::ALL.into_iter().map(|kind| (kind, kind.about()))
}

impl Kind {
    /// What is to be said of the system.
    pub fn about(self) -> &'static About {
        by_kind!(self, S => &S::ABOUT)
    }

    /// The short name in presets and recipes.
    pub fn name(self) -> &'static str {
        self.about().name
    }
}

impl FromStr for Kind {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("transition system", name, &Kind::ALL, Kind::name)
    }
}

/// A set of moves, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moves(pub u8);

impl Moves {
    pub fn of(moves: &[Move]) -> Moves {
        moves.iter().fold(Moves(0), |set, &mv| set.with_if(mv, true))
    }

    #[inline]
    pub fn with_if(self, mv: Move, legal: bool) -> Moves {
        Moves(self.0 | u8::from(legal) << mv as u8)
    }
}

/// The numbers that bound the length of a sequence.
pub(super) struct Extent {
    /// How many nodes the stacks hold when the `i`-th node is the front, at most.
    pub stacked: Vec<usize>,
    /// How many edges one pair can get.
    pub per_pair: usize,
}

impl Extent {
    pub fn pops(&self) -> usize {
        self.stacked.last().copied().unwrap_or(0)
    }

    pub fn edges(&self) -> usize {
        self.stacked.iter().sum::<usize>() * self.per_pair
    }

    pub fn shifts(&self) -> usize {
        self.stacked.len()
    }
}

/// What tells one system from another: its moves.
pub(super) trait Mechanics {
    /// What is to be said of the system.
    const ABOUT: About;

    /// All moves that the system has.
    const MOVES: &'static [Move];

    /// The move that ends the sequence when the last word gets no arc to itself.
    const CLOSING: Move = Move::Pop;

    /// Whether nodes on the second stack can still meet the front.
    const MEETS_SECOND: bool = true;

    /// Called once the buffer is filled.
    fn start(_state: &mut State) {}

    /// How many nodes of the buffer have never been on a stack.
    fn unread(state: &State) -> usize {
        state.buffer.len()
    }

    /// The moves that are legal while the buffer is not empty, if an edge has (`linked`) or has not been
    /// made in the same action.
    fn moves(state: &State, linked: bool) -> Moves;

    /// Whether the top and the front may be linked, beyond what holds for all systems.
    #[inline]
    fn can_link(_state: &State) -> bool {
        true
    }

    /// What an edge between top and front does to [`State::counter`].
    #[inline]
    fn note_link(_counter: &mut u32) {}

    /// Makes a legal move.
    fn perform(mv: Move, tag: u16, state: &mut State);

    /// How many moves a legal sequence has at most, SHIFT and POP included.
    fn bound(extent: &Extent) -> usize;

    /// The move of the static oracle, when the top and the front have all edges they should have.
    fn oracle(progress: &Progress, state: &State) -> Move;

    /// Whether [`Mechanics::loss`] is exact with these settings.
    fn has_costs(_settings: &Settings) -> bool {
        false
    }

    /// What the nodes on the stacks and the front must lose after a move ([`Move::Stay`]: as things are): the gold arcs
    /// between them that can't be made any more, and the wrong ones without which it would be more.
    fn loss(_prospect: &Prospect, _mv: Move) -> u32 {
        0
    }
}
