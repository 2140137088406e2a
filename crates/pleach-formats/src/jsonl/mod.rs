//! JSON lines, Pleach's own: one sentence a line, everything that a [`Sentence`] has but bracketed trees.
//!
//! ```text
//! {"id": "s1", "text": "Ann wants to sleep", "words": [{"id": 1, "form": "Ann", "upos": "PROPN", "head": 2, …}, …],
//!  "arcs": [[2, 1, "nsubj"], [4, 1, "nsubj:xsubj"], [0, 2, "root"], …]}
//! ```
//!
//! `docs/formats.md` has the schema. Only `words` and their `form` must be there; what is not given is left out, and
//! other keys are errors, so that a misspelled one is not lost in silence.

mod locate;
mod schema;

use crate::columns::check_comment;
use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::json;
use crate::losses::{Carries, Comments, NOTE, comment_key};
use crate::source::{Block, MAX_ARCS, MAX_COMMENTS, MAX_TOKENS, Source};
use crate::{Losses, ReadError};
use locate::Step::{self, Item, Key};
use pleach_graph::{Arc, Graph, Multiword, NodeId, Sentence, Text, TokenId};
use schema::{Id, Line, Range, Word};
use std::borrow::Cow;

/// How the format is named, recognised, read and written.
pub(crate) static FORMAT: Description = Description {
    name: "jsonl",
    about: "JSON lines with everything that a sentence has",
    aliases: &["pleach-jsonl"],
    extensions: &["jsonl"],
    media_type: "application/x-pleach-jsonl",
    likeness,
    reader: |_| Ok(Box::new(JsonlReader)),
    writer: || Box::new(JsonlWriter),
};

/// The key `words` tells it from other JSON; within a string its last quotation mark would be escaped.
fn likeness(opening: &Opening<'_>) -> Likeness {
    let first = opening.first_line().trim_start();
    let mut after = first.split("\"words\"").skip(1);
    let key = after.any(|rest| rest.trim_start().starts_with(':'));
    if first.starts_with('{') && key { Likeness::Marked } else { Likeness::No }
}

struct JsonlReader;

impl ReadFormat for JsonlReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        Some(source.line()?.and_then(|block| parse(&block)))
    }
}

/// An error at a value.
#[cold]
fn at(block: &Block<'_>, path: &[Step<'_>], message: impl Into<String>) -> ReadError {
    block.error_at(locate::locate(block.text, path), message)
}

fn parse(block: &Block<'_>) -> Result<Sentence, ReadError> {
    let line: Line<'_> = serde_json::from_str(block.text.trim_end()).map_err(|error| {
        let mut message = error.to_string();
        if let Some(end) = message.find(" at line ") {
            message.truncate(end);
        }
        block.error_at(error.column().saturating_sub(1), format!("expected a sentence in JSON: {message}"))
    })?;
    let mut sentence = Sentence { comments: comments(block, &line)?, ..Sentence::default() };
    if line.words.is_empty() {
        return Err(at(block, &[Key("words")], "expected at least one word"));
    }
    if line.words.len() > MAX_TOKENS {
        let message = format!("expected at most {MAX_TOKENS} tokens in a sentence");
        return Err(at(block, &[Key("words"), Item(MAX_TOKENS)], message));
    }
    let mut last = TokenId::default();
    let mut heads: Vec<Option<TokenId>> = Vec::with_capacity(line.words.len());
    for (i, word) in line.words.into_iter().enumerate() {
        let next = TokenId::word(last.word + 1);
        let empty = TokenId { word: last.word, empty: last.empty + 1 };
        let id = word.id.map_or(next, |id| id.0);
        if id != next && id != empty {
            let message = format!("expected the id {next}, or {empty} for an empty node, found {id}");
            return Err(at(block, &[Key("words"), Item(i), Key("id")], message));
        }
        if word.form.is_empty() {
            return Err(at(block, &[Key("words"), Item(i), Key("form")], "expected a form, found nothing"));
        }
        if word.anchor.is_some_and(|(start, end)| start > end) {
            let message = "expected an anchor whose start is not beyond its end";
            return Err(at(block, &[Key("words"), Item(i), Key("anchor")], message));
        }
        last = id;
        heads.push(word.head.map(|head| head.0));
        sentence.tokens.push(word.into_token(id));
    }
    sentence.multiwords = multiwords(block, line.multiwords, last.word)?;
    for (i, head) in heads.into_iter().enumerate() {
        let Some(head) = head else { continue };
        let path = [Key("words"), Item(i), Key("head")];
        sentence.tokens[i].head = Some(node(block, &sentence, head, &path)?);
    }
    sentence.graph = graph(block, &sentence, line.arcs)?;
    sentence.extra = line.extra.into_owned();
    Ok(sentence)
}

/// The comments, those that stand for `id` and `text` first unless they have their place among the others.
fn comments(block: &Block<'_>, line: &Line<'_>) -> Result<Vec<String>, ReadError> {
    if line.comments.len() > MAX_COMMENTS {
        let message = format!("expected at most {MAX_COMMENTS} comment lines");
        return Err(at(block, &[Key("comments"), Item(MAX_COMMENTS)], message));
    }
    if let Some(i) = line.comments.iter().position(|c| !c.starts_with('#') || c.contains(['\n', '\r'])) {
        return Err(at(block, &[Key("comments"), Item(i)], "expected a line that starts with `#`"));
    }
    let given: Vec<String> = line.comments.iter().map(|comment| comment.clone().into_owned()).collect();
    let mut others = Sentence { comments: given, ..Sentence::default() };
    let mut first = Vec::new();
    for (key, value) in [("sent_id", &line.id), ("text", &line.text)] {
        let Some(value) = value else { continue };
        let value = value.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
        match others.comment(key) {
            None => first.push(format!("# {key} = {value}")),
            Some(other) if other == value.trim() => {}
            Some(_) => others.set_comment(key, &value),
        }
    }
    first.append(&mut others.comments);
    Ok(first)
}

fn multiwords(block: &Block<'_>, ranges: Vec<Range<'_>>, words: u32) -> Result<Vec<Multiword>, ReadError> {
    let mut open = 0;
    let mut found = Vec::with_capacity(ranges.len());
    for (i, range) in ranges.into_iter().enumerate() {
        if range.first <= open || range.last < range.first || range.last > words {
            let message = format!(
                "expected a range of words from {} to {words}, found {}-{}",
                open + 1,
                range.first,
                range.last
            );
            return Err(at(block, &[Key("multiwords"), Item(i)], message));
        }
        if range.form.is_empty() {
            let path = [Key("multiwords"), Item(i), Key("form")];
            return Err(at(block, &path, "expected a form, found nothing"));
        }
        open = range.last;
        found.push(range.into_multiword());
    }
    Ok(found)
}

/// The node that an id means.
fn node(block: &Block<'_>, sentence: &Sentence, id: TokenId, path: &[Step<'_>]) -> Result<NodeId, ReadError> {
    let node = sentence.node(id);
    node.ok_or_else(|| at(block, path, format!("expected the id of a word of the sentence or 0, found {id}")))
}

fn graph(
    block: &Block<'_>,
    sentence: &Sentence,
    arcs: Vec<(Id, Id, Cow<'_, str>)>,
) -> Result<Graph, ReadError> {
    if arcs.len() > MAX_ARCS {
        let message = format!("expected at most {MAX_ARCS} arcs in a sentence");
        return Err(at(block, &[Key("arcs"), Item(MAX_ARCS)], message));
    }
    let mut found = Vec::with_capacity(arcs.len());
    for (i, (head, dependent, label)) in arcs.into_iter().enumerate() {
        let head = node(block, sentence, head.0, &[Key("arcs"), Item(i), Item(0)])?;
        let path = [Key("arcs"), Item(i), Item(1)];
        let dependent = node(block, sentence, dependent.0, &path)?;
        if dependent.is_root() {
            return Err(at(block, &path, "expected a word as dependent, found 0, which is the root"));
        }
        found.push(Arc { head, dependent, label: Text::new(label) });
    }
    Ok(Graph::from_arcs(sentence.len(), found))
}

struct JsonlWriter;

const CARRIES: Carries = Carries {
    comments: Comments::All,
    multiwords: true,
    tree: true,
    phrase: false,
    lemma: true,
    upos: true,
    xpos: true,
    feats: true,
    misc: true,
    frame: true,
    predicate: true,
    anchor: true,
    extra: usize::MAX,
    attributes: true,
};

impl WriteFormat for JsonlWriter {
    fn has_content(&self, sentence: &Sentence) -> bool {
        !sentence.is_empty()
    }

    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        CARRIES.count(sentence, losses);
        if sentence.tokens.iter().any(|token| token.form.is_empty()) {
            return Err("a word has an empty form".to_owned());
        }
        let id = |node: NodeId| Id(sentence.id_of(node));
        let arcs = sentence.graph.arcs().iter();
        let extra = sentence.extra.iter().filter(|(key, _)| !key.starts_with(NOTE));
        let line = Line {
            id: sentence.sent_id().map(Cow::from),
            text: sentence.text().map(Cow::from),
            comments: other_comments(sentence)?,
            words: sentence.tokens.iter().map(|token| Word::of(token, token.head.map(id))).collect(),
            multiwords: sentence.multiwords.iter().map(Range::of).collect(),
            arcs: arcs.map(|arc| (id(arc.head), id(arc.dependent), Cow::from(arc.label.as_str()))).collect(),
            extra: Cow::Owned(extra.map(|(key, value)| (key.clone(), value.clone())).collect()),
        };
        json::push(out, &line, false)?;
        out.push(b'\n');
        Ok(())
    }
}

/// The comments that `id` and `text` don't stand for; all of them where these would come back in another place.
fn other_comments(sentence: &Sentence) -> Result<Vec<Cow<'_, str>>, String> {
    for comment in &sentence.comments {
        check_comment(comment)?;
        if !comment.starts_with('#') {
            return Err(format!("{comment:?} is not a comment line"));
        }
    }
    let line = |key: &str, value: Option<&str>| value.map(|value| format!("# {key} = {value}"));
    let implied = [line("sent_id", sentence.sent_id()), line("text", sentence.text())];
    let implied: Vec<String> = implied.into_iter().flatten().collect();
    // A second comment with such a key would be taken for the first.
    let alone =
        |rest: &&[String]| !rest.iter().any(|line| matches!(comment_key(line), Some("sent_id" | "text")));
    let others = sentence.comments.strip_prefix(implied.as_slice()).filter(alone);
    let others = others.unwrap_or(&sentence.comments);
    Ok(others.iter().map(|comment| Cow::from(comment.as_str())).collect())
}
