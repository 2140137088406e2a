//! The best projective tree over single arcs (Eisner 1996; McDonald et al. 2005, section 2).
//!
//! Class: projective trees, the virtual root at the left end. O(n³) time, O(n²) memory. Invariant: after step
//! (s, t) every item over a span inside of s..t is final. Both operands of every inner loop lie side by side in
//! memory: items that are read from either end are stored both ways.

use super::score::{Score, best_sum, place_of};
use super::{Arcs, Root};

/// The chart, kept from sentence to sentence.
///
/// ```
/// use pleach_decode::tree::{Arcs, Eisner, Root};
///
/// let mut arcs = Arcs::new(3, 0.0f32);
/// arcs.set(0, 2, 1.0);
/// arcs.set(2, 1, 1.0);
/// let mut heads = [0; 3];
/// let score = Eisner::default().decode(&arcs, Root::Single, &mut heads);
/// assert_eq!((heads, score), ([0, 2, 0], 2.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Eisner<S = f32> {
    nodes: usize,
    /// Complete items with the head on the left, by (head, end) and by (end, head).
    right: Both<S>,
    /// Complete items with the head on the right, by (start, head) and by (head, start).
    left: Both<S>,
    /// Items of an arc to the right, by (head, dependent).
    right_arc: Vec<S>,
    /// Items of an arc to the left, by (head, dependent).
    left_arc: Vec<S>,
    agenda: Vec<Item>,
}

/// A square of scores by (start, end) and by (end, start).
#[derive(Clone, Debug, Default)]
struct Both<S> {
    by_start: Vec<S>,
    by_end: Vec<S>,
}

impl<S: Score> Both<S> {
    fn reset(&mut self, nodes: usize) {
        for square in [&mut self.by_start, &mut self.by_end] {
            square.clear();
            square.resize(nodes * nodes, S::NONE);
            (0..nodes).for_each(|node| square[node * nodes + node] = S::ZERO);
        }
    }

    #[inline]
    fn set(&mut self, nodes: usize, start: usize, end: usize, score: S) {
        self.by_start[start * nodes + end] = score;
        self.by_end[end * nodes + start] = score;
    }
}

/// A span to be taken apart on the way down.
#[derive(Clone, Copy, Debug)]
enum Item {
    Right(usize, usize),
    Left(usize, usize),
}

impl<S: Score> Eisner<S> {
    /// Finds the best tree, writes its heads and gives its score. `heads` has a place for every node.
    pub fn decode(&mut self, arcs: &Arcs<S>, root: Root, heads: &mut [u32]) -> S {
        let n = arcs.nodes();
        heads[..n].fill(0);
        if n < 2 {
            return S::ZERO;
        }
        self.fill(arcs, root);
        self.agenda.clear();
        self.agenda.push(Item::Right(0, n - 1));
        while let Some(item) = self.agenda.pop() {
            self.take_apart(item, root, heads);
        }
        self.right.by_start[n - 1]
    }

    fn fill(&mut self, arcs: &Arcs<S>, root: Root) {
        let n = arcs.nodes();
        self.nodes = n;
        self.right.reset(n);
        self.left.reset(n);
        for arc in [&mut self.right_arc, &mut self.left_arc] {
            arc.clear();
            arc.resize(n * n, S::NONE);
        }
        for t in 1..n {
            for s in (0..t).rev() {
                // arc(s, t) = max over s ≤ r < t of right(s, r) + left(r+1, t), plus the score of the arc.
                let (a, b) = self.halves(s, t, root);
                let inner = best_sum(a, b);
                self.right_arc[s * n + t] = inner + arcs.get(s, t);
                // right(s, t) = max over s < m ≤ t of right_arc(s, m) + right(m, t)
                let (a, b) = self.right_parts(s, t);
                let score = best_sum(a, b);
                self.right.set(n, s, t, score);
                if s > 0 {
                    self.left_arc[t * n + s] = inner + arcs.get(t, s);
                    // left(s, t) = max over s ≤ m < t of left(s, m) + left_arc(t, m)
                    let (a, b) = self.left_parts(s, t);
                    let score = best_sum(a, b);
                    self.left.set(n, s, t, score);
                }
            }
        }
    }

    /// The two complete items under an arc, by the place where they meet. A single root has nothing to its
    /// right but its dependent.
    #[inline]
    fn halves(&self, s: usize, t: usize, root: Root) -> (&[S], &[S]) {
        let n = self.nodes;
        let end = if s == 0 && root == Root::Single { 1 } else { t };
        (&self.right.by_start[s * n + s..s * n + end], &self.left.by_end[t * n + s + 1..t * n + end + 1])
    }

    #[inline]
    fn right_parts(&self, s: usize, t: usize) -> (&[S], &[S]) {
        let n = self.nodes;
        (&self.right_arc[s * n + s + 1..=s * n + t], &self.right.by_end[t * n + s + 1..=t * n + t])
    }

    #[inline]
    fn left_parts(&self, s: usize, t: usize) -> (&[S], &[S]) {
        let n = self.nodes;
        (&self.left.by_start[s * n + s..s * n + t], &self.left_arc[t * n + s..t * n + t])
    }

    fn take_apart(&mut self, item: Item, root: Root, heads: &mut [u32]) {
        let n = self.nodes;
        let (from, to) = match item {
            Item::Right(s, t) if s < t => {
                let (a, b) = self.right_parts(s, t);
                let m = s + 1 + place_of(self.right.by_start[s * n + t], a, b);
                heads[m] = s as u32;
                self.agenda.push(Item::Right(m, t));
                (s, m)
            }
            Item::Left(s, t) if s < t => {
                let (a, b) = self.left_parts(s, t);
                let m = s + place_of(self.left.by_start[s * n + t], a, b);
                heads[m] = t as u32;
                self.agenda.push(Item::Left(s, m));
                (m, t)
            }
            _ => return,
        };
        let (a, b) = self.halves(from, to, root);
        let r = from + place_of(best_sum(a, b), a, b);
        self.agenda.push(Item::Right(from, r));
        self.agenda.push(Item::Left(r + 1, to));
    }
}
