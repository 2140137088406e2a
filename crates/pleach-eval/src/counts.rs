//! Counts from which precision, recall and F are computed.

use std::ops::{AddAssign, Sub};

/// How many arcs (or words, or frames) gold and system have, and how many they share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArcCounts {
    /// In the gold standard.
    pub gold: u64,
    /// In the system's output.
    pub system: u64,
    /// In both.
    pub correct: u64,
}

impl ArcCounts {
    /// Correct over system; 0 when the system has none.
    pub fn precision(&self) -> f64 {
        ratio(self.correct, self.system).unwrap_or(0.0)
    }

    /// Correct over gold; 0 when gold has none.
    pub fn recall(&self) -> f64 {
        ratio(self.correct, self.gold).unwrap_or(0.0)
    }

    /// `2 · correct / (gold + system)`, the harmonic mean of precision and recall; 0 when there is nothing.
    pub fn f(&self) -> f64 {
        ratio(2 * self.correct, self.gold + self.system).unwrap_or(0.0)
    }

    /// Counts one thing that stands in gold, in the system's output, or in both.
    #[inline]
    pub fn count(&mut self, in_gold: bool, in_system: bool) {
        self.gold += u64::from(in_gold);
        self.system += u64::from(in_system);
        self.correct += u64::from(in_gold && in_system);
    }
}

impl AddAssign for ArcCounts {
    fn add_assign(&mut self, other: Self) {
        self.gold += other.gold;
        self.system += other.system;
        self.correct += other.correct;
    }
}

impl Sub for ArcCounts {
    type Output = ArcCounts;

    /// What was counted since `before`.
    fn sub(self, before: Self) -> Self {
        ArcCounts {
            gold: self.gold - before.gold,
            system: self.system - before.system,
            correct: self.correct - before.correct,
        }
    }
}

/// A quotient of counts; `None` when the denominator is 0.
pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
