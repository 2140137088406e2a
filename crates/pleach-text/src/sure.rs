//! What is sure: words that have one label wherever the training data has them. Nothing is to be decided there.
//!
//! About half of a text's words are such (`the`, `of`, a comma), so a stage that looks them up first is twice as fast: one
//! look-up instead of some forty. Words are known by 32 bits of a hash: one unknown word in a million is taken for a known one.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of so many tokens of a word, one may have another label: treebanks have mistakes.
const MISTAKES: usize = 200;

/// The label of every sure word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sure {
    /// The hashes of the words, sorted, and the label of each.
    words: Vec<u32>,
    labels: Vec<u16>,
}

impl Sure {
    /// Counts words and their labels: those are sure that were seen at least `least` times.
    pub fn count(seen: impl Iterator<Item = (u32, u16)>, least: usize) -> Self {
        let mut counts: BTreeMap<u32, BTreeMap<u16, usize>> = BTreeMap::new();
        for (word, label) in seen {
            *counts.entry(word).or_default().entry(label).or_default() += 1;
        }
        let mut sure = Sure::default();
        for (word, labels) in counts {
            let all: usize = labels.values().sum();
            let most = labels.into_iter().max_by_key(|&(_, count)| count);
            if let Some((label, count)) = most
                && count >= least
                && (all - count) * MISTAKES <= all
            {
                sure.words.push(word);
                sure.labels.push(label);
            }
        }
        sure
    }

    /// The label of a word that is sure.
    #[inline]
    pub fn get(&self, word: u32) -> Option<u16> {
        let place = self.words.binary_search(&word).ok()?;
        self.labels.get(place).copied()
    }

    /// Whether nothing is sure.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sure_that_have_one_label_often_enough() {
        let times = |word, label, count| std::iter::repeat_n((word, label), count);
        let seen = times(9, 1, 5).chain(times(4, 2, 4)).chain(times(7, 1, 5)).chain(times(7, 3, 1));
        // One mistake in 401 tokens is forgiven.
        let sure = Sure::count(seen.chain(times(2, 6, 400)).chain(times(2, 5, 1)), 5);
        assert_eq!([9, 4, 7, 2, 1].map(|word| sure.get(word)), [Some(1), None, None, Some(6), None]);
        assert!(Sure::default().is_empty() && !sure.is_empty());
    }

    #[test]
    fn a_damaged_table_says_nothing() {
        let sure = Sure { words: vec![1, 2], labels: vec![3] };
        assert_eq!((sure.get(1), sure.get(2)), (Some(3), None));
    }
}
