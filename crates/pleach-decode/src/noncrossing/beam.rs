//! M3, M4 and M5: second and third order with a beam (`sun-2017` section 3.3, after Zhang and McDonald 2012).
//!
//! Structures carry what later factors will ask for: an open one the longest edge of s inside the span and that of e
//! (each with the next shorter one for third order), a closed one its direction (and the longest edges of its ends
//! strictly inside). Of each span the best B open structures are kept, of each edge the best B closed ones; of
//! structures that later factors can't tell apart, only the best.
//!
//! > `I[s,e] = O[s+1,e]  ∪  C[s,k] + O[k,e] + both(k; s, O's edge of k),  s < k < e`
//! >
//! > `C[s,e] = I[s,e] + score(s,e) + n(s; I's edge of s, e) + n(e; I's edge of e, s) (+ third order)`
//! >
//! > `O[s,e] = best B of I[s,e] ∪ C[s,e]`
//!
//! C takes all of I, not only its best B: the factors of the new edge are what tells them apart. A node k becomes an
//! inner node of a span in exactly one step; if it has edges to the left, it is the step above, where both its
//! longest edges are known.
//!
//! Complexity: O(n³B²) time for all pairs, O(n²dB²) for d candidates a node; O(n²B) memory. Exact when B is not
//! smaller than the number of structures that can be told apart.

use super::{Candidates, Direction, EdgeId, Factors, Link, Node, Order, Scores};

/// An edge with its direction in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed(u32);

impl Packed {
    const NONE: Packed = Packed(u32::MAX);

    fn new(edge: EdgeId, direction: Direction) -> Packed {
        Packed(edge << 2 | direction as u32)
    }

    fn is_none(self) -> bool {
        self == Packed::NONE
    }

    fn edge(self) -> EdgeId {
        self.0 >> 2
    }

    fn direction(self) -> usize {
        (self.0 & 3) as usize
    }

    fn link(self) -> Link {
        Link { edge: self.edge(), direction: Direction::ALL[self.direction()] }
    }
}

/// What later factors can see of an open structure over (s,e): the longest edge of s and that of e inside the span,
/// and for third order the next shorter ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sight {
    of_s: Packed,
    of_e: Packed,
    next_of_s: Packed,
    next_of_e: Packed,
}

impl Sight {
    const NOTHING: Sight =
        Sight { of_s: Packed::NONE, of_e: Packed::NONE, next_of_s: Packed::NONE, next_of_e: Packed::NONE };
}

const NONE: u32 = u32::MAX;

/// Where a structure came from: C[s,k], or [`NONE`], and an open structure.
#[derive(Clone, Copy, Debug)]
struct Back {
    closed: u32,
    open: u32,
}

#[derive(Clone, Copy, Debug)]
struct OpenItem {
    score: f32,
    sight: Sight,
    back: Back,
}

#[derive(Clone, Copy, Debug)]
struct ClosedItem {
    score: f32,
    link: Packed,
    /// For third order, the longest edges of s and of e strictly inside.
    inner_of_s: Packed,
    inner_of_e: Packed,
    back: Back,
}

/// A list of at most B things, the best first, of which no two look the same.
trait Ranked: Copy {
    fn score(&self) -> f32;
    fn looks_like(&self, other: &Self) -> bool;
}

impl Ranked for OpenItem {
    fn score(&self) -> f32 {
        self.score
    }

    fn looks_like(&self, other: &Self) -> bool {
        self.sight == other.sight
    }
}

impl Ranked for ClosedItem {
    fn score(&self) -> f32 {
        self.score
    }

    fn looks_like(&self, other: &Self) -> bool {
        (self.link, self.inner_of_s, self.inner_of_e) == (other.link, other.inner_of_s, other.inner_of_e)
    }
}

/// Puts an item where it belongs in `list[from..]`, which keeps at most `beam` items. Of equal scores, the first
/// one that came stays in front.
fn insert<T: Ranked>(list: &mut Vec<T>, from: usize, beam: usize, item: T) {
    let full = list.len() - from >= beam;
    if full && list.last().is_some_and(|last| last.score() >= item.score()) {
        return;
    }
    match list[from..].iter().position(|other| other.looks_like(&item)) {
        Some(place) if list[from + place].score() >= item.score() => return,
        Some(place) => {
            list.remove(from + place);
        }
        None if full => {
            list.pop();
        }
        None => {}
    }
    let place = from + list[from..].partition_point(|other| other.score() >= item.score());
    list.insert(place, item);
}

/// The decoder with its memory.
#[derive(Clone, Debug, Default)]
pub struct Beam {
    open: Vec<OpenItem>,
    closed: Vec<ClosedItem>,
    /// Where the open structures of a span are.
    open_of: Vec<(u32, u32)>,
    /// Where the closed structures of an edge are.
    closed_of: Vec<(u32, u32)>,
    inner: Vec<OpenItem>,
    todo: Vec<Back>,
}

impl Beam {
    /// Finds a good noncrossing graph with a beam of this size and puts its edges into `links`, sorted. Gives its
    /// score. `order` says which factors count.
    pub fn decode(
        &mut self,
        candidates: &Candidates,
        scores: &[Scores],
        factors: &mut dyn Factors,
        (order, beam): (Order, usize),
        links: &mut Vec<Link>,
    ) -> f32 {
        links.clear();
        let nodes = candidates.nodes();
        if nodes == 0 {
            return 0.0;
        }
        self.open.clear();
        self.closed.clear();
        self.open_of.clear();
        self.open_of.resize(nodes * nodes, (0, 0));
        self.closed_of.clear();
        self.closed_of.resize(candidates.len(), (0, 0));
        let mut search = Search { candidates, scores, factors, order, beam: beam.max(1) };
        for s in (0..nodes as Node).rev() {
            let nothing = Back { closed: NONE, open: NONE };
            self.open_of[usize::from(s) * (nodes + 1)] = (self.open.len() as u32, self.open.len() as u32 + 1);
            self.open.push(OpenItem { score: 0.0, sight: Sight::NOTHING, back: nothing });
            let mut edges = candidates.rightward(s).peekable();
            for e in s + 1..nodes as Node {
                let edge = edges.next_if(|&edge| candidates.ends(edge).1 == e);
                self.fill(&mut search, s, e, edge);
            }
        }
        let (best, _) = self.open_of[nodes - 1];
        self.collect(best, links);
        self.open[best as usize].score
    }

    /// I, C and O of one span.
    fn fill(&mut self, search: &mut Search, s: Node, e: Node, edge: Option<EdgeId>) {
        let nodes = search.candidates.nodes();
        let span = |s: Node, e: Node| usize::from(s) * nodes + usize::from(e);
        self.inner.clear();
        // O[s+1,e]
        let (from, to) = self.open_of[span(s + 1, e)];
        for open in from..to {
            let OpenItem { score, sight, .. } = self.open[open as usize];
            let sight = Sight { of_s: Packed::NONE, next_of_s: Packed::NONE, ..sight };
            self.inner.push(OpenItem { score, sight, back: Back { closed: NONE, open } });
        }
        // C[s,k] + O[k,e] + both(k; s, O's edge of k)
        for part in search.candidates.rightward(s) {
            let (_, k) = search.candidates.ends(part);
            if k >= e {
                break;
            }
            let (closed_from, closed_to) = self.closed_of[part as usize];
            let (open_from, open_to) = self.open_of[span(k, e)];
            for closed in closed_from..closed_to {
                let left = self.closed[closed as usize];
                for open in open_from..open_to {
                    let right = &self.open[open as usize];
                    let score = left.score + right.score + search.both_sides(k, left.link, right.sight.of_s);
                    let sight = Sight { of_s: left.link, next_of_s: left.inner_of_s, ..right.sight };
                    self.inner.push(OpenItem { score, sight, back: Back { closed, open } });
                }
            }
        }
        // C[s,e] of all of I
        let closed_from = self.closed.len();
        if let Some(edge) = edge {
            for inner in &self.inner {
                let beam = search.beam;
                search.close((s, e), edge, inner, |item| insert(&mut self.closed, closed_from, beam, item));
            }
            self.closed_of[edge as usize] = (closed_from as u32, self.closed.len() as u32);
        }
        // O[s,e] = best B of I[s,e] ∪ C[s,e]
        let open_from = self.open.len();
        for &item in &self.inner {
            insert(&mut self.open, open_from, search.beam, item);
        }
        for closed in closed_from..self.closed.len() {
            let ClosedItem { score, link, inner_of_s, inner_of_e, .. } = self.closed[closed];
            let sight = Sight { of_s: link, of_e: link, next_of_s: inner_of_s, next_of_e: inner_of_e };
            let back = Back { closed: closed as u32, open: NONE };
            insert(&mut self.open, open_from, search.beam, OpenItem { score, sight, back });
        }
        self.open_of[span(s, e)] = (open_from as u32, self.open.len() as u32);
    }

    fn collect(&mut self, best: u32, links: &mut Vec<Link>) {
        self.todo.push(self.open[best as usize].back);
        while let Some(back) = self.todo.pop() {
            if back.closed != NONE {
                let closed = &self.closed[back.closed as usize];
                links.push(closed.link.link());
                self.todo.push(closed.back);
            }
            if back.open != NONE {
                self.todo.push(self.open[back.open as usize].back);
            }
        }
        links.sort_unstable();
    }
}

/// What does not change during a search.
struct Search<'a> {
    candidates: &'a Candidates,
    scores: &'a [Scores],
    factors: &'a mut dyn Factors,
    order: Order,
    beam: usize,
}

impl Search<'_> {
    fn both_sides(&mut self, node: Node, left: Packed, right: Packed) -> f32 {
        if self.order < Order::BothSides || right.is_none() {
            return 0.0;
        }
        self.factors.both_sides(node, left.edge(), right.edge())[left.direction()][right.direction()]
    }

    /// Puts an edge over an open structure, in each of its directions.
    fn close(
        &mut self,
        (s, e): (Node, Node),
        edge: EdgeId,
        inner: &OpenItem,
        mut add: impl FnMut(ClosedItem),
    ) {
        let Sight { of_s, of_e, next_of_s, next_of_e } = inner.sight;
        let mut sums = self.scores[edge as usize];
        let mut add_all = |scores: &Scores| {
            for (sum, score) in sums.iter_mut().zip(scores) {
                *sum += score;
            }
        };
        for (node, next) in [(s, of_s), (e, of_e)] {
            if next.is_none() {
                add_all(&self.factors.neighbours(node, None, edge)[0]);
            } else {
                add_all(&self.factors.neighbours(node, Some(next.edge()), edge)[next.direction()]);
            }
        }
        let third = self.order == Order::Third;
        if third {
            for (node, first, second) in [(s, next_of_s, of_s), (e, next_of_e, of_e)] {
                if !first.is_none() {
                    let table = self.factors.one_side(node, first.edge(), second.edge(), edge);
                    add_all(&table[first.direction()][second.direction()]);
                }
            }
            if !of_s.is_none() && !of_e.is_none() {
                let table = self.factors.both_ends(of_s.edge(), of_e.edge(), edge);
                add_all(&table[of_s.direction()][of_e.direction()]);
            }
        }
        for direction in Direction::ALL {
            let score = inner.score + sums[direction.index()];
            if score > f32::NEG_INFINITY {
                add(ClosedItem {
                    score,
                    link: Packed::new(edge, direction),
                    inner_of_s: if third { of_s } else { Packed::NONE },
                    inner_of_e: if third { of_e } else { Packed::NONE },
                    back: inner.back,
                });
            }
        }
    }
}
