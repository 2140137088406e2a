//! Where in a JSON text a value stands, for the places of errors. Only called for texts that were parsed.

/// A step from a value to one within it.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

/// The byte offset of the value that the steps lead to; of the last one that is there when one is missing.
pub(super) fn locate(text: &str, path: &[Step<'_>]) -> usize {
    let mut at = blank(text, 0);
    for step in path {
        let Some(found) = enter(text, at, *step) else { break };
        at = found;
    }
    at
}

/// The offset of a part of the value at `at`.
fn enter(text: &str, at: usize, step: Step<'_>) -> Option<usize> {
    let bytes = text.as_bytes();
    let open = *bytes.get(at)?;
    let mut at = blank(text, at + 1);
    let mut place = 0;
    while !matches!(bytes.get(at), None | Some(b'}' | b']')) {
        let mut found = matches!((open, step), (b'[', Step::Item(item)) if item == place);
        if open == b'{' {
            let end = skip(text, at);
            // Keys of this format have no escapes.
            found = matches!(step, Step::Key(key) if text[at..end].trim_matches('"') == key);
            at = blank(text, blank(text, end) + 1);
        }
        if found {
            return Some(at);
        }
        at = blank(text, skip(text, at));
        at = if bytes.get(at) == Some(&b',') { blank(text, at + 1) } else { at };
        place += 1;
    }
    None
}

/// The offset of what follows white space.
fn blank(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// The offset behind the value at `at`.
fn skip(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut quoted, mut at) = (0_usize, false, at);
    while let Some(&byte) = bytes.get(at) {
        match (quoted, byte) {
            (true, b'\\') => at += 1,
            (_, b'"') => quoted = !quoted,
            (true, _) => {}
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}' | b',' | b':') if depth == 0 => return at,
            (false, b']' | b'}') => depth -= 1,
            (false, _) => {}
        }
        at += 1;
        // A string or a nested value ends where it closes, a number before the next sign.
        if depth == 0 && !quoted && matches!(byte, b'"' | b']' | b'}') {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found() {
        let text =
            r#" {"a, \"b": [1, "]"], "words": [{"form": "x"} , {"head": 17, "form": "ÿ"}], "n": -1.5}"#;
        let at = |path: &[Step<'_>]| &text[locate(text, path)..];
        use Step::{Item, Key};
        assert!(at(&[Key("words"), Item(1), Key("head")]).starts_with("17"));
        assert!(at(&[Key("words"), Item(1), Key("form")]).starts_with("\"ÿ\""));
        assert!(at(&[Key("words"), Item(0)]).starts_with("{\"form\": \"x\"}"));
        assert!(at(&[Key("n")]).starts_with("-1.5"));
        // What is missing is looked for where it should be.
        assert!(at(&[Key("words"), Item(1), Key("lemma")]).starts_with("{\"head\""));
        assert!(at(&[Key("words"), Item(2)]).starts_with("[{\"form\""));
        assert_eq!(locate("", &[Key("x")]), 0);
    }
}
