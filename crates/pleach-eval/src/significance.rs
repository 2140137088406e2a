//! Is one system better than the other, or just luckier? The paired bootstrap (Efron and Tibshirani 1993;
//! Koehn 2004) as Berg-Kirkpatrick, Burkett and Klein (2012) set it out, which SDP's toolkit follows.
//!
//! Samples of as many sentences as there are, drawn with replacement; p is the share of samples in which
//! the better system leads by more than twice its lead on the real data. O(samples · sentences), over all
//! cores. Each sample has its own random numbers, made from the seed and the sample's number, so the result
//! does not depend on the number of threads.

use crate::ArcCounts;
use crate::counts::ratio;
use rayon::prelude::*;

/// What two systems did with one sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// The first system against gold.
    pub first: ArcCounts,
    /// The second system against gold.
    pub second: ArcCounts,
}

/// How to draw samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// The number of samples.
    pub samples: u64,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Bootstrap { samples: 10_000, seed: 42 }
    }
}

/// A difference and how likely it is to be a fluke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The first system's F (its accuracy, where gold and system have the same number of arcs).
    pub first: f64,
    /// The second system's.
    pub second: f64,
    /// `second - first`.
    pub delta: f64,
    /// One-sided: how often chance would give the better system such a lead; 1 when there is none.
    pub p_value: f64,
}

impl Bootstrap {
    /// Compares two systems.
    pub fn compare(&self, units: &[Unit]) -> Difference {
        let mut total = Unit::default();
        for unit in units {
            total.first += unit.first;
            total.second += unit.second;
        }
        let delta = lead(&total);
        let p_value = if delta == 0.0 || self.samples == 0 {
            1.0
        } else {
            let sign = delta.signum();
            let flukes: u64 = (0..self.samples)
                .into_par_iter()
                .map(|sample| {
                    let mut random = Random::new(self.seed, sample);
                    let mut drawn = Unit::default();
                    for _ in 0..units.len() {
                        let unit = &units[random.below(units.len())];
                        drawn.first += unit.first;
                        drawn.second += unit.second;
                    }
                    u64::from(sign * lead(&drawn) > 2.0 * delta.abs())
                })
                .sum();
            ratio(flukes, self.samples).unwrap_or(1.0)
        };
        Difference { first: total.first.f(), second: total.second.f(), delta, p_value }
    }
}

fn lead(unit: &Unit) -> f64 {
    unit.second.f() - unit.first.f()
}

/// SplitMix64 (Steele, Lea and Flood 2014): a counter through a mixing function.
struct Random(u64);

impl Random {
    fn new(seed: u64, sample: u64) -> Self {
        let mut random = Random(seed);
        Random(random.next() ^ sample.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, by multiplication; the bias is below n / 2^64.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(first: u64, second: u64) -> Unit {
        let counts = |correct| ArcCounts { gold: 10, system: 10, correct };
        Unit { first: counts(first), second: counts(second) }
    }

    #[test]
    fn equal_systems_differ_by_nothing() {
        let units = vec![unit(5, 5); 20];
        let result = Bootstrap::default().compare(&units);
        assert_eq!((result.delta, result.p_value), (0.0, 1.0));
        assert_eq!(Bootstrap::default().compare(&[]).p_value, 1.0);
    }

    #[test]
    fn a_constant_lead_is_no_fluke_and_the_sides_are_alike() {
        let units = vec![unit(5, 7); 20];
        let result = Bootstrap::default().compare(&units);
        assert!((result.delta - 0.2).abs() < 1e-12);
        assert_eq!(result.p_value, 0.0);
        let mixed: Vec<Unit> = (0..40).map(|i| unit(5, if i % 2 == 0 { 9 } else { 2 })).collect();
        let swapped: Vec<Unit> = mixed.iter().map(|u| Unit { first: u.second, second: u.first }).collect();
        let (one, other) = (Bootstrap::default().compare(&mixed), Bootstrap::default().compare(&swapped));
        assert_eq!(one.delta, -other.delta);
        assert_eq!(one.p_value, other.p_value);
        // The lead is 0.05, the standard deviation of the mean 0.35 / sqrt(40): p(z > 0.90) is 0.18.
        assert!((0.14..0.22).contains(&one.p_value), "{}", one.p_value);
    }

    #[test]
    fn threads_do_not_matter_but_seeds_do() {
        let units: Vec<Unit> = (0..30).map(|i| unit(5, if i % 3 == 0 { 8 } else { 4 })).collect();
        let with = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Bootstrap { samples: 1000, seed }.compare(&units).p_value)
        };
        assert_eq!(with(1, 42), with(4, 42));
        let distinct: Vec<f64> = (0..8).map(|seed| with(2, seed)).collect();
        assert!(distinct.iter().any(|p| p != &distinct[0]));
    }
}
