//! What can be said of words: the tags, features and lemma rules of a treebank, and how a row of scores becomes words' annotation.

use super::recipe::JointRecipe;
use crate::engine::Tags;
use pleach_graph::words::hash;
use pleach_graph::{Sentence, Text, Token};
use pleach_text::edit::{Rule, Spellings};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
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
    /// From forms to lemmas, the most frequent rule first.
    rules: Vec<Rule>,
    /// The most frequent rule of every form and tag that the treebank has, by their hash: what was seen needs no guess.
    #[serde(default)]
    known: Vec<(u32, u16)>,
}

/// What is to be written of a sentence's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub tags: bool,
    pub features: bool,
    pub lemmas: bool,
}

/// A form with its tag, as the dictionary has it.
fn key(token: &Token) -> u32 {
    let both = hash::mix(hash::mix(hash::seed(0), hash::text(&token.form)), hash::text(&token.upos));
    (hash::finish(both) >> 32) as u32
}

/// The words of a sentence, empty nodes left out.
fn words<'a>(sentences: impl IntoIterator<Item = &'a Sentence>) -> impl Iterator<Item = &'a Token> {
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
            inventory.seen = seen.into_iter().map(|cells| cells.into_iter().collect()).collect();
        }
        if recipe.learns("lemmas") {
            let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
            for token in words(sentences).filter(|token| !token.lemma.is_empty()) {
                *counts.entry(Rule::between(&token.form, &token.lemma)).or_default() += 1;
            }
            if !counts.is_empty() {
                // The rule that keeps the form applies to every word.
                counts.entry(Rule::between("a", "a")).or_insert(1);
            }
            let mut counts: Vec<(Rule, usize)> = counts.into_iter().collect();
            counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            inventory.rules = counts.into_iter().map(|(rule, _)| rule).collect();
            inventory.known = inventory.dictionary(sentences);
        }
        inventory
    }

    /// The most frequent rule of every form with its tag, the first one among equals.
    fn dictionary(&self, sentences: &[Sentence]) -> Vec<(u32, u16)> {
        let rules: BTreeMap<&Rule, u16> =
            (0..).zip(&self.rules).map(|(number, rule)| (rule, number)).collect();
        let mut counts: BTreeMap<u32, BTreeMap<u16, usize>> = BTreeMap::new();
        for token in words(sentences).filter(|token| !token.lemma.is_empty()) {
            if let Some(&rule) = rules.get(&Rule::between(&token.form, &token.lemma)) {
                *counts.entry(key(token)).or_default().entry(rule).or_default() += 1;
            }
        }
        let most = |counts: BTreeMap<u16, usize>| {
            counts.into_iter().max_by_key(|&(rule, count)| (count, std::cmp::Reverse(rule)))
        };
        counts.into_iter().filter_map(|(key, counts)| Some((key, most(counts)?.0))).collect()
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
        start..start + self.rules.len()
    }

    /// The questions about every word, as the places of their choices; none is empty.
    pub fn questions(&self) -> Vec<Range<usize>> {
        let all = [self.tag_places(), self.cell_places(), self.rule_places()];
        all.into_iter().filter(|places| !places.is_empty()).collect()
    }

    /// The right choices for the words of sentences, in the order of [`questions`](Self::questions); `None` where a word
    /// doesn't say.
    pub fn gold(&self, sentences: &[Sentence]) -> Vec<Vec<Option<u16>>> {
        let rules: BTreeMap<&Rule, usize> =
            self.rules.iter().enumerate().map(|(i, rule)| (rule, i)).collect();
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
                let rule = || rules.get(&Rule::between(&token.form, &token.lemma)).copied();
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
            lemmas: wanted(all(|token| !token.lemma.is_empty())) && !self.rules.is_empty(),
        }
    }

    /// Writes into a sentence what scores say of its words. `scores` gives the row of a word by its number, from 1.
    pub fn write(&self, sentence: &mut Sentence, wants: Wants, mut scores: impl FnMut(u16, &mut [f32])) {
        if wants == Wants::default() {
            return;
        }
        let mut row = vec![0.0; self.len()];
        let mut written = String::new();
        let tokens = sentence.tokens.iter_mut().filter(|token| !token.id.is_empty_node());
        for (number, token) in tokens.enumerate() {
            scores(number as u16 + 1, &mut row);
            if wants.tags {
                let best = best_of(&row[self.tag_places()], |_| true);
                if let Some((upos, xpos)) = best.and_then(|best| self.tags.get(best)) {
                    (token.upos, token.xpos) = (upos.clone(), xpos.clone());
                }
            }
            if wants.features {
                let seen = self.tag(token).and_then(|tag| self.seen.get(tag)).filter(|seen| !seen.is_empty());
                let fits = |cell: usize| seen.is_none_or(|seen| seen.binary_search(&(cell as u16)).is_ok());
                let best = best_of(&row[self.cell_places()], fits);
                token.feats = best.and_then(|best| self.cells.get(best)).cloned().unwrap_or_default();
            }
            if wants.lemmas {
                let known = self.known.binary_search_by_key(&key(token), |&(key, _)| key).ok();
                let known = known.map(|place| usize::from(self.known[place].1));
                let spellings = Spellings::new(&token.form);
                let fits = |rule: usize| self.rules[rule].applies(&spellings);
                let best = known
                    .filter(|&rule| rule < self.rules.len() && fits(rule))
                    .or_else(|| best_of(&row[self.rule_places()], fits));
                let lemma = best.and_then(|best| self.rules[best].apply(&token.form, &mut written));
                token.lemma = lemma.unwrap_or_else(|| token.form.clone());
            }
        }
    }
}

/// The best choice that fits, the first among equals.
fn best_of(scores: &[f32], fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (choice, &score) in scores.iter().enumerate() {
        if best.is_none_or(|(_, least)| score > least) && fits(choice) {
            best = Some((choice, score));
        }
    }
    best.map(|(choice, _)| choice)
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
        inventory.write(&mut found, wants, right);
        assert_eq!(found.tokens, gold.tokens);
        // What a sentence has stays, unless it is to be replaced.
        let given = sentence(&[("Cats", "X", "A=B", "x"), ("ran", "X", "", "y"), ("off", "X", "", "z")]);
        for (tags, wanted) in [(Tags::Auto, &given), (Tags::Given, &given), (Tags::Predicted, &gold)] {
            let mut found = given.clone();
            let wants = inventory.wants(&found, tags);
            inventory.write(&mut found, wants, right);
            assert_eq!(found.tokens, wanted.tokens, "{tags:?}");
        }
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
        inventory.write(&mut found, wants, |_, row| {
            row.fill(0.0);
            [verb, plural, cut].iter().flatten().for_each(|&choice| row[usize::from(choice)] = 1.0);
        });
        let token = &found.tokens[0];
        assert_eq!((token.upos.as_str(), token.feats.as_str(), token.lemma.as_str()), ("VERB", "", "run"));
    }

    /// A form that the treebank has keeps the lemma that it has there with its tag, whatever the scores say.
    #[test]
    fn known_forms_keep_their_lemmas() {
        let seen = sentence(&[
            ("left", "VERB", "", "leave"),
            ("left", "ADJ", "", "left"),
            ("ran", "VERB", "", "run"),
        ]);
        let inventory = Inventory::new(&JointRecipe::default(), std::slice::from_ref(&seen));
        let mut found = seen.clone();
        found.tokens.iter_mut().for_each(|token| token.lemma = "".into());
        let run = inventory.gold(std::slice::from_ref(&seen))[0].last().unwrap().unwrap();
        let wants = inventory.wants(&found, Tags::Auto);
        inventory.write(&mut found, wants, |_, row| {
            row.fill(0.0);
            row[usize::from(run)] = 1.0;
        });
        assert_eq!(found.tokens, seen.tokens);
    }
}
