//! What a search is about: the models, the words, which arcs are looked at and what they cost in training.

use super::pruning::Pruning;
use super::search::{GoldArcs, by_dependent};
use crate::families::sieve::{Passed, Sieve};
use pleach_decode::markov::{Candidate, Centre, Order};
use pleach_graph::words::Words;

/// A chain model without its scorer.
#[derive(Debug)]
pub(super) struct ChainModel {
    pub centre: Centre,
    /// At most this many neighbours are looked at together.
    pub order: Order,
    /// What it counts among the models.
    pub weight: f32,
}

/// What a search is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub models: &'a [ChainModel],
    pub pruning: Option<&'a Pruning>,
    pub sieve: Option<&'a Sieve>,
    /// The number of label sets; they count from 1.
    pub labels: usize,
    /// Whether the filter's scores decide on candidates, or the arcs' own.
    pub filtered: bool,
    /// How many heads a word keeps.
    pub heads: usize,
    /// Arcs that score no more than this are no candidates.
    pub least: f32,
    /// Arcs are decided without regard to their labels, as they were learnt.
    pub local: bool,
    /// What arcs that are decided alone have to score.
    pub threshold: f32,
    /// Whether every word is to have a head.
    pub adopt: bool,
    pub words: &'a Words,
    /// Arcs that are candidates in any case, by dependents, then by heads.
    pub also: &'a [Candidate],
    /// In training, how many wrong arcs a missing one is as bad as.
    pub missing: f32,
    /// The right graph, when training, and by how much wrong arcs must be worse.
    pub gold: Option<(&'a GoldArcs, f32)>,
}

impl Problem<'_> {
    /// The gold label of an arc; `None` if it is no gold arc, or when not training.
    pub fn gold_label(&self, head: u32, dependent: u32) -> Option<u16> {
        let (arcs, _) = self.gold?;
        let place = arcs.binary_search_by_key(&(dependent, head), |&(dependent, head, _)| (dependent, head));
        place.ok().map(|place| arcs[place].2)
    }

    /// Marks the arcs that are looked at, by dependent, then by head: those that the sieve and tags allow.
    pub fn mark(&self, passed: &mut Passed, marked: &mut Vec<bool>) {
        let nodes = self.words.len() + 1;
        marked.clear();
        marked.resize(nodes * nodes, false);
        if let Some(sieve) = self.sieve {
            sieve.sift(self.words, passed);
            self.also.iter().for_each(|arc| passed.add(arc.head as usize, arc.dependent as usize));
            if let Some((gold, _)) = self.gold {
                gold.iter().for_each(|&(dependent, head, _)| passed.add(head as usize, dependent as usize));
            }
        }
        let passes = |head, dependent| self.sieve.is_none() || passed.has(head, dependent);
        for dependent in 1..nodes {
            let marked = &mut marked[dependent * nodes..][..nodes];
            for (head, marked) in marked.iter_mut().enumerate() {
                *marked = head != dependent && passes(head, dependent) && self.wants(head, dependent);
            }
            // A word that is to have a head gets one even if tags allow none.
            if self.adopt && !marked.contains(&true) {
                marked.iter_mut().enumerate().for_each(|(head, marked)| *marked = head != dependent);
            }
        }
    }

    /// Whether tags allow an arc; gold arcs are always looked at.
    pub fn wants(&self, head: usize, dependent: usize) -> bool {
        let (head, dependent) = (head as u32, dependent as u32);
        let allowed = |pruning: &Pruning| pruning.allows(self.words, head, dependent);
        let wanted = || self.also.binary_search_by_key(&(dependent, head), by_dependent).is_ok();
        self.pruning.is_none_or(allowed) || wanted() || self.gold_label(head, dependent).is_some()
    }

    /// What is added to the score of a labelled arc in training: all that is wrong becomes better, all that is right
    /// worse.
    pub fn cost(&self, head: u32, dependent: u32, label: u16) -> f32 {
        let Some((_, margin)) = self.gold else { return 0.0 };
        match self.gold_label(head, dependent) {
            None => margin,
            Some(gold) if gold == label => -margin * self.missing,
            Some(_) => margin * (0.5 - self.missing),
        }
    }

    /// The most arcs that a word may have on one side of it.
    pub fn limit(&self, word: u32, centre: Centre) -> usize {
        self.pruning.map_or(usize::MAX, |pruning| pruning.limit(self.words, word, centre))
    }
}
