//! How the words of a tree make up parts (Carreras 2007, section 2; Bohnet 2010).
//!
//! Every arc h → m is scored with its inner sibling and with the outermost dependents of m on either side; where there is
//! none, an edge of the sentence stands in its place. The kinds are numbered once and for all: features of trained models
//! are hashed with them.

use crate::part::{Kind, Part};
use pleach_graph::Node;
use pleach_graph::node::{LEFT_EDGE, RIGHT_EDGE};

/// An arc and its inner sibling.
pub const SIBLING: Kind = Kind(2);
/// An arc and an outermost dependent of its dependent.
pub const GRANDCHILD: Kind = Kind(3);
/// As [`SIBLING`], for the label of the arc once the tree is known.
pub const SIBLING_LABEL: Kind = Kind(4);
/// As [`GRANDCHILD`], for the label of the arc once the tree is known.
pub const GRANDCHILD_LABEL: Kind = Kind(5);

/// The choices of arcs, siblings and grandchildren.
pub const CHANNELS: usize = 2;
/// The choice of an arc that decides whether it is a candidate.
pub const FILTER: u16 = 0;
/// The choice that is part of the tree's score.
pub const TREE: u16 = 1;

/// The third node of an arc that has no inner sibling.
pub(super) const NO_SIBLING: Node = RIGHT_EDGE;

/// The parts of a tree, for every word; the memory is kept from tree to tree.
#[derive(Clone, Debug, Default)]
pub struct TreeParts {
    heads: Vec<Node>,
    /// The inner sibling of each word.
    siblings: Vec<Node>,
    /// The outermost dependents of each node on its left and on its right.
    outermost: [Vec<Node>; 2],
}

impl TreeParts {
    /// Looks at a tree given by its heads, the root's own place being the first. O(n).
    pub fn fill(&mut self, heads: &[u32]) {
        self.heads.clear();
        self.heads.extend(heads.iter().map(|&head| head as Node));
        self.siblings.clear();
        self.siblings.resize(heads.len(), NO_SIBLING);
        for (side, edge) in [LEFT_EDGE, RIGHT_EDGE].into_iter().enumerate() {
            self.outermost[side].clear();
            self.outermost[side].resize(heads.len(), edge);
        }
        // From the inside to the outside, the last one seen is the inner sibling of the next one.
        for word in (1..heads.len()).rev() {
            let head = usize::from(self.heads[word]);
            if word < head {
                self.meet(0, LEFT_EDGE, head, word);
            }
        }
        for word in 1..heads.len() {
            let head = usize::from(self.heads[word]);
            if word > head {
                self.meet(1, RIGHT_EDGE, head, word);
            }
        }
    }

    fn meet(&mut self, side: usize, edge: Node, head: usize, word: usize) {
        let last = std::mem::replace(&mut self.outermost[side][head], word as Node);
        if last != edge {
            self.siblings[word] = last;
        }
    }

    /// The number of nodes, the root counted.
    pub fn nodes(&self) -> usize {
        self.heads.len()
    }

    /// The arc into a word.
    pub fn arc(&self, dependent: usize) -> Part {
        Part::arc(self.heads[dependent], dependent as Node)
    }

    /// The same with its label.
    pub fn label(&self, dependent: usize) -> Part {
        Part::label(self.heads[dependent], dependent as Node)
    }

    /// The arc into a word with its inner sibling, its left grandchild and its right one.
    pub fn around(&self, dependent: usize) -> [Part; 3] {
        self.with_kinds(dependent, [SIBLING, GRANDCHILD, GRANDCHILD])
    }

    /// The same for the label of the arc.
    pub fn around_label(&self, dependent: usize) -> [Part; 3] {
        self.with_kinds(dependent, [SIBLING_LABEL, GRANDCHILD_LABEL, GRANDCHILD_LABEL])
    }

    fn with_kinds(&self, dependent: usize, kinds: [Kind; 3]) -> [Part; 3] {
        let [left, right] = &self.outermost;
        let thirds = [self.siblings[dependent], left[dependent], right[dependent]];
        let head = self.heads[dependent];
        std::array::from_fn(|i| Part::three(kinds[i], head, dependent as Node, thirds[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_what_is_around_their_arcs() {
        let mut parts = TreeParts::default();
        // 2 has 1 on its left, 3 and 5 on its right; 5 has 4.
        parts.fill(&[0, 2, 0, 2, 5, 2]);
        let thirds = |word: usize| parts.around(word).map(|part| part.nodes[2]);
        assert_eq!(thirds(5), [3, 4, RIGHT_EDGE]);
        assert_eq!(thirds(3), [NO_SIBLING, LEFT_EDGE, RIGHT_EDGE]);
        assert_eq!(thirds(2), [NO_SIBLING, 1, 5]);
        assert_eq!(parts.arc(5), Part::arc(2, 5));
        let kinds = parts.around_label(5).map(|part| part.kind);
        assert_eq!(kinds, [SIBLING_LABEL, GRANDCHILD_LABEL, GRANDCHILD_LABEL]);
    }
}
