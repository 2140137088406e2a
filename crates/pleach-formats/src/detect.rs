//! Recognising a format by its first lines.

use crate::source::Source;
use crate::{Format, ReadError};
use std::path::Path;

/// How much of a file is looked at.
const WINDOW: usize = 128 << 10;

/// The format of a file, told from its content; its name decides where the content leaves a choice.
pub(crate) fn detect(source: &mut Source, path: Option<&Path>) -> Result<Format, ReadError> {
    let by_name = path.and_then(Format::from_path);
    let name = source.name().to_owned();
    let bytes = source.peek(WINDOW)?;
    // A character may be cut by the window's end, and the error in a file is for its reader to name.
    let text = String::from_utf8_lossy(bytes);
    match guess(&text, by_name).or(by_name) {
        Some(format) => Ok(format),
        None => {
            let message = if text.trim().is_empty() {
                "the file is empty"
            } else {
                "the format is none of those known"
            };
            let message = format!("{message}; give one of {}", Format::names());
            Err(ReadError::Unknown { file: name, message })
        }
    }
}

fn guess(text: &str, by_name: Option<Format>) -> Option<Format> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    if first.starts_with("#SDP 2015") {
        return Some(Format::Sdp2015);
    }
    if first.trim_start().starts_with('{') {
        return Some(Format::Mrp);
    }
    let bracketed = |line: &str| line.trim_start().starts_with('(');
    if bracketed(first) || (first.starts_with(['<', '*']) && text.lines().any(bracketed)) {
        return Some(Format::Brackets);
    }
    if first.starts_with("<s") {
        return Some(Format::Parg);
    }
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    // Blank lines stay, as rows of one column. The last line may be cut.
    let rows: Vec<Vec<&str>> = rows.take(2000).map(|line| line.split('\t').collect()).collect();
    let start = rows.iter().position(|row| row.len() > 1)?;
    let row = &rows[start];
    if row.len() >= 6 && matches!((row[4], row[5]), ("+" | "-", "+" | "-")) {
        // One column for each predicate follows the fixed ones; 2015 has one fixed column more.
        let sentence = rows[start..].iter().take_while(|row| row.len() > 1);
        let predicates = sentence.filter(|row| row.get(5) == Some(&"+")).count();
        return Some(if row.len() == predicates + 7 { Format::Sdp2015 } else { Format::Sdp2014 });
    }
    if row.len() >= 14 {
        return Some(Format::Conll09);
    }
    if row.len() != 10 {
        return None;
    }
    if rows.windows(2).any(|pair| pair[0].len() == 10 && pair[0][0] == pair[1][0]) {
        return Some(Format::Semeval16);
    }
    let universal = |row: &Vec<&str>| {
        row.len() == 10 && (row[0].contains(['-', '.']) || row[8].contains(':') || row[9].contains('='))
    };
    if rows.iter().any(universal) || text.lines().any(|line| line.starts_with("# ")) {
        return Some(Format::Conllu);
    }
    if matches!(by_name, Some(Format::Conllu | Format::ConllX | Format::Semeval16)) {
        return by_name;
    }
    const UPOS: [&str; 18] = [
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
        "SCONJ", "SYM", "VERB", "X", "_",
    ];
    let upos = rows.iter().all(|row| row.get(3).is_none_or(|tag| UPOS.contains(&tag.trim_end())));
    Some(if upos { Format::Conllu } else { Format::ConllX })
}
