//! More text than the treebank has, as a better model parsed it (structure compilation as in
//! [`text`](crate::families::text), for everything that a joint parser decides).
//!
//! A small network that learns from what a large one says of much text comes closer to it than the treebank alone would
//! bring it (Hinton, Vinyals and Dean 2015, with decisions in the place of probabilities). Sentences take turns: an epoch has all of the
//! treebank, and as many others as it has a share for.

use crate::engine::WordEngine;
use crate::random::Random;
use crate::train::TrainError;
use crate::workspace::Workspace;
use pleach_formats::Reader;
use pleach_graph::Sentence;
use pleach_graph::enhanced::drop_empty_nodes;
use rayon::prelude::*;
use std::path::Path;

/// Tells the random numbers of the order from those of epochs and examples.
const ORDER: u64 = 1 << 62;

/// Parsed sentences, and the same with the tags that a scorer looks at.
#[derive(Debug, Default)]
pub(super) struct More {
    parsed: Vec<Sentence>,
    seen: Vec<Sentence>,
}

impl More {
    /// Reads a file, if there is one. `guesses` is the stage whose tags are looked at; it was trained without these
    /// sentences, so that it needs no folds here. Their order is random: files are often sorted by where texts come from, and
    /// an epoch should see all kinds.
    pub fn read(file: &str, guesses: Option<&dyn WordEngine>, seed: u64) -> Result<Self, TrainError> {
        if file.is_empty() {
            return Ok(More::default());
        }
        let reader = Reader::open(Path::new(file), None).map_err(TrainError::family)?;
        let read: Vec<Sentence> = reader.collect::<Result<_, _>>().map_err(TrainError::family)?;
        let order = Random::new(seed, ORDER).order(read.len());
        let parsed: Vec<Sentence> = order.into_iter().map(|place| read[place as usize].clone()).collect();
        let guess = |workspace: &mut Workspace, sentence: &Sentence| {
            let mut sentence = sentence.clone();
            drop_empty_nodes(&mut sentence);
            if let Some(guesses) = guesses {
                guesses.annotate(&mut sentence, workspace);
            }
            sentence
        };
        let seen = parsed.par_iter().map_init(Workspace::default, guess).collect();
        Ok(More { parsed, seen })
    }

    /// The sentences as they were parsed and as they are seen.
    pub fn pairs(self) -> impl Iterator<Item = (Sentence, Sentence)> {
        self.parsed.into_iter().zip(self.seen)
    }
}

/// The examples of an epoch (from 0): all of a treebank's `own`, and of `others`, which are numbered behind them, so many for each
/// of its own, beginning where the epoch before has ended.
pub(super) fn in_turn(own: usize, others: usize, share: f32, epoch: usize) -> Vec<u32> {
    let some = ((own as f64 * f64::from(share)) as usize).min(others);
    let from = if others == 0 { 0 } else { (epoch * some) % others };
    let turn = (from..from + some).map(|place| own + place % others);
    (0..own).chain(turn).map(|example| example as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_take_turns() {
        assert_eq!(in_turn(2, 5, 1.5, 0), [0, 1, 2, 3, 4]);
        assert_eq!(in_turn(2, 5, 1.5, 1), [0, 1, 5, 6, 2]);
        assert_eq!(in_turn(2, 5, 1.5, 2), [0, 1, 3, 4, 5]);
        // Never the same one twice, and never the treebank alone less.
        assert_eq!(in_turn(2, 1, 1.5, 7), [0, 1, 2]);
        assert_eq!(in_turn(2, 5, 0.0, 3), [0, 1]);
        assert_eq!(in_turn(2, 0, 1.5, 3), [0, 1]);
    }
}
