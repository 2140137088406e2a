//! Greedy search with a heap for systems in which all tokens are active from the start (`bohnet-2016` section 6.3,
//! Goldberg & Elhadad 2010).
//!
//! Complexity: O(n · D · (D + reach)) sites are scored, and the whole takes O(n log n) for a fixed D: a transition changes
//! the scores of its neighbourhood only, and the best site is found by a heap. Entries of sites that have changed
//! since are thrown away when they come up. Invariant: every site has one entry with its current version.

use super::super::classes::Classes;
use super::super::state::State;
use super::super::system::{Site, System};
use super::Scorer;
use super::board::{affected, widest};
use super::greedy::Choice;
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
    scores: Vec<f32>,
    /// The left tokens of sites to be scored anew.
    changed: Vec<Node>,
    widest: usize,
}

impl Heap {
    /// Whether this search can drive a system: what is legal at a site must never depend on anything else.
    pub fn serves(system: &System) -> bool {
        system.is_unbounded() && system.is_confluent()
    }

    /// Parses a sentence of `len` words with a system that it serves; the same result as
    /// [`Greedy::parse`](super::Greedy::parse).
    pub fn parse(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut impl Scorer,
        len: usize,
    ) -> &State {
        system.start(len, &mut self.state);
        self.entries.clear();
        self.versions.clear();
        self.versions.resize(len + 1, 0);
        self.scores.resize(classes.len(), 0.0);
        self.widest = widest(system, len);
        self.changed.clear();
        self.changed.extend(0..=len as Node);
        self.rescore(system, classes, scorer);
        while let Some(entry) = self.entries.pop() {
            let Entry { choice, version } = entry;
            if self.versions[choice.site.left as usize] != version {
                continue;
            }
            let op = classes.op(choice.class, choice.site);
            system.apply(op, &mut self.state);
            let Heap { state, versions, changed, widest, .. } = self;
            changed.clear();
            affected(system, &state.row, op, scorer.reach(), *widest, |left| {
                versions[left as usize] += 1;
                changed.push(left);
            });
            // A token that is gone is no site's left one any more.
            changed.retain(|&left| state.row.holds(left));
            changed.sort_unstable();
            changed.dedup();
            self.rescore(system, classes, scorer);
        }
        &self.state
    }

    fn rescore(&mut self, system: &System, classes: &Classes, scorer: &mut impl Scorer) {
        for &left in &self.changed {
            let mut right = left;
            for distance in 1..=self.widest {
                right = self.state.row.after(right);
                if right == NONE {
                    break;
                }
                let site = Site { left, right, distance: distance as u16 };
                scorer.score(&self.state, site, &mut self.scores);
                // The position only matters for the periphery, which no transition of these systems is bound to.
                let legal = system.legal(&self.state, site, 1);
                if let Some((score, class)) = classes.best(legal, &self.scores) {
                    let choice = Choice { score, site, class };
                    self.entries.push(Entry { choice, version: self.versions[left as usize] });
                }
            }
        }
    }
}
