//! Local losses (Dozat & Manning 2018): whether two words are linked and how an arc is labelled are questions of their own.
//!
//! The loss of a sentence is Σ −log σ(±score) over all pairs that are looked at, + where the graph has the arc, and
//! Σ −log p(label) over its arcs, with p the softmax over all labels; what is told to the learner is its negative
//! gradient. There is no search: O(n²) pairs, and labels of gold arcs only.

use super::problem::Problem;
use super::search::GoldArcs;
use crate::families::likelihood;
use pleach_decode::markov::{ARC, CHANNELS};
use pleach_decode::part::{Part, PartLearner};
use pleach_graph::Node;

/// Changes below this are too small to be told.
const LEAST: f32 = 1e-6;

/// Says how the scores should change; gives whether the gold graph was not the best one.
pub(super) fn learn(learner: &mut dyn PartLearner, problem: &Problem<'_>, gold: &GoldArcs) -> bool {
    let arcs = learn_arcs(learner, problem);
    let labels = learn_labels(learner, problem.labels, gold);
    arcs || labels
}

fn learn_arcs(learner: &mut dyn PartLearner, problem: &Problem<'_>) -> bool {
    let nodes = problem.words.len() + 1;
    let mut wrong = false;
    let mut scores = [0.0; CHANNELS];
    for dependent in 1..nodes {
        for head in (0..nodes).filter(|&head| head != dependent && problem.wants(head, dependent)) {
            let part = Part::arc(head as Node, dependent as Node);
            learner.score(part, &mut scores);
            let score = scores[usize::from(ARC)];
            let linked = problem.gold_label(head as u32, dependent as u32).is_some();
            wrong |= (score > 0.0) != linked;
            let probability = 1.0 / (1.0 + (-score).exp());
            tell(learner, part, ARC, f32::from(u8::from(linked)) - probability);
        }
    }
    wrong
}

fn learn_labels(learner: &mut dyn PartLearner, labels: usize, gold: &GoldArcs) -> bool {
    let part = |&(dependent, head, _): &(u32, u32, u16)| Part::label(head as Node, dependent as Node);
    let parts: Vec<Part> = gold.iter().map(part).collect();
    learner.expect(&parts);
    let mut wrong = false;
    // Label 0 stands for no arc.
    let mut scores = vec![0.0; labels + 1];
    for (&part, &(_, _, right)) in parts.iter().zip(gold) {
        learner.score(part, &mut scores);
        wrong |= likelihood::gradient(&mut scores[1..], usize::from(right) - 1);
        for (label, &amount) in scores.iter().enumerate().skip(1) {
            tell(learner, part, label as u16, amount);
        }
    }
    wrong
}

fn tell(learner: &mut dyn PartLearner, part: Part, choice: u16, amount: f32) {
    if amount.abs() > LEAST {
        learner.change_part(part, choice, amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_decode::part::{Kind, PartScorer};
    use pleach_graph::Sentence;
    use pleach_graph::words::Words;
    use std::collections::BTreeMap;

    /// A weight for every choice of every part.
    #[derive(Clone, Default)]
    struct Weights(BTreeMap<(Part, u16), f32>);

    impl PartScorer for Weights {
        fn scores(&self, kind: Kind) -> bool {
            kind <= Kind::LABEL
        }

        fn score(&mut self, part: Part, scores: &mut [f32]) {
            for (choice, score) in scores.iter_mut().enumerate() {
                *score = self.0.get(&(part, choice as u16)).copied().unwrap_or(0.0);
            }
        }
    }

    /// The scores, and what changes were asked for.
    struct Told<'a>(&'a mut Weights, BTreeMap<(Part, u16), f32>);

    impl PartScorer for Told<'_> {
        fn scores(&self, kind: Kind) -> bool {
            self.0.scores(kind)
        }

        fn score(&mut self, part: Part, scores: &mut [f32]) {
            self.0.score(part, scores);
        }
    }

    impl PartLearner for Told<'_> {
        fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
            *self.1.entry((part, choice)).or_insert(0.0) += amount;
        }
    }

    fn words() -> Words {
        Words::of(&Sentence::from_forms(["a", "b", "c"]), None, false)
    }

    fn problem<'a>(words: &'a Words, gold: &'a GoldArcs) -> Problem<'a> {
        Problem {
            models: &[],
            pruning: None,
            sieve: None,
            labels: 3,
            filtered: false,
            heads: usize::MAX,
            least: 0.0,
            local: true,
            threshold: 0.0,
            adopt: false,
            words,
            also: &[],
            missing: 1.0,
            gold: Some((gold, 1.0)),
        }
    }

    /// The loss itself, in double precision.
    fn loss(weights: &Weights, gold: &GoldArcs) -> f64 {
        let weight =
            |part: Part, choice: u16| f64::from(weights.0.get(&(part, choice)).copied().unwrap_or(0.0));
        let mut loss = 0.0;
        for dependent in 1..4 {
            for head in (0..4).filter(|&head| head != dependent) {
                let score = weight(Part::arc(head, dependent), ARC);
                let linked = gold.iter().any(|arc| (arc.0, arc.1) == (dependent.into(), head.into()));
                loss += (1.0 + if linked { -score } else { score }.exp()).ln();
            }
        }
        for &(dependent, head, right) in gold {
            let part = Part::label(head as Node, dependent as Node);
            let total: f64 = (1..=3).map(|label| weight(part, label).exp()).sum();
            loss += total.ln() - weight(part, right);
        }
        loss
    }

    #[test]
    fn changes_are_the_negative_gradient() {
        let (words, gold) = (words(), vec![(1, 2, 3), (2, 0, 1), (3, 1, 2), (3, 2, 2)]);
        let mut weights = Weights::default();
        let mut number = 7u32;
        for dependent in 1..4 {
            for head in (0..4).filter(|&head| head != dependent) {
                for (part, choices) in
                    [(Part::arc(head, dependent), 0..2), (Part::label(head, dependent), 1..4)]
                {
                    for choice in choices {
                        number = number.wrapping_mul(1664525).wrapping_add(1013904223);
                        weights.0.insert((part, choice), (number >> 24) as f32 / 64.0 - 2.0);
                    }
                }
            }
        }
        let mut told = Told(&mut weights, BTreeMap::new());
        assert!(learn(&mut told, &problem(&words, &gold), &gold));
        let told = told.1;
        assert_eq!(told.len(), 9 + 4 * 3);
        for (&place, &amount) in &told {
            let at = |change: f32| {
                let mut moved = weights.clone();
                *moved.0.entry(place).or_insert(0.0) += change;
                loss(&moved, &gold)
            };
            let gradient = (at(1.0 / 128.0) - at(-1.0 / 128.0)) * 64.0;
            assert!((gradient + f64::from(amount)).abs() < 1e-4, "{place:?}: {gradient} {amount}");
        }
    }

    #[test]
    fn steps_lead_to_the_gold_graph() {
        let (words, gold) = (words(), vec![(1, 2, 3), (2, 0, 1), (3, 1, 2), (3, 2, 2)]);
        let mut weights = Weights::default();
        let mut step = || {
            let mut told = Told(&mut weights, BTreeMap::new());
            let wrong = learn(&mut told, &problem(&words, &gold), &gold);
            for (place, amount) in told.1 {
                *weights.0.entry(place).or_insert(0.0) += amount;
            }
            wrong
        };
        assert!(step());
        assert!(!step());
    }
}
