//! Reading sentences one by one, whatever the format.

use crate::format::{ReadFormat, detect};
use crate::source::Source;
use crate::{Format, ReadError, compression};
use pleach_graph::Sentence;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a reader may need to know beyond the file itself.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; detected from the content when not given.
    pub format: Option<Format>,
    /// For CCGbank `.parg`: a file with the words, in any readable format or as one tokenised sentence per
    /// line.
    pub words: Option<PathBuf>,
}

/// A file of sentences: an iterator that needs no more memory than one sentence.
///
/// After a [`ReadError::Syntax`] the iterator goes on with the next sentence; after a [`ReadError::Io`] it
/// ends.
pub struct Reader {
    source: Source,
    format: Format,
    parser: Box<dyn ReadFormat>,
    ended: bool,
    position: Arc<AtomicU64>,
}

impl Reader {
    /// Opens a file; `-` is standard input. Gzip and Zstandard are unpacked.
    ///
    /// # Errors
    /// When the file cannot be opened, or no format is given and none is recognised.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Reader, ReadError> {
        Reader::open_with(path, &ReadOptions { format, ..ReadOptions::default() })
    }

    /// Opens a file with options.
    ///
    /// # Errors
    /// As for [`Reader::open`].
    pub fn open_with(path: &Path, options: &ReadOptions) -> Result<Reader, ReadError> {
        let name = file_name(path);
        let position = Arc::default();
        let input = compression::open(path, Arc::clone(&position))
            .map_err(|source| ReadError::Io { file: name.clone(), source })?;
        Ok(Reader { position, ..Reader::build(&name, input, Some(path), options)? })
    }

    /// Reads from a stream, which may be compressed; `name` is for error messages.
    ///
    /// # Errors
    /// When the stream cannot be read, or no format is given and none is recognised.
    pub fn from_read(
        name: &str,
        input: Box<dyn Read + Send>,
        format: Option<Format>,
    ) -> Result<Reader, ReadError> {
        let input =
            compression::unpack(input).map_err(|source| ReadError::Io { file: name.to_owned(), source })?;
        Reader::build(name, input, None, &ReadOptions { format, ..ReadOptions::default() })
    }

    /// Reads from bytes, which may be compressed and which are copied; `name` is for error messages.
    ///
    /// ```
    /// use pleach_formats::Reader;
    ///
    /// fn words(bytes: &[u8]) -> Result<usize, pleach_formats::ReadError> {
    ///     Reader::from_bytes("request", bytes, None)?.map(|sentence| Ok(sentence?.len())).sum()
    /// }
    /// assert_eq!(words(br#"{"words": [{"form": "Hedges"}, {"form": "grow"}]}"#)?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When no format is given and none is recognised, or the bytes are not what they are packed as.
    pub fn from_bytes(name: &str, bytes: &[u8], format: Option<Format>) -> Result<Reader, ReadError> {
        Reader::from_read(name, Box::new(std::io::Cursor::new(bytes.to_vec())), format)
    }

    fn build(
        name: &str,
        input: Box<dyn Read + Send>,
        path: Option<&Path>,
        options: &ReadOptions,
    ) -> Result<Reader, ReadError> {
        let mut source = Source::new(name, input)?;
        let format = match options.format {
            Some(format) => format,
            None => detect(&mut source, path)?,
        };
        let parser = (format.description().reader)(options)?;
        Ok(Reader { source, format, parser, ended: false, position: Arc::default() })
    }

    /// How many bytes of the file were read so far, before unpacking: for progress bars.
    pub fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// The format that is being read.
    pub fn format(&self) -> Format {
        self.format
    }
}

impl Iterator for Reader {
    type Item = Result<Sentence, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.parser.read(&mut self.source);
        self.ended = match &item {
            None => true,
            Some(Err(error)) => !error.is_recoverable(),
            Some(Ok(_)) => false,
        };
        item
    }
}

/// All sentences of a file, its format detected, or the first error.
///
/// # Errors
/// As for [`Reader::open`], and when a sentence is malformed.
pub fn read_file(path: &Path) -> Result<Vec<Sentence>, ReadError> {
    Reader::open(path, None)?.collect()
}

/// A path as messages name it.
fn file_name(path: &Path) -> String {
    if compression::is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}
