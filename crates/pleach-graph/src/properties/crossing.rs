//! Crossing edges: whether there are any, how many, and which.
//!
//! Graph class: any. Complexity for m edges over n nodes: the test is O(m), the counts are O(m log n), the
//! list of pairs is lazy and takes O(log m) a pair; memory is O(n + m) throughout, whatever the number of
//! pairs.

use super::edges::{Edge, Edges};
use super::range::{Counts, Crossers};

/// Whether no two of the edges cross. They are sorted by left, then right end. O(m).
pub(super) fn are_noncrossing(edges: impl IntoIterator<Item = Edge>) -> bool {
    // Open edges are nested: the innermost is on top. Edges from one node come with the shortest first, so
    // they wait until their node is passed and then go onto the stack with the longest first.
    let mut open: Vec<Edge> = Vec::new();
    let mut waiting: Vec<Edge> = Vec::new();
    for edge in edges {
        if waiting.last().is_some_and(|other| other.left < edge.left) {
            open.extend(waiting.drain(..).rev());
        }
        while open.last().is_some_and(|top| top.right <= edge.left) {
            open.pop();
        }
        if open.last().is_some_and(|top| top.right < edge.right) {
            return false;
        }
        waiting.push(edge);
    }
    true
}

impl Edges {
    /// Whether no two edges cross when all are drawn above the words. O(m).
    pub fn is_noncrossing(&self) -> bool {
        are_noncrossing(self.edges.iter().copied())
    }

    /// How many edges cross each edge, in the order of the edges. O(m log n).
    pub fn crossings(&self) -> Vec<u64> {
        let mut counts = vec![0; self.len()];
        // Edges that begin before this one and end inside of it.
        let mut ends = Counts::new(self.nodes);
        let mut seen = 0;
        for (i, edge) in self.edges.iter().enumerate() {
            while self.edges[seen].left < edge.left {
                ends.add(self.edges[seen].right.index());
                seen += 1;
            }
            counts[i] += ends.between(edge.left.index(), edge.right.index());
        }
        // Edges that begin inside of this one and end after it.
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&i| std::cmp::Reverse(self.edges[i].right));
        let mut begins = Counts::new(self.nodes);
        let mut seen = 0;
        for &i in &order {
            let edge = self.edges[i];
            while self.edges[order[seen]].right > edge.right {
                begins.add(self.edges[order[seen]].left.index());
                seen += 1;
            }
            counts[i] += begins.between(edge.left.index(), edge.right.index());
        }
        counts
    }

    /// The number of edges that cross another one. O(m log n).
    pub fn crossing_edges(&self) -> usize {
        self.crossings().iter().filter(|&&count| count > 0).count()
    }

    /// The number of pairs of edges that cross. O(m log n).
    pub fn crossing_pair_count(&self) -> u64 {
        self.crossings().iter().sum::<u64>() / 2
    }

    /// The pairs of edges that cross, each once, the one that begins first in front. O(log m) a pair.
    pub fn crossing_pairs(&self) -> CrossingPairs<'_> {
        CrossingPairs { edges: &self.edges, crossers: Crossers::new(&self.edges), first: 0, from: 0 }
    }
}

/// The pairs of edges that cross; see [`Edges::crossing_pairs`].
pub struct CrossingPairs<'a> {
    edges: &'a [Edge],
    crossers: Crossers<'a>,
    first: usize,
    from: usize,
}

impl CrossingPairs<'_> {
    /// The next pair as places in the list of edges.
    pub(super) fn next_places(&mut self) -> Option<(usize, usize)> {
        while let Some(&edge) = self.edges.get(self.first) {
            if let Some(second) = self.crossers.to_the_right(edge, self.from) {
                self.from = second + 1;
                return Some((self.first, second));
            }
            self.first += 1;
            self.from = 0;
        }
        None
    }
}

impl Iterator for CrossingPairs<'_> {
    type Item = (Edge, Edge);

    fn next(&mut self) -> Option<(Edge, Edge)> {
        self.next_places().map(|(first, second)| (self.edges[first], self.edges[second]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn all_counts_agree_with_the_definition() {
        samples::edge_sets(|edges| {
            let slice = edges.as_slice();
            let crossed = |e: &Edge| slice.iter().filter(|other| e.crosses(**other)).count() as u64;
            let expected: Vec<u64> = slice.iter().map(crossed).collect();
            assert_eq!(edges.crossings(), expected, "{slice:?}");
            let mut pairs = Vec::new();
            for (i, &a) in slice.iter().enumerate() {
                pairs.extend(slice[i..].iter().filter(|&&b| a.crosses(b)).map(|&b| (a, b)));
            }
            assert_eq!(edges.crossing_pairs().collect::<Vec<_>>(), pairs, "{slice:?}");
            assert_eq!(edges.crossing_pair_count(), pairs.len() as u64);
            assert_eq!(edges.is_noncrossing(), pairs.is_empty(), "{slice:?}");
            assert_eq!(edges.crossing_edges(), expected.iter().filter(|&&c| c > 0).count());
        });
    }
}
