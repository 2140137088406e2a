//! Beam search over action sequences (`zhang-2016` section 3.1), for parsing and for training.
//!
//! Complexity: O(steps · beam · (scoring + actions)). Sequences differ in length: a finished hypothesis stays
//! in the beam with its score and competes with those that go on; the search ends when all are finished.
//! Invariant: the beam is sorted by score, best first; equal scores keep the order (parent, choice if actions are taken
//! apart, action id).

mod labels;

use super::{Factored, Machine};
use crate::graph::state::State;
use crate::scorer::Place;
use crate::search::Stepped;
use crate::search::selection::{Candidate, Selection};

/// One taken action of a hypothesis, linked to the one before it.
#[derive(Clone, Copy, Debug)]
struct Link {
    parent: u32,
    action: u32,
}

const START: u32 = u32::MAX;

/// So many scores are looked at together, legal or not: most actions are far from the best, and so are their neighbours.
const NEAR: usize = 32;

/// The largest of some scores. Without a fixed order, so that a processor compares four at once.
#[inline]
fn largest(scores: &[f32]) -> f32 {
    let mut most = [f32::NEG_INFINITY; 4];
    let (fours, rest) = scores.as_chunks::<4>();
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    for four in fours {
        for lane in 0..4 {
            most[lane] = larger(most[lane], four[lane]);
        }
    }
    rest.iter().chain(&most).copied().fold(f32::NEG_INFINITY, larger)
}

#[derive(Debug, Default)]
struct Hypothesis {
    state: State,
    score: f32,
    link: u32,
    finished: bool,
    /// The hypothesis is a prefix of the gold sequence; only training sets it.
    gold: bool,
}

/// How a training search compares with the gold sequence at one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The best hypothesis' score minus the gold prefix's score, under the model.
    pub violation: f32,
    /// The best hypothesis' place in the arena of links.
    best: u32,
    /// Whether the best hypothesis is the gold prefix.
    pub best_is_gold: bool,
    /// Whether the gold prefix is still in the beam.
    pub gold_in_beam: bool,
}

/// What is followed in training.
#[derive(Debug, Default)]
struct Gold {
    actions: Vec<u32>,
    /// Once the gold prefix has left the beam, its own state is needed for its score.
    state: State,
    score: f32,
    early: bool,
    margin: f32,
}

impl Gold {
    /// The gold action of a step, or [`START`] when the sequence is at its end.
    fn action(&self, step: usize) -> u32 {
        self.actions.get(step).copied().unwrap_or(START)
    }
}

/// The memory of a beam parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Beam {
    items: Vec<Hypothesis>,
    next: Vec<Hypothesis>,
    live: usize,
    width: usize,
    links: Vec<Link>,
    /// The places of the unfinished hypotheses among the items.
    open: Vec<u32>,
    /// A choice, if actions are taken apart, and an action, or [`START`] for a finished hypothesis that stays.
    candidates: Selection<(u32, u32)>,
    halves: labels::Halves,
    /// Whether choices were found and labels are asked for.
    labelling: bool,
    training: bool,
    gold: Gold,
    moments: Vec<Moment>,
}

impl Beam {
    /// Starts a sentence of `len` words with the given beam width.
    pub fn begin(&mut self, machine: &Machine, len: usize, width: usize) {
        self.training = false;
        self.labelling = false;
        self.gold.actions.clear();
        self.moments.clear();
        self.width = width;
        self.links.clear();
        if self.items.is_empty() {
            self.items.push(Hypothesis::default());
        }
        let first = &mut self.items[0];
        machine.system.start(len, &mut first.state);
        first.score = 0.0;
        first.link = START;
        first.finished = machine.system.is_final(&first.state);
        first.gold = false;
        self.live = 1;
        self.find_open();
    }

    /// Starts a search that follows the gold sequence (action ids). With `early`, it ends when the gold prefix has
    /// fallen out of the beam; else it goes on to the end, for max-violation updates. A hypothesis that leaves the
    /// gold sequence is given `margin` for it, so that the gold one has to be better by that much.
    pub fn begin_training(
        &mut self,
        machine: &Machine,
        len: usize,
        width: usize,
        gold: &[u32],
        (early, margin): (bool, f32),
    ) {
        self.begin(machine, len, width);
        self.training = true;
        self.items[0].gold = true;
        self.gold.actions.extend_from_slice(gold);
        machine.system.start(len, &mut self.gold.state);
        (self.gold.score, self.gold.early, self.gold.margin) = (0.0, early, margin);
    }

    /// The configuration of the best hypothesis: a final one when the search is over.
    pub fn best(&self) -> &State {
        &self.items[0].state
    }

    /// All hypotheses, best first, with their scores: for losses that normalise over the beam.
    pub fn hypotheses(&self) -> impl Iterator<Item = (&State, f32)> {
        self.items[..self.live].iter().map(|item| (&item.state, item.score))
    }

    /// How the training search compared with the gold sequence, step by step.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The action ids of the best hypothesis at a step of the last training search.
    pub fn sequence(&self, step: &Moment, actions: &mut Vec<u32>) {
        self.trace(step.best, actions);
    }

    /// The action ids of a hypothesis in the beam, by its place.
    pub fn actions_of(&self, place: usize, actions: &mut Vec<u32>) {
        self.trace(self.items[place].link, actions);
    }

    fn trace(&self, mut at: u32, actions: &mut Vec<u32>) {
        actions.clear();
        while at != START {
            let link = self.links[at as usize];
            actions.push(link.action);
            at = link.parent;
        }
        actions.reverse();
    }

    fn find_open(&mut self) {
        self.open.clear();
        let items = self.items[..self.live].iter().enumerate();
        self.open.extend(items.filter(|(_, item)| !item.finished).map(|(place, _)| place as u32));
    }

    /// Collects the best candidates, best first; in training, all but the gold action get the margin on the gold path.
    fn expand(&mut self, machine: &Machine, rows: &[f32]) {
        let width = machine.actions();
        let step = self.moments.len();
        let Beam { items, live, candidates, training, gold, .. } = self;
        candidates.begin(self.width);
        let mut rows = rows.chunks_exact(width.max(1));
        for (parent, item) in items[..*live].iter().enumerate() {
            let parent = parent as u32;
            if item.finished {
                candidates.offer(Candidate { score: item.score, parent, action: (START, START) });
                continue;
            }
            let Some(row) = rows.next() else { break };
            let legal = machine.system.legal(&item.state);
            if *training && item.gold {
                let (right, margin) = (gold.action(step), gold.margin);
                machine.index.for_each_legal(legal, |action| {
                    let bonus = if action == right { 0.0 } else { margin };
                    let score = item.score + (row[action as usize] + bonus);
                    candidates.offer(Candidate { score, parent, action: (0, action) });
                });
            } else {
                let mut look = |start: usize, scores: &[f32]| {
                    if !candidates.admits(item.score + largest(scores)) {
                        return;
                    }
                    for (action, &score) in (start..).zip(scores) {
                        let score = item.score + score;
                        if candidates.admits(score) && machine.index.is_legal(legal, action) {
                            candidates.offer(Candidate { score, parent, action: (0, action as u32) });
                        }
                    }
                };
                let (near, rest) = row.as_chunks::<NEAR>();
                near.iter().enumerate().for_each(|(number, scores)| look(number * NEAR, scores));
                look(row.len() - rest.len(), rest);
            }
        }
        candidates.finish();
    }

    /// Makes the candidates the new beam.
    fn renew(&mut self, machine: &Machine) {
        let gold = self.training.then(|| self.gold.action(self.moments.len()));
        while self.next.len() < self.candidates.best().len() {
            self.next.push(Hypothesis::default());
        }
        for (slot, candidate) in self.candidates.best().iter().enumerate() {
            let parent = &self.items[candidate.parent as usize];
            let new = &mut self.next[slot];
            let (_, action) = candidate.action;
            new.state.clone_from(&parent.state);
            new.score = candidate.score;
            new.gold = parent.gold && gold == Some(action);
            if action == START {
                new.link = parent.link;
                new.finished = true;
            } else {
                self.links.push(Link { parent: parent.link, action });
                new.link = self.links.len() as u32 - 1;
                let action = machine.inventory.actions[action as usize];
                machine.system.apply(&machine.inventory, action, &mut new.state);
                new.finished = machine.system.is_final(&new.state);
            }
        }
        self.live = self.candidates.best().len();
        std::mem::swap(&mut self.items, &mut self.next);
    }

    /// Leads the gold prefix on, with its scores in the last row.
    fn follow_gold(&mut self, machine: &Machine, rows: &[f32]) {
        if let Some(&action) = self.gold.actions.get(self.moments.len()) {
            let worth = match &machine.factored {
                None => rows[rows.len() - machine.actions() + action as usize],
                Some(factored) => self.gold_worth(factored, action, rows),
            };
            let Gold { state, score, .. } = &mut self.gold;
            *score += worth;
            machine.system.apply(&machine.inventory, machine.inventory.actions[action as usize], state);
        }
    }

    /// Notes how the beam compares with the gold prefix.
    fn note(&mut self) {
        let best = &self.items[0];
        let gold_in_beam = self.items[..self.live].iter().any(|item| item.gold);
        self.moments.push(Moment {
            violation: best.score - self.gold.score,
            best: best.link,
            best_is_gold: best.gold,
            gold_in_beam,
        });
        if self.gold.early && !gold_in_beam {
            self.open.clear();
        }
    }

    /// Whether the gold prefix is asked about too: as long as anything else is.
    fn asks_gold(&self) -> bool {
        self.training && !self.open.is_empty() && self.moments.len() < self.gold.actions.len()
    }
}

impl Stepped<Machine> for Beam {
    fn open(&self) -> usize {
        match self.labelling {
            true => self.halves.asked.len(),
            false => self.open.len() + usize::from(self.asks_gold()),
        }
    }

    fn place(&self, number: usize) -> Place<'_> {
        if self.labelling {
            return self.asked_arc(number);
        }
        match self.open.get(number) {
            Some(&place) => Place::Graph(&self.items[place as usize].state),
            None => Place::Graph(&self.gold.state),
        }
    }

    fn width(&self, machine: &Machine, usual: usize) -> usize {
        match &machine.factored {
            Some(Factored { factors, .. }) if self.labelling => factors.labels(),
            _ => usual,
        }
    }

    fn advance(&mut self, machine: &Machine, rows: &[f32]) {
        let mut rows = rows;
        match &machine.factored {
            None => self.expand(machine, rows),
            Some(factored) => {
                if !std::mem::replace(&mut self.labelling, false) {
                    self.shortlist(machine, factored, rows);
                    self.labelling = !self.halves.asked.is_empty();
                    if self.labelling {
                        return;
                    }
                    rows = &[];
                }
                self.expand_labels(factored, rows);
            }
        }
        // An inventory without the moves that a system needs leaves nothing to do.
        if self.candidates.best().is_empty() {
            self.open.clear();
            return;
        }
        if self.training {
            self.follow_gold(machine, rows);
        }
        self.renew(machine);
        self.find_open();
        if self.training {
            self.note();
        }
    }
}
