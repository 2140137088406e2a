//! Beam search over sequences of a tree system, for parsing and for training (`bohnet-2016` section 6).
//!
//! Hypotheses that have taken equally many transitions are compared with each other, deterministic SHIFTs counted
//! ([`State::steps`]): one that is ahead waits. In training a hypothesis is *correct* as long as the gold tree can be
//! reached from it; when the last correct one has fallen out of the beam, the best of them is followed outside of
//! it, so that a violation can be had at any step (Ma et al. 2013; Huang et al. 2012).
//!
//! Complexity: O(n · beam · K · D) look-ups of sites; see `board` for how many are scored anew.
//! Invariant: the beam is sorted by score, best first; equal scores keep the order (parent, site, class).

use super::super::classes::Classes;
use super::super::oracle::{Guide, Oracle};
use super::super::state::State;
use super::super::system::{Op, Site, System};
use super::Scorer;
use super::board::{Arena, Board};
use crate::NONE;
use crate::search::selection::{Candidate, Selection};

/// A class at a site: one step of a hypothesis.
pub type Step = (Site, u16);

/// What a hypothesis does that waits or is finished.
const STAY: Step = (Site { left: NONE, right: NONE, distance: 0 }, 0);

/// No step yet.
const START: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    parent: u32,
    step: Step,
}

#[derive(Debug, Default)]
struct Hypothesis {
    state: State,
    board: Board,
    score: f32,
    link: u32,
    /// How many transitions were taken.
    depth: usize,
    finished: bool,
    /// The gold tree can be reached; only training sets it.
    correct: bool,
}

impl Hypothesis {
    fn copy_from(&mut self, other: &Hypothesis) {
        self.state.clone_from(&other.state);
        self.board.clone_from(&other.board);
        self.score = other.score;
        self.link = other.link;
        self.depth = other.depth;
        self.finished = other.finished;
        self.correct = other.correct;
    }

    fn take(&mut self, system: &System, classes: &Classes, reach: usize, links: &mut Vec<Link>, step: Step) {
        let op = classes.op(step.1, step.0);
        system.apply(op, &mut self.state);
        self.board.update(system, &self.state, op, reach);
        links.push(Link { parent: self.link, step });
        self.link = links.len() as u32 - 1;
        self.depth += 1;
        self.finished = system.is_final(&self.state.row);
    }
}

/// How the best hypothesis compares with the best correct one at some step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The best hypothesis' score minus that of the best correct one.
    pub violation: f32,
    /// Whether the best hypothesis is correct.
    pub best_is_correct: bool,
    /// Whether a correct one is still in the beam.
    pub correct_in_beam: bool,
    best: u32,
    correct: u32,
}

/// The memory of a beam parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Beam {
    items: Vec<Hypothesis>,
    next: Vec<Hypothesis>,
    live: usize,
    arena: Arena,
    links: Vec<Link>,
    candidates: Selection<Step>,
    oracle: Oracle,
    /// The correct transitions of the items, one after the other, and where those of each item end.
    correct: Vec<Op>,
    correct_ends: Vec<usize>,
    ops: Vec<Op>,
    /// The best correct hypothesis when none is in the beam.
    outside: Hypothesis,
}

impl Beam {
    /// Parses a sentence of `len` words with the given beam width and returns the best final configuration.
    pub fn parse(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut impl Scorer,
        len: usize,
        width: usize,
    ) -> &State {
        self.begin(system, classes, len);
        for clock in 0.. {
            if self.items[..self.live].iter().all(|item| item.finished) {
                break;
            }
            self.expand(system, classes, scorer, width, clock, None);
            self.advance(system, classes, scorer.reach());
        }
        &self.items[0].state
    }

    /// Searches while watching the correct hypotheses. With `early`, stops when none is left in the beam; else goes on to the
    /// end, for max-violation updates. A hypothesis that stops being correct is given `margin` for it, so that
    /// the correct ones have to be better by that much. The moments of all steps are written to `moments`.
    #[allow(clippy::too_many_arguments)]
    pub fn train(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut impl Scorer,
        guide: Guide<'_>,
        width: usize,
        early: bool,
        margin: f32,
        moments: &mut Vec<Moment>,
    ) {
        moments.clear();
        self.begin(system, classes, guide.len());
        self.items[0].correct = true;
        let reach = scorer.reach();
        let mut fallen = false;
        for clock in 0.. {
            if self.items[..self.live].iter().all(|item| item.finished) {
                break;
            }
            let best_correct = self.expand(system, classes, scorer, width, clock, Some((guide, margin)));
            if fallen {
                self.follow(system, classes, scorer, guide, clock);
            } else if let Some(candidate) = best_correct {
                // In case it does not survive.
                self.outside.copy_from(&self.items[candidate.parent as usize]);
                self.outside.score = candidate.score;
                if candidate.action != STAY {
                    self.outside.take(system, classes, reach, &mut self.links, candidate.action);
                }
            }
            self.advance(system, classes, reach);
            let survivor = self.items[..self.live].iter().find(|item| item.correct);
            fallen = survivor.is_none();
            let correct = survivor.unwrap_or(&self.outside);
            moments.push(Moment {
                violation: self.items[0].score - correct.score,
                best_is_correct: self.items[0].correct,
                correct_in_beam: !fallen,
                best: self.items[0].link,
                correct: correct.link,
            });
            if early && fallen {
                break;
            }
        }
    }

    /// The steps of the best hypothesis and of the best correct one at a moment of the last training search.
    pub fn sequences(&self, moment: &Moment, best: &mut Vec<Step>, correct: &mut Vec<Step>) {
        for (mut at, steps) in [(moment.best, best), (moment.correct, correct)] {
            steps.clear();
            while at != START {
                let link = self.links[at as usize];
                steps.push(link.step);
                at = link.parent;
            }
            steps.reverse();
        }
    }

    fn begin(&mut self, system: &System, classes: &Classes, len: usize) {
        self.arena.begin(classes.len());
        self.links.clear();
        if self.items.is_empty() {
            self.items.push(Hypothesis::default());
        }
        let first = &mut self.items[0];
        system.start(len, &mut first.state);
        first.board.begin(system, len);
        (first.score, first.link, first.depth, first.correct) = (0.0, START, 0, false);
        first.finished = system.is_final(&first.state.row);
        self.outside.board.begin(system, len);
        self.live = 1;
    }

    /// Collects the `width` best candidates, best first. In training, gives the best of those that stay correct.
    fn expand(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut impl Scorer,
        width: usize,
        clock: u32,
        training: Option<(Guide<'_>, f32)>,
    ) -> Option<Candidate<Step>> {
        let Beam { items, live, arena, candidates, oracle, correct, correct_ends, ops, .. } = self;
        candidates.begin(width);
        correct.clear();
        correct_ends.clear();
        let mut best_correct: Option<Candidate<Step>> = None;
        for (parent, item) in items[..*live].iter_mut().enumerate() {
            let parent = parent as u32;
            let Hypothesis { state, board, .. } = item;
            let waits = item.finished || state.steps > clock;
            ops.clear();
            if let Some((guide, _)) = training.filter(|_| item.correct && !waits) {
                guide.correct(system, state, item.depth, oracle, ops);
            }
            let mut offer = |candidate: Candidate<Step>, stays_correct: bool| {
                candidates.offer(candidate);
                let better = |best: Candidate<Step>| candidate.order(&best).is_lt();
                if stays_correct && best_correct.is_none_or(better) {
                    best_correct = Some(candidate);
                }
            };
            if waits {
                offer(Candidate { score: item.score, parent, action: STAY }, item.correct);
            } else {
                let mut stuck = true;
                system.sites(&state.row, |site, position| {
                    let legal = system.legal(state, site, position);
                    if legal.0 == 0 {
                        return true;
                    }
                    let Some(row) = board.row(arena, scorer, state, site) else { return true };
                    let scores = arena.row(row);
                    stuck = false;
                    classes.for_each_legal(legal, |class| {
                        let mut score = item.score + scores[class as usize];
                        let mut stays_correct = false;
                        if let Some((_, margin)) = training.filter(|_| item.correct) {
                            stays_correct = ops.contains(&classes.op(class, site));
                            score += if stays_correct { 0.0 } else { margin };
                        }
                        offer(Candidate { score, parent, action: (site, class) }, stays_correct);
                    });
                    true
                });
                // Settings that were not checked may lead into a dead end; the hypothesis is as it is, then.
                if stuck {
                    item.finished = true;
                    offer(Candidate { score: item.score, parent, action: STAY }, false);
                }
            }
            correct.extend_from_slice(ops);
            correct_ends.push(correct.len());
        }
        candidates.finish();
        best_correct
    }

    /// Makes the candidates the new beam.
    fn advance(&mut self, system: &System, classes: &Classes, reach: usize) {
        let Beam { items, next, live, links, candidates, correct, correct_ends, .. } = self;
        let best = candidates.best();
        if next.len() < best.len() {
            next.resize_with(best.len(), Hypothesis::default);
        }
        for (new, candidate) in next.iter_mut().zip(best) {
            let parent = candidate.parent as usize;
            new.copy_from(&items[parent]);
            new.score = candidate.score;
            let (site, class) = candidate.action;
            if candidate.action != STAY {
                let start = parent.checked_sub(1).map_or(0, |before| correct_ends[before]);
                let ops = &correct[start..correct_ends[parent]];
                new.correct &= ops.contains(&classes.op(class, site));
                new.take(system, classes, reach, links, candidate.action);
            }
        }
        *live = best.len();
        std::mem::swap(items, next);
        let live = self.items[..self.live].iter_mut().map(|item| &mut item.board);
        self.arena.tidy(live.chain([&mut self.outside.board]));
    }

    /// Leads the correct hypothesis outside of the beam on to its best correct successor.
    fn follow(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut impl Scorer,
        guide: Guide<'_>,
        clock: u32,
    ) {
        let Beam { outside, oracle, ops, arena, links, .. } = self;
        if outside.finished || outside.state.steps > clock {
            return;
        }
        guide.correct(system, &outside.state, outside.depth, oracle, ops);
        let mut best: Option<Candidate<Step>> = None;
        for &op in ops.iter() {
            let Some(class) = classes.class(op) else { continue };
            let Some(site) = system.site(&outside.state.row, op.left, op.right) else { continue };
            let Some(row) = outside.board.row(arena, scorer, &outside.state, site) else { continue };
            let score = outside.score + arena.row(row)[class as usize];
            let candidate = Candidate { score, parent: 0, action: (site, class) };
            if best.is_none_or(|best| candidate.order(&best).is_lt()) {
                best = Some(candidate);
            }
        }
        match best {
            Some(candidate) => {
                outside.score = candidate.score;
                outside.take(system, classes, scorer.reach(), links, candidate.action);
            }
            None => outside.finished = true,
        }
    }
}
