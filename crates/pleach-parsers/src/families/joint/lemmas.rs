//! Lemmas: edit rules that a network chooses among, and what the treebank knows of words.
//!
//! A form that the treebank has, with its tag and features, gets one of the lemmas that it has there; the network only chooses
//! where there are several (*'s* is a *be* or a *have*). Numbers are alike where only their digits differ. Any other form gets
//! the rule that scores best, where a rule that leads to a known word counts for more (*condemned* is a form of *condemn*,
//! since there is no *condemne*), and so does one that forms with the same ending have.

use super::dictionary::{Dictionary, key};
use super::endings::Endings;
use pleach_graph::{Text, Token};
use pleach_text::edit::{Rule, Spellings};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How much better a rule scores that leads to a lemma of the treebank with the same tag, in units of log-likelihood. This and
/// the next two were chosen on held-out training sentences (docs/results/raw-text.md).
const KNOWN: f32 = 16.0;

/// The same for a word that is known from elsewhere: it may have another tag, and vocabularies are often without capitals.
const ELSEWHERE: f32 = 7.0;

/// How much the logarithm of a rule's probability by the ending of the form counts beside its score.
const ENDING: f32 = 1.5;

/// Words from elsewhere that are shorter say nothing: vocabularies have all letters, and *sing* is no form of *s*.
const SHORTEST: usize = 3;

/// Rules, and a dictionary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lemmas {
    /// From forms to lemmas, the most frequent rule first.
    pub rules: Vec<Rule>,
    /// The rules of every form with its tag.
    #[serde(default)]
    known: Dictionary,
    /// The rules of forms with tag and features where `known` does not say the same; those of numbers by their shape.
    #[serde(default)]
    exact: Dictionary,
    /// The lemmas with their tags, as hashes.
    #[serde(default)]
    lexicon: Vec<u32>,
    /// What endings say.
    #[serde(default)]
    endings: Endings,
    /// The tags whose words keep their capitals: there a form in small letters is another word.
    #[serde(default)]
    proper: Vec<Text>,
}

fn by_tag(form: &str, token: &Token) -> u32 {
    key(0, [form, &token.upos])
}

fn by_features(form: &str, token: &Token) -> u32 {
    key(1, [form, &token.upos, &token.feats])
}

fn by_lemma(lemma: &str, token: &Token) -> u32 {
    key(2, [lemma, &token.upos])
}

/// A form with its digits made alike, if it has any.
fn by_shape(form: &str, token: &Token) -> Option<u32> {
    let alike = |c: char| if c.is_ascii_digit() { '0' } else { c };
    form.contains(|c: char| c.is_ascii_digit())
        .then(|| key(3, [&form.chars().map(alike).collect::<String>(), &token.upos]))
}

impl Lemmas {
    /// The rules and the dictionary of a treebank's words.
    pub fn new<'a>(words: impl Iterator<Item = &'a Token> + Clone) -> Self {
        let words = words.filter(|token| !token.lemma.is_empty());
        let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
        for token in words.clone() {
            *counts.entry(Rule::between(&token.form, &token.lemma)).or_default() += 1;
        }
        if counts.is_empty() {
            return Lemmas::default();
        }
        // The rule that keeps the form applies to every word.
        counts.entry(Rule::between("a", "a")).or_insert(1);
        let mut counts: Vec<(Rule, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let rules: Vec<Rule> = counts.into_iter().map(|(rule, _)| rule).collect();
        let mut lemmas = Lemmas { rules, ..Lemmas::default() };
        let numbers = lemmas.numbers();
        let made = |token: &Token| numbers.get(&Rule::between(&token.form, &token.lemma)).copied();
        let made: Vec<(&Token, u16)> = words.filter_map(|token| Some((token, made(token)?))).collect();
        let known = Dictionary::new(made.iter().map(|(token, rule)| (by_tag(&token.form, token), *rule)));
        let exact = made.iter().map(|(token, rule)| (by_features(&token.form, token), *rule));
        let shapes = made.iter().filter_map(|(token, rule)| Some((by_shape(&token.form, token)?, *rule)));
        let mut exact = Dictionary::new(exact.chain(shapes));
        let tags = |(token, _): &(&Token, u16)| (by_features(&token.form, token), by_tag(&token.form, token));
        exact.leave_out(&known, &made.iter().map(tags).collect());
        let lexicon: BTreeSet<u32> = made.iter().map(|(token, _)| by_lemma(&token.lemma, token)).collect();
        lemmas.endings = Endings::new(made.iter().copied());
        lemmas.proper = proper(made.iter().map(|(token, _)| *token));
        (lemmas.known, lemmas.exact, lemmas.lexicon) = (known, exact, lexicon.into_iter().collect());
        lemmas
    }

    /// Rules by their numbers.
    pub fn numbers(&self) -> BTreeMap<&Rule, u16> {
        (0..).zip(&self.rules).map(|(number, rule)| (rule, number)).collect()
    }

    /// The lemma of a word whose tag and features are decided. `scores` are those of the rules; `is_word` says whether
    /// a word is known from elsewhere than the treebank.
    pub fn choose(
        &self,
        token: &Token,
        scores: &[f32],
        is_word: &dyn Fn(&str) -> bool,
        written: &mut String,
    ) -> Text {
        // A word that begins a sentence is that word still.
        let small = (!self.proper.contains(&token.upos)).then(|| token.form.to_lowercase());
        let spellings = [Some(&*token.form), small.as_deref()];
        let found = spellings.into_iter().flatten().find_map(|form| {
            let rule = self.look_for(form, token, scores)?;
            self.rules[rule].apply(form, written)
        });
        let found = found.or_else(|| self.guess(token, scores, is_word, written));
        found.unwrap_or_else(|| token.form.clone())
    }

    /// The rule that the dictionary has for a spelling, the best-scoring one of several.
    fn look_for(&self, form: &str, token: &Token, scores: &[f32]) -> Option<usize> {
        let keys = [Some(by_features(form, token)), Some(by_tag(form, token)), by_shape(form, token)];
        let entries = [&self.exact, &self.known, &self.exact];
        let choose = |(key, dictionary): (Option<u32>, &Dictionary)| {
            let rules = dictionary.of(key?).filter(|&rule| rule < self.rules.len());
            best_of(rules.map(|rule| (rule, scores[rule])))
        };
        keys.into_iter().zip(entries).find_map(choose)
    }

    /// The lemma of a form that the treebank does not have.
    fn guess(
        &self,
        token: &Token,
        scores: &[f32],
        is_word: &dyn Fn(&str) -> bool,
        written: &mut String,
    ) -> Option<Text> {
        let spellings = Spellings::new(&token.form);
        // A rule that names its result is good for the forms that it was seen with only.
        let fits = |&rule: &usize| {
            !matches!(self.rules[rule], Rule::Whole(_)) && self.rules[rule].applies(&spellings)
        };
        let endings = self.endings.probabilities(token, self.rules.len());
        let score = |rule: usize| {
            let ending = endings.as_ref().map_or(0.0, |likely| likely[rule].max(f32::MIN_POSITIVE).ln());
            scores[rule] + ENDING * ending
        };
        // Logarithms of probabilities are never positive: what a rule's score can't reach is not looked at, and whether a
        // rule fits is asked last, since that takes longest.
        let at_least = |least: f32| move |&rule: &usize| scores[rule] >= least && score(rule) >= least;
        let mut best = f32::NEG_INFINITY;
        for rule in 0..self.rules.len() {
            if at_least(best)(&rule) && fits(&rule) {
                best = score(rule);
            }
        }
        let near = (0..self.rules.len()).filter(at_least(best - KNOWN)).filter(fits);
        let near: Vec<(f32, Text)> = near
            .filter_map(|rule| Some((score(rule), self.rules[rule].apply(&token.form, written)?)))
            .collect();
        let scored = near.iter().enumerate().map(|(place, (score, lemma))| {
            let better = match () {
                () if self.lexicon.binary_search(&by_lemma(lemma, token)).is_ok() => KNOWN,
                () if is_word(lemma) && lemma.chars().count() >= SHORTEST => ELSEWHERE,
                () => 0.0,
            };
            (place, score + better)
        });
        best_of(scored).map(|place| near[place].1.clone())
    }
}

/// The tags most of whose words with a capital in front have a lemma with one.
fn proper<'a>(words: impl Iterator<Item = &'a Token>) -> Vec<Text> {
    let mut tags: BTreeMap<&Text, (usize, usize)> = BTreeMap::new();
    let capital = |text: &str| text.chars().next().is_some_and(char::is_uppercase);
    for token in words.filter(|token| capital(&token.form)) {
        let (kept, all) = tags.entry(&token.upos).or_default();
        (*kept, *all) = (*kept + usize::from(capital(&token.lemma)), *all + 1);
    }
    tags.into_iter().filter(|(_, (kept, all))| 2 * kept > *all).map(|(tag, _)| tag.clone()).collect()
}

/// The choice with the highest score, the first among equals.
pub(super) fn best_of(choices: impl Iterator<Item = (usize, f32)>) -> Option<usize> {
    let better = |best: Option<(usize, f32)>, choice: (usize, f32)| match best {
        Some(best) if best.1 >= choice.1 => Some(best),
        _ => Some(choice),
    };
    choices.fold(None, better).map(|(choice, _)| choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(form: &str, upos: &str, feats: &str, lemma: &str) -> Token {
        let mut token = Token::new(1, form);
        (token.upos, token.feats, token.lemma) = (upos.into(), feats.into(), lemma.into());
        token
    }

    /// The lemma where one rule scores best, by so much.
    fn chosen(lemmas: &Lemmas, word: &Token, likes: (&str, &str), by: f32) -> String {
        let mut scores = vec![0.0; lemmas.rules.len()];
        scores[usize::from(lemmas.numbers()[&Rule::between(likes.0, likes.1)])] = by;
        lemmas
            .choose(word, &scores, &|word| ["forgive", "s", "sing"].contains(&word), &mut String::new())
            .to_string()
    }

    #[test]
    fn known_forms_keep_their_lemmas_with_tag_and_features() {
        let seen = [
            token("her", "PRON", "", "she"),
            token("her", "PRON", "", "she"),
            token("her", "PRON", "Poss=Yes", "her"),
            token("'s", "AUX", "", "be"),
            token("'s", "AUX", "", "have"),
            token("best", "ADJ", "", "good"),
        ];
        let lemmas = Lemmas::new(seen.iter());
        for word in [&seen[0], &seen[2]] {
            assert_eq!(chosen(&lemmas, word, ("best", "good"), 9.0), word.lemma.as_str());
        }
        for likes in ["be", "have"] {
            assert_eq!(chosen(&lemmas, &seen[3], ("'s", likes), 1.0), likes);
        }
        // With other features the form and its tag decide; a capital makes no other word.
        assert_eq!(chosen(&lemmas, &token("her", "PRON", "A=B", ""), ("best", "good"), 9.0), "she");
        assert_eq!(chosen(&lemmas, &token("Best", "ADJ", "", ""), ("a", "a"), 9.0), "good");
        // Nobody else's best is good.
        assert_eq!(chosen(&lemmas, &token("latest", "ADJ", "", ""), ("best", "good"), 9.0), "latest");
    }

    #[test]
    fn numbers_are_alike() {
        let seen = [
            token("1,100", "NUM", "", "1100"),
            token("1990s", "NOUN", "", "1990s"),
            token("cats", "NOUN", "", "cat"),
        ];
        let lemmas = Lemmas::new(seen.iter());
        assert_eq!(chosen(&lemmas, &token("2,345", "NUM", "", ""), ("a", "a"), 9.0), "2345");
        assert_eq!(chosen(&lemmas, &token("1980s", "NOUN", "", ""), ("cats", "cat"), 9.0), "1980s");
        assert_eq!(chosen(&lemmas, &token("12,345", "NUM", "", ""), ("a", "a"), 9.0), "12,345");
    }

    #[test]
    fn names_keep_their_capitals() {
        let seen = [
            token("Arabs", "PROPN", "", "Arab"),
            token("Holocaust", "PROPN", "", "Holocaust"),
            token("bloggers", "PROPN", "", "blogger"),
            token("Cats", "NOUN", "", "cat"),
            token("dogs", "NOUN", "", "dog"),
        ];
        let lemmas = Lemmas::new(seen.iter());
        assert_eq!(lemmas.proper, ["PROPN"]);
        // A network that is sure of a name has its way, whatever the treebank has in small letters.
        let bloggers = token("Bloggers", "PROPN", "", "");
        assert_eq!(chosen(&lemmas, &bloggers, ("Arabs", "Arab"), KNOWN + 4.0), "Blogger");
        assert_eq!(chosen(&lemmas, &token("Dogs", "NOUN", "", ""), ("a", "a"), 9.0), "dog");
    }

    #[test]
    fn unknown_forms_have_the_rules_of_their_endings() {
        let seen = ["baked", "liked", "poked", "jailed", "mailed", "sailed"].map(|form| {
            let lemma = if form.ends_with("ked") { &form[..form.len() - 1] } else { &form[..form.len() - 2] };
            token(form, "VERB", "", lemma)
        });
        let lemmas = Lemmas::new(seen.iter());
        for (form, lemma) in [("raked", "rake"), ("nailed", "nail")] {
            assert_eq!(chosen(&lemmas, &token(form, "VERB", "", ""), ("a", "a"), 0.0), lemma);
        }
        // A network that is sure of something else has its way.
        assert_eq!(chosen(&lemmas, &token("raked", "VERB", "", ""), ("mailed", "mail"), 9.0), "rak");
    }

    #[test]
    fn unknown_forms_lead_to_known_lemmas() {
        let seen = [
            token("walked", "VERB", "", "walk"),
            token("loved", "VERB", "", "love"),
            token("condemn", "VERB", "", "condemn"),
        ];
        let lemmas = Lemmas::new(seen.iter());
        let word = token("condemned", "VERB", "", "");
        assert_eq!(chosen(&lemmas, &word, ("loved", "love"), KNOWN - 0.5), "condemn");
        assert_eq!(chosen(&lemmas, &word, ("loved", "love"), KNOWN + 0.5), "condemne");
        // So does a word that is known from elsewhere, by less.
        let word = token("forgived", "VERB", "", "");
        assert_eq!(chosen(&lemmas, &word, ("walked", "walk"), ELSEWHERE - 0.5), "forgive");
        assert_eq!(chosen(&lemmas, &word, ("walked", "walk"), ELSEWHERE + 0.5), "forgiv");
        // A letter is not.
        let lemmas =
            Lemmas::new([token("walking", "VERB", "", "walk"), token("go", "VERB", "", "go")].iter());
        let sing = token("sing", "VERB", "", "");
        assert_eq!(chosen(&lemmas, &sing, ("walking", "walk"), ELSEWHERE - 0.5), "sing");
        let lemmas = Lemmas::new(seen.iter());
        // Another part of speech is another word.
        let noun = token("condemned", "NOUN", "", "");
        assert_eq!(chosen(&lemmas, &noun, ("loved", "love"), KNOWN - 0.5), "condemne");
    }
}
