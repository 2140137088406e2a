//! The parts that a decoder will ask for, scored many at once.
//!
//! A decoder says which parts it is going to ask for, and asks for nearly all of them in that order. So the scores of the next
//! ones are computed together, which lets the processor wait for many rows of the table at once ([`Scoring`]). A part that nobody
//! spoke of is scored alone. Complexity: that of the parts one by one, and a row of scores for each part of a block.
//! Invariant: a part has the same scores, foreseen or not.

use crate::model::PartSet;
use crate::scoring::{Rows, Scoring};
use pleach_decode::part::Part;
use pleach_graph::words::Words;
use pleach_graph::{NONE, Node};
use pleach_transition::configuration::{Configuration, List};
use pleach_transition::state::Links;
use std::ops::{AddAssign, Range};

/// The nodes of a part, as templates see them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartNodes {
    pub nodes: [Node; 4],
    pub once: bool,
}

impl Configuration for PartNodes {
    #[inline]
    fn start(&self, list: List, index: usize) -> Node {
        match list {
            List::Part => self.nodes.get(index).copied().unwrap_or(NONE),
            _ => NONE,
        }
    }

    #[inline]
    fn links(&self, _: Node) -> Option<&Links> {
        None
    }

    #[inline]
    fn arc(&self, _: Node, _: Node) -> u32 {
        0
    }

    /// All nodes together make the part.
    #[inline]
    fn is_unique(&self, nodes: usize) -> bool {
        self.once || nodes >= self.nodes.iter().filter(|&&node| node != NONE).count()
    }
}

/// A decoder may leave out this many of the parts that it spoke of before one that it asks for.
const LEFT_OUT: usize = 8;

/// A block has as many parts as these scores are enough for, within bounds.
const SCORES: usize = 2048;
const PARTS: Range<usize> = 8..64;

/// The scores of one kind of parts of a sentence, and those that are foreseen.
#[derive(Clone, Debug)]
pub(crate) struct Foreseen<S> {
    scoring: Scoring<S>,
    /// Whether the scoring was begun for the current sentence.
    begun: bool,
    parts: Vec<Part>,
    /// The place of the first one that was not asked for.
    next: usize,
    /// The places of the block whose scores are known, and these.
    block: Range<usize>,
    scores: Vec<f32>,
}

impl<S> Default for Foreseen<S> {
    fn default() -> Self {
        Foreseen {
            scoring: Scoring::default(),
            begun: false,
            parts: Vec::new(),
            next: 0,
            block: 0..0,
            scores: Vec::new(),
        }
    }
}

impl<S> Foreseen<S> {
    /// Another sentence, or other weights.
    pub fn forget(&mut self) {
        self.begun = false;
        self.expect_others();
    }

    /// What was expected so far is not any more.
    pub fn expect_others(&mut self) {
        self.parts.clear();
        self.next = 0;
        self.block = 0..0;
    }

    /// A part will be asked for, after those that were expected before.
    pub fn expect(&mut self, part: Part) {
        self.parts.push(part);
    }
}

impl<S: Copy + Default + AddAssign> Foreseen<S> {
    fn begin(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.scoring.begin();
        }
    }

    /// The keys of all features of a part.
    pub fn keys(&mut self, set: &PartSet, words: &Words, part: Part) -> &[u64] {
        self.begin();
        self.scoring.part_keys(set, words, &PartNodes { nodes: part.nodes, once: set.once })
    }

    /// Writes the scores of a part.
    pub fn score(
        &mut self,
        rows: &impl Rows<Sum = S>,
        set: &PartSet,
        words: &Words,
        part: Part,
        scores: &mut [f32],
    ) {
        self.begin();
        let Some(place) = self.place(part) else {
            let nodes = PartNodes { nodes: part.nodes, once: set.once };
            return self.scoring.score_part(rows, set, words, &nodes, scores);
        };
        let width = scores.len();
        if !self.block.contains(&place) || self.scores.len() != self.block.len() * width {
            let most = (SCORES / width.max(1)).clamp(PARTS.start, PARTS.end);
            self.block = place..self.parts.len().min(place + most);
            self.scores.resize(self.block.len() * width, 0.0);
            let Foreseen { scoring, parts, block, scores, .. } = self;
            scoring.score_parts(rows, set, words, &parts[block.clone()], scores);
        }
        scores.copy_from_slice(&self.scores[(place - self.block.start) * width..][..width]);
        self.next = place + 1;
    }

    /// Writes the scores of several parts, which nobody needs to have spoken of.
    pub fn score_together(
        &mut self,
        rows: &impl Rows<Sum = S>,
        set: &PartSet,
        words: &Words,
        parts: &[Part],
        scores: &mut [f32],
    ) {
        self.begin();
        self.scoring.score_parts(rows, set, words, parts, scores);
    }

    /// The place of a part among those that are expected next.
    #[inline]
    fn place(&self, part: Part) -> Option<usize> {
        let ahead = self.parts[self.next..].iter().take(LEFT_OUT);
        ahead.into_iter().position(|&other| other == part).map(|place| self.next + place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::{Bound, Memory};
    use crate::learner::Learner;
    use crate::model::{LinearModel, Set, Subject};
    use pleach_decode::part::{Kind, PartScorer};
    use pleach_graph::Sentence;

    const WIDTH: usize = 3;

    /// Parts have the scores that each has alone, whichever were spoken of, left out or never mentioned, of one kind or of two.
    #[test]
    fn what_is_foreseen_changes_nothing() {
        for subject in [Subject::Parts, Subject::SummedParts] {
            check_foreseen(subject);
        }
    }

    fn check_foreseen(subject: fn(u8) -> Subject) {
        let set = |kind| Set { of: subject(kind), templates: "h.w d.w\nd.w\nh.w".into(), once: false };
        let model = LinearModel::new(vec![set(0), set(1)]).unwrap();
        let mut words = Words::default();
        words.fill(&Sentence::from_forms(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]), false);
        let pairs = (0..=10).flat_map(|head| (1..=10).map(move |dependent| (head, dependent)));
        let parts: Vec<Part> =
            pairs.map(|(head, dependent)| Part::two(Kind((head % 2) as u8), head, dependent)).collect();
        let (mut learner, mut memory) = (Learner::default(), Memory::default());
        for (number, &part) in parts.iter().enumerate() {
            let keys =
                Bound::new(&model, &Learner::default(), vec![&words], &mut memory).part_keys(part).to_vec();
            keys.iter().for_each(|&key| learner.update(key, (number % WIDTH) as u16, number as f32));
        }
        let alone: Vec<[f32; WIDTH]> = parts
            .iter()
            .map(|&part| {
                let (mut memory, mut row) = (Memory::default(), [0.0; WIDTH]);
                Bound::new(&model, &learner, vec![&words], &mut memory).score(part, &mut row);
                row
            })
            .collect();
        assert!(alone.iter().any(|row| row != &alone[0]));
        // Every seventh is left out, every fifth comes when nobody expects it, and later others are spoken of.
        let mut bound = Bound::new(&model, &learner, vec![&words, &words], &mut memory);
        for round in 0..3 {
            bound.expect(&parts[round * 30..]);
            for (number, &part) in parts.iter().enumerate() {
                let mut check = |part, expected: &[f32; WIDTH]| {
                    let mut row = [0.0; WIDTH];
                    bound.score(part, &mut row);
                    assert_eq!(&row, expected);
                };
                if number % 5 == 0 {
                    check(parts[109 - number], &alone[109 - number]);
                }
                if number % 7 != 0 {
                    check(part, &alone[number]);
                }
            }
        }
        // What was foreseen in one sentence is not taken for another one's.
        let mut others = Words::default();
        others.fill(&Sentence::from_forms(["x"; 10]), false);
        let mut bound = Bound::new(&model, &learner, vec![&words, &others], &mut memory);
        bound.expect(&parts);
        let mut rows = [[0.0; WIDTH]; 2];
        bound.score(parts[11], &mut rows[0]);
        bound.turn_to(1);
        bound.score(parts[12], &mut rows[1]);
        assert_eq!((rows[0], rows[1]), (alone[11], [0.0; WIDTH]));
    }
}
