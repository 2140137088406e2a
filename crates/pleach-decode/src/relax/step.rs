//! The size of the steps (Koo et al. 2010, section 5), and iterates that run in a circle.
//!
//! The step is α / (1 + t), where t counts how often the dual went up. A relaxation whose constraints are
//! linearised with the previous choices (`sun-2019` section 4.3) can repeat the same few choices for ever, and so
//! can a step that is too long. [`Circle`] finds it from the last choices alone, and the step is halved.

use super::Choice;

/// The step rule.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    size: f64,
    ups: u32,
    last: f64,
}

impl Step {
    /// A rule that begins with this step.
    pub fn new(size: f64) -> Step {
        Step { size, ups: 0, last: f64::INFINITY }
    }

    /// The size of the next step.
    pub fn size(&self) -> f64 {
        self.size / f64::from(1 + self.ups)
    }

    /// Takes the next value of the dual in: the steps to come are shorter if it went up.
    pub fn observe(&mut self, dual: f64) {
        if dual > self.last {
            self.ups += 1;
        }
        self.last = dual;
    }

    /// Halves all steps to come.
    pub fn shrink(&mut self) {
        self.size /= 2.0;
    }
}

/// Circles up to this length are found.
const LONGEST: usize = 6;
/// A circle is one when it has been run through so many times.
const ROUNDS: usize = 3;

/// Finds out whether the last choices repeat.
#[derive(Clone, Debug, Default)]
pub struct Circle {
    seen: Vec<u64>,
}

impl Circle {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.seen.clear();
    }

    /// Takes the choices of an iteration in. Gives the length of the circle, at least 2, if they run in one; the
    /// search for circles then begins anew.
    pub fn push(&mut self, choices: &[Choice]) -> Option<usize> {
        self.push_print(fingerprint(choices))
    }

    fn push_print(&mut self, print: u64) -> Option<usize> {
        self.seen.push(print);
        let len = self.seen.len();
        let repeats = |period: usize| {
            let from = len.checked_sub(ROUNDS * period)?;
            let part = &self.seen[from..];
            let same = part.iter().zip(&part[period..]).all(|(a, b)| a == b);
            (same && part.iter().any(|print| *print != part[0])).then_some(period)
        };
        let found = (2..=LONGEST).find_map(repeats);
        if found.is_some() {
            self.seen.clear();
        }
        found
    }
}

/// A hash of all chosen items (FNV-1a over the numbers, choices kept apart).
fn fingerprint(choices: &[Choice]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for choice in choices {
        let items = choice.items().iter().map(|&item| u64::from(item));
        for value in items.chain([u64::MAX]) {
            hash = (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_shrink_when_the_dual_goes_up() {
        let mut step = Step::new(6.0);
        for (dual, size) in [(9.0, 6.0), (8.0, 6.0), (8.5, 3.0), (7.0, 3.0), (7.5, 2.0)] {
            step.observe(dual);
            assert_eq!(step.size(), size);
        }
        step.shrink();
        assert_eq!(step.size(), 1.0);
    }

    #[test]
    fn circles_are_found_and_standing_still_is_none() {
        let find = |prints: &[u64]| {
            let mut circle = Circle::default();
            prints.iter().filter_map(|&print| circle.push_print(print)).collect::<Vec<_>>()
        };
        assert_eq!(find(&[1, 2, 1, 2, 1, 2]), [2]);
        assert_eq!(find(&[9, 1, 2, 3, 1, 2, 3, 1, 2, 3]), [3]);
        assert_eq!(find(&[4; 40]), [0; 0]);
        assert_eq!(find(&[1, 2, 1, 2, 1, 3]), [0; 0]);
    }
}
