//! Sums of whole rows, many numbers at once: with AVX2 where the processor has it, else as the compiler vectorises plain Rust.
//!
//! Each place is added up on its own and in order, so both ways give the same bits, floats too.

use std::ops::AddAssign;

/// So many sums stay in registers while all rows are added to them.
const BLOCK: usize = 64;

/// Defines functions that are compiled a second time for AVX2, chosen at run time.
macro_rules! wide {
    ($($(#[$meta:meta])* fn $name:ident $(<$sum:ident: $bound:path>)? ($($arg:ident: $ty:ty),*) $body:block)*) => {$(
        $(#[$meta])*
        #[inline]
        pub(crate) fn $name $(<$sum: $bound>)? ($($arg: $ty),*) {
            #[inline(always)]
            fn plain $(<$sum: $bound>)? ($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2 $(<$sum: $bound>)? ($($arg: $ty),*) {
                    plain($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    #[allow(unsafe_code, reason = "only so can code be called that not every processor runs")]
                    // SAFETY: the processor has AVX2, as the line above has found out.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    )*};
}

/// What rows are added up in.
pub(crate) trait Number: Copy + Default + AddAssign {}

impl<S: Copy + Default + AddAssign> Number for S {}

wide! {
    /// Makes `sums` those of vectors, as long as it, that stand one after the other in `all` and have these numbers.
    fn sum_vectors<S: Number>(sums: &mut [S], all: &[S], numbers: &[u32]) {
        let width = sums.len();
        let mut from = 0;
        let (blocks, rest) = sums.as_chunks_mut::<BLOCK>();
        for sums in blocks {
            let mut own = [S::default(); BLOCK];
            for &number in numbers {
                if let Some(part) = all[number as usize * width + from..].first_chunk::<BLOCK>() {
                    for j in 0..BLOCK {
                        own[j] += part[j];
                    }
                }
            }
            *sums = own;
            from += BLOCK;
        }
        rest.fill(S::default());
        for &number in numbers {
            let part = &all[number as usize * width + from..][..rest.len()];
            rest.iter_mut().zip(part).for_each(|(sum, &part)| *sum += part);
        }
    }

    /// Makes `sums` those of rows that stand one after the other in `all`, each `width` long, and have these numbers.
    fn sum_weights(sums: &mut [i32], all: &[i16], width: usize, numbers: &[usize]) {
        let mut from = 0;
        let (blocks, rest) = sums.as_chunks_mut::<BLOCK>();
        for sums in blocks {
            let mut own = [0i32; BLOCK];
            for &number in numbers {
                let part = all.get(number * width + from..).and_then(|part| part.first_chunk::<BLOCK>());
                if let Some(part) = part {
                    for j in 0..BLOCK {
                        own[j] = own[j].wrapping_add(i32::from(part[j]));
                    }
                }
            }
            *sums = own;
            from += BLOCK;
        }
        rest.fill(0);
        for &number in numbers {
            let part = all.get(number * width + from..).unwrap_or_default();
            rest.iter_mut().zip(part).for_each(|(sum, &part)| *sum = sum.wrapping_add(i32::from(part)));
        }
    }

    /// Adds a weight to every sum.
    fn add_weights(sums: &mut [i32], weights: &[i16]) {
        for (sum, &weight) in sums.iter_mut().zip(weights) {
            *sum = sum.wrapping_add(i32::from(weight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_one_after_the_other() {
        for width in [1, 63, 64, 65, 200] {
            let all: Vec<f32> = (0..width * 9).map(|i| (i as f32 * 0.7).sin() * 1e3).collect();
            let numbers = [3, 0, 8, 8, 5];
            let (mut expected, mut found) = (vec![0.0; width], vec![7.0; width]);
            for number in numbers {
                for j in 0..width {
                    expected[j] += all[number as usize * width + j];
                }
            }
            sum_vectors(&mut found, &all, &numbers);
            assert_eq!(found, expected);
            let weights: Vec<i16> = (0..width).map(|i| (i * 977) as i16).collect();
            let mut sums = vec![5; width];
            add_weights(&mut sums, &weights);
            assert!(sums.iter().zip(&weights).all(|(&sum, &weight)| sum == 5 + i32::from(weight)));
            let rows: Vec<i16> = (0..width * 9).map(|i| (i * 977) as i16).collect();
            let mut expected = vec![0; width];
            numbers.iter().for_each(|&number| add_weights(&mut expected, &rows[number as usize * width..]));
            let mut found = vec![7; width];
            sum_weights(&mut found, &rows, width, &numbers.map(|number| number as usize));
            assert_eq!(found, expected);
        }
    }
}
