//! Morphological features: one of the FEATS cells of the training data for every word, by its form, tags and neighbours.

use crate::forms::{Form, Forms};
use crate::labelling::search::Memory;
use crate::labelling::{Keys, Labelling};
use crate::stage::{Annotate, Example, Stage};
use crate::sure::Sure;
use crate::tagger::{value, words, words_mut};
use pleach_graph::words::hash;
use pleach_graph::{Sentence, Text, Token};
use pleach_linear::table::Table;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What the stage knows apart from its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Morphology {
    /// The FEATS cells, sorted.
    cells: Vec<Text>,
    /// Which of them a pair of tags was seen with, sorted by tags: nothing else is asked for.
    seen: Vec<(Text, Text, Vec<u16>)>,
    /// Forms in small letters, with their tags, that have one cell.
    #[serde(default, skip_serializing_if = "Sure::is_empty")]
    sure: Sure,
}

/// The tags of a word as one value.
fn tags(token: &Token) -> u32 {
    value(&token.upos) ^ value(&token.xpos).rotate_left(7)
}

/// A form with its tags.
fn tagged(lower: u32, tags: u32) -> u32 {
    (hash::finish(hash::mix(hash::seed(lower), tags)) >> 32) as u32
}

impl Morphology {
    /// The number of a word's cell.
    fn number(&self, token: &Token) -> u16 {
        self.cells.binary_search(&token.feats).unwrap_or_default() as u16
    }

    /// The cells that a pair of tags was seen with; all when it was never seen.
    fn seen_with(&self, upos: &Text, xpos: &Text) -> &[u16] {
        let place = self.seen.binary_search_by(|(u, x, _)| (u, x).cmp(&(upos, xpos)));
        place.map_or(&[], |place| &self.seen[place].2)
    }
}

impl Annotate for Morphology {
    /// Many words have no features, so those of one word are enough to see that they are given.
    fn given(sentence: &Sentence) -> bool {
        words([sentence]).any(|token| !token.feats.is_empty())
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
        let labels = memory.label(&Cells::new(self, sentence, Cow::Borrowed(forms)), table, 1);
        for (token, &label) in words_mut(sentence).zip(labels) {
            token.feats = self.cells.get(usize::from(label)).cloned().unwrap_or_default();
        }
    }
}

impl Stage for Morphology {
    const NAME: &'static str = "morphology";

    type History = ();

    type Sequence<'a> = Cells<'a>;

    fn new(sentences: &[Sentence]) -> Self {
        let cells: BTreeSet<&Text> = words(sentences).map(|token| &token.feats).collect();
        let cells: Vec<Text> = cells.into_iter().take(usize::from(u16::MAX)).cloned().collect();
        let mut morphology = Morphology { cells, seen: Vec::new(), sure: Sure::default() };
        let mut seen: BTreeMap<(&Text, &Text), BTreeSet<u16>> = BTreeMap::new();
        for token in words(sentences) {
            seen.entry((&token.upos, &token.xpos)).or_default().insert(morphology.number(token));
        }
        let row = |((upos, xpos), cells): ((&Text, &Text), BTreeSet<u16>)| {
            (upos.clone(), xpos.clone(), cells.into_iter().collect())
        };
        morphology.seen = seen.into_iter().map(row).collect();
        morphology
    }

    fn with_sure(mut self, sentences: &[Sentence], least: usize) -> Self {
        let mut small = String::new();
        let seen = words(sentences).map(|token| {
            let lower = Form::new(&token.form, &mut small).lower;
            (tagged(lower, tags(token)), self.number(token))
        });
        self.sure = Sure::count(seen, least);
        self
    }

    fn labels(&self) -> usize {
        self.cells.len()
    }

    fn examples(&self, sentences: &[Sentence]) -> Vec<Example<Cells<'_>>> {
        let example = |sentence: &Sentence| {
            let sequence = Cells::new(self, sentence, Cow::Owned(Forms::of(sentence)));
            // What is sure is right: labels that the search could never give would only confuse it.
            let label = |(place, token)| sequence.sure(place).unwrap_or_else(|| self.number(token));
            let gold = words([sentence]).enumerate().map(label).collect();
            Example { words: sequence.len(), sequence, gold }
        };
        sentences.iter().map(example).collect()
    }
}

/// A sentence whose words get features.
#[derive(Debug)]
pub struct Cells<'a> {
    morphology: &'a Morphology,
    forms: Cow<'a, Forms>,
    tags: Vec<u32>,
    seen: Vec<&'a [u16]>,
}

impl<'a> Cells<'a> {
    fn new(morphology: &'a Morphology, sentence: &Sentence, forms: Cow<'a, Forms>) -> Self {
        Cells {
            morphology,
            forms,
            tags: words([sentence]).map(tags).collect(),
            seen: words([sentence]).map(|token| morphology.seen_with(&token.upos, &token.xpos)).collect(),
        }
    }

    fn sure(&self, place: usize) -> Option<u16> {
        self.morphology.sure.get(tagged(self.forms.at(place, 0).lower, self.tags[place]))
    }

    fn tag(&self, place: usize, offset: isize) -> u32 {
        self.tags.get(place.wrapping_add_signed(offset)).copied().unwrap_or(1)
    }
}

impl Labelling for Cells<'_> {
    type History = ();

    fn len(&self) -> usize {
        self.tags.len()
    }

    fn labels(&self) -> usize {
        self.morphology.cells.len()
    }

    fn only(&self, place: usize, (): &()) -> Option<u16> {
        match self.seen[place] {
            [only] => Some(*only),
            _ => self.sure(place),
        }
    }

    fn allowed(&self, place: usize, label: u16) -> bool {
        self.seen[place].is_empty() || self.seen[place].binary_search(&label).is_ok()
    }

    fn local(&self, place: usize, keys: &mut Keys) {
        let forms = &*self.forms;
        let word = |offset| forms.at(place, offset);
        let tag = |offset| self.tag(place, offset);
        let this = word(0);
        keys.add([tag(0)]);
        keys.add([tag(0), this.lower]);
        for suffix in this.suffixes {
            keys.add([tag(0), suffix]);
        }
        keys.add([tag(0), this.shape]);
        keys.add([tag(0), this.prefixes[1]]);
        keys.add([tag(0), tag(-1)]);
        keys.add([tag(0), tag(1)]);
        keys.add([tag(0), word(-1).lower]);
        keys.add([tag(0), word(1).lower]);
        keys.add([tag(0), this.lower, word(-1).lower]);
        keys.add([tag(0), this.lower, word(1).lower]);
        keys.add([tag(0), tag(-1), word(-2).lower]);
        keys.add([tag(0), this.lower, tag(-1), tag(1)]);
        keys.add([tag(0), word(-1).lower, word(-2).lower]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{sentence, treebank};
    use crate::stage::fit;

    #[test]
    fn features_follow_form_and_tag() {
        let sentences = treebank();
        let morphology = Morphology::new(&sentences);
        let weights = fit(&morphology, &sentences, 1);
        let mut found = sentence("She//PRON likes//VERB me//PRON now//NEW");
        morphology.annotate(weights.table(), &mut found, 1, &mut Forms::default(), &mut Memory::default());
        let feats: Vec<&str> = found.tokens.iter().map(|token| token.feats.as_str()).collect();
        assert_eq!(feats[..3], ["Person=3", "Person=3", "Person=1"]);
    }
}
