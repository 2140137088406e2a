//! The Gaussian error linear unit (Hendrycks and Gimpel 2016), with the true error function.
//!
//! ```text
//! forward    y = x Φ(x),   Φ(x) = (1 + erf(x/√2)) / 2
//! backward   dx = dy (Φ(x) + x φ(x)),   φ(x) = e^(−x²/2) / √(2π)
//! ```
//!
//! erf is the quotient of an odd polynomial of degree 13 and an even one of degree 8 on |x| ≤ 4, within 4·10⁻⁷ of the true
//! value, and free of branches.

use super::simd::vectorised;

/// The error function.
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let square = x * x;
    let p = -2.726_142_3e-10_f32;
    let p = p * square + 2.770_681_4e-8;
    let p = p * square - 2.101_024e-6;
    let p = p * square - 5.692_506_4e-5;
    let p = p * square - 7.349_906_3e-4;
    let p = p * square - 2.954_6e-3;
    let p = p * square - 1.609_603_3e-2;
    let q = -1.456_607_2e-5_f32;
    let q = q * square - 2.133_740_6e-4;
    let q = q * square - 1.682_827e-3;
    let q = q * square - 7.373_329e-3;
    let q = q * square - 1.426_473_9e-2;
    x * p / q
}

vectorised! {
    /// y = x Φ(x), in place.
    pub fn forward(x: &mut [f32]) {
        for x in x {
            *x = 0.5 * *x * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
        }
    }
}

/// From dy to dx, in place; `x` is what went into the forward pass.
pub fn backward(x: &[f32], dy: &mut [f32]) {
    for (x, dy) in x.iter().zip(dy) {
        let below = 0.5 * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2));
        let density = (-0.5 * x * x).exp() * 0.398_942_3;
        *dy *= below + x * density;
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    /// erf by its series, in double precision.
    fn series(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn erf_is_close_to_its_series() {
        for i in -350..=350 {
            let x = i as f32 * 0.01;
            let error = (f64::from(erf(x)) - series(f64::from(x))).abs();
            assert!(error < 6e-7, "erf({x}) is off by {error}");
        }
        assert!((erf(9.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn gradients() {
        let (x, dy) = (numbers(12, 1), numbers(12, 2));
        let run = |x: &[f32]| {
            let mut y = x.to_vec();
            forward(&mut y);
            y
        };
        let mut dx = dy.clone();
        backward(&x, &mut dx);
        check("x", &x, &dx, |x| weighted(&run(x), &dy));
    }
}
