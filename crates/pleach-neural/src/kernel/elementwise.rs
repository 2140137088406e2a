//! Sums, scalings and activation functions over slices.
//!
//! tanh is the quotient of an odd polynomial of degree 13 and an even one of degree 6 on |x| ≤ 7.9, where it is
//! within 2·10⁻⁷ of the true value; σ(x) = ½ + ½ tanh(x/2). Both are free of branches, so that loops over them
//! become vector code.

use super::simd::vectorised;

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let x = x.clamp(-7.905_311, 7.905_311);
    let square = x * x;
    let p = -2.760_768_5e-16_f32;
    let p = p * square + 2.000_188e-13;
    let p = p * square - 8.604_672e-11;
    let p = p * square + 5.122_297e-8;
    let p = p * square + 1.485_722_4e-5;
    let p = p * square + 6.372_619_3e-4;
    let p = p * square + 4.893_524_6e-3;
    let q = 1.198_258_4e-6_f32;
    let q = q * square + 1.185_347_1e-4;
    let q = q * square + 2.268_434_6e-3;
    let q = q * square + 4.893_525e-3;
    x * p / q
}

/// The logistic function.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    tanh(0.5 * x) * 0.5 + 0.5
}

vectorised! {
    /// y += x.
    pub fn add(y: &mut [f32], x: &[f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += x;
        }
    }

    /// y += a·x.
    pub fn add_scaled(y: &mut [f32], a: f32, x: &[f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += a * x;
        }
    }

    /// y ∘= x.
    pub fn multiply(y: &mut [f32], x: &[f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y *= x;
        }
    }

    /// y += a ∘ b.
    pub fn add_product(y: &mut [f32], a: &[f32], b: &[f32]) {
        for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
            *y += a * b;
        }
    }

    /// y *= a.
    pub fn scale(y: &mut [f32], a: f32) {
        for y in y {
            *y *= a;
        }
    }

    /// x·y, summed in sixteen lanes that are added up in order.
    pub fn dot(x: &[f32], y: &[f32]) -> f32 {
        let mut lanes = [0.0_f32; 16];
        let (x, x_rest) = x.as_chunks::<16>();
        let (y, y_rest) = y.as_chunks::<16>();
        for (x, y) in x.iter().zip(y) {
            for j in 0..16 {
                lanes[j] += x[j] * y[j];
            }
        }
        let rest: f32 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
        lanes.iter().sum::<f32>() + rest
    }

    /// The sum of squares in double precision, for norms.
    pub fn squares(x: &[f32]) -> f64 {
        let mut lanes = [0.0_f64; 8];
        let (x, rest) = x.as_chunks::<8>();
        for x in x {
            for j in 0..8 {
                lanes[j] += f64::from(x[j]) * f64::from(x[j]);
            }
        }
        lanes.iter().sum::<f64>() + rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>()
    }
}

/// Copies `row` into every row of `out`: the bias that a product is then added to.
pub fn fill_rows(out: &mut [f32], row: &[f32]) {
    for out in out.chunks_exact_mut(row.len()) {
        out.copy_from_slice(row);
    }
}

/// sum += the rows of `x`: the gradient of a bias.
pub fn add_rows(sum: &mut [f32], x: &[f32]) {
    for x in x.chunks_exact(sum.len()) {
        add(sum, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tanh_and_sigmoid_are_close_to_the_true_ones() {
        for i in -4000..4000 {
            let x = i as f32 * 0.004;
            assert!((f64::from(tanh(x)) - f64::from(x).tanh()).abs() < 4e-7, "tanh({x}) = {}", tanh(x));
            let true_sigmoid = 1.0 / (1.0 + (-f64::from(x)).exp());
            assert!((f64::from(sigmoid(x)) - true_sigmoid).abs() < 4e-7, "sigmoid({x}) = {}", sigmoid(x));
        }
    }

    #[test]
    fn dot_reaches_every_element() {
        for n in 0..40 {
            let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let expected: f32 = x.iter().map(|x| x * x).sum();
            assert_eq!(dot(&x, &x), expected);
            assert_eq!(squares(&x), f64::from(expected));
        }
    }
}
