//! Beam search for the best labels of a sequence.
//!
//! Hypotheses with equal histories score the same from there on, so only the best of them is kept: with a beam as
//! wide as there are histories, the search is exact (Viterbi); tested against enumeration. Time O(n · beam · labels),
//! memory O(n · beam). Ties go to the earlier hypothesis and the smaller label.

use super::{Keys, Labelling};
use pleach_linear::scoring::Rows;
use pleach_linear::table::Table;

/// One label of a hypothesis, and the step before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    before: u32,
    label: u16,
}

/// No step: the start of a search.
const START: u32 = u32::MAX;

/// A way to label the positions so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hypothesis<H> {
    pub score: f64,
    pub history: H,
    /// Whether all its labels are the wanted ones.
    pub gold: bool,
    last: u32,
}

/// The memory of a search, to be used again for the next sequence.
#[derive(Clone, Debug)]
pub struct Search<H, S> {
    pub(super) keys: Keys,
    pub(super) beam: Vec<Hypothesis<H>>,
    next: Vec<Hypothesis<H>>,
    steps: Vec<Step>,
    found: Vec<(u32, u32)>,
    local: Vec<S>,
    sums: Vec<S>,
}

impl<H, S> Default for Search<H, S> {
    fn default() -> Self {
        Search {
            keys: Keys::default(),
            beam: Vec::new(),
            next: Vec::new(),
            steps: Vec::new(),
            found: Vec::new(),
            local: Vec::new(),
            sums: Vec::new(),
        }
    }
}

/// The memory of a stage that labels with a finished model.
#[derive(Clone, Debug)]
pub struct Memory<H> {
    search: Search<H, i32>,
    labels: Vec<u16>,
}

impl<H> Default for Memory<H> {
    fn default() -> Self {
        Memory { search: Search::default(), labels: Vec::new() }
    }
}

impl<H: Copy + Default + PartialEq> Memory<H> {
    /// The best labels of a sequence.
    pub fn label<L: Labelling<History = H>>(
        &mut self,
        labelling: &L,
        table: Table<'_>,
        width: usize,
    ) -> &[u16] {
        self.search.run(labelling, &table, width.max(1), &mut self.labels);
        &self.labels
    }
}

/// What training asks of a search: the wanted label, and by how much it has to be better than the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub label: u16,
    pub margin: f32,
}

impl<H: Copy + Default + PartialEq, S: Copy + Default + std::ops::AddAssign> Search<H, S> {
    /// Writes the best labels of a sequence.
    pub fn run<L: Labelling<History = H>>(
        &mut self,
        labelling: &L,
        rows: &impl Rows<Sum = S>,
        width: usize,
        labels: &mut Vec<u16>,
    ) {
        self.begin(H::default());
        for position in 0..labelling.len() {
            self.advance(labelling, rows, position, width, None);
        }
        labels.clear();
        self.read_off(0, labels);
    }

    /// Starts from one history, with the gold labels behind it.
    pub(super) fn begin(&mut self, history: H) {
        self.steps.clear();
        self.beam.clear();
        self.beam.push(Hypothesis { score: 0.0, history, gold: true, last: START });
    }

    /// Writes the labels of a hypothesis since the search began.
    pub(super) fn read_off(&self, hypothesis: usize, labels: &mut Vec<u16>) {
        let from = labels.len();
        let mut at = self.beam.get(hypothesis).map_or(START, |hypothesis| hypothesis.last);
        while let Some(step) = self.steps.get(at as usize) {
            labels.push(step.label);
            at = step.before;
        }
        labels[from..].reverse();
    }

    /// Labels one more position in all hypotheses and keeps the best `width`, best first.
    pub(super) fn advance<L: Labelling<History = H>>(
        &mut self,
        labelling: &L,
        rows: &impl Rows<Sum = S>,
        position: usize,
        width: usize,
        wanted: Option<Wanted>,
    ) {
        let mut scored = false;
        self.next.clear();
        for number in 0..self.beam.len() {
            let hypothesis = self.beam[number];
            let gold = |label| hypothesis.gold && wanted.is_none_or(|wanted| wanted.label == label);
            if let Some(label) = labelling.only(position, &hypothesis.history) {
                let history = labelling.next(position, hypothesis.history, label);
                let last = number as u32;
                let candidate = Hypothesis { history, gold: gold(label), last, ..hypothesis };
                self.keep(candidate, label, width);
                continue;
            }
            if !scored {
                self.local.clear();
                self.local.resize(labelling.labels(), S::default());
                let keys = self.keys.local(labelling, position);
                rows.add(keys, &mut self.found, &mut self.local);
                scored = true;
            }
            self.sums.clear();
            self.sums.extend_from_slice(&self.local);
            let keys = self.keys.historic(labelling, position, &hypothesis.history);
            rows.add(keys, &mut self.found, &mut self.sums);
            for label in 0..self.sums.len() {
                let mut score = hypothesis.score + f64::from(rows.score(self.sums[label]));
                let label = label as u16;
                if let Some(wanted) = wanted
                    && wanted.label != label
                {
                    score += f64::from(wanted.margin);
                }
                // Most labels are far from the beam: the cheap test comes first.
                let beaten = self.next.len() == width && self.next[width - 1].score >= score;
                if !beaten && labelling.allowed(position, label) {
                    let history = labelling.next(position, hypothesis.history, label);
                    let candidate = Hypothesis { score, history, gold: gold(label), last: number as u32 };
                    self.keep(candidate, label, width);
                }
            }
        }
        self.link();
    }

    /// Puts a candidate into its place among the best; `last` is still its parent's number, and the label is kept
    /// in the step arena's order by [`Search::link`].
    fn keep(&mut self, candidate: Hypothesis<H>, label: u16, width: usize) {
        let place = self.next.iter().position(|kept| kept.score < candidate.score).unwrap_or(self.next.len());
        let twin = self.next.iter().position(|kept| kept.history == candidate.history);
        match twin {
            // The better one of two equal histories stays.
            Some(twin) if twin < place => return,
            Some(twin) => {
                self.next.remove(twin);
            }
            None if self.next.len() == width => {
                if place == width {
                    return;
                }
                self.next.pop();
            }
            None => {}
        }
        let last = candidate.last << 16 | u32::from(label);
        self.next.insert(place, Hypothesis { last, ..candidate });
    }

    /// Gives the chosen candidates their steps and makes them the beam.
    fn link(&mut self) {
        for candidate in &mut self.next {
            let (parent, label) = ((candidate.last >> 16) as usize, candidate.last as u16);
            self.steps.push(Step { before: self.beam[parent].last, label });
            candidate.last = self.steps.len() as u32 - 1;
        }
        std::mem::swap(&mut self.beam, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelling::toy::Beads;
    use pleach_graph::words::hash;
    use pleach_linear::learner::Learner;

    /// Every key and label has a weight of its own.
    struct Noise(u64);

    impl Rows for Noise {
        type Sum = f32;

        fn add(&self, keys: &[u64], found: &mut Vec<(u32, u32)>, sums: &mut [f32]) {
            found.clear();
            self.find(keys, found);
            self.add_found(found, sums);
        }

        fn sift(&self, keys: &mut [u64], from: usize, end: usize, to: usize) -> usize {
            keys.copy_within(from..end, to);
            to + end - from
        }

        fn find(&self, keys: &[u64], found: &mut Vec<(u32, u32)>) {
            found.extend(keys.iter().map(|&key| ((key >> 32) as u32, key as u32)));
        }

        fn add_found(&self, found: &[(u32, u32)], sums: &mut [f32]) {
            for &(high, low) in found {
                let key = u64::from(high) << 32 | u64::from(low);
                for (label, sum) in sums.iter_mut().enumerate() {
                    let noise = hash::finish(key ^ self.0.wrapping_mul(label as u64 * 2 + 1));
                    *sum += (noise >> 40) as f32 / (1 << 24) as f32 - 0.5;
                }
            }
        }

        fn score(&self, sum: f32) -> f32 {
            sum
        }
    }

    fn score_of(beads: &Beads, rows: &Noise, labels: &[u16]) -> f64 {
        let (mut keys, mut history, mut score) = (Keys::default(), 0, 0.0);
        for (position, &label) in labels.iter().enumerate() {
            let mut sums = [0.0; 3];
            rows.add(keys.local(beads, position), &mut Vec::new(), &mut sums);
            rows.add(keys.historic(beads, position, &history), &mut Vec::new(), &mut sums);
            score += f64::from(sums[label as usize]);
            history = beads.next(position, history, label);
        }
        score
    }

    #[test]
    fn a_beam_of_all_histories_equals_enumeration() {
        for seed in 0..60u64 {
            let rows = Noise(hash::finish(seed + 1));
            let len = (seed % 7) as usize;
            let beads = Beads((0..len).map(|i| ((seed as u32 * 31 + i as u32 * 17) % 5) * 7 % 11).collect());
            let mut best = (f64::NEG_INFINITY, Vec::new());
            for code in 0..3usize.pow(len as u32) {
                let labels: Vec<u16> = (0..len).map(|i| (code / 3usize.pow(i as u32) % 3) as u16).collect();
                if labels.iter().enumerate().all(|(i, &label)| beads.allowed(i, label)) {
                    let score = score_of(&beads, &rows, &labels);
                    if score > best.0 {
                        best = (score, labels);
                    }
                }
            }
            let mut labels = Vec::new();
            Search::default().run(&beads, &rows, 3, &mut labels);
            assert_eq!(labels, best.1);
        }
    }

    #[test]
    fn nothing_learnt_still_gives_labels() {
        let mut labels = Vec::new();
        Search::default().run(&Beads(vec![1, 7, 3]), &Learner::default(), 2, &mut labels);
        assert_eq!(labels.len(), 3);
    }
}
