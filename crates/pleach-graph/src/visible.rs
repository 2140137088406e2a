//! Text from a file, made safe to show: what a terminal, a page or a log would obey becomes something to be seen.

use std::borrow::Cow;

/// The text with every character that could steer a terminal or disturb a picture made visible: control characters
/// become control pictures (`␊`), bidirectional overrides and non-characters become U+FFFD.
pub fn visible(text: &str) -> Cow<'_, str> {
    replace(text, |c| match shown(c) {
        same if same == c => None,
        other => Some(other),
    })
}

/// The same for a text of several lines, which stay lines.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    replace(text, |c| match shown(c) {
        same if same == c || c == '\n' => None,
        other => Some(other),
    })
}

fn replace(text: &str, change: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    match text.chars().any(|c| change(c).is_some()) {
        true => text.chars().map(|c| change(c).unwrap_or(c)).collect(),
        false => Cow::Borrowed(text),
    }
}

fn shown(c: char) -> char {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fff9}'..='\u{fffb}' => '\u{fffd}',
        c if c as u32 & 0xfffe == 0xfffe => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_invisible_stays() {
        assert_eq!(visible("a\n\u{202e}b\u{7}\u{ffff}\u{85}"), "a␊\u{fffd}b␇\u{fffd}\u{fffd}");
        assert_eq!(visible("नमस्ते می‌خواهم"), "नमस्ते می‌خواهم");
        assert_eq!(visible_lines("a\n\x1b[2Jb\r"), "a\n␛[2Jb␍");
    }

    #[test]
    fn harmless_text_is_not_copied() {
        assert!(matches!(visible("नमस्ते"), Cow::Borrowed(_)));
        assert!(matches!(visible_lines("one\ntwo"), Cow::Borrowed(_)));
    }
}
