//! CoNLL-2009, <https://ufal.mff.cuni.cz/conll2009-st/task-description.html>: a tree, and semantic roles in
//! one column per predicate.
//!
//! The columns are ID FORM LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL FILLPRED PRED and the
//! APREDs. What was predicted (PLEMMA, PPOS, PFEAT, PHEAD, PDEPREL) goes to [`Token::extra`].

use crate::arguments::{ArgumentTable, Arguments};
use crate::columns::{given, push_form, push_given, push_number, quote};
use crate::format::{Description, Likeness, Opening, ReadFormat, WriteFormat};
use crate::losses::Carries;
use crate::rows::{Rows, Words};
use crate::source::{Block, Source};
use crate::{Loss, Losses, ReadError};
use pleach_graph::{Graph, NodeId, Sentence, Token};

const NAMES: [&str; 14] = [
    "ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT", "HEAD", "PHEAD", "DEPREL", "PDEPREL",
    "FILLPRED", "PRED",
];

const FIXED: usize = NAMES.len();

/// How the format is named, recognised, read and written.
pub(crate) static FORMAT: Description = Description {
    name: "conll09",
    about: "CoNLL-2009: trees and semantic roles",
    aliases: &["conll2009", "conll-2009"],
    extensions: &["conll09"],
    media_type: "text/x-conll09; charset=utf-8",
    likeness,
    reader: |_| Ok(Box::new(Conll09Reader)),
    writer: || Box::new(Conll09Writer),
};

/// No other format has so many columns, but for SDP, which has its signs.
fn likeness(opening: &Opening<'_>) -> Likeness {
    if opening.width() >= FIXED { Likeness::Shaped } else { Likeness::No }
}

pub(crate) struct Conll09Reader;

impl ReadFormat for Conll09Reader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        Some(source.paragraph()?.and_then(|block| parse(&block)))
    }
}

fn parse(block: &Block<'_>) -> Result<Sentence, ReadError> {
    let mut sentence = Sentence::default();
    let mut rows = Rows::new(block);
    let mut arguments = Arguments::default();
    let mut heads: Vec<(&str, NodeId)> = Vec::new();
    let mut width = 0;
    while let Some(row) = rows.next(&mut sentence.comments, |line| Some(line.to_owned()))? {
        row.same_width(&mut width, FIXED)?;
        row.all_given(&NAMES)?;
        let columns = row.columns();
        let id = row.id(0, sentence.tokens.len())?;
        let head = row.head(8)?;
        heads.extend(head.map(|head| (columns[8], head)));
        let predicate = match columns[12] {
            "Y" => true,
            "_" => false,
            other => {
                return Err(row.error(12, format!("expected `Y` or `_` as FILLPRED, found {}", quote(other))));
            }
        };
        arguments.add(&row, FIXED, NodeId(id), predicate)?;
        let predicted = [3, 5, 7, 9, 11].map(|column| columns[column]);
        let extra = if predicted == ["_"; 5] { Vec::new() } else { predicted.map(given).to_vec() };
        sentence.tokens.push(Token {
            lemma: given(columns[2]),
            xpos: given(columns[4]),
            feats: given(columns[6]),
            head,
            deprel: given(columns[10]),
            predicate,
            frame: given(columns[13]),
            extra,
            ..Token::new(id, row.form(1)?)
        });
    }
    rows.end(&sentence.tokens, &heads)?;
    let mut arcs = Vec::new();
    arguments.resolve(block, "`Y` in FILLPRED", &mut arcs)?;
    sentence.graph = Graph::from_arcs(sentence.tokens.len(), arcs);
    Ok(sentence)
}

pub(crate) struct Conll09Writer;

const CARRIES: Carries = Carries {
    lemma: true,
    xpos: true,
    feats: true,
    tree: true,
    frame: true,
    predicate: true,
    extra: 5,
    ..Carries::NOTHING
};

impl WriteFormat for Conll09Writer {
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
        CARRIES.count(sentence, losses);
        if sentence.is_empty() {
            return Err("a sentence needs at least one word".to_owned());
        }
        let words = Words::of(sentence, losses);
        let tops = words.graph.arcs().iter().filter(|arc| arc.head.is_root()).count();
        losses.add(Loss::Arcs, tops as u64);
        let mut arguments = ArgumentTable::new(&words)?;
        for (i, token) in words.tokens.iter().enumerate() {
            let node = NodeId(i as u32 + 1);
            // PHEAD and PDEPREL are the last two columns of CoNLL-X too.
            let predicted = |column: usize| match token.extra.len() {
                5 => token.extra[column].as_str(),
                2 if column >= 3 => token.extra[column - 3].as_str(),
                _ => "",
            };
            push_number(out, node.0);
            out.push(b'\t');
            push_form(out, &token.form)?;
            let pairs = [(token.lemma.as_str(), 0), (token.tag(), 1), (&token.feats, 2)];
            for column in pairs.into_iter().flat_map(|(gold, place)| [gold, predicted(place)]) {
                out.push(b'\t');
                push_given(out, column)?;
            }
            out.push(b'\t');
            match token.head {
                Some(head) => push_number(out, head.0),
                None => out.push(b'_'),
            }
            for column in [predicted(3), &token.deprel, predicted(4)] {
                out.push(b'\t');
                push_given(out, column)?;
            }
            out.extend_from_slice(if arguments.is_predicate(node) { b"\tY\t" } else { b"\t_\t" });
            push_given(out, &token.frame)?;
            arguments.write(node, out, losses)?;
            out.push(b'\n');
        }
        out.push(b'\n');
        Ok(())
    }
}
