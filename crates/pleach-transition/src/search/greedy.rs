//! Greedy search: the best legal action at every step, in one state, without copies.

use super::{ActionIndex, Scorer};
use crate::action::Inventory;
use crate::state::State;
use crate::system::System;

/// The memory of a greedy parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Greedy {
    state: State,
    scores: Vec<f32>,
}

impl Greedy {
    /// Parses a sentence of `len` words and returns the final configuration.
    pub fn parse<S: System + ?Sized>(
        &mut self,
        system: &S,
        inventory: &Inventory,
        index: &ActionIndex,
        scorer: &mut impl Scorer,
        len: usize,
    ) -> &State {
        self.walk(system, inventory, index, scorer, len, |_, _, best| best)
    }

    /// Like [`Greedy::parse`], but `choose` may take another legal action than the best one: training with
    /// exploration looks at each configuration, learns from it, and says how to go on.
    pub fn walk<S: System + ?Sized>(
        &mut self,
        system: &S,
        inventory: &Inventory,
        index: &ActionIndex,
        scorer: &mut impl Scorer,
        len: usize,
        mut choose: impl FnMut(&State, &[f32], u32) -> u32,
    ) -> &State {
        self.scores.resize(index.len(), 0.0);
        system.start(len, &mut self.state);
        while !system.is_final(&self.state) {
            scorer.score(&self.state, &mut self.scores);
            let Some(best) = index.best(system.legal(&self.state), &self.scores) else { break };
            let chosen = choose(&self.state, &self.scores, best);
            system.apply(inventory, inventory.actions[chosen as usize], &mut self.state);
        }
        &self.state
    }
}
