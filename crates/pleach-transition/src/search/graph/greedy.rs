//! Greedy search: the best legal action at every step, in one state, without copies.

use super::Machine;
use crate::graph::state::State;
use crate::scorer::Place;
use crate::search::Stepped;

/// The memory of a greedy parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Greedy {
    state: State,
    over: bool,
}

impl Greedy {
    /// Starts a sentence of `len` words.
    pub fn begin(&mut self, machine: &Machine, len: usize) {
        machine.system.start(len, &mut self.state);
        self.over = machine.system.is_final(&self.state);
    }

    /// The configuration: the final one when the search is over.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes an action of the caller's choice: training with exploration looks at each configuration, learns from it, and
    /// says how to go on.
    pub fn take(&mut self, machine: &Machine, action: u32) {
        let action = machine.inventory.actions[action as usize];
        machine.system.apply(&machine.inventory, action, &mut self.state);
        self.over = machine.system.is_final(&self.state);
    }
}

impl Stepped<Machine> for Greedy {
    fn open(&self) -> usize {
        usize::from(!self.over)
    }

    fn place(&self, _: usize) -> Place<'_> {
        Place::Graph(&self.state)
    }

    fn advance(&mut self, machine: &Machine, rows: &[f32]) {
        match machine.index.best(machine.system.legal(&self.state), rows) {
            Some(best) => self.take(machine, best),
            // An inventory without the moves that a system needs leaves nothing to do.
            None => self.over = true,
        }
    }
}
