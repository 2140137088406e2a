//! Words that labels name: which parts of `obl:because_of` are words, and whether the sentence has them.
//!
//! A model learns rare labels as they are (`advcl:when`), and then gives them to sentences without a "when". A part of a label is a word when it nearly always is one in the treebank; everything else is a subtype (`nmod:poss`).

use super::lexical::{word_parts, words_role};
use super::path::SEPARATOR;
use crate::{Arc, Graph, Sentence, Text};
use std::collections::BTreeSet;

/// The letters of a sentence's words and lemmas, in lower case, cut where anything else stands between them.
#[derive(Debug, Default)]
pub struct SentenceWords(BTreeSet<String>);

impl SentenceWords {
    /// The words of a sentence.
    pub fn new(sentence: &Sentence) -> Self {
        let texts = sentence.tokens.iter().flat_map(|token| [token.form.as_str(), token.lemma.as_str()]);
        SentenceWords(texts.flat_map(word_parts).collect())
    }

    /// Whether all the words that a part of a label names are there.
    pub fn name(&self, part: &str) -> bool {
        part.split('_').all(|word| self.0.contains(word))
    }
}

/// The parts of a label that may name words: what follows the relation in `obl:because_of` and `conj:and>obl:in`.
pub fn label_parts(label: &str) -> impl Iterator<Item = &str> {
    let relations = label.split(SEPARATOR).filter(|relation| words_role(relation).is_some());
    relations.flat_map(|relation| relation.split(':').skip(1)).filter(|part| !part.starts_with('['))
}

/// The graph without the words in its labels that the sentence hasn't: `words` are those parts of labels that name
/// words. A placeholder takes their place, if there are to be any, else they go.
pub fn without_absent_words(
    sentence: &Sentence,
    words: impl Fn(&str) -> bool,
    placeholders: bool,
) -> Option<Graph> {
    let mut there: Option<SentenceWords> = None;
    let mut absent =
        |part: &str| words(part) && !there.get_or_insert_with(|| SentenceWords::new(sentence)).name(part);
    let mut changed = false;
    let graph = &sentence.graph;
    let arcs = graph.arcs().iter().map(|arc| match label_parts(&arc.label).any(&mut absent) {
        false => arc.clone(),
        true => {
            changed = true;
            let label = relabelled(&arc.label, &mut absent, placeholders);
            Arc { head: arc.head, dependent: arc.dependent, label }
        }
    });
    let arcs: Vec<Arc> = arcs.collect();
    changed.then(|| Graph::from_arcs(graph.len(), arcs))
}

fn relabelled(label: &str, absent: &mut impl FnMut(&str) -> bool, placeholders: bool) -> Text {
    let mut text = Text::default();
    for (number, relation) in label.split(SEPARATOR).enumerate() {
        if number > 0 {
            text.push(SEPARATOR);
        }
        let role = words_role(relation);
        for (number, part) in relation.split(':').enumerate() {
            let word = number > 0 && role.is_some() && !part.starts_with('[') && absent(part);
            match (word, &role) {
                (true, Some(placeholder)) if placeholders => {
                    text.push(':');
                    text.push_str(placeholder);
                }
                (true, _) => {}
                (false, _) => {
                    if number > 0 {
                        text.push(':');
                    }
                    text.push_str(part);
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{deps, sentence};
    use super::super::lexicalise;
    use super::*;

    #[test]
    fn parts_that_may_be_words() {
        let parts = |label| label_parts(label).collect::<Vec<_>>();
        assert_eq!(parts("conj:and>obl:in"), ["and", "in"]);
        assert_eq!(parts("obl:arg:because_of"), ["arg", "because_of"]);
        assert_eq!(parts("obl:[case]"), [""; 0]);
        assert_eq!(parts("nsubj:pass"), [""; 0]);
    }

    #[test]
    fn labels_name_words_of_the_sentence_only() {
        let lines = "1 left 0:root
                     2 after/after 3:mark
                     3 ate/eat 1:advcl:when
                     4 Bob 3:obl:in:loc
                     5 &/and 6:cc
                     6 Al 4:conj:and|3:nmod:poss";
        let words = |part: &str| ["when", "in", "and"].contains(&part);
        let mut s = sentence(lines);
        s.graph = without_absent_words(&s, words, true).unwrap();
        s.graph = lexicalise(&s);
        let expected = ["3 1:advcl:after", "4 3:obl:loc", "5 6:cc", "6 3:nmod:poss|4:conj:and"];
        assert_eq!(deps(&s)[2..], expected);
        assert_eq!(without_absent_words(&s, words, true), None);
        let mut s = sentence(lines);
        s.graph = without_absent_words(&s, words, false).unwrap();
        assert_eq!(deps(&s)[2..4], ["3 1:advcl", "4 3:obl:loc"]);
    }
}
