//! CoNLL-X (2006), <https://aclanthology.org/W06-2920/>: ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL PHEAD
//! PDEPREL; and SemEval-2016 Task 9, the same columns with a row repeated once per head of a token.
//!
//! CoNLL-X is about the basic tree, SemEval-2016 about the graph. PHEAD and PDEPREL go to
//! [`Token::extra`].

use crate::columns::{given, number, place_of, push_form, push_given, push_number, quote, split};
use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::losses::{Carries, Comments};
use crate::rows::{Row, Rows, Words};
use crate::source::{Block, MAX_ARCS, Source};
use crate::{Loss, Losses, ReadError};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Token};
use serde_json::{Map, Value};

const NAMES: [&str; 10] =
    ["ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"];

/// The key of the note about rows of one token that do not say the same.
const ROWS_NOTE: &str = "pleach:semeval16-rows";

/// What the rows are about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// CoNLL-X: one row per token, one head.
    Tree,
    /// SemEval-2016: one row per head.
    Graph,
}

/// How the format is named, recognised, read and written.
pub(crate) static CONLLX: Description = Description {
    name: "conllx",
    about: "trees in ten columns (2006)",
    aliases: &["conll-x", "conll06", "conll2006"],
    extensions: &["conllx", "conll06"],
    media_type: "text/x-conllx; charset=utf-8",
    likeness: |opening| likeness(opening, About::Tree),
    reader: |_| Ok(Box::new(ConllXReader(About::Tree))),
    writer: || Box::new(ConllXWriter(About::Tree)),
};

/// How the format is named, recognised, read and written.
pub(crate) static SEMEVAL16: Description = Description {
    name: "semeval16",
    about: "SemEval-2016 Task 9, a row for each head",
    aliases: &["semeval2016", "semeval-2016"],
    extensions: &["conll", "semeval16"],
    media_type: "text/x-semeval16; charset=utf-8",
    likeness: |opening| likeness(opening, About::Graph),
    reader: |_| Ok(Box::new(ConllXReader(About::Graph))),
    writer: || Box::new(ConllXWriter(About::Graph)),
};

/// Repeated rows are SemEval's; without them tags other than those of Universal Dependencies speak for CoNLL-X.
fn likeness(opening: &Opening<'_>, about: About) -> Likeness {
    if opening.width() != 10 {
        return Likeness::No;
    }
    let repeated = || opening.rows().windows(2).any(|pair| pair[0].len() == 10 && pair[0][0] == pair[1][0]);
    match about {
        About::Graph if repeated() => Likeness::Shaped,
        About::Tree if !opening.has_universal_tags() => Likeness::Guess,
        _ => Likeness::Fits,
    }
}

pub(crate) struct ConllXReader(pub About);

impl ReadFormat for ConllXReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        Some(source.paragraph()?.and_then(|block| parse(&block, self.0)))
    }
}

fn parse(block: &Block<'_>, about: About) -> Result<Sentence, ReadError> {
    let mut sentence = Sentence::default();
    let mut rows = Rows::new(block);
    let mut arcs: Vec<Arc> = Vec::new();
    // Heads are checked when the number of words is known.
    let mut heads: Vec<(&str, NodeId)> = Vec::new();
    // The tokens that have several rows, with these rows.
    let mut repeated: Vec<(NodeId, Vec<&str>)> = Vec::new();
    let mut before = "";
    while let Some(row) = rows.next(&mut sentence.comments, |line| Some(line.to_owned()))? {
        let columns = row.columns();
        if columns.len() != 10 {
            return Err(row.wrong_count("10"));
        }
        row.all_given(&NAMES)?;
        let len = sentence.tokens.len();
        let again = about == About::Graph && len > 0 && number(columns[0]) == Some(len as u32);
        let id = if again { len as u32 } else { row.id(0, len)? };
        let node = NodeId(id);
        let head = row.head(6)?;
        match sentence.tokens.last() {
            Some(token) if again => {
                if token.form != columns[1] {
                    let (expected, found) = (quote(&token.form), quote(columns[1]));
                    return Err(row.error(1, format!("expected the form {expected} again, found {found}")));
                }
                match repeated.last_mut() {
                    Some((same, lines)) if *same == node => lines.push(row.line),
                    _ => repeated.push((node, vec![before, row.line])),
                }
            }
            _ => sentence.tokens.push(token(&row, id, about)?),
        }
        before = row.line;
        let Some(head) = head else {
            if about == About::Graph && (again || columns[7] != "_") {
                return Err(row.error(6, "expected the number of a word as HEAD, found `_`"));
            }
            continue;
        };
        heads.push((columns[6], head));
        if heads.len() > MAX_ARCS {
            return Err(row.error(6, format!("expected at most {MAX_ARCS} arcs in a sentence")));
        }
        if about == About::Graph {
            arcs.push(Arc { head, dependent: node, label: given(columns[7]) });
        }
    }
    rows.end(&sentence.tokens, &heads)?;
    sentence.graph = Graph::from_arcs(sentence.tokens.len(), arcs);
    note_unusual(&mut sentence, &repeated);
    Ok(sentence)
}

/// Notes the rows of a token that would be written otherwise: annotators left two tags on some words of the
/// 2016 corpus, and rows may be in another order than that of their heads.
fn note_unusual(sentence: &mut Sentence, repeated: &[(NodeId, Vec<&str>)]) {
    let mut notes = Map::new();
    let mut canonical = Vec::new();
    for (node, lines) in repeated {
        canonical.clear();
        let token = &sentence.tokens[node.index() - 1];
        for arc in sentence.graph.incoming(*node) {
            // Only line breaks and tabs inside of a column can fail, and these were just read from columns.
            let _ = write_row(token, *node, Some(arc.head), &arc.label, &mut canonical);
        }
        if !lines.iter().copied().eq(std::str::from_utf8(&canonical).unwrap_or("").lines()) {
            notes.insert(node.to_string(), Value::from(lines.clone()));
        }
    }
    if !notes.is_empty() {
        sentence.extra.insert(ROWS_NOTE.to_owned(), Value::Object(notes));
    }
}

/// Whether noted rows still tell the truth about a token.
fn says(lines: &[&str], token: &Token, node: NodeId, arcs: &[Arc]) -> bool {
    let mut seen = vec![false; arcs.len()];
    let mut first = Vec::new();
    for line in lines {
        let Ok(columns) = split::<10>(line) else { return false };
        let head = number(columns[6]).map(NodeId);
        let label = given(columns[7]);
        let Some(place) = head.and_then(|head| place_of(arcs, head, &label)) else { return false };
        seen[place] = true;
        if first.is_empty() && write_row(token, node, head, &label, &mut first).is_err() {
            return false;
        }
    }
    let first = std::str::from_utf8(&first).unwrap_or("").trim_end_matches('\n');
    seen.into_iter().all(|seen| seen) && lines.first() == Some(&first)
}

fn token(row: &Row<'_, '_>, id: u32, about: About) -> Result<Token, ReadError> {
    let columns = row.columns();
    let mut token = Token {
        lemma: given(columns[2]),
        upos: given(columns[3]),
        xpos: given(columns[4]),
        feats: given(columns[5]),
        ..Token::new(id, row.form(1)?)
    };
    if about == About::Tree {
        token.head = row.head(6)?;
        token.deprel = given(columns[7]);
    }
    if columns[8] != "_" || columns[9] != "_" {
        token.extra = vec![given(columns[8]), given(columns[9])];
    }
    Ok(token)
}

/// One of the extra columns: PHEAD and PDEPREL are the last two of whatever CoNLL format was read.
fn extra(token: &Token, column: usize) -> &str {
    match token.extra.len() {
        0 | 1 => "",
        len => &token.extra[len - 2 + column],
    }
}

pub(crate) struct ConllXWriter(pub About);

const CARRIES: Carries = Carries {
    comments: Comments::None,
    lemma: true,
    upos: true,
    xpos: true,
    feats: true,
    extra: 2,
    ..Carries::NOTHING
};

impl WriteFormat for ConllXWriter {
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        Carries { tree: self.0 == About::Tree, ..CARRIES }.count(sentence, losses);
        if sentence.is_empty() {
            return Err("a sentence needs at least one word".to_owned());
        }
        let words = Words::of(sentence, losses);
        let notes = sentence.extra.get(ROWS_NOTE).and_then(Value::as_object);
        for (i, token) in words.tokens.iter().enumerate() {
            let node = NodeId(i as u32 + 1);
            if self.0 == About::Tree {
                write_row(token, node, token.head, &token.deprel, out)?;
                continue;
            }
            let arcs = words.graph.incoming(node);
            let note = notes.and_then(|notes| notes.get(node.to_string().as_str())?.as_array());
            let note: Option<Vec<&str>> = note.and_then(|lines| lines.iter().map(Value::as_str).collect());
            if let Some(lines) = note.filter(|lines| says(lines, token, node, arcs)) {
                for line in lines {
                    out.extend_from_slice(line.as_bytes());
                    out.push(b'\n');
                }
                continue;
            }
            if arcs.is_empty() {
                write_row(token, node, None, "", out)?;
            }
            for arc in arcs {
                write_row(token, node, Some(arc.head), &arc.label, out)?;
            }
        }
        if self.0 == About::Tree {
            losses.add(Loss::Arcs, words.graph.arcs().len() as u64);
        }
        out.push(b'\n');
        Ok(())
    }
}

fn write_row(
    token: &Token,
    node: NodeId,
    head: Option<NodeId>,
    label: &str,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    push_number(out, node.0);
    out.push(b'\t');
    push_form(out, &token.form)?;
    for column in [&token.lemma, &token.upos, &token.xpos, &token.feats] {
        out.push(b'\t');
        push_given(out, column)?;
    }
    out.push(b'\t');
    match head {
        Some(head) => push_number(out, head.0),
        None => out.push(b'_'),
    }
    out.push(b'\t');
    push_given(out, label)?;
    for column in 0..2 {
        out.push(b'\t');
        push_given(out, extra(token, column))?;
    }
    out.push(b'\n');
    Ok(())
}
