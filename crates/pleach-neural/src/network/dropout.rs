//! Dropout: what training hides from a network.
//!
//! With rate p, a mask is 0 with probability p and 1/(1−p) otherwise, so that expectations stay. Masks of layers and
//! heads are *shared*: one for all words of a sentence (Gal and Ghahramani 2016). Inputs are dropped by the whole
//! vector (Dozat and Manning 2017): the inputs of a word that remain are scaled up, so that their sum stays.

use super::batch::Batch;
use crate::kernel::elementwise::multiply;
use crate::memory::Memory;
use crate::random::Random;
use serde::{Deserialize, Serialize};

/// The rates of dropout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropout {
    /// Of each input of a word.
    pub inputs: f32,
    /// Of words, lemmas and affixes becoming unknown.
    pub words: f32,
    /// Between and after layers of the encoder.
    pub layers: f32,
    /// Inside of heads.
    pub heads: f32,
}

impl Default for Dropout {
    fn default() -> Self {
        Dropout { inputs: 0.2, words: 0.0, layers: 0.33, heads: 0.33 }
    }
}

impl Dropout {
    /// Nothing is hidden.
    pub const NONE: Dropout = Dropout { inputs: 0.0, words: 0.0, layers: 0.0, heads: 0.0 };
}

/// A row of factors for each sentence.
#[derive(Debug)]
pub(super) struct SharedMask {
    factors: Vec<f32>,
    width: usize,
}

impl SharedMask {
    /// `None` if nothing is dropped.
    pub fn new(
        rate: f32,
        sentences: usize,
        width: usize,
        random: &mut Random,
        memory: &mut Memory,
    ) -> Option<Self> {
        if rate <= 0.0 {
            return None;
        }
        let mut factors = memory.take(sentences * width);
        let keep = 1.0 / (1.0 - rate);
        let limit = (f64::from(rate) * 65536.0) as u64;
        // 16 bits of a random number decide about one factor.
        for four in factors.chunks_mut(4) {
            let bits = random.bits();
            for (j, factor) in four.iter_mut().enumerate() {
                *factor = if (bits >> (16 * j)) & 0xFFFF < limit { 0.0 } else { keep };
            }
        }
        Some(SharedMask { factors, width })
    }

    /// Multiplies rows in the encoder's order.
    pub fn apply_packed(&self, batch: &Batch, x: &mut [f32]) {
        for (row, x) in x.chunks_exact_mut(self.width).enumerate() {
            multiply(x, self.of(batch.sentence_of_packed(row)));
        }
    }

    /// Multiplies rows in the order of sentences.
    pub fn apply(&self, batch: &Batch, x: &mut [f32]) {
        let mut rows = x.chunks_exact_mut(self.width);
        for (sentence, &nodes) in batch.lengths().iter().enumerate() {
            for x in rows.by_ref().take(nodes) {
                multiply(x, self.of(sentence));
            }
        }
    }

    fn of(&self, sentence: usize) -> &[f32] {
        &self.factors[sentence * self.width..][..self.width]
    }

    pub fn free(self, memory: &mut Memory) {
        memory.give(self.factors);
    }
}
