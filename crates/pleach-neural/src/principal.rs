//! Principal components: fewer numbers a row, those along which the rows differ most.
//!
//! The covariance matrix is made diagonal by Jacobi's rotations, each of which makes one pair of elements zero; the sum of
//! squares beside the diagonal only falls. O(n³) a sweep over all pairs, about ten sweeps. All sums are in double
//! precision and in a fixed order, so that the result is the same on every machine.

/// Sweeps over all pairs before giving up; quadratic convergence needs far fewer.
const SWEEPS: usize = 50;

/// Rows of `width` numbers as rows of at most `narrow`: their mean is taken away, and they are turned so that the first column
/// has the greatest variance, and so on.
pub fn principal(rows: &[f32], width: usize, narrow: usize) -> Vec<f32> {
    let narrow = narrow.min(width);
    if width == 0 || rows.is_empty() {
        return Vec::new();
    }
    let count = rows.len() / width;
    let mut mean = vec![0.0_f64; width];
    for row in rows.chunks_exact(width) {
        mean.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
    }
    mean.iter_mut().for_each(|sum| *sum /= count as f64);
    let mut centred = vec![0.0_f64; width];
    let centre = |row: &[f32], out: &mut [f64]| {
        out.iter_mut().zip(row).zip(&mean).for_each(|((out, &x), mean)| *out = f64::from(x) - mean);
    };
    let mut covariance = vec![0.0_f64; width * width];
    for row in rows.chunks_exact(width) {
        centre(row, &mut centred);
        for (i, &x) in centred.iter().enumerate() {
            let places = &mut covariance[i * width..][..width];
            places.iter_mut().zip(&centred).for_each(|(sum, &y)| *sum += x * y);
        }
    }
    let (values, vectors) = eigen(covariance, width);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    let mut out = Vec::with_capacity(count * narrow);
    for row in rows.chunks_exact(width) {
        centre(row, &mut centred);
        out.extend(order[..narrow].iter().map(|&column| {
            let vector = &vectors[column * width..][..width];
            vector.iter().zip(&centred).map(|(a, b)| a * b).sum::<f64>() as f32
        }));
    }
    out
}

/// The eigenvalues of a symmetric matrix and their vectors, one a row.
fn eigen(mut matrix: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors: Vec<f64> = (0..n * n).map(|place| f64::from(u8::from(place / n == place % n))).collect();
    let total: f64 = matrix.iter().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let beside: f64 =
            (0..n * n).filter(|place| place / n != place % n).map(|i| matrix[i] * matrix[i]).sum();
        if beside <= total * 1e-24 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut matrix, &mut vectors, n, p, q);
            }
        }
    }
    ((0..n).map(|i| matrix[i * n + i]).collect(), vectors)
}

/// Turns rows and columns p and q so that their common element becomes zero.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let common = matrix[p * n + q];
    if common == 0.0 {
        return;
    }
    let theta = (matrix[q * n + q] - matrix[p * n + p]) / (2.0 * common);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    for row in matrix.chunks_exact_mut(n) {
        let (left, right) = row.split_at_mut(q);
        turn(&mut left[p], &mut right[0]);
    }
    for rows in [matrix, vectors] {
        let (above, below) = rows.split_at_mut(q * n);
        above[p * n..][..n].iter_mut().zip(&mut below[..n]).for_each(|(x, y)| turn(x, y));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Eigenvectors are what the matrix only stretches, orthogonal to each other and of length one.
    #[test]
    fn eigenvectors_by_definition() {
        let mut random = Random::new(3);
        for n in [1, 2, 5, 12] {
            let half: Vec<f64> = (0..n * n).map(|_| f64::from(random.normal())).collect();
            let matrix: Vec<f64> = (0..n * n).map(|i| half[i] + half[i % n * n + i / n]).collect();
            let (values, vectors) = eigen(matrix.clone(), n);
            for (i, vector) in vectors.chunks_exact(n).enumerate() {
                for (row, x) in matrix.chunks_exact(n).zip(vector) {
                    let image: f64 = row.iter().zip(vector).map(|(a, b)| a * b).sum();
                    assert!((image - values[i] * x).abs() < 1e-9);
                }
                for (j, other) in vectors.chunks_exact(n).enumerate() {
                    let product: f64 = vector.iter().zip(other).map(|(a, b)| a * b).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-9);
                }
            }
        }
    }

    /// Rows on a plane lose nothing when they become two numbers, and the first column varies most.
    #[test]
    fn a_plane_stays_a_plane() {
        let mut random = Random::new(5);
        let (along, across) = ([3.0, 0.0, 4.0, 1.0], [0.0, 0.5, 0.0, 0.0]);
        let rows: Vec<f32> = (0..40)
            .flat_map(|_| {
                let (a, b) = (random.normal(), random.normal());
                (0..4).map(|i| 7.0 + a * along[i] + b * across[i]).collect::<Vec<f32>>()
            })
            .collect();
        let flat = principal(&rows, 4, 2);
        assert_eq!(flat.len(), 80);
        let distance = |rows: &[f32], width: usize, i: usize, j: usize| -> f32 {
            let (a, b) = (&rows[i * width..][..width], &rows[j * width..][..width]);
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
        };
        for (i, j) in (0..40).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert!((distance(&rows, 4, i, j) - distance(&flat, 2, i, j)).abs() < 1e-3);
        }
        let spread = |column: usize| flat.iter().skip(column).step_by(2).map(|x| x * x).sum::<f32>();
        assert!(spread(0) > 10.0 * spread(1));
        assert_eq!(principal(&[], 4, 2), Vec::<f32>::new());
        assert_eq!(principal(&rows, 4, 9).len(), rows.len());
    }
}
