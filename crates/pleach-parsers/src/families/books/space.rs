//! The memory of pages.

use super::page::Labelled;
use crate::families::sieve::{Passed, Sieve};
use pleach_decode::noncrossing::beam::Beam;
use pleach_decode::noncrossing::company::Company;
use pleach_decode::noncrossing::factors::{CHANNELS, FILTER};
use pleach_decode::noncrossing::first::First;
use pleach_decode::noncrossing::second::Second;
use pleach_decode::noncrossing::{Candidates, Memo, Node, Scores};
use pleach_decode::part::{Kind, Part, PartScorer};
use pleach_graph::words::Words;

/// The decoders of a page.
#[derive(Debug, Default)]
pub(super) struct Decoders {
    pub first: First,
    pub second: Second,
    pub beam: Beam,
}

/// The memory of a page.
#[derive(Debug, Default)]
pub(super) struct PageSpace {
    /// The scores of pairs of words, by left and right one.
    pub pairs: Vec<[f32; CHANNELS]>,
    /// The scores of all labels of the candidates.
    pub label_scores: Vec<f32>,
    /// The scores of the candidates.
    pub scores: Vec<Scores>,
    pub decoders: Decoders,
    pub memo: Memo,
    /// What is linked to the ends of each link.
    pub company: Vec<Company>,
    pub last: Vec<[Node; 2]>,
    /// What one of them says of all labels.
    pub of_company: Vec<f32>,
    /// The parts that will be asked for.
    pub expected: Vec<Part>,
}

impl PageSpace {
    /// The filter's score of a pair of words in a sentence of so many nodes.
    pub fn filter_score(&self, nodes: Node, (left, right): (Node, Node)) -> f32 {
        self.pairs[usize::from(left) * usize::from(nodes) + usize::from(right)][usize::from(FILTER)]
    }

    /// Tells a scorer whose labels will be asked for.
    pub fn expect_labels(&mut self, scorer: &mut dyn PartScorer, ends: impl Iterator<Item = (Node, Node)>) {
        if scorer.scores(Kind::LABEL) {
            self.expected.clear();
            self.expected.extend(ends.map(|(left, right)| Part::label(left, right)));
            scorer.expect(&self.expected);
        }
    }
}

/// Which pairs of words are candidates.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub nodes: usize,
    pub keep: Vec<bool>,
    pub best: Vec<(f32, usize)>,
    /// What the sieve let through, if there is one.
    sifted: bool,
    passed: Passed,
}

impl Choice {
    /// Starts a sentence of so many nodes.
    pub fn start(&mut self, nodes: usize) {
        self.nodes = nodes;
        self.sifted = false;
        self.keep.clear();
        self.keep.resize(nodes * nodes, false);
    }

    /// Sends all pairs of words through a sieve; gold edges pass, and the arcs of a root that is apart.
    pub fn sift(&mut self, sieve: &Sieve, words: &Words, gold: &[Labelled], apart: bool) {
        self.sifted = true;
        sieve.sift(words, &mut self.passed);
        gold.iter().for_each(|&(left, right, _)| self.passed.add(usize::from(left), usize::from(right)));
        if apart {
            (1..self.nodes).for_each(|word| self.passed.add(0, word));
        }
    }

    /// Whether a pair of words is scored.
    #[inline]
    pub fn passes(&self, one: usize, other: usize) -> bool {
        !self.sifted || self.passed.joins(one, other)
    }

    /// Takes an edge in any case.
    pub fn add(&mut self, left: Node, right: Node) {
        self.keep[usize::from(left) * self.nodes + usize::from(right)] = true;
    }

    /// Whether an edge was taken.
    pub fn has(&self, left: Node, right: Node) -> bool {
        self.keep[usize::from(left) * self.nodes + usize::from(right)]
    }

    /// The edges that were taken.
    pub fn candidates(&self, candidates: &mut Candidates) {
        candidates.fill(self.nodes, |left, right| self.has(left, right));
    }
}
