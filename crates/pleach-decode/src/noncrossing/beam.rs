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
//! An edge is given up where even the best structure with it is much worse than the best one without ([`Effort::give_up`]): it is in no
//! structure of a larger span. Twice as much is enough to see it with the best of I alone, and what is not given up is put over the best 4B of I.
//! Most candidates are such edges, and they have as many factors as others.
//!
//! A span is part of larger ones with the same right end only, until an edge closes it. So of all spans to e, only those
//! under the longest edge of e to the left are looked at, and all of them to the last node.
//!
//! Complexity: O(n³B²) time for all pairs, O(nldB²) for d candidates a node, the longest of length l; O(n²B) memory. Exact
//! when B is not smaller than the number of structures that can be told apart.

use super::{Candidates, Direction, EdgeId, Factors, Link, Node, Order, Scores};
use std::ops::Range;

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

/// The chart has at most so many slots for open structures (a beam of 64 for [`MAX_NODES`](super::MAX_NODES)); a wider
/// beam is cut down.
const MOST_SLOTS: usize = 1 << 25;

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

impl OpenItem {
    const NOTHING: OpenItem =
        OpenItem { score: 0.0, sight: Sight::NOTHING, back: Back { closed: NONE, open: NONE } };
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

impl ClosedItem {
    const NOTHING: ClosedItem = ClosedItem {
        score: 0.0,
        link: Packed::NONE,
        inner_of_s: Packed::NONE,
        inner_of_e: Packed::NONE,
        back: Back { closed: NONE, open: NONE },
    };
}

/// How much a search looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Which factors count.
    pub order: Order,
    /// How many structures of a span or an edge are kept.
    pub beam: usize,
    /// By how much an edge may make the best structure of a span worse, for what larger spans may see in it.
    pub give_up: f32,
}

impl Effort {
    /// No edge is given up.
    pub fn new(order: Order, beam: usize) -> Self {
        Effort { order, beam, give_up: f32::INFINITY }
    }
}

/// With one structure inside of it, an edge may be so many times as bad as with the best one.
const FIRST_LOOK: f32 = 2.0;

/// A search that gives edges up puts them over so many times as many structures as it keeps, the best ones of I.
const INSIDE: usize = 4;

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

/// Puts an item where it belongs among the first `count` of the slots. Of equal scores, the first one that came
/// stays in front.
fn insert<T: Ranked>(slots: &mut [T], count: &mut u32, item: T) {
    let len = *count as usize;
    let full = len == slots.len();
    if full && slots[len - 1].score() >= item.score() {
        return;
    }
    let last = match slots[..len].iter().position(|other| other.looks_like(&item)) {
        Some(place) if slots[place].score() >= item.score() => return,
        Some(place) => place,
        None if full => len - 1,
        None => {
            *count += 1;
            len
        }
    };
    let place = slots[..last].partition_point(|other| other.score() >= item.score());
    slots.copy_within(place..last, place + 1);
    slots[place] = item;
}

/// Adds an item to `list[from..]`, unless one that looks the same is as good; a worse one gives way.
fn keep_best(list: &mut Vec<OpenItem>, from: usize, item: OpenItem) {
    match list[from..].iter_mut().find(|other| other.looks_like(&item)) {
        Some(other) if other.score >= item.score => {}
        Some(other) => *other = item,
        None => list.push(item),
    }
}

/// The decoder with its memory. Every span and every edge has B slots, so that a part of the chart can be filled again.
#[derive(Clone, Debug, Default)]
pub struct Beam {
    nodes: usize,
    beam: usize,
    open: Vec<OpenItem>,
    closed: Vec<ClosedItem>,
    /// How many slots of a span are used.
    open_count: Vec<u32>,
    /// How many slots of an edge are used.
    closed_count: Vec<u32>,
    /// The scores that the chart was filled with.
    scores: Vec<Scores>,
    /// The first node from which a span to each node is ever asked for.
    reach: Vec<Node>,
    inner: Vec<OpenItem>,
    todo: Vec<Back>,
}

impl Beam {
    /// Finds a good noncrossing graph and puts its edges into `links`, sorted. Gives its score.
    pub fn decode(
        &mut self,
        candidates: &Candidates,
        scores: &[Scores],
        factors: &mut dyn Factors,
        effort: Effort,
        links: &mut Vec<Link>,
    ) -> f32 {
        self.start(candidates, scores, effort.beam);
        let mut search = Search { candidates, scores, factors, effort };
        for s in (0..self.nodes as Node).rev() {
            self.fill_row(&mut search, s, s + 1);
        }
        self.best(links)
    }

    /// Decodes the last problem again with other scores of its edges: the same candidates, factors and effort. Only
    /// spans over an edge whose scores have changed are looked at, and the result is that of [`Beam::decode`].
    pub fn decode_again(
        &mut self,
        candidates: &Candidates,
        scores: &[Scores],
        factors: &mut dyn Factors,
        effort: Effort,
        links: &mut Vec<Link>,
    ) -> f32 {
        let mut search = Search { candidates, scores, factors, effort };
        let mut first = self.nodes as Node;
        for s in (0..self.nodes as Node).rev() {
            let changed = candidates.rightward(s).find(|&edge| {
                let edge = edge as usize;
                self.scores[edge] != scores[edge]
            });
            first = changed.map_or(first, |edge| first.min(candidates.ends(edge).1));
            self.fill_row(&mut search, s, first);
        }
        self.scores.copy_from_slice(scores);
        self.best(links)
    }

    fn start(&mut self, candidates: &Candidates, scores: &[Scores], beam: usize) {
        self.nodes = candidates.nodes();
        let spans = self.nodes * (self.nodes + 1) / 2;
        let beam = beam.clamp(1, (MOST_SLOTS / spans.max(1)).max(1));
        self.beam = beam;
        // What is in the slots doesn't matter, as long as they are counted as free.
        self.open.resize(self.open.len().max(spans * beam), OpenItem::NOTHING);
        self.closed.resize(self.closed.len().max(candidates.len() * beam), ClosedItem::NOTHING);
        self.open_count.clear();
        self.open_count.resize(spans, 0);
        self.closed_count.clear();
        self.closed_count.resize(candidates.len(), 0);
        self.scores.clear();
        self.scores.extend_from_slice(scores);
        self.reach.clear();
        for node in 0..self.nodes as Node {
            let longest = candidates.leftward(node).first().map_or(node, |&edge| candidates.ends(edge).0);
            self.reach.push(if usize::from(node) + 1 == self.nodes { 0 } else { longest });
            let place = self.place(node, node);
            self.open[place * beam] = OpenItem::NOTHING;
            self.open_count[place] = 1;
        }
    }

    /// The place of a span among all, row by row.
    fn place(&self, s: Node, e: Node) -> usize {
        let (s, e) = (usize::from(s), usize::from(e));
        s * (2 * self.nodes + 1 - s) / 2 + e - s
    }

    /// The used slots of a span.
    fn open_of(&self, s: Node, e: Node) -> Range<usize> {
        let place = self.place(s, e);
        place * self.beam..place * self.beam + self.open_count[place] as usize
    }

    /// The used slots of an edge.
    fn closed_of(&self, edge: EdgeId) -> Range<usize> {
        let from = edge as usize * self.beam;
        from..from + self.closed_count[edge as usize] as usize
    }

    /// The spans of s from this end on.
    fn fill_row(&mut self, search: &mut Search, s: Node, from: Node) {
        let candidates = search.candidates;
        let mut edges = candidates.rightward(s).skip_while(|&edge| candidates.ends(edge).1 < from).peekable();
        for e in from..self.nodes as Node {
            if s >= self.reach[usize::from(e)] {
                let edge = edges.next_if(|&edge| candidates.ends(edge).1 == e);
                self.fill(search, s, e, edge);
            }
        }
    }

    /// I, C and O of one span. Of structures of I that look the same, one is enough.
    fn fill(&mut self, search: &mut Search, s: Node, e: Node, edge: Option<EdgeId>) {
        self.inner.clear();
        // O[s+1,e]
        for open in self.open_of(s + 1, e) {
            let OpenItem { score, sight, .. } = self.open[open];
            let sight = Sight { of_s: Packed::NONE, next_of_s: Packed::NONE, ..sight };
            let back = Back { closed: NONE, open: open as u32 };
            keep_best(&mut self.inner, 0, OpenItem { score, sight, back });
        }
        // C[s,k] + O[k,e] + both(k; s, O's edge of k)
        self.expect_both_sides(search, s, e);
        for part in search.candidates.rightward(s) {
            let (_, k) = search.candidates.ends(part);
            if k >= e {
                break;
            }
            for closed in self.closed_of(part) {
                let left = self.closed[closed];
                let from = self.inner.len();
                for open in self.open_of(k, e) {
                    let right = &self.open[open];
                    let score = left.score + right.score + search.both_sides(k, left.link, right.sight.of_s);
                    let sight = Sight { of_s: left.link, next_of_s: left.inner_of_s, ..right.sight };
                    let back = Back { closed: closed as u32, open: open as u32 };
                    keep_best(&mut self.inner, from, OpenItem { score, sight, back });
                }
            }
        }
        let place = self.place(s, e);
        let open = &mut self.open[place * self.beam..(place + 1) * self.beam];
        let mut open_count = 0;
        for &item in &self.inner {
            insert(open, &mut open_count, item);
        }
        // C[s,e] of all of I; O[s,e] = best B of I[s,e] ∪ C[s,e]
        if let Some(edge) = edge {
            let from = edge as usize * self.beam;
            let closed = &mut self.closed[from..from + self.beam];
            let mut closed_count = 0;
            let best = open[..open_count as usize].first().copied();
            if best.is_none_or(|best| !search.gives_up_first((s, e), edge, &best)) {
                let most = INSIDE.saturating_mul(self.beam);
                if search.gives_up() && self.inner.len() > most {
                    self.inner.select_nth_unstable_by(most, |a, b| b.score.total_cmp(&a.score));
                    self.inner.truncate(most);
                }
                search.expect_neighbours((s, e), edge, &self.inner);
                for inner in &self.inner {
                    search.close((s, e), edge, inner, |item| insert(closed, &mut closed_count, item));
                }
                let gives_up = |best: OpenItem| best.score - closed[0].score > search.effort.give_up;
                if best.is_some_and(gives_up) {
                    closed_count = 0;
                }
            }
            for (place, item) in closed[..closed_count as usize].iter().enumerate() {
                let &ClosedItem { score, link, inner_of_s, inner_of_e, .. } = item;
                let sight = Sight { of_s: link, of_e: link, next_of_s: inner_of_s, next_of_e: inner_of_e };
                let back = Back { closed: (from + place) as u32, open: NONE };
                insert(open, &mut open_count, OpenItem { score, sight, back });
            }
            self.closed_count[edge as usize] = closed_count;
        }
        self.open_count[place] = open_count;
    }

    /// Tells which factors of both sides the structures inside of a span have.
    fn expect_both_sides(&self, search: &mut Search, s: Node, e: Node) {
        if search.effort.order < Order::BothSides {
            return;
        }
        let candidates = search.candidates;
        let parts = candidates.rightward(s).map(|part| (part, candidates.ends(part).1));
        let parts =
            parts.take_while(|&(_, k)| k < e).filter(|&(part, _)| self.closed_count[part as usize] > 0);
        search.factors.expect_both_sides(&mut parts.flat_map(|(part, k)| {
            let rights = self.open[self.open_of(k, e)].iter().map(|open| open.sight.of_s);
            rights.filter(|right| !right.is_none()).map(move |right| (k, part, right.edge()))
        }));
    }

    /// The best graph over all nodes.
    fn best(&mut self, links: &mut Vec<Link>) -> f32 {
        links.clear();
        if self.nodes == 0 {
            return 0.0;
        }
        let best = self.open[(self.nodes - 1) * self.beam];
        self.collect(best.back, links);
        best.score
    }

    fn collect(&mut self, best: Back, links: &mut Vec<Link>) {
        self.todo.push(best);
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
    effort: Effort,
}

impl Search<'_> {
    fn both_sides(&mut self, node: Node, left: Packed, right: Packed) -> f32 {
        if self.effort.order < Order::BothSides || right.is_none() {
            return 0.0;
        }
        self.factors.both_sides(node, left.edge(), right.edge())[left.direction()][right.direction()]
    }

    /// Tells which neighbours an edge has over these structures.
    fn expect_neighbours(&mut self, (s, e): (Node, Node), edge: EdgeId, inner: &[OpenItem]) {
        let shorter = |packed: Packed| (!packed.is_none()).then(|| packed.edge());
        let of_s = inner.iter().map(|item| (s, shorter(item.sight.of_s), edge));
        let of_e = inner.iter().map(|item| (e, shorter(item.sight.of_e), edge));
        self.factors.expect_neighbours(&mut { of_s });
        self.factors.expect_neighbours(&mut { of_e });
    }

    /// Whether edges are given up at all.
    fn gives_up(&self) -> bool {
        self.effort.give_up < f32::INFINITY
    }

    /// Whether an edge is given up when it was seen over the best open structure only.
    fn gives_up_first(&mut self, ends: (Node, Node), edge: EdgeId, best: &OpenItem) -> bool {
        if !self.gives_up() {
            return false;
        }
        let mut score = f32::NEG_INFINITY;
        self.close(ends, edge, best, |item| score = score.max(item.score));
        best.score - score > FIRST_LOOK * self.effort.give_up
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
        let third = self.effort.order == Order::Third;
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
