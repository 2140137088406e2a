//! Search over the sequences of a tree system: greedy, with a heap when all tokens are active, and with a beam.
//!
//! A [`Scorer`](crate::scorer::Scorer) scores the classes of one site. What it says depends on the tokens near the site
//! and on what hangs on them, so that a transition changes the scores of its neighbourhood only: every search keeps the
//! rows of scores on a `Board` and asks again just where something has changed. All of them are
//! [`Stepped`](crate::search::Stepped). Ties are broken by place and class, so that results never depend on the machine.

mod agenda;
mod beam;
mod board;
mod greedy;
mod heap;
mod identity;

pub use beam::{Beam, Moment, Step};
pub use greedy::{Greedy, Mistake};
pub use heap::Heap;

use crate::tree::classes::Classes;
use crate::tree::system::System;

/// The most sites that are kept for one sentence. In a longer sentence of a system with a large D, tokens that are
/// further apart than this allows are no sites.
pub const MOST_SITES: usize = 1 << 22;

/// A tree system and what it can say, ready for search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The transition system.
    pub system: System,
    /// Its transitions with their labels.
    pub classes: Classes,
}

impl Machine {
    /// A system with these classes.
    pub fn new(system: System, classes: Classes) -> Self {
        Machine { system, classes }
    }

    /// How many classes there are: the width of a row of scores.
    pub fn actions(&self) -> usize {
        self.classes.len()
    }
}
