//! Long short-term memory over packed sequences (Hochreiter and Schmidhuber 1997), one layer in one direction.
//!
//! Forward, for the row x of time t (h₀ = c₀ = 0; σ logistic; ∘ by element):
//!
//! ```text
//! z = x W + h₋ U + b                     z = (zᵢ z_f z_g z_o), each as wide as h
//! i = σ(zᵢ)  f = σ(z_f)  g = tanh(z_g)  o = σ(z_o)
//! c = f ∘ c₋ + i ∘ g
//! h = o ∘ tanh(c)
//! ```
//!
//! Backward, from dh (of the output and of the next step) and dc (of the next step):
//!
//! ```text
//! dc += dh ∘ o ∘ (1 − tanh²c)
//! dzᵢ = dc ∘ g ∘ i(1−i)   dz_f = dc ∘ c₋ ∘ f(1−f)   dz_g = dc ∘ i ∘ (1−g²)   dz_o = dh ∘ tanh c ∘ o(1−o)
//! dh₋ = dz Uᵀ   dc₋ = dc ∘ f   dx = dz Wᵀ   dW += xᵀ dz   dU += h₋ᵀ dz   db += Σ dz
//! ```
//!
//! A batch is packed by time: first the rows of time 0 of all sequences (longest first), then those of time 1 of the
//! sequences that have one, and so on. There is no padding, so a sequence's result is the same in any batch. x W and the
//! gradients of W, U and x are one product each over all rows; only h₋ U and dz Uᵀ are products of a step. O(rows · h ·
//! (input + h)).

use super::elementwise::{add, add_rows, sigmoid, tanh};
use super::product::{Matrix, Target, add_product, product};
use super::simd::vectorised;
use super::whole::Weight;
use crate::memory::Memory;

/// Where the rows of a batch of sequences stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    starts: Vec<usize>,
    widths: Vec<usize>,
    rows: usize,
}

impl Packing {
    /// The packing of sequences with these lengths, which must not increase.
    pub fn new(lengths: &[usize]) -> Self {
        debug_assert!(lengths.is_sorted_by(|a, b| a >= b));
        let mut packing = Packing::default();
        for time in 0..lengths.first().copied().unwrap_or(0) {
            let width = lengths.partition_point(|&length| length > time);
            packing.starts.push(packing.rows);
            packing.widths.push(width);
            packing.rows += width;
        }
        packing
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The row of a sequence (in order of length) at a time.
    #[inline]
    pub fn row(&self, sequence: usize, time: usize) -> usize {
        self.starts[time] + sequence
    }

    /// The number of sequences that have a row at each time.
    pub fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// The times in the order in which a direction visits them, each with its rows and those before it.
    fn steps(&self, direction: Direction) -> impl DoubleEndedIterator<Item = Step> + '_ {
        let last = self.widths.len();
        (0..last).map(move |i| {
            let (time, previous) = match direction {
                Direction::Forward => (i, i.checked_sub(1)),
                Direction::Backward => (last - 1 - i, Some(last - i).filter(|&time| time < last)),
            };
            let width = self.widths[time];
            Step {
                start: self.starts[time],
                width,
                previous: previous.map_or(0, |time| self.starts[time]),
                continued: previous.map_or(0, |time| self.widths[time].min(width)),
            }
        })
    }
}

/// One time: `width` rows from `start`, of which the first `continued` have a row at the time before, from `previous`.
struct Step {
    start: usize,
    width: usize,
    previous: usize,
    continued: usize,
}

/// The direction in which time runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first row of a sequence to the last.
    Forward,
    /// From the last to the first.
    Backward,
}

/// The widths of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The width of x.
    pub input: usize,
    /// The width of h.
    pub hidden: usize,
}

/// W (input × 4 hidden), U (hidden × 4 hidden), b (4 hidden).
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// W.
    pub input: Weight<'a>,
    /// U.
    pub recurrent: Weight<'a>,
    /// b.
    pub bias: &'a [f32],
}

/// The gradients of [`Weights`], added to.
#[derive(Debug)]
pub struct Gradients<'a> {
    /// dW.
    pub input: &'a mut [f32],
    /// dU.
    pub recurrent: &'a mut [f32],
    /// db.
    pub bias: &'a mut [f32],
}

/// A matrix's columns from `column` on, in rows of `stride`: one direction's half of a layer's output.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The distance of rows.
    pub stride: usize,
    /// The first column.
    pub column: usize,
}

impl Columns {
    #[inline]
    fn at(self, row: usize) -> usize {
        row * self.stride + self.column
    }
}

/// What the backward pass needs of the forward one: gates and cells.
#[derive(Debug)]
pub struct Saved {
    gates: Vec<f32>,
    cells: Vec<f32>,
}

impl Saved {
    /// Gives the buffers back.
    pub fn free(self, memory: &mut Memory) {
        memory.give(self.gates);
        memory.give(self.cells);
    }
}

/// Computes h for all rows of x into the columns of `out`.
#[allow(clippy::too_many_arguments)]
pub fn forward(
    size: Size,
    weights: Weights,
    direction: Direction,
    packing: &Packing,
    x: &[f32],
    out: &mut [f32],
    columns: Columns,
    memory: &mut Memory,
) -> Saved {
    let (hidden, wide, rows) = (size.hidden, 4 * size.hidden, packing.rows);
    let mut gates = memory.take(rows * wide);
    weights.input.affine(Matrix::new(x, rows, size.input), weights.bias, &mut gates, memory);
    let mut cells = memory.take(rows * hidden);
    let zeros = memory.zeros(hidden);
    for step in packing.steps(direction) {
        if step.continued > 0 {
            let before = Matrix::with_stride(
                &out[columns.at(step.previous)..],
                step.continued,
                hidden,
                columns.stride,
            );
            let target = Target::new(&mut gates[step.start * wide..], wide);
            weights.recurrent.add_product(before, wide, target, memory);
        }
        for i in 0..step.width {
            let row = step.start + i;
            let z = &mut gates[row * wide..][..wide];
            let h = &mut out[columns.at(row)..][..hidden];
            if i < step.continued {
                let (before, c) = two_rows(&mut cells, step.previous + i, row, hidden);
                activate(z, before, c, h);
            } else {
                activate(z, &zeros, &mut cells[row * hidden..][..hidden], h);
            }
        }
    }
    memory.give(zeros);
    Saved { gates, cells }
}

/// Row `a` to read and row `b` to write.
fn two_rows(data: &mut [f32], a: usize, b: usize, width: usize) -> (&[f32], &mut [f32]) {
    if a < b {
        let (low, high) = data.split_at_mut(b * width);
        (&low[a * width..][..width], &mut high[..width])
    } else {
        let (low, high) = data.split_at_mut(a * width);
        (&high[..width], &mut low[b * width..][..width])
    }
}

vectorised! {
    /// From z to the gates in place, c and h of one row.
    fn activate(z: &mut [f32], before: &[f32], c: &mut [f32], h: &mut [f32]) {
        let n = h.len();
        let (i, rest) = z.split_at_mut(n);
        let (f, rest) = rest.split_at_mut(n);
        let (g, o) = rest.split_at_mut(n);
        let (o, c, before) = (&mut o[..n], &mut c[..n], &before[..n]);
        i.iter_mut().for_each(|x| *x = sigmoid(*x));
        f.iter_mut().for_each(|x| *x = sigmoid(*x));
        g.iter_mut().for_each(|x| *x = tanh(*x));
        o.iter_mut().for_each(|x| *x = sigmoid(*x));
        for j in 0..n {
            c[j] = f[j] * before[j] + i[j] * g[j];
        }
        for j in 0..n {
            h[j] = o[j] * tanh(c[j]);
        }
    }

    /// From the gates to dz in place, and from dc to dc₋ in place, of one row.
    fn deactivate(gates: &mut [f32], before: &[f32], c: &[f32], dh: &[f32], dc: &mut [f32]) {
        let n = dh.len();
        let (i, rest) = gates.split_at_mut(n);
        let (f, rest) = rest.split_at_mut(n);
        let (g, o) = rest.split_at_mut(n);
        let (o, c, before, dc) = (&mut o[..n], &c[..n], &before[..n], &mut dc[..n]);
        for j in 0..n {
            let t = tanh(c[j]);
            let d = dc[j] + dh[j] * o[j] * (1.0 - t * t);
            dc[j] = d * f[j];
            o[j] = dh[j] * t * o[j] * (1.0 - o[j]);
            f[j] = d * before[j] * f[j] * (1.0 - f[j]);
            let (gate, new) = (i[j], g[j]);
            i[j] = d * new * gate * (1.0 - gate);
            g[j] = d * gate * (1.0 - new * new);
        }
    }
}

/// Adds the gradients of the weights and, if wanted, of x, from the gradient of `out`, which is not changed.
#[allow(clippy::too_many_arguments)]
pub fn backward(
    size: Size,
    weights: Weights,
    gradients: Gradients,
    direction: Direction,
    packing: &Packing,
    x: &[f32],
    out: &[f32],
    columns: Columns,
    saved: Saved,
    d_out: &[f32],
    d_x: Option<&mut [f32]>,
    memory: &mut Memory,
) {
    let (hidden, wide, rows) = (size.hidden, 4 * size.hidden, packing.rows);
    let Saved { mut gates, cells } = saved;
    let widest = packing.widths.first().copied().unwrap_or(0);
    let mut dh = memory.zeros(widest * hidden);
    let mut dc = memory.zeros(widest * hidden);
    let mut before = memory.zeros(rows * hidden);
    let zeros = memory.zeros(hidden);
    let u = Matrix::new(weights.recurrent.numbers, hidden, wide);
    for step in packing.steps(direction).rev() {
        for i in 0..step.width {
            let row = step.start + i;
            let dh = &mut dh[i * hidden..][..hidden];
            add(dh, &d_out[columns.at(row)..][..hidden]);
            let continued = i < step.continued;
            let c_before = if continued { &cells[(step.previous + i) * hidden..][..hidden] } else { &zeros };
            let c = &cells[row * hidden..][..hidden];
            deactivate(&mut gates[row * wide..][..wide], c_before, c, dh, &mut dc[i * hidden..][..hidden]);
            if continued {
                let h = &out[columns.at(step.previous + i)..][..hidden];
                before[row * hidden..][..hidden].copy_from_slice(h);
            }
        }
        // Rows of sequences that begin here (in this direction) leave nothing behind; those that are still to
        // come have zeros in `dh` and `dc`, because no row of theirs was visited yet.
        let dz = Matrix::new(&gates[step.start * wide..], step.continued, wide);
        product(dz, u.transposed(), Target::new(&mut dh, hidden));
    }
    let dz = Matrix::new(&gates, rows, wide);
    let before_rows = Matrix::new(&before, rows, hidden);
    add_product(before_rows.transposed(), dz, Target::new(gradients.recurrent, wide));
    add_product(Matrix::new(x, rows, size.input).transposed(), dz, Target::new(gradients.input, wide));
    add_rows(gradients.bias, &gates[..rows * wide]);
    if let Some(d_x) = d_x {
        let w = Matrix::new(weights.input.numbers, size.input, wide);
        add_product(dz, w.transposed(), Target::new(d_x, size.input));
    }
    for buffer in [dh, dc, before, zeros, gates, cells] {
        memory.give(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::{check, numbers, weighted};
    use super::*;

    const SIZE: Size = Size { input: 3, hidden: 4 };

    fn run(w: &[f32], u: &[f32], b: &[f32], direction: Direction, lengths: &[usize], x: &[f32]) -> Vec<f32> {
        let packing = Packing::new(lengths);
        let mut out = vec![0.0; packing.rows() * 5];
        let weights = Weights { input: w.into(), recurrent: u.into(), bias: b };
        let columns = Columns { stride: 5, column: 1 };
        forward(SIZE, weights, direction, &packing, x, &mut out, columns, &mut Memory::default());
        out
    }

    #[test]
    fn gradients() {
        let lengths = [4, 3, 3, 1];
        let (w, u, b) = (numbers(48, 1), numbers(64, 2), numbers(16, 3));
        let packing = Packing::new(&lengths);
        let x = numbers(packing.rows() * 3, 4);
        let mut d_out = numbers(packing.rows() * 5, 5);
        d_out.iter_mut().step_by(5).for_each(|d| *d = 0.0);
        for direction in [Direction::Forward, Direction::Backward] {
            let weights = Weights { input: (&w).into(), recurrent: (&u).into(), bias: &b };
            let columns = Columns { stride: 5, column: 1 };
            let mut memory = Memory::default();
            let mut out = vec![0.0; packing.rows() * 5];
            let saved = forward(SIZE, weights, direction, &packing, &x, &mut out, columns, &mut memory);
            let (mut dw, mut du, mut db) = (vec![0.0; 48], vec![0.0; 64], vec![0.0; 16]);
            let mut dx = vec![0.0; x.len()];
            let gradients = Gradients { input: &mut dw, recurrent: &mut du, bias: &mut db };
            backward(
                SIZE,
                weights,
                gradients,
                direction,
                &packing,
                &x,
                &out,
                columns,
                saved,
                &d_out,
                Some(&mut dx),
                &mut memory,
            );
            check("W", &w, &dw, |w| weighted(&run(w, &u, &b, direction, &lengths, &x), &d_out));
            check("U", &u, &du, |u| weighted(&run(&w, u, &b, direction, &lengths, &x), &d_out));
            check("b", &b, &db, |b| weighted(&run(&w, &u, b, direction, &lengths, &x), &d_out));
            check("x", &x, &dx, |x| weighted(&run(&w, &u, &b, direction, &lengths, x), &d_out));
        }
    }

    #[test]
    fn a_sequence_does_not_depend_on_its_batch() {
        let (w, u, b) = (numbers(48, 1), numbers(64, 2), numbers(16, 3));
        let lengths = [5, 4, 4, 2, 1];
        let packing = Packing::new(&lengths);
        let x = numbers(packing.rows() * 3, 4);
        for direction in [Direction::Forward, Direction::Backward] {
            let together = run(&w, &u, &b, direction, &lengths, &x);
            for (sequence, &length) in lengths.iter().enumerate() {
                let rows = (0..length).map(|time| packing.row(sequence, time));
                let own: Vec<f32> = rows.clone().flat_map(|row| x[row * 3..][..3].to_vec()).collect();
                let alone = run(&w, &u, &b, direction, &[length], &own);
                let same: Vec<f32> = rows.flat_map(|row| together[row * 5..][..5].to_vec()).collect();
                assert_eq!(alone, same);
            }
        }
    }
}
