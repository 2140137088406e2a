//! The scores of all actions of configurations, with what is the same between configurations kept.
//!
//! Templates are grouped by the nodes they look at (the top of the stack, the front of the buffer, both …), and the
//! hypotheses of a beam mostly agree on a few words and what hangs on them. The summed rows of a group are kept for
//! the rest of the sentence, under the values that decide its features, so that a hypothesis costs one vector
//! addition for every group it shares. This holds as long as the weights don't change: within one sentence.
//!
//! Configurations that are asked for together are scored together: first the features of all of them are found out, then
//! their rows are looked up, so that the processor waits for many rows at once and not for one after the other.
//! Invariant: sums are added in the same order as for a configuration alone, so scores are the same to the last bit.

use crate::features::Extractor;
use crate::foreseen::PartNodes;
use crate::model::PartSet;
pub use crate::rows::Rows;
use crate::rows::{Place, Queue};
use crate::summed::Summer;
use crate::template::{Group, Templates};
use crate::wide::sum_vectors;
use pleach_decode::part::Part;
use pleach_graph::words::Words;
use pleach_transition::configuration::Configuration;
use std::ops::AddAssign;

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
    summer: Summer,
    keys: Vec<u64>,
    found: Vec<Place>,
    /// How many choices the configurations have that are scored together.
    width: usize,
    /// The keys of groups that are not worth keeping, a run for each configuration.
    once: Queue,
    /// Those of vectors that are kept from now on, a run for each.
    fresh: Queue,
    /// How many vectors have their sums.
    complete: u32,
    /// The vectors of all configurations that wait, and where each one's end.
    used: Vec<u32>,
    ends: Vec<u32>,
    /// How many configurations have their sums, and these.
    scored: usize,
    sums: Vec<S>,
    kept: Vec<Kept>,
    /// Beyond the first `count` ones are those of sentences before.
    vectors: Vec<S>,
    count: u32,
}

impl<S> Default for Scoring<S> {
    fn default() -> Self {
        Scoring {
            extractor: Extractor::default(),
            summer: Summer::default(),
            keys: Vec::new(),
            found: Vec::new(),
            width: 0,
            once: Queue::default(),
            fresh: Queue::default(),
            complete: 0,
            used: Vec::new(),
            ends: Vec::new(),
            scored: 0,
            sums: Vec::new(),
            kept: Vec::new(),
            vectors: Vec::new(),
            count: 0,
        }
    }
}

const FIRST_SLOTS: usize = 1 << 10;

/// So many keys are looked up together: what they load fits the nearest caches.
const AT_ONCE: usize = 512;

impl<S: Copy + Default + AddAssign> Scoring<S> {
    /// Forgets what was kept: another sentence, or other weights.
    pub fn begin(&mut self) {
        self.summer.begin();
        self.kept.clear();
        self.kept.resize(FIRST_SLOTS, Kept::default());
        self.count = 0;
        self.complete = 0;
    }

    /// Begins to score configurations with so many choices; [`Scoring::begin`] comes before the first ones of a sentence.
    pub fn open(&mut self, width: usize) {
        self.width = width;
        self.used.clear();
        self.ends.clear();
        self.scored = 0;
    }

    /// Finds out the features of one more configuration.
    pub fn push(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &Templates,
        words: &Words,
        state: &impl Configuration,
    ) {
        self.extractor.look_at(templates, words, state);
        for (number, group) in templates.groups.iter().enumerate() {
            if state.is_unique(group.width()) {
                self.extract_once(rows, templates, group, words, state);
                continue;
            }
            let Some(key) = self.extractor.place(templates, number, group) else { continue };
            let slot = self.slot(key);
            if self.kept[slot].vector == 0 {
                let from = self.fresh.keys.len();
                self.extractor.extract_group(templates, group, words, state, &mut self.fresh.keys);
                rows.expect(&self.fresh.keys[from..]);
                self.fresh.end_run();
                self.count += 1;
                self.kept[slot] = Kept { key, vector: self.count };
            }
            self.used.push(self.kept[slot].vector - 1);
        }
        self.end_push(rows);
    }

    /// The same for a part.
    pub(crate) fn push_part(
        &mut self,
        rows: &impl Rows<Sum = S>,
        set: &PartSet,
        words: &Words,
        part: &PartNodes,
    ) {
        let PartSet { templates, summed: Some(summed), .. } = set else {
            return self.push(rows, &set.templates, words, part);
        };
        let from = self.once.keys.len();
        self.summer.keys(templates, summed, words, part.nodes, &mut self.once.keys);
        rows.expect(&self.once.keys[from..]);
        self.end_push(rows);
    }

    /// The features of a group that is not worth keeping.
    #[inline]
    fn extract_once(
        &mut self,
        rows: &impl Rows<Sum = S>,
        templates: &Templates,
        group: &Group,
        words: &Words,
        state: &impl Configuration,
    ) {
        if self.extractor.is_there(templates, group) {
            let from = self.once.keys.len();
            self.extractor.extract_group(templates, group, words, state, &mut self.once.keys);
            rows.expect(&self.once.keys[from..]);
        }
    }

    fn end_push(&mut self, rows: &impl Rows<Sum = S>) {
        self.once.end_run();
        self.ends.push(self.used.len() as u32);
        if self.once.keys.len() + self.fresh.keys.len() >= AT_ONCE {
            self.look_up(rows);
        }
    }

    /// Writes the scores of all configurations since [`Scoring::open`], one row after the other.
    pub fn close(&mut self, rows: &impl Rows<Sum = S>, scores: &mut [f32]) {
        self.look_up(rows);
        for (score, &sum) in scores.iter_mut().zip(&self.sums) {
            *score = rows.score(sum);
        }
    }

    /// Writes the scores of one configuration, without the detour through what waits.
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
        self.extractor.look_at(templates, words, state);
        for (number, group) in templates.groups.iter().enumerate() {
            if state.is_unique(group.width()) {
                self.extract_once(rows, templates, group, words, state);
                continue;
            }
            let Some(key) = self.extractor.place(templates, number, group) else { continue };
            let slot = self.slot(key);
            if self.kept[slot].vector == 0 {
                let Scoring { extractor, keys, found, vectors, .. } = self;
                keys.clear();
                extractor.extract_group(templates, group, words, state, keys);
                rows.expect(keys);
                let start = self.count as usize * width;
                if vectors.len() < start + width {
                    vectors.resize(start + width, S::default());
                }
                let vector = &mut vectors[start..start + width];
                vector.fill(S::default());
                rows.add_expected(keys, found, vector);
                self.count += 1;
                self.complete = self.count;
                self.kept[slot] = Kept { key, vector: self.count };
            }
            let start = (self.kept[slot].vector as usize - 1) * width;
            let vector = &self.vectors[start..start + width];
            self.sums.iter_mut().zip(vector).for_each(|(sum, &part)| *sum += part);
        }
        self.end_score(rows, scores);
    }

    /// The same for a part.
    pub(crate) fn score_part(
        &mut self,
        rows: &impl Rows<Sum = S>,
        set: &PartSet,
        words: &Words,
        part: &PartNodes,
        scores: &mut [f32],
    ) {
        let PartSet { templates, summed: Some(summed), .. } = set else {
            return self.score(rows, &set.templates, words, part, scores);
        };
        self.sums.clear();
        self.sums.resize(scores.len(), S::default());
        self.summer.keys(templates, summed, words, part.nodes, &mut self.once.keys);
        rows.expect(&self.once.keys);
        self.end_score(rows, scores);
    }

    /// Writes the scores of several parts, one row after the other.
    pub(crate) fn score_parts(
        &mut self,
        rows: &impl Rows<Sum = S>,
        set: &PartSet,
        words: &Words,
        parts: &[Part],
        scores: &mut [f32],
    ) {
        self.open(scores.len() / parts.len().max(1));
        for part in parts {
            self.push_part(rows, set, words, &PartNodes { nodes: part.nodes, once: set.once });
        }
        self.close(rows, scores);
    }

    fn end_score(&mut self, rows: &impl Rows<Sum = S>, scores: &mut [f32]) {
        rows.add_expected(&mut self.once.keys, &mut self.found, &mut self.sums);
        for (score, &sum) in scores.iter_mut().zip(&self.sums) {
            *score = rows.score(sum);
        }
    }

    /// Looks up all keys that wait.
    fn look_up(&mut self, rows: &impl Rows<Sum = S>) {
        let Scoring { width, once, fresh, complete, used, ends, scored, sums, vectors, .. } = self;
        let width = *width;
        for queue in [&mut *fresh, &mut *once] {
            queue.sift(rows);
        }
        for queue in [&mut *fresh, &mut *once] {
            queue.find(rows);
        }
        if vectors.len() < self.count as usize * width {
            vectors.resize(self.count as usize * width, S::default());
        }
        let first = *complete as usize;
        fresh.drain(|run, found| rows.sum_found(found, &mut vectors[(first + run) * width..][..width]));
        *complete = self.count;
        if sums.len() < ends.len() * width {
            sums.resize(ends.len() * width, S::default());
        }
        let first = *scored;
        once.drain(|run, found| {
            let number = first + run;
            let start = number.checked_sub(1).map_or(0, |before| ends[before]);
            let sums = &mut sums[number * width..][..width];
            sum_vectors(sums, vectors, &used[start as usize..ends[number] as usize]);
            rows.add_found(found, sums);
        });
        *scored = ends.len();
    }

    /// The keys of all features of a configuration.
    pub fn keys(&mut self, templates: &Templates, words: &Words, state: &impl Configuration) -> &[u64] {
        self.keys.clear();
        self.extractor.extract(templates, words, state, &mut self.keys);
        &self.keys
    }

    /// The same for a part.
    pub(crate) fn part_keys(&mut self, set: &PartSet, words: &Words, part: &PartNodes) -> &[u64] {
        let PartSet { templates, summed: Some(summed), .. } = set else {
            return self.keys(&set.templates, words, part);
        };
        self.keys.clear();
        self.summer.keys(templates, summed, words, part.nodes, &mut self.keys);
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
        // Together, in whatever numbers, they get what each one gets alone.
        for many in [1, 2, 7, 150] {
            scoring.begin();
            for states in states.chunks(many) {
                let mut together = vec![0.0; 11 * states.len()];
                scoring.open(11);
                states.iter().for_each(|state| scoring.push(&&learner, &templates, &words, state));
                scoring.close(&&learner, &mut together);
                for (state, row) in states.iter().zip(together.chunks(11)) {
                    let mut alone = Scoring::default();
                    alone.begin();
                    alone.score(&&learner, &templates, &words, state, &mut scores);
                    assert_eq!(row, scores);
                }
            }
        }
    }
}
