//! The attributes of a sentence's words, hashed once per sentence: what every scorer looks at.
//!
//! Linear models turn them into features, networks into rows of embeddings; no strings are kept but the characters,
//! so a model needs no lexicon.

pub mod hash;
mod tree;

use crate::{NONE, Node, Sentence, Token, Tree};
use hash::ABSENT;
use tree::TreeView;

/// What is collected along a path in the tree that a parser is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The tags.
    Tags,
    /// The first letters of the tags.
    Letters,
    /// The labels.
    Labels,
}

/// An attribute of a word that features can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Attribute {
    /// `w`: the form.
    Form,
    /// `lo`: the form in lower case.
    Lower,
    /// `m`: the lemma, else the form in lower case.
    Lemma,
    /// `p`: the fine tag (XPOS), else the coarse one.
    Tag,
    /// `p1`: the first letter of the tag.
    TagLetter,
    /// `u`: the coarse tag (UPOS), else the fine one.
    Coarse,
    /// `f`: the morphological features.
    Feats,
    /// `pre1`, `pre2`, `pre3`: the first characters.
    Prefix1,
    /// The first two characters.
    Prefix2,
    /// The first three characters.
    Prefix3,
    /// `suf1`, `suf2`, `suf3`: the last characters.
    Suffix1,
    /// The last two characters.
    Suffix2,
    /// The last three characters.
    Suffix3,
    /// `shape`: capitals, digits and punctuation (`Xx`, `dd-d`), runs shortened.
    Shape,
}

impl Attribute {
    /// How many attributes there are.
    pub const COUNT: usize = 14;

    /// The attribute of a name in the template language.
    pub fn from_name(name: &str) -> Option<Self> {
        use Attribute::*;
        Some(match name {
            "w" => Form,
            "lo" => Lower,
            "m" => Lemma,
            "p" => Tag,
            "p1" => TagLetter,
            "u" => Coarse,
            "f" => Feats,
            "pre1" => Prefix1,
            "pre2" => Prefix2,
            "pre3" => Prefix3,
            "suf1" => Suffix1,
            "suf2" => Suffix2,
            "suf3" => Suffix3,
            "shape" => Shape,
            _ => return None,
        })
    }

    /// The names in the template language.
    pub const NAMES: &[&str] =
        &["w", "lo", "m", "p", "p1", "u", "f", "pre1", "pre2", "pre3", "suf1", "suf2", "suf3", "shape"];
}

/// How many kinds of words [`Words::between`] counts.
const KINDS: usize = 4;

/// The hashed attributes of one sentence; the root is word 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    values: Vec<[u32; Attribute::COUNT]>,
    /// How many words of each kind stand at or before a place.
    seen: Vec<[u16; KINDS]>,
    tree: Option<TreeView>,
    /// The characters of all forms, one form after the other, and where each form ends; the root has none.
    characters: String,
    ends: Vec<u32>,
    /// The morphological features of all words, in the same way.
    feats: String,
    feats_ends: Vec<u32>,
    reversed: bool,
}

impl Words {
    /// The words of a sentence with the tree that a parser is given, if it is; from right to left when `reversed`.
    pub fn of(sentence: &Sentence, tree: Option<&Tree>, reversed: bool) -> Self {
        let mut words = Words::default();
        words.refill(sentence, tree, reversed);
        words
    }

    /// The same in memory that is used again.
    pub fn refill(&mut self, sentence: &Sentence, tree: Option<&Tree>, reversed: bool) {
        self.fill(sentence, reversed);
        if let Some(tree) = tree {
            self.set_tree(tree, reversed);
        }
    }

    /// Hashes the words of a sentence, from right to left when `reversed`. Empty nodes are words too here:
    /// parsers collapse them first. The words have no tree until [`Words::set_tree`].
    pub fn fill(&mut self, sentence: &Sentence, reversed: bool) {
        self.tree = None;
        self.reversed = reversed;
        self.values.clear();
        self.values.push([hash::text("<root>"); Attribute::COUNT]);
        let mut lower = String::new();
        match reversed {
            false => sentence.tokens.iter().for_each(|token| self.values.push(attributes(token, &mut lower))),
            true => {
                sentence
                    .tokens
                    .iter()
                    .rev()
                    .for_each(|token| self.values.push(attributes(token, &mut lower)));
            }
        }
        self.characters.clear();
        self.ends.clear();
        self.ends.push(0);
        self.feats.clear();
        self.feats_ends.clear();
        self.feats_ends.push(0);
        self.seen.clear();
        self.seen.push([0; KINDS]);
        let mut seen = [0; KINDS];
        let len = sentence.tokens.len();
        for place in 0..len {
            let token = &sentence.tokens[if reversed { len - 1 - place } else { place }];
            if let Some(kind) = kind(token) {
                seen[kind] += 1;
            }
            self.seen.push(seen);
            self.characters.push_str(&token.form);
            self.ends.push(self.characters.len() as u32);
            self.feats.push_str(&token.feats);
            self.feats_ends.push(self.feats.len() as u32);
        }
    }

    /// Gives the words the tree that tree features look at; `tree` is in sentence order. A tree of another length is
    /// left aside.
    pub fn set_tree(&mut self, tree: &Tree, reversed: bool) {
        if tree.len() == self.len() {
            let letters: Vec<[u32; 2]> = self
                .values
                .iter()
                .map(|word| [word[Attribute::Tag as usize], word[Attribute::TagLetter as usize]])
                .collect();
            self.tree = Some(if reversed {
                TreeView::new(&tree.mirrored(), letters)
            } else {
                TreeView::new(tree, letters)
            });
        }
    }

    /// The parent of a word in the tree, or [`NONE`].
    #[inline]
    pub fn tree_parent(&self, word: Node) -> Node {
        self.tree.as_ref().map_or(NONE, |tree| tree.parent(word))
    }

    /// The label of a word's arc in the tree, or [`ABSENT`].
    #[inline]
    pub fn tree_label(&self, word: Node) -> u32 {
        self.tree.as_ref().map_or(ABSENT, |tree| tree.label(word))
    }

    /// What lies on the tree path between two words, or [`ABSENT`].
    pub fn tree_path(&self, a: Node, b: Node, kind: Path) -> u32 {
        self.tree.as_ref().map_or(ABSENT, |tree| tree.path(a, b, kind))
    }

    /// The number of words, the root not counted.
    pub fn len(&self) -> usize {
        self.values.len().saturating_sub(1)
    }

    /// Whether the words stand from right to left.
    pub fn reversed(&self) -> bool {
        self.reversed
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An attribute of a word (0 is the root).
    #[inline]
    pub fn get(&self, word: Node, attribute: Attribute) -> u32 {
        self.values[word as usize][attribute as usize]
    }

    /// All attributes of a word, in the order of [`Attribute`].
    #[inline]
    pub fn attributes(&self, word: Node) -> &[u32; Attribute::COUNT] {
        &self.values[word as usize]
    }

    /// The form of a word; the root's is empty.
    pub fn form(&self, word: Node) -> &str {
        piece(&self.characters, &self.ends, word)
    }

    /// The morphological features of a word as one text; the root's is empty.
    pub fn feats(&self, word: Node) -> &str {
        piece(&self.feats, &self.feats_ends, word)
    }

    /// Which kinds of words stand strictly between two places, as a bit set with counts up to three: verbs,
    /// punctuation, conjunctions, adpositions.
    #[inline]
    pub fn between(&self, a: Node, b: Node) -> u32 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        if high - low < 2 {
            return 0;
        }
        let (before, upto) = (self.seen[low as usize], self.seen[high as usize - 1]);
        (0..KINDS).fold(0, |bits, kind| bits << 2 | u32::from((upto[kind] - before[kind]).min(3)))
    }
}

/// A word's part of a text in which those of all words stand one after the other.
fn piece<'a>(text: &'a str, ends: &[u32], word: Node) -> &'a str {
    let end = |word: usize| ends.get(word).map_or(0, |&end| end as usize);
    let word = usize::from(word);
    &text[if word == 0 { 0 } else { end(word - 1) }..end(word)]
}

fn attributes(token: &Token, lower: &mut String) -> [u32; Attribute::COUNT] {
    let form = token.form.as_str();
    lower.clear();
    match form.is_ascii() {
        true => {
            lower.push_str(form);
            lower.make_ascii_lowercase();
        }
        false => lower.extend(form.chars().flat_map(char::to_lowercase)),
    }
    let tag = hash::text(token.tag());
    let coarse = if token.upos.is_empty() { tag } else { hash::text(&token.upos) };
    let mut values = [0; Attribute::COUNT];
    values[Attribute::Form as usize] = hash::text(form);
    values[Attribute::Lower as usize] = hash::text(lower);
    values[Attribute::Lemma as usize] =
        if token.lemma.is_empty() { hash::text(lower) } else { hash::text(&token.lemma) };
    values[Attribute::Tag as usize] = tag;
    values[Attribute::TagLetter as usize] = hash::text(prefix(token.tag(), 1));
    values[Attribute::Coarse as usize] = coarse;
    values[Attribute::Feats as usize] = hash::text(&token.feats);
    for count in 1..=3 {
        values[Attribute::Prefix1 as usize + count - 1] = hash::text(prefix(lower, count));
        values[Attribute::Suffix1 as usize + count - 1] = hash::text(suffix(lower, count));
    }
    values[Attribute::Shape as usize] = shape(form);
    values
}

fn prefix(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

fn suffix(text: &str, count: usize) -> &str {
    text.char_indices().nth_back(count - 1).map_or(text, |(start, _)| &text[start..])
}

/// Capitals, small letters, digits and the rest, each run counted as one character.
fn shape(form: &str) -> u32 {
    let mut shape = String::new();
    for c in form.chars().take(64) {
        let class = match c {
            c if c.is_uppercase() => 'X',
            c if c.is_alphabetic() => 'x',
            c if c.is_numeric() => 'd',
            c => c,
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    hash::text(&shape)
}

/// The kind of a word for [`Words::between`], by UD or by Penn/Chinese Treebank tags.
fn kind(token: &Token) -> Option<usize> {
    let tag = if token.upos.is_empty() { &token.xpos } else { &token.upos };
    match tag.as_str() {
        "VERB" | "AUX" | "VV" | "VA" | "VC" | "VE" | "VB" | "VBD" | "VBZ" | "VBP" | "VBG" | "VBN" | "MD" => {
            Some(0)
        }
        "PUNCT" | "PU" | "," | "." | ":" | "``" | "''" | "-LRB-" | "-RRB-" => Some(1),
        "CCONJ" | "SCONJ" | "CC" | "CS" => Some(2),
        "ADP" | "IN" | "P" | "TO" | "LC" => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_suffixes_count_characters() {
        assert_eq!((prefix("浦东新", 2), suffix("浦东新", 2)), ("浦东", "东新"));
        assert_eq!((prefix("a", 3), suffix("a", 3)), ("a", "a"));
        assert_eq!(suffix("", 1), "");
    }

    #[test]
    fn reversed_words_are_the_mirror() {
        let sentence = Sentence::from_forms(["a", "b", "c"]);
        let (mut there, mut back) = (Words::default(), Words::default());
        there.fill(&sentence, false);
        back.fill(&sentence, true);
        for word in 1..=3 {
            assert_eq!(there.get(word, Attribute::Form), back.get(4 - word, Attribute::Form));
        }
        assert_ne!(there.get(1, Attribute::Form), there.get(2, Attribute::Form));
        assert_eq!([0, 1, 2, 3].map(|word| there.form(word)), ["", "a", "b", "c"]);
        assert_eq!([1, 2, 3].map(|word| back.form(word)), ["c", "b", "a"]);
        assert!(back.reversed() && !there.reversed());
    }

    #[test]
    fn between_counts_kinds() {
        let mut sentence = Sentence::from_forms(["a", "b", "c", "d"]);
        sentence.tokens[1].upos = "VERB".into();
        sentence.tokens[2].upos = "PUNCT".into();
        let mut words = Words::default();
        words.fill(&sentence, false);
        assert_eq!(words.between(1, 2), 0);
        assert_eq!(words.between(4, 1), 0b01_01_00_00);
        assert_eq!(words.between(1, 3), 0b01_00_00_00);
    }
}
