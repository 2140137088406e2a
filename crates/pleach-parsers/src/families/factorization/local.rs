//! Local losses (Dozat & Manning 2018): whether two words are linked and how an arc is labelled are questions of their own.
//!
//! The loss of a sentence is Σ −log σ(±score) over all pairs that are looked at, + where the graph has the arc, and
//! Σ −log p(label) over its arcs, with p the softmax over all labels; what is told to the learner is its negative
//! gradient. There is no search: O(n²) pairs, and labels of gold arcs only.
//!
//! Chains of second order add Σ −log p(the arcs of a word) over all words, p being as large as exp(score) of the chain: arcs
//! and neighbours learn together which arcs go with which. The candidates are the arcs that score best by themselves,
//! and the gold ones. What arcs learn alone stays, since it says which arcs are candidates: O(k²·n) for k of them a word.

use super::problem::Problem;
use super::search::{GoldArcs, Search};
use crate::families::likelihood;
use pleach_decode::markov::{ARC, CHANNELS, Marginals, Order, change_towards};
use pleach_decode::part::{Part, PartLearner};
use pleach_graph::Node;

/// Changes below this are too small to be told.
const LEAST: f32 = 1e-6;

/// The memory of a training thread.
#[derive(Debug, Default)]
pub(super) struct LocalSpace {
    search: Search,
    marginals: Marginals,
    right: Vec<usize>,
}

/// Says how the scores should change; gives whether the gold graph was not the best one, by arcs alone.
pub(super) fn learn(
    learner: &mut dyn PartLearner,
    problem: &Problem<'_>,
    gold: &GoldArcs,
    space: &mut LocalSpace,
) -> bool {
    let arcs = learn_arcs(learner, problem);
    let labels = learn_labels(learner, problem.labels, gold);
    if problem.models.iter().any(|model| model.order > Order::First) {
        learn_chains(learner, problem, space);
    }
    arcs || labels
}

fn learn_chains(learner: &mut dyn PartLearner, problem: &Problem<'_>, space: &mut LocalSpace) {
    let LocalSpace { search, marginals, right } = space;
    search.prepare_unlabelled(&mut [&mut *learner], problem);
    let Search { spaces, arcs: candidates, .. } = search;
    for (word, chain, arcs) in spaces[0].markov.chains() {
        marginals.of(chain);
        right.clear();
        for (choice, &id) in arcs.iter().enumerate() {
            let arc = candidates[id as usize];
            let linked = problem.gold_label(arc.head, arc.dependent).is_some();
            let part = Part::arc(arc.head as Node, arc.dependent as Node);
            let likely = marginals.one(chain, choice) as f32;
            tell(learner, part, ARC, f32::from(u8::from(linked)) - likely);
            if linked {
                right.push(choice);
            }
        }
        change_towards(learner, word, chain, right, marginals);
    }
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
    use super::super::problem::ChainModel;
    use super::*;
    use pleach_decode::markov::{Centre, PAIR};
    use pleach_decode::part::{Kind, PartScorer};
    use pleach_graph::Sentence;
    use pleach_graph::node::{LEFT_EDGE, RIGHT_EDGE};
    use pleach_graph::words::Words;
    use std::collections::BTreeMap;

    /// A weight for every choice of every part.
    #[derive(Clone, Default)]
    struct Weights(BTreeMap<(Part, u16), f32>);

    impl PartScorer for Weights {
        fn scores(&self, kind: Kind) -> bool {
            kind <= PAIR
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

    fn problem<'a>(words: &'a Words, gold: &'a GoldArcs, models: &'a [ChainModel]) -> Problem<'a> {
        Problem {
            models,
            pruning: None,
            sieve: None,
            labels: 3,
            filtered: false,
            heads: usize::MAX,
            least: f32::NEG_INFINITY,
            local: true,
            threshold: 0.0,
            adopt: false,
            words,
            also: &[],
            missing: 1.0,
            gold: Some((gold, 0.0)),
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
        assert!(learn(&mut told, &problem(&words, &gold, &[]), &gold, &mut LocalSpace::default()));
        let told = told.1;
        assert_eq!(told.len(), 9 + 4 * 3);
        check(&weights, &told, |weights| loss(weights, &gold));
    }

    /// Compares with differences of a loss.
    fn check(weights: &Weights, told: &BTreeMap<(Part, u16), f32>, loss: impl Fn(&Weights) -> f64) {
        for (&place, &amount) in told {
            let at = |change: f32| {
                let mut moved = weights.clone();
                *moved.0.entry(place).or_insert(0.0) += change;
                loss(&moved)
            };
            let gradient = (at(1.0 / 128.0) - at(-1.0 / 128.0)) * 64.0;
            assert!((gradient + f64::from(amount)).abs() < 1e-4, "{place:?}: {gradient} {amount}");
        }
    }

    /// The likelihood of every word's arcs among all subsets of arcs that it can have, in double precision.
    fn chain_loss(weights: &Weights, gold: &GoldArcs, centre: Centre) -> f64 {
        let weight =
            |part: Part, choice: u16| f64::from(weights.0.get(&(part, choice)).copied().unwrap_or(0.0));
        let mut loss = 0.0;
        for word in 0..4 {
            let arc = |place: u32| match centre {
                Centre::Predicate => (word, place),
                Centre::Argument => (place, word),
            };
            let fits = |&place: &u32| place != word && arc(place).1 != 0;
            let places: Vec<u32> = (0..4).filter(fits).collect();
            let score = |set: &[u32]| {
                let arcs = set.iter().map(|&place| arc(place));
                let arcs: f64 = arcs.map(|(h, d)| weight(Part::arc(h as Node, d as Node), ARC)).sum();
                let ends: Vec<Node> = set.iter().map(|&place| place as Node).collect();
                let with_ends = [&[LEFT_EDGE][..], &ends, &[RIGHT_EDGE]].concat();
                let pair = |pair: &[Node]| weight(Part::three(PAIR, word as Node, pair[1], pair[0]), ARC);
                arcs + with_ends.windows(2).map(pair).sum::<f64>()
            };
            let subsets = (0..1_usize << places.len()).map(|set| {
                let kept = places.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
                kept.map(|(_, &place)| place).collect::<Vec<_>>()
            });
            let total: f64 = subsets.map(|set| score(&set).exp()).sum();
            let is_gold = |&&place: &&u32| gold.iter().any(|own| (own.1, own.0) == arc(place));
            let right: Vec<u32> = places.iter().filter(is_gold).copied().collect();
            loss += if places.is_empty() { 0.0 } else { total.ln() - score(&right) };
        }
        loss
    }

    #[test]
    fn changes_of_chains_are_the_negative_gradient() {
        let (words, gold) = (words(), vec![(1, 2, 3), (2, 0, 1), (3, 1, 2), (3, 2, 2)]);
        for centre in [Centre::Predicate, Centre::Argument] {
            let mut weights = Weights::default();
            let mut number = 11u32;
            let mut next = || {
                number = number.wrapping_mul(1664525).wrapping_add(1013904223);
                (number >> 24) as f32 / 64.0 - 2.0
            };
            for one in 0..4 {
                for other in 0..4 {
                    weights.0.insert((Part::arc(one, other), ARC), next());
                }
                for left in [LEFT_EDGE, 0, 1, 2, 3] {
                    for right in [RIGHT_EDGE, 0, 1, 2, 3] {
                        weights.0.insert((Part::three(PAIR, one, right, left), ARC), next());
                    }
                }
            }
            let models = [ChainModel { centre, order: Order::Second, weight: 1.0 }];
            let mut told = Told(&mut weights, BTreeMap::new());
            learn(&mut told, &problem(&words, &gold, &models), &gold, &mut LocalSpace::default());
            let told = told.1;
            let pairs = told.keys().filter(|(part, _)| part.kind == PAIR).count();
            assert!(pairs > 20, "{pairs}");
            check(&weights, &told, |weights| loss(weights, &gold) + chain_loss(weights, &gold, centre));
        }
    }

    #[test]
    fn steps_lead_to_the_gold_graph() {
        let (words, gold) = (words(), vec![(1, 2, 3), (2, 0, 1), (3, 1, 2), (3, 2, 2)]);
        let mut weights = Weights::default();
        let mut step = || {
            let mut told = Told(&mut weights, BTreeMap::new());
            let wrong = learn(&mut told, &problem(&words, &gold, &[]), &gold, &mut LocalSpace::default());
            for (place, amount) in told.1 {
                *weights.0.entry(place).or_insert(0.0) += amount;
            }
            wrong
        };
        assert!(step());
        assert!(!step());
    }
}
