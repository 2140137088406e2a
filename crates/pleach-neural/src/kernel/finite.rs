//! Finite differences: what every kernel's gradient is compared with.

use crate::random::Random;

/// Random numbers for a test.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.normal() * 0.7).collect()
}

/// The loss that tests use: a fixed random weighting of outputs, whose gradient is the weights.
pub(crate) fn weighted(outputs: &[f32], weights: &[f32]) -> f64 {
    assert_eq!(outputs.len(), weights.len());
    outputs.iter().zip(weights).map(|(&o, &w)| f64::from(o) * f64::from(w)).sum()
}

/// Compares `gradient` with (f(x + e) − f(x − e)) / 2e for every element of `x`.
pub(crate) fn check(name: &str, x: &[f32], gradient: &[f32], f: impl Fn(&[f32]) -> f64) {
    assert_eq!(x.len(), gradient.len(), "{name}");
    let step = 4e-3;
    let mut x = x.to_vec();
    for i in 0..x.len() {
        let old = x[i];
        x[i] = old + step;
        let above = f(&x);
        x[i] = old - step;
        let below = f(&x);
        x[i] = old;
        let numeric = (above - below) / (2.0 * f64::from(step));
        let error = (numeric - f64::from(gradient[i])).abs();
        assert!(
            error < 2e-2 * numeric.abs().max(0.1),
            "{name}[{i}]: by hand {}, by differences {numeric}",
            gradient[i]
        );
    }
}
