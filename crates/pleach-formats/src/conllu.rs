//! CoNLL-U, <https://universaldependencies.org/format.html>: ten columns, multiword tokens, empty nodes, and
//! the enhanced graph in DEPS.
//!
//! The canonical order of DEPS is by head and then by label, as in [`pleach_graph::Graph`]. A DEPS cell in
//! another order is kept as a note, so that it is written back as it was.

use crate::columns::{
    check_comment, given, number, place_of, push_form, push_given, push_id, push_number, quote, split,
    token_id, wrong_count,
};
use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::losses::{Carries, Comments};
use crate::source::{Block, MAX_ARCS, MAX_COMMENTS, MAX_TOKENS, Source};
use crate::{Losses, ReadError};
use pleach_graph::{Arc, Graph, Multiword, NodeId, Sentence, Text, Token, TokenId};
use serde_json::Value;

const NAMES: [&str; 10] = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"];

/// The key under which DEPS cells in an unusual order are kept.
const DEPS_NOTE: &str = "pleach:conllu-deps";

/// How the format is named, recognised, read and written.
pub(crate) static FORMAT: Description = Description {
    name: "conllu",
    about: "Universal Dependencies, with the enhanced graph",
    aliases: &["conll-u", "ud"],
    extensions: &["conllu", "connlu"],
    media_type: "text/x-conllu; charset=utf-8",
    likeness,
    reader: |_| Ok(Box::new(ConlluReader)),
    writer: || Box::new(ConlluWriter),
};

/// Ranges, empty nodes, DEPS, MISC or comments tell it from the other formats with ten columns, else the tags do.
fn likeness(opening: &Opening<'_>) -> Likeness {
    if opening.width() != 10 {
        return Likeness::No;
    }
    let universal = |row: &Vec<&str>| {
        row.len() == 10 && (row[0].contains(['-', '.']) || row[8].contains(':') || row[9].contains('='))
    };
    if opening.rows().iter().any(universal) || opening.text().lines().any(|line| line.starts_with("# ")) {
        Likeness::Likely
    } else if opening.has_universal_tags() {
        Likeness::Guess
    } else {
        Likeness::Fits
    }
}

pub(crate) struct ConlluReader;

impl ReadFormat for ConlluReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        Some(source.paragraph()?.and_then(|block| parse(&block)))
    }
}

/// A token's HEAD and DEPS, which can be understood only when all ids are known.
struct Links<'a> {
    head: &'a str,
    deps: &'a str,
}

fn parse(block: &Block<'_>) -> Result<Sentence, ReadError> {
    let mut sentence = Sentence::default();
    let mut links: Vec<Links<'_>> = Vec::with_capacity(32);
    sentence.tokens.reserve(32);
    let mut last = TokenId::default();
    let mut words_end = 0;
    // A multiword token stands just before its first word.
    let mut pending = false;
    for line in block.lines() {
        if line.starts_with('#') {
            if !sentence.tokens.is_empty() || !sentence.multiwords.is_empty() {
                return Err(
                    block.error(line, "expected a token line, found a comment inside of the sentence")
                );
            }
            if sentence.comments.len() == MAX_COMMENTS {
                return Err(block.error(line, format!("expected at most {MAX_COMMENTS} comment lines")));
            }
            sentence.comments.push(line.to_owned());
            continue;
        }
        let columns: [&str; 10] = split(line).map_err(|found| wrong_count(block, line, "10", found))?;
        if let Some(empty) = columns.iter().position(|column| column.is_empty()) {
            return Err(
                block.error(columns[empty], format!("expected {} or `_`, found nothing", NAMES[empty]))
            );
        }
        let [id, form, lemma, upos, xpos, feats, head, deprel, deps, misc] = columns;
        let Some(id) = token_id(id) else {
            let multiword = multiword(block, &columns, last, words_end)?;
            words_end = multiword.last;
            pending = true;
            sentence.multiwords.push(multiword);
            continue;
        };
        let next = if id.is_empty_node() && !pending {
            TokenId { word: last.word, empty: last.empty + 1 }
        } else {
            TokenId::word(last.word + 1)
        };
        if id != next {
            return Err(block.error(columns[0], format!("expected the id {next}, found {id}")));
        }
        if sentence.tokens.len() == MAX_TOKENS {
            return Err(block.error(line, format!("expected at most {MAX_TOKENS} tokens in a sentence")));
        }
        last = id;
        pending = false;
        links.push(Links { head, deps });
        sentence.tokens.push(Token {
            id,
            form: Text::new(form),
            lemma: given(lemma),
            upos: given(upos),
            xpos: given(xpos),
            feats: given(feats),
            deprel: given(deprel),
            misc: given(misc),
            ..Token::default()
        });
    }
    if sentence.tokens.is_empty() {
        return Err(block.error(block.text, "expected a token line, found only comments or multiword tokens"));
    }
    if let Some(open) = sentence.multiwords.last().filter(|multiword| multiword.last > last.word) {
        let message =
            format!("expected word {} of the multiword token {}-{}", open.last, open.first, open.last);
        return Err(block.error_at(block.text.len(), message));
    }
    resolve(block, &mut sentence, &links)?;
    Ok(sentence)
}

/// Reads a line whose id is no word's: `3-4` or an error.
#[cold]
fn multiword(
    block: &Block<'_>,
    columns: &[&str; 10],
    last: TokenId,
    open: u32,
) -> Result<Multiword, ReadError> {
    let range = columns[0].split_once('-').and_then(|(first, last)| Some((number(first)?, number(last)?)));
    let Some((first, end)) = range else {
        let found = quote(columns[0]);
        return Err(block.error(columns[0], format!("expected an id such as 3, 3-4 or 3.1, found {found}")));
    };
    if first != last.word + 1 || end < first || first <= open {
        let message = format!(
            "expected a range that starts with {} and overlaps no other, found {first}-{end}",
            last.word + 1
        );
        return Err(block.error(columns[0], message));
    }
    for i in 6..9 {
        if columns[i] != "_" {
            let message =
                format!("expected `_` as {} of a multiword token, found {}", NAMES[i], quote(columns[i]));
            return Err(block.error(columns[i], message));
        }
    }
    let [_, form, lemma, upos, xpos, feats, _, _, _, misc] = *columns;
    let columns = [given(lemma), given(upos), given(xpos), given(feats)];
    Ok(Multiword { first, last: end, form: Text::new(form), columns, misc: given(misc) })
}

/// Turns HEAD and DEPS into nodes.
fn resolve(block: &Block<'_>, sentence: &mut Sentence, links: &[Links<'_>]) -> Result<(), ReadError> {
    let len = sentence.tokens.len();
    let plain = sentence.tokens.last().is_some_and(|token| token.id == TokenId::word(len as u32));
    let node = |sentence: &Sentence, id: TokenId| -> Option<NodeId> {
        if plain {
            (id.empty == 0 && id.word as usize <= len).then_some(NodeId(id.word))
        } else {
            sentence.node(id)
        }
    };
    let mut arcs: Vec<Arc> = Vec::with_capacity(len + len / 8);
    let mut notes = serde_json::Map::new();
    for (i, link) in links.iter().enumerate() {
        if link.head != "_" {
            let id = token_id(link.head).ok_or_else(|| {
                block.error(
                    link.head,
                    format!("expected the number of a word or `_` as HEAD, found {}", quote(link.head)),
                )
            })?;
            let head = node(sentence, id).ok_or_else(|| beyond(block, link.head, "HEAD", id))?;
            sentence.tokens[i].head = Some(head);
        }
        if link.deps == "_" {
            continue;
        }
        let dependent = NodeId(i as u32 + 1);
        let first = arcs.len();
        for item in link.deps.split('|') {
            let arc = item.split_once(':').and_then(|(head, label)| Some((token_id(head)?, label)));
            let Some((id, label)) = arc.filter(|(_, label)| !label.is_empty()) else {
                let found = quote(item);
                return Err(block.error(item, format!("expected `head:label` in DEPS, found {found}")));
            };
            let head = node(sentence, id).ok_or_else(|| beyond(block, item, "a head in DEPS", id))?;
            if arcs.len() == MAX_ARCS {
                return Err(block.error(item, format!("expected at most {MAX_ARCS} arcs in a sentence")));
            }
            arcs.push(Arc { head, dependent, label: Text::new(label) });
        }
        if !arcs[first..].is_sorted_by(|a, b| a < b) {
            notes.insert(dependent.to_string(), Value::from(link.deps));
        }
    }
    sentence.graph = Graph::from_arcs(len, arcs);
    if !notes.is_empty() {
        sentence.extra.insert(DEPS_NOTE.to_owned(), Value::Object(notes));
    }
    Ok(())
}

#[cold]
fn beyond(block: &Block<'_>, at: &str, what: &str, id: TokenId) -> ReadError {
    block.error(at, format!("expected {what} that is a word of the sentence, found {id}"))
}

pub(crate) struct ConlluWriter;

const CARRIES: Carries = Carries {
    comments: Comments::All,
    multiwords: true,
    tree: true,
    lemma: true,
    upos: true,
    xpos: true,
    feats: true,
    misc: true,
    ..Carries::NOTHING
};

impl WriteFormat for ConlluWriter {
    fn has_content(&self, sentence: &Sentence) -> bool {
        !sentence.is_empty()
    }

    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        CARRIES.count(sentence, losses);
        if sentence.is_empty() {
            return Err("a sentence needs at least one word".to_owned());
        }
        for comment in &sentence.comments {
            if !comment.starts_with('#') {
                return Err(format!("{comment:?} is not a comment line"));
            }
            check_comment(comment)?;
            out.extend_from_slice(comment.as_bytes());
            out.push(b'\n');
        }
        let notes = sentence.extra.get(DEPS_NOTE).and_then(Value::as_object);
        let mut multiwords = sentence.multiwords.iter().peekable();
        let mut arcs = sentence.graph.arcs();
        for (i, token) in sentence.tokens.iter().enumerate() {
            if let Some(multiword) =
                multiwords.next_if(|m| !token.id.is_empty_node() && m.first == token.id.word)
            {
                write_multiword(multiword, out)?;
            }
            push_id(out, token.id);
            out.push(b'\t');
            push_form(out, &token.form)?;
            for column in [&token.lemma, &token.upos, &token.xpos, &token.feats] {
                out.push(b'\t');
                push_given(out, column)?;
            }
            out.push(b'\t');
            match token.head {
                Some(head) => push_id(out, sentence.id_of(head)),
                None => out.push(b'_'),
            }
            out.push(b'\t');
            push_given(out, &token.deprel)?;
            out.push(b'\t');
            let dependent = NodeId(i as u32 + 1);
            let incoming;
            (incoming, arcs) =
                arcs.split_at(arcs.iter().take_while(|arc| arc.dependent == dependent).count());
            let note = notes.and_then(|notes| notes.get(dependent.to_string().as_str())?.as_str());
            match note.filter(|note| says(note, sentence, incoming)) {
                Some(note) => out.extend_from_slice(note.as_bytes()),
                None => write_deps(sentence, incoming, out)?,
            }
            out.push(b'\t');
            push_given(out, &token.misc)?;
            out.push(b'\n');
        }
        if let Some(multiword) = multiwords.next() {
            return Err(format!("the multiword token {}-{} has no place", multiword.first, multiword.last));
        }
        out.push(b'\n');
        Ok(())
    }
}

fn write_multiword(multiword: &Multiword, out: &mut Vec<u8>) -> Result<(), String> {
    push_number(out, multiword.first);
    out.push(b'-');
    push_number(out, multiword.last);
    out.push(b'\t');
    push_form(out, &multiword.form)?;
    for column in &multiword.columns {
        out.push(b'\t');
        push_given(out, column)?;
    }
    out.extend_from_slice(b"\t_\t_\t_\t");
    push_given(out, &multiword.misc)?;
    out.push(b'\n');
    Ok(())
}

fn write_deps(sentence: &Sentence, arcs: &[Arc], out: &mut Vec<u8>) -> Result<(), String> {
    if arcs.is_empty() {
        out.push(b'_');
    }
    for (i, arc) in arcs.iter().enumerate() {
        if i > 0 {
            out.push(b'|');
        }
        push_id(out, sentence.id_of(arc.head));
        out.push(b':');
        if arc.label.is_empty() || arc.label.contains('|') {
            return Err(format!("{:?} cannot be a label in DEPS", arc.label));
        }
        push_form(out, &arc.label)?;
    }
    Ok(())
}

/// Whether a noted DEPS cell still names just these arcs.
fn says(note: &str, sentence: &Sentence, arcs: &[Arc]) -> bool {
    let mut seen = vec![false; arcs.len()];
    for item in note.split('|') {
        let Some((id, label)) = item.split_once(':') else { return false };
        let head = token_id(id).and_then(|id| sentence.node(id));
        let Some(place) = head.and_then(|head| place_of(arcs, head, label)) else { return false };
        seen[place] = true;
    }
    seen.into_iter().all(|seen| seen)
}
