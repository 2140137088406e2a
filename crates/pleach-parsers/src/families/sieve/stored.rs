//! A sieve in a model's card: a letter for each weight, of which there are sixty-four sizes, fine ones and coarse ones.

use super::{BITS, Measured, OLD_BITS, Sieve};
use serde::{Deserialize, Serialize};

/// A letter for each size, the most negative one first.
const LETTERS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";

/// The letter of a weight of 0.
const ZERO: usize = 32;

/// The size of a letter: small weights lie close together, large ones farther apart.
fn size(letter: usize) -> i8 {
    let from_zero = letter as i32 - ZERO as i32;
    (from_zero.signum() * (from_zero * from_zero + 7 * from_zero.abs()) / 10).clamp(-127, 127) as i8
}

/// The letter of the size nearest to a weight, the smaller letter among equals.
fn letter(steps: f32) -> usize {
    // Far beyond the largest size, floats would tell no sizes apart.
    let steps = steps.clamp(-127.0, 127.0);
    let far = |letter: &usize| (f32::from(size(*letter)) - steps).abs();
    (0..LETTERS.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(ZERO)
}

/// The size nearest to a weight in steps.
pub(super) fn nearest(steps: f32) -> i8 {
    size(letter(steps))
}

/// A sieve as a card has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    gap: i32,
    /// Sieves of before the key was there compared with even odds.
    #[serde(default)]
    relative: bool,
    measured: Measured,
    weights: String,
}

/// What is wrong with the sieve of a card.
#[derive(Debug, thiserror::Error)]
#[error("the model's sieve is damaged")]
pub(super) struct Damaged;

impl TryFrom<Stored> for Sieve {
    type Error = Damaged;

    fn try_from(Stored { gap, relative, measured, weights }: Stored) -> Result<Self, Damaged> {
        let mut sizes = [None; 256];
        for (number, &byte) in LETTERS.iter().enumerate() {
            sizes[usize::from(byte)] = Some(size(number));
        }
        let weights: Option<Vec<i8>> = weights.bytes().map(|byte| sizes[usize::from(byte)]).collect();
        let fits = |weights: &Vec<i8>| [1 << OLD_BITS, 1 << BITS].contains(&weights.len()) && gap >= 0;
        let weights = weights.filter(fits).ok_or(Damaged)?;
        Ok(Sieve { weights, gap, relative, measured })
    }
}

impl From<Sieve> for Stored {
    fn from(Sieve { weights, gap, relative, measured }: Sieve) -> Self {
        let letter = |&weight: &i8| char::from(LETTERS[letter(f32::from(weight))]);
        Stored { gap, relative, measured, weights: weights.iter().map(letter).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_back() {
        for number in 0..LETTERS.len() {
            assert_eq!(nearest(f32::from(size(number))), size(number), "{number}");
        }
        assert_eq!((nearest(0.2), nearest(1e9), nearest(-1e9)), (0, size(63), size(0)));
        assert!(size(63) > 100 && size(0) < -100 && size(ZERO) == 0 && size(ZERO + 2) == 1);
    }
}
