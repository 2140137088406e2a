//! What can be said of words: the tags, features and lemma rules of a treebank, and how a row of scores becomes words' annotation.

use super::dictionary::{Dictionary, key};
use super::lemmas::{Lemmas, best_of};
use super::recipe::JointRecipe;
use crate::engine::Tags;
use pleach_graph::{Sentence, Text, Token};
use pleach_text::edit::Rule;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// All choices: tags, then features, then rules. What a treebank doesn't have is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Inventory {
    /// Pairs of UPOS and XPOS, sorted.
    tags: Vec<(Text, Text)>,
    /// FEATS cells, sorted.
    cells: Vec<Text>,
    /// Which cells each pair of tags was seen with, sorted; empty for any.
    seen: Vec<Vec<u16>>,
    /// The cells of forms with their tags.
    #[serde(default)]
    known_cells: Dictionary,
    #[serde(flatten)]
    lemmas: Lemmas,
}

/// What is to be written of a sentence's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub tags: bool,
    pub features: bool,
    pub lemmas: bool,
}

/// A form with both of its tags.
fn by_tags(form: &str, token: &Token) -> u32 {
    key(4, [form, &token.upos, &token.xpos])
}

/// The words of a sentence, empty nodes left out.
fn words<'a>(
    sentences: impl IntoIterator<Item = &'a Sentence, IntoIter: Clone>,
) -> impl Iterator<Item = &'a Token> + Clone {
    sentences.into_iter().flat_map(|sentence| &sentence.tokens).filter(|token| !token.id.is_empty_node())
}

impl Inventory {
    /// What the words of a treebank have, as far as a recipe asks for it.
    pub fn new(recipe: &JointRecipe, sentences: &[Sentence]) -> Self {
        let mut inventory = Inventory::default();
        if recipe.learns("tags") {
            let tags: BTreeSet<(&Text, &Text)> =
                words(sentences).map(|token| (&token.upos, &token.xpos)).collect();
            let tags = tags.into_iter().filter(|(upos, xpos)| !upos.is_empty() || !xpos.is_empty());
            inventory.tags = tags.map(|(upos, xpos)| (upos.clone(), xpos.clone())).collect();
        }
        if recipe.learns("features") && words(sentences).any(|token| !token.feats.is_empty()) {
            let cells: BTreeSet<&Text> = words(sentences).map(|token| &token.feats).collect();
            inventory.cells = cells.into_iter().cloned().collect();
            let mut seen = vec![BTreeSet::new(); inventory.tags.len()];
            for token in words(sentences) {
                if let (Some(tag), Some(cell)) = (inventory.tag(token), inventory.cell(token)) {
                    seen[tag].insert(cell as u16);
                }
            }
            let made = words(sentences)
                .filter_map(|token| Some((by_tags(&token.form, token), inventory.cell(token)? as u16)));
            inventory.known_cells = Dictionary::new(made);
            inventory.seen = seen.into_iter().map(|cells| cells.into_iter().collect()).collect();
        }
        if recipe.learns("lemmas") {
            inventory.lemmas = Lemmas::new(words(sentences));
        }
        inventory
    }

    fn tag(&self, token: &Token) -> Option<usize> {
        self.tags.binary_search_by(|(upos, xpos)| (upos, xpos).cmp(&(&token.upos, &token.xpos))).ok()
    }

    fn cell(&self, token: &Token) -> Option<usize> {
        self.cells.binary_search(&token.feats).ok()
    }

    /// The number of choices.
    pub fn len(&self) -> usize {
        self.rule_places().end
    }

    fn tag_places(&self) -> Range<usize> {
        0..self.tags.len()
    }

    fn cell_places(&self) -> Range<usize> {
        let start = self.tag_places().end;
        start..start + self.cells.len()
    }

    fn rule_places(&self) -> Range<usize> {
        let start = self.cell_places().end;
        start..start + self.lemmas.rules.len()
    }

    /// The questions about every word, as the places of their choices; none is empty.
    pub fn questions(&self) -> Vec<Range<usize>> {
        let all = [self.tag_places(), self.cell_places(), self.rule_places()];
        all.into_iter().filter(|places| !places.is_empty()).collect()
    }

    /// The right choices for the words of sentences, in the order of [`questions`](Self::questions); `None` where a word
    /// doesn't say.
    pub fn gold(&self, sentences: &[Sentence]) -> Vec<Vec<Option<u16>>> {
        let rules = self.lemmas.numbers();
        let of_sentence = |sentence: &Sentence| {
            let mut gold = Vec::new();
            for token in words([sentence]) {
                let mut push = |places: Range<usize>, place: Option<usize>| {
                    if !places.is_empty() {
                        gold.push(place.map(|place| (places.start + place) as u16));
                    }
                };
                push(self.tag_places(), self.tag(token));
                push(self.cell_places(), self.cell(token));
                let rule =
                    || rules.get(&Rule::between(&token.form, &token.lemma)).map(|&rule| usize::from(rule));
                push(self.rule_places(), Some(()).filter(|()| !token.lemma.is_empty()).and_then(|()| rule()));
            }
            gold
        };
        sentences.iter().map(of_sentence).collect()
    }

    /// What is to be written into a sentence: what it lacks, or all, or nothing, of what there is.
    pub fn wants(&self, sentence: &Sentence, tags: Tags) -> Wants {
        let wanted = |given: bool| match tags {
            Tags::Auto => !given,
            Tags::Given => false,
            Tags::Predicted => true,
        };
        let all = |has: fn(&Token) -> bool| words([sentence]).all(has);
        let tagged = all(|token| !token.upos.is_empty() || !token.xpos.is_empty());
        Wants {
            tags: wanted(tagged) && !self.tags.is_empty(),
            // Many words have no features, so those of one word are enough to see that they are given.
            features: wanted(!all(|token| token.feats.is_empty())) && !self.cells.is_empty(),
            lemmas: wanted(all(|token| !token.lemma.is_empty())) && !self.lemmas.rules.is_empty(),
        }
    }

    /// The features of a word whose tag is decided: of those that the treebank has for the form, else for the tag.
    fn features(&self, token: &Token, scores: &[f32]) -> Text {
        let small = token.form.to_lowercase();
        let keys = [by_tags(&token.form, token), by_tags(&small, token)];
        let key = keys.into_iter().find(|&key| self.known_cells.has(key));
        let known = key.and_then(|key| {
            let cells = self.known_cells.of(key).filter(|&cell| cell < scores.len());
            best_of(cells.map(|cell| (cell, scores[cell])))
        });
        let seen = self.tag(token).and_then(|tag| self.seen.get(tag)).filter(|seen| !seen.is_empty());
        let fits = |cell: usize| seen.is_none_or(|seen| seen.binary_search(&(cell as u16)).is_ok());
        let all = || best_of(scores.iter().copied().enumerate().filter(|&(cell, _)| fits(cell)));
        known.or_else(all).and_then(|best| self.cells.get(best)).cloned().unwrap_or_default()
    }

    /// Writes into a sentence what scores say of its words. `scores` gives the row of a word by its number, from 1; `is_word`
    /// says whether a word is known from elsewhere than the treebank.
    pub fn write(
        &self,
        sentence: &mut Sentence,
        wants: Wants,
        is_word: &dyn Fn(&str) -> bool,
        mut scores: impl FnMut(u16, &mut [f32]),
    ) {
        if wants == Wants::default() {
            return;
        }
        let mut row = vec![0.0; self.len()];
        let mut written = String::new();
        let tokens = sentence.tokens.iter_mut().filter(|token| !token.id.is_empty_node());
        for (number, token) in tokens.enumerate() {
            scores(number as u16 + 1, &mut row);
            if wants.tags {
                let best = best_of(row[self.tag_places()].iter().copied().enumerate());
                if let Some((upos, xpos)) = best.and_then(|best| self.tags.get(best)) {
                    (token.upos, token.xpos) = (upos.clone(), xpos.clone());
                }
            }
            if wants.features {
                token.feats = self.features(token, &row[self.cell_places()]);
            }
            if wants.lemmas {
                token.lemma = self.lemmas.choose(token, &row[self.rule_places()], is_word, &mut written);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(words: &[(&str, &str, &str, &str)]) -> Sentence {
        let mut sentence = Sentence::from_forms(words.iter().map(|word| word.0));
        for (token, word) in sentence.tokens.iter_mut().zip(words) {
            (token.upos, token.feats, token.lemma) = (word.1.into(), word.2.into(), word.3.into());
        }
        sentence
    }

    /// A row of scores that likes the gold choices gives the annotation back.
    #[test]
    fn what_is_learnt_is_written() {
        let gold = sentence(&[
            ("Cats", "NOUN", "Number=Plur", "cat"),
            ("ran", "VERB", "Tense=Past", "run"),
            ("off", "ADP", "", "off"),
        ]);
        let inventory = Inventory::new(&JointRecipe::default(), std::slice::from_ref(&gold));
        assert_eq!(inventory.questions().len(), 3);
        let choices = inventory.gold(std::slice::from_ref(&gold)).remove(0);
        assert_eq!(choices.len(), 9);
        let right = |word: u16, row: &mut [f32]| {
            row.fill(0.0);
            choices[usize::from(word - 1) * 3..][..3]
                .iter()
                .flatten()
                .for_each(|&choice| row[usize::from(choice)] = 1.0);
        };
        let mut found = Sentence::from_forms(["Cats", "ran", "off"]);
        let wants = inventory.wants(&found, Tags::Auto);
        inventory.write(&mut found, wants, &|_| false, right);
        assert_eq!(found.tokens, gold.tokens);
        // What a sentence has stays, unless it is to be replaced.
        let given = sentence(&[("Cats", "X", "A=B", "x"), ("ran", "X", "", "y"), ("off", "X", "", "z")]);
        for (tags, wanted) in [(Tags::Auto, &given), (Tags::Given, &given), (Tags::Predicted, &gold)] {
            let mut found = given.clone();
            let wants = inventory.wants(&found, tags);
            inventory.write(&mut found, wants, &|_| false, right);
            assert_eq!(found.tokens, wanted.tokens, "{tags:?}");
        }
    }

    /// A form that the treebank has keeps the features that it has there with its tag.
    #[test]
    fn known_forms_keep_their_features() {
        let seen = sentence(&[("her", "PRON", "Gender=Fem", ""), ("them", "PRON", "Number=Plur", "")]);
        let inventory = Inventory::new(&JointRecipe::default(), std::slice::from_ref(&seen));
        let gold = inventory.gold(std::slice::from_ref(&seen)).remove(0);
        let mut found = Sentence::from_forms(["Her", "it"]);
        let wants = inventory.wants(&found, Tags::Auto);
        inventory.write(&mut found, wants, &|_| false, |_, row| {
            row.fill(0.0);
            [gold[0], gold[3]].iter().flatten().for_each(|&choice| row[usize::from(choice)] = 1.0);
        });
        assert_eq!([0, 1].map(|word| found.tokens[word].feats.as_str()), ["Gender=Fem", "Number=Plur"]);
    }

    /// Features go with the tag, and rules with the form, whatever scores best.
    #[test]
    fn impossible_choices_are_not_taken() {
        let seen = sentence(&[("Cats", "NOUN", "Number=Plur", "cat"), ("go", "VERB", "", "go")]);
        let inventory = Inventory::new(&JointRecipe::default(), std::slice::from_ref(&seen));
        let gold = inventory.gold(std::slice::from_ref(&seen)).remove(0);
        let (plural, cut, verb) = (gold[1], gold[2], gold[3]);
        let mut found = Sentence::from_forms(["run"]);
        let wants = inventory.wants(&found, Tags::Auto);
        inventory.write(&mut found, wants, &|_| false, |_, row| {
            row.fill(0.0);
            [verb, plural, cut].iter().flatten().for_each(|&choice| row[usize::from(choice)] = 1.0);
        });
        let token = &found.tokens[0];
        assert_eq!((token.upos.as_str(), token.feats.as_str(), token.lemma.as_str()), ("VERB", "", "run"));
    }
}
