//! Layer normalisation (Ba, Kiros and Hinton 2016) of each row.
//!
//! ```text
//! forward    μ = mean x   σ² = mean (x − μ)²   x̂ = (x − μ) / √(σ² + ε)     y = g ∘ x̂ + b
//! backward   db += dy     dg += dy ∘ x̂         d = dy ∘ g
//!            dx = (d − mean d − x̂ · mean(d ∘ x̂)) / √(σ² + ε)
//! ```
//!
//! Linear in the number of elements.

use super::simd::vectorised;

/// g, b and ε.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// g.
    pub gain: &'a [f32],
    /// b.
    pub bias: &'a [f32],
    /// ε.
    pub epsilon: f32,
}

vectorised! {
    fn normalise(x: &mut [f32], gain: &[f32], bias: &[f32], epsilon: f32) {
        let (mean, scale) = moments(x, epsilon);
        for ((x, gain), bias) in x.iter_mut().zip(gain).zip(bias) {
            *x = (*x - mean) * scale * gain + bias;
        }
    }
}

/// μ and 1/√(σ² + ε), summed in eight lanes.
#[inline(always)]
fn moments(x: &[f32], epsilon: f32) -> (f32, f32) {
    let count = x.len() as f32;
    let mean = sum(x, |x| x) / count;
    let variance = sum(x, |x| (x - mean) * (x - mean)) / count;
    (mean, 1.0 / (variance + epsilon).sqrt())
}

#[inline(always)]
fn sum(x: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let (chunks, rest) = x.as_chunks::<8>();
    for chunk in chunks {
        for j in 0..8 {
            lanes[j] += f(chunk[j]);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|&x| f(x)).sum::<f32>()
}

/// y for all rows of x, in place.
pub fn forward(weights: Weights, x: &mut [f32]) {
    for x in x.chunks_exact_mut(weights.gain.len()) {
        normalise(x, weights.gain, weights.bias, weights.epsilon);
    }
}

/// Adds to dg and db; `dy` becomes dx. `x` is what went into the forward pass.
pub fn backward(weights: Weights, d_gain: &mut [f32], d_bias: &mut [f32], x: &[f32], dy: &mut [f32]) {
    let width = weights.gain.len();
    for (x, dy) in x.chunks_exact(width).zip(dy.chunks_exact_mut(width)) {
        let (mean, scale) = moments(x, weights.epsilon);
        let hat = |i: usize| (x[i] - mean) * scale;
        let (mut all, mut along) = (0.0, 0.0);
        for i in 0..width {
            d_bias[i] += dy[i];
            d_gain[i] += dy[i] * hat(i);
            let d = dy[i] * weights.gain[i];
            all += d;
            along += d * hat(i);
        }
        let (all, along) = (all / width as f32, along / width as f32);
        for i in 0..width {
            dy[i] = (dy[i] * weights.gain[i] - all - hat(i) * along) * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        let (gain, bias, x, dy) = (numbers(5, 1), numbers(5, 2), numbers(15, 3), numbers(15, 4));
        let run = |gain: &[f32], bias: &[f32], x: &[f32]| {
            let mut y = x.to_vec();
            forward(Weights { gain, bias, epsilon: 1e-5 }, &mut y);
            y
        };
        let (mut dg, mut db, mut dx) = (vec![0.0; 5], vec![0.0; 5], dy.clone());
        let weights = Weights { gain: &gain, bias: &bias, epsilon: 1e-5 };
        backward(weights, &mut dg, &mut db, &x, &mut dx);
        check("g", &gain, &dg, |gain| weighted(&run(gain, &bias, &x), &dy));
        check("b", &bias, &db, |bias| weighted(&run(&gain, bias, &x), &dy));
        check("x", &x, &dx, |x| weighted(&run(&gain, &bias, x), &dy));
    }
}
