//! Biaffine scores of all ordered pairs of a sentence's nodes (Dozat and Manning 2017, 2018).
//!
//! For dependents' rows X and heads' rows Y of one sentence:
//!
//! ```text
//! forward    Q = X A + 1 uᵀ             S = Q Yᵀ + (X v + c) 1ᵀ        S[d, h] scores the arc h → d
//! backward   dQ = dS Y    dY += dSᵀ Q   dX += dQ Aᵀ + (dS 1) vᵀ
//!            dA += Xᵀ dQ  du += Σ dQ    dv += Xᵀ (dS 1)                dc += Σ dS
//! ```
//!
//! u scores what is a head at all, v and c how many heads a dependent has. Q is one product over all sentences; the
//! quadratic product is made for each sentence by itself. O(Σ n d² + n² d).

use super::elementwise::{add, add_rows, add_scaled, dot};
use super::product::{Matrix, Target, add_product, product};
use super::whole::Weight;
use crate::memory::Memory;

/// A (width × width), u, v (width) and c (1).
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// A.
    pub bilinear: Weight<'a>,
    /// u.
    pub head: &'a [f32],
    /// v.
    pub dependent: &'a [f32],
    /// c.
    pub constant: &'a [f32],
}

/// The gradients of [`Weights`], added to.
#[derive(Debug)]
pub struct Gradients<'a> {
    /// dA.
    pub bilinear: &'a mut [f32],
    /// du.
    pub head: &'a mut [f32],
    /// dv.
    pub dependent: &'a mut [f32],
    /// dc.
    pub constant: &'a mut [f32],
}

/// Where X and Y stand: `width` columns each of rows that are `stride` apart, X from `dependent`, Y from `head`.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// The width of X and Y.
    pub width: usize,
    /// The distance of rows.
    pub stride: usize,
    /// The first column of X.
    pub dependent: usize,
    /// The first column of Y.
    pub head: usize,
}

/// Scores all pairs of each sentence; returns Q. `scores` has the sentences' n × n matrices one after the other.
pub fn forward(
    sides: Sides,
    weights: Weights,
    lengths: &[usize],
    z: &[f32],
    scores: &mut [f32],
    memory: &mut Memory,
) -> Vec<f32> {
    let Sides { width, stride, dependent, head } = sides;
    let rows: usize = lengths.iter().sum();
    let mut q = memory.take(rows * width);
    if rows == 0 {
        return q;
    }
    let x = Matrix::with_stride(&z[dependent..], rows, width, stride);
    weights.bilinear.affine(x, weights.head, &mut q, memory);
    let (mut row, mut cell) = (0, 0);
    for &n in lengths {
        let scores = &mut scores[cell..cell + n * n];
        let y = Matrix::with_stride(&z[row * stride + head..], n, width, stride);
        product(Matrix::new(&q[row * width..], n, width), y.transposed(), Target::new(scores, n));
        for d in 0..n {
            let x = &z[(row + d) * stride + dependent..][..width];
            let own = dot(x, weights.dependent) + weights.constant[0];
            scores[d * n..(d + 1) * n].iter_mut().for_each(|score| *score += own);
        }
        row += n;
        cell += n * n;
    }
    q
}

/// Adds to the gradients of the weights and to the columns of X and Y in `d_z`.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    sides: Sides,
    weights: Weights,
    gradients: Gradients,
    lengths: &[usize],
    z: &[f32],
    q: &[f32],
    d_scores: &[f32],
    d_z: &mut [f32],
    memory: &mut Memory,
) {
    let Sides { width, stride, dependent, head } = sides;
    let rows: usize = lengths.iter().sum();
    if rows == 0 {
        return;
    }
    let mut dq = memory.take(rows * width);
    let (mut row, mut cell) = (0, 0);
    for &n in lengths {
        let cells = &d_scores[cell..cell + n * n];
        let ds = Matrix::new(cells, n, n);
        let y = Matrix::with_stride(&z[row * stride + head..], n, width, stride);
        product(ds, y, Target::new(&mut dq[row * width..], width));
        let q = Matrix::new(&q[row * width..], n, width);
        add_product(ds.transposed(), q, Target::new(&mut d_z[row * stride + head..], stride));
        for d in 0..n {
            let own: f32 = cells[d * n..(d + 1) * n].iter().sum();
            let place = (row + d) * stride + dependent;
            add_scaled(&mut d_z[place..place + width], own, weights.dependent);
            add_scaled(gradients.dependent, own, &z[place..place + width]);
            add(gradients.constant, &[own]);
        }
        row += n;
        cell += n * n;
    }
    let x = Matrix::with_stride(&z[dependent..], rows, width, stride);
    let dq_rows = Matrix::new(&dq, rows, width);
    add_product(x.transposed(), dq_rows, Target::new(gradients.bilinear, width));
    add_rows(gradients.head, &dq[..rows * width]);
    let a = Matrix::new(weights.bilinear.numbers, width, width);
    add_product(dq_rows, a.transposed(), Target::new(&mut d_z[dependent..], stride));
    memory.give(dq);
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    const SIDES: Sides = Sides { width: 3, stride: 8, dependent: 1, head: 5 };
    const LENGTHS: [usize; 3] = [4, 1, 2];
    const CELLS: usize = 16 + 1 + 4;

    fn run(a: &[f32], u: &[f32], v: &[f32], c: &[f32], z: &[f32]) -> Vec<f32> {
        let weights = Weights { bilinear: a.into(), head: u, dependent: v, constant: c };
        let mut scores = vec![0.0; CELLS];
        forward(SIDES, weights, &LENGTHS, z, &mut scores, &mut Memory::default());
        scores
    }

    #[test]
    fn gradients() {
        let (a, u, v, c) = (numbers(9, 1), numbers(3, 2), numbers(3, 3), numbers(1, 4));
        let (z, d_scores) = (numbers(7 * 8, 5), numbers(CELLS, 6));
        let weights = Weights { bilinear: (&a).into(), head: &u, dependent: &v, constant: &c };
        let mut memory = Memory::default();
        let mut scores = vec![0.0; CELLS];
        let q = forward(SIDES, weights, &LENGTHS, &z, &mut scores, &mut memory);
        let (mut da, mut du, mut dv, mut dc) = (vec![0.0; 9], vec![0.0; 3], vec![0.0; 3], vec![0.0; 1]);
        let mut dz = vec![0.0; z.len()];
        let gradients = Gradients { bilinear: &mut da, head: &mut du, dependent: &mut dv, constant: &mut dc };
        backward(SIDES, weights, gradients, &LENGTHS, &z, &q, &d_scores, &mut dz, &mut memory);
        check("A", &a, &da, |a| weighted(&run(a, &u, &v, &c, &z), &d_scores));
        check("u", &u, &du, |u| weighted(&run(&a, u, &v, &c, &z), &d_scores));
        check("v", &v, &dv, |v| weighted(&run(&a, &u, v, &c, &z), &d_scores));
        check("c", &c, &dc, |c| weighted(&run(&a, &u, &v, c, &z), &d_scores));
        check("z", &z, &dz, |z| weighted(&run(&a, &u, &v, &c, z), &d_scores));
    }
}
