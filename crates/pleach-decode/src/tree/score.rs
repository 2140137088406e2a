//! The numbers that charts add and compare.

use std::ops::Add;

/// A score: a float, or an integer where ties must be broken exactly.
pub trait Score: Copy + PartialOrd + Add<Output = Self> {
    /// The score of nothing.
    const ZERO: Self;
    /// The score of what is forbidden; for integers, sums of a few of them still fit.
    const NONE: Self;

    /// The larger one; the second one among equals.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
}

impl Score for f32 {
    const ZERO: f32 = 0.0;
    const NONE: f32 = f32::NEG_INFINITY;
}

impl Score for f64 {
    const ZERO: f64 = 0.0;
    const NONE: f64 = f64::NEG_INFINITY;
}

impl Score for i64 {
    const ZERO: i64 = 0;
    const NONE: i64 = i64::MIN / 4;
}

/// How many sums are kept apart so that the processor can work on them side by side.
const LANES: usize = 8;

/// The largest of `a[i] + b[i]`. Plain loops: rows are short, and what adapters of iterators leave behind would take longer than the sums.
#[inline]
pub(super) fn best_sum<S: Score>(a: &[S], b: &[S]) -> S {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let (mut best, mut at) = (S::NONE, 0);
    if len >= LANES {
        let mut lanes = [S::NONE; LANES];
        while at + LANES <= len {
            let (a, b) = (&a[at..at + LANES], &b[at..at + LANES]);
            for lane in 0..LANES {
                lanes[lane] = (a[lane] + b[lane]).larger(lanes[lane]);
            }
            at += LANES;
        }
        for lane in &lanes {
            best = lane.larger(best);
        }
    }
    while at < len {
        best = (a[at] + b[at]).larger(best);
        at += 1;
    }
    best
}

/// The largest of some scores.
#[inline]
pub(super) fn largest<S: Score>(scores: &[S]) -> S {
    let mut best = S::NONE;
    for score in scores {
        best = score.larger(best);
    }
    best
}

/// The first place where `a[i] + b[i]` is `best`: where [`best_sum`] found it. Charts keep no back pointers: on
/// the way down, the same sums are looked through once more.
#[inline]
pub(super) fn place_of<S: Score>(best: S, a: &[S], b: &[S]) -> usize {
    a.iter().zip(b).position(|(&a, &b)| a + b == best).unwrap_or(0)
}
