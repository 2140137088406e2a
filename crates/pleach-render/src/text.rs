//! How wide text is, in terminal cells and in hundredths of an em.
//!
//! There is no font at hand when an SVG is written, so widths come from a table of advance widths. The table
//! follows DejaVu Sans, one of the widest of the common fonts: text set in another one leaves some room, but
//! never runs into its neighbour.

pub use pleach_graph::visible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Advance widths of the printable ASCII characters, from the space on, in hundredths of an em.
const ASCII: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 78, 75, 30, 30, 66, 56, 86, 75, 79, 60, 79, 70, 64,
    61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 64, 55, 64, 62, 35, 64, 63, 28, 28, 58, 28, 97,
    63, 61, 64, 64, 41, 52, 39, 63, 59, 82, 59, 59, 53, 64, 34, 64, 84,
];

/// The width in terminal cells: two for CJK, none for combining marks.
pub fn cells(text: &str) -> i32 {
    text.width() as i32
}

/// The width in hundredths of an em.
pub fn ems(text: &str) -> i32 {
    let width = |c: char| match c {
        ' '..='~' => i32::from(ASCII[c as usize - 0x20]),
        '\u{2010}'..='\u{2015}' | '…' | '−' => 100,
        _ => match c.width() {
            None | Some(0) => 0,
            Some(1) if c.is_uppercase() => 82,
            Some(1) => 70,
            Some(cells) => 52 * cells as i32,
        },
    };
    text.chars().map(width).sum()
}

/// The text, cut to at most `limit` cells with an ellipsis at the end.
pub fn clip(text: &str, limit: i32) -> String {
    if cells(text) <= limit {
        return text.to_owned();
    }
    let mut used = 0;
    let mut kept = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0) as i32;
        // Marks without width could go on for ever.
        if used >= limit || kept.len() > 16 * limit.max(0) as usize {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// Whether most words are written from right to left, by the first strong character of each.
pub fn right_to_left<'a>(forms: impl Iterator<Item = &'a str>) -> bool {
    let balance: i64 = forms
        .map(|form| match form.chars().find(|&c| c.is_alphabetic()) {
            Some(c) if is_right_to_left(c) => 1,
            Some(_) => -1,
            None => 0,
        })
        .sum();
    balance > 0
}

/// Whether a character belongs to a right-to-left script: Hebrew, Arabic, Syriac, Thaana, N'Ko, Adlam, ….
pub fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_of_scripts() {
        assert_eq!((cells("妈妈"), ems("妈妈")), (4, 208));
        assert_eq!((cells("e\u{301}"), ems("e\u{301}")), (1, 62));
        assert!(ems("WWW") > ems("iii"));
    }

    #[test]
    fn clipping_counts_cells() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("abcd", 3), "ab…");
        assert_eq!(clip("妈妈把", 5), "妈妈…");
        let zalgo = format!("a{}", "\u{301}".repeat(100_000));
        assert_eq!(clip(&zalgo, 5), zalgo);
        assert!(clip(&format!("{zalgo}bcdefgh"), 5).len() < 200);
    }

    #[test]
    fn direction_is_that_of_most_words() {
        assert!(right_to_left(["שלום", "עולם", "ok", "!"].into_iter()));
        assert!(!right_to_left(["a", "שלום"].into_iter()));
        assert!(!right_to_left(["1", "."].into_iter()));
    }
}
