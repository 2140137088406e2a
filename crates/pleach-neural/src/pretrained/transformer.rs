//! The forward pass of a transformer encoder (Vaswani et al. 2017; Devlin et al. 2019: normalisation after each part).
//!
//! ```text
//! x₀ = norm(word + position + segment)
//! a = norm(x + attention(x) Wₒ + bₒ)        x' = norm(a + gelu(a W₁ + b₁) W₂ + b₂)
//! ```
//!
//! Products go over the pieces of all sequences at once, attention over each sequence. O(pieces · width² + Σ n² · width).

use super::config::Config;
use super::pieces::Window;
use super::weights::{Dense, Norm, Weights};
use crate::kernel::elementwise::{add, fill_rows};
use crate::kernel::product::{Matrix, Target, add_product};
use crate::kernel::{attention, gelu, layer_norm};
use crate::memory::Memory;

fn dense(parts: &Dense, x: &[f32], y: &mut [f32]) {
    let output = parts.bias.len();
    let (rows, input) = (y.len() / output, parts.weight.len() / output);
    fill_rows(y, &parts.bias);
    let w = Matrix::new(&parts.weight, input, output);
    add_product(Matrix::new(x, rows, input), w, Target::new(y, output));
}

fn normalise(config: &Config, parts: &Norm, x: &mut [f32]) {
    let weights =
        layer_norm::Weights { gain: &parts.gain, bias: &parts.bias, epsilon: config.layer_norm_eps };
    layer_norm::forward(weights, x);
}

/// The states of all pieces of the windows: for each piece the wanted layers, one after the other.
pub(super) fn run(
    config: &Config,
    weights: &Weights,
    windows: &[&Window],
    wanted: &[usize],
    memory: &mut Memory,
) -> Vec<f32> {
    let lengths: Vec<usize> = windows.iter().map(|window| window.pieces.len()).collect();
    let (rows, width) = (lengths.iter().sum::<usize>(), config.hidden_size);
    let mut states = memory.take(rows * width * wanted.len());
    let mut x = embed(config, weights, windows, rows, memory);
    keep(&x, 0, width, wanted, &mut states);
    let last = wanted.iter().copied().max().unwrap_or(0);
    let mut triple = memory.take(rows * 3 * width);
    let mut parts: [Vec<f32>; 3] = std::array::from_fn(|_| memory.take(rows * width));
    let mut attended = memory.take(rows * width);
    let mut y = memory.take(rows * width);
    let mut inner = memory.take(rows * config.intermediate_size);
    let size = attention::Size { width, heads: config.num_attention_heads };
    for (i, layer) in weights.layers.iter().enumerate().take(last) {
        dense(&layer.attention, &x, &mut triple);
        for (row, triple) in triple.chunks_exact(3 * width).enumerate() {
            for (part, own) in parts.iter_mut().zip(triple.chunks_exact(width)) {
                part[row * width..][..width].copy_from_slice(own);
            }
        }
        let [queries, keys, values] = &parts;
        let inputs = attention::Inputs { queries, keys, values };
        attention::forward(size, &lengths, inputs, &mut attended, memory);
        dense(&layer.attention_output, &attended, &mut y);
        add(&mut x, &y);
        normalise(config, &layer.attention_norm, &mut x);
        dense(&layer.inner, &x, &mut inner);
        gelu::forward(&mut inner);
        dense(&layer.output, &inner, &mut y);
        add(&mut x, &y);
        normalise(config, &layer.norm, &mut x);
        keep(&x, i + 1, width, wanted, &mut states);
    }
    for buffer in parts.into_iter().chain([x, triple, attended, y, inner]) {
        memory.give(buffer);
    }
    states
}

fn embed(
    config: &Config,
    weights: &Weights,
    windows: &[&Window],
    rows: usize,
    memory: &mut Memory,
) -> Vec<f32> {
    let embedding = config.embedding();
    let mut x = memory.take(rows * embedding);
    let places = windows.iter().flat_map(|window| (config.first_position()..).zip(&window.pieces));
    for (x, (position, &piece)) in x.chunks_exact_mut(embedding).zip(places) {
        x.copy_from_slice(&weights.words[piece as usize * embedding..][..embedding]);
        add(x, &weights.positions[position * embedding..][..embedding]);
    }
    normalise(config, &weights.norm, &mut x);
    let Some(projection) = &weights.projection else { return x };
    let mut wide = memory.take(rows * config.hidden_size);
    dense(projection, &x, &mut wide);
    memory.give(x);
    wide
}

/// Copies a layer's states to where they are wanted.
fn keep(x: &[f32], layer: usize, width: usize, wanted: &[usize], states: &mut [f32]) {
    for (place, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted == layer) {
        let rows = states.chunks_exact_mut(width * wanted.len()).zip(x.chunks_exact(width));
        for (state, x) in rows {
            state[place * width..][..width].copy_from_slice(x);
        }
    }
}
