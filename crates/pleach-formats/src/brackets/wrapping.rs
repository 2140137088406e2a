//! The SGML around the trees of a treebank release: documents, headers and numbered sentences.
//!
//! Releases differ in what they put around a tree (`<S ID=5>`, `<seg id="5">`, `<su id=…>`, nothing), so only
//! the elements that say something about sentences are known; text inside of any other element is skipped.

/// Elements that hold trees or other elements that do.
const HOLDERS: [&str; 14] = [
    "DOC", "BODY", "TEXT", "HEADLINE", "P", "TURN", "POST", "MSG", "SECTION", "STORY", "QUOTE", "XML",
    "ROOT", "FILE",
];

/// Elements that are one sentence.
const SENTENCES: [&str; 4] = ["S", "SEG", "SEGMENT", "SU"];

/// Elements whose text is the document's name.
const NAMES: [&str; 2] = ["DOCID", "DOCNO"];

/// How many elements may be inside of each other; deeper ones are not kept track of.
const MAX_OPEN: usize = 64;

/// What a tag means for the reader.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A sentence begins, with its id.
    Sentence(Option<String>),
    /// A sentence ends.
    EndSentence,
    /// Nothing about sentences.
    Other,
}

/// Where a reader is among the elements.
#[derive(Default)]
pub(super) struct Wrapping {
    open: Vec<String>,
    document: Option<String>,
}

impl Wrapping {
    /// Whether a line inside of a tree is a tag of a sentence, so that the tree must have ended before it.
    pub fn ends_tree(line: &str) -> bool {
        let Some(tag) = line.trim_start().strip_prefix('<') else { return false };
        let Some((tag, _)) = tag.split_once('>') else { return false };
        let name = name(tag.strip_prefix('/').unwrap_or(tag));
        SENTENCES.iter().chain(&["DOC"]).any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Takes note of a tag, given without its angle brackets.
    pub fn tag(&mut self, tag: &str) -> Event {
        if tag.starts_with(['!', '?']) {
            return Event::Other;
        }
        if let Some(closing) = tag.strip_prefix('/') {
            let closing = name(closing);
            if let Some(at) = self.open.iter().rposition(|open| open.eq_ignore_ascii_case(closing)) {
                self.open.truncate(at);
            }
            return if is_one_of(closing, &SENTENCES) { Event::EndSentence } else { Event::Other };
        }
        let opening = name(tag);
        if opening.eq_ignore_ascii_case("DOC") {
            self.open.clear();
            self.document = Some(attribute(tag, &["id", "docid"]).unwrap_or_default());
        }
        if !tag.ends_with('/') && self.open.len() < MAX_OPEN {
            self.open.push(opening.to_owned());
        }
        if is_one_of(opening, &SENTENCES) {
            return Event::Sentence(attribute(tag, &["id"]));
        }
        Event::Other
    }

    /// Whether text is allowed here; the name of a document is taken from it.
    pub fn text(&mut self, text: &str) -> bool {
        let Some(inner) = self.open.last() else { return false };
        if is_one_of(inner, &NAMES) {
            self.document = Some(text.trim().to_owned());
        }
        !is_one_of(inner, &HOLDERS) && !is_one_of(inner, &SENTENCES)
    }

    /// The document that begins with the next sentence: its name, which may be empty.
    pub fn begun_document(&mut self) -> Option<String> {
        self.document.take()
    }
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The name of an element.
fn name(tag: &str) -> &str {
    tag.split(|c: char| c.is_ascii_whitespace() || c == '/').next().unwrap_or(tag)
}

/// The value of an attribute, quoted or not.
fn attribute(tag: &str, names: &[&str]) -> Option<String> {
    let mut rest = tag.strip_prefix(name(tag))?;
    loop {
        rest = rest.trim_start();
        let (key, value) = rest.split_once('=')?;
        let key = key.trim_end().rsplit(char::is_whitespace).next()?;
        let value = value.trim_start();
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote)?,
            _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        if is_one_of(key, names) {
            // A stray quote means that the tag is broken, and could not be written back.
            return Some(value.to_owned()).filter(|value| !value.is_empty() && !value.contains('"'));
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_ids() {
        let mut wrapping = Wrapping::default();
        let id = |id: &str| Event::Sentence(Some(id.into()));
        assert_eq!(wrapping.tag("S ID=12"), id("12"));
        assert_eq!(wrapping.tag("S ID=\"a b\" x=1"), id("a b"));
        assert_eq!(wrapping.tag("S ID==\"a"), Event::Sentence(None));
        assert_eq!(wrapping.tag("seg lang='zh' id = 'x.1'"), id("x.1"));
        assert_eq!(wrapping.tag("su"), Event::Sentence(None));
        assert_eq!(wrapping.tag("/S"), Event::EndSentence);
        assert_eq!(wrapping.tag("SPEAKER id=1"), Event::Other);
    }

    #[test]
    fn text_of_headers_is_skipped_and_names_the_document() {
        let mut wrapping = Wrapping::default();
        assert!(!wrapping.text("stray"));
        wrapping.tag("DOC");
        wrapping.tag("DOCID");
        assert!(wrapping.text(" chtb_0001 "));
        wrapping.tag("/DOCID");
        assert!(!wrapping.text("stray"));
        assert_eq!(wrapping.begun_document().as_deref(), Some("chtb_0001"));
        assert_eq!(wrapping.begun_document(), None);
        assert!(Wrapping::ends_tree(" </S>") && Wrapping::ends_tree("<S ID=3>"));
        assert!(!Wrapping::ends_tree("<SP x>") && !Wrapping::ends_tree("<S"));
    }
}
