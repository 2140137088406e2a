//! Matrix products: C = A B or C += A B, with any strides, on the `gemm-f32` crate.
//!
//! Invariant: where A and B are row-major, a row of C depends on that row of A and on B alone, bit for bit, however many
//! rows A has. (A transposed B has no such promise: it is for gradients, and for products within one sentence.) `gemm` by
//! itself does not promise that: it cuts the inner dimension into blocks whose size depends on the outer ones, and
//! has other summations for vectors. Measured (`rows_do_not_depend_on_their_neighbours`), an inner dimension of up to
//! [`INNER`] is never cut and every element is one chain of fused multiply-adds in order; so longer ones are cut here,
//! always in the same places, a single row is multiplied as two equal ones, and products with a single column are made
//! of [`dot`]s.
//!
//! This file has the crate's only call of `gemm`, which takes raw pointers; bounds are checked before it.

use super::elementwise::dot;
use gemm_common::Parallelism;
use gemm_f32::gemm::f32::get_gemm_fn;

/// The longest inner dimension that goes to `gemm` in one piece.
pub const INNER: usize = 400;

/// A matrix in borrowed memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// A row-major matrix without gaps.
    pub fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A row-major matrix whose rows begin `stride` apart.
    pub fn with_stride(data: &'a [f32], rows: usize, columns: usize, stride: usize) -> Self {
        Matrix { data, rows, columns, row_stride: stride, column_stride: 1 }
    }

    /// The transpose, without moving anything.
    pub fn transposed(self) -> Self {
        Matrix {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row of a matrix that is row-major.
    pub fn row(&self, row: usize) -> &'a [f32] {
        debug_assert_eq!(self.column_stride, 1);
        &self.data[row * self.row_stride..][..self.columns]
    }

    fn fits(&self) -> bool {
        self.rows == 0
            || self.columns == 0
            || (self.rows - 1) * self.row_stride + (self.columns - 1) * self.column_stride < self.data.len()
    }
}

/// Where a product goes: row-major, rows `stride` apart.
#[derive(Debug)]
pub struct Target<'a> {
    data: &'a mut [f32],
    stride: usize,
}

impl<'a> Target<'a> {
    /// Rows without gaps of the product's width.
    pub fn new(data: &'a mut [f32], columns: usize) -> Self {
        Target { data, stride: columns }
    }

    /// A row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.data[row * self.stride..][..self.stride]
    }
}

/// C = A B.
pub fn product(a: Matrix, b: Matrix, c: Target) {
    general(a, b, c, false);
}

/// C += A B.
pub fn add_product(a: Matrix, b: Matrix, c: Target) {
    general(a, b, c, true);
}

fn general(a: Matrix, b: Matrix, c: Target, add: bool) {
    let (m, n, inner) = (a.rows, b.columns, a.columns);
    if m == 0 || n == 0 {
        return;
    }
    // A wrong shape is a mistake in this crate, and going on would read foreign memory.
    assert!(
        a.fits() && b.fits() && b.rows == inner && (m - 1) * c.stride + n <= c.data.len(),
        "matrix shapes"
    );
    if n == 1 && a.column_stride == 1 && b.row_stride == 1 {
        for i in 0..m {
            let value = dot(&a.data[i * a.row_stride..][..inner], &b.data[..inner]);
            let place = &mut c.data[i * c.stride];
            *place = if add { *place + value } else { value };
        }
        return;
    }
    if m == 1 && a.column_stride == 1 {
        let twice = [&a.data[..inner], &a.data[..inner]].concat();
        let mut rows = [&c.data[..n], &c.data[..n]].concat();
        general(Matrix::new(&twice, 2, inner), b, Target::new(&mut rows, n), add);
        c.data[..n].copy_from_slice(&rows[..n]);
        return;
    }
    if inner == 0 {
        if !add {
            (0..m).for_each(|i| c.data[i * c.stride..][..n].fill(0.0));
        }
        return;
    }
    let pieces = inner.div_ceil(INNER);
    let length = inner.div_ceil(pieces);
    let mut start = 0;
    while start < inner {
        let length = length.min(inner - start);
        let add = add || start > 0;
        // Its kernels like columns: what is computed is the transpose, Bᵀ Aᵀ.
        //
        // SAFETY: the assertion above has compared all three shapes with the lengths of the slices, and
        // `start + length` is at most the inner dimension. C is borrowed mutably, so nothing overlaps it.
        unsafe {
            get_gemm_fn()(
                n,
                m,
                length,
                c.data.as_mut_ptr(),
                c.stride as isize,
                1,
                add,
                b.data.as_ptr().add(start * b.row_stride),
                b.row_stride as isize,
                b.column_stride as isize,
                a.data.as_ptr().add(start * a.column_stride),
                a.row_stride as isize,
                a.column_stride as isize,
                f32::from(u8::from(add)),
                1.0,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
        start += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let mut random = Random::new(seed);
        (0..count).map(|_| random.normal()).collect()
    }

    #[test]
    fn equals_the_definition_for_all_strides() {
        let (m, n, k) = (7, 5, 3);
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
        let at: Vec<f32> = (0..k * m).map(|i| a[i % m * k + i / m]).collect();
        let bt: Vec<f32> = (0..n * k).map(|i| b[i % k * n + i / k]).collect();
        let mut expected = vec![0.0_f32; m * n];
        for i in 0..m {
            for j in 0..n {
                expected[i * n + j] = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
            }
        }
        for a in [Matrix::new(&a, m, k), Matrix::new(&at, k, m).transposed()] {
            for b in [Matrix::new(&b, k, n), Matrix::new(&bt, n, k).transposed()] {
                let mut c = vec![1.0; m * n];
                product(a, b, Target::new(&mut c, n));
                assert!(c.iter().zip(&expected).all(|(c, e)| (c - e).abs() < 1e-5));
                add_product(a, b, Target::new(&mut c, n));
                assert!(c.iter().zip(&expected).all(|(c, e)| (c - 2.0 * e).abs() < 1e-5));
            }
        }
    }

    #[test]
    fn rows_do_not_depend_on_their_neighbours() {
        let rows = 150;
        for k in [1, 7, 32, 96, 100, 200, 250, 399, 400, 401, 640, 1000] {
            for n in [1, 2, 3, 15, 16, 17, 48, 100, 333] {
                let (a, b) = (numbers(rows * k, 3), numbers(k * n, 4));
                let b = Matrix::new(&b, k, n);
                for add in [false, true] {
                    let before = numbers(rows * n, 5);
                    let mut all = before.clone();
                    general(Matrix::new(&a, rows, k), b, Target::new(&mut all, n), add);
                    for m in (1..20).chain([31, 32, 33, 64, 97, 128]) {
                        for from in [0, 3] {
                            let mut some = before[from * n..(from + m) * n].to_vec();
                            general(Matrix::new(&a[from * k..], m, k), b, Target::new(&mut some, n), add);
                            assert!(some == all[from * n..(from + m) * n], "{m} rows of {k} x {n}, {add}");
                        }
                    }
                }
            }
        }
    }
}
