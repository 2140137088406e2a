//! Where results go: standard output, where a closed pipe is an error to report and not a panic, or a file that is
//! replaced only by a complete one.

use crate::failure::Failure;
use pleach_formats::AtomicFile;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Prints to standard output.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let done = write!(out, "{text}").and_then(|()| out.flush());
    Ok(done.map_err(Output::unwritten(None))?)
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", name(.file))]
pub struct Unwritten {
    file: PathBuf,
    source: io::Error,
}

fn name(file: &Path) -> String {
    if file.as_os_str() == "-" { "<stdout>".to_owned() } else { file.display().to_string() }
}

/// An output under way; without [`Output::finish`] a file stays as it was.
pub struct Output {
    out: BufWriter<AtomicFile>,
    file: PathBuf,
}

impl Output {
    /// Prepares a file, or standard output when there is none or it is `-`.
    pub fn open(path: Option<&Path>) -> Result<Output, Unwritten> {
        let file = path.unwrap_or(Path::new("-")).to_owned();
        match AtomicFile::create(&file) {
            Ok(out) => Ok(Output { out: BufWriter::with_capacity(1 << 16, out), file }),
            Err(source) => Err(Unwritten { file, source }),
        }
    }

    /// Writes what is held back and puts the file in its place.
    pub fn finish(self) -> Result<(), Unwritten> {
        let Output { out, file } = self;
        let done = out.into_inner().map_err(io::IntoInnerError::into_error).and_then(AtomicFile::commit);
        done.map_err(|source| Unwritten { file, source })
    }

    /// Makes an error say which file it is about.
    pub fn unwritten(path: Option<&Path>) -> impl Fn(io::Error) -> Unwritten {
        let file = path.unwrap_or(Path::new("-")).to_owned();
        move |source| Unwritten { file: file.clone(), source }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Replaces a file.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), Unwritten> {
    pleach_formats::atomic::write(path, bytes).map_err(Output::unwritten(Some(path)))
}
