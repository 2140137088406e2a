//! Writing sentences one by one, whatever the format.

use crate::compression::{self, Out, Packer};
use crate::format::WriteFormat;
use crate::{AtomicFile, Format, Losses, WriteError};
use pleach_graph::Sentence;
use std::io::{self, Write};
use std::path::Path;

/// A file of sentences being written.
///
/// A file appears under its name only when [`Writer::finish`] succeeds, as an [`AtomicFile`] does: a run that fails
/// leaves what was there before.
pub struct Writer {
    format: Format,
    encoder: Box<dyn WriteFormat>,
    out: Packer,
    name: String,
    buffer: Vec<u8>,
    losses: Losses,
    written: u64,
    started: bool,
}

impl Writer {
    /// Creates a file in the given format, or the one its extension names; `-` is standard output. `.gz` and
    /// `.zst` are packed.
    ///
    /// # Errors
    /// When the file cannot be created or its format is not known.
    pub fn create(path: &Path, format: Option<Format>) -> Result<Writer, WriteError> {
        let name =
            if compression::is_standard(path) { "<stdout>".into() } else { path.display().to_string() };
        let format = format.or_else(|| Format::from_path(path));
        let format = format.ok_or_else(|| WriteError::Unknown { file: name.clone() })?;
        let io = |source: io::Error| WriteError::Io { file: name.clone(), source };
        let out = Out::File(AtomicFile::create(path).map_err(io)?);
        let out = Packer::new(path, out).map_err(io)?;
        Ok(Writer::build(out, name.clone(), format))
    }

    /// Writes to a stream.
    pub fn to_write(out: Box<dyn Write + Send>, format: Format) -> Writer {
        Writer::build(Packer::plain(Out::Stream(out)), "<stream>".to_owned(), format)
    }

    /// Writes into memory; [`Writer::into_vec`] gives the bytes.
    ///
    /// ```
    /// use pleach_formats::{Format, Writer};
    /// use pleach_graph::Sentence;
    ///
    /// let mut writer = Writer::to_vec(Format::Jsonl);
    /// writer.write(&Sentence::from_forms(["Hedges", "grow"]))?;
    /// let (bytes, losses) = writer.into_vec()?;
    /// assert!(bytes.starts_with(br#"{"words": [{"id": 1, "form": "Hedges"}"#) && losses.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_vec(format: Format) -> Writer {
        Writer::build(Packer::plain(Out::Memory(Vec::new())), "<memory>".to_owned(), format)
    }

    /// The same without what a file of the format begins with: for files that are written piece by piece.
    pub fn piece(format: Format) -> Writer {
        Writer { started: true, ..Writer::to_vec(format) }
    }

    fn build(out: Packer, name: String, format: Format) -> Writer {
        let encoder = (format.description().writer)();
        let (buffer, losses) = (Vec::new(), Losses::default());
        Writer { format, encoder, out, name, buffer, losses, written: 0, started: false }
    }

    /// The format that is being written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Writes one sentence. After [`WriteError::Unwritable`] the file is as if it had not been tried.
    ///
    /// # Errors
    /// When the sentence cannot be expressed in the format, or the bytes cannot be written.
    pub fn write(&mut self, sentence: &Sentence) -> Result<(), WriteError> {
        self.start()?;
        self.buffer.clear();
        let mut losses = Losses::default();
        let written = match self.encoder.has_content(sentence) {
            true => self.encoder.write(sentence, &mut self.buffer, &mut losses),
            false => Err("it has no words".to_owned()),
        };
        if let Err(message) = written {
            let id = sentence.sent_id().map(|id| format!("sentence `{id}`"));
            let sentence = id.unwrap_or_else(|| format!("sentence {}", self.written + 1));
            return Err(WriteError::Unwritable { format: self.format, sentence, message });
        }
        self.losses.merge(&losses);
        self.written += 1;
        let done = self.out.write_all(&self.buffer);
        done.map_err(|source| WriteError::Io { file: self.name.clone(), source })
    }

    fn start(&mut self) -> Result<(), WriteError> {
        if !self.started {
            self.started = true;
            let done = self.out.write_all(self.encoder.header().as_bytes());
            done.map_err(|source| WriteError::Io { file: self.name.clone(), source })?;
        }
        Ok(())
    }

    /// What was lost so far.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Completes the file and says what it has no place for.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn finish(self) -> Result<Losses, WriteError> {
        self.into_vec().map(|(_, losses)| losses)
    }

    /// Completes the file, and gives the bytes of a writer into memory, see [`Writer::to_vec`]; others have none left.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn into_vec(mut self) -> Result<(Vec<u8>, Losses), WriteError> {
        self.start()?;
        let io = |source: io::Error| WriteError::Io { file: self.name.clone(), source };
        let bytes = self.out.commit().map_err(io)?;
        Ok((bytes, self.losses))
    }
}
