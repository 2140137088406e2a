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
        let input = self.settings.layer_input(layer);
        Size { input, hidden: self.settings.encoder.hidden }
    }

    /// The halves of x that the directions of a layer read, where they don't see each other.
    fn halves(&self, layer: usize, x: &[f32], memory: &mut Memory) -> Option<[Vec<f32>; 2]> {
        if layer == 0 || self.settings.language.is_none() {
            return None;
        }
        let hidden = self.settings.encoder.hidden;
        Some([0, 1].map(|i| {
            let mut half = memory.take(x.len() / 2);
            for (half, x) in half.chunks_exact_mut(hidden).zip(x.chunks_exact(2 * hidden)) {
                half.copy_from_slice(&x[i * hidden..][..hidden]);
            }
            half
        }))
    }

    /// h of all layers for every row by sentence, one layer after the other.
    pub(super) fn all_layers(&self, batch: &Batch, memory: &mut Memory) -> Vec<f32> {
        let width = self.settings.encoding_width();
        let all = width * self.settings.encoder.layers;
        let (mut x, _) = self.embed(batch, None, memory);
        let mut out = vec![0.0; batch.rows() * all];
        for layer in 0..self.settings.encoder.layers {
            let (output, directions) = self.layer(layer, batch, &x, memory);
            directions.into_iter().for_each(|saved| saved.free(memory));
            for (row, own) in output.chunks_exact(width).enumerate() {
                out[batch.row_of_packed(row) * all + layer * width..][..width].copy_from_slice(own);
            }
            memory.give(std::mem::replace(&mut x, output));
        }
        memory.give(x);
        out
    }

    /// h of both directions of a layer.
    fn layer(
        &self,
        layer: usize,
        batch: &Batch,
        x: &[f32],
        memory: &mut Memory,
    ) -> (Vec<f32>, [lstm::Saved; 2]) {
        let mut output = memory.take(batch.rows() * self.settings.encoding_width());
        let halves = self.halves(layer, x, memory);
        let directions = [0, 1].map(|i| {
            let (weights, columns) = (self.lstm(self.parts.layers[layer][i]), self.columns(i));
            let x = halves.as_ref().map_or(x, |halves| &halves[i]);
            let packing = batch.packing();
            lstm::forward(self.size(layer), weights, DIRECTIONS[i], packing, x, &mut output, columns, memory)
        });
        halves.into_iter().flatten().for_each(|half| memory.give(half));
        (output, directions)
    }

    fn columns(&self, direction: usize) -> Columns {
        let hidden = self.settings.encoder.hidden;
        Columns { stride: 2 * hidden, column: direction * hidden }
    }

    fn lstm(&self, parts: LstmParts) -> lstm::Weights<'_> {
        lstm::Weights {
            input: self.weight(parts.input),
            recurrent: self.weight(parts.recurrent),
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
        let width = self.settings.encoding_width();
        let mut x = x;
        let mut layers = Vec::new();
        for layer in 0..self.parts.layers.len() {
            let (output, directions) = self.layer(layer, batch, &x, memory);
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
            let halves = self.halves(layer, &saved.input, memory);
            let mut dx = memory.zeros(saved.input.len());
            for (i, kept) in saved.directions.into_iter().enumerate() {
                let parts = self.parts.layers[layer][i];
                let slots = [parts.input, parts.recurrent, parts.bias];
                let [input, recurrent, bias] = Slot::split(slots, gradient);
                let mut d_half = halves.as_ref().map(|_| memory.zeros(batch.rows() * size.input));
                lstm::backward(
                    size,
                    self.lstm(parts),
                    lstm::Gradients { input, recurrent, bias },
                    DIRECTIONS[i],
                    batch.packing(),
                    halves.as_ref().map_or(&saved.input, |halves| &halves[i]),
                    &saved.output,
                    self.columns(i),
                    kept,
                    &d,
                    Some(d_half.as_mut().unwrap_or(&mut dx)),
                    memory,
                );
                if let Some(d_half) = d_half {
                    let rows = dx.chunks_exact_mut(2 * size.input).zip(d_half.chunks_exact(size.input));
                    rows.for_each(|(dx, d)| dx[i * size.input..][..size.input].copy_from_slice(d));
                    memory.give(d_half);
                }
            }
            halves.into_iter().flatten().for_each(|half| memory.give(half));
            for buffer in [std::mem::replace(&mut d, dx), saved.input, saved.output] {
                memory.give(buffer);
            }
        }
        d
    }
}
