//! The factors of noncrossing graphs over a scorer of parts: what is asked, and that learning changes the same.

#![allow(clippy::unwrap_used)]

use pleach_decode::noncrossing::beam::{Beam, Effort};
use pleach_decode::noncrossing::factors::{
    CHANNELS, PAIR_CHOICES, PAIRS, PartFactors, TRIPLE_CHOICES, TRIPLES, order_of, scored,
};
use pleach_decode::noncrossing::parts::Dissection;
use pleach_decode::noncrossing::{
    Candidates, Direction, EdgeId, Factors, Link, Memo, Node, Order, PairScores, Part, Scores, TripleScores,
};
use pleach_decode::part::{self, Kind, PartLearner, PartScorer};
use std::collections::HashMap;

/// One weight for every part and choice.
#[derive(Default)]
struct Plain {
    weights: HashMap<(part::Part, u16), f32>,
    kinds: Vec<Kind>,
    asked: usize,
}

impl PartScorer for Plain {
    fn scores(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    fn score(&mut self, part: part::Part, scores: &mut [f32]) {
        let choices = match part.kind {
            Kind::ARC => CHANNELS,
            kind if PAIRS.contains(&kind) => PAIR_CHOICES,
            _ => TRIPLE_CHOICES,
        };
        assert_eq!(scores.len(), choices);
        self.asked += 1;
        for (choice, score) in scores.iter_mut().enumerate() {
            *score = self.weights.get(&(part, choice as u16)).copied().unwrap_or_default();
        }
    }
}

impl PartLearner for Plain {
    fn change_part(&mut self, part: part::Part, choice: u16, amount: f32) {
        *self.weights.entry((part, choice)).or_default() += amount;
    }
}

fn links(candidates: &Candidates) -> Vec<Link> {
    let ends = [(0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (4, 5), (4, 6), (4, 7), (6, 7)];
    let link = |(i, &(left, right)): (usize, &(Node, Node))| Link {
        edge: candidates.find(left, right).unwrap(),
        direction: Direction::ALL[i % 3],
    };
    let mut links: Vec<Link> = ends.iter().enumerate().map(link).collect();
    links.sort_unstable();
    links
}

/// After learning the parts of a graph once, its score is the number of its parts, every one being scored once.
#[test]
fn changes_are_those_of_the_scores() {
    let candidates = Candidates::complete(8);
    let links = links(&candidates);
    let mut dissection = Dissection::default();
    let mut scorer = Plain { kinds: [&PAIRS[..], &TRIPLES[..]].concat(), ..Plain::default() };
    let mut parts = Vec::new();
    dissection.visit(&candidates, &links, Order::Third, |part| parts.push(part));
    assert!(parts.iter().any(|part| matches!(part, Part::OneSide { .. })));
    assert!(parts.iter().any(|part| matches!(part, Part::BothEnds { .. })));
    assert!(parts.iter().any(|part| matches!(part, Part::BothSides { .. })));
    for &part in &parts {
        let (part, choice) = scored(&candidates, part);
        scorer.change_part(part, choice, 1.0);
    }
    let mut score = |&(left, right): &(Node, Node)| -> Scores {
        let mut row = [0.0; CHANNELS];
        scorer.score(part::Part::arc(left, right), &mut row);
        let [_, scores @ ..] = row;
        scores
    };
    let scores: Vec<Scores> = candidates.edges().iter().map(&mut score).collect();
    scorer.asked = 0;
    let mut memo = Memo::default();
    let mut factors = PartFactors::new(&mut scorer, &candidates, &mut memo);
    for _ in 0..2 {
        let sum = dissection.score(&candidates, &links, Order::Third, &scores, &mut factors);
        assert_eq!(sum, parts.len() as f32);
    }
    assert_eq!(scorer.asked, parts.len() - links.len(), "every factor is computed once");
    assert_eq!(scorer.weights.len(), parts.len(), "no two parts are one");
}

/// Kinds that the scorer has no opinion on are never asked for.
#[test]
fn what_is_not_scored_costs_nothing() {
    let candidates = Candidates::complete(8);
    let links = links(&candidates);
    let with = |kinds: &[Kind]| Plain { kinds: kinds.to_vec(), ..Plain::default() };
    let wanted = [Order::First, Order::Neighbours, Order::BothSides, Order::Third];
    let orders = |kinds: &[Kind]| wanted.map(|order| order_of(&with(kinds), order));
    assert_eq!(orders(&[]), [Order::First; 4]);
    assert_eq!(orders(&PAIRS[..2])[1..], [Order::Neighbours; 3]);
    assert_eq!(orders(&PAIRS)[2..], [Order::BothSides; 2]);
    assert_eq!(orders(&[&PAIRS[..], &TRIPLES[..]].concat()), wanted);
    let mut scorer = with(&PAIRS[2..]);
    let mut memo = Memo::default();
    let mut factors = PartFactors::new(&mut scorer, &candidates, &mut memo);
    let scores = vec![[0.0; 3]; candidates.len()];
    Dissection::default().score(&candidates, &links, Order::Third, &scores, &mut factors);
    assert_eq!(scorer.asked, 3, "nodes 2, 4 and 6 have edges on both sides");
}

/// Factors that are asked for one by one, whatever a decoder says that it will ask for.
struct OneByOne<'a>(PartFactors<'a>);

impl Factors for OneByOne<'_> {
    fn neighbours(&mut self, node: Node, inner: Option<EdgeId>, outer: EdgeId) -> &PairScores {
        self.0.neighbours(node, inner, outer)
    }

    fn both_sides(&mut self, node: Node, left: EdgeId, right: EdgeId) -> &PairScores {
        self.0.both_sides(node, left, right)
    }

    fn one_side(&mut self, node: Node, inner: EdgeId, middle: EdgeId, outer: EdgeId) -> &TripleScores {
        self.0.one_side(node, inner, middle, outer)
    }

    fn both_ends(&mut self, left: EdgeId, right: EdgeId, edge: EdgeId) -> &TripleScores {
        self.0.both_ends(left, right, edge)
    }
}

/// What a search says that it will ask for is what it asks for, and no more: the same graph of as many parts, whether they are scored
/// together or one by one.
#[test]
fn factors_that_are_expected_are_those_that_are_asked_for() {
    let candidates = Candidates::complete(9);
    let mut scorer = Plain { kinds: PAIRS.to_vec(), ..Plain::default() };
    for (number, &(left, right)) in candidates.edges().iter().enumerate() {
        for other in (0..9).filter(|&other| other != left && other != right) {
            let weight = ((number * 7 + usize::from(other) * 5) % 13) as f32 - 6.0;
            for (kind, choice) in PAIRS.into_iter().zip([0, 4, 8]) {
                scorer.weights.insert((part::Part::three(kind, left, right, other), choice), weight);
                scorer.weights.insert((part::Part::three(kind, right, left, other), choice), -weight);
            }
        }
    }
    let score = |edge: usize| [(edge * 5 % 11) as f32 - 5.0, (edge * 3 % 7) as f32 - 4.0, -3.0];
    let scores: Vec<Scores> = (0..candidates.len()).map(score).collect();
    for (order, give_up) in
        [(Order::Neighbours, f32::INFINITY), (Order::BothSides, f32::INFINITY), (Order::BothSides, 2.0)]
    {
        let effort = Effort { give_up, ..Effort::new(order, 3) };
        let mut decode = |alone: bool| {
            let (mut memo, mut links) = (Memo::default(), Vec::new());
            let before = scorer.asked;
            let factors = PartFactors::new(&mut scorer, &candidates, &mut memo);
            let mut factors: Box<dyn Factors> =
                if alone { Box::new(OneByOne(factors)) } else { Box::new(factors) };
            let score = Beam::default().decode(&candidates, &scores, &mut *factors, effort, &mut links);
            drop(factors);
            (score, links, scorer.asked - before)
        };
        let together = decode(false);
        assert!(together.1.len() > 3 && together.2 > 50, "{together:?}");
        assert_eq!(together, decode(true), "{order:?}");
    }
}
