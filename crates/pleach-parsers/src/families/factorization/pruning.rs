//! What the training data says about tags (`du-2015` section 4.3): which pairs link, how far apart, and how often.
//!
//! Tags are the hashes that features use. What was never seen of a tag says something only when the tag is frequent: rare
//! ones are not pruned.

use pleach_decode::markov::Centre;
use pleach_graph::words::{Attribute, Words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far apart the words of a pair of tags were linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reach {
    /// The longest arc to a dependent on the left.
    left: u32,
    /// The longest one to the right.
    right: u32,
}

/// What is known of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tag {
    /// How many words have it.
    words: u32,
    /// The most arguments of one of them.
    arguments: u32,
    /// The most predicates.
    predicates: u32,
}

/// The limits that were learnt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(super) struct Pruning {
    pairs: BTreeMap<(u32, u32), Reach>,
    tags: BTreeMap<u32, Tag>,
}

/// The same as lists, for model files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Stored {
    pairs: Vec<(u32, u32, u32, u32)>,
    tags: Vec<(u32, u32, u32, u32)>,
}

impl From<Stored> for Pruning {
    fn from(stored: Stored) -> Self {
        let pairs = stored.pairs.into_iter();
        Pruning {
            pairs: pairs
                .map(|(head, dependent, left, right)| ((head, dependent), Reach { left, right }))
                .collect(),
            tags: stored
                .tags
                .into_iter()
                .map(|(tag, words, arguments, predicates)| (tag, Tag { words, arguments, predicates }))
                .collect(),
        }
    }
}

impl From<Pruning> for Stored {
    fn from(pruning: Pruning) -> Self {
        let pairs = pruning.pairs.into_iter();
        Stored {
            pairs: pairs
                .map(|((head, dependent), Reach { left, right })| (head, dependent, left, right))
                .collect(),
            tags: pruning
                .tags
                .into_iter()
                .map(|(tag, Tag { words, arguments, predicates })| (tag, words, arguments, predicates))
                .collect(),
        }
    }
}

fn tag(words: &Words, word: u32) -> u32 {
    words.get(word as u16, Attribute::Tag)
}

/// Which way an arc goes, and how far.
fn reach(reach: &mut Reach, head: u32, dependent: u32) -> (&mut u32, u32) {
    if dependent < head { (&mut reach.left, head - dependent) } else { (&mut reach.right, dependent - head) }
}

impl Pruning {
    /// Takes in a sentence and the arcs of its graph.
    pub fn learn(&mut self, words: &Words, arcs: impl Iterator<Item = (u32, u32)>) {
        let mut degrees = vec![[0; 2]; words.len() + 1];
        for (head, dependent) in arcs {
            degrees[head as usize][0] += 1;
            degrees[dependent as usize][1] += 1;
            let pair = self.pairs.entry((tag(words, head), tag(words, dependent))).or_default();
            let (longest, length) = reach(pair, head, dependent);
            *longest = length.max(*longest);
        }
        for (word, degree) in degrees.into_iter().enumerate() {
            let tag = self.tags.entry(tag(words, word as u32)).or_default();
            tag.words += 1;
            tag.arguments = tag.arguments.max(degree[0]);
            tag.predicates = tag.predicates.max(degree[1]);
        }
    }

    /// Whether an arc is worth looking at. Arcs from the root are, if the tag ever was a top.
    pub fn allows(&self, words: &Words, head: u32, dependent: u32) -> bool {
        let (head_tag, dependent_tag) = (tag(words, head), tag(words, dependent));
        if self.frequent(head_tag).is_none() || self.frequent(dependent_tag).is_none() {
            return true;
        }
        let Some(mut pair) = self.pairs.get(&(head_tag, dependent_tag)).copied() else { return false };
        let (longest, length) = reach(&mut pair, head, dependent);
        head == 0 || (*longest > 0 && length <= *longest + SLACK)
    }

    /// The most arcs that a word may have on one side of it.
    pub fn limit(&self, words: &Words, word: u32, centre: Centre) -> usize {
        // The root has one tag for all sentences, and no limit but the number of words.
        let tag = self.frequent(tag(words, word)).filter(|_| word != 0);
        tag.map_or(usize::MAX, |tag| match centre {
            Centre::Predicate => tag.arguments as usize,
            Centre::Argument => tag.predicates as usize,
        })
    }

    fn frequent(&self, tag: u32) -> Option<&Tag> {
        self.tags.get(&tag).filter(|tag| tag.words >= FREQUENT)
    }
}

/// How many words must have a tag before it is pruned.
const FREQUENT: u32 = 100;

/// How much longer than any arc of the training data an arc may be.
const SLACK: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_graph::Sentence;

    fn words(tags: &[&str]) -> Words {
        let mut sentence = Sentence::from_forms(tags.iter().copied());
        sentence.tokens.iter_mut().zip(tags).for_each(|(token, tag)| token.xpos = (*tag).into());
        let mut words = Words::default();
        words.fill(&sentence, false);
        words
    }

    #[test]
    fn what_was_never_linked_is_pruned() {
        let mut pruning = Pruning::default();
        let sentence = words(&["DT", "NN", "VB", "NN"]);
        pruning.learn(&sentence, [(0, 3), (3, 2), (3, 4), (2, 1)].into_iter());
        // Once is not enough.
        assert!(pruning.allows(&sentence, 1, 2) && pruning.limit(&sentence, 1, Centre::Predicate) > 1);
        for _ in 1..FREQUENT {
            pruning.learn(&sentence, [(0, 3), (3, 2), (3, 4), (2, 1)].into_iter());
        }
        let seen = words(&["NN", "DT", "NN", "VB", "XX"]);
        // DT never was a head, NN never a head to its right; XX is new.
        assert!(!pruning.allows(&seen, 2, 3) && !pruning.allows(&seen, 1, 2));
        assert!(pruning.allows(&seen, 3, 2) && pruning.allows(&seen, 5, 2) && pruning.allows(&seen, 2, 5));
        assert!(pruning.allows(&seen, 0, 4) && !pruning.allows(&seen, 0, 1));
        assert_eq!(pruning.limit(&seen, 4, Centre::Predicate), 2);
        assert_eq!(pruning.limit(&seen, 2, Centre::Predicate), 0);
        assert_eq!(pruning.limit(&seen, 1, Centre::Argument), 1);
        assert_eq!(pruning.limit(&seen, 5, Centre::Predicate), usize::MAX);
        let stored = serde_json::to_string(&pruning).unwrap();
        assert_eq!(serde_json::from_str::<Pruning>(&stored).unwrap(), pruning);
    }
}
