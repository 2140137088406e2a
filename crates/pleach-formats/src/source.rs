//! The bytes of a file, cut into sentences without copying.
//!
//! Invariant: the buffer holds at most one sentence plus one read, and never grows beyond
//! [`MAX_SENTENCE_BYTES`], whatever the file says. Places in error messages are computed from the address
//! of the offending slice, so that good files pay nothing for them.

use crate::ReadError;
use memchr::memchr;
use std::io::{self, Read};

/// The longest sentence, in bytes, that a reader keeps in memory; a longer one is an error.
pub const MAX_SENTENCE_BYTES: usize = 16 << 20;

/// The most tokens that a sentence can have.
pub const MAX_TOKENS: usize = 65_535;

/// The most arcs that the graph of a sentence can have.
pub const MAX_ARCS: usize = 1 << 20;

/// The most words of a sentence that a file only counts: those that have neither a form nor a line about them. Without
/// this a few bytes (`<s id="x"> 65534`) would stand for megabytes.
pub const MAX_UNKNOWN_WORDS: usize = 512;

/// The most comment lines that a sentence can have.
pub const MAX_COMMENTS: usize = 65_535;

const CHUNK: usize = 256 << 10;

/// A stretch of text with its place in the file.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// The text, final line break included if the file has one.
    pub text: &'a str,
    /// The number of the first line.
    line: u64,
    file: &'a str,
}

impl<'a> Block<'a> {
    /// Text that comes from no file.
    pub(crate) fn detached(text: &'a str) -> Block<'a> {
        Block { text, line: 1, file: "" }
    }

    /// The lines without their ends (`\n` or `\r\n`).
    pub fn lines(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = memchr(b'\n', rest.as_bytes());
            let line = &rest[..end.unwrap_or(rest.len())];
            rest = end.map_or("", |end| &rest[end + 1..]);
            Some(line.strip_suffix('\r').unwrap_or(line))
        })
    }

    /// The number of the first line.
    pub fn first_line(&self) -> u64 {
        self.line
    }

    /// The file's name.
    pub fn file(&self) -> &'a str {
        self.file
    }

    /// An error at a slice of [`Block::text`]; at the block's end when `at` lies outside.
    #[cold]
    pub fn error(&self, at: &str, message: impl Into<String>) -> ReadError {
        let offset = (at.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        place(self.file, self.line, self.text.as_bytes(), offset.min(self.text.len()), message.into())
    }

    /// An error at a byte offset into [`Block::text`].
    #[cold]
    pub fn error_at(&self, offset: usize, message: impl Into<String>) -> ReadError {
        place(self.file, self.line, self.text.as_bytes(), offset.min(self.text.len()), message.into())
    }
}

/// Makes the error for an offset into bytes that start on `line`.
fn place(file: &str, line: u64, bytes: &[u8], offset: usize, message: String) -> ReadError {
    let before = &bytes[..offset];
    let breaks = memchr::memchr_iter(b'\n', before).count() as u64;
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    // Every byte that does not continue a character starts one.
    let column = before[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64 + 1;
    ReadError::Syntax { file: file.to_owned(), line: line + breaks, column, message }
}

/// A file that is being read.
pub struct Source {
    name: String,
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    eof: bool,
    line: u64,
}

impl Source {
    pub(crate) fn new(name: &str, input: Box<dyn Read + Send>) -> Result<Source, ReadError> {
        let buffer = vec![0; CHUNK];
        let mut source =
            Source { name: name.to_owned(), input, buffer, start: 0, end: 0, eof: false, line: 1 };
        if source.peek(3)?.starts_with(b"\xEF\xBB\xBF") {
            source.start += 3;
        }
        Ok(source)
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the next line.
    pub fn line_number(&self) -> u64 {
        self.line
    }

    /// Puts a decoder between the file and what has not been taken of it yet.
    pub(crate) fn decode(&mut self, decoder: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>) {
        let waiting = io::Cursor::new(self.buffer[self.start..self.end].to_vec());
        let input = std::mem::replace(&mut self.input, Box::new(io::empty()));
        self.input = decoder(Box::new(waiting.chain(input)));
        (self.start, self.end, self.eof) = (0, 0, false);
    }

    /// The next bytes, at least `want` of them unless the file ends before.
    ///
    /// # Errors
    /// When the bytes cannot be had.
    pub fn peek(&mut self, want: usize) -> Result<&[u8], ReadError> {
        while self.end - self.start < want && self.fill()? {}
        Ok(&self.buffer[self.start..self.end])
    }

    /// Reads more; false at the end of the file.
    fn fill(&mut self) -> Result<bool, ReadError> {
        if self.eof {
            return Ok(false);
        }
        if self.start > 0 && self.buffer.len() - self.end < CHUNK / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            let larger = (self.buffer.len() * 2).min(MAX_SENTENCE_BYTES + CHUNK);
            self.buffer.resize(larger, 0);
        }
        let got = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        match got {
            Ok(0) => self.eof = true,
            Ok(n) => self.end += n,
            Err(source) => {
                self.eof = true;
                self.start = self.end;
                return Err(ReadError::Io { file: self.name.clone(), source });
            }
        }
        Ok(!self.eof)
    }

    /// The offset just behind the first line break at or after `from`, both counted from `start`; `None`
    /// when the buffer has none yet.
    fn line_end(&self, from: usize) -> Option<usize> {
        memchr(b'\n', &self.buffer[self.start + from..self.end]).map(|at| from + at + 1)
    }

    /// Takes lines from the front of the file as one block: those for which `take` says [`Take::More`], and
    /// the one for which it says [`Take::Last`]; a line for which it says [`Take::Before`] is left.
    ///
    /// A block that is too long or is not UTF-8 is an error and is stepped over.
    pub fn block(&mut self, mut take: impl FnMut(&[u8]) -> Take) -> Option<Result<Block<'_>, ReadError>> {
        let first = self.line;
        let mut length = 0;
        let mut lines = 0;
        let mut too_long = false;
        // Up to here the unfinished line is known to have no break.
        let mut scanned = 0;
        loop {
            let end = match self.line_end(scanned) {
                Some(end) => end,
                None => {
                    if self.end - self.start > MAX_SENTENCE_BYTES {
                        too_long = true;
                        self.start += length;
                        length = 0;
                        // The line's start says what kind of line it is; its middle can go.
                        self.end = self.end.min(self.start + CHUNK);
                    }
                    scanned = self.end - self.start;
                    match self.fill() {
                        Ok(true) => continue,
                        Ok(false) if scanned == length => break,
                        Ok(false) => scanned,
                        Err(error) => return Some(Err(error)),
                    }
                }
            };
            let verdict = take(&self.buffer[self.start + length..self.start + end]);
            if matches!(verdict, Take::Before) {
                break;
            }
            length = end;
            lines += 1;
            if matches!(verdict, Take::Last) {
                break;
            }
            if too_long {
                self.start += length;
                length = 0;
            }
            scanned = length;
        }
        if lines == 0 {
            return None;
        }
        self.line += lines;
        let from = self.start;
        self.start += length;
        if too_long || length > MAX_SENTENCE_BYTES {
            let limit = MAX_SENTENCE_BYTES >> 20;
            let message = format!("expected a sentence of at most {limit} MB; is a blank line missing?");
            return Some(Err(place(&self.name, first, b"", 0, message)));
        }
        let bytes = &self.buffer[from..from + length];
        Some(match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Block { text, line: first, file: &self.name }),
            Err(error) => {
                let at = error.valid_up_to();
                let message = format!("expected UTF-8, found the byte 0x{:02X}", bytes[at]);
                Err(place(&self.name, first, bytes, at, message))
            }
        })
    }

    /// Steps over blank lines.
    ///
    /// # Errors
    /// When the bytes cannot be had.
    pub fn skip_blank(&mut self) -> Result<(), ReadError> {
        loop {
            let line = match self.line_end(0) {
                Some(line) => line,
                None => {
                    let partial = &self.buffer[self.start..self.end];
                    if !is_blank(partial) {
                        return Ok(());
                    }
                    if partial.len() >= CHUNK {
                        // Blanks without end need not be kept.
                        self.start = self.end;
                    }
                    match self.fill()? {
                        true => continue,
                        false => {
                            self.start = self.end;
                            return Ok(());
                        }
                    }
                }
            };
            if !is_blank(&self.buffer[self.start..self.start + line]) {
                return Ok(());
            }
            self.start += line;
            self.line += 1;
        }
    }

    /// The lines up to the next blank line, blank lines before them stepped over.
    pub fn paragraph(&mut self) -> Option<Result<Block<'_>, ReadError>> {
        if let Err(error) = self.skip_blank() {
            return Some(Err(error));
        }
        self.block(|line| if is_blank(line) { Take::Before } else { Take::More })
    }

    /// The next line that is not blank.
    pub fn line(&mut self) -> Option<Result<Block<'_>, ReadError>> {
        if let Err(error) = self.skip_blank() {
            return Some(Err(error));
        }
        self.block(|_| Take::Last)
    }
}

/// What to do with a line of a block.
pub enum Take {
    /// It belongs to the block, and more may follow.
    More,
    /// It belongs to the block and ends it.
    Last,
    /// It belongs to the next block.
    Before,
}

/// Whether a line has nothing but white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b'\n' | b'\r' | b' ' | b'\t'))
}
