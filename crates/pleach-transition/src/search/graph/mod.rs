//! Search over the sequences of a graph system: greedy and with a beam.
//!
//! A search says which configurations are open, gets the scores of *all* actions at each, and advances. Where actions are
//! taken apart ([`Machine::taken_apart`]) a step has two halves: it gets the scores of all choices, and then those of the labels of
//! the arcs that it may make. Ties are broken by the action's id (before it, the choice's), so that results never depend on
//! the machine.

mod beam;
mod greedy;

pub use beam::{Beam, Moment};
pub use greedy::Greedy;

use crate::NONE;
use crate::graph::action::{Class, Inventory, Legal, Move};
use crate::graph::factors::Factors;
use crate::graph::settings::Settings;
use crate::graph::state::State;
use crate::graph::system::System;
use crate::scorer::{Question, Scorer, Side};
use std::ops::Range;

/// A system and what it can say, ready for search.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The transition system.
    pub system: System,
    /// Its edges and actions.
    pub inventory: Inventory,
    /// The actions by class.
    pub index: ActionIndex,
    /// The actions taken apart, if a scorer is asked for choices first and for labels of the arcs that are made.
    pub factored: Option<Factored>,
}

/// The actions taken apart, and the choices by class.
#[derive(Clone, Debug)]
pub struct Factored {
    /// The actions taken apart.
    pub factors: Factors,
    /// The choices by class.
    pub index: ActionIndex,
}

impl Machine {
    /// A system with these actions.
    pub fn new(settings: &Settings, inventory: Inventory) -> Self {
        let index = ActionIndex::new(&inventory);
        Machine { system: System::new(settings), index, inventory, factored: None }
    }

    /// The same, asking for choices first and for labels of the arcs that are made.
    pub fn taken_apart(self) -> Self {
        let factors = Factors::new(&self.inventory);
        let index = ActionIndex::by_class(factors.classes());
        Machine { factored: Some(Factored { factors, index }), ..self }
    }

    /// The width of a row of scores at a configuration: the number of actions, or of choices where they are taken apart.
    pub fn width(&self) -> usize {
        self.factored.as_ref().map_or(self.actions(), |factored| factored.factors.choices())
    }

    /// Writes the scores of all actions at a configuration, whether they are taken apart or not.
    pub fn score_actions(&self, scorer: &mut (impl Scorer + ?Sized), state: &State, scores: &mut Vec<f32>) {
        scores.clear();
        scores.resize(self.actions(), 0.0);
        let Some(Factored { factors, .. }) = &self.factored else {
            return scorer.answer(&Question::state(state), scores);
        };
        let mut choices = vec![0.0; factors.choices()];
        scorer.answer(&Question::state(state), &mut choices);
        let labels = Side::BOTH.map(|side| {
            let mut row = vec![0.0; factors.labels()];
            let (head, dependent) = side.arc(state);
            if head != NONE && dependent != NONE {
                scorer.answer(&Question::arc(state, side), &mut row);
            }
            row
        });
        for (choice, &score) in (0..).zip(&choices) {
            factors.for_each_penalty(choice, [&labels[0], &labels[1]], |action, penalty| {
                scores[action as usize] = score + penalty;
            });
        }
    }

    /// How many actions there are.
    pub fn actions(&self) -> usize {
        self.index.len()
    }
}

/// The actions of an inventory, grouped by class: what is legal is decided once per class.
#[derive(Clone, Debug)]
pub struct ActionIndex {
    /// For each class that has actions: its bit and its actions' ids, in ascending order and in runs without gaps.
    classes: Vec<(u8, Vec<Range<u32>>)>,
    /// The class's bit of each action.
    class_of: Vec<u8>,
}

impl ActionIndex {
    /// Groups the actions of an inventory.
    pub fn new(inventory: &Inventory) -> Self {
        ActionIndex::by_class(inventory.actions.iter().map(|&action| inventory.class(action)))
    }

    /// Groups ids by the classes that they have in this order.
    fn by_class(classes: impl Iterator<Item = Class>) -> Self {
        let mut by_class: Vec<Vec<Range<u32>>> = vec![Vec::new(); 8 * Move::COUNT];
        let class_of: Vec<u8> = classes.map(|class| class.0).collect();
        for (id, &class) in (0..).zip(&class_of) {
            let runs = &mut by_class[usize::from(class)];
            match runs.last_mut().filter(|run| run.end == id) {
                Some(run) => run.end += 1,
                None => runs.push(id..id + 1),
            }
        }
        let classes = by_class.into_iter().enumerate().filter(|(_, runs)| !runs.is_empty());
        let classes = classes.map(|(class, runs)| (class as u8, runs)).collect();
        ActionIndex { classes, class_of }
    }

    /// How many actions there are.
    pub fn len(&self) -> usize {
        self.class_of.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.class_of.is_empty()
    }

    /// Calls `visit` with the id of every legal action.
    #[inline]
    pub fn for_each_legal(&self, legal: Legal, mut visit: impl FnMut(u32)) {
        for (class, runs) in &self.classes {
            if legal.0 >> class & 1 == 1 {
                runs.iter().for_each(|run| run.clone().for_each(&mut visit));
            }
        }
    }

    /// Whether an action is legal.
    #[inline]
    pub(crate) fn is_legal(&self, legal: Legal, id: usize) -> bool {
        legal.0 >> self.class_of[id] & 1 == 1
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
