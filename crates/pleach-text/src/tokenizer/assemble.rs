//! From pieces of text to sentences: words, multiword tokens, spaces and places.

use super::Piece;
use pleach_graph::{Multiword, NodeId, Sentence, Text, Token};
use std::fmt::Write;

/// Builds the sentences of one text.
#[derive(Debug)]
pub struct Assembler<'a> {
    text: &'a str,
    /// Where the text behind the last token starts.
    at: usize,
    /// How many characters stand before `at`, for `TokenRange=start:end` in MISC, if that is wanted.
    characters: Option<usize>,
}

impl<'a> Assembler<'a> {
    /// Starts at the beginning of a text. With a number of characters before the text, MISC says where every token
    /// stands (`TokenRange`, as UDPipe does).
    pub fn new(text: &'a str, start: Option<usize>) -> Self {
        Assembler { text, at: 0, characters: start }
    }

    /// The sentence of some pieces, the next ones of the text. `split` gives the words of a token if it has several.
    pub fn sentence(&mut self, pieces: &[Piece], mut split: impl FnMut(usize) -> Vec<Text>) -> Sentence {
        let mut sentence = Sentence::default();
        let mut text = String::new();
        let mut length = 0;
        for (number, piece) in pieces.iter().enumerate() {
            let form = &self.text[piece.bytes.clone()];
            let before = &self.text[self.at..piece.bytes.start];
            let mut misc = String::new();
            if self.at == 0 && !before.is_empty() {
                push_item(&mut misc, "SpacesBefore", before);
            }
            let behind = &self.text[piece.bytes.end..];
            let spaces = &behind[..behind.len() - behind.trim_start().len()];
            let ends = number + 1 == pieces.len();
            match spaces {
                " " => {}
                "" => push_plain(&mut misc, "SpaceAfter=No"),
                other => push_item(&mut misc, "SpacesAfter", other),
            }
            let count = form.chars().count();
            if let Some(characters) = &mut self.characters {
                let start = *characters + before.chars().count();
                let _ = write!(misc, "{}TokenRange={start}:{}", separator(&misc), start + count);
                *characters = start + count;
            }
            self.at = piece.bytes.end;
            let anchor = (length as u32, (length + count) as u32);
            push_token(&mut sentence, form, anchor, misc.into(), &split(number));
            text.extend(form.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
            length += count;
            if !spaces.is_empty() && !ends {
                text.push(' ');
                length += 1;
            }
        }
        sentence.graph = pleach_graph::Graph::new(sentence.len());
        sentence.set_comment("text", &text);
        sentence
    }
}

/// Adds a token with its words.
fn push_token(sentence: &mut Sentence, form: &str, anchor: (u32, u32), misc: Text, words: &[Text]) {
    let first = sentence.tokens.len() as u32 + 1;
    if words.len() < 2 {
        let token = Token { misc, anchor: Some(anchor), ..Token::new(first, form) };
        sentence.tokens.push(token);
        return;
    }
    let last = first + words.len() as u32 - 1;
    // Words that make up the form have places of their own.
    let parts = words.iter().map(Text::as_str).collect::<String>() == form;
    let mut at = anchor.0;
    for (number, word) in words.iter().enumerate() {
        let end = at + word.chars().count() as u32;
        let place = if parts { (at, end) } else { anchor };
        at = end;
        let token = Token { anchor: Some(place), ..Token::new(first + number as u32, word.clone()) };
        sentence.tokens.push(token);
    }
    let multiword = Multiword { first, last, form: form.into(), misc, ..Multiword::default() };
    sentence.multiwords.push(multiword);
}

fn separator(misc: &str) -> &'static str {
    if misc.is_empty() { "" } else { "|" }
}

fn push_plain(misc: &mut String, item: &str) {
    misc.push_str(separator(misc));
    misc.push_str(item);
}

/// White space in UDPipe's spelling.
fn push_item(misc: &mut String, key: &str, spaces: &str) {
    let _ = write!(misc, "{}{key}=", separator(misc));
    for c in spaces.chars() {
        match c {
            ' ' => misc.push_str("\\s"),
            '\t' => misc.push_str("\\t"),
            '\r' => misc.push_str("\\r"),
            '\n' => misc.push_str("\\n"),
            other => misc.push(other),
        }
    }
}

/// The text that sentences were cut from, by `SpaceAfter`, `SpacesAfter` and `SpacesBefore`.
pub fn original<'a>(sentences: impl IntoIterator<Item = &'a Sentence>) -> String {
    let mut text = String::new();
    for sentence in sentences {
        for token in crate::surface::tokens(sentence) {
            let misc = match token.multiword {
                true => {
                    let first = sentence.id_of(NodeId(token.words.start as u32 + 1)).word;
                    let found = sentence.multiwords.iter().find(|multiword| multiword.first == first);
                    found.map_or("", |multiword| multiword.misc.as_str())
                }
                false => sentence.tokens[token.words.start].misc.as_str(),
            };
            let value =
                |key: &str| misc.split('|').find_map(|item| item.strip_prefix(key)?.strip_prefix('='));
            text.push_str(&unescape(value("SpacesBefore").unwrap_or_default()));
            text.push_str(token.form);
            match (value("SpacesAfter"), token.space_after) {
                (Some(spaces), _) => text.push_str(&unescape(spaces)),
                (None, true) => text.push(' '),
                (None, false) => {}
            }
        }
    }
    text
}

fn unescape(spaces: &str) -> String {
    spaces.replace("\\s", " ").replace("\\t", "\t").replace("\\r", "\r").replace("\\n", "\n")
}
