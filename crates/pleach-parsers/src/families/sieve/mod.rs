//! A cheap first pass over all pairs of words: which arcs are worth a close look (coarse to fine: Charniak & Johnson 2005; for
//! dependencies Rush & Petrov 2012).
//!
//! A few combinations of tags, lemmas and distances (`looks.rs`) are hashed into one small table of 8-bit weights, which stays in
//! the processor's cache; their sum is what a head is worth beside the other heads of a word (the logarithm of its probability, but
//! for a number that is the same for all of them). Of every word's heads those stay that are within a gap of the best one. The gap
//! is what lets a wanted share of the arcs of held-out training sentences through (`learn.rs`), so its recall is measured before
//! anything else is learnt. Nothing here depends on who scores: parts that are dear are only asked for where the sieve lets an arc
//! through.
//!
//! Class: all arcs, graphs and trees alike. Complexity: O(n²) sums of sixteen bytes.
//! Invariant: what passes depends on the words and the table alone; every word keeps its best head.

mod learn;
mod looks;
mod stored;

use looks::Looks;
use pleach_graph::words::Words;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use stored::Stored;

/// The bits of an index into the table.
const BITS: u32 = 19;

/// Those of earlier models.
const OLD_BITS: u32 = 17;

/// What one step of a weight is worth, as a logarithm.
const UNIT: f32 = 1.0 / 24.0;

/// A sieve that was learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(in crate::families) struct Sieve {
    /// In steps.
    weights: Vec<i8>,
    /// How far a head may be below the best one, in steps.
    gap: i32,
    /// Whether scores say something only beside those of a word's other heads; otherwise they are log-odds.
    relative: bool,
    /// What it does to sentences that it has not seen.
    pub measured: Measured,
}

/// What a sieve does to held-out sentences. Whole numbers, because a model's checksum is over what is written: fractions need not
/// come back as the same text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::families) struct Measured {
    /// How many words they have.
    pub words: usize,
    /// How many arcs.
    pub arcs: usize,
    /// How many of these pass.
    pub found: usize,
    /// How many arcs there could be.
    pub pairs: usize,
    /// How many of these pass.
    pub kept: usize,
}

impl Measured {
    /// The share of arcs that pass.
    fn recall(&self) -> f64 {
        self.found as f64 / self.arcs.max(1) as f64
    }

    /// How many heads a word keeps, and how many it could have.
    fn heads(&self) -> [f64; 2] {
        [self.kept, self.pairs].map(|pairs| pairs as f64 / self.words.max(1) as f64)
    }
}

impl Display for Measured {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [kept, of] = self.heads();
        let recall = 100.0 * self.recall();
        write!(f, "{recall:.2} % of the arcs of held-out sentences; {kept:.1} of {of:.1} heads a word")
    }
}

/// The arcs of a sentence that passed; the memory is kept from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub(in crate::families) struct Passed {
    looks: Looks,
    row: Vec<i32>,
    nodes: usize,
    /// By dependent, then by head.
    passed: Vec<bool>,
}

impl Passed {
    /// Whether an arc passed.
    #[inline]
    pub fn has(&self, head: usize, dependent: usize) -> bool {
        self.passed[dependent * self.nodes + head]
    }

    /// Whether one of the arcs between two words passed.
    #[inline]
    pub fn joins(&self, one: usize, other: usize) -> bool {
        self.has(one, other) || self.has(other, one)
    }

    /// Lets an arc through in any case.
    pub fn add(&mut self, head: usize, dependent: usize) {
        self.passed[dependent * self.nodes + head] = true;
    }
}

impl Sieve {
    /// Sends all arcs of a sentence through.
    pub fn sift(&self, words: &Words, passed: &mut Passed) {
        let Passed { looks, row, nodes, passed } = passed;
        *nodes = words.len() + 1;
        passed.clear();
        passed.resize(*nodes * *nodes, false);
        looks.fill(words);
        for (dependent, passed) in passed.chunks_exact_mut(*nodes).enumerate().skip(1) {
            self.score(looks, words, dependent, row);
            let least = self.least(row, self.gap);
            passed.iter_mut().zip(&*row).for_each(|(passed, &score)| *passed = score >= least);
            passed[dependent] = false;
        }
    }

    /// The scores of all heads of a word in steps; its own place has the least one there is.
    fn score(&self, looks: &Looks, words: &Words, dependent: usize, row: &mut Vec<i32>) {
        let bits = self.weights.len().trailing_zeros();
        row.clear();
        row.extend((0..=words.len()).map(|head| match head == dependent {
            true => i32::MIN,
            false => {
                let places = looks.places(words, head, dependent, bits);
                places.iter().map(|&place| i32::from(self.weights[place as usize])).sum()
            }
        }));
    }

    /// What a head must score at least. Where scores are log-odds, even odds are enough.
    fn least(&self, row: &[i32], gap: i32) -> i32 {
        let best = row.iter().copied().max().unwrap_or(0);
        if self.relative { best - gap } else { best.min(0) - gap }
    }
}

/// What is wrong with a recipe whose key is no share.
pub(in crate::families) fn no_share(given: f64) -> String {
    format!("'sieve' is a share between 0 and 1, not {given}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Sentence;

    /// Sentences in which every noun hangs on the verb and every determiner on the next noun.
    fn treebank() -> Vec<(Words, Vec<(u32, u32)>)> {
        let example = |number: usize| {
            let mut tags = vec!["DT", "NN", "VB"];
            (0..number % 4).for_each(|_| tags.extend(["DT", "NN"]));
            let mut sentence = Sentence::from_forms(tags.iter().copied());
            sentence.tokens.iter_mut().zip(&tags).for_each(|(token, tag)| token.xpos = (*tag).into());
            let arcs = (1..=tags.len() as u32).map(|word| match tags[word as usize - 1] {
                "DT" => (word + 1, word),
                "NN" => (3, word),
                _ => (0, word),
            });
            (Words::of(&sentence, None, false), arcs.collect())
        };
        (0..200).map(example).collect()
    }

    #[test]
    fn what_is_always_linked_passes_and_little_else() {
        let data = treebank();
        let examples = || data.iter().map(|(words, arcs)| (words, arcs.iter().copied()));
        let sieve = Sieve::learn(0.99, examples).unwrap();
        let [kept, of] = sieve.measured.heads();
        assert!(sieve.measured.recall() >= 0.99 && kept < 2.0 && of > 5.0, "{}", sieve.measured);
        assert!(sieve.measured.to_string().contains(" % of the arcs of held-out sentences; "));
        let mut passed = Passed::default();
        for (words, arcs) in &data {
            sieve.sift(words, &mut passed);
            assert!(arcs.iter().all(|&(head, dependent)| passed.has(head as usize, dependent as usize)));
            for dependent in 1..=words.len() {
                assert!((0..=words.len()).any(|head| passed.has(head, dependent)));
                assert!(!passed.has(dependent, dependent));
            }
            assert!(passed.joins(3, 2) && passed.joins(2, 3));
        }
        // The same data give the same sieve, and a model file the same one again.
        assert_eq!(Sieve::learn(0.99, examples), Some(sieve.clone()));
        let text = serde_json::to_string(&sieve).unwrap();
        assert_eq!(serde_json::from_str::<Sieve>(&text).unwrap(), sieve);
        let broken = text.replacen("\"weights\":\"", "\"weights\":\"~", 1);
        assert!(serde_json::from_str::<Sieve>(&broken).is_err());
    }

    #[test]
    fn little_data_makes_no_sieve() {
        let data = treebank();
        let few = || data[..9].iter().map(|(words, arcs)| (words, arcs.iter().copied()));
        assert_eq!(Sieve::learn(0.99, few), None);
        // The held-out sentences have a hundred arcs: one in two hundred is none of them.
        let all = || data.iter().map(|(words, arcs)| (words, arcs.iter().copied()));
        assert_eq!(Sieve::learn(0.995, all), None);
    }

    /// In the sieves of old models, a head that is far below the best one stays when that is no more than the gap below even odds.
    #[test]
    fn the_best_head_of_a_word_always_passes() {
        let sieve = |relative| Sieve { weights: vec![], gap: 30, relative, measured: Measured::default() };
        for (row, old, new) in [([i32::MIN, 50, -20], -30, 20), ([i32::MIN, -50, -90], -80, -80)] {
            assert_eq!((sieve(false).least(&row, 30), sieve(true).least(&row, 30)), (old, new));
        }
    }

    /// What a card of an old model says is still read as it was meant.
    #[test]
    fn old_sieves_are_read() {
        let measured = serde_json::to_string(&Measured::default()).unwrap();
        let card = |bits: u32| {
            format!("{{\"gap\":5,\"measured\":{measured},\"weights\":\"{}\"}}", "_".repeat(1 << bits))
        };
        let old: Sieve = serde_json::from_str(&card(OLD_BITS)).unwrap();
        assert!(!old.relative && old.weights.len() == 1 << OLD_BITS);
        assert!(serde_json::from_str::<Sieve>(&card(OLD_BITS - 1)).is_err());
    }
}
