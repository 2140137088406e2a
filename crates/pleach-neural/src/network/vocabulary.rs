//! From the words of a sentence to the ids of embeddings.
//!
//! No strings are kept: a value is known by a fingerprint of 32 bits, or by the buckets that its hash names. Id 0 is
//! the virtual root and id 1 whatever is not known; the others follow.

use super::settings::{Characters, Input, Settings, Source, Table};
use crate::NeuralError;
use crate::kernel::embedding::Bags;
use crate::random::mix;
use pleach_graph::{Sentence, Token};
use std::collections::HashMap;

/// The id of the virtual root.
pub const ROOT: u32 = 0;
/// The id of values without a vector of their own.
pub const UNKNOWN: u32 = 1;
const RESERVED: u32 = 2;
/// Characters beyond this place in a word are not looked at.
const LONGEST: usize = 24;

/// A hash of a text that is the same on every machine: FNV-1a, then mixed.
pub fn hash(text: &str) -> u64 {
    let fnv = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    mix(fnv)
}

/// Which values of each input are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// For each input the sorted fingerprints; empty for a hashed one.
    known: Vec<Vec<u32>>,
}

/// A sentence as a network sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// The number of nodes, the root among them.
    pub(super) nodes: usize,
    /// For each input the ids of each node.
    pub(super) ids: Vec<Bags>,
    /// The characters of each node, and a hash of them.
    pub(super) characters: Bags,
    pub(super) spelling: Vec<u64>,
    /// The vectors that the caller gave, a row a node.
    pub(super) vectors: Vec<f32>,
    /// The rows of these vectors in the caller's table, plus one; 0 for none.
    pub(super) rows: Vec<u32>,
}

impl Features {
    /// The number of nodes, the root among them.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Gives the words vectors: `nodes · width` numbers, the root's row first.
    pub fn set_vectors(&mut self, vectors: Vec<f32>) {
        self.vectors = vectors;
    }

    /// Says for each node which row of the caller's table its vector is, for what is learnt beside it.
    pub fn set_rows(&mut self, rows: impl IntoIterator<Item = Option<usize>>) {
        self.rows = rows.into_iter().map(|row| row.map_or(0, |row| row as u32 + 1)).collect();
    }
}

impl Vocabulary {
    /// What the sentences of a training set make known.
    pub fn collect<'a>(settings: &Settings, sentences: impl IntoIterator<Item = &'a Sentence>) -> Self {
        let mut counts: Vec<HashMap<u32, u32>> = vec![HashMap::new(); settings.inputs.len()];
        for sentence in sentences {
            for token in &sentence.tokens {
                for (input, counts) in settings.inputs.iter().zip(&mut counts) {
                    if matches!(input.table, Table::Known { .. }) {
                        values(input.source, token, |hash| *counts.entry(hash as u32).or_default() += 1);
                    }
                }
            }
        }
        Self::counted(settings, counts)
    }

    /// The values of each input that were seen often enough.
    pub(super) fn counted(settings: &Settings, counts: Vec<HashMap<u32, u32>>) -> Self {
        let known = settings.inputs.iter().zip(counts).map(|(input, counts)| match input.table {
            Table::Hashed { .. } => Vec::new(),
            Table::Known { at_least } => {
                let often = counts.into_iter().filter(|&(_, count)| count >= at_least);
                let mut known: Vec<u32> = often.map(|(fingerprint, _)| fingerprint).collect();
                known.sort_unstable();
                known
            }
        });
        Vocabulary { known: known.collect() }
    }

    /// A vocabulary from the fingerprints that [`known`](Self::known) gave.
    pub fn from_known(settings: &Settings, known: Vec<Vec<u32>>) -> Result<Self, NeuralError> {
        if known.len() != settings.inputs.len() {
            return Err(NeuralError::Damaged("a vocabulary for another number of inputs".into()));
        }
        if !known.iter().all(|known| known.is_sorted_by(|a, b| a < b)) {
            return Err(NeuralError::Damaged("the fingerprints of a vocabulary are not in order".into()));
        }
        Ok(Vocabulary { known })
    }

    /// The sorted fingerprints of each input; empty for a hashed one.
    pub fn known(&self) -> &[Vec<u32>] {
        &self.known
    }

    /// The number of vectors in an input's table.
    pub(super) fn rows(&self, settings: &Settings, input: usize) -> usize {
        RESERVED as usize
            + match settings.inputs[input].table {
                Table::Known { .. } => self.known[input].len(),
                Table::Hashed { buckets, .. } => buckets,
            }
    }

    /// A sentence as a network sees it, without vectors of the caller's.
    pub fn features(&self, settings: &Settings, sentence: &Sentence) -> Features {
        let ids = settings.inputs.iter().zip(&self.known).map(|(input, known)| {
            let mut bags = Bags::default();
            bags.push([ROOT]);
            let mut ids = Vec::new();
            for token in &sentence.tokens {
                ids.clear();
                values(input.source, token, |hash| push_ids(input, known, hash, &mut ids));
                if ids.is_empty() {
                    ids.push(UNKNOWN);
                }
                bags.push(ids.iter().copied());
            }
            bags
        });
        let ids = ids.collect();
        let mut characters = Bags::default();
        let mut spelling = Vec::new();
        if let Some(settings) = settings.characters {
            characters.push([ROOT]);
            spelling.push(0);
            for token in &sentence.tokens {
                characters.push(token.form.chars().take(LONGEST).map(|c| character(settings, c)));
                spelling.push(hash(&token.form));
            }
        }
        Features { nodes: sentence.len() + 1, ids, characters, spelling, ..Features::default() }
    }
}

pub(super) fn push_ids(input: &Input, known: &[u32], hash: u64, ids: &mut Vec<u32>) {
    match input.table {
        Table::Known { .. } => {
            let place = known.binary_search(&(hash as u32));
            ids.push(place.map_or(UNKNOWN, |place| place as u32 + RESERVED));
        }
        Table::Hashed { buckets, probes } => {
            for probe in 0..probes as u64 {
                let bucket = mix(hash.wrapping_add(probe << 32)) % buckets as u64;
                ids.push(bucket as u32 + RESERVED);
            }
        }
    }
}

pub(super) fn character(settings: Characters, c: char) -> u32 {
    let code = u64::from(u32::from(c));
    // Ids 0 and 1 are control characters, which stand for the root and the unknown.
    if code < 128 {
        (code as u32).max(UNKNOWN)
    } else {
        128 + (mix(code) % (settings.buckets as u64 - 128)) as u32
    }
}

/// Gives the hashes of what a source says of a token.
fn values(source: Source, token: &Token, mut give: impl FnMut(u64)) {
    match source {
        Source::Form => give(hash(&token.form)),
        Source::Lower => give(hash(&token.form.to_lowercase())),
        Source::Lemma => give(hash(&token.lemma)),
        Source::Upos => give(hash(&token.upos)),
        Source::Xpos => give(hash(&token.xpos)),
        Source::Tags => give(hash(&token.upos) ^ mix(hash(&token.xpos))),
        Source::Morphology => give(hash(&token.feats)),
        Source::Features => token.feats.split('|').filter(|f| !f.is_empty()).for_each(|f| give(hash(f))),
        Source::Prefix => give(
            token
                .form
                .char_indices()
                .nth(3)
                .map_or_else(|| hash(&token.form), |(end, _)| hash(&token.form[..end])),
        ),
        Source::Suffix => give(
            token
                .form
                .char_indices()
                .rev()
                .nth(2)
                .map_or_else(|| hash(&token.form), |(start, _)| hash(&token.form[start..])),
        ),
        Source::Shape => give(shape(&token.form)),
    }
}

/// Runs of one kind of character count as up to two.
fn shape(form: &str) -> u64 {
    let kind = |c: char| match c {
        c if c.is_uppercase() => 'X',
        c if c.is_alphabetic() => 'x',
        c if c.is_numeric() => '0',
        c => c,
    };
    let mut shape = String::new();
    for kind in form.chars().map(kind) {
        if !shape.ends_with(&[kind, kind].iter().collect::<String>()) {
            shape.push(kind);
        }
    }
    hash(&shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(table: Table, source: Source) -> Settings {
        Settings { inputs: vec![Input { source, width: 4, table }], ..Settings::default() }
    }

    #[test]
    fn rare_values_are_unknown_and_the_root_is_its_own() {
        let settings = settings(Table::Known { at_least: 2 }, Source::Lower);
        let sentence = Sentence::from_forms(["The", "the", "cat"]);
        let vocabulary = Vocabulary::collect(&settings, [&sentence]);
        let features = vocabulary.features(&settings, &sentence);
        let ids: Vec<&[u32]> = (0..4).map(|node| features.ids[0].get(node)).collect();
        assert_eq!(ids, [&[ROOT][..], &[RESERVED], &[RESERVED], &[UNKNOWN]]);
        assert_eq!(vocabulary.rows(&settings, 0), 3);
        assert_eq!(Vocabulary::from_known(&settings, vocabulary.known().to_vec()).unwrap(), vocabulary);
        assert!(Vocabulary::from_known(&settings, vec![vec![3, 2]]).is_err());
    }

    #[test]
    fn hashed_values_need_no_vocabulary() {
        let settings = settings(Table::Hashed { buckets: 50, probes: 2 }, Source::Suffix);
        let vocabulary = Vocabulary::collect(&settings, []);
        let features = vocabulary.features(&settings, &Sentence::from_forms(["running", "king", "ab", "ab"]));
        let ids = |node| features.ids[0].get(node).to_vec();
        assert_eq!(ids(1), ids(2));
        assert_eq!(ids(3), ids(4));
        assert_ne!(ids(2), ids(3));
        assert!(ids(1).len() == 2 && ids(1).iter().all(|&id| (2..52).contains(&id)));
    }

    #[test]
    fn features_are_a_bag() {
        let settings = settings(Table::Known { at_least: 1 }, Source::Features);
        let mut sentence = Sentence::from_forms(["a", "b"]);
        sentence.tokens[0].feats = "Case=Nom|Number=Sing".into();
        let vocabulary = Vocabulary::collect(&settings, [&sentence]);
        let features = vocabulary.features(&settings, &sentence);
        assert_eq!(features.ids[0].get(1).len(), 2);
        assert_eq!(features.ids[0].get(2), [UNKNOWN]);
    }

    #[test]
    fn shapes_fold_runs() {
        assert_eq!(shape("Abcdef"), shape("Xyz"));
        assert_ne!(shape("Abc"), shape("abc"));
        assert_ne!(shape("1990s"), shape("1990"));
    }
}
