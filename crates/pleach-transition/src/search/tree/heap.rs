//! Greedy search with a heap for systems in which all tokens are active from the start (`bohnet-2016` section 6.3,
//! Goldberg & Elhadad 2010).
//!
//! Complexity: O(n · D · (D + reach)) sites are scored, and the whole takes O(n log n) for a fixed D: a transition changes
//! the scores of its neighbourhood only, and the best site is found by a heap. Entries of sites that have changed
//! since are thrown away when they come up. Invariant: every site has one entry with its current version.

use super::Machine;
use super::agenda::Agenda;
use super::board::{affected, widest};
use super::greedy::Choice;
use crate::scorer::Place;
use crate::search::Stepped;
use crate::tree::state::State;
use crate::tree::system::{Legal, Site, System};
use crate::{NONE, Node};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

#[derive(Clone, Copy, Debug)]
struct Entry {
    choice: Choice,
    version: u32,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.choice.order(&other.choice).then(self.version.cmp(&other.version))
    }
}

/// The memory of a greedy parser with a heap, used again for every sentence.
#[derive(Debug, Default)]
pub struct Heap {
    state: State,
    entries: BinaryHeap<Entry>,
    /// How often each token was the left one of changed sites.
    versions: Vec<u32>,
    /// The left tokens of sites to be scored anew.
    changed: Vec<Node>,
    agenda: Agenda<(Site, Legal)>,
    widest: usize,
    reach: usize,
}

impl Heap {
    /// Whether this search can drive a system: what is legal at a site must never depend on anything else.
    pub fn serves(system: &System) -> bool {
        system.is_unbounded() && system.is_confluent()
    }

    /// Starts a sentence of `len` words with a system that it serves; `reach` is the scorer's. The result is that of
    /// [`Greedy`](super::Greedy).
    pub fn begin(&mut self, machine: &Machine, len: usize, reach: usize) {
        machine.system.start(len, &mut self.state);
        self.entries.clear();
        self.versions.clear();
        self.versions.resize(len + 1, 0);
        self.widest = widest(&machine.system, len);
        self.reach = reach;
        self.changed.clear();
        self.changed.extend(0..=len as Node);
        self.look(machine);
    }

    /// The configuration: the final one when the search is over.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The sites that have changed go onto the agenda.
    fn look(&mut self, machine: &Machine) {
        self.agenda.clear();
        for &left in &self.changed {
            let mut right = left;
            for distance in 1..=self.widest {
                right = self.state.row.after(right);
                if right == NONE {
                    break;
                }
                let site = Site { left, right, distance: distance as u16 };
                // The position only matters for the periphery, which no transition of these systems is bound to.
                let legal = machine.system.legal(&self.state, site, 1);
                if legal.0 != 0 {
                    self.agenda.push((site, legal));
                }
            }
        }
    }

    /// Takes the best transition of all; whether there was one.
    fn take(&mut self, machine: &Machine) -> bool {
        while let Some(Entry { choice, version }) = self.entries.pop() {
            if self.versions[choice.site.left as usize] != version {
                continue;
            }
            let op = machine.classes.op(choice.class, choice.site);
            machine.system.apply(op, &mut self.state);
            let Heap { state, versions, changed, widest, reach, .. } = self;
            changed.clear();
            affected(&machine.system, &state.row, op, *reach, *widest, |left| {
                versions[left as usize] += 1;
                changed.push(left);
            });
            // A token that is gone is no site's left one any more.
            changed.retain(|&left| state.row.holds(left));
            changed.sort_unstable();
            changed.dedup();
            return true;
        }
        false
    }
}

impl Stepped<Machine> for Heap {
    fn open(&self) -> usize {
        self.agenda.portion().len()
    }

    fn place(&self, number: usize) -> Place<'_> {
        Place::Tree(&self.state, self.agenda.portion()[number].0)
    }

    fn advance(&mut self, machine: &Machine, rows: &[f32]) {
        for (&(site, legal), row) in
            self.agenda.portion().iter().zip(rows.chunks_exact(machine.actions().max(1)))
        {
            if let Some((score, class)) = machine.classes.best(legal, row) {
                let choice = Choice { score, site, class };
                self.entries.push(Entry { choice, version: self.versions[site.left as usize] });
            }
        }
        if self.agenda.pass() {
            return;
        }
        while self.agenda.is_empty() && self.take(machine) {
            self.look(machine);
        }
    }
}
