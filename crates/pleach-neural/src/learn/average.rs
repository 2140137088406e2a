//! An exponential moving average of the weights (Polyak averaging), which parses better than the last weights.
//!
//! a ← a + (1−δₜ)(θ − a) with δₜ = min(δ, (1+t)/(10+t)), so that the first steps are soon forgotten.

use crate::kernel::simd::vectorised;

/// The average and the steps that are in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Average {
    /// a.
    pub weights: Vec<f32>,
    /// t.
    pub steps: u64,
}

impl Average {
    /// An average that begins with these weights.
    pub fn new(weights: &[f32]) -> Self {
        Average { weights: weights.to_vec(), steps: 0 }
    }

    /// Adds the weights of a step.
    pub fn add(&mut self, decay: f32, weights: &[f32]) {
        self.steps += 1;
        let t = self.steps as f64;
        let decay = f64::from(decay).min((1.0 + t) / (10.0 + t));
        approach(&mut self.weights, weights, (1.0 - decay) as f32);
    }
}

vectorised! {
    fn approach(average: &mut [f32], weights: &[f32], part: f32) {
        for (average, weight) in average.iter_mut().zip(weights) {
            *average += part * (weight - *average);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_beginning() {
        let mut average = Average::new(&[100.0]);
        for _ in 0..300 {
            average.add(0.9, &[1.0]);
        }
        assert!((average.weights[0] - 1.0).abs() < 1e-3);
        average.add(0.9, &[2.0]);
        assert!((average.weights[0] - 1.1).abs() < 1e-3);
    }
}
