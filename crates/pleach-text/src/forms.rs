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
        small.extend(form.chars().map(lower));
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

/// The words of one sentence.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    forms: Vec<Form>,
    /// Whether the sentence is written in capitals, so that they say nothing.
    pub shouted: bool,
}

impl Forms {
    /// Hashes words.
    pub fn new<'a>(forms: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut small = String::new();
        let shouted = crate::surface::shouted(forms.clone());
        Forms { forms: forms.map(|form| Form::new(form, &mut small)).collect(), shouted }
    }

    /// The words of a sentence, empty nodes left out.
    pub fn of(sentence: &Sentence) -> Self {
        let words = sentence.tokens.iter().filter(|token| !token.id.is_empty_node());
        Forms::new(words.map(|token| token.form.as_str()))
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

#[cfg(test)]
mod tests {
    use super::*;

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
