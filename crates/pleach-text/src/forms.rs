//! The words of a sentence as features see them: hashed forms, affixes and shapes.

use crate::characters::{Class, lower, shape};
use pleach_graph::Sentence;
use pleach_graph::words::hash;

/// The longest prefix and suffix that are looked at, in characters.
pub const AFFIX: usize = 6;

/// A word's hashed attributes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form {
    /// The form as it is written.
    pub form: u32,
    /// In small letters.
    pub lower: u32,
    /// In small letters, with digits made alike: the numbers of a text are too many to know.
    pub plain: u32,
    /// Its first characters: one, two, …
    pub prefixes: [u32; AFFIX],
    /// Its last characters: one, two, …
    pub suffixes: [u32; AFFIX],
    /// Capitals, digits and punctuation.
    pub shape: u32,
    /// Whether it starts with a capital, has digits, has a hyphen, is all capitals: as bits.
    pub marks: u32,
}

/// What stands before the first and behind the last word.
pub const OUTSIDE: Form =
    Form { form: 1, lower: 1, plain: 1, prefixes: [1; AFFIX], suffixes: [1; AFFIX], shape: 1, marks: 0x100 };

impl Form {
    /// Hashes a word; `small` is memory to work in.
    pub fn new(form: &str, small: &mut String) -> Self {
        small.clear();
        match form.is_ascii() {
            true => {
                small.push_str(form);
                small.make_ascii_lowercase();
            }
            false => small.extend(form.chars().map(lower)),
        }
        let (mut marks, mut capitals) = (0, true);
        for (place, c) in form.chars().enumerate() {
            let class = Class::of(c);
            marks |= u32::from(place == 0 && class == Class::Upper);
            marks |= u32::from(class == Class::Digit) << 1;
            marks |= u32::from(c == '-') << 2;
            capitals &= class == Class::Upper;
        }
        marks |= u32::from(capitals && small.len() > 1) << 3;
        let mut prefixes = [0; AFFIX];
        for (count, (end, c)) in small.char_indices().take(AFFIX).enumerate() {
            prefixes[count] = hash::text(&small[..end + c.len_utf8()]);
        }
        let mut suffixes = [0; AFFIX];
        for (count, (start, _)) in small.char_indices().rev().take(AFFIX).enumerate() {
            suffixes[count] = hash::text(&small[start..]);
        }
        let whole = hash::text(small);
        let plain = if marks & 2 == 0 {
            whole
        } else {
            let alike = |c: char| if c.is_numeric() { '0' } else { c };
            hash::text(&small.chars().map(alike).collect::<String>())
        };
        Form { form: hash::text(form), lower: whole, plain, prefixes, suffixes, shape: shape(form), marks }
    }
}

/// The words of one sentence. Several stages look at the same words one after the other: [`Forms::read`] hashes them once.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    forms: Vec<Form>,
    /// Whether the sentence is written in capitals, so that they say nothing.
    pub shouted: bool,
    /// The words, one behind the other, and where each ends.
    text: String,
    ends: Vec<u32>,
    small: String,
}

impl Forms {
    /// Hashes words.
    pub fn new<'a>(forms: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut new = Forms::default();
        new.fill(forms);
        new
    }

    /// The words of a sentence, empty nodes left out.
    pub fn of(sentence: &Sentence) -> Self {
        Forms::new(words_of(sentence))
    }

    /// Hashes the words of a sentence, empty nodes left out, unless they are those that are here already.
    pub fn read(&mut self, sentence: &Sentence) {
        if !self.are(words_of(sentence)) {
            self.fill(words_of(sentence));
        }
    }

    /// Whether these are the words.
    fn are<'a>(&self, mut words: impl Iterator<Item = &'a str>) -> bool {
        let mut start = 0;
        for &end in &self.ends {
            let own = self.text.get(start..end as usize);
            if own.is_none() || words.next() != own {
                return false;
            }
            start = end as usize;
        }
        words.next().is_none()
    }

    fn fill<'a>(&mut self, words: impl Iterator<Item = &'a str> + Clone) {
        self.shouted = crate::surface::shouted(words.clone());
        self.forms.clear();
        self.text.clear();
        self.ends.clear();
        for word in words {
            self.forms.push(Form::new(word, &mut self.small));
            self.text.push_str(word);
            self.ends.push(self.text.len() as u32);
        }
    }

    /// A word as it is written.
    pub fn word(&self, place: usize) -> &str {
        let end = |place: usize| self.ends.get(place).map_or(0, |&end| end as usize);
        let start = if place == 0 { 0 } else { end(place - 1) };
        self.text.get(start..end(place)).unwrap_or_default()
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// A word at some distance from another.
    #[inline]
    pub fn at(&self, place: usize, offset: isize) -> &Form {
        self.forms.get(place.wrapping_add_signed(offset)).unwrap_or(&OUTSIDE)
    }
}

/// The words of a sentence, empty nodes left out.
fn words_of(sentence: &Sentence) -> impl Iterator<Item = &str> + Clone {
    sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).map(|token| token.form.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was read before, the words are those of the sentence.
    #[test]
    fn words_are_read_again_when_they_are_others() {
        let mut forms = Forms::default();
        let sentences: [&[&str]; 8] =
            [&["ab", "c"], &["ab", "c"], &["a", "bc"], &["a"], &[], &["ab", "c", "d"], &["ab", "c"], &["AB"]];
        for words in sentences {
            forms.read(&Sentence::from_forms(words.iter().copied()));
            let anew = Forms::new(words.iter().copied());
            assert_eq!((forms.len(), forms.shouted), (words.len(), anew.shouted));
            let equal = |place| format!("{:?}", forms.at(place, 0)) == format!("{:?}", anew.at(place, 0));
            assert!((0..words.len()).all(equal), "{words:?}");
        }
    }

    #[test]
    fn affixes_count_characters() {
        let mut small = String::new();
        let form = Form::new("ÉTÉ", &mut small);
        assert_eq!(form.prefixes[1], hash::text("ét"));
        assert_eq!(form.suffixes[2], hash::text("été"));
        assert_eq!(form.suffixes[3], 0);
        assert_eq!(form.marks, 0b1001);
        assert_eq!(Form::new("1,234", &mut small).plain, Form::new("9,876", &mut small).plain);
        Form::new("", &mut small);
    }
}
