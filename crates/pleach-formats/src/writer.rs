//! Writing sentences one by one, whatever the format.

use crate::compression::{self, Packer};
use crate::conll09::Conll09Writer;
use crate::conllx::{About, ConllXWriter};
use crate::mrp::MrpWriter;
use crate::parg::PargWriter;
use crate::sdp::{SdpWriter, Year};
use crate::{Format, Losses, WriteError, brackets, conllu};
use pleach_graph::Sentence;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
/// A file appears under its name only when [`Writer::finish`] succeeds: a run that fails leaves nothing
/// half-written behind.
pub struct Writer {
    format: Format,
    encoder: Box<dyn WriteFormat>,
    out: Packer,
    name: String,
    /// The file that becomes `target` in the end.
    pending: Option<(tempfile::TempPath, PathBuf)>,
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
        let (out, pending): (Box<dyn Write + Send>, _) = if compression::is_standard(path) {
            (Box::new(io::stdout()), None)
        } else if path.exists() && !path.is_file() {
            // Pipes and devices such as /dev/null cannot be renamed over.
            (Box::new(std::fs::File::create(path).map_err(io)?), None)
        } else {
            // A link is written through, not over.
            let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let (file, temporary) = temporary(&target).map_err(io)?.into_parts();
            (Box::new(file), Some((temporary, target)))
        };
        let out = Packer::new(path, out).map_err(io)?;
        Ok(Writer::build(out, name.clone(), pending, format))
    }

    /// Writes to a stream.
    pub fn to_write(out: Box<dyn Write + Send>, format: Format) -> Writer {
        Writer::build(Packer::plain(out), "<stream>".to_owned(), None, format)
    }

    fn build(
        out: Packer,
        name: String,
        pending: Option<(tempfile::TempPath, PathBuf)>,
        format: Format,
    ) -> Writer {
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
        Writer { format, encoder, out, name, pending, buffer, losses, written: 0, started: false }
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
        if let Err(message) = self.encoder.write(sentence, &mut self.buffer, &mut losses) {
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
        self.out.finish().map_err(io)?;
        if let Some((temporary, target)) = self.pending {
            temporary.persist(target).map_err(|error| io(error.error))?;
        }
        Ok(self.losses)
    }
}

/// A file beside `target`, with the rights that it has or would have.
fn temporary(target: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pleach-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let old = std::fs::metadata(target).map(|file| file.permissions());
        builder.permissions(old.unwrap_or_else(|_| std::fs::Permissions::from_mode(0o666)));
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}
