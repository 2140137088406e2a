//! One batch on its way through a network, and back.

use super::Network;
use super::batch::Batch;
use super::dropout::Dropout;
use super::hidden::Hidden;
use super::{arcs, embed, layers, positions};
use crate::memory::Memory;
use crate::random::Random;

/// The encodings of a batch, the heads that were asked, and what the way back needs.
#[derive(Debug)]
pub struct Pass<'a> {
    pub(super) network: &'a Network<'a>,
    pub(super) batch: &'a Batch,
    pub(super) memory: &'a mut Memory,
    pub(super) training: Option<Training<'a>>,
    /// By sentence.
    pub(super) encodings: Vec<f32>,
    embedded: embed::Saved,
    layers: Vec<layers::Saved>,
    pub(super) arcs: Option<arcs::State>,
    pub(super) labels: Option<Hidden>,
    pub(super) positions: Vec<Option<positions::State>>,
    pub(super) tags: Vec<Option<Hidden>>,
}

/// What only training has.
#[derive(Debug)]
pub(super) struct Training<'a> {
    pub gradient: &'a mut [f32],
    pub dropout: Dropout,
    pub random: Random,
    pub d_encodings: Vec<f32>,
}

impl<'a> Pass<'a> {
    /// Encodes a batch to get scores.
    pub fn new(network: &'a Network<'a>, batch: &'a Batch, memory: &'a mut Memory) -> Self {
        Self::run(network, batch, memory, None)
    }

    /// Encodes a batch to learn from it. `gradient` has the weights' layout and is added to.
    pub fn training(
        network: &'a Network<'a>,
        batch: &'a Batch,
        memory: &'a mut Memory,
        dropout: Dropout,
        seed: u64,
        gradient: &'a mut [f32],
    ) -> Self {
        let training = Training { gradient, dropout, random: Random::new(seed), d_encodings: Vec::new() };
        Self::run(network, batch, memory, Some(training))
    }

    fn run(
        network: &'a Network<'a>,
        batch: &'a Batch,
        memory: &'a mut Memory,
        mut training: Option<Training<'a>>,
    ) -> Self {
        let own = training.as_mut().map(|training| (training.dropout, &mut training.random));
        let (x, embedded) = network.embed(batch, own, memory);
        let own = training.as_mut().map(|training| (training.dropout.layers, &mut training.random));
        let (packed, layers) = network.encode_packed(batch, x, own, memory);
        let width = network.settings.encoding_width();
        let mut encodings = memory.take(packed.len());
        for (row, packed) in packed.chunks_exact(width).enumerate() {
            encodings[batch.row_of_packed(row) * width..][..width].copy_from_slice(packed);
        }
        memory.give(packed);
        if let Some(training) = &mut training {
            training.d_encodings = memory.zeros(encodings.len());
        }
        let positions = network.settings.positions.iter().map(|_| None).collect();
        let tags = network.settings.tags.iter().map(|_| None).collect();
        Pass {
            network,
            batch,
            memory,
            training,
            encodings,
            embedded,
            layers,
            arcs: None,
            labels: None,
            positions,
            tags,
        }
    }

    /// The batch.
    pub fn batch(&self) -> &'a Batch {
        self.batch
    }

    /// The vector of a sentence's node; the root is node 0.
    pub fn encoding(&self, sentence: usize, node: usize) -> &[f32] {
        let width = self.network.settings.encoding_width();
        &self.encodings[self.batch.row(sentence, node) * width..][..width]
    }

    /// Gives the memory of a pass back that gave scores, for the next one; it can't be asked any more. (Dropping it without
    /// only costs time.)
    pub fn finish(&mut self) {
        self.memory.give(std::mem::take(&mut self.encodings));
        if let Some(arcs) = self.arcs.take() {
            arcs.free(self.memory);
        }
        for hidden in self.labels.take().into_iter().chain(self.tags.drain(..).flatten()) {
            self.memory.give(hidden.y);
        }
        for state in self.positions.drain(..).flatten() {
            state.free(self.memory);
        }
    }

    /// Takes back a buffer of scores that was read.
    pub fn give(&mut self, scores: Vec<f32>) {
        self.memory.give(scores);
    }

    /// Ends a pass of training: from the gradients of all scores that were given to those of all weights.
    pub fn backward(self) {
        self.run_back(false);
    }

    /// The same, and the gradient of the vectors that the caller gave for the words, a row a node by sentence: for an
    /// encoder that learns too. Empty outside of training and without vectors.
    pub fn backward_to_vectors(self) -> Vec<f32> {
        self.run_back(true)
    }

    fn run_back(self, vectors: bool) -> Vec<f32> {
        let Pass { network, batch, memory, training, encodings, embedded, layers, .. } = self;
        let Some(Training { gradient, mut d_encodings, .. }) = training else {
            return Vec::new();
        };
        let weights = &network.weights;
        if let Some(arcs) = self.arcs {
            let hidden = arcs.into_hidden(memory);
            hidden.backward(weights, batch, &encodings, &mut d_encodings, gradient, memory);
        }
        for hidden in self.labels.into_iter().chain(self.tags.into_iter().flatten()) {
            hidden.backward(weights, batch, &encodings, &mut d_encodings, gradient, memory);
        }
        for state in self.positions.into_iter().flatten() {
            state.backward(weights, batch, &encodings, &mut d_encodings, gradient, memory);
        }
        memory.give(encodings);
        let width = network.settings.encoding_width();
        let mut packed = memory.take(d_encodings.len());
        for (row, packed) in packed.chunks_exact_mut(width).enumerate() {
            packed.copy_from_slice(&d_encodings[batch.row_of_packed(row) * width..][..width]);
        }
        memory.give(d_encodings);
        let mut dx = network.encode_back(batch, layers, packed, gradient, memory);
        network.embed_back(batch, embedded, &mut dx, gradient, memory);
        let wanted = vectors && !network.settings.given.is_empty();
        let d_vectors = if wanted { network.vectors_back(batch, &dx) } else { Vec::new() };
        memory.give(dx);
        d_vectors
    }

    /// The dropout of heads and the random numbers, in training.
    pub(super) fn head_dropout<'t>(training: &'t mut Option<Training<'a>>) -> Option<(f32, &'t mut Random)> {
        training.as_mut().map(|training| (training.dropout.heads, &mut training.random))
    }
}
