//! Greedy search: the best legal action at every step, in one state, without copies.
//!
//! Where actions are taken apart, the best choice is the one that its best action would be (labels only ever cost something), so
//! that labels are asked for just when an arc is made.

use super::{Factored, Machine};
use crate::graph::state::State;
use crate::scorer::{Place, Side};
use crate::search::Stepped;

/// The memory of a greedy parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Greedy {
    state: State,
    over: bool,
    /// The choice that was made and whose labels are asked for.
    chosen: Option<u32>,
    /// Which arcs it makes, from the front and from the top.
    sides: [bool; 2],
}

impl Greedy {
    /// Starts a sentence of `len` words.
    pub fn begin(&mut self, machine: &Machine, len: usize) {
        machine.system.start(len, &mut self.state);
        self.over = machine.system.is_final(&self.state);
        self.chosen = None;
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
        match (self.over, self.chosen) {
            (true, _) => 0,
            (false, None) => 1,
            (false, Some(_)) => self.sides.iter().filter(|&&there| there).count(),
        }
    }

    fn place(&self, number: usize) -> Place<'_> {
        if self.chosen.is_none() {
            return Place::Graph(&self.state);
        }
        let side = if number == 0 && self.sides[0] { Side::Left } else { Side::Right };
        Place::Arc(&self.state, side)
    }

    fn width(&self, machine: &Machine, usual: usize) -> usize {
        match (&machine.factored, self.chosen) {
            (Some(Factored { factors, .. }), Some(_)) => factors.labels(),
            _ => usual,
        }
    }

    fn advance(&mut self, machine: &Machine, rows: &[f32]) {
        let best = match &machine.factored {
            None => machine.index.best(machine.system.legal(&self.state), rows),
            Some(Factored { factors, index }) => match self.chosen.take() {
                None => {
                    let choice = index.best(machine.system.legal(&self.state), rows);
                    self.sides = choice.map_or([false; 2], |choice| factors.sides(choice));
                    if self.sides != [false; 2] {
                        self.chosen = choice;
                        return;
                    }
                    choice.map(|choice| factors.first(choice))
                }
                Some(choice) => {
                    let (first, last) = (&rows[..factors.labels()], &rows[rows.len() - factors.labels()..]);
                    Some(factors.best(choice, [first, last]).0)
                }
            },
        };
        match best {
            Some(best) => self.take(machine, best),
            // An inventory without the moves that a system needs leaves nothing to do.
            None => self.over = true,
        }
    }
}
