//! A layer of a perceptron: y = φ(x W + b).
//!
//! ```text
//! forward    z = x W + b          y = φ(z)
//! backward   dz = dy ∘ φ'(z)      dW += xᵀ dz    db += Σ dz    dx += dz Wᵀ
//! ```
//!
//! φ is the identity, max(0, z), or max(0.1 z, z). All of them keep the sign of z (or give 0), so φ' is found
//! from y, also after a dropout mask was applied to it. O(rows · input · output).

use super::elementwise::add_rows;
use super::product::{Matrix, Target, add_product};
use super::simd::vectorised;
use super::whole::Weight;
use crate::memory::Memory;
use serde::{Deserialize, Serialize};

/// The slope of the leaky rectifier below zero.
pub const LEAK: f32 = 0.1;

/// φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// φ(z) = z.
    Identity,
    /// φ(z) = max(0, z).
    Relu,
    /// φ(z) = max(0.1 z, z).
    LeakyRelu,
}

/// The widths of x and y, and φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The width of x.
    pub input: usize,
    /// The width of y.
    pub output: usize,
    /// φ.
    pub activation: Activation,
}

impl Layer {
    /// y for all rows of x. W is input × output.
    pub fn forward(self, w: Weight, b: &[f32], x: &[f32], y: &mut [f32], memory: &mut Memory) {
        let rows = y.len() / self.output;
        w.affine(Matrix::new(x, rows, self.input), b, y, memory);
        self.activation.forward(y);
    }

    /// Adds to dW, db and dx; `dy` becomes dz.
    #[allow(clippy::too_many_arguments)]
    pub fn backward(
        self,
        w: &[f32],
        dw: &mut [f32],
        db: &mut [f32],
        x: &[f32],
        y: &[f32],
        dy: &mut [f32],
        dx: Option<&mut [f32]>,
    ) {
        let rows = dy.len() / self.output;
        self.activation.backward(y, dy);
        let dz = Matrix::new(dy, rows, self.output);
        add_product(Matrix::new(x, rows, self.input).transposed(), dz, Target::new(dw, self.output));
        add_rows(db, dy);
        if let Some(dx) = dx {
            let w = Matrix::new(w, self.input, self.output);
            add_product(dz, w.transposed(), Target::new(dx, self.input));
        }
    }
}

impl Activation {
    /// y = φ(z), in place.
    pub fn forward(self, z: &mut [f32]) {
        match self {
            Activation::Identity => {}
            Activation::Relu => leak(z, 0.0),
            Activation::LeakyRelu => leak(z, LEAK),
        }
    }

    /// From dy to dz, in place.
    pub fn backward(self, y: &[f32], dy: &mut [f32]) {
        match self {
            Activation::Identity => {}
            Activation::Relu => leak_back(y, dy, 0.0),
            Activation::LeakyRelu => leak_back(y, dy, LEAK),
        }
    }
}

vectorised! {
    fn leak(z: &mut [f32], slope: f32) {
        for z in z {
            *z = if *z > 0.0 { *z } else { slope * *z };
        }
    }

    fn leak_back(y: &[f32], dy: &mut [f32], slope: f32) {
        for (dy, y) in dy.iter_mut().zip(y) {
            *dy = if *y > 0.0 { *dy } else { slope * *dy };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        for activation in [Activation::Identity, Activation::Relu, Activation::LeakyRelu] {
            let layer = Layer { input: 4, output: 3, activation };
            let (w, b, x, dy) = (numbers(12, 1), numbers(3, 2), numbers(20, 3), numbers(15, 4));
            let run = |w: &[f32], b: &[f32], x: &[f32]| {
                let mut y = vec![0.0; 15];
                layer.forward(w.into(), b, x, &mut y, &mut Memory::default());
                y
            };
            let y = run(&w, &b, &x);
            let (mut dw, mut db, mut dx) = (vec![0.0; 12], vec![0.0; 3], vec![0.0; 20]);
            layer.backward(&w, &mut dw, &mut db, &x, &y, &mut dy.clone(), Some(&mut dx));
            check("W", &w, &dw, |w| weighted(&run(w, &b, &x), &dy));
            check("b", &b, &db, |b| weighted(&run(&w, b, &x), &dy));
            check("x", &x, &dx, |x| weighted(&run(&w, &b, x), &dy));
        }
    }
}
