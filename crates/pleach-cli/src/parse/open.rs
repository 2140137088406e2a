//! Opening an input of `pleach parse`: unpacked, decoded, and looked at to see what it is.

use super::decode::{self, Utf16};
use super::live::{self, Live};
use super::source::{self, failed};
use crate::failure::Failure;
use pleach_formats::{Format, Reader, open_counted, unpack};
use std::fmt;
use std::io::{Cursor, Read};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How much of a stream is looked at to see what it is.
const PEEK: usize = 64 << 10;

/// The field of records whose text is taken when no other is named.
pub const TEXT_FIELD: &str = "text";

/// What an input is: raw text, documents in JSON lines, or sentences in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Records,
    Sentences(Format),
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "text" => Ok(Kind::Text),
            "records" => Ok(Kind::Records),
            name => name.parse().map(Kind::Sentences).map_err(|_| {
                format!("unknown format `{name}`; known are text, records, {}", Format::names())
            }),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Text => f.write_str("text"),
            Kind::Records => f.write_str("records"),
            Kind::Sentences(format) => write!(f, "{format}"),
        }
    }
}

/// The bytes of an input.
pub type Bytes = Box<dyn Read + Send>;

/// An opened input.
pub struct Opened {
    /// Its bytes, from the first one on.
    pub bytes: Bytes,
    /// What it is.
    pub kind: Kind,
    /// Whether somebody may still be writing it.
    pub live: bool,
}

impl Opened {
    /// Text that is in memory.
    pub fn text(text: &str) -> Opened {
        Opened { bytes: Box::new(Cursor::new(text.as_bytes().to_vec())), kind: Kind::Text, live: false }
    }
}

/// Opens a file or standard input and looks what it is, unless that is said. What is not in a format of columns is text.
pub fn open(path: &Path, said: Option<Kind>, position: Arc<AtomicU64>) -> Result<Opened, Failure> {
    let name = source::name(path);
    let live = path.as_os_str() == "-" && live::is_live();
    let (mut start, mut bytes): (Vec<u8>, Bytes) = if live {
        let mut live = Live::new(std::io::stdin());
        let start = live.peek(PEEK).map_err(failed(&name))?.to_vec();
        match is_packed(&start) {
            true => peek(unpack(Box::new(live)).map_err(failed(&name))?, &name)?,
            false => (start, Box::new(live)),
        }
    } else {
        peek(open_counted(path, position).map_err(failed(&name))?, &name)?
    };
    if let Some(order) = decode::marked(&start) {
        (start, bytes) = peek(Box::new(Utf16::new(bytes, order)), &name)?;
    }
    let kind = match said {
        Some(kind) => kind,
        None => {
            if let Some(problem) = decode::not_text(&start) {
                return Err(Failure::Usage(format!("{name}: {problem}")));
            }
            if source::is_text(path) { Kind::Text } else { guess(&name, path, &start)? }
        }
    };
    Ok(Opened { bytes, kind, live })
}

/// Whether a stream that begins so is packed, by gzip or Zstandard.
pub fn is_packed(start: &[u8]) -> bool {
    start.starts_with(&[0x1F, 0x8B]) || start.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
}

/// The start of a stream, and the whole of it again.
fn peek(mut input: Bytes, name: &str) -> Result<(Vec<u8>, Bytes), Failure> {
    let mut start = Vec::new();
    input.by_ref().take(PEEK as u64).read_to_end(&mut start).map_err(failed(name))?;
    Ok((start.clone(), Box::new(Cursor::new(start).chain(input))))
}

/// What a stream seems to be. Brackets may begin any text, so they are believed only of a file that is named so.
fn guess(name: &str, path: &Path, start: &[u8]) -> Result<Kind, Failure> {
    let by_name = Format::from_path(path);
    let line =
        start.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let cut = line.starts_with(b"{\"") && line.len() == start.len() && start.len() >= PEEK;
    let json: Option<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_slice(line.trim_ascii()).ok();
    let found =
        Reader::from_read(name, Box::new(Cursor::new(start.to_vec())), None).map(|reader| reader.format());
    Ok(match found {
        Ok(format @ (Format::Mrp | Format::Jsonl)) => match &json {
            Some(fields) if by_name != Some(Format::Mrp) && !is_sentence(fields) => records(name, fields)?,
            Some(_) => Kind::Sentences(format),
            // The first line is longer than what is looked at, or it is no JSON although the file is named so.
            None if by_name == Some(format) || (cut && format == Format::Jsonl) => Kind::Sentences(format),
            None if by_name == Some(Format::Jsonl) || cut => Kind::Records,
            None => Kind::Text,
        },
        Ok(Format::Brackets | Format::Parg) | Err(_) => match (&json, by_name) {
            (Some(fields), Some(Format::Jsonl) | None) => records(name, fields)?,
            (None, Some(Format::Jsonl)) if line.starts_with(b"{") => Kind::Records,
            _ => by_name.map_or(Kind::Text, Kind::Sentences),
        },
        Ok(format) => Kind::Sentences(by_name.unwrap_or(format)),
    })
}

/// Whether an object is a sentence: of our own format, whose words are objects with forms, or of MRP.
fn is_sentence(fields: &serde_json::Map<String, serde_json::Value>) -> bool {
    if ["nodes", "flavor", "framework"].iter().any(|key| fields.contains_key(*key)) {
        return true;
    }
    let words = fields.get("words").and_then(|words| words.as_array());
    words.is_some_and(|words| words.first().is_none_or(|word| word.get("form").is_some()))
}

/// JSON lines of documents, if they have text where it is looked for.
fn records(name: &str, fields: &serde_json::Map<String, serde_json::Value>) -> Result<Kind, Failure> {
    if fields.get(TEXT_FIELD).is_some_and(serde_json::Value::is_string) {
        return Ok(Kind::Records);
    }
    let keys: Vec<&str> =
        fields.iter().filter(|(_, value)| value.is_string()).map(|(key, _)| key.as_str()).collect();
    let there = if keys.is_empty() { String::new() } else { format!(": {}", keys.join(", ")) };
    Err(Failure::Usage(format!(
        "{name}: JSON lines that are no sentences, and have no field `{TEXT_FIELD}`; say which field has the text with \
         --text-field{there}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_streams_are() {
        let kind = |text: &str| guess("x", Path::new("x"), text.as_bytes()).ok();
        assert_eq!(kind("The company is small.\n"), Some(Kind::Text));
        assert_eq!(kind("(As ever.)\n"), Some(Kind::Text));
        assert_eq!(kind("{not json}\n"), Some(Kind::Text));
        assert_eq!(kind("tabs\tin\ta text"), Some(Kind::Text));
        assert_eq!(kind(""), Some(Kind::Text));
        let row = "1\tPleach\tpleach\tVERB\t_\t_\t0\troot\t0:root\t_\n\n";
        assert_eq!(kind(row), Some(Kind::Sentences(Format::Conllu)));
    }

    #[test]
    fn what_json_lines_are() {
        let kind = |text: &str| guess("x", Path::new("x.jsonl"), text.as_bytes()).ok();
        assert_eq!(kind("{\"words\": [{\"form\": \"a\"}]}\n"), Some(Kind::Sentences(Format::Jsonl)));
        assert_eq!(kind("{\"text\": \"a b\", \"id\": 1}\n"), Some(Kind::Records));
        let mrp = "{\"id\": \"1\", \"flavor\": 0, \"input\": \"a\", \"nodes\": []}\n";
        assert_eq!(kind(mrp), Some(Kind::Sentences(Format::Mrp)));
        assert_eq!(kind("{\"text\": \"a b\", \"words\": 2}\n"), Some(Kind::Records), "a count of words");
        assert_eq!(kind("{\"body\": \"a b\"}\n"), None, "which field?");
        let long = format!("{{\"text\": \"{}", "x".repeat(100_000));
        assert_eq!(kind(&long), Some(Kind::Records), "a line that is longer than what is seen");
        let standard = |text: &str| guess("x", Path::new("-"), text.as_bytes()).ok();
        assert_eq!(standard("{\"text\": \"a\"}\n{}\n"), Some(Kind::Records));
        assert_eq!(standard("{}\n"), None);
    }
}
