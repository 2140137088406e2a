//! What characters are: classes, and the characters of a paragraph ready for features.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};

/// The class of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A small letter.
    Lower,
    /// A capital letter.
    Upper,
    /// A letter of a script without case that puts spaces between words.
    Letter,
    /// A letter of a script without spaces between words.
    Unspaced,
    /// A digit or another number.
    Digit,
    /// A combining mark, or what joins characters to one.
    Mark,
    /// An emoji or another symbol that is no punctuation.
    Symbol,
    /// Punctuation; in features each one stands for itself.
    Punctuation,
    /// White space.
    Space,
    /// Control characters and the like.
    Other,
}

impl Class {
    /// The class of a character.
    pub fn of(c: char) -> Self {
        match c {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => Class::Punctuation,
            _ if c.is_whitespace() => Class::Space,
            _ if c.is_ascii_punctuation() => Class::Punctuation,
            _ if c.is_ascii() => Class::Other,
            '\u{200c}' | '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}' => Class::Mark,
            _ if without_spaces(c) && c.is_alphabetic() => Class::Unspaced,
            _ if c.is_lowercase() => Class::Lower,
            _ if c.is_uppercase() => Class::Upper,
            _ if c.is_numeric() => Class::Digit,
            _ => match c.general_category() {
                GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
                | GeneralCategory::EnclosingMark => Class::Mark,
                _ if c.is_alphabetic() => Class::Letter,
                _ if c.is_emoji_char() => Class::Symbol,
                GeneralCategory::MathSymbol
                | GeneralCategory::CurrencySymbol
                | GeneralCategory::ModifierSymbol
                | GeneralCategory::OtherSymbol => Class::Symbol,
                GeneralCategory::ConnectorPunctuation
                | GeneralCategory::DashPunctuation
                | GeneralCategory::OpenPunctuation
                | GeneralCategory::ClosePunctuation
                | GeneralCategory::InitialPunctuation
                | GeneralCategory::FinalPunctuation
                | GeneralCategory::OtherPunctuation => Class::Punctuation,
                _ => Class::Other,
            },
        }
    }

    /// A number for features: punctuation by itself, all else by class.
    pub fn code(self, c: char) -> u32 {
        match self {
            Class::Punctuation => c as u32 + 256,
            class => class as u32,
        }
    }
}

/// Whether a script puts no spaces between words.
pub fn without_spaces(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF // Thai, Lao
        | 0x1000..=0x109F // Myanmar
        | 0x1780..=0x17FF // Khmer
        | 0x2E80..=0x30FF // Han radicals, ideographic punctuation, kana
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F
        | 0x20000..=0x3FFFF)
}

/// The small form of a character, when that is one character.
pub fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        (Some(small), None) => small,
        _ => c,
    }
}

/// The shape of a word: classes, runs of more than two counted as two.
pub fn shape(form: &str) -> u32 {
    let (mut hash, mut last, mut run) = (0u32, u32::MAX, 0);
    for c in form.chars().take(64) {
        let code = Class::of(c).code(c);
        run = if code == last { run + 1 } else { 0 };
        last = code;
        if run < 2 {
            hash = fold(hash, code);
        }
    }
    hash
}

/// Adds a character to a running hash.
#[inline]
pub fn fold(hash: u32, value: u32) -> u32 {
    (hash.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B1).wrapping_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let classes: Vec<Class> =
            "aÉß9Ⅳ你א!、€😀\u{301}\u{200d}\u{a0}\u{7f}".chars().map(Class::of).collect();
        use Class::*;
        let expected = [
            Lower,
            Upper,
            Lower,
            Digit,
            Upper,
            Unspaced,
            Letter,
            Punctuation,
            Punctuation,
            Symbol,
            Symbol,
            Mark,
            Mark,
            Space,
            Other,
        ];
        assert_eq!(classes, expected);
    }

    #[test]
    fn shapes_shorten_runs() {
        assert_eq!(shape("Hello"), shape("World's".trim_end_matches("'s")));
        assert_eq!(shape("USA"), shape("NATO"));
        assert_ne!(shape("U.S."), shape("US"));
        assert_ne!(shape("a-b"), shape("a/b"));
    }
}
