//! The multipliers of the constraints that were generated so far, and what they change in the scores.
//!
//! Invariant: the change of item i of subproblem k is −Σ꜀ u(c) · a(c,k,i).

use super::{Choice, Constraint, Coupling, Item};
use std::collections::BTreeMap;

/// What a constraint says about its sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sense {
    /// The sum is at most the bound: the multiplier is never below 0.
    #[default]
    AtMost,
    /// The sum equals the bound.
    Equal,
}

/// A constraint written out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    terms: Vec<(u32, Item, f64)>,
    /// What it says about the sum of the terms.
    pub sense: Sense,
    /// The right-hand side.
    pub bound: f64,
    /// The multiplier never falls, as in Figure 11 of `sun-2019`: what was missed once stays wanted.
    pub rising: bool,
}

impl Row {
    /// Adds the term `coefficient` · y(item) of a subproblem.
    pub fn add(&mut self, subproblem: usize, item: Item, coefficient: f64) {
        self.terms.push((subproblem as u32, item, coefficient));
    }

    fn clear(&mut self) {
        self.terms.clear();
        self.sense = Sense::default();
        self.bound = 0.0;
        self.rising = false;
    }

    /// The terms: subproblem, item, coefficient.
    pub fn terms(&self) -> impl Iterator<Item = (usize, Item, f64)> {
        self.terms.iter().map(|&(place, item, coefficient)| (place as usize, item, coefficient))
    }

    /// How far the choices are above the bound.
    pub fn excess(&self, choices: &[Choice]) -> f64 {
        let chosen = self.terms.iter().filter(|(place, item, _)| choices[*place as usize].contains(*item));
        chosen.map(|(_, _, coefficient)| coefficient).sum::<f64>() - self.bound
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Multiplier {
    value: f64,
    bound: f64,
}

/// The changes of the scores of one subproblem.
#[derive(Debug, Default)]
struct Changes {
    values: Vec<f64>,
    /// Whether they differ from what the subproblem has last seen.
    fresh: bool,
}

#[derive(Debug, Default)]
pub(super) struct Multipliers {
    of: BTreeMap<Constraint, Multiplier>,
    changes: Vec<Changes>,
    row: Row,
    /// Whether coefficients have changed, so that all changes must be summed anew.
    stale: bool,
}

impl Multipliers {
    pub(super) fn start(&mut self, items: impl ExactSizeIterator<Item = usize>) {
        self.of.clear();
        self.stale = false;
        self.changes.resize_with(items.len(), Changes::default);
        for (changes, items) in self.changes.iter_mut().zip(items) {
            changes.values.clear();
            changes.values.resize(items, 0.0);
            changes.fresh = true;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.of.len()
    }

    pub(super) fn are_zero(&self) -> bool {
        self.of.values().all(|multiplier| multiplier.value == 0.0)
    }

    pub(super) fn nonzero(&self) -> impl Iterator<Item = (Constraint, f64)> {
        let values = self.of.iter().map(|(&constraint, multiplier)| (constraint, multiplier.value));
        values.filter(|(_, value)| *value != 0.0)
    }

    pub(super) fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// The changes of a subproblem's scores, if it has not seen them yet.
    pub(super) fn changes(&mut self, place: usize) -> Option<&[f64]> {
        let changes = &mut self.changes[place];
        std::mem::take(&mut changes.fresh).then_some(changes.values.as_slice())
    }

    /// What the changes add to the scores of the choices.
    pub(super) fn change_of(&self, choices: &[Choice]) -> f64 {
        let each = self.changes.iter().zip(choices);
        each.map(|(changes, choice)| {
            choice.items().iter().map(|&item| changes.values[item as usize]).sum::<f64>()
        })
        .sum()
    }

    /// Σ꜀ u(c) · b(c).
    pub(super) fn bounds(&self) -> f64 {
        self.of.values().map(|multiplier| multiplier.value * multiplier.bound).sum()
    }

    /// A subgradient step, u(c) ← u(c) + α · (Σ a·y − b), projected onto u(c) ≥ 0 for inequalities; constraints
    /// that are violated for the first time start at 0. Says whether any score changed.
    pub(super) fn update(
        &mut self,
        coupling: &dyn Coupling,
        choices: &[Choice],
        violated: &[Constraint],
        step: f64,
    ) -> bool {
        for &constraint in violated {
            self.of.entry(constraint).or_default();
        }
        let rebuild = std::mem::take(&mut self.stale);
        if rebuild {
            for changes in &mut self.changes {
                changes.values.fill(0.0);
                changes.fresh = true;
            }
        }
        let mut moved = rebuild;
        for (&constraint, multiplier) in &mut self.of {
            self.row.clear();
            coupling.row(constraint, &mut self.row);
            let mut excess = self.row.excess(choices);
            if self.row.rising {
                excess = excess.max(0.0);
            }
            let mut value = multiplier.value + step * excess;
            if self.row.sense == Sense::AtMost {
                value = value.max(0.0);
            }
            let change = if rebuild { value } else { value - multiplier.value };
            *multiplier = Multiplier { value, bound: self.row.bound };
            if change == 0.0 {
                continue;
            }
            moved = true;
            for &(place, item, coefficient) in &self.row.terms {
                let changes = &mut self.changes[place as usize];
                changes.values[item as usize] -= change * coefficient;
                changes.fresh = true;
            }
        }
        moved
    }
}
