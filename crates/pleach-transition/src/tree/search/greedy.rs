//! Greedy search: the best transition at every step; and training along correct transitions.
//!
//! Complexity: O(n · K · D) look-ups of sites, of which O(n · D · (D + reach)) are scored anew.

use super::super::classes::Classes;
use super::super::oracle::{Guide, Oracle};
use super::super::state::State;
use super::super::system::{Op, Site, System};
use super::Scorer;
use super::board::{Arena, Board};
use crate::Node;
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
}

/// The memory of a greedy parser, used again for every sentence.
#[derive(Debug, Default)]
pub struct Greedy {
    state: State,
    board: Board,
    arena: Arena,
    oracle: Oracle,
    correct: Vec<Op>,
}

impl Greedy {
    fn begin(&mut self, system: &System, classes: &Classes, len: usize) {
        system.start(len, &mut self.state);
        self.board.begin(system, len);
        self.arena.begin(classes.len());
    }

    /// Parses a sentence of `len` words and returns the final configuration.
    pub fn parse(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut impl Scorer,
        len: usize,
    ) -> &State {
        self.begin(system, classes, len);
        while let Some(best) = self.best(system, classes, scorer) {
            self.take(system, classes.op(best.class, best.site), scorer.reach());
        }
        &self.state
    }

    /// Walks along correct transitions, always the best-scored of them, and tells `learn` of every step at which a
    /// wrong one would have been taken; wrong ones are given `margin`.
    pub fn train<S: Scorer>(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut S,
        guide: Guide<'_>,
        margin: f32,
        mut learn: impl FnMut(&mut S, &State, Mistake),
    ) {
        self.begin(system, classes, guide.len());
        for step in 0.. {
            guide.correct(system, &self.state, step, &mut self.oracle, &mut self.correct);
            let (Some(correct), wrong) = self.rivals(system, classes, scorer, margin) else { return };
            if let Some(wrong) = wrong.filter(|wrong| wrong.beats(&correct)) {
                let of = |choice: Choice| (choice.site, choice.class);
                learn(scorer, &self.state, Mistake { correct: of(correct), wrong: of(wrong) });
            }
            self.take(system, classes.op(correct.class, correct.site), scorer.reach());
        }
    }

    /// The best correct transition and the best wrong one, which is given `margin`.
    fn rivals(
        &mut self,
        system: &System,
        classes: &Classes,
        scorer: &mut impl Scorer,
        margin: f32,
    ) -> (Option<Choice>, Option<Choice>) {
        let Greedy { state, board, arena, correct: ops, .. } = self;
        let (mut correct, mut wrong): (Option<Choice>, Option<Choice>) = (None, None);
        system.sites(&state.row, |site, position| {
            let legal = system.legal(state, site, position);
            let Some(row) = board.row(arena, scorer, state, site) else { return true };
            let scores = arena.row(row);
            classes.for_each_legal(legal, |class| {
                let right = ops.contains(&classes.op(class, site));
                let score = scores[class as usize] + if right { 0.0 } else { margin };
                let choice = Choice { score, site, class };
                let best = if right { &mut correct } else { &mut wrong };
                if best.is_none_or(|best| choice.beats(&best)) {
                    *best = Some(choice);
                }
            });
            true
        });
        (correct, wrong)
    }

    fn take(&mut self, system: &System, op: Op, reach: usize) {
        system.apply(op, &mut self.state);
        self.board.update(system, &self.state, op, reach);
        self.arena.tidy(std::iter::once(&mut self.board));
    }

    /// The best legal class of all sites.
    fn best(&mut self, system: &System, classes: &Classes, scorer: &mut impl Scorer) -> Option<Choice> {
        let Greedy { state, board, arena, .. } = self;
        let mut best: Option<Choice> = None;
        system.sites(&state.row, |site, position| {
            let legal = system.legal(state, site, position);
            if legal.0 != 0
                && let Some(row) = board.row(arena, scorer, state, site)
                && let Some((score, class)) = classes.best(legal, arena.row(row))
            {
                let choice = Choice { score, site, class };
                if best.is_none_or(|best| choice.beats(&best)) {
                    best = Some(choice);
                }
            }
            true
        });
        best
    }
}
