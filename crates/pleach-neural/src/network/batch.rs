//! Sentences that are encoded together.
//!
//! The encoder's rows stand by time (see [`crate::kernel::lstm`]); everything that callers see stands by sentence, in
//! their order, the root first. Of the spellings in a batch each is looked at once.

use super::vocabulary::{Features, ROOT};
use crate::NeuralError;
use crate::kernel::convolution::Words;
use crate::kernel::embedding::Bags;
use crate::kernel::lstm::Packing;
use std::collections::HashMap;

/// Sentences ready to be encoded.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    lengths: Vec<usize>,
    starts: Vec<usize>,
    packing: Packing,
    /// For each row of the packing: the row by sentence, and the sentence.
    places: Vec<(u32, u32)>,
    pub(super) ids: Vec<Bags>,
    pub(super) spellings: Spellings,
    pub(super) vectors: Vec<f32>,
    /// The rows of the caller's table, plus one; 0 for none.
    pub(super) rows_of_table: Vec<u32>,
}

/// The different spellings of a batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Spellings {
    /// The characters that occur.
    pub characters: Vec<u32>,
    /// The spellings by the places of their characters in `characters`.
    pub words: Words,
    /// The spelling of each row of the packing.
    pub of_row: Vec<u32>,
}

impl Batch {
    /// Puts sentences together. `vectors` is the width of the callers' vectors in the network.
    pub(super) fn new(sentences: &[&Features], vectors: usize) -> Result<Self, NeuralError> {
        let mut batch = Batch { lengths: sentences.iter().map(|s| s.nodes).collect(), ..Batch::default() };
        let mut rows = 0;
        for &nodes in &batch.lengths {
            batch.starts.push(rows);
            rows += nodes;
        }
        for sentence in sentences {
            let (found, expected) = (sentence.vectors.len(), sentence.nodes * vectors);
            if found != expected {
                return Err(NeuralError::Vectors { found, expected, nodes: sentence.nodes });
            }
        }
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(sentences[i].nodes));
        let lengths: Vec<usize> = order.iter().map(|&i| sentences[i].nodes).collect();
        batch.packing = Packing::new(&lengths);
        for (time, &width) in batch.packing.widths().iter().enumerate() {
            let rows = order[..width].iter().map(|&i| ((batch.starts[i] + time) as u32, i as u32));
            batch.places.extend(rows);
        }
        let inputs = sentences.first().map_or(0, |sentence| sentence.ids.len());
        batch.ids = vec![Bags::default(); inputs];
        batch.vectors.reserve(rows * vectors);
        for &(row, sentence) in &batch.places {
            let features = sentences[sentence as usize];
            let node = row as usize - batch.starts[sentence as usize];
            for (ids, own) in batch.ids.iter_mut().zip(&features.ids) {
                ids.push(own.get(node).iter().copied());
            }
            batch.rows_of_table.push(features.rows.get(node).copied().unwrap_or(0));
            batch.vectors.extend_from_slice(&features.vectors[node * vectors..(node + 1) * vectors]);
        }
        if sentences.first().is_some_and(|sentence| !sentence.spelling.is_empty()) {
            batch.spellings = batch.spell(sentences);
        }
        Ok(batch)
    }

    fn spell(&self, sentences: &[&Features]) -> Spellings {
        let mut spellings = Spellings::default();
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut places: HashMap<u32, u32> = HashMap::new();
        // The root's character comes first, so that an empty word is possible.
        places.insert(ROOT, 0);
        spellings.characters.push(ROOT);
        for &(row, sentence) in &self.places {
            let features = sentences[sentence as usize];
            let node = row as usize - self.starts[sentence as usize];
            let next = known.len() as u32;
            let spelling = *known.entry(features.spelling[node]).or_insert(next);
            if spelling == next {
                let characters = features.characters.get(node).iter().map(|&character| {
                    *places.entry(character).or_insert_with(|| {
                        spellings.characters.push(character);
                        spellings.characters.len() as u32 - 1
                    })
                });
                spellings.words.push(characters);
            }
            spellings.of_row.push(spelling);
        }
        spellings
    }

    /// The number of sentences.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The number of nodes of each sentence, the root among them.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The number of nodes of all sentences.
    pub fn rows(&self) -> usize {
        self.packing.rows()
    }

    /// The row of a sentence's node; the root is node 0.
    #[inline]
    pub fn row(&self, sentence: usize, node: usize) -> usize {
        self.starts[sentence] + node
    }

    pub(super) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// The row by sentence of a row of the packing.
    #[inline]
    pub(super) fn row_of_packed(&self, packed: usize) -> usize {
        self.places[packed].0 as usize
    }

    #[inline]
    pub(super) fn sentence_of_packed(&self, packed: usize) -> usize {
        self.places[packed].1 as usize
    }
}
