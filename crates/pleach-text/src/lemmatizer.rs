//! The lemmatizer: chooses one of the edit rules of the training data for every word, by its form and tags.

use crate::edit::Rule;
use crate::forms::Forms;
use crate::labelling::search::Memory;
use crate::labelling::{Keys, Labelling};
use crate::stage::{Annotate, Example, Stage};
use crate::sure::Sure;
use crate::tagger::{value, words, words_mut};
use pleach_graph::words::hash;
use pleach_graph::{Sentence, Token};
use pleach_linear::table::Table;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a lemmatizer knows apart from its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lemmatizer {
    rules: Vec<Rule>,
    /// Forms with their tags that have one rule.
    #[serde(default, skip_serializing_if = "Sure::is_empty")]
    sure: Sure,
}

/// A form with its tags.
fn tagged(form: u32, (upos, xpos): (u32, u32)) -> u32 {
    (hash::finish(hash::mix(hash::mix(hash::seed(form), upos), xpos)) >> 32) as u32
}

/// The tags of a word.
fn tags(token: &Token) -> (u32, u32) {
    (value(&token.upos), value(&token.xpos))
}

impl Lemmatizer {
    /// The number of every rule.
    fn numbers(&self) -> BTreeMap<&Rule, u16> {
        self.rules.iter().enumerate().map(|(number, rule)| (rule, number as u16)).collect()
    }

    /// The rule of a word; a word without a lemma keeps its form.
    fn rule(token: &Token) -> Rule {
        let lemma = if token.lemma.is_empty() { &token.form } else { &token.lemma };
        Rule::between(&token.form, lemma)
    }
}

impl Annotate for Lemmatizer {
    fn given(sentence: &Sentence) -> bool {
        words([sentence]).all(|token| !token.lemma.is_empty())
    }

    fn annotate(
        &self,
        table: Table<'_>,
        sentence: &mut Sentence,
        _: usize,
        forms: &mut Forms,
        memory: &mut Memory<()>,
    ) {
        forms.read(sentence);
        let labels = memory.label(&Lemmas::new(self, sentence, Cow::Borrowed(forms)), table, 1);
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
        Lemmatizer { rules: frequent_first(counts), sure: Sure::default() }
    }

    fn with_sure(mut self, sentences: &[Sentence], least: usize) -> Self {
        let numbers = self.numbers();
        let seen = words(sentences).filter_map(|token| {
            let rule = numbers.get(&Lemmatizer::rule(token)).copied()?;
            Some((tagged(value(&token.form), tags(token)), rule))
        });
        self.sure = Sure::count(seen, least);
        self
    }

    fn labels(&self) -> usize {
        self.rules.len()
    }

    fn examples(&self, sentences: &[Sentence]) -> Vec<Example<Lemmas<'_>>> {
        let numbers = self.numbers();
        let example = |sentence: &Sentence| {
            let sequence = Lemmas::new(self, sentence, Cow::Owned(Forms::of(sentence)));
            // What is sure is right: labels that the search could never give would only confuse it.
            let label = |(place, token)| {
                let rule = || numbers.get(&Lemmatizer::rule(token)).copied().unwrap_or_default();
                sequence.only(place, &()).unwrap_or_else(rule)
            };
            let gold = words([sentence]).enumerate().map(label).collect();
            Example { words: sequence.len(), sequence, gold }
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
    forms: Cow<'a, Forms>,
    /// UPOS and XPOS of every word.
    tags: Vec<(u32, u32)>,
}

impl<'a> Lemmas<'a> {
    fn new(lemmatizer: &'a Lemmatizer, sentence: &Sentence, forms: Cow<'a, Forms>) -> Self {
        Lemmas { lemmatizer, forms, tags: words([sentence]).map(tags).collect() }
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

    fn only(&self, place: usize, (): &()) -> Option<u16> {
        self.lemmatizer.sure.get(tagged(self.forms.at(place, 0).form, self.tags[place]))
    }

    fn allowed(&self, place: usize, label: u16) -> bool {
        let rule = self.lemmatizer.rules.get(usize::from(label));
        rule.is_some_and(|rule| rule.applies_to(self.forms.word(place)))
    }

    fn local(&self, place: usize, keys: &mut Keys) {
        let forms = &*self.forms;
        let word = forms.at(place, 0);
        let (upos, xpos) = self.tags[place];
        let capital = word.marks & 0b1001 | u32::from(forms.shouted) << 8;
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
        keys.add([word.lower, forms.at(place, -1).lower]);
        keys.add([word.lower, forms.at(place, 1).lower]);
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
        lemmatizer.annotate(weights.table(), &mut found, 1, &mut Forms::default(), &mut Memory::default());
        let lemmas: Vec<&str> = found.tokens.iter().map(|token| token.lemma.as_str()).collect();
        assert_eq!(lemmas[..3], ["the", "rat", "run"]);
    }
}
