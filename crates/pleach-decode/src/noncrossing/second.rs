//! M2: second order with single-side neighbours, exact (`sun-2017` section 3.2).
//!
//! With n(x; y, z) the neighbour factor of x's edge to z with x's next shorter edge on that side, to y, and r, l the
//! nodes of the longest edges of s and of e strictly inside:
//!
//! > `C[s,e] = score(s,e) + max of`
//! > - `O[s+1,e−1] + n(s; nil, e) + n(e; nil, s)`
//! > - `C[s,r] + O[r,e−1] + n(s; r, e) + n(e; nil, s)`
//! > - `O[s+1,l] + C[l,e] + n(s; nil, e) + n(e; l, s)`
//! > - `C[s,r] + O[r,l] + C[l,e] + n(s; r, e) + n(e; l, s),  r ≤ l`
//!
//! each with the directions of the edges, and O as in `open`. The four cases are one: what s
//! contributes (`begin`: from where the rest goes on, and a score) plus O plus what e contributes (`end`).
//!
//! Complexity: O(n⁴) time for all pairs, O(nd³ + n²d) for d candidates a node; O(n²) memory.

use super::open::{NONE, Open};
use super::{Candidates, DIRECTIONS, Direction, EdgeId, Factors, Link, Node, Scores, best_direction};

/// What one end of an edge contributes: its longest edge strictly inside, or none.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Where the rest of the span goes on.
    node: Node,
    /// For each direction of the outer edge, the best score.
    scores: Scores,
    /// The inner edge, or [`NONE`], with its direction for each direction of the outer edge.
    edge: EdgeId,
    directions: [Direction; DIRECTIONS],
}

/// The longest edges of the two ends of an edge strictly inside.
type Inner = [Option<Link>; 2];

/// The decoder with its memory.
#[derive(Clone, Debug, Default)]
pub struct Second {
    open: Open,
    closed: Vec<Scores>,
    inner: Vec<[Inner; DIRECTIONS]>,
    begin: Vec<Side>,
    end: Vec<Side>,
    spans: Vec<(Node, Node)>,
}

impl Second {
    /// Finds the best noncrossing graph and puts its edges into `links`, sorted. Gives its score.
    pub fn decode(
        &mut self,
        candidates: &Candidates,
        scores: &[Scores],
        factors: &mut dyn Factors,
        links: &mut Vec<Link>,
    ) -> f32 {
        links.clear();
        let nodes = candidates.nodes() as Node;
        self.open.start(candidates.nodes());
        self.closed.clear();
        self.closed.resize(candidates.len(), [f32::NEG_INFINITY; DIRECTIONS]);
        self.inner.clear();
        self.inner.resize(candidates.len(), Default::default());
        for s in (0..nodes.saturating_sub(1)).rev() {
            self.open.begin_row(s);
            for edge in candidates.rightward(s) {
                self.close(candidates, &scores[edge as usize], factors, edge);
                let (_, e) = candidates.ends(edge);
                self.open.link(s, e, edge, best_direction(&self.closed[edge as usize]).1);
            }
        }
        if nodes == 0 {
            return 0.0;
        }
        self.collect(candidates, links);
        self.open.value(0, nodes - 1)
    }

    /// C[s,e] for all directions.
    fn close(&mut self, candidates: &Candidates, scores: &Scores, factors: &mut dyn Factors, edge: EdgeId) {
        let (s, e) = candidates.ends(edge);
        let nothing = |node: Node, scores: &Scores| Side {
            node,
            scores: *scores,
            edge: NONE,
            directions: [Direction::Right; DIRECTIONS],
        };
        self.begin.clear();
        self.begin.push(nothing(s + 1, &factors.neighbours(s, None, edge)[0]));
        for inner in candidates.rightward(s).take_while(|&inner| inner < edge) {
            let (_, r) = candidates.ends(inner);
            self.begin.push(self.side(factors, s, r, inner, edge));
        }
        self.end.clear();
        self.end.push(nothing(e - 1, &factors.neighbours(e, None, edge)[0]));
        for &inner in candidates.leftward(e).iter().rev() {
            let (l, _) = candidates.ends(inner);
            if l <= s {
                break;
            }
            self.end.push(self.side(factors, e, l, inner, edge));
        }
        let mut best = [f32::NEG_INFINITY; DIRECTIONS];
        let mut places = [(0, 0); DIRECTIONS];
        for (i, begin) in self.begin.iter().enumerate() {
            for (j, end) in self.end.iter().enumerate() {
                // Only r ≤ l; without any inner edge the span between may be empty.
                if begin.node > end.node && (begin.edge, end.edge) != (NONE, NONE) {
                    continue;
                }
                let rest = self.open.value(begin.node, end.node);
                for direction in 0..DIRECTIONS {
                    let sum = begin.scores[direction] + rest + end.scores[direction];
                    if sum > best[direction] {
                        (best[direction], places[direction]) = (sum, (i, j));
                    }
                }
            }
        }
        for direction in 0..DIRECTIONS {
            self.closed[edge as usize][direction] = best[direction] + scores[direction];
            let (i, j) = places[direction];
            self.inner[edge as usize][direction] = [self.begin[i], self.end[j]].map(|side| {
                let link = Link { edge: side.edge, direction: side.directions[direction] };
                (side.edge != NONE).then_some(link)
            });
        }
    }

    /// C of an inner edge plus its neighbour factor, maximised over its directions.
    fn side(&self, factors: &mut dyn Factors, node: Node, rest: Node, inner: EdgeId, outer: EdgeId) -> Side {
        let table = factors.neighbours(node, Some(inner), outer);
        let closed = &self.closed[inner as usize];
        let mut side = Side {
            node: rest,
            scores: [f32::NEG_INFINITY; DIRECTIONS],
            edge: inner,
            directions: [Direction::Right; DIRECTIONS],
        };
        for direction in Direction::ALL {
            for outward in 0..DIRECTIONS {
                let sum = closed[direction.index()] + table[direction.index()][outward];
                if sum > side.scores[outward] {
                    (side.scores[outward], side.directions[outward]) = (sum, direction);
                }
            }
        }
        side
    }

    fn collect(&mut self, candidates: &Candidates, links: &mut Vec<Link>) {
        self.spans.push((0, candidates.nodes() as Node - 1));
        while let Some((s, e)) = self.spans.pop() {
            if s >= e {
                continue;
            }
            let edge = self.open.longest(s, e);
            if edge == NONE {
                self.spans.push((s + 1, e));
                continue;
            }
            let (_, k) = candidates.ends(edge);
            self.spans.push((k, e));
            let (direction, _) = best_direction(&self.closed[edge as usize]);
            let mut next = links.len();
            links.push(Link { edge, direction });
            // The edges inside of an edge that hang on its ends; links double as the list of what is to be opened.
            while let Some(&link) = links.get(next) {
                let (s, e) = candidates.ends(link.edge);
                let [begin, end] = self.inner[link.edge as usize][link.direction.index()];
                let from = begin.map_or(s + 1, |link| candidates.ends(link.edge).1);
                let to = end.map_or(e - 1, |link| candidates.ends(link.edge).0);
                links.extend([begin, end].into_iter().flatten());
                self.spans.push((from, to));
                next += 1;
            }
        }
        links.sort_unstable();
    }
}
