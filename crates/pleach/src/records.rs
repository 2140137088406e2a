//! JSON lines of documents: one object a line, with text in one of its fields.
//!
//! Every line that comes in goes out, in order: its fields as they were, to the byte, and the parsed sentences under the
//! key [`RESULT`], in the schema of the format `jsonl` (`docs/formats.md`). A line whose text can't be had gets the key
//! [`ERROR`] instead; a line that is no object becomes one, with what it was under [`LINE`]. Blank lines are no records.

use crate::feed::{Feed, Pieces};
use crate::reading::{Notes, ReadError, TextFormat, TextReader};
use pleach_formats::{Format, Writer};
use pleach_graph::Sentence;
use pleach_parsers::{Parser, ParserError};
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::io::{self, BufRead, BufReader, Read};

/// The key of the sentences in a record.
pub const RESULT: &str = "sentences";

/// The key of a record's error.
pub const ERROR: &str = "pleach_error";

/// The key of a line that is no JSON object.
pub const LINE: &str = "pleach_line";

/// The longest line, in bytes; what is beyond it is skipped, and the record has an error.
pub const LONGEST_LINE: usize = 16 << 20;

/// How much of a line that is too long is kept, in bytes.
const SHOWN: usize = 1000;

/// Records that are parsed together, in bytes.
const CHUNK: usize = 128 << 10;

/// How records are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The field that has the text: a key, or a path such as `/data/body`.
    pub field: String,
    /// How the text is laid out.
    pub format: TextFormat,
    /// Say in MISC where every token stands in the text, in characters.
    pub ranges: bool,
}

/// A line of the input.
#[derive(Debug)]
struct Line {
    text: String,
    /// Why it can't be read, whatever it says.
    broken: Option<String>,
}

/// The lines of a file.
#[derive(Debug)]
struct Lines<R>(BufReader<R>);

impl<R: Read> Pieces for Lines<R> {
    type Piece = Line;

    fn next_piece(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let most = LONGEST_LINE as u64 + 1;
            if self.0.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            let mut broken = None;
            if bytes.len() > LONGEST_LINE && !bytes.ends_with(b"\n") {
                self.0.skip_until(b'\n')?;
                bytes.truncate(SHOWN);
                broken = Some(format!("the line is longer than {} MiB", LONGEST_LINE >> 20));
            }
            let trimmed = bytes.trim_ascii();
            let trimmed = trimmed.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(trimmed);
            if trimmed.is_empty() {
                continue;
            }
            let text = match std::str::from_utf8(trimmed) {
                Ok(text) => text.to_owned(),
                Err(_) => {
                    broken = broken.or_else(|| Some("the line is not UTF-8".to_owned()));
                    String::from_utf8_lossy(trimmed).into_owned()
                }
            };
            return Ok(Some(Line { text, broken }));
        }
    }

    fn size(line: &Line) -> usize {
        line.text.len()
    }
}

/// Reads documents and cuts their texts into sentences.
///
/// ```
/// # #[cfg(feature = "english")] {
/// use pleach::records::{Options, RecordReader};
///
/// let parser = pleach::english()?;
/// let lines = "{\"id\": 7, \"body\": \"It rains.\"}\n{\"id\": 8}\n";
/// let options = Options { field: "body".into(), format: Default::default(), ranges: false };
/// let mut reader = RecordReader::new(&parser, lines.as_bytes(), options);
/// let mut records = reader.unparsed()?.unwrap();
/// parser.parse_all(&mut records.sentences);
/// let written = records.finish();
/// let text = String::from_utf8(written.lines)?;
/// assert!(text.starts_with(r#"{"id": 7, "body": "It rains.", "sentences": [{"id": "1", "text": "It rains.""#));
/// assert!(text.ends_with("{\"id\": 8, \"pleach_error\": \"there is no field `body`\"}\n"));
/// assert_eq!((written.records, written.failed), (2, 1));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RecordReader<'p, R: Read> {
    parser: &'p Parser,
    feed: Feed<Lines<R>>,
    options: Options,
    chunks: usize,
}

/// Some records whose sentences are to be parsed.
#[derive(Debug)]
pub struct Records {
    items: Vec<Item>,
    /// The sentences of all of them. Their number and order must stay.
    pub sentences: Vec<Sentence>,
}

/// One record: its line, what it says, and how many sentences it has or what is wrong.
#[derive(Debug)]
struct Item {
    line: String,
    fields: Option<Map<String, Value>>,
    sentences: Result<usize, String>,
}

/// Records as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The lines.
    pub lines: Vec<u8>,
    /// How many there are.
    pub records: usize,
    /// How many of them have an error.
    pub failed: usize,
    /// The first error.
    pub error: Option<String>,
}

impl<'p, R: Read> RecordReader<'p, R> {
    /// Documents to be parsed by a model, which needs a tokenizer unless the texts are tokens.
    pub fn new(parser: &'p Parser, input: R, options: Options) -> Self {
        Self::build(parser, Feed::Here(Lines(BufReader::new(input))), options)
    }

    fn build(parser: &'p Parser, feed: Feed<Lines<R>>, options: Options) -> Self {
        RecordReader { parser, feed, options, chunks: 0 }
    }

    /// How many chunks of records were read.
    pub fn chunks(&self) -> usize {
        self.chunks
    }

    /// Reads on to where an earlier run had read so many chunks.
    pub fn go_to(&mut self, chunks: usize) -> io::Result<()> {
        while self.chunks < chunks && !self.feed.chunk(CHUNK)?.is_empty() {
            self.chunks += 1;
        }
        Ok(())
    }

    /// The next records; none at the end.
    pub fn unparsed(&mut self) -> Result<Option<Records>, ReadError> {
        let lines = self.feed.chunk(CHUNK)?;
        if lines.is_empty() {
            return Ok(None);
        }
        self.chunks += 1;
        let cut = |line: Line| cut(self.parser, &self.options, line);
        let cut: Result<Vec<(Item, Vec<Sentence>)>, ParserError> = lines.into_par_iter().map(cut).collect();
        let (items, sentences): (Vec<Item>, Vec<Vec<Sentence>>) = cut?.into_iter().unzip();
        Ok(Some(Records { items, sentences: sentences.into_iter().flatten().collect() }))
    }
}

impl<'p, R: Read + Send + 'static> RecordReader<'p, R> {
    /// Documents that somebody is still writing: those that are there are given without waiting for more.
    pub fn live(parser: &'p Parser, input: R, options: Options) -> Self {
        Self::build(parser, Feed::live(Lines(BufReader::new(input))), options)
    }
}

/// Cuts the text of a record into sentences.
fn cut(parser: &Parser, options: &Options, line: Line) -> Result<(Item, Vec<Sentence>), ParserError> {
    let failed = |line, fields, error| Ok((Item { line, fields, sentences: Err(error) }, Vec::new()));
    if let Some(broken) = line.broken {
        return failed(line.text, None, broken);
    }
    let fields: Map<String, Value> = match serde_json::from_str(&line.text) {
        Ok(fields) => fields,
        Err(error) => return failed(line.text, None, format!("the line is no JSON object: {error}")),
    };
    let found = field(&fields, &options.field);
    let text = match found {
        Some(Value::String(text)) => text.clone(),
        Some(other) => {
            let error = format!("the field `{}` is {}, not text", options.field, kind(other));
            return failed(line.text, Some(fields), error);
        }
        None => {
            let error = format!("there is no field `{}`", options.field);
            return failed(line.text, Some(fields), error);
        }
    };
    let notes = Notes { ranges: options.ranges, ..Notes::default() };
    let mut reader = TextReader::laid_out(parser, text.as_bytes(), options.format, notes);
    let mut sentences = Vec::new();
    loop {
        match reader.unparsed() {
            Ok(more) if more.is_empty() => break,
            Ok(more) => sentences.extend(more),
            Err(ReadError::Parser(error)) => return Err(error),
            Err(ReadError::Io(error)) => return failed(line.text, Some(fields), error.to_string()),
        }
    }
    let item = Item { line: line.text, fields: Some(fields), sentences: Ok(sentences.len()) };
    Ok((item, sentences))
}

fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if let Some(found) = fields.get(name) {
        return Some(found);
    }
    let mut keys = name.strip_prefix('/')?.split('/');
    let first = fields.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Records {
    /// The lines of the records with what was parsed.
    pub fn finish(self) -> Written {
        let mut rest = self.sentences.as_slice();
        let mut work = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let (own, others) =
                rest.split_at(item.sentences.as_ref().map_or(0, |&count| count.min(rest.len())));
            rest = others;
            work.push((item, own));
        }
        let lines: Vec<(String, Option<String>)> =
            work.into_par_iter().map(|(item, sentences)| item.write(sentences)).collect();
        let mut written = Written { lines: Vec::new(), records: lines.len(), failed: 0, error: None };
        for (line, error) in lines {
            written.lines.extend_from_slice(line.as_bytes());
            written.lines.push(b'\n');
            written.failed += usize::from(error.is_some());
            written.error = written.error.or(error);
        }
        written
    }
}

impl Item {
    /// The record's line, and its error if it has one.
    fn write(&self, sentences: &[Sentence]) -> (String, Option<String>) {
        let result = self.sentences.clone().and_then(|_| encode(sentences));
        let (key, value, error) = match result {
            Ok(json) => (RESULT, json, None),
            Err(error) => (ERROR, Value::from(error.as_str()).to_string(), Some(error)),
        };
        let Some(fields) = &self.fields else {
            let line = Value::from(self.line.as_str());
            return (format!("{{\"{key}\": {value}, \"{LINE}\": {line}}}"), error);
        };
        let ours = [RESULT, ERROR];
        // A file that was parsed before gets new sentences; others stay as they are written, to the byte.
        let again = ours.iter().any(|&key| fields.contains_key(key));
        let body = if again {
            let others: Map<String, Value> = fields
                .iter()
                .filter(|(key, _)| !ours.contains(&key.as_str()))
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            Value::Object(others).to_string()
        } else {
            self.line.clone()
        };
        let body = body.trim_end().strip_suffix('}').unwrap_or(&body).trim_end();
        let comma = if body.trim() == "{" { "" } else { ", " };
        (format!("{body}{comma}\"{key}\": {value}}}"), error)
    }
}

/// Sentences as a JSON list.
fn encode(sentences: &[Sentence]) -> Result<String, String> {
    let mut writer = Writer::piece(Format::Jsonl);
    for sentence in sentences {
        writer.write(sentence).map_err(|error| error.to_string())?;
    }
    let (bytes, _) = writer.into_vec().map_err(|error| error.to_string())?;
    let lines = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    Ok(format!("[{}]", lines.trim_end().replace('\n', ", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(line: &str, sentences: Result<usize, String>) -> Item {
        Item { line: line.to_owned(), fields: serde_json::from_str(line).ok(), sentences }
    }

    #[test]
    fn fields_stay_as_they_are_written() {
        let sentences = [Sentence::from_forms(["a"]), Sentence::from_forms(["b\nc"])];
        let line = r#"{"n": 1.50e3,"big":123456789012345678901234567890, "text":"a b" }"#;
        let (written, error) = item(line, Ok(2)).write(&sentences);
        let start =
            r#"{"n": 1.50e3,"big":123456789012345678901234567890, "text":"a b", "sentences": [{"words""#;
        assert!(written.starts_with(start) && error.is_none(), "{written}");
        let value: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(value["sentences"][1]["words"][0]["form"], "b\nc");
        let (empty, _) = item("{}", Err("no".into())).write(&[]);
        assert_eq!(empty, r#"{"pleach_error": "no"}"#);
        let (none, _) = item(r#"{"text": ""}"#, Ok(0)).write(&[]);
        assert_eq!(none, r#"{"text": "", "sentences": []}"#);
    }

    #[test]
    fn parsed_records_can_be_parsed_again() {
        let line = r#"{"text": "a", "sentences": [1], "pleach_error": "x", "z": 1}"#;
        let (written, _) = item(line, Ok(0)).write(&[]);
        assert_eq!(written, r#"{"text":"a","z":1, "sentences": []}"#);
    }

    #[test]
    fn lines_that_are_no_objects_become_some() {
        let (written, error) = item("[1, \"a\"", Err("bad".into())).write(&[]);
        assert_eq!(written, r#"{"pleach_error": "bad", "pleach_line": "[1, \"a\""}"#);
        assert_eq!(error.as_deref(), Some("bad"));
    }

    #[test]
    fn fields_are_keys_or_paths() {
        let fields = serde_json::from_str(r#"{"a": {"b": "x"}, "/a/b": "y", "c": [1]}"#).unwrap();
        assert_eq!(field(&fields, "/a/b"), Some(&"y".into()));
        assert_eq!(field(&fields, "/a"), Some(&fields["a"]));
        assert_eq!((field(&fields, "b"), field(&fields, "/c/d")), (None, None));
    }

    #[test]
    fn lines_have_a_limit_and_blank_ones_are_none() {
        let mut text = b"\xEF\xBB\xBF{}\r\n\n  \n".to_vec();
        text.resize(text.len() + LONGEST_LINE + 5, b'x');
        text.extend_from_slice(b"\n{\"caf\xE9\": 1}\nlast");
        let mut lines = Lines(BufReader::new(text.as_slice()));
        let all: Vec<Line> = std::iter::from_fn(|| lines.next_piece().unwrap()).collect();
        assert_eq!(
            all.iter().map(|line| line.broken.is_some()).collect::<Vec<_>>(),
            [false, true, true, false]
        );
        assert_eq!((all[0].text.as_str(), all[1].text.len(), all[3].text.as_str()), ("{}", SHOWN, "last"));
    }
}
