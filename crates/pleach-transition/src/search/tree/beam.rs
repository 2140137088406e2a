//! Beam search over sequences of a tree system, for parsing and for training (`bohnet-2016` section 6).
//!
//! Hypotheses that have taken equally many transitions are compared with each other, deterministic SHIFTs counted
//! ([`State::steps`]): one that is ahead waits. In training a hypothesis is *correct* as long as the gold tree can be
//! reached from it; when the last correct one has fallen out of the beam, the best of them is followed outside of
//! it, so that a violation can be had at any step (Ma et al. 2013; Huang et al. 2012).
//!
//! Of hypotheses at the same configuration only the best stays (see `identity`).
//!
//! Complexity: O(n · beam · K · D) look-ups of sites; see `board` for how many are scored anew.
//! Invariant: the beam is sorted by score, best first; equal scores keep the order (parent, site, class). Between steps,
//! the candidates are the best successors at all sites that are not on the agenda.

use super::Machine;
use super::agenda::Agenda;
use super::board::{Arena, Board};
use super::identity::Identity;
use crate::NONE;
use crate::scorer::Place;
use crate::search::Stepped;
use crate::search::selection::{Candidate, Selection};
use crate::tree::oracle::{Guide, KeptGuide, Oracle};
use crate::tree::state::State;
use crate::tree::system::{Legal, Op, Site};

/// A class at a site: one step of a hypothesis.
pub type Step = (Site, u16);

/// What a hypothesis does that waits or is finished.
const STAY: Step = (Site { left: NONE, right: NONE, distance: 0 }, 0);

/// No step yet.
const START: u32 = u32::MAX;

/// The place of the correct hypothesis outside of the beam.
const OUTSIDE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    parent: u32,
    step: Step,
}

#[derive(Debug, Default)]
struct Hypothesis {
    state: State,
    board: Board,
    identity: Identity,
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
        self.identity = other.identity;
        self.score = other.score;
        self.link = other.link;
        self.depth = other.depth;
        self.finished = other.finished;
        self.correct = other.correct;
    }

    /// Whether it is finished or ahead of the others.
    fn waits(&self, clock: u32) -> bool {
        self.finished || self.state.steps > clock
    }

    fn take(&mut self, machine: &Machine, reach: usize, links: &mut Vec<Link>, step: Step) {
        let op = machine.classes.op(step.1, step.0);
        self.identity = self.identity.after(&machine.system, &self.state, op);
        machine.system.apply(op, &mut self.state);
        self.board.update(&machine.system, &self.state, op, reach);
        links.push(Link { parent: self.link, step });
        self.link = links.len() as u32 - 1;
        self.depth += 1;
        self.finished = machine.system.is_final(&self.state.row);
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

/// A site of a hypothesis whose row is not known.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// A place in the beam, or [`OUTSIDE`].
    parent: u32,
    site: Site,
    legal: Legal,
}

/// What is followed in training.
#[derive(Debug, Default)]
struct Training {
    guide: KeptGuide,
    oracle: Oracle,
    early: bool,
    margin: f32,
    /// The best correct hypothesis when none is in the beam.
    outside: Hypothesis,
    /// Its correct transitions.
    outside_ops: Vec<Op>,
    /// No correct hypothesis is left in the beam.
    fallen: bool,
    moments: Vec<Moment>,
}

/// The successors of a step.
#[derive(Debug, Default)]
struct Successors {
    candidates: Selection<(Step, Identity)>,
    /// In training, the best one that stays correct.
    best_correct: Option<Candidate<Step>>,
    /// The correct transitions of the items, one after the other, and where those of each item end.
    ops: Vec<Op>,
    ends: Vec<usize>,
}

impl Successors {
    fn begin(&mut self, width: usize) {
        self.candidates.begin(width);
        self.best_correct = None;
        self.ops.clear();
        self.ends.clear();
    }

    /// The correct transitions of an item; empty if it is not correct.
    fn correct(&self, item: usize) -> &[Op] {
        let start = item.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ops[start..self.ends[item]]
    }

    #[inline]
    fn offer(
        &mut self,
        candidate: Candidate<Step>,
        identity: impl FnOnce() -> Identity,
        stays_correct: bool,
    ) {
        let Candidate { score, parent, action } = candidate;
        if self.candidates.admits(score) {
            let identity = identity().marked(stays_correct);
            let same = |other: &(Step, Identity)| other.1 == identity;
            self.candidates.merge(Candidate { score, parent, action: (action, identity) }, same);
        }
        let better = |best: Candidate<Step>| candidate.order(&best).is_lt();
        if stays_correct && self.best_correct.is_none_or(better) {
            self.best_correct = Some(candidate);
        }
    }

    /// Offers the transitions of an item at a site; one that stops being correct is given the margin.
    #[inline]
    fn offer_all(&mut self, machine: &Machine, item: &Hypothesis, open: Open, row: &[f32], margin: f32) {
        let Open { parent, site, legal } = open;
        machine.classes.for_each_legal(legal, |class| {
            let mut score = item.score + row[class as usize];
            let mut stays_correct = false;
            if item.correct {
                stays_correct = self.correct(parent as usize).contains(&machine.classes.op(class, site));
                score += if stays_correct { 0.0 } else { margin };
            }
            let identity =
                || item.identity.after(&machine.system, &item.state, machine.classes.op(class, site));
            self.offer(Candidate { score, parent, action: (site, class) }, identity, stays_correct);
        });
    }
}

/// The memory of a beam parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Beam {
    items: Vec<Hypothesis>,
    next: Vec<Hypothesis>,
    live: usize,
    width: usize,
    reach: usize,
    /// How many steps were made.
    clock: u32,
    arena: Arena,
    links: Vec<Link>,
    agenda: Agenda<Open>,
    successors: Successors,
    is_training: bool,
    training: Training,
}

impl Beam {
    /// Starts a sentence of `len` words with the given beam width; `reach` is the scorer's.
    pub fn begin(&mut self, machine: &Machine, len: usize, width: usize, reach: usize) {
        self.is_training = false;
        self.start(machine, len, width, reach);
        self.go(machine);
    }

    /// Starts a search that watches the correct hypotheses. With `early`, it ends when none is left in the beam; else it
    /// goes on to the end, for max-violation updates. A hypothesis that stops being correct is given `margin` for it, so
    /// that the correct ones have to be better by that much.
    pub fn begin_training(
        &mut self,
        machine: &Machine,
        guide: Guide<'_>,
        width: usize,
        reach: usize,
        (early, margin): (bool, f32),
    ) {
        self.is_training = true;
        self.start(machine, guide.len(), width, reach);
        self.items[0].correct = true;
        let training = &mut self.training;
        training.guide.keep(guide);
        (training.early, training.margin, training.fallen) = (early, margin, false);
        training.outside.copy_from(&self.items[0]);
        training.moments.clear();
        self.go(machine);
    }

    /// The configuration of the best hypothesis: a final one when the search is over.
    pub fn best(&self) -> &State {
        &self.items[0].state
    }

    /// All hypotheses, best first, with their scores: for losses that normalise over the beam.
    pub fn hypotheses(&self) -> impl Iterator<Item = (&State, f32)> {
        self.items[..self.live].iter().map(|item| (&item.state, item.score))
    }

    /// How the training search compared with the correct hypotheses, step by step.
    pub fn moments(&self) -> &[Moment] {
        &self.training.moments
    }

    /// The steps of the best hypothesis and of the best correct one at a moment of the last training search.
    pub fn sequences(&self, moment: &Moment, best: &mut Vec<Step>, correct: &mut Vec<Step>) {
        self.trace(moment.best, best);
        self.trace(moment.correct, correct);
    }

    /// The steps of a hypothesis in the beam, by its place.
    pub fn steps_of(&self, place: usize, steps: &mut Vec<Step>) {
        self.trace(self.items[place].link, steps);
    }

    fn trace(&self, mut at: u32, steps: &mut Vec<Step>) {
        steps.clear();
        while at != START {
            let link = self.links[at as usize];
            steps.push(link.step);
            at = link.parent;
        }
        steps.reverse();
    }

    fn start(&mut self, machine: &Machine, len: usize, width: usize, reach: usize) {
        (self.width, self.reach, self.clock) = (width, reach, 0);
        self.arena.begin(machine.actions());
        self.links.clear();
        if self.items.is_empty() {
            self.items.push(Hypothesis::default());
        }
        let first = &mut self.items[0];
        machine.system.start(len, &mut first.state);
        first.identity = Identity::start(&first.state);
        first.board.begin(&machine.system, len);
        (first.score, first.link, first.depth, first.correct) = (0.0, START, 0, false);
        first.finished = machine.system.is_final(&first.state.row);
        self.live = 1;
    }

    /// Goes on until the scorer has to be asked, or to the end.
    fn go(&mut self, machine: &Machine) {
        self.agenda.clear();
        while !self.is_over() {
            self.look(machine);
            if !self.agenda.is_empty() {
                return;
            }
            self.renew(machine);
        }
    }

    fn is_over(&self) -> bool {
        let lost = self.is_training && self.training.early && self.training.fallen;
        lost || self.items[..self.live].iter().all(|item| item.finished)
    }

    /// Looks at all sites of all hypotheses: those whose rows are known give candidates, the others go onto the agenda.
    fn look(&mut self, machine: &Machine) {
        let Beam { items, live, arena, agenda, successors, training, clock, .. } = self;
        let Machine { system, .. } = machine;
        agenda.clear();
        successors.begin(self.width);
        for (parent, item) in items[..*live].iter_mut().enumerate() {
            let parent = parent as u32;
            let waits = item.waits(*clock);
            if item.correct && !waits {
                let Training { guide, oracle, outside_ops: ops, .. } = &mut *training;
                guide.get().correct(system, &item.state, item.depth, oracle, ops);
                successors.ops.extend_from_slice(ops);
            }
            successors.ends.push(successors.ops.len());
            if waits {
                let stay = Candidate { score: item.score, parent, action: STAY };
                successors.offer(stay, || item.identity, item.correct);
                continue;
            }
            let mut stuck = true;
            system.sites(&item.state.row, |site, position| {
                let legal = system.legal(&item.state, site, position);
                if legal.0 == 0 {
                    return true;
                }
                let Some(row) = item.board.row(site) else { return true };
                stuck = false;
                let open = Open { parent, site, legal };
                if row == 0 {
                    agenda.push(open);
                } else {
                    successors.offer_all(machine, item, open, arena.row(row), training.margin);
                }
                true
            });
            // Settings that were not checked may lead into a dead end; the hypothesis is as it is, then.
            if stuck {
                item.finished = true;
                let stay = Candidate { score: item.score, parent, action: STAY };
                successors.offer(stay, || item.identity, false);
            }
        }
        if self.is_training && self.training.fallen {
            self.look_outside(machine);
        }
    }

    /// The sites that the correct hypothesis outside of the beam needs.
    fn look_outside(&mut self, machine: &Machine) {
        let Beam { agenda, training, clock, .. } = self;
        let Training { guide, oracle, outside, outside_ops: ops, .. } = training;
        ops.clear();
        if outside.waits(*clock) {
            return;
        }
        guide.get().correct(&machine.system, &outside.state, outside.depth, oracle, ops);
        for &op in ops.iter() {
            let known = machine.classes.class(op).is_some();
            let site = machine.system.site(&outside.state.row, op.left, op.right).filter(|_| known);
            let Some(site) = site.filter(|&site| outside.board.row(site) == Some(0)) else { continue };
            let asked = |open: &&Open| open.parent == OUTSIDE;
            if !agenda.all().iter().rev().take_while(asked).any(|open| open.site == site) {
                agenda.push(Open { parent: OUTSIDE, site, legal: Legal::default() });
            }
        }
    }

    /// All rows are known: makes the best candidates the new beam, and notes how it compares with the correct hypotheses.
    fn renew(&mut self, machine: &Machine) {
        self.successors.candidates.finish();
        if self.is_training {
            self.follow(machine);
        }
        let Beam { items, next, live, links, successors, reach, .. } = self;
        let best = successors.candidates.best();
        if next.len() < best.len() {
            next.resize_with(best.len(), Hypothesis::default);
        }
        for (new, candidate) in next.iter_mut().zip(best) {
            let parent = candidate.parent as usize;
            new.copy_from(&items[parent]);
            new.score = candidate.score;
            let (step @ (site, class), _) = candidate.action;
            if step != STAY {
                new.correct &= successors.correct(parent).contains(&machine.classes.op(class, site));
                new.take(machine, *reach, links, step);
            }
        }
        *live = best.len();
        std::mem::swap(items, next);
        self.clock += 1;
        let boards = self.items[..self.live].iter_mut().map(|item| &mut item.board);
        let outside = self.is_training.then_some(&mut self.training.outside.board);
        self.arena.tidy(boards.chain(outside));
        if self.is_training {
            self.note();
        }
    }

    fn note(&mut self) {
        let Training { outside, fallen, moments, .. } = &mut self.training;
        let survivor = self.items[..self.live].iter().find(|item| item.correct);
        *fallen = survivor.is_none();
        let correct = survivor.unwrap_or(outside);
        moments.push(Moment {
            violation: self.items[0].score - correct.score,
            best_is_correct: self.items[0].correct,
            correct_in_beam: !*fallen,
            best: self.items[0].link,
            correct: correct.link,
        });
    }

    /// Leads the best correct hypothesis on, in case it does not survive or has not survived.
    fn follow(&mut self, machine: &Machine) {
        let Beam { items, arena, links, successors, training, reach, clock, .. } = self;
        let Training { outside, outside_ops, fallen, .. } = training;
        if !*fallen {
            if let Some(candidate) = successors.best_correct {
                outside.copy_from(&items[candidate.parent as usize]);
                outside.score = candidate.score;
                if candidate.action != STAY {
                    outside.take(machine, *reach, links, candidate.action);
                }
            }
            return;
        }
        if outside.waits(*clock) {
            return;
        }
        let mut best: Option<Candidate<Step>> = None;
        for &op in outside_ops.iter() {
            let Some(class) = machine.classes.class(op) else { continue };
            let Some(site) = machine.system.site(&outside.state.row, op.left, op.right) else { continue };
            let Some(row) = outside.board.row(site).filter(|&row| row != 0) else { continue };
            let score = outside.score + arena.row(row)[class as usize];
            let candidate = Candidate { score, parent: 0, action: (site, class) };
            if best.is_none_or(|best| candidate.order(&best).is_lt()) {
                best = Some(candidate);
            }
        }
        match best {
            Some(candidate) => {
                outside.score = candidate.score;
                outside.take(machine, *reach, links, candidate.action);
            }
            None => outside.finished = true,
        }
    }
}

impl Stepped<Machine> for Beam {
    fn open(&self) -> usize {
        self.agenda.portion().len()
    }

    fn place(&self, number: usize) -> Place<'_> {
        let Open { parent, site, .. } = self.agenda.portion()[number];
        let item = if parent == OUTSIDE { &self.training.outside } else { &self.items[parent as usize] };
        Place::Tree(&item.state, site)
    }

    fn advance(&mut self, machine: &Machine, rows: &[f32]) {
        let Beam { items, arena, agenda, successors, training, .. } = self;
        for (&open, row) in agenda.portion().iter().zip(rows.chunks_exact(machine.actions().max(1))) {
            let number = arena.add(row);
            if open.parent == OUTSIDE {
                training.outside.board.put(open.site, number);
            } else {
                let item = &mut items[open.parent as usize];
                item.board.put(open.site, number);
                successors.offer_all(machine, item, open, row, training.margin);
            }
        }
        if !agenda.pass() {
            self.renew(machine);
            self.go(machine);
        }
    }
}
