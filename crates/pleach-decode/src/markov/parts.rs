//! The parts of predicate-centric and argument-centric models (`du-2015` sections 3.2, 3.3): which nodes they are, and
//! what a scorer is asked about them.
//!
//! An arc has two channels: one decides whether it is a candidate ([`FILTER`]), one counts for the graph ([`ARC`]).
//! Neighbours are scored for candidates only: the head of such a part is the word whose chain it is, the dependent a
//! choice, the third node the choice before it and the fourth the one before that; the borders of a chain are words
//! beyond the ends of the sentence. O(m²) pairs and O(m³) triples for m choices, none of which is asked for when the scorer
//! has no opinion on its kind.

use super::{Chain, EDGE, Marginals, Order};
use crate::part::{Kind, Part, PartLearner, PartScorer};
use pleach_graph::Node;
use pleach_graph::node::{LEFT_EDGE, RIGHT_EDGE};

/// Two neighbouring choices of a word.
pub const PAIR: Kind = Kind(2);
/// Three neighbouring choices.
pub const TRIPLE: Kind = Kind(3);

/// The channel of arcs that decides whether one is a candidate.
pub const FILTER: u16 = 0;
/// The channel of arcs and neighbours that counts for the graph.
pub const ARC: u16 = 1;
/// How many channels there are.
pub const CHANNELS: usize = 2;

/// Changes below this are too small to be told.
const LEAST: f32 = 1e-4;

impl Order {
    /// The order of the factors that a scorer has an opinion on; not above this one.
    pub fn scored_by(self, scorer: &(impl PartScorer + ?Sized)) -> Order {
        match self {
            Order::Third if scorer.scores(TRIPLE) => Order::Third,
            Order::Second | Order::Third if scorer.scores(PAIR) => Order::Second,
            _ => Order::First,
        }
    }
}

/// The places of a word's choices, with its borders.
#[derive(Clone, Copy, Debug)]
struct Places<'a> {
    word: Node,
    places: &'a [u32],
}

impl Places<'_> {
    fn before(self, choice: usize) -> Node {
        if choice == EDGE { LEFT_EDGE } else { self.places[choice] as Node }
    }

    fn behind(self, choice: usize) -> Node {
        if choice == EDGE { RIGHT_EDGE } else { self.places[choice] as Node }
    }

    fn pair(self, left: usize, right: usize) -> Part {
        Part::three(PAIR, self.word, self.behind(right), self.before(left))
    }

    fn triple(self, first: usize, middle: usize, last: usize) -> Part {
        Part::four(TRIPLE, [self.word, self.behind(last), self.before(middle), self.before(first)])
    }
}

/// All choices, and the border.
fn ends(places: &[u32]) -> impl Iterator<Item = usize> + use<> {
    (0..places.len()).chain([EDGE])
}

/// Whether one choice may follow the other.
fn rising(places: &[u32], left: usize, right: usize) -> bool {
    left == EDGE || right == EDGE || places[left] < places[right]
}

/// The choices that may be neighbours.
fn pairs(places: &[u32]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let behind = move |left| ends(places).filter(move |&right| rising(places, left, right));
    ends(places).flat_map(move |left| behind(left).map(move |right| (left, right)))
}

/// Says that the pairs of all chains of a sentence will be asked for, in this order; `asked` is memory to work in. Most chains have fewer
/// pairs than a scorer likes to look at together.
pub fn expect_neighbours<'a>(
    scorer: &mut (impl PartScorer + ?Sized),
    chains: impl Iterator<Item = (u32, &'a Chain)>,
    asked: &mut Vec<Part>,
) {
    if !scorer.scores(PAIR) {
        return;
    }
    asked.clear();
    for (word, chain) in chains.filter(|(_, chain)| chain.order() != Order::First) {
        let of = Places { word: word as Node, places: chain.places() };
        asked.extend(pairs(of.places).map(|(left, right)| of.pair(left, right)));
    }
    scorer.expect(asked);
}

/// Sets the scores of the neighbours in a word's chain, `weight` times what the scorer gives.
pub fn score_neighbours(scorer: &mut (impl PartScorer + ?Sized), word: u32, weight: f32, chain: &mut Chain) {
    let order = chain.order().scored_by(scorer);
    if order == Order::First {
        return;
    }
    let places = chain.places().to_vec();
    let of = Places { word: word as Node, places: &places };
    let mut scores = [0.0; CHANNELS];
    if scorer.scores(PAIR) {
        for (left, right) in pairs(&places) {
            scorer.score(of.pair(left, right), &mut scores);
            *chain.two_mut(left, right) = weight * scores[usize::from(ARC)];
        }
    }
    if order == Order::Third {
        for middle in 0..places.len() {
            for first in ends(&places).filter(|&first| rising(&places, first, middle)) {
                for last in ends(&places).filter(|&last| rising(&places, middle, last)) {
                    scorer.score(of.triple(first, middle, last), &mut scores);
                    *chain.three_mut(first, middle, last) = weight * scores[usize::from(ARC)];
                }
            }
        }
    }
}

/// The neighbours that only the `right` places of a word have should be worth more by 1, those that only the `wrong` ones
/// have less by 1.
pub fn change_neighbours(learner: &mut (impl PartLearner + ?Sized), word: u32, right: &[u32], wrong: &[u32]) {
    let parts = |places: &[u32], kind: Kind| -> Vec<Part> {
        let of = Places { word: word as Node, places };
        let at = |place: usize| if place < places.len() { place } else { EDGE };
        match kind {
            PAIR => (0..=places.len()).map(|i| of.pair(at(i.wrapping_sub(1)), at(i))).collect(),
            _ => (1..=places.len()).map(|i| of.triple(at(i.wrapping_sub(2)), i - 1, at(i))).collect(),
        }
    };
    for kind in [PAIR, TRIPLE] {
        if !learner.scores(kind) {
            continue;
        }
        let (right, wrong) = (parts(right, kind), parts(wrong, kind));
        for (these, others, amount) in [(&right, &wrong, 1.0), (&wrong, &right, -1.0)] {
            for &part in these.iter().filter(|part| !others.contains(part)) {
                learner.change_part(part, ARC, amount);
            }
        }
    }
}

/// The neighbours in a word's chain should be worth more where `right`, a sequence of choices, has them, and less by how
/// likely they are: the gradient of the sequence's likelihood.
pub fn change_towards(
    learner: &mut (impl PartLearner + ?Sized),
    word: u32,
    chain: &Chain,
    right: &[usize],
    likely: &Marginals,
) {
    let places = chain.places();
    let of = Places { word: word as Node, places };
    let next = |left: usize| {
        let place =
            if left == EDGE { Some(0) } else { right.iter().position(|&own| own == left).map(|i| i + 1) };
        place.map(|place| right.get(place).copied().unwrap_or(EDGE))
    };
    for left in ends(places) {
        let follows = next(left);
        for behind in ends(places).filter(|&behind| rising(places, left, behind)) {
            let wanted = if follows == Some(behind) { 1.0 } else { 0.0 };
            let amount = (wanted - likely.two(chain, left, behind)) as f32;
            if amount.abs() > LEAST {
                learner.change_part(of.pair(left, behind), ARC, amount);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A weight for every part, and how many parts were asked for.
    #[derive(Default)]
    struct Weights {
        kinds: Vec<Kind>,
        weights: BTreeMap<(Part, u16), f32>,
        asked: usize,
    }

    impl PartScorer for Weights {
        fn scores(&self, kind: Kind) -> bool {
            self.kinds.contains(&kind)
        }

        fn score(&mut self, part: Part, scores: &mut [f32]) {
            self.asked += 1;
            for (choice, score) in scores.iter_mut().enumerate() {
                *score = self.weights.get(&(part, choice as u16)).copied().unwrap_or(0.0);
            }
        }
    }

    impl PartLearner for Weights {
        fn change_part(&mut self, part: Part, choice: u16, amount: f32) {
            *self.weights.entry((part, choice)).or_insert(0.0) += amount;
        }
    }

    /// The changes that prefer one chain to another raise its score, as scored, by the number of parts that differ.
    #[test]
    fn changes_are_those_of_the_scores() {
        let (right, wrong) = ([1, 3], [3, 4, 5]);
        for (order, kinds) in [(Order::Second, vec![PAIR]), (Order::Third, vec![PAIR, TRIPLE])] {
            let mut weights = Weights { kinds, ..Weights::default() };
            change_neighbours(&mut weights, 2, &right, &wrong);
            let mut chain = Chain::new(order);
            chain.reset([1, 3, 4, 5], usize::MAX);
            score_neighbours(&mut weights, 2, 1.0, &mut chain);
            let (good, bad) = (chain.score(&[0, 1], |_| 0.0), chain.score(&[1, 2, 3], |_| 0.0));
            // All parts differ: the pairs and the triples, borders counted.
            let differ = if order == Order::Second { 3 + 4 } else { 3 + 4 + 2 + 3 };
            assert_eq!(weights.weights.len(), differ);
            assert_eq!(good - bad, differ as f64);
            // Nothing to change where nothing differs.
            weights.weights.clear();
            change_neighbours(&mut weights, 2, &right, &right);
            assert!(weights.weights.is_empty());
        }
    }

    /// A chain takes the factors that there are, and what is not scored is never asked for.
    #[test]
    fn what_is_not_scored_costs_nothing() {
        let orders = [Order::First, Order::Second, Order::Third];
        for (kinds, highest) in
            [(vec![], Order::First), (vec![PAIR], Order::Second), (vec![PAIR, TRIPLE], Order::Third)]
        {
            for order in orders {
                let mut weights = Weights { kinds: kinds.clone(), ..Weights::default() };
                assert_eq!(order.scored_by(&weights), order.min(highest));
                let mut chain = Chain::new(order);
                chain.reset([1, 3, 4], usize::MAX);
                score_neighbours(&mut weights, 2, 1.0, &mut chain);
                // Three choices and the border: 3 rising pairs, 3 to each border, and the empty chain.
                let triples = if order.min(highest) == Order::Third { 10 } else { 0 };
                assert_eq!(weights.asked, if order.min(highest) == Order::First { 0 } else { 10 } + triples);
                if highest == Order::First {
                    change_neighbours(&mut weights, 2, &[1], &[3]);
                    assert!(weights.weights.is_empty());
                }
            }
        }
    }
}
