//! The part-of-speech tagger: a linear-chain global linear model (the LGLM of `sun-2019`, section 5.6) over pairs of
//! UPOS and XPOS, with the two tags before a word as its history.

use crate::forms::Forms;
use crate::labelling::search::Memory;
use crate::labelling::{Keys, Labelling};
use crate::stage::{Annotate, Example, Stage};
use crate::sure::Sure;
use pleach_graph::words::hash;
use pleach_graph::{Sentence, Text, Token};
use pleach_linear::scoring::Rows;
use pleach_linear::table::Table;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a tagger knows apart from its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tagger {
    /// The tags: UPOS and XPOS.
    tags: Vec<(Text, Text)>,
    /// Forms that have one tag.
    #[serde(default, skip_serializing_if = "Sure::is_empty")]
    sure: Sure,
}

impl Tagger {
    /// The number of a word's tags.
    fn number(&self, token: &Token) -> u16 {
        let place = self.tags.binary_search_by(|(upos, xpos)| (upos, xpos).cmp(&(&token.upos, &token.xpos)));
        place.unwrap_or_default() as u16
    }
}

impl Annotate for Tagger {
    fn given(sentence: &Sentence) -> bool {
        words([sentence]).all(|token| !token.upos.is_empty() || !token.xpos.is_empty())
    }

    fn annotate(
        &self,
        table: Table<'_>,
        sentence: &mut Sentence,
        beam: usize,
        forms: &mut Forms,
        memory: &mut Memory<(u16, u16)>,
    ) {
        forms.read(sentence);
        let labels = memory.label(&Tagging { tagger: self, forms: Cow::Borrowed(forms) }, table, beam);
        for (token, &label) in words_mut(sentence).zip(labels) {
            if let Some((upos, xpos)) = self.tags.get(usize::from(label)) {
                (token.upos, token.xpos) = (upos.clone(), xpos.clone());
            }
        }
    }

    fn known(&self, table: Table<'_>, sentence: &Sentence) -> Option<(usize, usize)> {
        let tagging = Tagging { tagger: self, forms: Cow::Owned(Forms::of(sentence)) };
        let (mut keys, mut found) = (Keys::default(), Vec::new());
        let (mut known, mut all) = (0, 0);
        for (place, token) in words([sentence]).enumerate() {
            if !token.form.chars().all(char::is_alphabetic) {
                continue;
            }
            all += 1;
            // The second and the third feature are the form as it is written and in small letters.
            table.add(&keys.local(&tagging, place)[1..3], &mut found, &mut []);
            known += usize::from(!found.is_empty() || tagging.only(place, &(0, 0)).is_some());
        }
        Some((known, all))
    }
}

impl Stage for Tagger {
    const NAME: &'static str = "tagger";

    type History = (u16, u16);

    type Sequence<'a> = Tagging<'a>;

    fn new(sentences: &[Sentence]) -> Self {
        let tags: BTreeSet<(&Text, &Text)> =
            words(sentences).map(|token| (&token.upos, &token.xpos)).collect();
        let tags = tags.into_iter().map(|(upos, xpos)| (upos.clone(), xpos.clone())).collect();
        Tagger { tags, sure: Sure::default() }
    }

    fn with_sure(mut self, sentences: &[Sentence], least: usize) -> Self {
        let seen = words(sentences).map(|token| (hash::text(&token.form), self.number(token)));
        self.sure = Sure::count(seen, least);
        self
    }

    fn labels(&self) -> usize {
        self.tags.len()
    }

    fn examples(&self, sentences: &[Sentence]) -> Vec<Example<Tagging<'_>>> {
        // What is sure is right: labels that the search could never give would only confuse it.
        let label =
            |token: &Token| self.sure.get(hash::text(&token.form)).unwrap_or_else(|| self.number(token));
        let example = |sentence: &Sentence| {
            let sequence = Tagging { tagger: self, forms: Cow::Owned(Forms::of(sentence)) };
            Example { words: sequence.len(), sequence, gold: words([sentence]).map(label).collect() }
        };
        sentences.iter().map(example).collect()
    }
}

/// The words of sentences, empty nodes left out.
pub(crate) fn words<'a>(
    sentences: impl IntoIterator<Item = &'a Sentence>,
) -> impl Iterator<Item = &'a Token> {
    sentences.into_iter().flat_map(|sentence| &sentence.tokens).filter(|token| !token.id.is_empty_node())
}

/// The words of a sentence, empty nodes left out.
pub(crate) fn words_mut(sentence: &mut Sentence) -> impl Iterator<Item = &mut Token> {
    sentence.tokens.iter_mut().filter(|token| !token.id.is_empty_node())
}

/// A sentence to be tagged.
#[derive(Debug)]
pub struct Tagging<'a> {
    tagger: &'a Tagger,
    forms: Cow<'a, Forms>,
}

impl Labelling for Tagging<'_> {
    /// The two tags before, the nearer one first, counted from 1.
    type History = (u16, u16);

    fn len(&self) -> usize {
        self.forms.len()
    }

    fn labels(&self) -> usize {
        self.tagger.tags.len()
    }

    fn only(&self, place: usize, _: &(u16, u16)) -> Option<u16> {
        self.tagger.sure.get(self.forms.at(place, 0).form)
    }

    fn local(&self, place: usize, keys: &mut Keys) {
        let forms = &*self.forms;
        let w = |offset| forms.at(place, offset);
        let this = w(0);
        let shouted = u32::from(forms.shouted);
        let first = u32::from(place == 0) << 1 | shouted;
        keys.add([]);
        keys.add([this.form]);
        keys.add([this.plain]);
        for suffix in this.suffixes {
            keys.add([suffix]);
        }
        for prefix in &this.prefixes[..4] {
            keys.add([*prefix]);
        }
        keys.add([this.shape, first]);
        keys.add([this.marks, first]);
        keys.add([this.marks, this.suffixes[2], shouted]);
        keys.add([this.shape, this.suffixes[1], first]);
        keys.add([w(-1).plain]);
        keys.add([w(1).plain]);
        keys.add([w(-2).plain]);
        keys.add([w(2).plain]);
        keys.add([w(-1).plain, this.plain]);
        keys.add([this.plain, w(1).plain]);
        keys.add([w(-1).plain, w(1).plain]);
        keys.add([w(-2).plain, w(-1).plain]);
        keys.add([w(1).plain, w(2).plain]);
        keys.add([w(-1).suffixes[2], this.suffixes[2]]);
        keys.add([this.suffixes[2], w(1).suffixes[2]]);
        keys.add([w(1).suffixes[2]]);
        keys.add([w(1).shape, this.shape]);
        keys.add([w(-1).shape, this.shape]);
        keys.add([w(1).shape, this.plain]);
    }

    fn historic(&self, place: usize, &(last, before): &(u16, u16), keys: &mut Keys) {
        let forms = &*self.forms;
        let w = |offset| forms.at(place, offset);
        let (t, tt) = (u32::from(last), u32::from(last) << 16 | u32::from(before));
        keys.add([t]);
        keys.add([tt]);
        keys.add([t, w(0).plain]);
        keys.add([t, w(1).plain]);
        keys.add([t, w(-1).plain]);
        keys.add([t, w(0).suffixes[2]]);
        keys.add([t, w(0).suffixes[1], w(1).suffixes[1]]);
        keys.add([t, w(0).shape]);
        keys.add([tt, w(0).suffixes[2]]);
        keys.add([tt, w(0).plain]);
    }

    fn next(&self, _: usize, (last, _): (u16, u16), label: u16) -> (u16, u16) {
        (label + 1, last)
    }
}

/// A tag as a feature value.
pub(crate) fn value(tag: &str) -> u32 {
    hash::text(tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::treebank;
    use crate::stage::fit;

    #[test]
    fn words_are_tagged_by_form_and_neighbours() {
        let sentences = treebank();
        let tagger = Tagger::new(&sentences);
        let weights = fit(&tagger, &sentences, 3);
        for gold in &sentences {
            let mut found = gold.clone();
            found.tokens.iter_mut().for_each(|token| token.upos = "".into());
            tagger.annotate(weights.table(), &mut found, 3, &mut Forms::default(), &mut Memory::default());
            assert!(
                found.tokens.iter().map(|token| &token.upos).eq(gold.tokens.iter().map(|token| &token.upos))
            );
        }
        let seen = tagger.known(weights.table(), &sentences[0]);
        assert!(seen.is_some_and(|(known, all)| known > 0 && known <= all), "{seen:?}");
        let strange = Sentence::from_forms(["qwrtz", "漢字", "12", "."]);
        assert_eq!(tagger.known(weights.table(), &strange), Some((0, 2)), "numbers and marks say nothing");
        let mut none = Sentence::default();
        tagger.annotate(weights.table(), &mut none, 3, &mut Forms::default(), &mut Memory::default());
    }

    /// What is sure needs no weights, is the same in training, and counts as known.
    #[test]
    fn sure_words_keep_their_tag() {
        let sentences = treebank();
        let tagger = Tagger::new(&sentences).with_sure(&sentences, 2);
        let empty = Table::new(&[], &[], 1.0);
        let (mut found, mut sure) = (sentences[0].clone(), 0);
        tagger.annotate(empty, &mut found, 3, &mut Forms::default(), &mut Memory::default());
        for (found, gold) in found.tokens.iter().zip(&sentences[0].tokens) {
            if let Some(label) = tagger.sure.get(hash::text(&gold.form)) {
                sure += 1;
                assert_eq!((&found.upos, label), (&gold.upos, tagger.number(gold)));
            }
        }
        assert!(sure > 0 && tagger.known(empty, &sentences[0]).is_some_and(|(known, _)| known > 0));
        // A mistake of the treebank is not learnt.
        let like = sentences[0].tokens.iter().find(|token| token.form == "like").cloned().unwrap();
        let label = tagger.number(&like);
        let tokens = vec![Token { upos: "X".into(), ..like }];
        let wrong = Sentence { tokens, ..Sentence::default() };
        assert_ne!(tagger.number(&wrong.tokens[0]), label);
        assert_eq!(tagger.examples(&[wrong])[0].gold, [label]);
    }
}
