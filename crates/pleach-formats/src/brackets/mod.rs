//! Penn and Chinese Treebank brackets: whole releases as they come, with or without SGML around the trees, in
//! UTF-8 or GB2312/GBK/GB18030.
//!
//! The canonical form has one tree per line, `( (IP …) )`, between `<S ID=n>` and `</S>` when the sentence has
//! an id. Trees over several lines and several trees in one sentence or line are read too. After a malformed
//! tree the reader goes on with the next line that begins a tree or a sentence.

mod trees;
mod wrapping;

use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::gb18030::{FromGb18030, looks_like_utf8};
use crate::losses::{Carries, Comments, NOTE};
use crate::source::{MAX_SENTENCE_BYTES, MAX_TOKENS, Source};
use crate::{Losses, ReadError};
use pleach_graph::phrase::Phrase;
use pleach_graph::{Graph, Sentence, Token};
use serde_json::Value;
use std::collections::VecDeque;
use trees::{Fault, Line, Place, Trees};
use wrapping::{Event, Wrapping};

/// How much of a file is looked at to tell its encoding.
const WINDOW: usize = 64 << 10;

/// The note on trees that share the `<S>` of the tree before or after them.
const SHARED_NOTE: &str = "pleach:brackets-shared";

/// How many trees of one line are read before they are asked for.
const AHEAD: usize = 16;

/// How the format is named, recognised, read and written.
pub(crate) static FORMAT: Description = Description {
    name: "brackets",
    about: "Penn and Chinese Treebank trees",
    aliases: &["ptb", "ctb", "penn"],
    extensions: &["mrg", "fid", "brackets", "ptb", "ctb"],
    media_type: "text/x-brackets; charset=utf-8",
    likeness,
    reader: |_| Ok(Box::new(BracketsReader::default())),
    writer: || Box::new(BracketsWriter),
};

fn likeness(opening: &Opening<'_>) -> Likeness {
    let bracketed = |line: &str| line.trim_start().starts_with('(');
    let first = opening.first_line();
    let wrapped = || first.starts_with(['<', '*']) && opening.text().lines().any(bracketed);
    if bracketed(first) || wrapped() { Likeness::Marked } else { Likeness::No }
}

/// The rest of a line that has many trees.
struct Held {
    text: String,
    at: usize,
    place: Place,
}

/// Reads one bracketed tree after the other.
#[derive(Default)]
pub(crate) struct BracketsReader {
    wrapping: Wrapping,
    trees: Trees,
    held: Option<Held>,
    /// Complete trees and errors that have not been asked for yet.
    ready: VecDeque<Result<Sentence, ReadError>>,
    /// The open `<S>`: its id, and how many trees it has had.
    sentence: Option<(Option<String>, usize)>,
    /// Whether lines are stepped over up to the next start of a tree.
    lost: bool,
    /// Bytes of the tree that is open.
    size: usize,
    encoding: Encoding,
}

/// What is known about the encoding.
enum Encoding {
    Known,
    /// Only ASCII so far; look again after this many bytes.
    Open {
        after: usize,
    },
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding::Open { after: 0 }
    }
}

impl ReadFormat for BracketsReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        // A tree waits until it is known whether its sentence has another one.
        while self.ready.is_empty() || (self.ready.len() == 1 && self.sentence.is_some()) {
            if let Some(held) = self.held.take() {
                self.go_on(held, source.name());
                continue;
            }
            if let Err(error) = self.tell_encoding(source) {
                return Some(Err(error));
            }
            let line = match source.line() {
                None => break,
                Some(Err(error)) if self.ready.is_empty() => {
                    self.get_lost();
                    return Some(Err(error));
                }
                Some(Err(error)) => {
                    self.get_lost();
                    self.ready.push_back(Err(error));
                    break;
                }
                Some(Ok(line)) => line,
            };
            if let Encoding::Open { after } = &mut self.encoding {
                *after = after.saturating_sub(line.text.len());
            }
            let (text, number, file) = (line.text, line.first_line(), line.file());
            self.line(text, number, file);
        }
        if self.ready.is_empty() && self.trees.is_open() {
            let message = format!("expected `)`, found the end of the file; {}", self.trees.abandon());
            let (file, line) = (source.name().to_owned(), source.line_number());
            return Some(Err(ReadError::Syntax { file, line, column: 1, message }));
        }
        self.ready.pop_front()
    }
}

impl BracketsReader {
    /// Decides between UTF-8 and GB18030 as soon as a byte beyond ASCII is near.
    fn tell_encoding(&mut self, source: &mut Source) -> Result<(), ReadError> {
        if let Encoding::Open { after: 0 } = self.encoding {
            self.encoding = match looks_like_utf8(source.peek(WINDOW)?) {
                None => Encoding::Open { after: WINDOW / 2 },
                Some(true) => Encoding::Known,
                Some(false) => {
                    source.decode(|input| Box::new(FromGb18030::new(input)));
                    Encoding::Known
                }
            };
        }
        Ok(())
    }

    /// Forgets the tree that is open, and steps over the rest of it.
    fn get_lost(&mut self) {
        self.trees.abandon();
        self.size = 0;
        self.lost = true;
    }

    fn line(&mut self, text: &str, number: u64, file: &str) {
        let mut line = Line::new(text, number);
        if self.trees.is_open() {
            let tag = Wrapping::ends_tree(text);
            if tag || self.trees.begins_anew(text) {
                let found = if tag { "a tag" } else { "the next tree" };
                let message = format!("expected `)`, found {found}; {}", self.trees.abandon());
                self.size = 0;
                self.fault(Fault { place: line.place(), message }, file);
                self.lost = false;
            } else {
                self.size += text.len();
                if self.size > MAX_SENTENCE_BYTES {
                    let limit = MAX_SENTENCE_BYTES >> 20;
                    let message = format!("expected a tree of at most {limit} MB; {}", self.trees.abandon());
                    self.fault(Fault { place: line.place(), message }, file);
                    return;
                }
            }
        }
        // A tree that begins at the margin, or a tag, is where the lost reader finds its way again.
        if self.lost && (text.starts_with('(') || text.trim_start().starts_with('<')) {
            self.lost = false;
        }
        self.trees_of(&mut line, file);
        if !self.lost && !line.rest().is_empty() {
            self.held = Some(Held { text: line.rest().to_owned(), at: 0, place: line.place() });
        }
    }

    /// Reads on in a line that had more trees than were wanted at once.
    fn go_on(&mut self, held: Held, file: &str) {
        let mut line = Line::at(&held.text[held.at..], held.place);
        self.trees_of(&mut line, file);
        let (at, place) = (held.text.len() - line.rest().len(), line.place());
        if !self.lost && at < held.text.len() {
            self.held = Some(Held { at, place, ..held });
        }
    }

    /// Reads trees and tags up to the end of the line, or until there are enough of them.
    fn trees_of(&mut self, line: &mut Line<'_>, file: &str) {
        while !self.lost && self.ready.len() < AHEAD {
            line.skip_space();
            if line.rest().is_empty() {
                break;
            }
            if self.trees.is_open() || line.rest().starts_with('(') {
                match self.trees.read(line) {
                    Ok(Some(tree)) => self.tree(tree, line, file),
                    Ok(None) => {}
                    Err(fault) => self.fault(fault, file),
                }
            } else if line.rest().starts_with('<') {
                self.tag(line, file);
            } else {
                self.text(line, file);
            }
        }
    }

    fn tag(&mut self, line: &mut Line<'_>, file: &str) {
        let place = line.place();
        let Some(end) = line.rest().find('>') else {
            self.fault(Fault { place, message: "expected `>` at the end of the tag".to_owned() }, file);
            self.lost = false;
            line.skip_all();
            return;
        };
        let tag = line.take(end + 1);
        match self.wrapping.tag(&tag[1..end]) {
            Event::Sentence(id) => self.sentence = Some((id, 0)),
            Event::EndSentence => self.sentence = None,
            Event::Other => {}
        }
    }

    fn text(&mut self, line: &mut Line<'_>, file: &str) {
        let place = line.place();
        let end = line.rest().find('<').unwrap_or(line.rest().len());
        // Files of the Brown corpus begin with lines of stars.
        let stars = line.rest().starts_with("*x*");
        let text = line.take(end);
        if !self.wrapping.text(text) && !stars {
            let found = text.split_whitespace().next().unwrap_or(text);
            let message = format!("expected `(` or a tag, found {}", crate::columns::quote(found));
            self.fault(Fault { place, message }, file);
        }
    }

    fn fault(&mut self, Fault { place, message }: Fault, file: &str) {
        let (file, line, column) = (file.to_owned(), place.line, place.column);
        self.ready.push_back(Err(ReadError::Syntax { file, line, column, message }));
        self.size = 0;
        self.lost = true;
    }

    fn tree(&mut self, tree: Phrase, line: &Line<'_>, file: &str) {
        self.size = 0;
        let mut sentence = Sentence::default();
        let mut stack = vec![&tree];
        while let Some(phrase) = stack.pop() {
            match phrase {
                Phrase::Leaf { tag, .. } if tag == "-NONE-" => {}
                Phrase::Leaf { tag, word } => {
                    let number = sentence.tokens.len() as u32 + 1;
                    sentence.tokens.push(Token { xpos: tag.clone(), ..Token::new(number, word.clone()) });
                }
                Phrase::Node { children, .. } => stack.extend(children.iter().rev()),
            }
        }
        if sentence.tokens.len() > MAX_TOKENS {
            let message = format!("expected at most {MAX_TOKENS} tokens in a sentence");
            self.fault(Fault { place: line.place(), message }, file);
            self.lost = false;
            return;
        }
        sentence.graph = Graph::new(sentence.len());
        match self.wrapping.begun_document() {
            Some(name) if name.is_empty() => sentence.comments.push("# newdoc".to_owned()),
            Some(name) => sentence.comments.push(format!("# newdoc id = {name}")),
            None => {}
        }
        if let Some((id, trees)) = &mut self.sentence {
            *trees += 1;
            if let Some(id) = id {
                let id = if *trees == 1 { id.clone() } else { format!("{id}.{trees}") };
                sentence.comments.push(format!("# sent_id = {id}"));
            }
            if *trees > 1 {
                share(&mut sentence, "before");
                if let Some(Ok(before)) = self.ready.back_mut() {
                    share(before, "after");
                }
            }
        }
        if !sentence.is_empty() {
            sentence.comments.push(format!("# text = {}", text_of(&sentence.tokens)));
        }
        sentence.phrase = Some(Box::new(tree));
        self.ready.push_back(Ok(sentence));
    }
}

/// Notes that a tree has a sister in the same `<S>`.
fn share(sentence: &mut Sentence, side: &str) {
    debug_assert!(SHARED_NOTE.starts_with(NOTE));
    let note = sentence.extra.entry(SHARED_NOTE).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(sides) = note {
        sides.push(Value::from(side));
    }
}

fn is_shared(sentence: &Sentence, side: &str) -> bool {
    let note = sentence.extra.get(SHARED_NOTE).and_then(Value::as_array);
    note.is_some_and(|sides| sides.iter().any(|value| value == side))
}

/// The words in a row: with spaces between words of Latin script, without them in Chinese.
fn text_of(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        let joins = |c: Option<char>| c.is_some_and(|c| c < '\u{2E80}');
        if joins(text.chars().next_back()) && joins(token.form.chars().next()) {
            text.push(' ');
        }
        text.push_str(&token.form);
    }
    text
}

/// Writes the bracketed tree of a sentence.
pub(crate) struct BracketsWriter;

const CARRIES: Carries =
    Carries { comments: Comments::IdAndText, phrase: true, xpos: true, ..Carries::NOTHING };

impl WriteFormat for BracketsWriter {
    /// A tree may have nothing but traces.
    fn has_content(&self, _: &Sentence) -> bool {
        true
    }

    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        let Some(tree) = &sentence.phrase else {
            return Err("it has no bracketed tree".to_owned());
        };
        CARRIES.count(sentence, losses);
        losses.add(crate::Loss::Arcs, sentence.graph.arcs().len() as u64);
        let id = sentence.sent_id();
        let wrapped = id.is_some() || is_shared(sentence, "before") || is_shared(sentence, "after");
        if wrapped && !is_shared(sentence, "before") {
            out.extend_from_slice(b"<S");
            if let Some(id) = id {
                if id.contains(['>', '"', '\n']) {
                    return Err(format!("the id {id:?} cannot stand in a tag"));
                }
                let quote = if id.contains(char::is_whitespace) { "\"" } else { "" };
                out.extend_from_slice(format!(" ID={quote}{id}{quote}").as_bytes());
            }
            out.extend_from_slice(b">\n");
        }
        write_tree(tree, out)?;
        out.push(b'\n');
        if wrapped && !is_shared(sentence, "after") {
            out.extend_from_slice(b"</S>\n");
        }
        Ok(())
    }
}

/// One tree on one line; brackets without a label keep a space from what they enclose.
fn write_tree(tree: &Phrase, out: &mut Vec<u8>) -> Result<(), String> {
    enum Step<'a> {
        Tree(&'a Phrase),
        Text(&'static str),
    }
    let mut steps = vec![Step::Tree(tree)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Text(text) => out.extend_from_slice(text.as_bytes()),
            Step::Tree(Phrase::Leaf { tag, word }) => {
                if tag.is_empty() || word.is_empty() {
                    return Err("a leaf has no tag or no word".to_owned());
                }
                out.push(b'(');
                push_name(out, tag)?;
                out.push(b' ');
                push_name(out, word)?;
                out.push(b')');
            }
            Step::Tree(Phrase::Node { label, children }) => {
                if children.is_empty() {
                    return Err(format!("the constituent {label:?} has no children"));
                }
                out.push(b'(');
                push_name(out, label)?;
                out.push(b' ');
                steps.push(Step::Text(if label.is_empty() { " )" } else { ")" }));
                for (i, child) in children.iter().enumerate().rev() {
                    steps.push(Step::Tree(child));
                    if i > 0 {
                        steps.push(Step::Text(" "));
                    }
                }
            }
        }
    }
    Ok(())
}

fn push_name(out: &mut Vec<u8>, name: &str) -> Result<(), String> {
    if name.contains(['(', ')', ' ', '\t', '\n', '\r', '\x0B', '\x0C']) {
        return Err(format!("{name:?} cannot stand between brackets"));
    }
    out.extend_from_slice(name.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests;
