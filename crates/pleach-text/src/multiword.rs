//! Multiword tokens: which tokens stand for several words, and for which ones.
//!
//! A way to split says for every word where it comes from: it is a stretch of the token (counted from either end), or
//! a text of its own (`zum` is `zu` `dem`). The ways of the training data are the labels of a tagger over the tokens;
//! the first label is "one word".

use crate::forms::Forms;
use crate::labelling::search::Memory;
use crate::labelling::{Keys, Labelling};
use crate::lemmatizer::frequent_first;
use crate::stage::{Example, Stage};
use crate::surface::{self, Surface};
use pleach_graph::{Sentence, Text};
use pleach_linear::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One word of a multiword token.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Part {
    /// So many characters from where the word before ended.
    Take(u8),
    /// All but the last so many characters.
    AllBut(u8),
    /// A text that is not in the token, in place of what is left; written in capitals if the token is.
    Text(Text),
}

/// A way to split a token.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Split {
    parts: Vec<Part>,
    /// What the token has to end with, in small letters; the whole token where parts are not taken from it.
    ending: Text,
}

/// What the stage knows apart from its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splitter {
    splits: Vec<Split>,
}

fn small(text: &str) -> Text {
    text.chars().map(crate::characters::lower).collect()
}

impl Split {
    /// The way that a token was split in a treebank.
    fn between(form: &str, words: &[&str]) -> Split {
        let length = |text: &str| text.chars().count();
        let lengths: Vec<usize> = words.iter().map(|word| length(word)).collect();
        let short = lengths[1..].iter().sum::<usize>() < 256;
        if short && words.concat() == form {
            // The first word takes what the others leave: `do n't`, `could n't`.
            let tail: usize = lengths[1..].iter().sum();
            let mut parts = vec![Part::AllBut(tail as u8)];
            parts.extend(lengths[1..].iter().map(|&length| Part::Take(length as u8)));
            let ending = form.chars().skip(length(form) - tail).collect::<Text>();
            return Split { parts, ending: small(&ending) };
        }
        let first = words[0];
        let shared = form.starts_with(first) && length(first) < length(form);
        if shared && length(form) - length(first) < 256 {
            // The first word is the start of the token, the others are texts: `dar me lo`.
            let left = length(form) - length(first);
            let mut parts = vec![Part::AllBut(left as u8)];
            parts.extend(words[1..].iter().map(|word| Part::Text(small(word))));
            let ending: Text = form.chars().skip(length(first)).collect();
            return Split { parts, ending: small(&ending) };
        }
        Split { parts: words.iter().map(|word| Part::Text(small(word))).collect(), ending: small(form) }
    }

    /// The words of a token; `None` when it can't be split so.
    fn apply(&self, form: &str) -> Option<Vec<Text>> {
        let whole = matches!(self.parts.first(), Some(Part::Text(_)));
        let lower = small(form);
        if !lower.ends_with(self.ending.as_str()) || (whole && lower != self.ending) {
            return None;
        }
        let characters: Vec<char> = form.chars().collect();
        let capitals = form.chars().any(char::is_uppercase) && !form.chars().any(char::is_lowercase);
        let title = characters.first().is_some_and(|c| c.is_uppercase());
        let mut at = 0;
        let mut words = Vec::with_capacity(self.parts.len());
        for (number, part) in self.parts.iter().enumerate() {
            let end = match part {
                Part::Take(count) => at + usize::from(*count),
                Part::AllBut(count) => characters.len().checked_sub(usize::from(*count))?,
                Part::Text(text) => {
                    words.push(match () {
                        () if capitals && characters.len() > 1 => text.to_uppercase(),
                        () if title && number == 0 => {
                            let mut rest = text.chars();
                            rest.next()
                                .into_iter()
                                .flat_map(char::to_uppercase)
                                .chain(rest.as_str().chars())
                                .collect()
                        }
                        () => text.clone(),
                    });
                    continue;
                }
            };
            let word: Text = characters.get(at..end)?.iter().collect();
            at = end;
            words.push(word);
        }
        (words.len() > 1 && words.iter().all(|word| !word.is_empty())).then_some(words)
    }
}

impl Splitter {
    /// Whether the training data had multiword tokens.
    pub fn is_empty(&self) -> bool {
        self.splits.is_empty()
    }

    /// The words of every token of a sentence; none for a token that is a word.
    pub fn split<'a>(
        &self,
        table: Table<'_>,
        tokens: impl Iterator<Item = &'a str> + Clone,
        memory: &mut Memory<()>,
    ) -> Vec<Vec<Text>> {
        let splitting = Splitting::new(self, tokens.clone());
        let labels = memory.label(&splitting, table, 1);
        let split = |label: &u16, form: &str| {
            let way = usize::from(*label).checked_sub(1).and_then(|number| self.splits.get(number));
            way.and_then(|way| way.apply(form)).unwrap_or_default()
        };
        labels.iter().zip(tokens).map(|(label, form)| split(label, form)).collect()
    }
}

/// How a treebank splits a token; `None` for a word.
fn split_of(sentence: &Sentence, token: &Surface<'_>) -> Option<Split> {
    let words = sentence.tokens[token.words.clone()].iter().filter(|token| !token.id.is_empty_node());
    let words: Vec<&str> = words.map(|token| token.form.as_str()).collect();
    (token.multiword && words.len() > 1).then(|| Split::between(token.form, &words))
}

impl Stage for Splitter {
    const NAME: &'static str = "multiword";

    type History = ();

    type Sequence<'a> = Splitting<'a>;

    fn new(sentences: &[Sentence]) -> Self {
        let mut counts: BTreeMap<Split, usize> = BTreeMap::new();
        for sentence in sentences {
            for split in surface::tokens(sentence).iter().filter_map(|token| split_of(sentence, token)) {
                *counts.entry(split).or_default() += 1;
            }
        }
        Splitter { splits: frequent_first(counts) }
    }

    fn labels(&self) -> usize {
        self.splits.len() + 1
    }

    fn examples(&self, sentences: &[Sentence]) -> Vec<Example<Splitting<'_>>> {
        let numbers: BTreeMap<&Split, u16> =
            self.splits.iter().enumerate().map(|(number, split)| (split, number as u16 + 1)).collect();
        let example = |sentence: &Sentence| {
            let tokens = surface::tokens(sentence);
            let label = |token: &Surface<'_>| {
                split_of(sentence, token).and_then(|split| numbers.get(&split).copied()).unwrap_or_default()
            };
            let gold = tokens.iter().map(label).collect();
            let sequence = Splitting::new(self, tokens.iter().map(|token| token.form));
            Example { sequence, gold, words: tokens.len() }
        };
        sentences.iter().map(example).collect()
    }
}

/// The tokens of a sentence, to be split.
#[derive(Debug)]
pub struct Splitting<'a> {
    splitter: &'a Splitter,
    forms: Forms,
    /// For every token, the ways that apply.
    ways: Vec<Vec<u16>>,
}

impl<'a> Splitting<'a> {
    fn new<'b>(splitter: &'a Splitter, tokens: impl Iterator<Item = &'b str> + Clone) -> Self {
        let of = |form: &str| {
            let lower = small(form);
            let candidates = splitter
                .splits
                .iter()
                .enumerate()
                .filter(|(_, way)| lower.ends_with(way.ending.as_str()) && way.apply(form).is_some());
            candidates.map(|(number, _)| number as u16 + 1).collect()
        };
        let ways: Vec<Vec<u16>> = tokens.clone().map(of).collect();
        // In most sentences no token can be split, and nothing is looked at.
        let forms = match ways.iter().all(Vec::is_empty) {
            true => Forms::default(),
            false => Forms::new(tokens),
        };
        Splitting { splitter, forms, ways }
    }
}

impl Labelling for Splitting<'_> {
    type History = ();

    fn len(&self) -> usize {
        self.ways.len()
    }

    fn labels(&self) -> usize {
        self.splitter.splits.len() + 1
    }

    fn only(&self, place: usize, (): &()) -> Option<u16> {
        self.ways[place].is_empty().then_some(0)
    }

    fn allowed(&self, place: usize, label: u16) -> bool {
        label == 0 || self.ways[place].contains(&label)
    }

    fn local(&self, place: usize, keys: &mut Keys) {
        let word = |offset| self.forms.at(place, offset);
        let this = word(0);
        keys.add([]);
        keys.add([this.form]);
        keys.add([this.lower]);
        for suffix in this.suffixes {
            keys.add([suffix]);
        }
        keys.add([this.shape]);
        keys.add([this.prefixes[0], this.suffixes[1]]);
        keys.add([this.lower, word(-1).lower]);
        keys.add([this.lower, word(1).lower]);
        keys.add([this.lower, word(1).suffixes[1]]);
        keys.add([this.suffixes[2], word(1).suffixes[2]]);
        keys.add([this.suffixes[1], word(-1).lower]);
    }
}
