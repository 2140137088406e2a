//! Whether a text is one for the model: of another language it knows few words.

use crate::say::say;
use pleach::Parser;
use pleach_graph::Sentence;

/// A text of fewer words of letters says nothing.
const LEAST: usize = 12;

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
        }
        if !self.told && self.is_strange() {
            self.told = true;
            let share = 100 * self.known / self.all;
            say!(
                "warning: {name}: the model knows {share} % of the words; is the text in the language that it was \
                 trained on? (-m names another model)"
            );
        }
    }

    fn is_strange(&self) -> bool {
        self.all >= LEAST && 100 * self.known < SHARE * self.all
    }
}
