//! Where `pleach parse` gets its input: text on the command line, files, globs, standard input.

use crate::failure::Failure;
use pleach_formats::{Format, Reader, open_unpacked};
use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How much of a stream is looked at to see what it is.
const PEEK: u64 = 64 << 10;

/// What an input is: raw text, or sentences in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Sentences(Format),
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "text" => Ok(Kind::Text),
            name => name
                .parse()
                .map(Kind::Sentences)
                .map_err(|_| format!("unknown format `{name}`; known are text, {}", Format::names())),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Text => f.write_str("text"),
            Kind::Sentences(format) => write!(f, "{format}"),
        }
    }
}

/// One input, not opened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Text on the command line.
    Words(String),
    /// A file, or standard input as `-`.
    File(PathBuf),
}

impl Source {
    /// What an argument means: `-`, a file, a pattern that files match, else text. A single word that looks like a path
    /// is a file that is not there.
    pub fn all(argument: &str) -> Result<Vec<Source>, Failure> {
        let path = Path::new(argument);
        if argument == "-" || path.is_file() {
            return Ok(vec![Source::File(path.to_owned())]);
        }
        if path.is_dir() {
            return Err(Failure::Usage(format!(
                "{argument} is a folder; try '{}/*'",
                argument.trim_end_matches('/')
            )));
        }
        if argument.contains(['*', '?', '['])
            && let Ok(paths) = glob::glob(argument)
        {
            let files: Vec<Source> =
                paths.filter_map(Result::ok).filter(|path| path.is_file()).map(Source::File).collect();
            if !files.is_empty() {
                return Ok(files);
            }
        }
        let word = !argument.contains(char::is_whitespace);
        let known = is_text(path) || Format::from_path(path).is_some();
        if word && (argument.contains('/') || known) {
            return Err(Failure::Usage(format!(
                "{argument}: no such file; text that looks like a path needs --text"
            )));
        }
        Ok(vec![Source::Words(argument.to_owned())])
    }
}

/// Whether a name says that a file is text.
fn is_text(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    name.ends_with(".txt") || name.ends_with(".md")
}

/// An opened input.
pub enum Opened {
    Text(Box<dyn Read + Send>),
    Sentences(Box<Reader>),
}

/// Opens a file or standard input and looks what it is. What is not in a format of columns is text.
pub fn open(path: &Path, kind: Option<Kind>) -> Result<Opened, Failure> {
    let name = name(path);
    let mut input = open_unpacked(path).map_err(failed(&name))?;
    let (start, kind) = match kind {
        Some(kind) => (Vec::new(), kind),
        None => {
            let mut start = Vec::new();
            input.by_ref().take(PEEK).read_to_end(&mut start).map_err(failed(&name))?;
            let kind = if is_text(path) { Kind::Text } else { guess(&name, path, &start) };
            (start, kind)
        }
    };
    let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(input));
    Ok(match kind {
        Kind::Text => Opened::Text(whole),
        Kind::Sentences(format) => {
            Opened::Sentences(Box::new(Reader::from_read(&name, whole, Some(format))?))
        }
    })
}

/// How messages name an input.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// An input whose bytes can't be had: not there, or cut, as an archive can be.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {source}")]
pub struct Unread {
    file: String,
    source: io::Error,
}

/// Makes an error say which input it is about.
pub fn failed(name: &str) -> impl Fn(io::Error) -> Unread + '_ {
    |source| Unread { file: name.to_owned(), source }
}

/// What a stream seems to be. Brackets may begin any text, so they are believed only of a file that is named so.
fn guess(name: &str, path: &Path, start: &[u8]) -> Kind {
    let by_name = Format::from_path(path);
    match Reader::from_read(name, Box::new(Cursor::new(start.to_vec())), None).map(|reader| reader.format()) {
        Ok(Format::Brackets | Format::Parg) | Err(_) => by_name.map_or(Kind::Text, Kind::Sentences),
        Ok(format @ (Format::Mrp | Format::Jsonl)) => {
            let line = start.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
            let json = line.is_some_and(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok());
            if json || by_name == Some(format) { Kind::Sentences(format) } else { Kind::Text }
        }
        Ok(format) => Kind::Sentences(by_name.unwrap_or(format)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_streams_are() {
        let kind = |text: &str| guess("x", Path::new("x"), text.as_bytes());
        assert_eq!(kind("The company is small.\n"), Kind::Text);
        assert_eq!(kind("(As ever.)\n"), Kind::Text);
        assert_eq!(kind("{not json}\n"), Kind::Text);
        assert_eq!(kind("tabs\tin\ta text"), Kind::Text);
        assert_eq!(kind(""), Kind::Text);
        let row = "1\tPleach\tpleach\tVERB\t_\t_\t0\troot\t0:root\t_\n\n";
        assert_eq!(kind(row), Kind::Sentences(Format::Conllu));
    }

    #[test]
    fn what_arguments_mean() {
        let all = |argument| Source::all(argument).ok();
        assert_eq!(all("Two words."), Some(vec![Source::Words("Two words.".into())]));
        assert_eq!(all("Pleach!"), Some(vec![Source::Words("Pleach!".into())]));
        assert_eq!(all("-"), Some(vec![Source::File("-".into())]));
        assert!(
            all("no/such/file").is_none()
                && all("missing.conllu").is_none()
                && all("missing.txt.gz").is_none()
        );
    }
}
