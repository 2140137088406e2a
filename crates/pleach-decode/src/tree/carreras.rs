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
//! When only scores of single arcs change, as multipliers change them, the steps whose span holds such an arc are done again
//! ([`SecondOrder::decode_again`]), and no others.

use super::score::{Score, best_sum, place_of};
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
    /// The scores of single arcs that the chart was filled with.
    scores: Vec<f32>,
    /// For each t, the highest s where an arc inside of s..t has another score.
    changed: Vec<Option<usize>>,
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
        for (items, len) in [(&mut self.open, arcs), (&mut self.closed, n * arcs)] {
            items.clear();
            // Too large a chart is not filled.
            items.resize(if n.saturating_mul(arcs) > MOST_ITEMS { 0 } else { len }, f32::NONE);
        }
        self.find(parts, root, heads)
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
        self.find(parts, root, heads)
    }

    fn find(&mut self, parts: &Parts, root: Root, heads: &mut [u32]) -> Option<f32> {
        let (n, arcs) = (parts.arcs.nodes(), parts.arcs.len());
        heads[..n].fill(0);
        if n < 2 {
            return Some(0.0);
        }
        if n.saturating_mul(arcs) > MOST_ITEMS {
            return None;
        }
        self.fill(parts, root);
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

    fn fill(&mut self, parts: &Parts, root: Root) {
        let candidates = &parts.arcs;
        let (n, arcs) = (candidates.nodes(), candidates.len());
        for t in 1..n {
            let highest = self.changed[t].map_or(0, |s| s + 1);
            for s in (0..highest).rev() {
                for arc in [candidates.find(s, t), candidates.find(t, s)].into_iter().flatten() {
                    // open(a) = score(a) + max over s ≤ r < t of left half up to r + right half from r + 1
                    let (left, right) = halves(parts, arc);
                    let splits = splits(s, t, root);
                    let sums = splits.map(|r| self.half(&left, r, arcs) + self.half(&right, r + 1, arcs));
                    self.open[arc] = parts.scores[arc] + sums.fold(f32::NONE, |best, sum| sum.larger(best));
                }
                for arc in candidates.right_of(s) {
                    if candidates.dependent(arc) > t {
                        break;
                    }
                    self.closed[t * arcs + arc] = self.open[arc] + self.half(&outer(parts, arc), t, arcs);
                }
                for arc in candidates.left_of(t).rev() {
                    if candidates.dependent(arc) < s {
                        break;
                    }
                    self.closed[s * arcs + arc] = self.open[arc] + self.half(&outer(parts, arc), s, arcs);
                }
            }
        }
    }

    /// The best that a half can be when it reaches to `place`: max over its arcs b of closed(b, place) + factor.
    #[inline]
    fn half(&self, half: &Half<'_>, place: usize, arcs: usize) -> f32 {
        if place == half.corner {
            return half.none;
        }
        best_sum(&self.closed[place * arcs + half.arcs.start..place * arcs + half.arcs.end], half.scores)
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
                    let sum = self.half(&left, r, arcs) + self.half(&right, r + 1, arcs);
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
#[inline]
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
