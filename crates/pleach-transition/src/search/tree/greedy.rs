//! Greedy search: the best transition at every step; and training along correct transitions.
//!
//! Complexity: O(n · K · D) look-ups of sites, of which O(n · D · (D + reach)) are scored anew.
//! Invariant: between steps, `best` and `wrong` are the best choices of all sites that are not on the agenda.

use super::Machine;
use super::agenda::Agenda;
use super::board::{Arena, Board};
use crate::Node;
use crate::scorer::Place;
use crate::search::Stepped;
use crate::tree::classes::Classes;
use crate::tree::oracle::{Guide, KeptGuide, Oracle};
use crate::tree::state::State;
use crate::tree::system::{Legal, Op, Site};
use std::cmp::{Ordering, Reverse};

/// A class at a site with its score. The better one is greater; among equals it is the one further left, nearer, lower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    pub score: f32,
    pub site: Site,
    pub class: u16,
}

impl Choice {
    #[inline]
    fn rank(&self) -> Reverse<(Node, u16, u16)> {
        Reverse((self.site.left, self.site.distance, self.class))
    }

    /// The order of choices; the better one is greater.
    #[inline]
    pub fn order(&self, other: &Choice) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| self.rank().cmp(&other.rank()))
    }

    #[inline]
    fn beats(&self, other: &Choice) -> bool {
        self.order(other).is_gt()
    }
}

/// A wrong decision of a greedy parser: a correct transition and the one that was scored higher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake {
    /// The best correct one: its site and its class.
    pub correct: (Site, u16),
    /// The wrong one.
    pub wrong: (Site, u16),
    /// By how much it is ahead, the margin included.
    pub violation: f32,
}

/// The memory of a greedy parser, used again for every sentence.
///
/// In training, the search walks along correct transitions, always the best-scored of them, and halts at every
/// [`Mistake`]: nothing is open then, the caller learns from [`Greedy::mistake`], and [`Greedy::resume`] goes on. A class at
/// a site is a mistake once a sentence. Scores stay as they are as long as nothing changes near a site, so a learner whose
/// weights are fixed within a sentence would else punish it at every step, and nothing else beside it.
#[derive(Debug, Default)]
pub struct Greedy {
    state: State,
    board: Board,
    arena: Arena,
    reach: usize,
    agenda: Agenda<(Site, Legal)>,
    rivals: Rivals,
    training: Option<Training>,
    mistake: Option<Mistake>,
    guide: KeptGuide,
    oracle: Oracle,
}

/// Where a training search is.
#[derive(Clone, Copy, Debug)]
struct Training {
    margin: f32,
    /// How many transitions were taken.
    step: usize,
}

/// The best transitions of the sites whose rows are known.
#[derive(Debug, Default)]
struct Rivals {
    /// In training, the best correct one; else the best of all.
    best: Option<Choice>,
    /// In training, the best wrong one that has been no mistake yet.
    wrong: Option<Choice>,
    /// In training, the correct transitions.
    correct: Vec<Op>,
    /// In training, the wrong transitions of all mistakes so far.
    punished: Vec<(Site, u16)>,
}

impl Rivals {
    /// Looks at the transitions of a site.
    #[inline]
    fn weigh(
        &mut self,
        classes: &Classes,
        (site, legal): (Site, Legal),
        row: &[f32],
        training: Option<Training>,
    ) {
        let improve = |best: &mut Option<Choice>, choice: Choice| {
            if best.is_none_or(|best| choice.beats(&best)) {
                *best = Some(choice);
            }
        };
        let Some(Training { margin, .. }) = training else {
            if let Some((score, class)) = classes.best(legal, row) {
                improve(&mut self.best, Choice { score, site, class });
            }
            return;
        };
        classes.for_each_legal(legal, |class| {
            let right = self.correct.contains(&classes.op(class, site));
            let score = row[class as usize] + if right { 0.0 } else { margin };
            let choice = Choice { score, site, class };
            if right {
                improve(&mut self.best, choice);
            } else if self.wrong.is_none_or(|old| choice.beats(&old))
                && !self.punished.contains(&(site, class))
            {
                self.wrong = Some(choice);
            }
        });
    }
}

impl Greedy {
    /// Starts a sentence of `len` words; `reach` is the scorer's.
    pub fn begin(&mut self, machine: &Machine, len: usize, reach: usize) {
        self.training = None;
        self.start(machine, len, reach);
    }

    /// Starts a training search along correct transitions; wrong ones are given `margin`.
    pub fn begin_training(&mut self, machine: &Machine, guide: Guide<'_>, reach: usize, margin: f32) {
        self.guide.keep(guide);
        self.training = Some(Training { margin, step: 0 });
        self.start(machine, guide.len(), reach);
    }

    /// The configuration: the final one when the search is over.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// In training, what would have gone wrong at the present configuration. Nothing is open as long as there is one.
    pub fn mistake(&self) -> Option<Mistake> {
        self.mistake
    }

    /// Goes on after a mistake, with the correct transition.
    pub fn resume(&mut self, machine: &Machine) {
        if let Some(Mistake { correct: (site, class), .. }) = self.mistake.take() {
            self.take(machine, machine.classes.op(class, site));
            self.go(machine);
        }
    }

    fn start(&mut self, machine: &Machine, len: usize, reach: usize) {
        machine.system.start(len, &mut self.state);
        self.board.begin(&machine.system, len);
        self.arena.begin(machine.actions());
        self.reach = reach;
        self.mistake = None;
        self.rivals.punished.clear();
        self.go(machine);
    }

    /// Goes on until the scorer has to be asked, or to a mistake, or to the end.
    fn go(&mut self, machine: &Machine) {
        self.look(machine);
        while self.agenda.is_empty() && self.decide(machine) {
            self.look(machine);
        }
    }

    /// Looks at all sites; those whose rows are not known go onto the agenda.
    fn look(&mut self, machine: &Machine) {
        let Greedy { state, board, arena, agenda, rivals, training, guide, oracle, .. } = self;
        let Machine { system, classes } = machine;
        agenda.clear();
        (rivals.best, rivals.wrong) = (None, None);
        if let Some(Training { step, .. }) = *training {
            guide.get().correct(system, state, step, oracle, &mut rivals.correct);
        }
        system.sites(&state.row, |site, position| {
            let legal = system.legal(state, site, position);
            if legal.0 != 0 {
                match board.row(site) {
                    None => {}
                    Some(0) => agenda.push((site, legal)),
                    Some(row) => rivals.weigh(classes, (site, legal), arena.row(row), *training),
                }
            }
            true
        });
    }

    /// Takes the best transition, or notes a mistake; whether there is anything more to do.
    fn decide(&mut self, machine: &Machine) -> bool {
        let Some(best) = self.rivals.best else { return false };
        if let Some(wrong) = self.rivals.wrong.filter(|wrong| wrong.beats(&best)) {
            let violation = wrong.score - best.score;
            let (correct, wrong) = ((best.site, best.class), (wrong.site, wrong.class));
            self.rivals.punished.push(wrong);
            self.mistake = Some(Mistake { correct, wrong, violation });
            return false;
        }
        self.take(machine, machine.classes.op(best.class, best.site));
        true
    }

    fn take(&mut self, machine: &Machine, op: Op) {
        machine.system.apply(op, &mut self.state);
        self.board.update(&machine.system, &self.state, op, self.reach);
        self.arena.tidy(std::iter::once(&mut self.board));
        if let Some(training) = &mut self.training {
            training.step += 1;
        }
    }
}

impl Stepped<Machine> for Greedy {
    fn open(&self) -> usize {
        self.agenda.portion().len()
    }

    fn place(&self, number: usize) -> Place<'_> {
        Place::Tree(&self.state, self.agenda.portion()[number].0)
    }

    fn advance(&mut self, machine: &Machine, rows: &[f32]) {
        let Greedy { board, arena, agenda, rivals, training, .. } = self;
        for (&(site, legal), row) in agenda.portion().iter().zip(rows.chunks_exact(machine.actions().max(1)))
        {
            board.put(site, arena.add(row));
            rivals.weigh(&machine.classes, (site, legal), row, *training);
        }
        if !agenda.pass() && self.decide(machine) {
            self.go(machine);
        }
    }
}
