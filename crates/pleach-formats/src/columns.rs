//! What the column formats share: cutting lines at tabs, `_` for nothing, numbers.

use crate::ReadError;
use crate::source::Block;
use memchr::memchr_iter;
use pleach_graph::{Arc, NodeId, Text, TokenId};

/// Cuts a line at its tabs; the number of columns is the error when it is not `N`.
#[inline]
pub(crate) fn split<const N: usize>(line: &str) -> Result<[&str; N], usize> {
    let mut columns = [""; N];
    let mut count = 0;
    let mut start = 0;
    for tab in memchr_iter(b'\t', line.as_bytes()) {
        if count < N {
            columns[count] = &line[start..tab];
        }
        count += 1;
        start = tab + 1;
    }
    if count + 1 != N {
        return Err(count + 1);
    }
    columns[count] = &line[start..];
    Ok(columns)
}

/// The text of a column, `_` meaning that there is none.
#[inline]
pub(crate) fn given(column: &str) -> Text {
    if column == "_" { Text::const_new("") } else { Text::new(column) }
}

/// A number without sign and leading zeros, so that writing it gives the same bytes.
#[inline]
pub(crate) fn number(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    match bytes {
        [b'0'] => return Some(0),
        [] | [b'0', ..] => return None,
        _ if bytes.len() > 9 => return None,
        _ => {}
    }
    bytes.iter().try_fold(0, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| value * 10 + u32::from(digit))
    })
}

/// An id `8` or `8.1`.
#[inline]
pub(crate) fn token_id(text: &str) -> Option<TokenId> {
    match text.split_once('.') {
        None => Some(TokenId::word(number(text)?)),
        Some((word, empty)) => {
            let id = TokenId { word: number(word)?, empty: number(empty)? };
            id.is_empty_node().then_some(id)
        }
    }
}

/// The error for a line with the wrong number of columns.
#[cold]
pub(crate) fn wrong_count(block: &Block<'_>, line: &str, expected: &str, found: usize) -> ReadError {
    let hint = if found == 1 && line.contains(' ') { " (are there spaces in place of tabs?)" } else { "" };
    let s = if found == 1 { "" } else { "s" };
    block.error(line, format!("expected {expected} columns separated by tabs, found {found} column{s}{hint}"))
}

/// Quotes what was found, cut when long.
pub(crate) fn quote(found: &str) -> String {
    const MOST: usize = 40;
    if found.is_empty() {
        return "nothing".to_owned();
    }
    match found.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &found[..end]),
        None => format!("`{found}`"),
    }
}

/// Appends a number.
#[inline]
pub(crate) fn push_number(out: &mut Vec<u8>, mut value: u32) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends an id.
#[inline]
pub(crate) fn push_id(out: &mut Vec<u8>, id: TokenId) {
    push_number(out, id.word);
    if id.is_empty_node() {
        out.push(b'.');
        push_number(out, id.empty);
    }
}

/// Appends a column that may be empty, which is written as `_`; the separator is the caller's.
///
/// The error says why the text cannot stand in a column.
#[inline]
pub(crate) fn push_given(out: &mut Vec<u8>, text: &str) -> Result<(), String> {
    if text.is_empty() {
        out.push(b'_');
        return Ok(());
    }
    push_verbatim(out, text)
}

/// Appends a column that must not be empty.
#[inline]
pub(crate) fn push_form(out: &mut Vec<u8>, form: &str) -> Result<(), String> {
    if form.is_empty() {
        return Err("a word has an empty form".to_owned());
    }
    push_verbatim(out, form)
}

#[inline]
fn push_verbatim(out: &mut Vec<u8>, text: &str) -> Result<(), String> {
    if text.bytes().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        return Err(format!("a tab or line break inside of {text:?}"));
    }
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// The place of an arc among those into one node, which are sorted.
pub(crate) fn place_of(arcs: &[Arc], head: NodeId, label: &str) -> Option<usize> {
    arcs.binary_search_by(|arc| (arc.head, arc.label.as_str()).cmp(&(head, label))).ok()
}

/// Checks that a comment or id stays on its line.
pub(crate) fn check_comment(comment: &str) -> Result<(), String> {
    match comment.contains(['\n', '\r']) {
        true => Err(format!("a line break inside of the comment {comment:?}")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_canonical() {
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("65535"), Some(65535));
        for bad in ["", "00", "07", "+1", "-1", "1x", "9999999999", "١"] {
            assert_eq!(number(bad), None, "{bad}");
        }
        let mut out = Vec::new();
        push_number(&mut out, 0);
        push_number(&mut out, u32::MAX);
        assert_eq!(out, b"04294967295");
    }

    #[test]
    fn ids() {
        assert_eq!(token_id("8.1"), Some(TokenId { word: 8, empty: 1 }));
        assert_eq!(token_id("0.1"), Some(TokenId { word: 0, empty: 1 }));
        assert_eq!(token_id("8"), Some(TokenId::word(8)));
        for bad in ["8.0", "8.", ".1", "8.1.1", "3-4"] {
            assert_eq!(token_id(bad), None, "{bad}");
        }
    }

    #[test]
    fn columns_are_counted() {
        assert_eq!(split::<3>("a\t\tc"), Ok(["a", "", "c"]));
        assert_eq!(split::<3>("a"), Err(1));
        assert_eq!(split::<3>("a\tb\tc\t"), Err(4));
    }
}
