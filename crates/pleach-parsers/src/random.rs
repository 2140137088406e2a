//! Random numbers that are the same on every machine.

/// SplitMix64 (Steele et al. 2014): a seed gives the same numbers everywhere, for ever.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers for one purpose (an epoch, a sentence) of a run.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut random =
            Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ purpose.wrapping_mul(0xD1B5_4A32_D192_ED03));
        random.bits();
        random
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        ((self.bits() >> 11) as f64) < p * (1u64 << 53) as f64
    }

    /// A random order of `0..n` (Fisher and Yates).
    pub fn order(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_permutations_that_the_seed_decides() {
        let order = Random::new(7, 1).order(100);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..100));
        assert_eq!(order, Random::new(7, 1).order(100));
        assert_ne!(order, Random::new(7, 2).order(100));
        assert_ne!(order, Random::new(8, 1).order(100));
    }
}
