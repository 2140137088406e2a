//! Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).
//!
//! ```text
//! m ← β₁ m + (1−β₁) g          v ← β₂ v + (1−β₂) g²
//! θ ← θ − η ( m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + ε) + λ θ )
//! ```
//!
//! Linear in the number of parameters; one pass over memory.

use crate::kernel::simd::vectorised;
use serde::{Deserialize, Serialize};

/// β₁, β₂, ε and λ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdamSettings {
    /// β₁.
    pub first: f32,
    /// β₂.
    pub second: f32,
    /// ε.
    pub epsilon: f32,
    /// λ.
    pub decay: f32,
}

impl Default for AdamSettings {
    fn default() -> Self {
        AdamSettings { first: 0.9, second: 0.95, epsilon: 1e-8, decay: 0.0 }
    }
}

/// The moments m and v, and t.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adam {
    /// m.
    pub first: Vec<f32>,
    /// v.
    pub second: Vec<f32>,
    /// t: the steps that were made.
    pub steps: u64,
}

impl Adam {
    /// Moments for so many parameters.
    pub fn new(parameters: usize) -> Self {
        Adam { first: vec![0.0; parameters], second: vec![0.0; parameters], steps: 0 }
    }

    /// One step with rate η; gradients are multiplied by `factor` first (clipping).
    pub fn step(
        &mut self,
        settings: AdamSettings,
        rate: f32,
        factor: f32,
        weights: &mut [f32],
        gradient: &[f32],
    ) {
        self.steps += 1;
        let t = self.steps.min(i32::MAX as u64) as i32;
        let correct = |beta: f32| (1.0 / (1.0 - f64::from(beta).powi(t))) as f32;
        let corrections = (correct(settings.first), correct(settings.second));
        update(weights, gradient, &mut self.first, &mut self.second, settings, corrections, rate, factor);
    }
}

vectorised! {
    fn update(
        weights: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
        settings: AdamSettings,
        corrections: (f32, f32),
        rate: f32,
        factor: f32,
    ) {
        let n = weights.len();
        let (gradient, first, second) = (&gradient[..n], &mut first[..n], &mut second[..n]);
        for i in 0..n {
            let g = gradient[i] * factor;
            first[i] = settings.first * first[i] + (1.0 - settings.first) * g;
            second[i] = settings.second * second[i] + (1.0 - settings.second) * g * g;
            let step = first[i] * corrections.0 / ((second[i] * corrections.1).sqrt() + settings.epsilon);
            weights[i] -= rate * (step + settings.decay * weights[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_a_bowl() {
        let mut adam = Adam::new(2);
        let mut weights = vec![3.0, -2.0];
        for _ in 0..500 {
            let gradient = [2.0 * (weights[0] - 1.0), 20.0 * weights[1]];
            adam.step(AdamSettings::default(), 0.05, 1.0, &mut weights, &gradient);
        }
        assert!((weights[0] - 1.0).abs() < 1e-2 && weights[1].abs() < 1e-2, "{weights:?}");
    }

    #[test]
    fn the_first_step_is_the_rate_and_decay_is_apart_from_it() {
        let mut weights = vec![1.0, 1.0];
        let settings = AdamSettings { decay: 0.1, ..AdamSettings::default() };
        Adam::new(2).step(settings, 0.01, 1.0, &mut weights, &[5.0, 0.0]);
        assert!((weights[0] - (1.0 - 0.01 - 0.001)).abs() < 1e-6);
        assert!((weights[1] - 0.999).abs() < 1e-6);
    }
}
