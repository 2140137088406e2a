//! Predicate-centric and argument-centric factorization of graphs (`du-2015` sections 3.2, 3.3).
//!
//! Any graph over the candidate arcs is allowed: several heads, crossing arcs and cycles. The predicate-centric model
//! of order k is one [`Chain`] for every word with the arcs out of it, from left to right; the argument-centric
//! model is one for every word with the arcs into it. Each is decoded exactly, word by word: O(n·m^k) for m candidates
//! a word, O(n^(k+1)) when nothing was pruned.
//!
//! Both models are over the same numbered arcs, so that a relaxation can make them agree: its changes of the arcs'
//! scores go into the chains, and a word is decoded anew only when one of its changes is new.

mod agree;
mod chain;
mod filter;
mod marginals;
mod parts;

pub use agree::Agreement;
pub use chain::{Chain, ChainScratch, EDGE, Order};
pub use filter::FilterScores;
pub use marginals::Marginals;
pub use parts::{
    ARC, CHANNELS, FILTER, PAIR, TRIPLE, change_neighbours, change_towards, expect_neighbours,
    score_neighbours,
};

use crate::relax::{Item, Subproblem};

/// Which end of an arc the chains belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Centre {
    /// A chain has the arcs out of a word: its arguments.
    Predicate,
    /// A chain has the arcs into a word: its predicates.
    Argument,
}

impl Centre {
    /// The word whose chain an arc belongs to, and the place that it has there.
    pub fn of(self, head: u32, dependent: u32) -> (u32, u32) {
        match self {
            Centre::Predicate => (head, dependent),
            Centre::Argument => (dependent, head),
        }
    }
}

/// A candidate arc; a pair of words stands once for each label that is kept for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The predicate; 0 is the root.
    pub head: u32,
    /// The argument.
    pub dependent: u32,
}

/// The chains of a sentence, and the arcs that they choose.
#[derive(Clone, Debug)]
pub struct Markov {
    centre: Centre,
    order: Order,
    words: Vec<Word>,
    used: usize,
    /// Whether the best sequence of each arc's word has it.
    chosen: Vec<bool>,
    /// The changes that the words were decoded with.
    changes: Vec<f64>,
    fresh: bool,
    scratch: ChainScratch,
    sequence: Vec<usize>,
}

/// A word's chain, which arcs its choices are, and the score of its best sequence.
#[derive(Clone, Debug)]
struct Word {
    word: u32,
    chain: Chain,
    arcs: Vec<u32>,
    score: f64,
}

impl Markov {
    /// A model without a sentence.
    pub fn new(centre: Centre, order: Order) -> Self {
        Markov {
            centre,
            order,
            words: Vec::new(),
            used: 0,
            chosen: Vec::new(),
            changes: Vec::new(),
            fresh: false,
            scratch: ChainScratch::default(),
            sequence: Vec::new(),
        }
    }

    /// Which end of an arc the chains belong to.
    pub fn centre(&self) -> Centre {
        self.centre
    }

    /// How many neighbours are scored together.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Starts a sentence: a chain for each of the words `0..words` (`words` counts the root), whose sequences have at most
    /// `limit(word)` choices. All scores are 0.
    ///
    /// # Panics
    /// When an arc names a word beyond the end, or a word has more arcs than [`Order::most_choices`].
    pub fn reset(&mut self, words: usize, arcs: &[Candidate], limit: impl Fn(u32) -> usize) {
        self.chosen.clear();
        self.chosen.resize(arcs.len(), false);
        self.changes.clear();
        self.changes.resize(arcs.len(), 0.0);
        self.fresh = true;
        while self.words.len() < words {
            let word = self.words.len() as u32;
            self.words.push(Word { word, chain: Chain::new(self.order), arcs: Vec::new(), score: 0.0 });
        }
        self.used = words;
        let used = &mut self.words[..words];
        used.iter_mut().for_each(|word| word.arcs.clear());
        for (id, arc) in arcs.iter().enumerate() {
            let (centre, _) = self.centre.of(arc.head, arc.dependent);
            used[centre as usize].arcs.push(id as u32);
        }
        for word in used {
            let place = |&id: &u32| {
                let arc = arcs[id as usize];
                self.centre.of(arc.head, arc.dependent).1
            };
            // A stable sort: the labels of a pair keep their order.
            word.arcs.sort_by_key(place);
            word.chain.reset(word.arcs.iter().map(place), limit(word.word));
        }
    }

    /// The chains that have choices, to be given scores: for every word its chain and the arcs that the choices are.
    pub fn chains(&mut self) -> impl Iterator<Item = (u32, &mut Chain, &[u32])> {
        self.fresh = true;
        let used = self.words[..self.used].iter_mut().filter(|word| !word.arcs.is_empty());
        used.map(|word| (word.word, &mut word.chain, word.arcs.as_slice()))
    }

    /// The best graph when the arcs' scores change by `changes`: its own score, without the changes. [`Markov::chosen`] tells
    /// its arcs.
    pub fn decode(&mut self, changes: &[f64]) -> f64 {
        for word in &mut self.words[..self.used] {
            let same = |&id: &u32| self.changes[id as usize] == changes[id as usize];
            if !self.fresh && word.arcs.iter().all(same) {
                continue;
            }
            let arcs = &word.arcs;
            let change = |choice: usize| changes[arcs[choice] as usize];
            word.chain.decode(change, &mut self.scratch, &mut self.sequence);
            word.score = word.chain.score(&self.sequence, |_| 0.0);
            arcs.iter().for_each(|&id| self.chosen[id as usize] = false);
            self.sequence.iter().for_each(|&choice| self.chosen[arcs[choice] as usize] = true);
        }
        self.changes.copy_from_slice(changes);
        self.fresh = false;
        self.words[..self.used].iter().map(|word| word.score).sum()
    }

    /// Which arcs the best graph has; [`Markov::decode`] comes before.
    pub fn chosen(&self) -> &[bool] {
        &self.chosen
    }

    /// The score of any graph over the candidates, without changes; minus infinity when it breaks a limit or has
    /// two labels for a pair.
    pub fn score(&mut self, chosen: &[bool]) -> f64 {
        let mut score = 0.0;
        for word in &self.words[..self.used] {
            self.sequence.clear();
            self.sequence.extend((0..word.arcs.len()).filter(|&i| chosen[word.arcs[i] as usize]));
            if !word.chain.allows(&self.sequence) {
                return f64::NEG_INFINITY;
            }
            score += word.chain.score(&self.sequence, |_| 0.0);
        }
        score
    }
}

impl Subproblem for Markov {
    fn maximise(&mut self, changes: &[f64], chosen: &mut Vec<Item>) -> f64 {
        let score = self.decode(changes);
        let arcs = self.chosen.iter().enumerate();
        chosen.extend(arcs.filter(|(_, chosen)| **chosen).map(|(id, _)| id as Item));
        score
    }
}
