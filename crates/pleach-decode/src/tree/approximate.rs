//! Any graph as a projective tree, and back (weighted conversion: `zhang-2016` section 4, `du-2015` section 3.4).
//!
//! Class: any graph over the root and n words, several labels or directions already folded into one arc for each
//! ordered pair. O(n³) time by [`Eisner`], O(n²) memory. The weight of a tree arc (i, j) is A + B + C:
//! A = a when i and j are linked in either direction, B = b when the link goes from i to j, C = n - |i - j|, and
//! C = 0 for the root. Invariant: with b > n² and a > b·n + n², which is a > b·n > n² of the papers and a
//! little more, no sum of C outweighs one B, and no sum of B and C outweighs one A. So the tree keeps as many
//! edges as any projective tree can, of those as many directions, and prefers short arcs for the rest.

use super::{Arcs, Eisner, Root};

/// What a tree arc from i to j says of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeArc<L> {
    /// `X`: the graph has the arc i → j with this label.
    Forward(L),
    /// `X~R`: the graph has no i → j, but j → i with this label.
    Backward(L),
    /// `None`: the graph has neither.
    Unlinked,
}

/// Sentences of more words than this are not converted: their charts would take more than 200 MB.
pub const MOST_WORDS: usize = 2000;

/// The sentence has more than [`MOST_WORDS`] words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sentence of more than {MOST_WORDS} words can't be made a tree")]
pub struct TooLong;

/// Converts graphs to trees; holds the memory for it.
#[derive(Clone, Debug, Default)]
pub struct Approximator {
    weights: Arcs<i64>,
    eisner: Eisner<i64>,
    heads: Vec<u32>,
}

impl Approximator {
    /// The tree of a graph over `words` words: for each node its head and what the arc says (the root's own
    /// place says nothing). Arcs are (head, dependent, label), the root being 0; of several arcs for one ordered
    /// pair the first one counts, and self-loops don't.
    pub fn convert<L: Copy>(
        &mut self,
        words: usize,
        arcs: &[(u32, u32, L)],
        root: Root,
        tree: &mut Vec<(u32, TreeArc<L>)>,
    ) -> Result<(), TooLong> {
        if words > MOST_WORDS {
            return Err(TooLong);
        }
        let n = words as i64;
        let b = n * n + 1;
        let a = (n + 1) * b + n * n;
        self.weights.reset(words + 1, 0);
        for i in 1..=words {
            for j in (1..=words).filter(|&j| j != i) {
                self.weights.set(i, j, n - i.abs_diff(j) as i64);
            }
        }
        let proper = |&&(head, dependent, _): &&(u32, u32, L)| head != dependent && dependent != 0;
        for &(head, dependent, _) in arcs.iter().filter(proper) {
            let (head, dependent) = (head as usize, dependent as usize);
            // The weights so far tell whether an arc or its reverse was seen.
            let there = self.weights.get(head, dependent);
            if there >= a + b {
                continue;
            }
            self.weights.add(head, dependent, if there >= a { b } else { a + b });
            if head != 0 && self.weights.get(dependent, head) < a {
                self.weights.add(dependent, head, a);
            }
        }
        self.heads.resize(words + 1, 0);
        self.eisner.decode(&self.weights, root, &mut self.heads);
        tree.clear();
        tree.extend(self.heads.iter().map(|&head| (head, TreeArc::Unlinked)));
        for &(head, dependent, label) in arcs.iter().filter(proper) {
            let forward = &mut tree[dependent as usize];
            if forward.0 == head && !matches!(forward.1, TreeArc::Forward(_)) {
                forward.1 = TreeArc::Forward(label);
            }
            let backward = &mut tree[head as usize];
            if head != 0 && backward.0 == dependent && matches!(backward.1, TreeArc::Unlinked) {
                backward.1 = TreeArc::Backward(label);
            }
        }
        Ok(())
    }
}

/// The graph that a tree stands for (`t2g`): the arcs as (head, dependent, label), by dependents of the tree.
pub fn to_graph<L: Copy>(tree: &[(u32, TreeArc<L>)]) -> impl Iterator<Item = (u32, u32, L)> {
    tree.iter().enumerate().skip(1).filter_map(|(word, &(head, kind))| match kind {
        TreeArc::Forward(label) => Some((head, word as u32, label)),
        TreeArc::Backward(label) if head != 0 => Some((word as u32, head, label)),
        TreeArc::Backward(_) | TreeArc::Unlinked => None,
    })
}
