//! Words whose attributes are hashed already, as all scorers of parsers get them, to the ids of embeddings.

use super::settings::{Settings, Source, Table};
use super::vocabulary::{Features, ROOT, UNKNOWN, Vocabulary, character, hash, push_ids};
use crate::kernel::embedding::Bags;
use crate::random::mix;
use pleach_graph::Node;
use pleach_graph::words::{Attribute, Words};
use std::collections::HashMap;

/// Characters beyond this place in a word are not looked at.
const LONGEST: usize = 24;

/// Gives the hashes of what a source says of a word.
fn values(source: Source, words: &Words, word: Node, mut give: impl FnMut(u64)) {
    let get = |attribute| mix(u64::from(words.get(word, attribute)));
    match source {
        Source::Form => give(get(Attribute::Form)),
        Source::Lower => give(get(Attribute::Lower)),
        Source::Lemma => give(get(Attribute::Lemma)),
        Source::Upos => give(get(Attribute::Coarse)),
        Source::Xpos => give(get(Attribute::Tag)),
        Source::Tags => give(get(Attribute::Coarse) ^ mix(get(Attribute::Tag))),
        Source::Morphology => give(get(Attribute::Feats)),
        Source::Features => {
            words.feats(word).split('|').filter(|feature| !feature.is_empty()).for_each(|f| give(hash(f)));
        }
        Source::Prefix => give(get(Attribute::Prefix3)),
        Source::Suffix => give(get(Attribute::Suffix3)),
        Source::Shape => give(get(Attribute::Shape)),
    }
}

impl Vocabulary {
    /// What the words of a training set make known.
    pub fn of_words(settings: &Settings, sentences: &mut dyn Iterator<Item = &Words>) -> Self {
        let mut counts: Vec<HashMap<u32, u32>> = vec![HashMap::new(); settings.inputs.len()];
        for words in sentences {
            for word in 1..=words.len() as Node {
                for (input, counts) in settings.inputs.iter().zip(&mut counts) {
                    if matches!(input.table, Table::Known { .. }) {
                        values(input.source, words, word, |hash| {
                            *counts.entry(hash as u32).or_default() += 1
                        });
                    }
                }
            }
        }
        Vocabulary::counted(settings, counts)
    }

    /// The words of a sentence as a network sees them, without vectors of the caller's.
    pub fn features_of_words(&self, settings: &Settings, words: &Words) -> Features {
        let nodes = words.len() + 1;
        let ids = settings.inputs.iter().zip(self.known()).map(|(input, known)| {
            let mut bags = Bags::default();
            bags.push([ROOT]);
            let mut ids = Vec::new();
            for word in 1..nodes as Node {
                ids.clear();
                values(input.source, words, word, |hash| push_ids(input, known, hash, &mut ids));
                if ids.is_empty() {
                    ids.push(UNKNOWN);
                }
                bags.push(ids.iter().copied());
            }
            bags
        });
        let ids = ids.collect();
        let (mut characters, mut spelling) = (Bags::default(), Vec::new());
        if let Some(settings) = settings.characters {
            characters.push([ROOT]);
            spelling.push(0);
            for word in 1..nodes as Node {
                let form = words.form(word);
                characters.push(form.chars().take(LONGEST).map(|c| character(settings, c)));
                spelling.push(hash(form));
            }
        }
        Features { nodes, ids, characters, spelling, ..Features::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Characters, Input};
    use super::*;
    use pleach_graph::Sentence;

    /// Words that differ in nothing but what is looked at get other ids, all others the same ones.
    #[test]
    fn ids_follow_what_is_looked_at() {
        let mut sentence = Sentence::from_forms(["Cats", "cats", "dogs", "cats"]);
        sentence.tokens[1].upos = "NOUN".into();
        sentence.tokens[3].upos = "VERB".into();
        sentence.tokens[1].feats = "A=1|B=2".into();
        sentence.tokens[2].feats = "B=2".into();
        let words = Words::of(&sentence, None, false);
        let input = |source| Input { source, width: 2, table: Table::Known { at_least: 1 } };
        let settings = Settings {
            inputs: [Source::Lower, Source::Upos, Source::Features].map(input).to_vec(),
            characters: Some(Characters { buckets: 200, width: 4, radius: 1, output: 4 }),
            ..Settings::default()
        };
        let vocabulary = Vocabulary::of_words(&settings, &mut [&words].into_iter());
        let features = vocabulary.features_of_words(&settings, &words);
        let ids = |input: usize, node: usize| features.ids[input].get(node).to_vec();
        assert_eq!(ids(0, 1), ids(0, 2));
        assert_ne!(ids(0, 2), ids(0, 3));
        assert_ne!(ids(1, 2), ids(1, 4));
        assert_eq!((ids(2, 2).len(), ids(2, 3).len(), ids(2, 1)), (2, 1, vec![UNKNOWN]));
        assert!(ids(2, 2).contains(&ids(2, 3)[0]));
        assert_eq!(features.spelling[2], features.spelling[4]);
        assert_ne!(features.spelling[1], features.spelling[2]);
    }
}
