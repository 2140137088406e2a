//! A scorer for tests: a number for every choice at every place and of every part, and what changes were asked for.

use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
use pleach_transition::scorer::{Learn, Place, Question, Questions, Scorer};
use std::collections::BTreeMap;

/// A choice somewhere.
pub type At = (String, u32);

/// Numbers are made of the place; `moved` is added to them.
#[derive(Clone, Debug, Default)]
pub struct Toy {
    pub moved: BTreeMap<At, f32>,
    pub told: BTreeMap<At, f32>,
}

/// A configuration as text.
pub fn place(place: Place<'_>) -> String {
    match place {
        Place::Graph(state) => format!("{state:?}"),
        Place::Arc(state, side) => format!("{side:?} {state:?}"),
        Place::Tree(state, site) => format!("{site:?} {}", state.row.before(site.left)),
    }
}

/// A part as text.
pub fn part(part: Part) -> String {
    format!("{part:?}")
}

impl Toy {
    /// The score of a choice.
    pub fn value(&self, at: &At) -> f32 {
        let mixed = at.0.bytes().fold(at.1.wrapping_mul(0x9e37_79b9) ^ 77, |sum, byte| {
            (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        (mixed >> 24) as f32 / 128.0 - 1.0 + self.moved.get(at).copied().unwrap_or(0.0)
    }

    /// Checks that what was told is the negative gradient of a loss, by differences.
    pub fn check_gradient(&self, loss: impl Fn(&Toy) -> f64) {
        assert!(!self.told.is_empty());
        for (at, &amount) in &self.told {
            let with = |change: f32| {
                let mut other = self.clone();
                *other.moved.entry(at.clone()).or_insert(0.0) += change;
                loss(&other)
            };
            let gradient = (with(1.0 / 256.0) - with(-1.0 / 256.0)) * 128.0;
            assert!((gradient + f64::from(amount)).abs() < 1e-3, "{at:?}: {gradient} {amount}");
        }
    }
}

impl Scorer for Toy {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        let width = rows.len() / questions.len().max(1);
        for (number, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
            let place = place(questions.get(number).place);
            for (action, score) in row.iter_mut().enumerate() {
                *score = self.value(&(place.clone(), action as u32));
            }
        }
    }
}

impl Learn for Toy {
    fn change_action(&mut self, question: Question<'_>, action: u32, amount: f32) {
        *self.told.entry((place(question.place), action)).or_insert(0.0) += amount;
    }
}

impl PartScorer for Toy {
    fn scores(&self, kind: Kind) -> bool {
        kind <= Kind::LABEL
    }

    fn score(&mut self, asked: Part, scores: &mut [f32]) {
        for (choice, score) in scores.iter_mut().enumerate() {
            *score = self.value(&(part(asked), choice as u32));
        }
    }
}

impl PartLearner for Toy {
    fn change_part(&mut self, asked: Part, choice: u16, amount: f32) {
        *self.told.entry((part(asked), choice.into())).or_insert(0.0) += amount;
    }
}
