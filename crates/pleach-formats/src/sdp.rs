//! SDP, <https://alt.qcri.org/semeval2015/task18/>: one row per token, one column per predicate.
//!
//! 2014 has the fixed columns ID FORM LEMMA POS TOP PRED; 2015 adds FRAME and the first line `#SDP 2015`.
//! The argument columns follow, in the order of the rows marked `+` in PRED. Tops become arcs from the root
//! with the label `root`.

use crate::columns::{check_comment, given, push_form, push_given, push_number, quote};
use crate::losses::{Carries, Comments};
use crate::reader::ReadFormat;
use crate::rows::{Row, Rows, Words};
use crate::source::{Block, MAX_ARCS, MAX_SENTENCE_BYTES, Source};
use crate::writer::WriteFormat;
use crate::{Loss, Losses, ReadError};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Token};

/// The label of the arcs from the root that stand for tops.
const TOP: &str = "root";

/// The first line of SDP 2015 files.
const HEADER: &str = "#SDP 2015";

/// Which of the two formats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Year {
    Y2014,
    Y2015,
}

impl Year {
    /// The number of fixed columns.
    fn fixed(self) -> usize {
        match self {
            Year::Y2014 => 6,
            Year::Y2015 => 7,
        }
    }
}

pub(crate) struct SdpReader(pub Year);

impl ReadFormat for SdpReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        loop {
            match source.paragraph()? {
                // The header may stand alone, with a blank line behind it.
                Ok(block) if block.text.trim_end() == HEADER => {}
                other => return Some(other.and_then(|block| parse(&block, self.0))),
            }
        }
    }
}

fn parse(block: &Block<'_>, year: Year) -> Result<Sentence, ReadError> {
    let fixed = year.fixed();
    let mut sentence = Sentence::default();
    let mut rows = Rows::new(block);
    let mut arcs: Vec<Arc> = Vec::new();
    // The argument columns are tied to predicates only when all rows were seen.
    let mut arguments: Vec<(u32, NodeId, &str)> = Vec::new();
    let mut predicates: Vec<NodeId> = Vec::new();
    let mut width = 0;
    while let Some(line) = rows.next(&mut sentence.comments, comment)? {
        let columns = line.columns();
        if width == 0 {
            width = columns.len();
        }
        if columns.len() != width || width < fixed {
            let expected = if width < fixed { format!("at least {fixed}") } else { width.to_string() };
            return Err(line.wrong_count(&expected));
        }
        let id = line.id(0, sentence.tokens.len())?;
        let node = NodeId(id);
        if sign(&line, 4, "TOP")? {
            arcs.push(Arc { head: NodeId::ROOT, dependent: node, label: Text::const_new(TOP) });
        }
        let predicate = sign(&line, 5, "PRED")?;
        if predicate {
            predicates.push(node);
        }
        for (i, label) in columns[fixed..].iter().enumerate() {
            if *label == "_" {
                continue;
            }
            if label.is_empty() {
                return Err(line.error(fixed + i, "expected a label or `_`, found nothing"));
            }
            if arguments.len() == MAX_ARCS {
                return Err(line.error(fixed + i, format!("expected at most {MAX_ARCS} arcs in a sentence")));
            }
            arguments.push((i as u32, node, label));
        }
        let frame = if year == Year::Y2015 { given(columns[6]) } else { Text::default() };
        let (lemma, xpos) = (given(columns[2]), given(columns[3]));
        sentence.tokens.push(Token { lemma, xpos, frame, predicate, ..Token::new(id, line.form(1)?) });
    }
    rows.end(&sentence.tokens)?;
    if predicates.len() != width - fixed {
        let (found, expected) = (width - fixed, predicates.len());
        let message =
            format!("expected {expected} argument columns, one for each `+` in PRED, found {found}");
        return Err(block.error(block.text, message));
    }
    for (column, dependent, label) in arguments {
        arcs.push(Arc { head: predicates[column as usize], dependent, label: Text::new(label) });
    }
    sentence.graph = Graph::from_arcs(sentence.tokens.len(), arcs);
    Ok(sentence)
}

/// A comment of an SDP file as CoNLL-U writes it: `#20001001` is an id; the header of the file is none.
fn comment(line: &str) -> Option<String> {
    match &line[1..] {
        "SDP 2015" => None,
        rest if rest.is_empty() || rest.starts_with([' ', '\t', '#']) => Some(line.to_owned()),
        id => Some(format!("# sent_id = {id}")),
    }
}

/// A column that is `+` or `-`.
fn sign(line: &Row<'_, '_>, column: usize, name: &str) -> Result<bool, ReadError> {
    match line.columns()[column] {
        "+" => Ok(true),
        "-" => Ok(false),
        other => Err(line.error(column, format!("expected `+` or `-` as {name}, found {}", quote(other)))),
    }
}

pub(crate) struct SdpWriter(pub Year);

const CARRIES: Carries =
    Carries { comments: Comments::Id, lemma: true, xpos: true, predicate: true, ..Carries::NOTHING };

impl WriteFormat for SdpWriter {
    fn header(&self) -> &'static str {
        match self.0 {
            Year::Y2014 => "",
            Year::Y2015 => "#SDP 2015\n",
        }
    }

    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        Carries { frame: self.0 == Year::Y2015, ..CARRIES }.count(sentence, losses);
        if sentence.is_empty() {
            return Err("a sentence needs at least one word".to_owned());
        }
        if let Some(id) = sentence.sent_id() {
            check_comment(id)?;
            out.push(b'#');
            out.extend_from_slice(id.as_bytes());
            out.push(b'\n');
        }
        let words = Words::of(sentence, losses);
        let graph = &words.graph;
        let len = graph.len();
        let mut tops = vec![false; len + 1];
        let mut column_of = vec![u32::MAX; len + 1];
        for arc in graph.arcs() {
            if arc.head.is_root() {
                losses.add(Loss::SeveralLabels, u64::from(tops[arc.dependent.index()]));
                losses.add(Loss::RootLabels, u64::from(arc.label != TOP));
                tops[arc.dependent.index()] = true;
            } else {
                column_of[arc.head.index()] = 0;
            }
        }
        let mut predicates = 0;
        for (i, token) in words.tokens.iter().enumerate() {
            if token.predicate || column_of[i + 1] == 0 {
                column_of[i + 1] = predicates;
                predicates += 1;
            }
        }
        if predicates as usize * len * 2 > MAX_SENTENCE_BYTES {
            return Err(format!("{len} rows with {predicates} argument columns are too many"));
        }
        let mut row: Vec<&str> = vec!["_"; predicates as usize];
        for (i, token) in words.tokens.iter().enumerate() {
            let node = NodeId(i as u32 + 1);
            push_number(out, node.0);
            out.push(b'\t');
            push_form(out, &token.form)?;
            for column in [&token.lemma, token.tag()] {
                out.push(b'\t');
                push_given(out, column)?;
            }
            out.extend_from_slice(if tops[node.index()] { b"\t+" } else { b"\t-" });
            out.extend_from_slice(if column_of[node.index()] == u32::MAX { b"\t-" } else { b"\t+" });
            if self.0 == Year::Y2015 {
                out.push(b'\t');
                push_given(out, &token.frame)?;
            }
            for arc in graph.incoming(node).iter().filter(|arc| !arc.head.is_root()) {
                let cell = &mut row[column_of[arc.head.index()] as usize];
                if *cell != "_" {
                    losses.add(Loss::SeveralLabels, 1);
                    continue;
                }
                if arc.label.is_empty() || arc.label == "_" {
                    return Err(format!("{:?} cannot be the label of an argument", arc.label));
                }
                *cell = arc.label.as_str();
            }
            for cell in &mut row {
                out.push(b'\t');
                push_form(out, cell)?;
                *cell = "_";
            }
            out.push(b'\n');
        }
        out.push(b'\n');
        Ok(())
    }
}
