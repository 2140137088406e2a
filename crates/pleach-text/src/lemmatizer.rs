//! The lemmatizer: chooses one of the edit rules of the training data for every word, by its form and tags.

use crate::edit::{Rule, Spellings};
use crate::forms::Forms;
use crate::labelling::search::Memory;
use crate::labelling::{Keys, Labelling};
use crate::stage::{Annotate, Example, Stage};
use crate::tagger::{value, words, words_mut};
use pleach_graph::{Sentence, Token};
use pleach_linear::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a lemmatizer knows apart from its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lemmatizer {
    rules: Vec<Rule>,
}

impl Annotate for Lemmatizer {
    fn given(sentence: &Sentence) -> bool {
        words([sentence]).all(|token| !token.lemma.is_empty())
    }

    fn annotate(&self, table: Table<'_>, sentence: &mut Sentence, _: usize, memory: &mut Memory<()>) {
        let labels = memory.label(&Lemmas::new(self, sentence), table, 1);
        let mut written = String::new();
        for (token, &label) in words_mut(sentence).zip(labels) {
            let rule = self.rules.get(usize::from(label));
            let lemma = rule.and_then(|rule| rule.apply(&token.form, &mut written));
            token.lemma = lemma.unwrap_or_else(|| token.form.clone());
        }
    }
}

impl Stage for Lemmatizer {
    const NAME: &'static str = "lemmatizer";

    type History = ();

    type Sequence<'a> = Lemmas<'a>;

    fn new(sentences: &[Sentence]) -> Self {
        let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
        // The rule that keeps the form applies to every word.
        counts.insert(Rule::between("a", "a"), 1);
        for token in words(sentences).filter(|token| !token.lemma.is_empty()) {
            *counts.entry(Rule::between(&token.form, &token.lemma)).or_default() += 1;
        }
        Lemmatizer { rules: frequent_first(counts) }
    }

    fn labels(&self) -> usize {
        self.rules.len()
    }

    fn examples(&self, sentences: &[Sentence]) -> Vec<Example<Lemmas<'_>>> {
        let numbers: BTreeMap<&Rule, u16> =
            self.rules.iter().enumerate().map(|(number, rule)| (rule, number as u16)).collect();
        let label = |token: &Token| {
            let lemma = if token.lemma.is_empty() { &token.form } else { &token.lemma };
            numbers.get(&Rule::between(&token.form, lemma)).copied().unwrap_or_default()
        };
        let example = |sentence: &Sentence| {
            let sequence = Lemmas::new(self, sentence);
            Example { words: sequence.len(), sequence, gold: words([sentence]).map(label).collect() }
        };
        sentences.iter().map(example).collect()
    }
}

/// The keys, the most frequent ones first; as many as there can be labels.
pub(crate) fn frequent_first<T: Ord>(counts: BTreeMap<T, usize>) -> Vec<T> {
    let mut counted: Vec<(T, usize)> = counts.into_iter().collect();
    counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counted.truncate(usize::from(u16::MAX) - 1);
    counted.into_iter().map(|(key, _)| key).collect()
}

/// A sentence to be lemmatized.
#[derive(Debug)]
pub struct Lemmas<'a> {
    lemmatizer: &'a Lemmatizer,
    forms: Forms,
    spellings: Vec<Spellings>,
    /// UPOS and XPOS of every word.
    tags: Vec<(u32, u32)>,
}

impl<'a> Lemmas<'a> {
    fn new(lemmatizer: &'a Lemmatizer, sentence: &Sentence) -> Self {
        Lemmas {
            lemmatizer,
            forms: Forms::new(
                words([sentence]).map(|token| token.form.as_str()).collect::<Vec<_>>().into_iter(),
            ),
            spellings: words([sentence]).map(|token| Spellings::new(&token.form)).collect(),
            tags: words([sentence]).map(|token| (value(&token.upos), value(&token.xpos))).collect(),
        }
    }
}

impl Labelling for Lemmas<'_> {
    type History = ();

    fn len(&self) -> usize {
        self.tags.len()
    }

    fn labels(&self) -> usize {
        self.lemmatizer.rules.len()
    }

    fn allowed(&self, place: usize, label: u16) -> bool {
        let rule = self.lemmatizer.rules.get(usize::from(label));
        rule.is_some_and(|rule| rule.applies(&self.spellings[place]))
    }

    fn local(&self, place: usize, keys: &mut Keys) {
        let word = self.forms.at(place, 0);
        let (upos, xpos) = self.tags[place];
        let capital = word.marks & 0b1001 | u32::from(self.forms.shouted) << 8;
        keys.add([upos, capital]);
        keys.add([xpos, capital]);
        keys.add([word.lower, xpos]);
        keys.add([word.lower, upos]);
        keys.add([word.form]);
        for suffix in word.suffixes {
            keys.add([suffix, xpos]);
        }
        for suffix in &word.suffixes[1..4] {
            keys.add([*suffix, upos, capital]);
        }
        keys.add([word.prefixes[0], word.suffixes[1], xpos]);
        keys.add([word.prefixes[2], upos]);
        keys.add([word.shape, xpos]);
        keys.add([word.lower, self.forms.at(place, -1).lower]);
        keys.add([word.lower, self.forms.at(place, 1).lower]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{sentence, treebank};
    use crate::stage::fit;

    #[test]
    fn rules_reach_unseen_words() {
        let sentences = treebank();
        let lemmatizer = Lemmatizer::new(&sentences);
        let weights = fit(&lemmatizer, &sentences, 1);
        let mut found = sentence("The//DET rats//NOUN ran//VERB ///PUNCT");
        lemmatizer.annotate(weights.table(), &mut found, 1, &mut Memory::default());
        let lemmas: Vec<&str> = found.tokens.iter().map(|token| token.lemma.as_str()).collect();
        assert_eq!(lemmas[..3], ["the", "rat", "run"]);
    }
}
