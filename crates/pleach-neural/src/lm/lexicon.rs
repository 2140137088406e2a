//! The words that a language model predicts: the most frequent ones, by fingerprint.

use crate::NeuralError;
use crate::network::hash;
use std::collections::HashMap;

/// Words that have a class of their own. Class 0 is the end of a sentence, class 1 any other word; words follow by
/// frequency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lexicon {
    words: Vec<u32>,
    classes: HashMap<u32, u32>,
}

/// The class of words that have none of their own.
pub const OTHER: u32 = 1;
const RESERVED: u32 = 2;

/// Counts are thinned out when there are more than this many different words.
const MOST: usize = 4_000_000;

/// Counts words in bounded memory: rare ones are forgotten on the way when there are too many.
#[derive(Debug, Default)]
pub struct Counts {
    counts: HashMap<u32, u32>,
    /// Every word.
    pub words: u64,
}

impl Counts {
    /// Counts a sentence.
    pub fn add(&mut self, sentence: &[String]) {
        for word in sentence {
            let count = self.counts.entry(fingerprint(word)).or_default();
            *count = count.saturating_add(1);
        }
        self.words += sentence.len() as u64;
        let mut least = 1;
        while self.counts.len() > MOST {
            least += 1;
            self.counts.retain(|_, count| *count >= least);
        }
    }

    /// The most frequent words that occur at least twice.
    pub fn lexicon(self, most: usize) -> Lexicon {
        let mut words: Vec<(u32, u32)> = self.counts.into_iter().filter(|&(_, count)| count > 1).collect();
        words.sort_unstable_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
        words.truncate(most);
        Lexicon::new(words.into_iter().map(|(word, _)| word).collect())
    }
}

fn fingerprint(word: &str) -> u32 {
    hash(word) as u32
}

impl Lexicon {
    fn new(words: Vec<u32>) -> Self {
        let classes = words.iter().zip(RESERVED..).map(|(&word, class)| (word, class)).collect();
        Lexicon { words, classes }
    }

    /// A lexicon from the fingerprints that [`words`](Self::words) gave.
    pub fn from_words(words: Vec<u32>) -> Result<Self, NeuralError> {
        let lexicon = Self::new(words);
        match lexicon.classes.len() == lexicon.words.len() {
            true => Ok(lexicon),
            false => Err(NeuralError::Damaged("a lexicon with a word twice".into())),
        }
    }

    /// The fingerprints, the most frequent word first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.words.len() + RESERVED as usize
    }

    /// The class of a word.
    pub fn class(&self, word: &str) -> u32 {
        self.classes.get(&fingerprint(word)).copied().unwrap_or(OTHER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_words_have_low_classes() {
        let mut counts = Counts::default();
        counts.add(&["b", "a", "b", "c", "a", "b"].map(str::to_owned));
        assert_eq!(counts.words, 6);
        let lexicon = counts.lexicon(10);
        assert_eq!(["b", "a", "c"].map(|word| lexicon.class(word)), [2, 3, OTHER]);
        assert_eq!(lexicon.classes(), 4);
        assert_eq!(Lexicon::from_words(lexicon.words().to_vec()).unwrap(), lexicon);
        assert!(Lexicon::from_words(vec![3, 3]).is_err());
    }
}
