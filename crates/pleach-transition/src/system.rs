//! What every transition system offers.

use crate::action::{Action, Inventory, Legal};
use crate::state::State;

/// A transition system for graphs: configurations, legal actions, their effect and the end.
///
/// Any sequence of legal actions ends within [`System::max_steps`], whoever chooses them.
pub trait System: Send + Sync {
    /// The name that recipes use, such as `s2s-combined`.
    fn name(&self) -> &str;

    /// Puts `state` into the initial configuration for a sentence of `len` words.
    fn start(&self, len: usize, state: &mut State);

    /// The classes of actions that are legal; none means that the configuration is final.
    fn legal(&self, state: &State) -> Legal;

    /// Applies a legal action.
    fn apply(&self, inventory: &Inventory, action: Action, state: &mut State);

    /// Whether the configuration is final.
    fn is_final(&self, state: &State) -> bool;

    /// An upper bound of the length of any legal sequence for a sentence of `len` words.
    fn max_steps(&self, len: usize) -> usize;
}
