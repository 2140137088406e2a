//! A transformer encoder (Vaswani et al. 2017; Devlin et al. 2019: normalisation after each part), forward and backward.
//!
//! ```text
//! forward    x₀ = norm(word + position + segment)
//!            s = x + attention(x W_qkv) Wₒ      a = norm(s)
//!            t = a + gelu(a W₁) W₂              x' = norm(t)
//! backward   dt = norm⁻(dx')   da = dt + gelu⁻(dt W₂ᵀ) W₁ᵀ   ds = norm⁻(da)   dx = ds + attention⁻(ds Wₒᵀ) W_qkvᵀ
//! ```
//!
//! (Biases left out; f⁻ is the backward function of f, see the kernels.) Products go over the pieces of all sequences at once,
//! attention over each sequence. O(pieces · width² + Σ n² · width).

use super::config::Config;
use super::pieces::Window;
use super::weights::{self, Dense, Norm, Weights};
use crate::kernel::dense::{Activation, Layer};
use crate::kernel::elementwise::add;
use crate::kernel::embedding::scatter;
use crate::kernel::{attention, gelu, layer_norm};
use crate::memory::Memory;
use crate::tensors::Slot;

/// What the backward pass needs: what went into every part.
#[derive(Debug, Default)]
pub(super) struct Saved {
    embedded: Vec<f32>,
    normed: Vec<f32>,
    layers: Vec<SavedLayer>,
}

#[derive(Debug)]
struct SavedLayer {
    x: Vec<f32>,
    parts: [Vec<f32>; 3],
    attended: Vec<f32>,
    s: Vec<f32>,
    a: Vec<f32>,
    inner: Vec<f32>,
    activated: Vec<f32>,
    t: Vec<f32>,
}

fn layer(parts: Dense, flat: &[f32]) -> Layer {
    let output = parts.bias.of(flat).len();
    Layer { input: parts.weight.of(flat).len() / output, output, activation: Activation::Identity }
}

fn dense(parts: Dense, flat: &[f32], x: &[f32], y: &mut [f32], memory: &mut Memory) {
    layer(parts, flat).forward(parts.weight.of(flat).into(), parts.bias.of(flat), x, y, memory);
}

/// Adds to dx and to the gradients of the weights.
fn dense_back(parts: Dense, flat: &[f32], gradient: &mut [f32], x: &[f32], dy: &mut [f32], dx: &mut [f32]) {
    let [dw, db] = Slot::split([parts.weight, parts.bias], gradient);
    layer(parts, flat).backward(parts.weight.of(flat), dw, db, x, &[], dy, Some(dx));
}

fn norm<'a>(config: &Config, parts: Norm, flat: &'a [f32]) -> layer_norm::Weights<'a> {
    let (gain, bias) = (parts.gain.of(flat), parts.bias.of(flat));
    layer_norm::Weights { gain, bias, epsilon: config.layer_norm_eps }
}

fn norm_back(config: &Config, parts: Norm, flat: &[f32], gradient: &mut [f32], x: &[f32], dy: &mut [f32]) {
    let [gain, bias] = Slot::split([parts.gain, parts.bias], gradient);
    layer_norm::backward(norm(config, parts, flat), gain, bias, x, dy);
}

fn copy(x: &[f32], memory: &mut Memory) -> Vec<f32> {
    let mut y = memory.take(x.len());
    y.copy_from_slice(x);
    y
}

fn lengths(windows: &[&Window]) -> Vec<usize> {
    windows.iter().map(|window| window.pieces.len()).collect()
}

fn places<'a>(config: &Config, windows: &'a [&Window]) -> impl Iterator<Item = (usize, u32)> + 'a {
    let first = config.first_position();
    windows.iter().flat_map(move |window| (first..).zip(window.pieces.iter().copied()))
}

/// The states of all pieces of the windows: for each piece the wanted layers, one after the other. With `saved`, what the
/// way back needs is kept there.
pub(super) fn forward(
    config: &Config,
    weights: &Weights,
    windows: &[&Window],
    wanted: &[usize],
    mut saved: Option<&mut Saved>,
    memory: &mut Memory,
) -> Vec<f32> {
    let lengths = lengths(windows);
    let (rows, width) = (lengths.iter().sum::<usize>(), config.hidden_size);
    let mut states = memory.take(rows * width * wanted.len());
    let mut x = embed(config, weights, windows, rows, saved.as_deref_mut(), memory);
    keep(&x, 0, width, wanted, &mut states);
    let last = wanted.iter().copied().max().unwrap_or(0);
    for (i, parts) in weights.layers.iter().enumerate().take(last) {
        let (next, layer) = layer_forward(config, &weights.flat, *parts, &lengths, x, memory);
        x = next;
        match &mut saved {
            Some(saved) => saved.layers.push(layer),
            None => layer.free(memory),
        }
        keep(&x, i + 1, width, wanted, &mut states);
    }
    memory.give(x);
    states
}

fn layer_forward(
    config: &Config,
    flat: &[f32],
    layer: weights::Layer,
    lengths: &[usize],
    x: Vec<f32>,
    memory: &mut Memory,
) -> (Vec<f32>, SavedLayer) {
    let (width, rows) = (config.hidden_size, x.len() / config.hidden_size);
    let mut triple = memory.take(rows * 3 * width);
    dense(layer.attention, flat, &x, &mut triple, memory);
    let mut parts: [Vec<f32>; 3] = std::array::from_fn(|_| memory.take(rows * width));
    for (row, triple) in triple.chunks_exact(3 * width).enumerate() {
        for (part, own) in parts.iter_mut().zip(triple.chunks_exact(width)) {
            part[row * width..][..width].copy_from_slice(own);
        }
    }
    memory.give(triple);
    let [queries, keys, values] = &parts;
    let mut attended = memory.take(rows * width);
    let size = attention::Size { width, heads: config.num_attention_heads };
    attention::forward(size, lengths, attention::Inputs { queries, keys, values }, &mut attended, memory);
    let mut s = memory.take(rows * width);
    dense(layer.attention_output, flat, &attended, &mut s, memory);
    add(&mut s, &x);
    let mut a = copy(&s, memory);
    layer_norm::forward(norm(config, layer.attention_norm, flat), &mut a);
    let mut inner = memory.take(rows * config.intermediate_size);
    dense(layer.inner, flat, &a, &mut inner, memory);
    let mut activated = copy(&inner, memory);
    gelu::forward(&mut activated);
    let mut t = memory.take(rows * width);
    dense(layer.output, flat, &activated, &mut t, memory);
    add(&mut t, &a);
    let mut next = copy(&t, memory);
    layer_norm::forward(norm(config, layer.norm, flat), &mut next);
    (next, SavedLayer { x, parts, attended, s, a, inner, activated, t })
}

impl SavedLayer {
    fn free(self, memory: &mut Memory) {
        let SavedLayer { x, parts, attended, s, a, inner, activated, t } = self;
        for buffer in parts.into_iter().chain([x, attended, s, a, inner, activated, t]) {
            memory.give(buffer);
        }
    }
}

fn embed(
    config: &Config,
    weights: &Weights,
    windows: &[&Window],
    rows: usize,
    saved: Option<&mut Saved>,
    memory: &mut Memory,
) -> Vec<f32> {
    let embedding = config.embedding();
    let (words, positions) = (weights.words.of(&weights.flat), weights.positions.of(&weights.flat));
    let mut x = memory.take(rows * embedding);
    for (x, (position, piece)) in x.chunks_exact_mut(embedding).zip(places(config, windows)) {
        x.copy_from_slice(&words[piece as usize * embedding..][..embedding]);
        add(x, &positions[position * embedding..][..embedding]);
    }
    let embedded = saved.is_some().then(|| copy(&x, memory));
    layer_norm::forward(norm(config, weights.norm, &weights.flat), &mut x);
    let wide = weights.projection.map(|projection| {
        let mut wide = memory.take(rows * config.hidden_size);
        dense(projection, &weights.flat, &x, &mut wide, memory);
        wide
    });
    let Some(wide) = wide else {
        if let Some(saved) = saved {
            saved.embedded = embedded.unwrap_or_default();
        }
        return x;
    };
    match saved {
        Some(saved) => (saved.embedded, saved.normed) = (embedded.unwrap_or_default(), x),
        None => memory.give(x),
    }
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

/// dx += the gradients of a layer's states.
fn collect(dx: &mut [f32], layer: usize, width: usize, wanted: &[usize], d_states: &[f32]) {
    for (place, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted == layer) {
        for (d, dx) in d_states.chunks_exact(width * wanted.len()).zip(dx.chunks_exact_mut(width)) {
            add(dx, &d[place * width..][..width]);
        }
    }
}

/// Adds the gradients of all weights, from that of the states that [`forward`] gave.
#[allow(clippy::too_many_arguments)]
pub(super) fn backward(
    config: &Config,
    weights: &Weights,
    windows: &[&Window],
    wanted: &[usize],
    saved: Saved,
    d_states: &[f32],
    gradient: &mut [f32],
    memory: &mut Memory,
) {
    let lengths = lengths(windows);
    let (rows, width, flat) = (lengths.iter().sum::<usize>(), config.hidden_size, &weights.flat[..]);
    let mut dx = memory.zeros(rows * width);
    for (i, kept) in saved.layers.into_iter().enumerate().rev() {
        collect(&mut dx, i + 1, width, wanted, d_states);
        dx = layer_back(config, flat, weights.layers[i], &lengths, kept, dx, gradient, memory);
    }
    collect(&mut dx, 0, width, wanted, d_states);
    if let Some(projection) = weights.projection {
        let mut narrow = memory.zeros(rows * config.embedding());
        dense_back(projection, flat, gradient, &saved.normed, &mut dx, &mut narrow);
        memory.give(std::mem::replace(&mut dx, narrow));
    }
    norm_back(config, weights.norm, flat, gradient, &saved.embedded, &mut dx);
    let [words, positions] = Slot::split([weights.words, weights.positions], gradient);
    for (d, (position, piece)) in dx.chunks_exact(config.embedding()).zip(places(config, windows)) {
        scatter(words, &[piece], d);
        scatter(positions, &[position as u32], d);
    }
    for buffer in [dx, saved.embedded, saved.normed] {
        memory.give(buffer);
    }
}

#[allow(clippy::too_many_arguments)]
fn layer_back(
    config: &Config,
    flat: &[f32],
    layer: weights::Layer,
    lengths: &[usize],
    kept: SavedLayer,
    mut d: Vec<f32>,
    gradient: &mut [f32],
    memory: &mut Memory,
) -> Vec<f32> {
    let width = config.hidden_size;
    norm_back(config, layer.norm, flat, gradient, &kept.t, &mut d);
    let mut d_inner = memory.zeros(kept.inner.len());
    // `d` is dt, and on the way through the residual connection da.
    let mut dt = copy(&d, memory);
    dense_back(layer.output, flat, gradient, &kept.activated, &mut dt, &mut d_inner);
    gelu::backward(&kept.inner, &mut d_inner);
    dense_back(layer.inner, flat, gradient, &kept.a, &mut d_inner, &mut d);
    norm_back(config, layer.attention_norm, flat, gradient, &kept.s, &mut d);
    dt.copy_from_slice(&d);
    let mut d_attended = memory.zeros(d.len());
    dense_back(layer.attention_output, flat, gradient, &kept.attended, &mut dt, &mut d_attended);
    let [queries, keys, values] = &kept.parts;
    let inputs = attention::Inputs { queries, keys, values };
    let mut d_parts: [Vec<f32>; 3] = std::array::from_fn(|_| memory.take(d.len()));
    let size = attention::Size { width, heads: config.num_attention_heads };
    let [dq, dk, dv] = &mut d_parts;
    attention::backward(size, lengths, inputs, &d_attended, [dq, dk, dv], memory);
    let mut triple = memory.take(3 * d.len());
    for (row, triple) in triple.chunks_exact_mut(3 * width).enumerate() {
        for (part, own) in d_parts.iter().zip(triple.chunks_exact_mut(width)) {
            own.copy_from_slice(&part[row * width..][..width]);
        }
    }
    dense_back(layer.attention, flat, gradient, &kept.x, &mut triple, &mut d);
    for buffer in d_parts.into_iter().chain([d_inner, dt, d_attended, triple]) {
        memory.give(buffer);
    }
    kept.free(memory);
    d
}
