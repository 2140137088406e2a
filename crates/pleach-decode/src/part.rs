//! The seam between decoders and scorers: what is scored together, who scores it, and who learns.
//!
//! A part is a few words of a sentence and a kind that says how they stand to each other: an arc, an arc with its label,
//! an arc with a sibling … A scorer is bound to one sentence and gives every part a row of scores, one for each choice:
//! the channels of an arc (for the filter, for each direction …), the labels of a labelled arc. Searches know neither
//! features nor tensors, and what a scorer has no opinion on ([`PartScorer::scores`]) costs them nothing.

use pleach_graph::{NONE, Node};

/// What the nodes of a part are to each other; a structure numbers its kinds of higher order from 2 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u8);

impl Kind {
    /// Two words, head and dependent or left and right one; the choices are the structure's channels.
    pub const ARC: Kind = Kind(0);
    /// The same two words; the choices are labels.
    pub const LABEL: Kind = Kind(1);
    /// One word; the choices are what can be said of it: tags, features, lemmas.
    pub const WORD: Kind = Kind(u8::MAX);
}

/// Up to four nodes that are scored together: a word (`w`), an arc (`h d`), an arc with a sibling, a grandchild or a neighbour
/// (`h d x`), or with two (`h d x y`). A node that the part doesn't have is [`NONE`]; where a word is missing in its
/// place (no sibling, no grandchild on that side) it is [`LEFT_EDGE`](pleach_graph::node::LEFT_EDGE) or
/// [`RIGHT_EDGE`](pleach_graph::node::RIGHT_EDGE).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// What the nodes are to each other.
    pub kind: Kind,
    /// The nodes.
    pub nodes: [Node; 4],
}

impl Part {
    /// A word.
    #[inline]
    pub fn word(word: Node) -> Self {
        Part { kind: Kind::WORD, nodes: [word, NONE, NONE, NONE] }
    }

    /// A part of two nodes.
    #[inline]
    pub fn two(kind: Kind, head: Node, dependent: Node) -> Self {
        Part { kind, nodes: [head, dependent, NONE, NONE] }
    }

    /// A part of three nodes.
    #[inline]
    pub fn three(kind: Kind, head: Node, dependent: Node, third: Node) -> Self {
        Part { kind, nodes: [head, dependent, third, NONE] }
    }

    /// A part of four nodes.
    #[inline]
    pub fn four(kind: Kind, nodes: [Node; 4]) -> Self {
        Part { kind, nodes }
    }

    /// An arc.
    #[inline]
    pub fn arc(head: Node, dependent: Node) -> Self {
        Part::two(Kind::ARC, head, dependent)
    }

    /// An arc and its label.
    #[inline]
    pub fn label(head: Node, dependent: Node) -> Self {
        Part::two(Kind::LABEL, head, dependent)
    }
}

/// The best choice by its score, the first among equals.
#[inline]
pub fn best_choice(scores: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (choice, &score) in scores.iter().enumerate() {
        if score > best.1 {
            best = (choice, score);
        }
    }
    best
}

/// Scores the parts of the sentence that it is bound to.
pub trait PartScorer {
    /// Whether parts of a kind are scored; searches leave out all others, whose scores are 0.
    fn scores(&self, kind: Kind) -> bool;

    /// Writes the score of each of a part's choices; zeros for a kind that is not scored.
    fn score(&mut self, part: Part, scores: &mut [f32]);

    /// Writes the scores of several parts of one kind, one row after the other: what [`PartScorer::score`] says of each.
    fn score_together(&mut self, parts: &[Part], scores: &mut [f32]) {
        let width = scores.len() / parts.len().max(1);
        for (part, row) in parts.iter().zip(scores.chunks_exact_mut(width.max(1))) {
            self.score(*part, row);
        }
    }

    /// Says that these parts will be asked for soon: a scorer that is faster with many at once computes them now.
    fn expect(&mut self, parts: &[Part]) {
        let _ = parts;
    }
}

/// A scorer that learns.
pub trait PartLearner: PartScorer {
    /// A choice of a part should be worth more by `amount`, or less if that is negative: the negative gradient of a loss
    /// by the choice's score.
    fn change_part(&mut self, part: Part, choice: u16, amount: f32);

    /// The changes since the last call belong to one hinge loss of this size. A linear learner takes the step that
    /// just removes it (Crammer et al. 2006), a gradient learner takes them as they are.
    fn settle(&mut self, loss: f64) {
        let _ = loss;
    }
}
