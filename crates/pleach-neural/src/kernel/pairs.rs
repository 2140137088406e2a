//! Scores of the labels of chosen pairs: the diagonal form of a biaffine classifier.
//!
//! For the dependent's row x and the head's row y of a pair, with ∘ by element:
//!
//! ```text
//! forward    f = (x, y, x ∘ y)     s = f W + b
//! backward   df = ds Wᵀ            dW += fᵀ ds    db += Σ ds
//!            dx += df₁ + df₃ ∘ y   dy += df₂ + df₃ ∘ x
//! ```
//!
//! A full bilinear form has width² weights a label; this has 3 · width, and loses nothing that was measured (the
//! prototype, en_ewt). O(pairs · 3 width · labels).

use super::elementwise::{add, add_product as add_elements, add_rows};
use super::product::{Matrix, Target, add_product, product};
use super::whole::Weight;
use crate::memory::Memory;

pub use super::biaffine::Sides;

/// The rows of a pair's two nodes in the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairRows {
    /// The dependent's.
    pub dependent: usize,
    /// The head's.
    pub head: usize,
}

/// Computes f for all pairs (returned, for the backward pass) and their scores.
#[allow(clippy::too_many_arguments)]
pub fn forward(
    sides: Sides,
    w: Weight,
    b: &[f32],
    z: &[f32],
    pairs: &[PairRows],
    scores: &mut [f32],
    memory: &mut Memory,
) -> Vec<f32> {
    let width = sides.width;
    let mut f = memory.take(pairs.len() * 3 * width);
    for (f, pair) in f.chunks_exact_mut(3 * width).zip(pairs) {
        let x = &z[pair.dependent * sides.stride + sides.dependent..][..width];
        let y = &z[pair.head * sides.stride + sides.head..][..width];
        let (own, both) = f.split_at_mut(2 * width);
        own[..width].copy_from_slice(x);
        own[width..].copy_from_slice(y);
        both.fill(0.0);
        add_elements(both, x, y);
    }
    w.affine(Matrix::new(&f, pairs.len(), 3 * width), b, scores, memory);
    f
}

/// Adds to dW, db and the columns of x and y in `d_z`.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    sides: Sides,
    w: &[f32],
    dw: &mut [f32],
    db: &mut [f32],
    z: &[f32],
    pairs: &[PairRows],
    f: &[f32],
    d_scores: &[f32],
    d_z: &mut [f32],
    memory: &mut Memory,
) {
    let (width, labels) = (sides.width, db.len());
    let ds = Matrix::new(d_scores, pairs.len(), labels);
    add_product(Matrix::new(f, pairs.len(), 3 * width).transposed(), ds, Target::new(dw, labels));
    add_rows(db, d_scores);
    let mut df = memory.take(pairs.len() * 3 * width);
    product(ds, Matrix::new(w, 3 * width, labels).transposed(), Target::new(&mut df, 3 * width));
    for (df, pair) in df.chunks_exact(3 * width).zip(pairs) {
        let x = pair.dependent * sides.stride + sides.dependent;
        let y = pair.head * sides.stride + sides.head;
        add(&mut d_z[x..x + width], &df[..width]);
        add_elements(&mut d_z[x..x + width], &df[2 * width..], &z[y..y + width]);
        add(&mut d_z[y..y + width], &df[width..2 * width]);
        add_elements(&mut d_z[y..y + width], &df[2 * width..], &z[x..x + width]);
    }
    memory.give(df);
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        let sides = Sides { width: 3, stride: 7, dependent: 0, head: 4 };
        let pairs = [(0, 1), (2, 1), (1, 0), (2, 2)].map(|(dependent, head)| PairRows { dependent, head });
        let (w, b, z, ds) = (numbers(9 * 5, 1), numbers(5, 2), numbers(3 * 7, 3), numbers(4 * 5, 4));
        let run = |w: &[f32], b: &[f32], z: &[f32]| {
            let mut scores = vec![0.0; 4 * 5];
            forward(sides, w.into(), b, z, &pairs, &mut scores, &mut Memory::default());
            scores
        };
        let mut memory = Memory::default();
        let f = forward(sides, (&w).into(), &b, &z, &pairs, &mut [0.0; 20], &mut memory);
        let (mut dw, mut db, mut dz) = (vec![0.0; w.len()], vec![0.0; 5], vec![0.0; z.len()]);
        backward(sides, &w, &mut dw, &mut db, &z, &pairs, &f, &ds, &mut dz, &mut memory);
        check("W", &w, &dw, |w| weighted(&run(w, &b, &z), &ds));
        check("b", &b, &db, |b| weighted(&run(&w, b, &z), &ds));
        check("z", &z, &dz, |z| weighted(&run(&w, &b, z), &ds));
    }
}
