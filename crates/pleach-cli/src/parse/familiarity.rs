//! Whether a text is one for the model: of another language it knows few words.

use crate::say::say;
use pleach::Parser;
use pleach_graph::Sentence;

/// A text of fewer words of letters says nothing, unless it is in another script.
const LEAST: usize = 12;

/// So many letters beyond ASCII in a short text of which no word is known are of another script, hardly of a name.
const LEAST_LETTERS: usize = 10;

/// So many words are looked at.
const MOST: usize = 2000;

/// A smaller share of words that the model knows is worth a warning, in percent. A choice, not a measurement: it lies above
/// what a German and a Dutch text had with an English model, 5 and 24.
const SHARE: usize = 30;

/// What was seen of the words so far.
#[derive(Debug, Default)]
pub struct Familiarity {
    known: usize,
    all: usize,
    /// Letters beyond ASCII.
    letters: usize,
    told: bool,
}

impl Familiarity {
    /// Looks at sentences of a text, before or after they are parsed, and warns once.
    pub fn look(&mut self, parser: &Parser, sentences: &[Sentence], name: &str) {
        let mut rest = sentences.iter();
        while !self.told
            && self.all < MOST
            && let Some(sentence) = rest.next()
        {
            let Some((known, all)) = parser.known(std::slice::from_ref(sentence)) else { return };
            (self.known, self.all) = (self.known + known, self.all + all);
            let characters = sentence.tokens.iter().flat_map(|token| token.form.chars());
            self.letters += characters.filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
        }
        if !self.told && self.is_strange() {
            self.told = true;
            let share = 100 * self.known / self.all.max(1);
            say!(
                "warning: {name}: the model knows {share} % of the words; is the text in the language that it was \
                 trained on? (-m names another model)"
            );
        }
    }

    fn is_strange(&self) -> bool {
        match self.known {
            // Of another script a model may know nothing, and take a whole line for a word.
            0 if self.letters >= LEAST_LETTERS => true,
            known => self.all >= LEAST && 100 * known < SHARE * self.all,
        }
    }
}

#[cfg(feature = "english")]
#[cfg(test)]
mod tests {
    use super::*;
    use pleach::models;

    fn is_strange(text: &str) -> bool {
        let parser = models::open(None).unwrap();
        let sentences = parser.parse_str(text).unwrap();
        let mut seen = Familiarity::default();
        seen.look(&parser, &sentences, "a test");
        seen.told
    }

    #[test]
    fn short_texts_of_other_scripts_are_told() {
        assert!(is_strange("Я люблю тебя."));
        assert!(is_strange("我喜欢你。我们住在北京。"));
        assert!(is_strange("مرحبا بالعالم كيف حالك"));
    }

    #[test]
    fn names_and_plain_sentences_are_not() {
        for text in [
            "Hello.",
            "Xyzzy!",
            "Qwerty asdf zxcv.",
            "Ahmed Chalabi left.",
            "It rains.",
            "1 2 3 4 5 6 7 8 9 10 11 12 13",
        ] {
            assert!(!is_strange(text), "{text}");
        }
    }
}
