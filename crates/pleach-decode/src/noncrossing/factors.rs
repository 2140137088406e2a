//! The factors of noncrossing graphs as parts that a scorer scores (`sun-2017` section 5.2): edges, neighbours and three
//! edges together.
//!
//! A part has a choice for every combination of directions of its edges, so one question scores them all. Of a pair of
//! words the first node is the left one and the second the right one; its choices are channels, the first of which
//! decides whether the pair is a candidate ([`FILTER`]). Of several edges of a node the first node is that one, the
//! second the other end of the longest edge, the third that of the next (on the other side for both sides), the fourth
//! that of the shortest; where there is no shorter edge, the third is a word beyond the ends of the sentence. Of an edge
//! with the longest edges of its ends inside, the first two nodes are its ends, the others the other ends of theirs.
//! Sides and shapes are kinds of their own.
//!
//! Complexity: a part is scored when it is first asked for and looked up in O(1) later.

use super::memo::{ACROSS, LEFT, Memo, NO_PAIR, NO_TRIPLE, RIGHT};
use super::{
    Candidates, DIRECTIONS, Direction, EdgeId, Factors, Link, Node, Order, PairScores, Part, TripleScores,
};
use crate::part::{self, Kind, PartScorer};
use pleach_graph::node::{LEFT_EDGE, NONE, RIGHT_EDGE};

/// The channel of a pair of words that decides whether it is a candidate.
pub const FILTER: u16 = 0;

/// The channels of a pair of words: for the filter, and for each direction.
pub const CHANNELS: usize = 1 + DIRECTIONS;

/// Two edges of a node: to the right, to the left, on both sides.
pub const PAIRS: [Kind; 3] = [Kind(2), Kind(3), Kind(4)];

/// Three edges: to the right, to the left, at both ends of the longest.
pub const TRIPLES: [Kind; 3] = [Kind(5), Kind(6), Kind(7)];

/// The choices of a part of two edges.
pub const PAIR_CHOICES: usize = DIRECTIONS * DIRECTIONS;

/// The choices of a part of three edges.
pub const TRIPLE_CHOICES: usize = DIRECTIONS * PAIR_CHOICES;

/// The channel of a direction.
#[inline]
pub fn channel(direction: Direction) -> u16 {
    FILTER + 1 + direction as u16
}

/// The highest order, up to the wanted one, that the scorer has an opinion on: nothing is gained by asking for more.
pub fn order_of(scorer: &dyn PartScorer, wanted: Order) -> Order {
    let any = |kinds: &[Kind]| kinds.iter().any(|&kind| scorer.scores(kind));
    match wanted {
        Order::Third if any(&TRIPLES) => Order::Third,
        Order::Third | Order::BothSides if any(&PAIRS[ACROSS..]) => Order::BothSides,
        Order::First => Order::First,
        _ if any(&PAIRS[..ACROSS]) => Order::Neighbours,
        _ => Order::First,
    }
}

/// What a part of a graph is for a scorer, and which of its choices.
pub fn scored(candidates: &Candidates, part: Part) -> (part::Part, u16) {
    let at = |link: Link| link.direction.index();
    let (part, choice) = match part {
        Part::Edge(link) => {
            let (left, right) = candidates.ends(link.edge);
            return (part::Part::arc(left, right), channel(link.direction));
        }
        Part::Neighbours { node, inner, outer } => {
            let (_, part) = neighbours(candidates, node, inner.map(|link| link.edge), outer.edge);
            (part, inner.map_or(0, at) * DIRECTIONS + at(outer))
        }
        Part::BothSides { node, left, right } => {
            (both_sides(candidates, node, left.edge, right.edge), at(left) * DIRECTIONS + at(right))
        }
        Part::OneSide { node, inner, middle, outer } => {
            let (_, part) = one_side(candidates, node, [inner.edge, middle.edge, outer.edge]);
            (part, (at(inner) * DIRECTIONS + at(middle)) * DIRECTIONS + at(outer))
        }
        Part::BothEnds { left, right, edge } => {
            let part = both_ends(candidates, left.edge, right.edge, edge.edge);
            (part, (at(left) * DIRECTIONS + at(right)) * DIRECTIONS + at(edge))
        }
    };
    (part, choice as u16)
}

/// The other end of an edge of a node.
#[inline]
fn other_end(candidates: &Candidates, node: Node, edge: EdgeId) -> Node {
    let (left, right) = candidates.ends(edge);
    if left == node { right } else { left }
}

#[inline]
fn neighbours(
    candidates: &Candidates,
    node: Node,
    inner: Option<EdgeId>,
    outer: EdgeId,
) -> (usize, part::Part) {
    let end = other_end(candidates, node, outer);
    let (side, nothing) = if end > node { (RIGHT, RIGHT_EDGE) } else { (LEFT, LEFT_EDGE) };
    let inner = inner.map_or(nothing, |inner| other_end(candidates, node, inner));
    (side, part::Part::three(PAIRS[side], node, end, inner))
}

#[inline]
fn both_sides(candidates: &Candidates, node: Node, left: EdgeId, right: EdgeId) -> part::Part {
    part::Part::three(PAIRS[ACROSS], node, candidates.ends(right).1, candidates.ends(left).0)
}

#[inline]
fn one_side(candidates: &Candidates, node: Node, edges: [EdgeId; 3]) -> (usize, part::Part) {
    let [inner, middle, outer] = edges.map(|edge| other_end(candidates, node, edge));
    let side = if outer > node { RIGHT } else { LEFT };
    (side, part::Part::four(TRIPLES[side], [node, outer, middle, inner]))
}

#[inline]
fn both_ends(candidates: &Candidates, left: EdgeId, right: EdgeId, edge: EdgeId) -> part::Part {
    let (s, e) = candidates.ends(edge);
    part::Part::four(TRIPLES[ACROSS], [s, e, candidates.ends(left).1, candidates.ends(right).0])
}

/// The factors of the sentence that a scorer is bound to.
pub struct PartFactors<'a> {
    scorer: &'a mut dyn PartScorer,
    candidates: &'a Candidates,
    memo: &'a mut Memo,
    /// Which sides and shapes are scored.
    pairs: [bool; 3],
    triples: [bool; 3],
}

impl<'a> PartFactors<'a> {
    /// The factors over these candidates. Each is computed when it is first asked for; the memory forgets what it had.
    pub fn new(scorer: &'a mut dyn PartScorer, candidates: &'a Candidates, memo: &'a mut Memo) -> Self {
        let pairs = PAIRS.map(|kind| scorer.scores(kind));
        let triples = TRIPLES.map(|kind| scorer.scores(kind));
        if pairs.contains(&true) {
            memo.start_pairs(candidates);
        }
        memo.start_triples();
        PartFactors { scorer, candidates, memo, pairs, triples }
    }

    fn triple(&mut self, shape: usize, edges: [EdgeId; 3], part: part::Part) -> &TripleScores {
        debug_assert!(part.nodes.iter().all(|&node| node != NONE));
        let scorer = &mut *self.scorer;
        self.memo.triple(shape, edges, |scores| scorer.score(part, scores))
    }
}

impl Factors for PartFactors<'_> {
    fn neighbours(&mut self, node: Node, inner: Option<EdgeId>, outer: EdgeId) -> &PairScores {
        let (side, part) = neighbours(self.candidates, node, inner, outer);
        if !self.pairs[side] {
            return &NO_PAIR;
        }
        let slot = self.memo.neighbour_slot(side, node, inner, outer);
        let scorer = &mut *self.scorer;
        self.memo.pair(slot, |scores| scorer.score(part, scores))
    }

    fn both_sides(&mut self, node: Node, left: EdgeId, right: EdgeId) -> &PairScores {
        if !self.pairs[ACROSS] {
            return &NO_PAIR;
        }
        let part = both_sides(self.candidates, node, left, right);
        let slot = self.memo.across_slot(node, left, right);
        let scorer = &mut *self.scorer;
        self.memo.pair(slot, |scores| scorer.score(part, scores))
    }

    fn expect_neighbours(&mut self, wanted: &mut dyn Iterator<Item = (Node, Option<EdgeId>, EdgeId)>) {
        for (node, inner, outer) in wanted {
            let (side, part) = neighbours(self.candidates, node, inner, outer);
            if self.pairs[side] {
                let slot = self.memo.neighbour_slot(side, node, inner, outer);
                self.memo.want(slot, || part);
            }
        }
        self.memo.score_wanted(self.scorer);
    }

    fn expect_both_sides(&mut self, wanted: &mut dyn Iterator<Item = (Node, EdgeId, EdgeId)>) {
        if self.pairs[ACROSS] {
            for (node, left, right) in wanted {
                let slot = self.memo.across_slot(node, left, right);
                self.memo.want(slot, || both_sides(self.candidates, node, left, right));
            }
            self.memo.score_wanted(self.scorer);
        }
    }

    fn one_side(&mut self, node: Node, inner: EdgeId, middle: EdgeId, outer: EdgeId) -> &TripleScores {
        let edges = [inner, middle, outer];
        let (side, part) = one_side(self.candidates, node, edges);
        if self.triples[side] { self.triple(side, edges, part) } else { &NO_TRIPLE }
    }

    fn both_ends(&mut self, left: EdgeId, right: EdgeId, edge: EdgeId) -> &TripleScores {
        if !self.triples[ACROSS] {
            return &NO_TRIPLE;
        }
        let part = both_ends(self.candidates, left, right, edge);
        self.triple(ACROSS, [left, right, edge], part)
    }
}
