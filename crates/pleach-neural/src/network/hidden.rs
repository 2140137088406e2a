//! The hidden layer of a head: a leaky rectifier over the encodings, with shared dropout.

use super::Network;
use super::batch::Batch;
use super::dropout::SharedMask;
use super::parts::DenseParts;
use crate::kernel::dense::{Activation, Layer};
use crate::memory::Memory;
use crate::random::Random;
use crate::tensors::Slot;

/// The outputs of a hidden layer, and in training their gradient.
#[derive(Debug)]
pub(super) struct Hidden {
    layer: Layer,
    parts: DenseParts,
    mask: Option<SharedMask>,
    pub y: Vec<f32>,
    /// Empty outside of training.
    pub dy: Vec<f32>,
}

impl Hidden {
    pub fn new(
        network: &Network,
        parts: DenseParts,
        batch: &Batch,
        encodings: &[f32],
        training: Option<(f32, &mut Random)>,
        memory: &mut Memory,
    ) -> Self {
        let (w, b) = (network.weight(parts.weight), parts.bias.of(&network.weights));
        let (input, output) = (w.numbers.len() / b.len(), b.len());
        let layer = Layer { input, output, activation: Activation::LeakyRelu };
        let mut y = memory.take(batch.rows() * layer.output);
        layer.forward(w, b, encodings, &mut y, memory);
        let (mut mask, mut dy) = (None, Vec::new());
        if let Some((rate, random)) = training {
            mask = SharedMask::new(rate, batch.len(), layer.output, random, memory);
            if let Some(mask) = &mask {
                mask.apply(batch, &mut y);
            }
            dy = memory.zeros(y.len());
        }
        Hidden { layer, parts, mask, y, dy }
    }

    /// Adds to the gradients of the weights and of the encodings.
    pub fn backward(
        mut self,
        weights: &[f32],
        batch: &Batch,
        encodings: &[f32],
        d_encodings: &mut [f32],
        gradient: &mut [f32],
        memory: &mut Memory,
    ) {
        if let Some(mask) = self.mask {
            mask.apply(batch, &mut self.dy);
            mask.free(memory);
        }
        let [dw, db] = Slot::split([self.parts.weight, self.parts.bias], gradient);
        let w = self.parts.weight.of(weights);
        self.layer.backward(w, dw, db, encodings, &self.y, &mut self.dy, Some(d_encodings));
        memory.give(self.y);
        memory.give(self.dy);
    }
}
