//! What the endings of words say of their lemmas: how likely each rule is for a form that the treebank does not have.
//!
//! Forms are grouped by their capitals, tag and features, then by longer and longer endings, and each group counts the forms
//! with each rule. A longer ending takes over what a shorter one says as far as it has seen little itself (Witten and Bell 1991):
//! P(r | e) = (c(r, e) + d(e) P(r | e')) / (n(e) + d(e)), n forms and d rules in the group of e, e' one character less.

use super::dictionary::key;
use pleach_graph::Token;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The longest ending that is looked at, in characters.
const LONGEST: usize = 5;

/// Groups of fewer forms say nothing.
const FEWEST: usize = 2;

/// Keys of endings are another kind than those of [`lemmas`](super::lemmas).
const KIND: u32 = 4;

/// How many forms of a group have a rule, sorted by group and rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Endings(Vec<(u32, u16, u16)>);

/// Where the capitals of a form are.
fn capitals(form: &str) -> &'static str {
    let mut letters = form.chars().filter(|c| c.is_alphabetic());
    let first = letters.next().is_some_and(char::is_uppercase);
    let (upper, rest) =
        letters.fold((0, 0), |(upper, rest), c| (upper + usize::from(c.is_uppercase()), rest + 1));
    match (first, upper) {
        (false, 0) => "none",
        (true, 0) => "first",
        (true, _) if upper == rest => "all",
        _ => "some",
    }
}

/// The groups that a form belongs to, by endings from the empty one on.
fn groups(token: &Token) -> impl Iterator<Item = u32> {
    let (form, capitals) = (&*token.form, capitals(&token.form));
    let starts = form.char_indices().rev().map(|(start, _)| start).take(LONGEST);
    [form.len()].into_iter().chain(starts).map(move |start| {
        let ending = form[start..].to_lowercase();
        key(KIND, [capitals, &ending, &token.upos, &token.feats])
    })
}

impl Endings {
    /// Counts the forms of a treebank, each with its tag, features and rule once.
    pub fn new<'a>(made: impl Iterator<Item = (&'a Token, u16)>) -> Self {
        let mut seen = BTreeSet::new();
        let mut counts: BTreeMap<u32, BTreeMap<u16, u16>> = BTreeMap::new();
        for (token, rule) in made {
            if seen.insert((&token.form, &token.upos, &token.feats, rule)) {
                for group in groups(token) {
                    let count = counts.entry(group).or_default().entry(rule).or_default();
                    *count = count.saturating_add(1);
                }
            }
        }
        counts.retain(|_, rules| rules.values().map(|&count| usize::from(count)).sum::<usize>() >= FEWEST);
        let entry = |(group, rules): (u32, BTreeMap<u16, u16>)| {
            rules.into_iter().map(move |(rule, count)| (group, rule, count))
        };
        Endings(counts.into_iter().flat_map(entry).collect())
    }

    /// The probabilities of so many rules for a form; none when nothing was counted.
    pub fn probabilities(&self, token: &Token, rules: usize) -> Option<Vec<f32>> {
        let mut found = vec![1.0 / rules.max(1) as f32; rules];
        let mut any = false;
        for group in groups(token) {
            let start = self.0.partition_point(|entry| entry.0 < group);
            let entries = self.0[start..].iter().take_while(|entry| entry.0 == group);
            let (forms, kinds) = entries
                .clone()
                .fold((0.0, 0.0), |(forms, kinds), entry| (forms + f32::from(entry.2), kinds + 1.0));
            if kinds == 0.0 {
                break;
            }
            any = true;
            found.iter_mut().for_each(|rule| *rule *= kinds / (forms + kinds));
            for &(_, rule, count) in entries.filter(|entry| usize::from(entry.1) < rules) {
                found[usize::from(rule)] += f32::from(count) / (forms + kinds);
            }
        }
        any.then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(form: &str) -> Token {
        let mut token = Token::new(1, form);
        token.upos = "VERB".into();
        token
    }

    #[test]
    fn longer_endings_count_for_more() {
        let seen = [("baked", 0), ("liked", 0), ("walked", 1), ("talked", 1), ("talked", 1), ("Asked", 1)];
        let tokens: Vec<(Token, u16)> = seen.map(|(form, rule)| (token(form), rule)).into();
        let endings = Endings::new(tokens.iter().map(|(token, rule)| (token, *rule)));
        let of = |form: &str| endings.probabilities(&token(form), 3).unwrap();
        let close = |found: Vec<f32>, expected: [f32; 3]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} {expected:?}");
        };
        // Nothing, "d", "ed" and "ked" are endings of two forms with each rule: (2 + 2p) / 6, four times.
        let half = |p: f32| (2.0 + 2.0 * p) / 6.0;
        let (one, none) = (half(half(half(half(1.0 / 3.0)))), (1.0_f32 / 3.0).powi(5));
        close(of("naked"), [one, one, none]);
        // "lked" is the ending of two forms with one rule, and "alked" too.
        let other = |p: f32| (2.0 + p) / 3.0;
        close(of("stalked"), [one / 9.0, other(other(one)), none / 9.0]);
        // A word with a capital is of another group, which has one form.
        assert_eq!(endings.probabilities(&token("Naked"), 3), None);
        assert_eq!(
            ["a", "B", "Bc", "BC", "bC", "B2", "5"].map(capitals),
            ["none", "first", "first", "all", "some", "first", "none"]
        );
    }
}
