//! Computed scores of factors. The pairs of a node's edges have places of their own in a table, triples are looked up.
//!
//! Memory: O(nd²) for d candidates a node, and the scores that were asked for.

use super::{Candidates, DIRECTIONS, EdgeId, Node, PairScores, TripleScores};
use crate::part::{Part, PartScorer};
use std::collections::HashMap;

pub(super) const RIGHT: usize = 0;
pub(super) const LEFT: usize = 1;
pub(super) const ACROSS: usize = 2;

pub(super) const NO_PAIR: PairScores = [[0.0; DIRECTIONS]; DIRECTIONS];
pub(super) const NO_TRIPLE: TripleScores = [NO_PAIR; DIRECTIONS];

/// The memory of [`PartFactors`](super::factors::PartFactors), used again and again.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    /// For each node, where its pairs begin, and its number of edges to the right and to the left.
    nodes: Vec<(usize, u32, u32)>,
    /// For each edge, its number among the edges of its left and of its right end.
    ranks: Vec<[u32; 2]>,
    /// For each pair of edges, the place of its scores plus one.
    pair_at: Vec<u32>,
    pairs: Vec<PairScores>,
    /// Those that are to be scored together.
    wanted: Vec<Part>,
    triple_at: HashMap<(usize, [EdgeId; 3]), usize>,
    triples: Vec<TripleScores>,
}

impl Memo {
    /// Makes places for the pairs of these candidates.
    pub(super) fn start_pairs(&mut self, candidates: &Candidates) {
        self.nodes.clear();
        self.ranks.clear();
        self.ranks.resize(candidates.len(), [0; 2]);
        let mut slots = 0;
        for node in 0..candidates.nodes() as Node {
            let (rightward, leftward) = (candidates.rightward(node), candidates.leftward(node));
            for (rank, edge) in rightward.clone().enumerate() {
                self.ranks[edge as usize][0] = rank as u32;
            }
            for (rank, &edge) in leftward.iter().enumerate() {
                self.ranks[edge as usize][1] = rank as u32;
            }
            let (right, left) = (rightward.len(), leftward.len());
            self.nodes.push((slots, right as u32, left as u32));
            slots += right * (right + 1) + left * (left + 1) + left * right;
        }
        self.pair_at.clear();
        self.pair_at.resize(slots, 0);
        self.pairs.clear();
    }

    /// Forgets all triples.
    pub(super) fn start_triples(&mut self) {
        self.triple_at.clear();
        self.triples.clear();
    }

    /// The scores at a slot, computed if they are new.
    #[inline]
    pub(super) fn pair(&mut self, slot: usize, compute: impl FnOnce(&mut [f32])) -> &PairScores {
        let at = match self.pair_at[slot] {
            0 => {
                self.pairs.push(NO_PAIR);
                let at = self.pairs.len();
                self.pair_at[slot] = at as u32;
                compute(self.pairs[at - 1].as_flattened_mut());
                at
            }
            at => at as usize,
        };
        &self.pairs[at - 1]
    }

    /// Makes a place for the scores of a pair, which [`Memo::score_wanted`] fills, unless they are known.
    #[inline]
    pub(super) fn want(&mut self, slot: usize, part: impl FnOnce() -> Part) {
        if self.pair_at[slot] == 0 {
            self.pairs.push(NO_PAIR);
            self.pair_at[slot] = self.pairs.len() as u32;
            self.wanted.push(part());
        }
    }

    /// Computes what is wanted, all of one kind.
    pub(super) fn score_wanted(&mut self, scorer: &mut dyn PartScorer) {
        if !self.wanted.is_empty() {
            let from = self.pairs.len() - self.wanted.len();
            let scores = self.pairs[from..].as_flattened_mut().as_flattened_mut();
            scorer.score_together(&self.wanted, scores);
            self.wanted.clear();
        }
    }

    /// The scores of three edges in a shape, computed if they are new.
    #[inline]
    pub(super) fn triple(
        &mut self,
        shape: usize,
        edges: [EdgeId; 3],
        compute: impl FnOnce(&mut [f32]),
    ) -> &TripleScores {
        let next = self.triples.len();
        let at = *self.triple_at.entry((shape, edges)).or_insert(next);
        if at == next {
            self.triples.push(NO_TRIPLE);
            compute(self.triples[at].as_flattened_mut().as_flattened_mut());
        }
        &self.triples[at]
    }

    /// The slot of two edges of a node to one side.
    #[inline]
    pub(super) fn neighbour_slot(
        &self,
        side: usize,
        node: Node,
        inner: Option<EdgeId>,
        outer: EdgeId,
    ) -> usize {
        let (start, right, left) = self.nodes[usize::from(node)];
        let rank = |edge: EdgeId| self.ranks[edge as usize][side] as usize;
        let row = inner.map_or(0, |inner| rank(inner) + 1);
        let (right, left) = (right as usize, left as usize);
        let (offset, width) = if side == RIGHT { (0, right) } else { (right * (right + 1), left) };
        start + offset + row * width + rank(outer)
    }

    /// The slot of two edges of a node to both sides.
    #[inline]
    pub(super) fn across_slot(&self, node: Node, left: EdgeId, right: EdgeId) -> usize {
        let (start, rightward, leftward) = self.nodes[usize::from(node)];
        let (rightward, leftward) = (rightward as usize, leftward as usize);
        let [left, right] = [self.ranks[left as usize][LEFT], self.ranks[right as usize][RIGHT]];
        start
            + rightward * (rightward + 1)
            + leftward * (leftward + 1)
            + left as usize * rightward
            + right as usize
    }
}
