//! The numbers of a stored tensor: f32, f16, or int8 with a factor for each row.
//!
//! int8: row r of a matrix is stored as round(x / f_r) with f_r = max|x| / 127, so an error is at most f_r / 2. Only large
//! matrices are stored so; biases and other small tensors stay f32, where nothing can be saved.

use crate::NeuralError;
use half::f16;
use half::slice::HalfFloatSliceExt;
use serde::{Deserialize, Serialize};

/// How exactly weights are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 32 bits: exactly as learnt, and used right from the file.
    #[default]
    F32,
    /// 16 bits.
    F16,
    /// 8 bits and a factor a row.
    Int8,
}

/// Tensors with fewer numbers are always f32.
const SMALL: usize = 1024;

/// The type's name in a file.
pub(super) fn kind(precision: Precision, shape: &[usize]) -> &'static str {
    if shape.len() < 2 || shape.iter().product::<usize>() < SMALL {
        return "F32";
    }
    match precision {
        Precision::F32 => "F32",
        Precision::F16 => "F16",
        Precision::Int8 => "I8",
    }
}

pub(super) fn f16_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect()
}

/// The rounded numbers and the factors of the rows.
pub(super) fn int8(numbers: &[f32], columns: usize) -> (Vec<u8>, Vec<f32>) {
    let (mut bytes, mut factors) = (Vec::with_capacity(numbers.len()), Vec::new());
    for row in numbers.chunks(columns.max(1)) {
        let most = row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let factor = most / 127.0;
        let inverse = if most > 0.0 { 127.0 / most } else { 0.0 };
        bytes.extend(row.iter().map(|x| (x * inverse).round() as i8 as u8));
        factors.push(factor);
    }
    (bytes, factors)
}

pub(super) fn from_f16(name: &str, bytes: &[u8], out: &mut [f32]) -> Result<(), NeuralError> {
    let wrong = || NeuralError::Damaged(format!("the length of {name:?}"));
    if bytes.len() != 2 * out.len() {
        return Err(wrong());
    }
    match bytemuck::try_cast_slice::<u8, u16>(bytes) {
        Ok(bits) if cfg!(target_endian = "little") => {
            let halves: &[f16] = bytemuck::cast_slice(bits);
            halves.convert_to_f32_slice(out);
        }
        _ => {
            for (out, pair) in out.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *out = f16::from_le_bytes(*pair).to_f32();
            }
        }
    }
    Ok(())
}

pub(super) fn from_int8(
    name: &str,
    bytes: &[u8],
    factors: &[f32],
    out: &mut [f32],
) -> Result<(), NeuralError> {
    if bytes.len() != out.len() || factors.is_empty() || !out.len().is_multiple_of(factors.len()) {
        return Err(NeuralError::Damaged(format!("the length of {name:?}")));
    }
    let columns = out.len() / factors.len();
    let rows = out.chunks_exact_mut(columns).zip(bytes.chunks_exact(columns));
    for ((out, bytes), factor) in rows.zip(factors) {
        for (out, &byte) in out.iter_mut().zip(bytes) {
            *out = f32::from(byte as i8) * factor;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_bounded() {
        let numbers: Vec<f32> = (0..2000).map(|i| ((i * 37 % 101) as f32 - 50.0) * 0.01).collect();
        let (bytes, factors) = int8(&numbers, 100);
        let mut back = vec![0.0; 2000];
        from_int8("x", &bytes, &factors, &mut back).unwrap();
        assert!(numbers.iter().zip(&back).all(|(a, b)| (a - b).abs() <= 0.5 / 127.0 * 0.51));
        from_f16("x", &f16_bytes(&numbers), &mut back).unwrap();
        assert!(numbers.iter().zip(&back).all(|(a, b)| (a - b).abs() <= 3e-4));
        assert!(from_f16("x", &[1, 2, 3], &mut back).is_err());
        assert!(from_int8("x", &bytes, &[], &mut back).is_err());
    }

    #[test]
    fn a_row_of_zeros_stays_so() {
        let (bytes, factors) = int8(&[0.0; 4], 2);
        let mut back = vec![1.0; 4];
        from_int8("x", &bytes, &factors, &mut back).unwrap();
        assert_eq!(back, [0.0; 4]);
    }
}
