//! The tree that a graph parser looks at: parents, labels and paths (`zhang-2016` section 3.3, f_path).
//!
//! A path goes from one word up to the lowest common ancestor and down to the other; its features collect the
//! tags, their first letters, or the labels on the way, with the turning point marked. O(depth) per path; parsers
//! ask once per pair and sentence.

use super::Path;
use super::hash::{self, ABSENT};
use crate::{NONE, Node, Tree};

/// A tree over hashed words; node 0 is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeView {
    parents: Vec<Node>,
    labels: Vec<u32>,
    depths: Vec<u16>,
    /// The tag of each word and its first letter.
    tags: Vec<[u32; 2]>,
}

impl TreeView {
    /// A view of a tree whose words have the given tags, the root's first. Words on a cycle hang on the root.
    pub fn new(tree: &Tree, tags: Vec<[u32; 2]>) -> Self {
        let len = tree.len();
        let mut parents: Vec<Node> = std::iter::once(0).chain(tree.heads.iter().copied()).collect();
        for word in 1..=len {
            let (mut steps, mut at) = (0, word);
            while at != 0 && at <= len && steps <= len {
                at = usize::from(parents[at]);
                steps += 1;
            }
            if at != 0 {
                parents[word] = 0;
            }
        }
        let depth = |word: usize| {
            let up = |&word: &usize| (word != 0).then(|| usize::from(parents[word]));
            std::iter::successors(Some(word), up).count() as u16 - 1
        };
        let depths = (0..=len).map(depth).collect();
        let labels =
            std::iter::once(ABSENT).chain(tree.labels.iter().map(|label| hash::text(label))).collect();
        TreeView { parents, labels, depths, tags }
    }

    /// The parent of a word; [`NONE`] for the root and beyond the sentence.
    #[inline]
    pub fn parent(&self, word: Node) -> Node {
        match word {
            0 => NONE,
            word => self.parents.get(usize::from(word)).copied().unwrap_or(NONE),
        }
    }

    /// The label of a word's arc; [`ABSENT`] for the root and beyond the sentence.
    #[inline]
    pub fn label(&self, word: Node) -> u32 {
        self.labels.get(usize::from(word)).copied().unwrap_or(ABSENT)
    }

    /// What lies on the path between two nodes of the sentence.
    pub fn path(&self, a: Node, b: Node, kind: Path) -> u32 {
        let (mut a, mut b) = (usize::from(a), usize::from(b));
        let (mut up, mut down) = (hash::seed(1), hash::seed(2));
        while a != b {
            if self.depths[a] >= self.depths[b] {
                up = hash::mix(up, self.item(a, kind));
                a = usize::from(self.parents[a]);
            } else {
                down = hash::mix(down, self.item(b, kind));
                b = usize::from(self.parents[b]);
            }
        }
        let turn = match kind {
            // The turning point's own label belongs to the arc above it, which is not on the path.
            Path::Labels => 0,
            _ => self.item(a, kind),
        };
        let all = hash::finish(hash::mix(hash::mix(up, (hash::finish(down) >> 32) as u32), turn));
        match (all >> 32) as u32 {
            ABSENT => 0,
            value => value,
        }
    }

    #[inline]
    fn item(&self, word: usize, kind: Path) -> u32 {
        match kind {
            Path::Tags => self.tags[word][0],
            Path::Letters => self.tags[word][1],
            Path::Labels => self.labels[word],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Text;

    fn view(heads: &[u16]) -> TreeView {
        let tree = Tree {
            heads: heads.to_vec(),
            labels: heads.iter().map(|h| Text::from(format!("l{h}"))).collect(),
        };
        TreeView::new(&tree, (0..=heads.len() as u32).map(|i| [i, i / 2]).collect())
    }

    /// The path as a list of steps, by brute force.
    fn steps(view: &TreeView, a: Node, b: Node) -> (Vec<Node>, Vec<Node>, Node) {
        let chain = |mut word: Node| {
            let mut chain = vec![word];
            while word != 0 {
                word = view.parents[usize::from(word)];
                chain.push(word);
            }
            chain
        };
        let (mut up, mut down) = (chain(a), chain(b));
        let mut turn = 0;
        while let (Some(x), Some(y)) = (up.last(), down.last())
            && x == y
        {
            turn = *x;
            up.pop();
            down.pop();
        }
        (up, down, turn)
    }

    #[test]
    fn paths_tell_all_that_differs_and_nothing_else() {
        let mut seen: Vec<(Vec<u32>, Vec<u32>, u32, u32)> = Vec::new();
        for code in 0..5u16.pow(4) {
            let heads: Vec<u16> = (0..4).map(|i| code / 5u16.pow(i) % 5).collect();
            let view = view(&heads);
            for a in 0..=4 {
                for b in 0..=4 {
                    let (up, down, turn) = steps(&view, a, b);
                    let letter = |word: &Node| u32::from(*word) / 2;
                    let key =
                        (up.iter().map(letter).collect(), down.iter().map(letter).collect(), letter(&turn));
                    seen.push((key.0, key.1, key.2, view.path(a, b, Path::Letters)));
                }
            }
        }
        seen.sort();
        seen.dedup();
        let mut values: Vec<u32> = seen.iter().map(|entry| entry.3).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), seen.len(), "one value per path");
        assert!(seen.windows(2).all(|w| (&w[0].0, &w[0].1, w[0].2) != (&w[1].0, &w[1].1, w[1].2)));
    }

    #[test]
    fn cycles_and_heads_beyond_the_sentence_are_harmless() {
        for heads in [&[2, 1, 2][..], &[1], &[9, 1], &[3, 3, 3]] {
            let view = view(heads);
            for a in 0..=heads.len() as u16 {
                assert_eq!(view.parent(a) == NONE, a == 0);
                for b in 0..=heads.len() as u16 {
                    view.path(a, b, Path::Labels);
                }
            }
        }
        assert_eq!(view(&[0]).parent(7), NONE);
        assert_eq!(view(&[0]).label(7), ABSENT);
    }
}
