//! The scores of all actions of a configuration, with what is the same between configurations kept.
//!
//! Templates are grouped by the nodes they look at (the top of the stack, the front of the buffer, both …), and the
//! hypotheses of a beam mostly agree on a few words and what hangs on them. The summed rows of a group are kept for
//! the rest of the sentence, under the values that decide its features, so that a hypothesis costs one vector
//! addition for every group it shares. This holds as long as the weights don't change: within one sentence.

use crate::features::Extractor;
use crate::template::Templates;
use pleach_graph::words::Words;
use pleach_transition::configuration::Configuration;
use std::ops::AddAssign;

/// A table of feature weights.
pub trait Rows {
    /// What weights are summed up in.
    type Sum: Copy + Default + AddAssign;

    /// Adds the rows of some keys to the sums of all actions; `found` is memory to work in.
    fn add(&self, keys: &[u64], found: &mut Vec<(u32, u32)>, sums: &mut [Self::Sum]);

    /// Drops keys behind the first `from` that surely have no rows, and starts to load the rows of the others.
    #[inline]
    fn sift(&self, keys: &mut Vec<u64>, from: usize) {
        let _ = (keys, from);
    }

    /// As [`Rows::add`], for keys that were sifted.
    #[inline]
    fn add_sifted(&self, keys: &[u64], found: &mut Vec<(u32, u32)>, sums: &mut [Self::Sum]) {
        self.add(keys, found, sums);
    }

    /// The score that a sum stands for.
    fn score(&self, sum: Self::Sum) -> f32;
}

impl<R: Rows> Rows for &R {
    type Sum = R::Sum;

    #[inline]
    fn add(&self, keys: &[u64], found: &mut Vec<(u32, u32)>, sums: &mut [Self::Sum]) {
        (**self).add(keys, found, sums);
    }

    #[inline]
    fn sift(&self, keys: &mut Vec<u64>, from: usize) {
        (**self).sift(keys, from);
    }

    #[inline]
    fn add_sifted(&self, keys: &[u64], found: &mut Vec<(u32, u32)>, sums: &mut [Self::Sum]) {
        (**self).add_sifted(keys, found, sums);
    }

    #[inline]
    fn score(&self, sum: Self::Sum) -> f32 {
        (**self).score(sum)
    }
}

/// A kept vector: of which group with which values, and where its sums are.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    key: u64,
    /// The vector's number plus one; 0 for an empty slot.
    vector: u32,
}

/// Scores the configurations of one sentence after the other.
#[derive(Clone, Debug)]
pub struct Scoring<S> {
    extractor: Extractor,
    keys: Vec<u64>,
    /// The keys of groups that are not worth keeping.
    once: Vec<u64>,
    found: Vec<(u32, u32)>,
    sums: Vec<S>,
    kept: Vec<Kept>,
    vectors: Vec<S>,
    count: u32,
}

impl<S> Default for Scoring<S> {
    fn default() -> Self {
        Scoring {
            extractor: Extractor::default(),
            keys: Vec::new(),
            once: Vec::new(),
            found: Vec::new(),
            sums: Vec::new(),
            kept: Vec::new(),
            vectors: Vec::new(),
            count: 0,
        }
    }
}

const FIRST_SLOTS: usize = 1 << 10;

impl<S: Copy + Default + AddAssign> Scoring<S> {
    /// Forgets what was kept: another sentence, or other weights.
    pub fn begin(&mut self) {
        self.kept.clear();
        self.kept.resize(FIRST_SLOTS, Kept::default());
        self.vectors.clear();
        self.count = 0;
    }

    /// Writes the scores of all actions. [`Scoring::begin`] comes before the first configuration of a sentence.
    pub fn score(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &Templates,
        words: &Words,
        state: &impl Configuration,
        scores: &mut [f32],
    ) {
        let width = scores.len();
        self.sums.clear();
        self.sums.resize(width, S::default());
        self.once.clear();
        self.extractor.look_at(templates, words, state);
        for (number, group) in templates.groups.iter().enumerate() {
            if state.is_unique(group.nodes.len()) {
                if self.extractor.is_there(group) {
                    let from = self.once.len();
                    self.extractor.extract_group(templates, group, words, state, &mut self.once);
                    // Their rows come from memory while the features of other groups are found out.
                    rows.sift(&mut self.once, from);
                }
                continue;
            }
            let Some(key) = self.extractor.place(number, group) else { continue };
            let slot = self.slot(key);
            let vector = match self.kept[slot].vector {
                0 => {
                    self.keys.clear();
                    self.extractor.extract_group(templates, group, words, state, &mut self.keys);
                    rows.sift(&mut self.keys, 0);
                    let start = self.vectors.len();
                    self.vectors.resize(start + width, S::default());
                    rows.add_sifted(&self.keys, &mut self.found, &mut self.vectors[start..]);
                    self.count += 1;
                    self.kept[slot] = Kept { key, vector: self.count };
                    self.count
                }
                vector => vector,
            };
            let start = (vector as usize - 1) * width;
            for (sum, &part) in self.sums.iter_mut().zip(&self.vectors[start..start + width]) {
                *sum += part;
            }
        }
        rows.add_sifted(&self.once, &mut self.found, &mut self.sums);
        for (score, &sum) in scores.iter_mut().zip(&self.sums) {
            *score = rows.score(sum);
        }
    }

    /// The keys of all features of a configuration.
    pub fn keys(&mut self, templates: &Templates, words: &Words, state: &impl Configuration) -> &[u64] {
        self.keys.clear();
        self.extractor.extract(templates, words, state, &mut self.keys);
        &self.keys
    }

    /// The slot of a key, or the empty slot where it belongs.
    #[inline]
    fn slot(&mut self, key: u64) -> usize {
        if self.count as usize * 2 > self.kept.len() {
            self.grow();
        }
        let mask = self.kept.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        while self.kept[at].vector != 0 && self.kept[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let bigger = vec![Kept::default(); self.kept.len() * 2];
        let old = std::mem::replace(&mut self.kept, bigger);
        for kept in old.into_iter().filter(|kept| kept.vector != 0) {
            let slot = self.slot(kept.key);
            self.kept[slot] = kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Learner;
    use crate::template;
    use pleach_graph::Sentence;
    use pleach_transition::action::Edge;
    use pleach_transition::state::State;

    /// Scores with kept vectors equal the plain sums over all keys, in any order of configurations.
    #[test]
    fn keeping_changes_nothing() {
        let templates = Templates::parse("two-stack", template::shipped("two-stack").unwrap()).unwrap();
        let fixed = templates.groups.iter().filter(|group| group.fixed).count();
        assert!(fixed > 3 && fixed < templates.groups.len());
        let sentence = Sentence::from_forms(["a", "b", "c", "d", "e"]);
        let mut words = Words::default();
        words.fill(&sentence, false);
        let mut states = Vec::new();
        for code in 0..200u16 {
            let mut state = State::default();
            state.reset(5);
            state.stack.extend((0..code % 4).map(|i| (i + code / 7) % 6));
            state.second.extend((0..code % 3).map(|i| (i * 2 + code) % 6));
            state.buffer.extend((1..=code % 6).rev());
            if code % 2 == 0 {
                state.link(1 + code % 5, 1 + (code + 2) % 5, Edge { left: code % 3, right: 1 });
            }
            states.push(state);
        }
        let mut learner = Learner::default();
        let mut scoring: Scoring<f32> = Scoring::default();
        for (i, state) in states.iter().enumerate() {
            for &key in scoring.keys(&templates, &words, state) {
                learner.update(key, (key % 11) as u16, if i % 3 == 0 { 1.0 } else { -2.0 });
            }
        }
        scoring.begin();
        let mut scores = vec![0.0; 11];
        for state in states.iter().chain(states.iter().rev()) {
            scoring.score(&learner, &templates, &words, state, &mut scores);
            let mut plain = vec![0.0; 11];
            learner.add(scoring.keys(&templates, &words, state), &mut Vec::new(), &mut plain);
            assert_eq!(scores, plain);
        }
    }
}
