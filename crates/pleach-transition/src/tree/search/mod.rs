//! Search over the sequences of a tree system: greedy, with a heap when all tokens are active, and with a beam.
//!
//! A [`Scorer`] scores the classes of one site. What it says depends on the tokens near the site and on what hangs on
//! them, so that a transition changes the scores of its neighbourhood only: every search keeps the rows of scores on a
//! `Board` and asks again just where something has changed. Ties are broken by place and class, so that results
//! never depend on the machine.

mod beam;
mod board;
mod greedy;
mod heap;

pub use beam::{Beam, Moment, Step};
pub use greedy::{Greedy, Mistake};
pub use heap::Heap;

use super::state::State;
use super::system::Site;

/// Scores the classes of a site.
pub trait Scorer {
    /// Writes the score of every class, legal or not, into `scores`.
    fn score(&mut self, state: &State, site: Site, scores: &mut [f32]);

    /// How many tokens to the left of a site's left token, and to the right of its right one, the scores depend on. What
    /// hangs on these tokens counts too, but not where O ends.
    fn reach(&self) -> usize;
}

/// The most sites that are kept for one sentence. In a longer sentence of a system with a large D, tokens that are
/// further apart than this allows are no sites.
pub const MOST_SITES: usize = 1 << 22;
