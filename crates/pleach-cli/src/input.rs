//! What the verbs that read sentences share: the options, opening files, and going on after errors.

use crate::failure::Failure;
use crate::say::say;
use clap::{Args, ValueEnum};
use pleach_formats::{Format, ReadError, ReadOptions, Reader};
use pleach_graph::Sentence;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How input files are read.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    #[arg(long, value_name = "FORMAT", help = formats("Format of the input"))]
    pub from: Option<Format>,

    /// What to do when a sentence is malformed
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub on_error: OnError,

    /// Words for .parg files: one tokenised sentence per line, or any format that Pleach reads
    #[arg(long, value_name = "FILE")]
    pub words: Option<PathBuf>,
}

/// The help of an option that names the format of files.
pub fn formats(what: &str) -> String {
    format!("{what}; told from the content when not given [{}]", Format::names())
}

/// What to do about a malformed sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// Stop with an error that names the place
    #[default]
    Fail,
    /// Leave the sentence out, say so, and go on
    Skip,
}

/// How many errors are shown before they are only counted.
const SHOWN: u64 = 10;

/// An input file: an iterator over its sentences that obeys `--on-error`.
pub struct Input {
    reader: Reader,
    name: PathBuf,
    on_error: OnError,
    skipped: u64,
}

impl Input {
    /// Opens a file; `-` is standard input.
    pub fn open(path: &Path, args: &InputArgs) -> Result<Input, Failure> {
        let options = ReadOptions { format: args.from, words: args.words.clone() };
        match Reader::open_with(path, &options) {
            Ok(reader) => Ok(Input::of(reader, path, args.on_error)),
            Err(unknown @ ReadError::Unknown { .. }) => Err(hint(unknown, path)),
            Err(error) => Err(error.into()),
        }
    }

    /// The sentences of a reader.
    pub fn of(reader: Reader, path: &Path, on_error: OnError) -> Input {
        Input { reader, name: path.to_owned(), on_error, skipped: 0 }
    }

    /// The format that is being read.
    pub fn format(&self) -> Format {
        self.reader.format()
    }

    /// How many bytes of the file were read.
    pub fn position(&self) -> u64 {
        self.reader.position()
    }

    /// How many sentences were left out so far.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Counts a sentence that was read but could not be used, or fails with the error, as `--on-error` says.
    pub fn leave_out(
        &mut self,
        error: impl std::error::Error + Send + Sync + 'static,
    ) -> Result<(), Failure> {
        if self.on_error == OnError::Fail {
            return Err(error.into());
        }
        self.skipped += 1;
        if self.skipped <= SHOWN {
            say!("skipped: {error}");
        }
        Ok(())
    }

    /// Says on standard error how many sentences were left out, if any; for the end of a run.
    pub fn report_skipped(&self) {
        if self.skipped > 0 {
            let s = if self.skipped == 1 { "" } else { "s" };
            say!("{}: {} malformed sentence{s} left out", self.name.display(), self.skipped);
        }
    }
}

/// A file of no known format, and what to do if it is something else that we know.
#[derive(Debug, thiserror::Error)]
#[error("{unknown}{help}")]
struct NoSentences {
    unknown: ReadError,
    help: &'static str,
}

fn hint(unknown: ReadError, path: &Path) -> Failure {
    let mut start = Vec::new();
    // What can't be read again, as a pipe, gets no hint.
    if let Ok(file) = pleach_formats::open_unpacked(path)
        && path.is_file()
    {
        let _ = file.take(1 << 12).read_to_end(&mut start);
    }
    let model = path.is_file() && pleach::model::Model::recognise(path).unwrap_or(false);
    let text = !start.trim_ascii().is_empty() && !start.contains(&0);
    let help = match (model, text) {
        (true, _) => ". It is a model: `pleach info` says what it is",
        (false, true) => ". If it is text, `pleach parse` makes graphs of it, and draws them on a terminal",
        (false, false) => return unknown.into(),
    };
    Failure::from(NoSentences { unknown, help })
}

impl Iterator for Input {
    type Item = Result<Sentence, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next()? {
                Ok(sentence) => return Some(Ok(sentence)),
                Err(error @ ReadError::Syntax { .. }) => {
                    if let Err(failure) = self.leave_out(error) {
                        return Some(Err(failure));
                    }
                }
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}
