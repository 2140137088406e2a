//! How a sieve is learnt: logistic regression over all pairs of words with steps that shrink for each weight on its own (Duchi et
//! al. 2011), then the gap that lets the wanted share of held-out arcs through.
//!
//! Every tenth sentence is held out from learning, and only the gap is taken from it. Complexity: O(epochs · n²) a sentence.
//! Invariant: one thread, in the order of the data, so the same data give the same sieve.

use super::looks::Looks;
use super::stored::nearest;
use super::{BITS, Measured, Sieve, UNIT, least};
use pleach_graph::words::Words;

/// How often the data is gone through.
const EPOCHS: usize = 3;

/// The first step of a weight.
const RATE: f32 = 0.25;

/// One sentence in so many is held out.
const HELD_OUT: usize = 10;

/// With fewer held-out arcs than this, the gap would be a guess.
const ENOUGH: usize = 30;

/// Log-odds below this are right enough about an arc that is not there.
const SURE: f32 = -7.0;

impl Sieve {
    /// Learns from sentences and their arcs (head, dependent) a sieve that lets this share of arcs through; `None` where there is too
    /// little data. `examples` gives the same sentences every time.
    pub fn learn<'a, A: Iterator<Item = (u32, u32)>, I: Iterator<Item = (&'a Words, A)>>(
        recall: f64,
        examples: impl Fn() -> I,
    ) -> Option<Sieve> {
        let mut weights = vec![0.0_f32; 1 << BITS];
        let mut squares = vec![0.0_f32; 1 << BITS];
        let (mut looks, mut linked) = (Looks::default(), Vec::new());
        for _ in 0..EPOCHS {
            let learnt = examples().enumerate().filter(|(number, _)| number % HELD_OUT != 0);
            for (_, (words, arcs)) in learnt {
                looks.fill(words);
                mark(words, arcs, &mut linked);
                learn_sentence(words, &looks, &linked, &mut weights, &mut squares);
            }
        }
        let weights = weights.into_iter().map(|weight| nearest(weight / UNIT)).collect();
        let mut sieve = Sieve { weights, gap: 0, measured: Measured::default() };
        sieve.measure(recall, examples().step_by(HELD_OUT)).then_some(sieve)
    }

    /// Sets the gap so that this share of the arcs passes; false when there are too few.
    fn measure<'a, A: Iterator<Item = (u32, u32)>>(
        &mut self,
        recall: f64,
        examples: impl Iterator<Item = (&'a Words, A)>,
    ) -> bool {
        let (mut looks, mut linked, mut row) = (Looks::default(), Vec::new(), Vec::new());
        // How wide the gap must be for each pair, and for each arc.
        let (mut pairs, mut gaps, mut tokens) = (Vec::new(), Vec::new(), 0);
        for (words, arcs) in examples {
            looks.fill(words);
            mark(words, arcs, &mut linked);
            tokens += words.len();
            for dependent in 1..=words.len() {
                self.score(&looks, words, dependent, &mut row);
                let best = least(&row, 0);
                for head in (0..=words.len()).filter(|&head| head != dependent) {
                    let gap = best - row[head];
                    pairs.push(gap);
                    if linked[dependent * (words.len() + 1) + head] {
                        gaps.push(gap);
                    }
                }
            }
        }
        if gaps.len() < ENOUGH {
            return false;
        }
        gaps.sort_unstable();
        let wanted = (recall.clamp(0.0, 1.0) * gaps.len() as f64).ceil() as usize;
        self.gap = gaps[wanted.clamp(1, gaps.len()) - 1].max(0);
        let pass = |gaps: &[i32]| gaps.iter().filter(|&&gap| gap <= self.gap).count();
        self.measured = Measured {
            words: tokens,
            arcs: gaps.len(),
            found: pass(&gaps),
            pairs: pairs.len(),
            kept: pass(&pairs),
        };
        true
    }
}

/// Marks which pairs are arcs, by dependent, then by head.
fn mark(words: &Words, arcs: impl Iterator<Item = (u32, u32)>, linked: &mut Vec<bool>) {
    let nodes = words.len() + 1;
    linked.clear();
    linked.resize(nodes * nodes, false);
    for (head, dependent) in arcs.map(|(head, dependent)| (head as usize, dependent as usize)) {
        if head != dependent && dependent != 0 && head < nodes && dependent < nodes {
            linked[dependent * nodes + head] = true;
        }
    }
}

fn learn_sentence(words: &Words, looks: &Looks, linked: &[bool], weights: &mut [f32], squares: &mut [f32]) {
    let nodes = words.len() + 1;
    for dependent in 1..nodes {
        for head in (0..nodes).filter(|&head| head != dependent) {
            let places = looks.places(words, head, dependent);
            let odds: f32 = places.iter().map(|&place| weights[place as usize]).sum();
            let is_arc = linked[dependent * nodes + head];
            if !is_arc && odds < SURE {
                continue;
            }
            let wrong = f32::from(is_arc) - 1.0 / (1.0 + (-odds).exp());
            for place in places.map(|place| place as usize) {
                squares[place] += wrong * wrong;
                weights[place] += RATE * wrong / (squares[place] + 1e-2).sqrt();
            }
        }
    }
}
