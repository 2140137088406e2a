//! Random numbers: SplitMix64 (Steele, Lea and Flood 2014), small enough to be part of a checkpoint.

/// A stream of random numbers that its seed decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// What [`new`](Self::new) needs to go on with this stream from here.
    pub fn state(&self) -> u64 {
        self.0
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number in 0..1.
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// A number from the standard normal distribution.
    pub fn normal(&mut self) -> f32 {
        let radius = (-2.0 * self.unit().max(1e-7).ln()).sqrt();
        radius * (std::f32::consts::TAU * self.unit()).cos()
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// Puts items into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// A bijection of 64 bits that spreads every bit over all others.
#[inline]
pub fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_continues_its_stream() {
        let mut random = Random::new(5);
        random.bits();
        let mut again = Random::new(random.state());
        assert_eq!(random.bits(), again.bits());
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut random = Random::new(1);
        let numbers: Vec<f64> = (0..20_000).map(|_| f64::from(random.normal())).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
