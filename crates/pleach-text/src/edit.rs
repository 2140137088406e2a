//! Edit rules: how one word becomes another, in a way that holds for other words too.
//!
//! A rule cuts one text off the front and one off the back and puts others in their place (`-ies +y`), on the form as
//! it is written or in small letters. Another kind takes out a character wherever it is (*1,100*, *1100*). Words that have
//! nothing in common give a rule that names the result. Applying the rule of a pair to its form gives the other word back; a
//! rule says of any form whether it applies.

use crate::characters::lower;
use pleach_graph::Text;
use serde::{Deserialize, Serialize};

/// What happens to capitals before the cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Case {
    /// They stay.
    Keep,
    /// They become small.
    Lower,
    /// They become small but for the first letter, which becomes a capital.
    Title,
}

impl Case {
    const ALL: [Case; 3] = [Case::Keep, Case::Lower, Case::Title];

    fn apply(self, form: &str, out: &mut String) {
        out.clear();
        match self {
            Case::Keep => out.push_str(form),
            Case::Lower => out.extend(form.chars().map(lower)),
            Case::Title => {
                let mut characters = form.chars();
                out.extend(characters.next().into_iter().flat_map(char::to_uppercase));
                out.extend(characters.map(lower));
            }
        }
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rule {
    /// Replaces both ends.
    Ends {
        /// What happens to capitals.
        case: Case,
        /// What the form has to start with, and what comes instead.
        front: (Text, Text),
        /// What the form has to end with, and what comes instead.
        back: (Text, Text),
    },
    /// The result, whatever the form was.
    Whole(Text),
    /// Takes a character out wherever it is inside the form.
    Without(char),
}

impl Rule {
    /// The rule that turns a form into a result: of those that differ in case, the one that changes least.
    pub fn between(form: &str, result: &str) -> Rule {
        let mut written = String::new();
        let mut best: Option<(usize, Rule)> = None;
        for case in Case::ALL {
            case.apply(form, &mut written);
            let Some((cost, front, back)) = ends(&written, result) else { continue };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Rule::Ends { case, front, back }));
            }
        }
        if let Some(out) = taken_out(form, result)
            && best.as_ref().is_none_or(|(least, _)| form.chars().count() - result.chars().count() < *least)
        {
            return Rule::Without(out);
        }
        best.map_or_else(|| Rule::Whole(result.into()), |(_, rule)| rule)
    }

    /// The result for a form; `None` when the rule doesn't apply. `written` is memory to work in.
    pub fn apply(&self, form: &str, written: &mut String) -> Option<Text> {
        match self {
            Rule::Whole(result) => Some(result.clone()),
            Rule::Without(out) => {
                let rest: Text = form.chars().filter(|c| c != out).collect();
                (!rest.is_empty() && rest.len() < form.len()).then_some(rest)
            }
            Rule::Ends { case, front, back } => {
                case.apply(form, written);
                let middle = written.strip_prefix(front.0.as_str())?.strip_suffix(back.0.as_str())?;
                let mut result = Text::with_capacity(front.1.len() + middle.len() + back.1.len());
                result.push_str(&front.1);
                result.push_str(middle);
                result.push_str(&back.1);
                (!result.is_empty()).then_some(result)
            }
        }
    }

    /// Whether the rule applies to a form in its three spellings: as [`Rule::apply`], without building the result.
    pub fn applies(&self, spellings: &Spellings) -> bool {
        match self {
            Rule::Whole(_) => true,
            Rule::Without(out) => parts(&spellings.0[Case::Keep as usize], *out),
            Rule::Ends { case, front, back } => applies(
                &spellings.0[*case as usize],
                [front, back].map(|(cut, new)| (cut.as_str(), new.as_str())),
            ),
        }
    }

    /// The same for a form whose other spellings are not known, where few rules are asked.
    pub fn applies_to(&self, form: &str) -> bool {
        match self {
            Rule::Whole(_) => true,
            Rule::Without(out) => parts(form, *out),
            Rule::Ends { case, front, back } => {
                let ends = [front, back].map(|(cut, new)| (cut.as_str(), new.as_str()));
                let small = || form.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
                if *case == Case::Keep || *case == Case::Lower && small() {
                    return applies(form, ends);
                }
                let mut written = String::new();
                case.apply(form, &mut written);
                applies(&written, ends)
            }
        }
    }
}

/// Whether a form has both ends (what is cut off, and what comes instead), and something is left of it.
fn applies(form: &str, [front, back]: [(&str, &str); 2]) -> bool {
    let middle = form.strip_prefix(front.0).and_then(|rest| rest.strip_suffix(back.0));
    middle.is_some_and(|middle| !(middle.is_empty() && front.1.is_empty() && back.1.is_empty()))
}

/// A form as the rules see it: as written, in small letters, with a capital first.
#[derive(Clone, Debug, Default)]
pub struct Spellings([String; 3]);

impl Spellings {
    /// The spellings of a form.
    pub fn new(form: &str) -> Self {
        let mut spellings = Spellings::default();
        for case in Case::ALL {
            case.apply(form, &mut spellings.0[case as usize]);
        }
        spellings
    }
}

/// Whether there is something to take out of a form, and something that stays.
fn parts(form: &str, out: char) -> bool {
    form.contains(out) && form.chars().any(|c| c != out)
}

/// The character that makes the difference between a form and a result when it is taken out everywhere.
fn taken_out(form: &str, result: &str) -> Option<char> {
    let first = form.chars().zip(result.chars()).find(|(a, b)| a != b)?.0;
    form.chars().filter(|&c| c != first).eq(result.chars()).then_some(first)
}

/// A cut and what comes instead.
type Replacement = (Text, Text);

/// What differs around the longest common stretch, and how much that is; `None` when nothing is common.
fn ends(form: &str, result: &str) -> Option<(usize, Replacement, Replacement)> {
    let (a, b): (Vec<char>, Vec<char>) = (form.chars().collect(), result.chars().collect());
    // The longest common stretch, the leftmost of equals: lengths of common suffixes, row by row. Long words are cut,
    // so that a hostile one costs no more than others.
    if a.len() > 200 || b.len() > 200 {
        return None;
    }
    let mut lengths = vec![0usize; b.len() + 1];
    let (mut length, mut i, mut j) = (0, 0, 0);
    for (row, x) in a.iter().enumerate() {
        for column in (0..b.len()).rev() {
            lengths[column + 1] = if *x == b[column] { lengths[column] + 1 } else { 0 };
            if lengths[column + 1] > length {
                length = lengths[column + 1];
                (i, j) = (row + 1 - length, column + 1 - length);
            }
        }
    }
    if length == 0 {
        return None;
    }
    let text = |characters: &[char]| characters.iter().collect::<Text>();
    let front = (text(&a[..i]), text(&b[..j]));
    let back = (text(&a[i + length..]), text(&b[j + length..]));
    Some((a.len() + b.len() - 2 * length, front, back))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(form: &str, result: &str) -> Rule {
        Rule::between(form, result)
    }

    #[test]
    fn rules_are_shared_by_like_words() {
        assert_eq!(rule("studies", "study"), rule("Tries", "try").clone_with(Case::Keep));
        assert_eq!(rule("gespielt", "spielen"), rule("gesagt", "sagen"));
        assert_eq!(rule("was", "be"), Rule::Whole("be".into()));
        assert_eq!(rule("CHICAGO", "Chicago").apply("BOSTON", &mut String::new()), Some("Boston".into()));
        assert_eq!(rule("studies", "study").apply("cats", &mut String::new()), None);
        assert_eq!(rule("1,100", "1100"), Rule::Without(','));
        assert_eq!(rule("1,100", "1100"), rule("12,000,000", "12000000"));
        assert_eq!(rule("1,100", "1100").apply("1100", &mut String::new()), None);
    }

    impl Rule {
        fn clone_with(&self, new: Case) -> Rule {
            match self.clone() {
                Rule::Ends { front, back, .. } => Rule::Ends { case: new, front, back },
                whole => whole,
            }
        }
    }

    proptest! {
        #[test]
        fn a_rule_gives_its_result_back(form in "\\PC{1,12}", result in "\\PC{1,12}", other in "\\PC{0,12}") {
            let rule = Rule::between(&form, &result);
            prop_assert_eq!(rule.apply(&form, &mut String::new()).unwrap(), result.as_str());
            let applied = rule.apply(&other, &mut String::new());
            prop_assert_eq!(rule.applies(&Spellings::new(&other)), applied.is_some());
            prop_assert_eq!(rule.applies_to(&other), applied.is_some());
            prop_assert!(rule.applies_to(&form));
        }
    }
}
