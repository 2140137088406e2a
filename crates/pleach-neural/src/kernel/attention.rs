//! Scaled dot-product attention with several heads (Vaswani et al. 2017), of each sentence on itself.
//!
//! For one head of width k, with Q, K and V the head's columns of a sentence's rows:
//!
//! ```text
//! forward    S = Q Kᵀ / √k      P = softmax of each row of S      O = P V
//! backward   dV = Pᵀ dO         dP = dO Vᵀ     dS = P ∘ (dP − rowsum(dP ∘ P))
//!            dQ = dS K / √k     dK = dSᵀ Q / √k
//! ```
//!
//! Sentences don't see each other and there is no padding. O(Σ n² · width).

use super::elementwise::dot;
use super::loss::probabilities;
use super::product::{Matrix, Target, product};
use crate::memory::Memory;

/// Q, K and V of all rows, one matrix each.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Q.
    pub queries: &'a [f32],
    /// K.
    pub keys: &'a [f32],
    /// V.
    pub values: &'a [f32],
}

/// The width of a row and the number of heads that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The width of Q, K, V and O.
    pub width: usize,
    /// The number of heads, which divides the width.
    pub heads: usize,
}

/// The columns of a head in the rows of a sentence.
fn part(data: &[f32], size: Size, start: usize, rows: usize, head: usize) -> Matrix<'_> {
    let own = size.width / size.heads;
    Matrix::with_stride(&data[start * size.width + head * own..], rows, own, size.width)
}

/// P of a head in a sentence.
fn weights(
    inputs: Inputs,
    size: Size,
    start: usize,
    n: usize,
    head: usize,
    p: &mut [f32],
    scratch: &mut [f32],
) {
    let (q, k) = (part(inputs.queries, size, start, n, head), part(inputs.keys, size, start, n, head));
    product(q, k.transposed(), Target::new(scratch, n));
    let scale = 1.0 / ((size.width / size.heads) as f32).sqrt();
    scratch.iter_mut().for_each(|s| *s *= scale);
    for (s, p) in scratch.chunks_exact(n).zip(p.chunks_exact_mut(n)) {
        probabilities(s, p);
    }
}

/// O for sentences of these lengths.
pub fn forward(size: Size, lengths: &[usize], inputs: Inputs, out: &mut [f32], memory: &mut Memory) {
    let own = size.width / size.heads;
    let mut start = 0;
    for &n in lengths {
        let (mut p, mut scratch) = (memory.take(n * n), memory.take(n * n));
        for head in 0..size.heads {
            weights(inputs, size, start, n, head, &mut p, &mut scratch);
            let target = Target::new(&mut out[start * size.width + head * own..], size.width);
            product(Matrix::new(&p, n, n), part(inputs.values, size, start, n, head), target);
        }
        memory.give(p);
        memory.give(scratch);
        start += n;
    }
}

/// Writes dQ, dK and dV; P is computed again.
pub fn backward(
    size: Size,
    lengths: &[usize],
    inputs: Inputs,
    d_out: &[f32],
    [dq, dk, dv]: [&mut [f32]; 3],
    memory: &mut Memory,
) {
    let own = size.width / size.heads;
    let scale = 1.0 / (own as f32).sqrt();
    let mut start = 0;
    for &n in lengths {
        let (mut p, mut ds) = (memory.take(n * n), memory.take(n * n));
        for head in 0..size.heads {
            let at = start * size.width + head * own;
            let d_o = part(d_out, size, start, n, head);
            weights(inputs, size, start, n, head, &mut p, &mut ds);
            product(Matrix::new(&p, n, n).transposed(), d_o, Target::new(&mut dv[at..], size.width));
            let v = part(inputs.values, size, start, n, head);
            product(d_o, v.transposed(), Target::new(&mut ds, n));
            for (ds, p) in ds.chunks_exact_mut(n).zip(p.chunks_exact(n)) {
                let sum = dot(ds, p);
                ds.iter_mut().zip(p).for_each(|(ds, p)| *ds = p * (*ds - sum) * scale);
            }
            let ds = Matrix::new(&ds, n, n);
            let (q, k) =
                (part(inputs.queries, size, start, n, head), part(inputs.keys, size, start, n, head));
            product(ds, k, Target::new(&mut dq[at..], size.width));
            product(ds.transposed(), q, Target::new(&mut dk[at..], size.width));
        }
        memory.give(p);
        memory.give(ds);
        start += n;
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    #[test]
    fn gradients() {
        let size = Size { width: 6, heads: 2 };
        let lengths = [3, 1, 2];
        let (q, k, v, d) = (numbers(36, 1), numbers(36, 2), numbers(36, 3), numbers(36, 4));
        let run = |queries: &[f32], keys: &[f32], values: &[f32]| {
            let mut out = vec![0.0; 36];
            let inputs = Inputs { queries, keys, values };
            forward(size, &lengths, inputs, &mut out, &mut Memory::default());
            out
        };
        let (mut dq, mut dk, mut dv) = (vec![0.0; 36], vec![0.0; 36], vec![0.0; 36]);
        let inputs = Inputs { queries: &q, keys: &k, values: &v };
        let gradients = [&mut dq[..], &mut dk[..], &mut dv[..]];
        backward(size, &lengths, inputs, &d, gradients, &mut Memory::default());
        check("Q", &q, &dq, |q| weighted(&run(q, &k, &v), &d));
        check("K", &k, &dk, |k| weighted(&run(&q, k, &v), &d));
        check("V", &v, &dv, |v| weighted(&run(&q, &k, v), &d));
    }
}
