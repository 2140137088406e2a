//! The parts of a given noncrossing graph: what learning rewards and punishes.
//!
//! The sum of the scores of all parts is the score that the decoders maximise; see the table of factors in the
//! [module's documentation](super). O(m log m) for m edges.

use super::{Candidates, Factors, Link, Node, Scores};

/// Which factors a model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Single edges: M1.
    First,
    /// And neighbours on one side: M2 and M3.
    Neighbours,
    /// And neighbours on both sides: M4.
    BothSides,
    /// And three edges: M5.
    Third,
}

/// One part of a graph. The variants are the factors of the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A single edge.
    Edge(Link),
    /// Two edges of a node next to each other on one side.
    Neighbours {
        /// The node they share.
        node: Node,
        /// The shorter one.
        inner: Option<Link>,
        /// The longer one.
        outer: Link,
    },
    /// The longest edges of a node on both sides.
    BothSides {
        /// The node they share.
        node: Node,
        /// The one to the left.
        left: Link,
        /// The one to the right.
        right: Link,
    },
    /// Three edges of a node next to each other on one side.
    OneSide {
        /// The node they share.
        node: Node,
        /// The shortest.
        inner: Link,
        /// The one between.
        middle: Link,
        /// The longest.
        outer: Link,
    },
    /// An edge with the longest edges of its ends strictly inside.
    BothEnds {
        /// The one of the left end.
        left: Link,
        /// The one of the right end.
        right: Link,
        /// The edge over both.
        edge: Link,
    },
}

impl Part {
    /// The score of the part.
    pub fn score(self, scores: &[Scores], factors: &mut dyn Factors) -> f32 {
        let at = |link: Link| link.direction.index();
        match self {
            Part::Edge(link) => scores[link.edge as usize][at(link)],
            Part::Neighbours { node, inner: None, outer } => {
                factors.neighbours(node, None, outer.edge)[0][at(outer)]
            }
            Part::Neighbours { node, inner: Some(inner), outer } => {
                factors.neighbours(node, Some(inner.edge), outer.edge)[at(inner)][at(outer)]
            }
            Part::BothSides { node, left, right } => {
                factors.both_sides(node, left.edge, right.edge)[at(left)][at(right)]
            }
            Part::OneSide { node, inner, middle, outer } => {
                factors.one_side(node, inner.edge, middle.edge, outer.edge)[at(inner)][at(middle)][at(outer)]
            }
            Part::BothEnds { left, right, edge } => {
                factors.both_ends(left.edge, right.edge, edge.edge)[at(left)][at(right)][at(edge)]
            }
        }
    }
}

/// Takes graphs apart; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Dissection {
    /// The edges by right end, those of one end with the shortest first.
    by_right: Vec<Link>,
}

impl Dissection {
    /// Visits all parts of a graph, whose links are sorted, in an order that depends on nothing else.
    pub fn visit(
        &mut self,
        candidates: &Candidates,
        links: &[Link],
        order: Order,
        mut visit: impl FnMut(Part),
    ) {
        let left_end = |link: &Link| candidates.ends(link.edge).0;
        let right_end = |link: &Link| candidates.ends(link.edge).1;
        for &link in links {
            visit(Part::Edge(link));
        }
        if order == Order::First {
            return;
        }
        self.by_right.clear();
        self.by_right.extend_from_slice(links);
        self.by_right.sort_unstable_by_key(|link| (right_end(link), std::cmp::Reverse(left_end(link))));
        let rightward = links.chunk_by(|a, b| left_end(a) == left_end(b));
        let leftward = self.by_right.chunk_by(|a, b| right_end(a) == right_end(b));
        for (node, side) in rightward.clone().map(|side| (left_end(&side[0]), side)) {
            visit_side(node, side, order, &mut visit);
        }
        let mut rights = rightward.peekable();
        for (node, left) in leftward.map(|side| (right_end(&side[0]), side)) {
            visit_side(node, left, order, &mut visit);
            while rights.next_if(|side| left_end(&side[0]) < node).is_some() {}
            if order >= Order::BothSides
                && let Some(&&[.., right]) = rights.peek().filter(|side| left_end(&side[0]) == node)
                && let &[.., left] = left
            {
                visit(Part::BothSides { node, left, right });
            }
        }
        if order == Order::Third {
            for (place, &edge) in links.iter().enumerate() {
                let (s, e) = candidates.ends(edge.edge);
                let left =
                    place.checked_sub(1).map(|before| links[before]).filter(|link| left_end(link) == s);
                let place = self.by_right.partition_point(|link| {
                    (right_end(link), std::cmp::Reverse(left_end(link))) < (e, std::cmp::Reverse(s))
                });
                let right = place.checked_sub(1).map(|before| self.by_right[before]);
                if let (Some(left), Some(right)) = (left, right.filter(|link| right_end(link) == e)) {
                    visit(Part::BothEnds { left, right, edge });
                }
            }
        }
    }

    /// The score of a graph.
    pub fn score(
        &mut self,
        candidates: &Candidates,
        links: &[Link],
        order: Order,
        scores: &[Scores],
        factors: &mut dyn Factors,
    ) -> f32 {
        let mut sum = 0.0;
        self.visit(candidates, links, order, |part| sum += part.score(scores, factors));
        sum
    }
}

/// The parts of the edges of a node on one side, the shortest first.
fn visit_side(node: Node, side: &[Link], order: Order, visit: &mut impl FnMut(Part)) {
    visit(Part::Neighbours { node, inner: None, outer: side[0] });
    for pair in side.windows(2) {
        visit(Part::Neighbours { node, inner: Some(pair[0]), outer: pair[1] });
    }
    if order == Order::Third {
        for three in side.windows(3) {
            visit(Part::OneSide { node, inner: three[0], middle: three[1], outer: three[2] });
        }
    }
}
