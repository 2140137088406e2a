//! A learnt mix of the layers of another encoder (Peters et al. 2018, equation 1; sun-2019, section 6.5).
//!
//! For a word's vectors v₁ … v_L:
//!
//! ```text
//! forward    p = softmax a      u = Σ_l p_l v_l      y = γ u
//! backward   dγ += dy·u         t_l = γ dy·v_l       da_l += p_l (t_l − Σ_k p_k t_k)
//! ```
//!
//! Where the other encoder learns too, dv_l = γ p_l dy is its part ([`backward_to_vectors`]). O(rows · L · width).

use super::elementwise::{add_scaled, dot};
use super::loss::probabilities;

/// a (layers) and γ (1).
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// a.
    pub layers: &'a [f32],
    /// γ.
    pub scale: &'a [f32],
}

/// Writes the mix of one row of vectors, which stand one after the other.
pub fn forward(weights: Weights, vectors: &[f32], y: &mut [f32]) {
    let mut p = vec![0.0; weights.layers.len()];
    probabilities(weights.layers, &mut p);
    y.fill(0.0);
    for (vector, p) in vectors.chunks_exact(y.len()).zip(&p) {
        add_scaled(y, p * weights.scale[0], vector);
    }
}

/// Adds to da and dγ.
pub fn backward(weights: Weights, d_layers: &mut [f32], d_scale: &mut [f32], vectors: &[f32], dy: &[f32]) {
    let mut p = vec![0.0; weights.layers.len()];
    probabilities(weights.layers, &mut p);
    let along: Vec<f32> = vectors.chunks_exact(dy.len()).map(|vector| dot(vector, dy)).collect();
    let mean: f32 = p.iter().zip(&along).map(|(p, t)| p * t).sum();
    d_scale[0] += mean;
    for ((d, p), t) in d_layers.iter_mut().zip(&p).zip(&along) {
        *d += weights.scale[0] * p * (t - mean);
    }
}

/// Writes dv of one row.
pub fn backward_to_vectors(weights: Weights, dy: &[f32], d_vectors: &mut [f32]) {
    let mut p = vec![0.0; weights.layers.len()];
    probabilities(weights.layers, &mut p);
    for (d, p) in d_vectors.chunks_exact_mut(dy.len()).zip(&p) {
        d.iter_mut().zip(dy).for_each(|(d, dy)| *d = p * weights.scale[0] * dy);
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        let (layers, scale) = (numbers(3, 1), numbers(1, 2));
        let (vectors, dy) = (numbers(12, 3), numbers(4, 4));
        let run = |layers: &[f32], scale: &[f32]| {
            let mut y = vec![0.0; 4];
            forward(Weights { layers, scale }, &vectors, &mut y);
            y
        };
        let (mut da, mut dg) = (vec![0.0; 3], vec![0.0; 1]);
        backward(Weights { layers: &layers, scale: &scale }, &mut da, &mut dg, &vectors, &dy);
        check("a", &layers, &da, |layers| weighted(&run(layers, &scale), &dy));
        check("γ", &scale, &dg, |scale| weighted(&run(&layers, scale), &dy));
    }
}
