//! What a sentence teaches the perceptron: signs for choices become changes of weights.

use crate::bound::Bound;
use crate::learner::Learner;
use pleach_decode::part::{Kind, Part, PartLearner, PartScorer};
use pleach_transition::scorer::{Learn, Question, Questions, Scorer};

/// A change of one weight: feature, action or label, amount.
pub type Change = (u64, u16, f32);

/// Changes that belong together: they follow those of the demand before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Where its changes end.
    pub end: usize,
    /// What its loss was with the weights that the sentence saw.
    pub loss: f32,
    /// The changes' amounts times these weights: by as much as this has grown, the loss has shrunk.
    pub reached: f32,
}

/// What a sentence asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taught {
    /// The changes, in the order of the calls.
    pub changes: Vec<Change>,
    /// Those that belong together; what comes after the last demand is beyond doubt.
    pub demands: Vec<Demand>,
}

impl Taught {
    /// Changes the weights. If they are not the ones that the sentence saw, demands that are met by now are left out.
    pub fn teach(&self, learner: &mut Learner, seen: bool) {
        let mut start = 0;
        for demand in &self.demands {
            let changes = &self.changes[start..demand.end];
            start = demand.end;
            // Where nothing has come nearer it stands, even one for a tie.
            let is_met = || {
                let gained = learner.reached(changes) - demand.reached;
                gained > 0.0 && demand.loss <= gained
            };
            if seen || !is_met() {
                changes.iter().for_each(|&(key, action, amount)| learner.update(key, action, amount));
            }
        }
        let rest = &self.changes[start..];
        rest.iter().for_each(|&(key, action, amount)| learner.update(key, action, amount));
    }
}

/// A growing table bound to a sentence; collects the changes that the sentence asks for.
#[derive(Debug)]
pub struct Lesson<'a> {
    bound: Bound<'a, &'a Learner>,
    changes: Vec<Change>,
    demands: Vec<Demand>,
    /// How many of the changes are settled.
    settled: usize,
}

impl<'a> Lesson<'a> {
    /// Begins with no changes.
    pub fn new(bound: Bound<'a, &'a Learner>) -> Self {
        Lesson { bound, changes: Vec::new(), demands: Vec::new(), settled: 0 }
    }

    /// What was collected.
    pub fn into_taught(self) -> Taught {
        Taught { changes: self.changes, demands: self.demands }
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

    fn demand(&mut self, loss: f32) {
        let start = self.demands.last().map_or(0, |demand| demand.end);
        let reached = self.bound.rows().reached(&self.changes[start..]);
        self.demands.push(Demand { end: self.changes.len(), loss, reached });
    }
}

impl PartScorer for Lesson<'_> {
    fn scores(&self, kind: Kind) -> bool {
        self.bound.scores(kind)
    }

    fn score(&mut self, part: Part, scores: &mut [f32]) {
        self.bound.score(part, scores);
    }

    fn score_together(&mut self, parts: &[Part], scores: &mut [f32]) {
        self.bound.score_together(parts, scores);
    }

    fn expect(&mut self, parts: &[Part]) {
        self.bound.expect(parts);
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
        lesson.into_taught().changes
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

    /// A demand is left out once others have met it, and what is no demand is always learnt.
    #[test]
    fn demands_that_are_met_are_left_out() {
        let taught = Taught {
            changes: vec![(1, 0, 1.0), (2, 0, -1.0), (3, 0, 1.0), (9, 0, 1.0)],
            demands: vec![
                Demand { end: 2, loss: 2.0, reached: 0.0 },
                Demand { end: 3, loss: 0.0, reached: 0.0 },
            ],
        };
        let reached = |learner: &Learner, key: u64| learner.reached(&[(key, 0, 1.0)]);
        for (before, seen, expected) in [
            // The weights are those that the sentence saw.
            (0.0, true, [1.0, -1.0, 1.0, 1.0]),
            // Nothing has come nearer to what was asked for.
            (0.0, false, [1.0, -1.0, 1.0, 1.0]),
            // Feature 1 meets the first demand, feature 3 the second one.
            (2.0, false, [2.0, 0.0, 2.0, 1.0]),
            // Half of the first one is left, nothing of the second.
            (1.0, false, [2.0, -1.0, 1.0, 1.0]),
            (2.0, true, [3.0, -1.0, 3.0, 1.0]),
        ] {
            let mut learner = Learner::default();
            learner.update(1, 0, before);
            learner.update(3, 0, before);
            taught.teach(&mut learner, seen);
            assert_eq!([1, 2, 3, 9].map(|key| reached(&learner, key)), expected, "{before} {seen}");
        }
    }

    /// What a lesson notes of a demand is what its sentence saw.
    #[test]
    fn demands_know_what_was_reached() {
        let mut learner = Learner::default();
        let plain = learn(&learner, |lesson| lesson.change_part(Part::arc(1, 2), 0, 1.0));
        for &(key, choice, _) in &plain {
            learner.update(key, choice, 3.0);
        }
        let (model, mut words, mut memory) = (model(), Words::default(), Memory::default());
        words.fill(&Sentence::from_forms(["a", "b", "c"]), false);
        let mut lesson = Lesson::new(Bound::new(&model, &learner, vec![&words], &mut memory));
        lesson.change_part(Part::arc(3, 2), 0, 1.0);
        lesson.demand(1.0);
        lesson.change_part(Part::arc(1, 2), 0, -2.0);
        lesson.demand(5.0);
        let Taught { changes, demands } = lesson.into_taught();
        // Three templates, of which one looks at the dependent alone.
        let shared = demands[0].reached;
        assert_eq!((demands[0].end, demands[1].end), (plain.len(), changes.len()));
        assert!(shared < 3.0 * plain.len() as f32);
        assert_eq!((demands[1].loss, demands[1].reached), (5.0, -6.0 * plain.len() as f32));
    }
}
