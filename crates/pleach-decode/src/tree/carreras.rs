//! The best projective tree over arcs, inner siblings and outermost grandchildren (Carreras 2007, section 3.2).
//!
//! Class: projective trees over candidate arcs. With k candidate heads a word O(k²·n²) time and O(k·n²) memory;
//! with all arcs that is O(n⁴) and O(n³). Two kinds of items:
//!
//! - open(a): the span between head and dependent of the arc a, everything under it decided;
//! - closed(a, t): the span from the head of a to t, the arc a being the outermost one of its head on that side.
//!
//! Invariant: after step (s, t) all items over spans inside of s..t are final. Items of one place t lie side by
//! side, sorted by head and dependent, as the scores of the factors do, so every inner loop runs over two slices.
//! When only scores of single arcs change, as multipliers change them, an item is computed again if something that it is made of has
//! another value ([`SecondOrder::decode_again`]); what is not better than what was best ends there.

use super::score::{Score, best_sum, largest, place_of};
use super::{Parts, Root};
use std::ops::Range;

/// Charts of more items than this are not filled (256 MB).
pub const MOST_ITEMS: usize = 1 << 26;

/// The chart, kept from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct SecondOrder {
    open: Vec<f32>,
    /// closed(a, t) at `t * arcs + a`.
    closed: Vec<f32>,
    agenda: Vec<Item>,
    /// The best closed(a, t) of all arcs a of a head, at `head * nodes + t`: what bounds a sum before it is looked at.
    tops: Vec<f32>,
    /// What lies under each arc: open(a) without the arc's own score.
    under: Vec<f32>,
    /// The scores of single arcs that the chart was filled with.
    scores: Vec<f32>,
    /// The first arc of a head whose dependent lies beyond a place, at `head * nodes + place`.
    beyond: Vec<u32>,
    /// For each t, the highest s where an arc inside of s..t has another score.
    changed: Vec<Option<usize>>,
    moved: Moved,
}

/// Which items have another value than they had when the chart was last filled.
#[derive(Clone, Debug, Default)]
struct Moved {
    /// Whether open(a) has.
    open: Vec<bool>,
    /// Whether closed(a, t) has for some arc a of a head, at `head * nodes + t`.
    closed: Vec<bool>,
    /// The lowest such place on the right of a head, and the highest one on its left.
    right: Vec<usize>,
    left: Vec<usize>,
}

impl Moved {
    fn reset(&mut self, nodes: usize, arcs: usize) {
        self.open.clear();
        self.open.resize(arcs, false);
        self.closed.clear();
        self.closed.resize(nodes * nodes, false);
        self.right.clear();
        self.right.resize(nodes, usize::MAX);
        self.left.clear();
        self.left.resize(nodes, 0);
    }
}

/// A span to be taken apart on the way down.
#[derive(Clone, Copy, Debug)]
enum Item {
    Open(usize),
    Closed(usize, usize),
}

/// One of the two parts under an arc: what the node at `corner` has on that side.
struct Half<'a> {
    corner: usize,
    /// The arcs of the node on that side.
    arcs: Range<usize>,
    /// The scores of the factors that they make with the arc above.
    scores: &'a [f32],
    /// The score when there are none.
    none: f32,
}

impl SecondOrder {
    /// Finds the best tree, writes its heads and gives its score. `None` when the candidates hold no projective
    /// tree (with a single root, if asked for), or the chart would have more than [`MOST_ITEMS`] items.
    pub fn decode(&mut self, parts: &Parts, root: Root, heads: &mut [u32]) -> Option<f32> {
        let (n, arcs) = (parts.arcs.nodes(), parts.arcs.len());
        self.changed.clear();
        self.changed.extend((0..n).map(|t| t.checked_sub(1)));
        self.scores.clone_from(&parts.scores);
        // Too large a chart is not filled.
        let fits = n.saturating_mul(arcs) <= MOST_ITEMS;
        let charts = [&mut self.open, &mut self.under, &mut self.closed, &mut self.tops];
        for (items, len) in charts.into_iter().zip([arcs, arcs, n * arcs, n * n]) {
            items.clear();
            items.resize(if fits { len } else { 0 }, f32::NONE);
        }
        self.beyond.clear();
        for head in (0..n).take_while(|_| fits) {
            let Range { start: mut arc, end } = parts.arcs.of(head);
            self.beyond.extend((0..n).map(|place| {
                arc += usize::from(arc < end && parts.arcs.dependent(arc) == place);
                arc as u32
            }));
        }
        self.find(parts, root, heads, true)
    }

    /// Decodes the last problem again with other scores of single arcs: the same candidates, other factors and root. The result is
    /// that of [`SecondOrder::decode`].
    pub fn decode_again(&mut self, parts: &Parts, root: Root, heads: &mut [u32]) -> Option<f32> {
        let n = parts.arcs.nodes();
        if self.scores.len() != parts.scores.len() || self.changed.len() != n {
            return self.decode(parts, root, heads);
        }
        self.changed.fill(None);
        let scores = self.scores.iter_mut().zip(&parts.scores).enumerate();
        for (arc, (old, &new)) in scores.filter(|(_, (old, new))| old != new) {
            let (head, dependent) = (parts.arcs.head(arc), parts.arcs.dependent(arc));
            let place = &mut self.changed[head.max(dependent)];
            *place = (*place).max(Some(head.min(dependent)));
            *old = new;
        }
        for t in 1..n {
            self.changed[t] = self.changed[t].max(self.changed[t - 1]);
        }
        self.find(parts, root, heads, false)
    }

    fn find(&mut self, parts: &Parts, root: Root, heads: &mut [u32], new: bool) -> Option<f32> {
        let (n, arcs) = (parts.arcs.nodes(), parts.arcs.len());
        heads[..n].fill(0);
        if n < 2 {
            return Some(0.0);
        }
        if n.saturating_mul(arcs) > MOST_ITEMS {
            return None;
        }
        self.moved.reset(n, arcs);
        self.fill(parts, root, new);
        let last = &self.closed[(n - 1) * arcs..];
        let mut best = (f32::NONE, None);
        for arc in parts.arcs.of(0) {
            if last[arc] > best.0 {
                best = (last[arc], Some(arc));
            }
        }
        self.agenda.clear();
        self.agenda.push(Item::Closed(best.1?, n - 1));
        while let Some(item) = self.agenda.pop() {
            self.take_apart(parts, item, root, heads);
        }
        Some(best.0)
    }

    fn fill(&mut self, parts: &Parts, root: Root, new: bool) {
        let candidates = &parts.arcs;
        let n = candidates.nodes();
        for t in 1..n {
            let highest = self.changed[t].map_or(0, |s| s + 1);
            for s in (0..highest).rev() {
                // An item whose value was minus infinity and stays so has not moved, so a new chart needs no more than this.
                let inside = new || self.moved.right[s] < t || self.moved.left[t] > s;
                for arc in [self.arc(s, t), self.arc(t, s)].into_iter().flatten() {
                    if inside {
                        self.under[arc] = self.best_under(parts, arc, root);
                    }
                    let open = parts.scores[arc] + self.under[arc];
                    self.moved.open[arc] = open != self.open[arc];
                    self.open[arc] = open;
                }
                self.close(parts, (s, t), candidates.right_of(s).start..self.beyond(s, t));
                if s > 0 {
                    self.close(parts, (t, s), self.beyond(t, s - 1)..candidates.left_of(t).end);
                }
            }
        }
    }

    /// The first arc of a head whose dependent lies beyond a place.
    #[inline]
    fn beyond(&self, head: usize, place: usize) -> usize {
        self.beyond[head * self.changed.len() + place] as usize
    }

    /// The arc from one node to another, if it is a candidate.
    #[inline]
    fn arc(&self, head: usize, dependent: usize) -> Option<usize> {
        let arc = self.beyond(head, dependent.checked_sub(1)?);
        (self.beyond(head, dependent) > arc).then_some(arc)
    }

    /// max over s ≤ r < t of left half up to r + right half from r + 1. A sum of the best of both is never below what it is
    /// made of, rounded or not, so where that is not better nothing is.
    fn best_under(&self, parts: &Parts, arc: usize, root: Root) -> f32 {
        let (left, right) = halves(parts, arc);
        let most = [&left, &right].map(|half| largest(half.scores));
        let mut best = f32::NONE;
        for r in splits(left.corner, right.corner, root) {
            if self.most(&left, r, most[0]) + self.most(&right, r + 1, most[1]) > best {
                best = (self.half(&left, r) + self.half(&right, r + 1)).larger(best);
            }
        }
        best
    }

    /// What a half that reaches to `place` can be at most when no factor of it is more than `most`.
    #[inline]
    fn most(&self, half: &Half<'_>, place: usize, most: f32) -> f32 {
        match place == half.corner {
            true => half.none,
            false => self.tops[half.corner * self.changed.len() + place] + most,
        }
    }

    /// Computes closed(a, place) of some arcs of a head that lie on its way to the place, if something that it is made of has moved.
    #[inline]
    fn close(&mut self, parts: &Parts, (head, place): (usize, usize), some: Range<usize>) {
        let (n, row) = (self.changed.len(), place * parts.arcs.len());
        let to_the_right = place > head;
        let mut any = false;
        for arc in some.clone() {
            let dependent = parts.arcs.dependent(arc);
            if !(self.moved.open[arc] || self.moved.closed[dependent * n + place]) {
                continue;
            }
            let half = if dependent == place {
                parts.no_grandchild(arc, to_the_right)
            } else {
                let Range { start, end } = self.within(parts, dependent, place);
                let first = parts.arcs.of(dependent).start;
                let scores = &parts.grandchildren(arc)[start - first..end - first];
                best_sum(&self.closed[row + start..row + end], scores)
            };
            let closed = self.open[arc] + half;
            let known = &mut self.closed[row + arc];
            any |= closed != *known;
            *known = closed;
        }
        if any {
            self.tops[head * n + place] = largest(&self.closed[row + some.start..row + some.end]);
            self.moved.closed[head * n + place] = true;
            if to_the_right {
                self.moved.right[head] = self.moved.right[head].min(place);
            } else {
                self.moved.left[head] = self.moved.left[head].max(place);
            }
        }
    }

    /// The arcs of a node that go towards a place and not beyond it.
    #[inline]
    fn within(&self, parts: &Parts, node: usize, place: usize) -> Range<usize> {
        if place > node {
            parts.arcs.right_of(node).start..self.beyond(node, place)
        } else {
            // Nothing is to the left of the root.
            self.beyond(node, place.saturating_sub(1))..parts.arcs.left_of(node).end
        }
    }

    /// The best that a half can be when it reaches to `place`: max over its arcs b of closed(b, place) + factor. Arcs that
    /// go further than that have no such item.
    #[inline]
    fn half(&self, half: &Half<'_>, place: usize) -> f32 {
        if place == half.corner {
            return half.none;
        }
        let Range { start, end } = half.arcs;
        let (from, to) = if place > half.corner {
            (start, end.min(self.beyond(half.corner, place)))
        } else {
            (start.max(self.beyond(half.corner, place.saturating_sub(1))), end)
        };
        if from >= to {
            return f32::NONE;
        }
        let row = place * self.scores.len();
        best_sum(&self.closed[row + from..row + to], &half.scores[from - start..to - start])
    }

    fn take_apart(&mut self, parts: &Parts, item: Item, root: Root, heads: &mut [u32]) {
        let arcs = parts.arcs.len();
        match item {
            Item::Closed(arc, place) => {
                self.agenda.push(Item::Open(arc));
                self.descend(&outer(parts, arc), place, arcs);
            }
            Item::Open(arc) => {
                let (head, dependent) = (parts.arcs.head(arc), parts.arcs.dependent(arc));
                heads[dependent] = head as u32;
                let (left, right) = halves(parts, arc);
                let mut best = (f32::NONE, left.corner);
                for r in splits(left.corner, right.corner, root) {
                    let sum = self.half(&left, r) + self.half(&right, r + 1);
                    if sum > best.0 {
                        best = (sum, r);
                    }
                }
                self.descend(&left, best.1, arcs);
                self.descend(&right, best.1 + 1, arcs);
            }
        }
    }

    fn descend(&mut self, half: &Half<'_>, place: usize, arcs: usize) {
        if place != half.corner && !half.arcs.is_empty() {
            let items = &self.closed[place * arcs + half.arcs.start..place * arcs + half.arcs.end];
            let best = place_of(best_sum(items, half.scores), items, half.scores);
            self.agenda.push(Item::Closed(half.arcs.start + best, place));
        }
    }
}

/// Where the two halves under an arc can meet. A single root has nothing to its right but its dependent.
fn splits(s: usize, t: usize, root: Root) -> Range<usize> {
    if s == 0 && root == Root::Single { 0..1 } else { s..t }
}

/// The halves under an arc: the inner siblings on the head's side, the inner grandchildren on the dependent's.
fn halves(parts: &Parts, arc: usize) -> (Half<'_>, Half<'_>) {
    let (head, dependent) = (parts.arcs.head(arc), parts.arcs.dependent(arc));
    let inner = parts.arcs.inner(arc);
    let (none, scores) = parts.siblings(arc).split_last().map_or((0.0, &[][..]), |(&none, all)| (none, all));
    let siblings = Half { corner: head, arcs: inner, scores, none };
    let grandchildren = grandchildren(parts, arc, head > dependent);
    if head < dependent { (siblings, grandchildren) } else { (grandchildren, siblings) }
}

/// What lies beyond the dependent of an arc: its outer grandchildren.
fn outer(parts: &Parts, arc: usize) -> Half<'_> {
    grandchildren(parts, arc, parts.arcs.dependent(arc) > parts.arcs.head(arc))
}

#[inline]
fn grandchildren(parts: &Parts, arc: usize, on_the_right: bool) -> Half<'_> {
    let dependent = parts.arcs.dependent(arc);
    let all = parts.arcs.of(dependent);
    let arcs = if on_the_right { parts.arcs.right_of(dependent) } else { parts.arcs.left_of(dependent) };
    let scores = &parts.grandchildren(arc)[arcs.start - all.start..arcs.end - all.start];
    Half { corner: dependent, arcs, scores, none: parts.no_grandchild(arc, on_the_right) }
}
