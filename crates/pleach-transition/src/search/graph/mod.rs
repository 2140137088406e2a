//! Search over the sequences of a graph system: greedy and with a beam.
//!
//! A search says which configurations are open, gets the scores of *all* actions at each, and advances. Ties are broken by
//! the action's id, so that results never depend on the machine.

mod beam;
mod greedy;

pub use beam::{Beam, Moment};
pub use greedy::Greedy;

use crate::graph::action::{Inventory, Legal, Move};
use crate::graph::settings::Settings;
use crate::graph::system::System;

/// A system and what it can say, ready for search.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The transition system.
    pub system: System,
    /// Its edges and actions.
    pub inventory: Inventory,
    /// The actions by class.
    pub index: ActionIndex,
}

impl Machine {
    /// A system with these actions.
    pub fn new(settings: &Settings, inventory: Inventory) -> Self {
        Machine { system: System::new(settings), index: ActionIndex::new(&inventory), inventory }
    }

    /// How many actions there are: the width of a row of scores.
    pub fn actions(&self) -> usize {
        self.index.len()
    }
}

/// The actions of an inventory, grouped by class: what is legal is decided once per class.
#[derive(Clone, Debug)]
pub struct ActionIndex {
    /// For each class that has actions: its bit and its actions' ids in ascending order.
    classes: Vec<(u8, Vec<u32>)>,
    len: usize,
}

impl ActionIndex {
    /// Groups the actions of an inventory.
    pub fn new(inventory: &Inventory) -> Self {
        let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); 8 * Move::COUNT];
        for (id, &action) in inventory.actions.iter().enumerate() {
            by_class[inventory.class(action).0 as usize].push(id as u32);
        }
        let classes = by_class.into_iter().enumerate().filter(|(_, ids)| !ids.is_empty());
        let classes = classes.map(|(class, ids)| (class as u8, ids)).collect();
        ActionIndex { classes, len: inventory.actions.len() }
    }

    /// How many actions there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Calls `visit` with the id of every legal action.
    #[inline]
    pub fn for_each_legal(&self, legal: Legal, mut visit: impl FnMut(u32)) {
        for (class, ids) in &self.classes {
            if legal.0 >> class & 1 == 1 {
                ids.iter().for_each(|&id| visit(id));
            }
        }
    }

    /// The best legal action; the lowest id among equals. `None` when nothing is legal.
    #[inline]
    pub fn best(&self, legal: Legal, scores: &[f32]) -> Option<u32> {
        let mut best: Option<(f32, u32)> = None;
        self.for_each_legal(legal, |id| {
            let score = scores[id as usize];
            let better = match best {
                None => true,
                Some((top, old)) => score > top || (score == top && id < old),
            };
            if better {
                best = Some((score, id));
            }
        });
        best.map(|(_, id)| id)
    }
}
