//! What a sieve looks at: pairs of words by tags, coarse tags, lemmas, neighbours, distance and what is between them.
//!
//! Each look joins a value of the head, one of the dependent and one of the pair. Those of single words are hashed once a
//! sentence, so that a pair costs an addition and a multiplication a look.

use pleach_graph::Node;
use pleach_graph::words::{Attribute, Words};

/// How many looks there are at a pair of words.
pub(super) const LOOKS: usize = 16;

/// The values of a word, one a look.
type Values = [u32; LOOKS];

/// Which value of the pair goes with each look.
#[derive(Clone, Copy)]
enum Third {
    Distance,
    Direction,
    Between,
    Both,
}

const THIRDS: [Third; LOOKS] = {
    use Third::*;
    [
        Distance, Distance, Distance, Distance, Direction, Direction, Direction, Direction, Direction,
        Direction, Direction, Between, Between, Both, Both, Both,
    ]
};

/// The values of a sentence's words.
#[derive(Clone, Debug, Default)]
pub(super) struct Looks {
    heads: Vec<Values>,
    dependents: Vec<Values>,
}

#[inline]
fn mix(one: u32, other: u32) -> u32 {
    (one.rotate_left(9) ^ other).wrapping_mul(0x9E37_79B1)
}

impl Looks {
    /// Hashes the words of a sentence.
    pub fn fill(&mut self, words: &Words) {
        use Attribute::{Coarse, Lemma, Tag};
        let nodes = words.len() + 1;
        self.heads.clear();
        self.dependents.clear();
        for node in 0..nodes {
            let at = |places: isize, attribute| match node.checked_add_signed(places) {
                Some(place) if place < nodes => words.get(place as Node, attribute),
                _ => 1,
            };
            let (p, u, m) = (at(0, Tag), at(0, Coarse), at(0, Lemma));
            let (before, after) = (mix(p, at(-1, Tag)), mix(p, at(1, Tag)));
            let around = mix(mix(u, at(-1, Coarse)), at(1, Coarse));
            let head = [p, u, m, u, p, p, before, after, m, p, around, p, m, u, p, 0];
            let dependent = [p, u, u, m, before, after, p, p, p, m, around, p, u, u, 0, p];
            self.heads.push(std::array::from_fn(|look| mix(head[look], look as u32 + 1)));
            self.dependents.push(std::array::from_fn(|look| mix(dependent[look], look as u32 + 101)));
        }
    }

    /// Where in a table of two to the power of `bits` the weights of an arc are.
    #[inline]
    pub fn places(&self, words: &Words, head: usize, dependent: usize, bits: u32) -> Values {
        let distance = distance(head, dependent);
        let direction = mix(u32::from(head < dependent), 7);
        let far = mix(distance, 8);
        // The root is beside no word.
        let between = if head == 0 { 0 } else { 1 + words.between(head as Node, dependent as Node) };
        let between = mix(mix(between, 9), direction);
        let both = mix(between, far);
        let (heads, dependents) = (&self.heads[head], &self.dependents[dependent]);
        std::array::from_fn(|look| {
            let third = match THIRDS[look] {
                Third::Distance => far,
                Third::Direction => direction,
                Third::Between => between,
                Third::Both => both,
            };
            (heads[look].wrapping_add(dependents[look]) ^ third).wrapping_mul(0x85EB_CA6B)
                >> (u32::BITS - bits)
        })
    }
}

/// How far apart two words are, coarser when far, and which one is first; the root is beside no word.
#[inline]
fn distance(head: usize, dependent: usize) -> u32 {
    if head == 0 {
        return 0;
    }
    let far = match head.abs_diff(dependent) {
        near @ 0..=6 => near as u32,
        7..=8 => 7,
        9..=11 => 8,
        12..=16 => 9,
        17..=24 => 10,
        _ => 11,
    };
    if head < dependent { far } else { far + 16 }
}
