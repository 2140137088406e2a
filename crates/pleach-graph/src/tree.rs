//! A dependency tree: one head and one label for every word.

use crate::{NodeId, Sentence, Text};

/// A tree over the words of a sentence: what tree parsers give, and what graph parsers may look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The head of each word, the first word's first; 0 is the root.
    pub heads: Vec<u16>,
    /// The label of each word's arc.
    pub labels: Vec<Text>,
}

impl Tree {
    /// The basic tree of a sentence without empty nodes, HEAD and DEPREL; `None` when a word has no head in it, or one
    /// beyond the sentence.
    pub fn of(sentence: &Sentence) -> Option<Self> {
        let len = sentence.len();
        let head = |head: Option<NodeId>| {
            let index = head?.index();
            if index > len { None } else { u16::try_from(index).ok() }
        };
        let heads: Option<Vec<u16>> = sentence.tokens.iter().map(|token| head(token.head)).collect();
        Some(Tree {
            heads: heads?,
            labels: sentence.tokens.iter().map(|token| token.deprel.clone()).collect(),
        })
    }

    /// Writes the tree into HEAD and DEPREL.
    pub fn write(&self, sentence: &mut Sentence) {
        for ((token, &head), label) in sentence.tokens.iter_mut().zip(&self.heads).zip(&self.labels) {
            token.head = Some(NodeId(u32::from(head)));
            token.deprel = label.clone();
        }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The same tree over the words from right to left.
    pub fn mirrored(&self) -> Self {
        let turn = |head: u16| if head == 0 { 0 } else { self.heads.len() as u16 + 1 - head };
        Tree {
            heads: self.heads.iter().rev().map(|&head| turn(head)).collect(),
            labels: self.labels.iter().rev().cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_go_into_sentences_and_back() {
        let mut sentence = Sentence::from_forms(["a", "b", "c"]);
        assert_eq!(Tree::of(&sentence), None);
        let tree = Tree { heads: vec![2, 0, 1], labels: ["x", "root", "y"].map(Text::from).to_vec() };
        tree.write(&mut sentence);
        assert_eq!(Tree::of(&sentence), Some(tree.clone()));
        assert_eq!(tree.mirrored().heads, [3, 0, 2]);
        assert_eq!(tree.mirrored().mirrored(), tree);
        sentence.tokens[0].head = Some(NodeId(9));
        assert_eq!(Tree::of(&sentence), None);
    }
}
