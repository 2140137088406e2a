//! What the tests of several decoders share.
#![allow(dead_code)]

/// A small generator of numbers, the same on every machine.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    /// A whole number from -`most` to `most`, so that sums are exact and ties are common.
    pub fn score(&mut self, most: u32) -> f32 {
        self.below(2 * most + 1) as f32 - most as f32
    }
}
