//! Beam search over action sequences (`zhang-2016` section 3.1), for parsing and for training.
//!
//! Complexity: O(steps · beam · (scoring + actions)). Sequences differ in length: a finished hypothesis stays
//! in the beam with its score and competes with those that go on; the search ends when all are finished.
//! Invariant: the beam is sorted by score, best first; equal scores keep the order (parent, action id).

use super::selection::{Candidate, Selection};
use super::{ActionIndex, Scorer};
use crate::action::Inventory;
use crate::state::State;
use crate::system::System;

/// One taken action of a hypothesis, linked to the one before it.
#[derive(Clone, Copy, Debug)]
struct Link {
    parent: u32,
    action: u32,
}

const START: u32 = u32::MAX;

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

/// What a training search found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// One entry per step.
    pub steps: Vec<Moment>,
}

/// The memory of a beam parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Beam {
    items: Vec<Hypothesis>,
    next: Vec<Hypothesis>,
    live: usize,
    links: Vec<Link>,
    scores: Vec<f32>,
    /// An action, or [`START`] for a finished hypothesis that stays.
    candidates: Selection<u32>,
}

impl Beam {
    /// Parses a sentence of `len` words with the given beam width and returns the best final configuration.
    pub fn parse<S: System + ?Sized>(
        &mut self,
        system: &S,
        inventory: &Inventory,
        index: &ActionIndex,
        scorer: &mut impl Scorer,
        len: usize,
        width: usize,
    ) -> &State {
        self.begin(system, index, len);
        while self.items[..self.live].iter().any(|item| !item.finished) {
            self.expand(system, index, scorer, width, None);
            // An inventory without the moves that a system needs leaves nothing to do.
            if self.candidates.best().is_empty() {
                break;
            }
            self.advance(system, inventory, None);
        }
        &self.items[0].state
    }

    /// Searches while following the gold sequence (action ids). With `early`, stops when the gold prefix has
    /// fallen out of the beam; else goes on to the end, for max-violation updates. A hypothesis that leaves the
    /// gold sequence is given `margin` for it, so that the gold one has to be better by that much.
    #[allow(clippy::too_many_arguments)]
    pub fn train<S: System + ?Sized>(
        &mut self,
        system: &S,
        inventory: &Inventory,
        index: &ActionIndex,
        scorer: &mut impl Scorer,
        len: usize,
        width: usize,
        gold: &[u32],
        early: bool,
        margin: f32,
        outcome: &mut Outcome,
    ) {
        outcome.steps.clear();
        self.begin(system, index, len);
        self.items[0].gold = true;
        let mut gold_score = 0.0;
        // Once the gold prefix has left the beam, its own state is needed for its score.
        let mut gold_state = State::default();
        system.start(len, &mut gold_state);
        let mut gold_scores = vec![0.0; index.len()];
        let mut step = 0;
        while self.items[..self.live].iter().any(|item| !item.finished) {
            let next = gold.get(step).copied().unwrap_or(START);
            self.expand(system, index, scorer, width, Some((next, margin)));
            if self.candidates.best().is_empty() {
                break;
            }
            if let Some(&action) = gold.get(step) {
                scorer.score(&gold_state, &mut gold_scores);
                gold_score += gold_scores[action as usize];
                system.apply(inventory, inventory.actions[action as usize], &mut gold_state);
            }
            self.advance(system, inventory, Some(next));
            step += 1;
            let gold_in_beam = self.items[..self.live].iter().any(|item| item.gold);
            outcome.steps.push(Moment {
                violation: self.items[0].score - gold_score,
                best: self.items[0].link,
                best_is_gold: self.items[0].gold,
                gold_in_beam,
            });
            if early && !gold_in_beam {
                break;
            }
        }
    }

    /// The action ids of the best hypothesis at a step of the last training search.
    pub fn sequence(&self, step: &Moment, actions: &mut Vec<u32>) {
        actions.clear();
        let mut at = step.best;
        while at != START {
            let link = self.links[at as usize];
            actions.push(link.action);
            at = link.parent;
        }
        actions.reverse();
    }

    fn begin<S: System + ?Sized>(&mut self, system: &S, index: &ActionIndex, len: usize) {
        self.scores.resize(index.len(), 0.0);
        self.links.clear();
        if self.items.is_empty() {
            self.items.push(Hypothesis::default());
        }
        let first = &mut self.items[0];
        system.start(len, &mut first.state);
        first.score = 0.0;
        first.link = START;
        first.finished = system.is_final(&first.state);
        first.gold = false;
        self.live = 1;
    }

    /// Collects the `width` best candidates, best first. In training, `gold` is the gold action and the bonus for
    /// taking another one on the gold path.
    fn expand<S: System + ?Sized>(
        &mut self,
        system: &S,
        index: &ActionIndex,
        scorer: &mut impl Scorer,
        width: usize,
        gold: Option<(u32, f32)>,
    ) {
        let candidates = &mut self.candidates;
        candidates.begin(width);
        for (parent, item) in self.items[..self.live].iter().enumerate() {
            let parent = parent as u32;
            if item.finished {
                candidates.offer(Candidate { score: item.score, parent, action: START });
                continue;
            }
            scorer.score(&item.state, &mut self.scores);
            if let Some((action, margin)) = gold.filter(|_| item.gold) {
                self.scores.iter_mut().enumerate().for_each(|(id, score)| {
                    *score += if id as u32 == action { 0.0 } else { margin };
                });
            }
            let scores = &self.scores;
            index.for_each_legal(system.legal(&item.state), |action| {
                candidates.offer(Candidate { score: item.score + scores[action as usize], parent, action });
            });
        }
        candidates.finish();
    }

    /// Makes the candidates the new beam. `gold` is the gold action of this step ([`START`] when the gold
    /// sequence is at its end).
    fn advance<S: System + ?Sized>(&mut self, system: &S, inventory: &Inventory, gold: Option<u32>) {
        while self.next.len() < self.candidates.best().len() {
            self.next.push(Hypothesis::default());
        }
        for (slot, candidate) in self.candidates.best().iter().enumerate() {
            let parent = &self.items[candidate.parent as usize];
            let new = &mut self.next[slot];
            new.state.clone_from(&parent.state);
            new.score = candidate.score;
            new.gold = parent.gold && gold == Some(candidate.action);
            if candidate.action == START {
                new.link = parent.link;
                new.finished = true;
            } else {
                self.links.push(Link { parent: parent.link, action: candidate.action });
                new.link = self.links.len() as u32 - 1;
                system.apply(inventory, inventory.actions[candidate.action as usize], &mut new.state);
                new.finished = system.is_final(&new.state);
            }
        }
        self.live = self.candidates.best().len();
        std::mem::swap(&mut self.items, &mut self.next);
    }
}
