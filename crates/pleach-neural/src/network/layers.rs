//! The encoder: layers of bidirectional LSTMs with shared dropout between them.

use super::Network;
use super::batch::Batch;
use super::dropout::SharedMask;
use super::parts::LstmParts;
use crate::kernel::lstm::{self, Columns, Direction, Size};
use crate::memory::Memory;
use crate::random::Random;
use crate::tensors::Slot;

/// What the backward pass needs of a layer.
#[derive(Debug)]
pub(super) struct Saved {
    directions: [lstm::Saved; 2],
    /// x of this layer.
    input: Vec<f32>,
    /// h of both directions, before dropout.
    output: Vec<f32>,
    mask: Option<SharedMask>,
}

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

impl Network<'_> {
    fn size(&self, layer: usize) -> Size {
        let input = if layer == 0 { self.settings.input_width() } else { self.settings.encoding_width() };
        Size { input, hidden: self.settings.encoder.hidden }
    }

    fn columns(&self, direction: usize) -> Columns {
        let hidden = self.settings.encoder.hidden;
        Columns { stride: 2 * hidden, column: direction * hidden }
    }

    fn lstm(&self, parts: LstmParts) -> lstm::Weights<'_> {
        lstm::Weights {
            input: parts.input.of(&self.weights),
            recurrent: parts.recurrent.of(&self.weights),
            bias: parts.bias.of(&self.weights),
        }
    }

    /// The encodings of all rows in the encoder's order. Nothing is saved unless in training.
    pub(super) fn encode_packed(
        &self,
        batch: &Batch,
        x: Vec<f32>,
        mut training: Option<(f32, &mut Random)>,
        memory: &mut Memory,
    ) -> (Vec<f32>, Vec<Saved>) {
        let (packing, width) = (batch.packing(), self.settings.encoding_width());
        let mut x = x;
        let mut layers = Vec::new();
        for (layer, parts) in self.parts.layers.iter().enumerate() {
            let mut output = memory.take(batch.rows() * width);
            let directions = [0, 1].map(|i| {
                let (weights, columns) = (self.lstm(parts[i]), self.columns(i));
                let size = self.size(layer);
                lstm::forward(size, weights, DIRECTIONS[i], packing, &x, &mut output, columns, memory)
            });
            let Some((rate, random)) = &mut training else {
                directions.into_iter().for_each(|saved| saved.free(memory));
                memory.give(std::mem::replace(&mut x, output));
                continue;
            };
            let mut next = memory.take(output.len());
            next.copy_from_slice(&output);
            let mask = SharedMask::new(*rate, batch.len(), width, random, memory);
            if let Some(mask) = &mask {
                mask.apply_packed(batch, &mut next);
            }
            let input = std::mem::replace(&mut x, next);
            layers.push(Saved { directions, input, output, mask });
        }
        (x, layers)
    }

    /// From the gradient of the encodings to that of the first layer's input; adds those of the weights.
    pub(super) fn encode_back(
        &self,
        batch: &Batch,
        layers: Vec<Saved>,
        d_encodings: Vec<f32>,
        gradient: &mut [f32],
        memory: &mut Memory,
    ) -> Vec<f32> {
        let mut d = d_encodings;
        for (layer, saved) in layers.into_iter().enumerate().rev() {
            if let Some(mask) = saved.mask {
                mask.apply_packed(batch, &mut d);
                mask.free(memory);
            }
            let size = self.size(layer);
            let mut dx = memory.zeros(batch.rows() * size.input);
            for (i, kept) in saved.directions.into_iter().enumerate() {
                let parts = self.parts.layers[layer][i];
                let slots = [parts.input, parts.recurrent, parts.bias];
                let [input, recurrent, bias] = Slot::split(slots, gradient);
                lstm::backward(
                    size,
                    self.lstm(parts),
                    lstm::Gradients { input, recurrent, bias },
                    DIRECTIONS[i],
                    batch.packing(),
                    &saved.input,
                    &saved.output,
                    self.columns(i),
                    kept,
                    &d,
                    Some(&mut dx),
                    memory,
                );
            }
            for buffer in [std::mem::replace(&mut d, dx), saved.input, saved.output] {
                memory.give(buffer);
            }
        }
        d
    }
}
