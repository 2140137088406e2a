//! Writing sentences one by one, whatever the format.

use crate::compression::{self, Out, Packer};
use crate::conll09::Conll09Writer;
use crate::conllx::{About, ConllXWriter};
use crate::mrp::MrpWriter;
use crate::parg::PargWriter;
use crate::sdp::{SdpWriter, Year};
use crate::{AtomicFile, Format, Losses, WriteError, brackets, conllu};
use pleach_graph::Sentence;
use std::io::{self, Write};
use std::path::Path;

/// How one format writes: appends the sentence to `out` and counts what has no place.
///
/// The error is the reason why the sentence cannot be written at all; what was appended until then is
/// thrown away.
pub(crate) trait WriteFormat: Send {
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String>;

    /// What stands before the first sentence, also in a file without any.
    fn header(&self) -> &'static str {
        ""
    }
}

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

    fn build(out: Packer, name: String, format: Format) -> Writer {
        let encoder: Box<dyn WriteFormat> = match format {
            Format::Sdp2014 => Box::new(SdpWriter(Year::Y2014)),
            Format::Sdp2015 => Box::new(SdpWriter(Year::Y2015)),
            Format::Semeval16 => Box::new(ConllXWriter(About::Graph)),
            Format::Mrp => Box::new(MrpWriter),
            Format::ConllX => Box::new(ConllXWriter(About::Tree)),
            Format::Brackets => Box::new(brackets::BracketsWriter),
            Format::Conllu => Box::new(conllu::ConlluWriter),
            Format::Conll09 => Box::new(Conll09Writer),
            Format::Parg => Box::new(PargWriter),
        };
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
        let written = match has_words(sentence, self.format) {
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
    pub fn finish(mut self) -> Result<Losses, WriteError> {
        self.start()?;
        let io = |source: io::Error| WriteError::Io { file: self.name.clone(), source };
        self.out.commit().map_err(io)?;
        Ok(self.losses)
    }
}

/// Whether there is anything to write, so that the sentence is one for a reader too.
fn has_words(sentence: &Sentence, format: Format) -> bool {
    match format {
        // A tree may have nothing but traces.
        Format::Brackets => true,
        Format::Conllu => !sentence.is_empty(),
        _ => sentence.tokens.iter().any(|token| !token.id.is_empty_node()),
    }
}
