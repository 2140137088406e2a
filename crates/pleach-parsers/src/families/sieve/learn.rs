//! How a sieve is learnt: every word chooses among its heads by a softmax, with steps that shrink for each weight on its own
//! (Duchi et al. 2011); then the gap that lets the wanted share of held-out arcs through.
//!
//! A word with several heads shares its probability among them; one without any teaches nothing. Every tenth sentence is held out from
//! learning, and only the gap is taken from it. Complexity: O(epochs · n²) a sentence.
//! Invariant: one thread, in the order of the data, so the same data give the same sieve.

use super::looks::Looks;
use super::stored::nearest;
use super::{BITS, Measured, Sieve, UNIT};
use pleach_graph::words::Words;

/// How often the data is gone through.
const EPOCHS: usize = 3;

/// The first step of a weight.
const RATE: f32 = 0.1;

/// One sentence in so many is held out.
const HELD_OUT: usize = 10;

/// With fewer held-out arcs than this, the gap would be a guess.
const ENOUGH: usize = 30;

/// A probability that is wrong by less than this is right enough.
const SURE: f32 = 1e-3;

impl Sieve {
    /// Learns from sentences and their arcs (head, dependent) a sieve that lets this share of arcs through; `None` where there is too
    /// little data. `examples` gives the same sentences every time.
    pub fn learn<'a, A: Iterator<Item = (u32, u32)>, I: Iterator<Item = (&'a Words, A)>>(
        recall: f64,
        examples: impl Fn() -> I,
    ) -> Option<Sieve> {
        let mut weights = vec![0.0_f32; 1 << BITS];
        let mut squares = vec![0.0_f32; 1 << BITS];
        let (mut looks, mut linked, mut row) = (Looks::default(), Vec::new(), Vec::new());
        for _ in 0..EPOCHS {
            let learnt = examples().enumerate().filter(|(number, _)| number % HELD_OUT != 0);
            for (_, (words, arcs)) in learnt {
                looks.fill(words);
                mark(words, arcs, &mut linked);
                learn_sentence(words, &looks, &linked, (&mut weights, &mut squares), &mut row);
            }
        }
        let weights = weights.into_iter().map(|weight| nearest(weight / UNIT)).collect();
        let mut sieve = Sieve { weights, gap: 0, relative: true, measured: Measured::default() };
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
                let best = self.least(&row, 0);
                for head in (0..=words.len()).filter(|&head| head != dependent) {
                    let gap = best - row[head];
                    pairs.push(gap);
                    if linked[dependent * (words.len() + 1) + head] {
                        gaps.push(gap);
                    }
                }
            }
        }
        // The share that does not pass must be an arc at least.
        let enough = if recall < 1.0 { (1.0 / (1.0 - recall)).round() as usize } else { 0 };
        if gaps.len() < enough.max(ENOUGH) {
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

/// A step for all heads of all words; `row` is memory to work in.
fn learn_sentence(
    words: &Words,
    looks: &Looks,
    linked: &[bool],
    (weights, squares): (&mut [f32], &mut [f32]),
    row: &mut Vec<f32>,
) {
    let nodes = words.len() + 1;
    for dependent in 1..nodes {
        let linked = &linked[dependent * nodes..][..nodes];
        let heads = linked.iter().filter(|&&linked| linked).count();
        if heads == 0 {
            continue;
        }
        let places = |head| looks.places(words, head, dependent, BITS).map(|place| place as usize);
        row.clear();
        row.extend((0..nodes).map(|head| match head == dependent {
            true => f32::NEG_INFINITY,
            false => places(head).iter().map(|&place| weights[place]).sum(),
        }));
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        row.iter_mut().for_each(|score| *score = (*score - most).exp());
        let all: f32 = row.iter().sum();
        for head in (0..nodes).filter(|&head| head != dependent) {
            let wanted = if linked[head] { 1.0 / heads as f32 } else { 0.0 };
            let wrong = wanted - row[head] / all;
            if wrong.abs() < SURE {
                continue;
            }
            for place in places(head) {
                squares[place] += wrong * wrong;
                weights[place] += RATE * wrong / (squares[place] + 1e-2).sqrt();
            }
        }
    }
}
