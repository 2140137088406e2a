//! What a treebank says of forms: the choices that were made for each. Keys are hashes of 32 bits.

use pleach_graph::words::hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A choice is left out when it is so many times rarer than the most frequent one of its key: a slip.
const RARE: usize = 20;

/// Choices by key, sorted by both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Dictionary(Vec<(u32, u16)>);

/// The key of some texts; another kind of key has other hashes.
pub(super) fn key<const N: usize>(kind: u32, parts: [&str; N]) -> u32 {
    let all = parts.into_iter().fold(hash::seed(kind), |all, part| hash::mix(all, hash::text(part)));
    (hash::finish(all) >> 32) as u32
}

impl Dictionary {
    /// The choices that were made, as often as they were.
    pub fn new(made: impl Iterator<Item = (u32, u16)>) -> Self {
        let mut counts: BTreeMap<u32, BTreeMap<u16, usize>> = BTreeMap::new();
        for (key, choice) in made {
            *counts.entry(key).or_default().entry(choice).or_default() += 1;
        }
        let mut entries = Vec::with_capacity(counts.len());
        for (key, counts) in counts {
            let least = counts.values().max().map_or(0, |most| most.div_ceil(RARE));
            entries.extend(
                counts.iter().filter(|&(_, &count)| count >= least).map(|(&choice, _)| (key, choice)),
            );
        }
        Dictionary(entries)
    }

    /// The entries of a key.
    pub fn of(&self, key: u32) -> impl Iterator<Item = usize> + Clone {
        let start = self.0.partition_point(|entry| entry.0 < key);
        self.0[start..].iter().take_while(move |entry| entry.0 == key).map(|&(_, choice)| usize::from(choice))
    }

    /// Whether there is anything of a key.
    pub fn has(&self, key: u32) -> bool {
        self.0.binary_search_by_key(&key, |&(key, _)| key).is_ok()
    }

    /// Leaves out the keys of which another dictionary says the same under another key.
    pub fn leave_out(&mut self, other: &Dictionary, elsewhere: &BTreeMap<u32, u32>) {
        let says_more = |key: u32| {
            let there = elsewhere.get(&key).map(|&there| other.of(there));
            there.is_none_or(|there| !there.eq(self.of(key)))
        };
        self.0 = self.0.iter().copied().filter(|&(key, _)| says_more(key)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_of_keys_without_slips() {
        let often = std::iter::repeat_n((5, 1), 2 * RARE);
        let dictionary = Dictionary::new(often.chain([(5, 2), (5, 2), (5, 3), (9, 3)]));
        let of = |key: u32| dictionary.of(key).collect::<Vec<usize>>();
        assert_eq!((of(5), of(9), of(7)), (vec![1, 2], vec![3], vec![]));
        assert_eq!([5, 9, 7].map(|key| dictionary.has(key)), [true, true, false]);
        let mut shorter = Dictionary::new([(1, 3), (2, 1), (3, 4)].into_iter());
        shorter.leave_out(&dictionary, &[(1, 9), (2, 5)].into());
        assert_eq!(shorter, Dictionary(vec![(2, 1), (3, 4)]));
    }
}
