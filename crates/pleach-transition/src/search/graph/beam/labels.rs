//! Beam search over actions that are taken apart: choices first, labels of the arcs that could still enter the beam.
//!
//! A choice's score is that of its best action, and labels only ever cost something. So the actions of the next beam are all
//! among those of the best `width` choices, and labels are asked for these only: at most two rows a hypothesis.
//! Complexity: O(steps · beam · (scoring + choices + labels)).
//! Invariant: the next beam is the one that all (choice, labels) of all hypotheses would give (`tests/graph_factors.rs`). In
//! training the margin makes an exception: other labels for the gold choice may be worth more than the gold ones, so that choice
//! is always looked at and never takes the place of another.

use super::{Beam, START};
use crate::scorer::{Place, Side};
use crate::search::graph::{Factored, Machine};
use crate::search::selection::{Candidate, Selection};

/// Stands for the gold prefix where hypotheses are named by their places.
const GOLD: u32 = u32::MAX;
/// No row.
const NOWHERE: u32 = u32::MAX;

/// What the two halves of a step leave for each other.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// The choices that could enter the beam: a hypothesis and a choice, or [`START`] for one that is finished.
    shortlist: Selection<u32>,
    /// The gold choice, and who makes it.
    gold: Option<(u32, u32)>,
    /// The scores of all choices at the open hypotheses.
    moves: Vec<f32>,
    /// The arcs whose labels are asked for: a hypothesis, or [`GOLD`], and a side.
    pub asked: Vec<(u32, Side)>,
    /// Which rows of labels each hypothesis has got; the last one is the gold prefix.
    rows: Vec<[u32; 2]>,
}

impl Halves {
    fn ask(&mut self, place: usize, name: u32, sides: [bool; 2]) {
        for (side, there) in Side::BOTH.into_iter().zip(sides) {
            let row = &mut self.rows[place][side as usize];
            if there && *row == NOWHERE {
                *row = self.asked.len() as u32;
                self.asked.push((name, side));
            }
        }
    }
}

/// The rows of labels of a hypothesis; one that was not asked for is empty, and no action looks at it.
fn both(rows: &[f32], width: usize, places: [u32; 2]) -> [&[f32]; 2] {
    places.map(|place| match place {
        NOWHERE => &[] as &[f32],
        place => &rows[place as usize * width..(place as usize + 1) * width],
    })
}

impl Beam {
    /// Takes the scores of all choices and finds those that could enter the beam, whatever their labels.
    pub(super) fn shortlist(&mut self, machine: &Machine, factored: &Factored, rows: &[f32]) {
        let Factored { factors, index } = factored;
        let width = factors.choices();
        let step = self.moments.len();
        let right = self.gold.actions.get(step).map(|&action| u32::from(factors.of(action).choice));
        let halves = &mut self.halves;
        halves.moves.clear();
        halves.moves.extend_from_slice(rows);
        halves.gold = None;
        halves.shortlist.begin(self.width);
        let mut open = rows.chunks_exact(width.max(1));
        for (parent, item) in self.items[..self.live].iter().enumerate() {
            let parent = parent as u32;
            if item.finished {
                halves.shortlist.offer(Candidate { score: item.score, parent, action: START });
                continue;
            }
            let Some(row) = open.next() else { break };
            let on_gold = self.training && item.gold;
            index.for_each_legal(machine.system.legal(&item.state), |choice| {
                if on_gold && right == Some(choice) {
                    halves.gold = Some((parent, choice));
                    return;
                }
                let bonus = if on_gold { self.gold.margin } else { 0.0 };
                let score = item.score + row[choice as usize] + bonus;
                halves.shortlist.offer(Candidate { score, parent, action: choice });
            });
        }
        halves.shortlist.finish();
        self.find_asked(factored);
    }

    /// Finds out which labels are needed for the shortlist and for the gold prefix.
    fn find_asked(&mut self, Factored { factors, .. }: &Factored) {
        let halves = &mut self.halves;
        halves.asked.clear();
        halves.rows.clear();
        halves.rows.resize(self.live + 1, [NOWHERE; 2]);
        let shortlist = std::mem::take(&mut halves.shortlist);
        let listed = shortlist.best().iter().map(|candidate| (candidate.parent, candidate.action));
        for (parent, choice) in listed.chain(halves.gold).filter(|&(_, choice)| choice != START) {
            halves.ask(parent as usize, parent, factors.sides(choice));
        }
        halves.shortlist = shortlist;
        if let Some(&action) = self.gold.actions.get(self.moments.len()).filter(|_| self.training) {
            halves.ask(self.live, GOLD, factors.sides(factors.of(action).choice.into()));
        }
    }

    /// An arc whose labels are asked for.
    pub(super) fn asked_arc(&self, number: usize) -> Place<'_> {
        let (name, side) = self.halves.asked[number];
        let state = if name == GOLD { &self.gold.state } else { &self.items[name as usize].state };
        Place::Arc(state, side)
    }

    /// Takes the scores of the labels that were asked for, and collects the best candidates.
    pub(super) fn expand_labels(&mut self, Factored { factors, .. }: &Factored, rows: &[f32]) {
        let gold_action = self.gold.action(self.moments.len());
        let (width, labels) = (factors.choices(), factors.labels());
        let Beam { items, candidates, halves, open, training, gold, .. } = self;
        let Halves { shortlist, moves, .. } = halves;
        candidates.begin(self.width);
        let listed = shortlist.best().iter().map(|candidate| (candidate.parent, candidate.action));
        for (parent, choice) in listed.chain(halves.gold) {
            let item = &items[parent as usize];
            if choice == START {
                candidates.offer(Candidate { score: item.score, parent, action: (START, START) });
                continue;
            }
            // Open hypotheses are in ascending order, and each has a row.
            let row = open.partition_point(|&place| place < parent);
            let base = item.score + moves[row * width + choice as usize];
            let own = both(rows, labels, halves.rows[parent as usize]);
            factors.for_each_penalty(choice, own, |action, penalty| {
                let margin = *training && item.gold && action != gold_action;
                let bonus = if margin { gold.margin } else { 0.0 };
                let score = base + (bonus + penalty);
                candidates.offer(Candidate { score, parent, action: (choice, action) });
            });
        }
        candidates.finish();
    }

    /// What the gold action of this step is worth: its choice, whose scores are in the last row of moves, and its labels.
    pub(super) fn gold_worth(&self, Factored { factors, .. }: &Factored, action: u32, rows: &[f32]) -> f32 {
        let choice = usize::from(factors.of(action).choice);
        let moves = &self.halves.moves;
        let own = both(rows, factors.labels(), self.halves.rows[self.live]);
        moves[moves.len() - factors.choices() + choice] + factors.penalty(action, own)
    }
}
