//! A perceptron over the encodings of a few nodes, for many rows of nodes (sun-2019, section 5.3; Chen and Manning 2014).
//!
//! For a row of nodes p₁ … p_k, any of which may be missing, with r the encodings:
//!
//! ```text
//! forward    P_j = r W_j            h = φ(b₁ + Σ_j P_j[p_j])          s = h W + b
//! backward   dh = ds Wᵀ ∘ φ'        dW += hᵀ ds    db += Σ ds         db₁ += Σ dh    dP_j[p_j] += dh
//!            dW_j += rᵀ dP_j        dr += dP_j W_jᵀ
//! ```
//!
//! P is computed once for all nodes of a batch: transition systems look at a node many times, and what is left for each
//! row are k additions and the small product with W. A missing node has its own row of P_j, a parameter. φ is the leaky
//! rectifier. O(nodes · encoding · k · hidden + rows · hidden · (k + classes)).

use super::dense::{Activation, Layer};
use super::elementwise::add;
use super::whole::Weight;
use crate::memory::Memory;

/// The place of a missing node.
pub const NONE: u32 = u32::MAX;

/// The sizes of a perceptron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of nodes in a row.
    pub slots: usize,
    /// The width of h.
    pub hidden: usize,
    /// The number of scores.
    pub classes: usize,
}

impl Size {
    fn output(self) -> Layer {
        Layer { input: self.hidden, output: self.classes, activation: Activation::Identity }
    }

    fn product<'p>(self, products: &'p [f32], none: &'p [f32], slot: usize, node: u32) -> &'p [f32] {
        match node {
            NONE => &none[slot * self.hidden..][..self.hidden],
            node => &products[(node as usize * self.slots + slot) * self.hidden..][..self.hidden],
        }
    }
}

/// b₁, the rows of missing nodes (slots × hidden), W and b.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// The rows of missing nodes.
    pub none: &'a [f32],
    /// b₁.
    pub bias: &'a [f32],
    /// W.
    pub output: Weight<'a>,
    /// b.
    pub output_bias: &'a [f32],
}

/// The gradients of [`Weights`], added to.
#[derive(Debug)]
pub struct Gradients<'a> {
    /// Of the rows of missing nodes.
    pub none: &'a mut [f32],
    /// db₁.
    pub bias: &'a mut [f32],
    /// dW.
    pub output: &'a mut [f32],
    /// db.
    pub output_bias: &'a mut [f32],
}

/// Scores all rows; returns h. `products` has P, (slots · hidden) numbers a node; `rows` has `slots` nodes a row.
pub fn forward(
    size: Size,
    weights: Weights,
    products: &[f32],
    rows: &[u32],
    scores: &mut [f32],
    memory: &mut Memory,
) -> Vec<f32> {
    let mut h = memory.take(rows.len() / size.slots * size.hidden);
    for (h, nodes) in h.chunks_exact_mut(size.hidden).zip(rows.chunks_exact(size.slots)) {
        h.copy_from_slice(weights.bias);
        for (slot, &node) in nodes.iter().enumerate() {
            add(h, size.product(products, weights.none, slot, node));
        }
    }
    Activation::LeakyRelu.forward(&mut h);
    size.output().forward(weights.output, weights.output_bias, &h, scores, memory);
    h
}

/// Adds to the gradients of the weights and of P.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    size: Size,
    weights: Weights,
    gradients: Gradients,
    rows: &[u32],
    h: &[f32],
    d_scores: &mut [f32],
    d_products: &mut [f32],
    memory: &mut Memory,
) {
    let mut dh = memory.zeros(h.len());
    let Gradients { none, bias, output, output_bias } = gradients;
    size.output().backward(weights.output.numbers, output, output_bias, h, &[], d_scores, Some(&mut dh));
    Activation::LeakyRelu.backward(h, &mut dh);
    for (dh, nodes) in dh.chunks_exact(size.hidden).zip(rows.chunks_exact(size.slots)) {
        add(bias, dh);
        for (slot, &node) in nodes.iter().enumerate() {
            let place = match node {
                NONE => &mut none[slot * size.hidden..],
                node => &mut d_products[(node as usize * size.slots + slot) * size.hidden..],
            };
            add(&mut place[..size.hidden], dh);
        }
    }
    memory.give(dh);
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        let size = Size { slots: 2, hidden: 3, classes: 4 };
        let rows = [0, 1, 1, NONE, 2, 2, NONE, NONE, 1, 0];
        let (none, bias) = (numbers(6, 1), numbers(3, 2));
        let (output, output_bias) = (numbers(12, 3), numbers(4, 4));
        let (products, ds) = (numbers(3 * 6, 5), numbers(5 * 4, 6));
        let run = |none: &[f32], bias: &[f32], output: &[f32], output_bias: &[f32], products: &[f32]| {
            let weights = Weights { none, bias, output: output.into(), output_bias };
            let mut scores = vec![0.0; 20];
            let h = forward(size, weights, products, &rows, &mut scores, &mut Memory::default());
            (scores, h)
        };
        let (_, h) = run(&none, &bias, &output, &output_bias, &products);
        let (mut d0, mut d1, mut d2, mut d3) = (vec![0.0; 6], vec![0.0; 3], vec![0.0; 12], vec![0.0; 4]);
        let mut dp = vec![0.0; products.len()];
        backward(
            size,
            Weights { none: &none, bias: &bias, output: (&output).into(), output_bias: &output_bias },
            Gradients { none: &mut d0, bias: &mut d1, output: &mut d2, output_bias: &mut d3 },
            &rows,
            &h,
            &mut ds.clone(),
            &mut dp,
            &mut Memory::default(),
        );
        let loss = |scores: (Vec<f32>, Vec<f32>)| weighted(&scores.0, &ds);
        check("none", &none, &d0, |x| loss(run(x, &bias, &output, &output_bias, &products)));
        check("b1", &bias, &d1, |x| loss(run(&none, x, &output, &output_bias, &products)));
        check("W", &output, &d2, |x| loss(run(&none, &bias, x, &output_bias, &products)));
        check("b", &output_bias, &d3, |x| loss(run(&none, &bias, &output, x, &products)));
        check("P", &products, &dp, |x| loss(run(&none, &bias, &output, &output_bias, x)));
    }
}
