//! Recognising a format by its first lines: every format says how much they look like it.

use super::Format;
use crate::ReadError;
use crate::source::Source;
use std::path::Path;

/// How much of a file is looked at.
const WINDOW: usize = 128 << 10;

/// How many lines are cut into columns.
const ROWS: usize = 2000;

/// How much the start of a file looks like a format. The highest wins, among equals the one listed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// It can't be this format.
    No,
    /// It can be this format, if the file is named so.
    Fits,
    /// It is the better guess among formats that fit, but a file's name goes before.
    Guess,
    /// It has what other formats hardly have.
    Likely,
    /// Its columns are those of this format.
    Shaped,
    /// Its first line says so.
    Marked,
}

/// The start of a file.
pub struct Opening<'a> {
    text: &'a str,
    first: &'a str,
    rows: Vec<Vec<&'a str>>,
    start: usize,
}

impl<'a> Opening<'a> {
    /// What is seen of a text; `None` when it is blank.
    pub fn new(text: &'a str) -> Option<Opening<'a>> {
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        // Blank lines stay, as rows of one column.
        let rows: Vec<Vec<&str>> = lines.take(ROWS).map(|line| line.split('\t').collect()).collect();
        let start = rows.iter().position(|row| row.len() > 1).unwrap_or(rows.len());
        Some(Opening { text, first, rows, start })
    }

    /// All that is seen. Its last line may be cut.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The first line that is not blank.
    pub fn first_line(&self) -> &'a str {
        self.first
    }

    /// The lines but those that start with `#`, cut at tabs; a blank line has one column.
    pub fn rows(&self) -> &[Vec<&'a str>] {
        &self.rows
    }

    /// The rows of the first sentence that has several columns.
    pub fn first_rows(&self) -> impl Iterator<Item = &Vec<&'a str>> {
        self.rows[self.start..].iter().take_while(|row| row.len() > 1)
    }

    /// How many columns the first of these rows has; 0 when there are none.
    pub fn width(&self) -> usize {
        self.first_rows().next().map_or(0, Vec::len)
    }

    /// Whether every row has the tags of Universal Dependencies in its fourth column.
    pub(crate) fn has_universal_tags(&self) -> bool {
        const UPOS: [&str; 18] = [
            "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
            "PUNCT", "SCONJ", "SYM", "VERB", "X", "_",
        ];
        self.rows.iter().all(|row| row.get(3).is_none_or(|tag| UPOS.contains(&tag.trim_end())))
    }
}

/// The format of a file, told from its content; its name decides where the content leaves a choice.
pub(crate) fn detect(source: &mut Source, path: Option<&Path>) -> Result<Format, ReadError> {
    let by_name = path.and_then(Format::from_path);
    let name = source.name().to_owned();
    let bytes = source.peek(WINDOW)?;
    // A character may be cut by the window's end, and the error in a file is for its reader to name.
    let text = String::from_utf8_lossy(bytes);
    let opening = Opening::new(&text);
    match opening.as_ref().and_then(|opening| guess(opening, by_name)).or(by_name) {
        Some(format) => Ok(format),
        None => {
            let message = match opening {
                None => "the file is empty",
                Some(_) => "the format is none of those known",
            };
            let message = format!("{message}; give one of {}", Format::names());
            Err(ReadError::Unknown { file: name, message })
        }
    }
}

fn guess(opening: &Opening<'_>, by_name: Option<Format>) -> Option<Format> {
    let likeness = |format: Format| (format.description().likeness)(opening);
    let mut best = (Likeness::No, None);
    for format in Format::ALL {
        let found = likeness(format);
        if found > best.0 {
            best = (found, Some(format));
        }
    }
    let named = by_name.filter(|&format| likeness(format) > Likeness::No);
    match best.0 {
        Likeness::No => None,
        // What only fits is believed of a file that is named so, and of no other.
        Likeness::Fits => named,
        Likeness::Guess => named.or(best.1),
        Likeness::Likely | Likeness::Shaped | Likeness::Marked => best.1,
    }
}
