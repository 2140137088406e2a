//! Maximum noncrossing subgraphs: the best graph on one page of a book (`sun-2017` section 3).
//!
//! Graph class: undirected edges over a spine of nodes, no two of which cross; each edge has a [`Direction`], which
//! stands for the encoded label (direction and label set) that is best for it. All decoders work over
//! [`Candidates`]: with all pairs of n nodes they have the paper's complexities, with d candidates a node n is
//! replaced by d wherever an edge is looked for.
//!
//! Node s has right neighbours r₁ < r₂ < … and left neighbours l₁ > l₂ > …, the nearest first. The figures of the
//! paper's section 2.2 are lost; these are the factors, each counted once for a graph:
//!
//! | factor | part of the graph | scored by | models |
//! | --- | --- | --- | --- |
//! | edge | an edge with its direction | the array of scores | M1 to M5 |
//! | neighbours | edges to rᵢ and rᵢ₊₁ of one node, or to lᵢ and lᵢ₊₁; *nothing* and r₁, *nothing* and l₁ | [`Factors::neighbours`] | M2 to M5 |
//! | both sides | the longest edges of a node to its left and to its right, if it has both | [`Factors::both_sides`] | M4, M5 |
//! | one side | edges to rᵢ, rᵢ₊₁ and rᵢ₊₂ of one node, or to lᵢ, lᵢ₊₁ and lᵢ₊₂ | [`Factors::one_side`] | M5 |
//! | both ends | an edge (s,e) and, strictly inside, the longest edge of s and that of e, if it has both | [`Factors::both_ends`] | M5 |
//!
//! So every edge (s,e) has two neighbour factors: at s with the longest edge of s strictly inside, and at e likewise.
//!
//! - [`first`]: M1, exact, O(n³).
//! - [`second`]: M2, exact, O(n⁴).
//! - [`beam`]: M3, M4 and M5, approximate with beam B, O(n³B²).
//! - [`parts`]: the parts of a given graph, for learning.
//! - [`factors`]: the factors over any scorer of parts; [`company`]: what the label of an edge looks at.
//! - [`binding`]: two pages bound into a book by relaxation (section 4.2).
//!
//! Memory is O(n²), so callers cut longer sentences than [`MAX_NODES`] into pieces.

pub mod beam;
pub mod binding;
mod candidates;
pub mod company;
pub mod factors;
pub mod first;
mod memo;
mod open;
pub mod parts;
pub mod second;

pub use candidates::{Candidates, EdgeId};
pub use memo::Memo;
pub use parts::{Order, Part};
pub use pleach_graph::Node;

/// The most nodes that a decoder takes: the charts of the beam then have some ten million cells.
pub const MAX_NODES: usize = 1024;

/// The number of directions.
pub const DIRECTIONS: usize = 3;

/// Where an edge points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Direction {
    /// The head is on the left.
    Right,
    /// The head is on the right.
    Left,
    /// Two arcs, one each way.
    Both,
}

impl Direction {
    /// All directions in order.
    pub const ALL: [Direction; DIRECTIONS] = [Direction::Right, Direction::Left, Direction::Both];

    /// The place in arrays of scores.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A chosen edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// Which candidate.
    pub edge: EdgeId,
    /// Its direction.
    pub direction: Direction,
}

/// Scores by direction; −∞ for one that does not exist.
pub type Scores = [f32; DIRECTIONS];

/// Scores by the directions of two edges.
pub type PairScores = [Scores; DIRECTIONS];

/// Scores by the directions of three edges.
pub type TripleScores = [PairScores; DIRECTIONS];

/// The scores of all factors beyond single edges. A decoder may ask for the same factor again and again.
pub trait Factors {
    /// Two edges of a node to the same side, next to each other: the shorter one, if there is any, and the longer
    /// one. Indexed by their directions in this order; without a shorter one only the first row counts.
    fn neighbours(&mut self, node: Node, inner: Option<EdgeId>, outer: EdgeId) -> &PairScores;

    /// The longest edges of a node to its left and to its right, indexed in this order.
    fn both_sides(&mut self, node: Node, left: EdgeId, right: EdgeId) -> &PairScores;

    /// Says that these neighbours, all of them to one side, will be asked for.
    fn expect_neighbours(&mut self, wanted: &mut dyn Iterator<Item = (Node, Option<EdgeId>, EdgeId)>) {
        let _ = wanted;
    }

    /// Says that these longest edges to both sides will be asked for.
    fn expect_both_sides(&mut self, wanted: &mut dyn Iterator<Item = (Node, EdgeId, EdgeId)>) {
        let _ = wanted;
    }

    /// Three edges of a node to the same side, next to each other, indexed from the shortest to the longest.
    fn one_side(&mut self, node: Node, inner: EdgeId, middle: EdgeId, outer: EdgeId) -> &TripleScores;

    /// An edge and the longest edges of its left and of its right end strictly inside, indexed as (left end's,
    /// right end's, edge).
    fn both_ends(&mut self, left: EdgeId, right: EdgeId, edge: EdgeId) -> &TripleScores;
}

/// The direction with the highest score, the first of equals.
fn best_direction(scores: &Scores) -> (Direction, f32) {
    let mut best = (Direction::Right, scores[0]);
    for direction in [Direction::Left, Direction::Both] {
        if scores[direction.index()] > best.1 {
            best = (direction, scores[direction.index()]);
        }
    }
    best
}
