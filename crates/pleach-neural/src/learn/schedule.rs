//! Learning rates over time: warm-up, then decay.
//!
//! η(t) = peak · min(1, (t+1)/warm_up) · d(x), x the part of the steps after the warm-up that is over: d = 1, 1 − (1−last) x,
//! or last + (1−last)(1 + cos πx)/2.

use serde::{Deserialize, Serialize};

/// How the rate falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    /// Not at all.
    Constant,
    /// By the same amount each step.
    #[default]
    Linear,
    /// Along half a cosine.
    Cosine,
}

/// A learning rate for every step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The highest rate.
    pub peak: f32,
    /// The steps until it is reached.
    pub warm_up: u64,
    /// All steps.
    pub steps: u64,
    /// How the rate falls then.
    pub decay: Decay,
    /// The part of the peak that is left at the end.
    pub last: f32,
}

impl Schedule {
    /// The rate of a step, counted from 0.
    pub fn rate(&self, step: u64) -> f32 {
        if step < self.warm_up {
            return self.peak * (step + 1) as f32 / self.warm_up as f32;
        }
        let all = self.steps.saturating_sub(self.warm_up).max(1);
        let part = ((step - self.warm_up) as f64 / all as f64).min(1.0) as f32;
        let left = match self.decay {
            Decay::Constant => 1.0,
            Decay::Linear => 1.0 - part * (1.0 - self.last),
            Decay::Cosine => {
                self.last + (1.0 - self.last) * 0.5 * (1.0 + (std::f32::consts::PI * part).cos())
            }
        };
        self.peak * left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rises_and_falls() {
        for decay in [Decay::Constant, Decay::Linear, Decay::Cosine] {
            let schedule = Schedule { peak: 2.0, warm_up: 4, steps: 104, decay, last: 0.1 };
            assert_eq!(schedule.rate(0), 0.5);
            assert_eq!(schedule.rate(3), 2.0);
            assert_eq!(schedule.rate(4), 2.0);
            let end = if decay == Decay::Constant { 2.0 } else { 0.2 };
            assert!((schedule.rate(104) - end).abs() < 1e-6 && (schedule.rate(1000) - end).abs() < 1e-6);
            let middle = if decay == Decay::Constant { 2.0 } else { 1.1 };
            assert!((schedule.rate(54) - middle).abs() < 1e-6);
        }
    }
}
