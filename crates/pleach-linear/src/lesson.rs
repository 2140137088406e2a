//! What a sentence teaches the perceptron: signs for choices become changes of weights.

use crate::bound::Bound;
use crate::learner::Learner;
use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
use pleach_transition::scorer::{Learn, Question, Questions, Scorer};

/// A change of one weight: feature, action or label, amount.
pub type Change = (u64, u16, f32);

/// A growing table bound to a sentence; collects the changes that the sentence asks for.
#[derive(Debug)]
pub struct Lesson<'a> {
    bound: Bound<'a, &'a Learner>,
    changes: Vec<Change>,
    /// How many of the changes are settled.
    settled: usize,
}

impl<'a> Lesson<'a> {
    /// Begins with no changes.
    pub fn new(bound: Bound<'a, &'a Learner>) -> Self {
        Lesson { bound, changes: Vec::new(), settled: 0 }
    }

    /// What was collected, in the order of the calls.
    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }
}

impl Scorer for Lesson<'_> {
    fn answer(&mut self, questions: &dyn Questions, rows: &mut [f32]) {
        self.bound.answer(questions, rows);
    }

    fn reach(&self) -> usize {
        self.bound.reach()
    }

    fn expect_few_repeats(&mut self) {
        self.bound.expect_few_repeats();
    }
}

impl Learn for Lesson<'_> {
    fn change_action(&mut self, question: Question<'_>, action: u32, amount: f32) {
        let keys = self.bound.place_keys(question);
        self.changes.extend(keys.iter().map(|&key| (key, action as u16, amount)));
    }
}

impl PartScorer for Lesson<'_> {
    fn scores(&self, kind: Kind) -> bool {
        self.bound.scores(kind)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        self.bound.score(part, scores);
    }
}

impl PartLearner for Lesson<'_> {
    fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
        let keys = self.bound.part_keys(part);
        self.changes.extend(keys.iter().map(|&key| (key, choice, amount)));
    }

    /// Sums the changes up by weight and scales them by loss / length²: with such a step the loss is gone
    /// (passive-aggressive, Crammer et al. 2006). A sentence has hundreds of parts that share features, and whole steps
    /// for all of them at once would overshoot.
    fn settle(&mut self, loss: f64) {
        let mut open = self.changes.split_off(self.settled);
        open.sort_unstable_by_key(|&(key, action, _)| (key, action));
        open.dedup_by(|next, sum| {
            let same = (next.0, next.1) == (sum.0, sum.1);
            if same {
                sum.2 += next.2;
            }
            same
        });
        let square: f64 = open.iter().map(|&(_, _, amount)| f64::from(amount * amount)).sum();
        let step = if square > 0.0 { (loss.max(0.0) / square) as f32 } else { 0.0 };
        open.iter_mut().for_each(|(_, _, amount)| *amount *= step);
        self.changes.append(&mut open);
        self.settled = self.changes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Memory;
    use crate::model::{LinearModel, Set, Subject};
    use pleach_graph::Sentence;
    use pleach_graph::words::Words;

    fn model() -> LinearModel {
        let set = |kind, templates: &str| Set {
            of: Subject::Parts(kind),
            templates: templates.into(),
            once: false,
        };
        LinearModel::new(vec![set(0, "h.w d.w\nh.w\nd.w d(h,d)"), set(1, "h.w d.w")]).unwrap()
    }

    fn learn(learner: &Learner, teach: impl FnOnce(&mut Lesson<'_>)) -> Vec<Change> {
        let (model, mut words, mut memory) = (model(), Words::default(), Memory::default());
        words.fill(&Sentence::from_forms(["a", "b", "c"]), false);
        let mut lesson = Lesson::new(Bound::new(&model, learner, vec![&words], &mut memory));
        teach(&mut lesson);
        lesson.into_changes()
    }

    /// A settled hinge loss is gone after the update, and changes before and after it are left as they are.
    #[test]
    fn a_settled_loss_is_gone() {
        let mut learner = Learner::default();
        let margin = 7.0f32;
        let parts = [(Part::arc(1, 2), 1.0), (Part::arc(3, 2), -1.0), (Part::arc(1, 3), -1.0)];
        let changes = learn(&learner, |lesson| {
            for (part, sign) in parts {
                lesson.change_part(part, 0, sign);
            }
            lesson.settle(f64::from(margin * parts.len() as f32));
            lesson.change_part(Part::label(1, 2), 2, 1.0);
        });
        assert_eq!(changes.last().map(|&(_, label, amount)| (label, amount)), Some((2, 1.0)));
        changes.iter().for_each(|&(key, action, amount)| learner.update(key, action, amount));
        learn(&learner, |lesson| {
            let mut row = [0.0; 3];
            let mut reached = 0.0;
            for (part, sign) in parts {
                lesson.score(part, &mut row);
                reached += sign * row[0];
            }
            assert!((reached - margin * parts.len() as f32).abs() < 1e-3, "{reached}");
            lesson.score(Part::label(1, 2), &mut row);
            assert_eq!(row, [0.0, 0.0, 1.0]);
            assert!(lesson.scores(Kind::LABEL) && !lesson.scores(Kind(2)));
            lesson.score(Part::three(Kind(2), 1, 2, 3), &mut row);
            assert_eq!(row, [0.0; 3]);
        });
    }
}
