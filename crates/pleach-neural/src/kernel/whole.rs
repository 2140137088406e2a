//! Products with weights that don't change any more, in whole numbers of eight bits.
//!
//! Each column of W and each row of x has a factor, and what is left of its numbers is rounded:
//!
//! ```text
//! w_kj ≈ f_j q_kj      f_j = max_k |w_kj| / 127
//! x_ik ≈ g_i p_ik      g_i = max_k |x_ik| / 127
//! (x W)_ij ≈ (g_i f_j) Σ_k p_ik q_kj
//! ```
//!
//! Invariant: the sum is exact, so its bits are the same on every processor and in every batch. Processors with VNNI
//! instructions add whole numbers up (`vnni`), four times as many at once as floats, those with AVX2 twice as many (`avx2`); all others
//! do it with floats, by the product that they have anyway. For these to be exact a sum must stay below 2²⁴, which is why W
//! has at most [`LONGEST`] rows. O(rows · input · output).

use super::elementwise::fill_rows;
use super::product::{Matrix, Target, add_product, product};
use super::simd::vectorised;
#[cfg(target_arch = "x86_64")]
use super::{avx2, vnni};
use crate::memory::Memory;

/// The most rows of a W: sums of so many products of two numbers up to 127 are exact in f32.
pub const LONGEST: usize = (1 << 24) / (127 * 127);

/// The largest whole number.
const MOST: f32 = 127.0;

/// 1.5 · 2²³: a number of up to 2²² that it is added to is rounded to a whole one, which is then in the low bits.
const MAGIC: f32 = 12_582_912.0;

/// A matrix of weights that x is multiplied by from the left.
#[derive(Clone, Debug)]
pub struct Whole {
    rows: usize,
    columns: usize,
    /// f, padded with zeros as the packed numbers are.
    factors: Vec<f32>,
    numbers: Numbers,
}

#[derive(Clone, Debug)]
enum Numbers {
    #[cfg(target_arch = "x86_64")]
    Vnni(vnni::Packed),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Packed),
    /// q as floats.
    Plain(Vec<f32>),
}

/// Who adds whole numbers up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    #[cfg(target_arch = "x86_64")]
    Vnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Floats,
}

impl Unit {
    /// The fastest one that this processor has.
    fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if vnni::Packed::is_supported() {
                return Unit::Vnni;
            }
            if avx2::Packed::is_supported() {
                return Unit::Avx2;
            }
        }
        Unit::Floats
    }
}

impl Whole {
    /// Rounds a row-major matrix; nothing if it has more than [`LONGEST`] rows.
    pub fn new(weights: &[f32], rows: usize, columns: usize) -> Option<Self> {
        Self::rounded(weights, rows, columns, Unit::best())
    }

    fn rounded(weights: &[f32], rows: usize, columns: usize, unit: Unit) -> Option<Self> {
        if rows > LONGEST || columns == 0 {
            return None;
        }
        let mut factors = vec![0.0_f32; columns];
        for row in weights.chunks_exact(columns) {
            factors.iter_mut().zip(row).for_each(|(most, w)| *most = most.max(w.abs()));
        }
        let inverse: Vec<f32> = factors.iter().map(|&most| inverse(most)).collect();
        factors.iter_mut().for_each(|factor| *factor /= MOST);
        let mut numbers = vec![0.0; rows * columns];
        for (out, row) in numbers.chunks_exact_mut(columns).zip(weights.chunks_exact(columns)) {
            for j in 0..columns {
                out[j] = (row[j] * inverse[j] + MAGIC) - MAGIC;
            }
        }
        let numbers = match unit {
            #[cfg(target_arch = "x86_64")]
            Unit::Vnni => {
                let packed = vnni::Packed::new(&numbers, rows, columns);
                factors.resize(packed.width(), 0.0);
                Numbers::Vnni(packed)
            }
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2 => {
                let packed = avx2::Packed::new(&numbers, rows, columns);
                factors.resize(packed.width(), 0.0);
                Numbers::Avx2(packed)
            }
            Unit::Floats => Numbers::Plain(numbers),
        };
        Some(Whole { rows, columns, factors, numbers })
    }

    /// C += x W. The rows of x have no gaps within them.
    fn add_product(&self, x: Matrix, mut c: Target, memory: &mut Memory) {
        let count = x.rows();
        let mut scales = memory.take(count);
        match &self.numbers {
            #[cfg(target_arch = "x86_64")]
            Numbers::Vnni(packed) => {
                let mut rounded = memory.take((count * packed.depth()).div_ceil(4));
                let bytes = self.round_rows(x, to_bytes, packed.depth(), &mut scales, &mut rounded);
                packed.add_product(bytes, &scales, &self.factors, self.columns, &mut c);
                memory.give(rounded);
            }
            #[cfg(target_arch = "x86_64")]
            Numbers::Avx2(packed) => {
                let mut rounded = memory.take((count * packed.depth()).div_ceil(2));
                let shorts = self.round_rows(x, to_shorts, packed.depth(), &mut scales, &mut rounded);
                packed.add_product(shorts, &scales, &self.factors, self.columns, &mut c);
                memory.give(rounded);
            }
            Numbers::Plain(numbers) => {
                let mut rounded = memory.take(count * self.rows);
                for (i, out) in rounded.chunks_exact_mut(self.rows).enumerate() {
                    let x = &x.row(i)[..self.rows];
                    let most = largest(x);
                    scales[i] = most / MOST;
                    to_floats(x, inverse(most), out);
                }
                let mut sums = memory.take(count * self.columns);
                product(
                    Matrix::new(&rounded, count, self.rows),
                    Matrix::new(numbers, self.rows, self.columns),
                    Target::new(&mut sums, self.columns),
                );
                for (i, sums) in sums.chunks_exact(self.columns).enumerate() {
                    add_scaled_sums(&mut c.row_mut(i)[..self.columns], sums, scales[i], &self.factors);
                }
                memory.give(rounded);
                memory.give(sums);
            }
        }
        memory.give(scales);
    }

    /// The rows of x as whole numbers in `memory`, each padded to `width`, and their factors.
    #[cfg(target_arch = "x86_64")]
    fn round_rows<'m, T: bytemuck::Pod>(
        &self,
        x: Matrix,
        round: fn(&[f32], f32, &mut [T]),
        width: usize,
        scales: &mut [f32],
        memory: &'m mut [f32],
    ) -> &'m [T] {
        let numbers = &mut bytemuck::cast_slice_mut(memory)[..x.rows() * width];
        for (i, scale) in scales.iter_mut().enumerate() {
            let (x, numbers) = (&x.row(i)[..self.rows], &mut numbers[i * width..][..width]);
            let most = largest(x);
            *scale = most / MOST;
            round(x, inverse(most), &mut numbers[..x.len()]);
            // What is beyond meets weights of zero.
            numbers[x.len()..].fill(T::zeroed());
        }
        numbers
    }
}

/// What makes the largest number [`MOST`]; 0 where all numbers are (nearly) zero, or not numbers at all.
fn inverse(largest: f32) -> f32 {
    if largest > 1e-30 && largest < f32::INFINITY { MOST / largest } else { 0.0 }
}

vectorised! {
    fn largest(x: &[f32]) -> f32 {
        let mut most = [0.0_f32; 16];
        let chunks = x.chunks_exact(16);
        for (most, x) in most.iter_mut().zip(chunks.remainder()) {
            *most = x.abs();
        }
        for chunk in chunks {
            for j in 0..16 {
                let x = chunk[j].abs();
                most[j] = if x > most[j] { x } else { most[j] };
            }
        }
        most.iter().fold(0.0, |a: f32, &b| a.max(b))
    }

    /// p + 128, which is never negative.
    fn to_bytes(x: &[f32], inverse: f32, out: &mut [u8]) {
        for (out, x) in out.iter_mut().zip(x) {
            *out = (x * inverse + MAGIC).to_bits() as u8 ^ 0x80;
        }
    }

    /// p: the low bits of a float from 2²³ on, as a number with a sign.
    fn to_shorts(x: &[f32], inverse: f32, out: &mut [i16]) {
        for (out, x) in out.iter_mut().zip(x) {
            *out = (x * inverse + MAGIC).to_bits() as i16;
        }
    }

    fn to_floats(x: &[f32], inverse: f32, out: &mut [f32]) {
        for (out, x) in out.iter_mut().zip(x) {
            *out = (x * inverse + MAGIC) - MAGIC;
        }
    }

    fn add_scaled_sums(c: &mut [f32], sums: &[f32], scale: f32, factors: &[f32]) {
        for ((c, sum), factor) in c.iter_mut().zip(sums).zip(factors) {
            *c += sum * (scale * factor);
        }
    }
}

/// The weights of a product: as they were learnt and, where they don't change any more, as whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Weight<'a> {
    /// As they were learnt, row-major.
    pub numbers: &'a [f32],
    /// As whole numbers.
    pub whole: Option<&'a Whole>,
}

impl<'a> From<&'a [f32]> for Weight<'a> {
    fn from(numbers: &'a [f32]) -> Self {
        Weight { numbers, whole: None }
    }
}

impl<'a> From<&'a Vec<f32>> for Weight<'a> {
    fn from(numbers: &'a Vec<f32>) -> Self {
        numbers.as_slice().into()
    }
}

impl Weight<'_> {
    /// C += x W. Rows of C depend on their rows of x and on W alone.
    pub fn add_product(self, x: Matrix, columns: usize, c: Target, memory: &mut Memory) {
        match self.whole {
            Some(whole) => whole.add_product(x, c, memory),
            None => add_product(x, Matrix::new(self.numbers, x.columns(), columns), c),
        }
    }

    /// C = x W + b for every row of x.
    pub fn affine(self, x: Matrix, bias: &[f32], out: &mut [f32], memory: &mut Memory) {
        fill_rows(out, bias);
        self.add_product(x, bias.len(), Target::new(out, bias.len()), memory);
    }
}

#[cfg(test)]
mod tests {
    use super::super::finite::numbers;
    use super::*;

    fn run(whole: &Whole, x: &[f32], stride: usize, count: usize) -> Vec<f32> {
        let mut c = numbers(count * whole.columns, 9);
        let x = Matrix::with_stride(x, count, whole.rows, stride);
        whole.add_product(x, Target::new(&mut c, whole.columns), &mut Memory::default());
        c
    }

    /// All that this processor has.
    fn units() -> impl Iterator<Item = Unit> {
        #[cfg(target_arch = "x86_64")]
        let fast = [
            vnni::Packed::is_supported().then_some(Unit::Vnni),
            avx2::Packed::is_supported().then_some(Unit::Avx2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let fast = [];
        fast.into_iter().flatten().chain([Unit::Floats])
    }

    /// Sums are exact: the definition in whole numbers of 64 bits gives the same bits, with and without the processor's
    /// instructions for it.
    #[test]
    fn equals_the_definition_on_every_processor() {
        for (rows, columns) in [(1, 1), (3, 5), (4, 16), (100, 17), (240, 960), (333, 40), (LONGEST, 33)] {
            let (w, stride) = (numbers(rows * columns, 1), rows + 3);
            for count in [1, 2, 3, 7, 8, 9, 33] {
                let x = numbers(count * stride, 2);
                let mut expected = numbers(count * columns, 9);
                for i in 0..count {
                    let x = &x[i * stride..][..rows];
                    let most = x.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
                    for j in 0..columns {
                        let column = || (0..rows).map(|k| w[k * columns + j]);
                        let top = column().fold(0.0_f32, |a, b| a.max(b.abs()));
                        let whole = |x: f32, top: f32| i64::from((x * (MOST / top)).round_ties_even() as i8);
                        let sum: i64 = column().zip(x).map(|(w, &x)| whole(w, top) * whole(x, most)).sum();
                        expected[i * columns + j] += sum as f32 * ((most / MOST) * (top / MOST));
                    }
                }
                for unit in units() {
                    let whole = Whole::rounded(&w, rows, columns, unit).unwrap();
                    let what = || format!("{unit:?}: {rows} x {columns}, {count} rows");
                    assert_eq!(run(&whole, &x, stride, count), expected, "{}", what());
                }
            }
        }
    }

    /// Even the longest sums of the largest numbers are exact in both ways.
    #[test]
    fn the_largest_sums_are_exact() {
        let (w, x) = (vec![1.0; LONGEST], vec![-1.0; LONGEST]);
        for whole in units().map(|unit| Whole::rounded(&w, LONGEST, 1, unit).unwrap()) {
            let before = numbers(1, 9)[0];
            let sum = -((127 * 127 * LONGEST) as f32) * ((1.0 / MOST) * (1.0 / MOST));
            assert_eq!(run(&whole, &x, LONGEST, 1), [before + sum]);
        }
        assert!(Whole::new(&vec![0.0; LONGEST + 1], LONGEST + 1, 1).is_none());
    }

    /// A row's error is at most half a step for each of its products' two sides.
    #[test]
    fn errors_are_as_small_as_rounding_makes_them() {
        let (rows, columns, count) = (200, 48, 5);
        let (w, x) = (numbers(rows * columns, 3), numbers(count * rows, 4));
        let mut expected = numbers(count * columns, 9);
        add_product(
            Matrix::new(&x, count, rows),
            Matrix::new(&w, rows, columns),
            Target::new(&mut expected, columns),
        );
        let got = run(&Whole::new(&w, rows, columns).unwrap(), &x, rows, count);
        for i in 0..count {
            let x = &x[i * rows..][..rows];
            let step = largest(x) / MOST / 2.0;
            for j in 0..columns {
                let column: Vec<f32> = (0..rows).map(|k| w[k * columns + j]).collect();
                let own = largest(&column) / MOST / 2.0;
                let bound: f32 = column.iter().zip(x).map(|(w, x)| w.abs() * step + x.abs() * own).sum();
                let error = (got[i * columns + j] - expected[i * columns + j]).abs();
                assert!(error <= bound + rows as f32 * step * own + 1e-4, "{error} {bound}");
                assert!(error < bound, "rounding went astray: {error} {bound}");
            }
        }
    }

    #[test]
    fn zeros_and_numbers_that_are_none_give_no_panic() {
        let whole = Whole::new(&[0.0, 1.0, 0.0, f32::NAN], 2, 2).unwrap();
        assert_eq!(run(&whole, &[0.0, 0.0], 2, 1)[0], numbers(2, 9)[0]);
        run(&whole, &[f32::INFINITY, f32::NAN], 2, 1);
    }
}
