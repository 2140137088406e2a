//! SDP, <https://alt.qcri.org/semeval2015/task18/>: one row per token, one column per predicate.
//!
//! 2014 has the fixed columns ID FORM LEMMA POS TOP PRED; 2015 adds FRAME and the first line `#SDP 2015`.
//! The argument columns follow, in the order of the rows marked `+` in PRED. Tops become arcs from the root
//! with the label `root`.

use crate::arguments::{ArgumentTable, Arguments};
use crate::columns::{check_comment, given, push_form, push_given, push_number, quote};
use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::losses::{Carries, Comments};
use crate::rows::{Row, Rows, Words};
use crate::source::{Block, Source};
use crate::{Loss, Losses, ReadError};
use pleach_graph::{Arc, Graph, NodeId, Sentence, Text, Token};

/// The label of the arcs from the root that stand for tops.
const TOP: &str = "root";

/// The first line of SDP 2015 files.
const HEADER: &str = "#SDP 2015";

/// What that line would be if it were an id.
const HEADER_ID: &str = "SDP 2015";

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

/// How the format is named, recognised, read and written.
pub(crate) static SDP2014: Description = Description {
    name: "sdp2014",
    about: "SemEval-2014 Task 8",
    aliases: &["sdp-2014", "sdp14"],
    extensions: &["sdp2014"],
    media_type: "text/x-sdp2014; charset=utf-8",
    likeness: |opening| likeness(opening, Year::Y2014),
    reader: |_| Ok(Box::new(SdpReader(Year::Y2014))),
    writer: || Box::new(SdpWriter(Year::Y2014)),
};

/// How the format is named, recognised, read and written.
pub(crate) static SDP2015: Description = Description {
    name: "sdp2015",
    about: "SemEval-2015 Task 18",
    aliases: &["sdp-2015", "sdp15", "sdp"],
    extensions: &["sdp", "sdp2015"],
    media_type: "text/x-sdp; charset=utf-8",
    likeness: |opening| likeness(opening, Year::Y2015),
    reader: |_| Ok(Box::new(SdpReader(Year::Y2015))),
    writer: || Box::new(SdpWriter(Year::Y2015)),
};

/// TOP and PRED tell SDP from other formats, and the number of columns the two from each other: one for each predicate
/// follows the fixed ones.
fn likeness(opening: &Opening<'_>, year: Year) -> Likeness {
    if opening.first_line().starts_with(HEADER) {
        return if year == Year::Y2015 { Likeness::Marked } else { Likeness::No };
    }
    let Some(row) = opening.first_rows().next() else { return Likeness::No };
    if row.len() < 6 || !matches!((row[4], row[5]), ("+" | "-", "+" | "-")) {
        return Likeness::No;
    }
    let predicates = opening.first_rows().filter(|row| row.get(5) == Some(&"+")).count();
    let found = if row.len() == predicates + Year::Y2015.fixed() { Year::Y2015 } else { Year::Y2014 };
    if year == found { Likeness::Shaped } else { Likeness::No }
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
    let mut arguments = Arguments::default();
    let mut width = 0;
    while let Some(row) = rows.next(&mut sentence.comments, comment)? {
        row.same_width(&mut width, fixed)?;
        let columns = row.columns();
        let id = row.id(0, sentence.tokens.len())?;
        if sign(&row, 4, "TOP")? {
            arcs.push(Arc { head: NodeId::ROOT, dependent: NodeId(id), label: Text::const_new(TOP) });
        }
        let predicate = sign(&row, 5, "PRED")?;
        arguments.add(&row, fixed, NodeId(id), predicate)?;
        let frame = if year == Year::Y2015 { given(columns[6]) } else { Text::default() };
        let (lemma, xpos) = (given(columns[2]), given(columns[3]));
        sentence.tokens.push(Token { lemma, xpos, frame, predicate, ..Token::new(id, row.form(1)?) });
    }
    rows.end(&sentence.tokens, &[])?;
    arguments.resolve(block, "`+` in PRED", &mut arcs)?;
    sentence.graph = Graph::from_arcs(sentence.tokens.len(), arcs);
    Ok(sentence)
}

/// A comment of an SDP file as CoNLL-U writes it: `#20001001` is an id; the header of the file is none.
fn comment(line: &str) -> Option<String> {
    match line[1..].trim_end() {
        HEADER_ID => None,
        rest if rest.is_empty() || rest.starts_with(char::is_whitespace) => Some(line.to_owned()),
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
            if id.is_empty() || id == HEADER_ID {
                return Err(format!("{id:?} cannot be an id"));
            }
            out.push(b'#');
            out.extend_from_slice(id.as_bytes());
            out.push(b'\n');
        }
        let words = Words::of(sentence, losses);
        let mut tops = vec![false; words.tokens.len() + 1];
        for arc in words.graph.arcs().iter().filter(|arc| arc.head.is_root()) {
            let again = std::mem::replace(&mut tops[arc.dependent.index()], true);
            losses.add(
                if again { Loss::SeveralLabels } else { Loss::RootLabels },
                u64::from(again || arc.label != TOP),
            );
        }
        let mut arguments = ArgumentTable::new(&words)?;
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
            out.extend_from_slice(if arguments.is_predicate(node) { b"\t+" } else { b"\t-" });
            if self.0 == Year::Y2015 {
                out.push(b'\t');
                push_given(out, &token.frame)?;
            }
            arguments.write(node, out, losses)?;
            out.push(b'\n');
        }
        out.push(b'\n');
        Ok(())
    }
}
