//! Opening files: `-` for the standard streams, gzip and Zstandard.

use crate::{AtomicFile, zstandard};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A compression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    fn from_path(path: &Path) -> Compression {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }

    fn from_magic(start: &[u8]) -> Compression {
        match start {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// Opens a file or standard input; what it is compressed with is told by its first bytes, since names lie
/// and pipes have none. The counter says how much of the file itself was read.
pub(crate) fn open(path: &Path, position: Arc<AtomicU64>) -> io::Result<Box<dyn Read + Send>> {
    if is_standard(path) {
        unpack(Box::new(Counted { input: io::stdin(), position }))
    } else {
        unpack(Box::new(Counted { input: File::open(path)?, position }))
    }
}

/// Opens a file, or standard input as `-`, and unpacks gzip and Zstandard.
///
/// # Errors
/// When the file can't be opened or its first bytes can't be read.
pub fn open_unpacked(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    open(path, Arc::default())
}

/// The same, and counts how much of the file itself was read, for progress.
///
/// # Errors
/// As for [`open_unpacked`].
pub fn open_counted(path: &Path, position: Arc<AtomicU64>) -> io::Result<Box<dyn Read + Send>> {
    open(path, position)
}

/// Packs bytes as the extension of a path says, so that packed pieces after each other are a packed file: a member of
/// gzip, a frame of Zstandard.
///
/// # Errors
/// When the packer has no memory.
pub fn pack(path: &Path, bytes: &[u8]) -> io::Result<Vec<u8>> {
    match Compression::from_path(path) {
        Compression::None => Ok(bytes.to_vec()),
        Compression::Gzip => {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            packer.write_all(bytes)?;
            packer.finish()
        }
        Compression::Zstd => zstandard::pack(bytes),
    }
}

/// A stream that counts its bytes.
struct Counted<R> {
    input: R,
    position: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.input.read(buffer)?;
        self.position.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

/// Unpacks a stream if it is gzip or Zstandard.
///
/// # Errors
/// When its first bytes can't be read.
pub fn unpack(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = [0; 4];
    let mut got = 0;
    while got < magic.len() {
        match input.read(&mut magic[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let compression = Compression::from_magic(&magic[..got]);
    let whole = io::Cursor::new(magic).take(got as u64).chain(input);
    Ok(match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(io::BufReader::new(whole))),
        Compression::Zstd => Box::new(zstandard::reader(whole)?),
    })
}

/// What a writer writes to: a file that is replaced in the end, somebody's stream, or memory.
pub(crate) enum Out {
    File(AtomicFile),
    Stream(Box<dyn Write + Send>),
    Memory(Vec<u8>),
}

impl Out {
    /// Puts a file in its place; what was written to memory comes back.
    fn commit(self) -> io::Result<Vec<u8>> {
        match self {
            Out::File(file) => file.commit().map(|()| Vec::new()),
            Out::Stream(mut out) => out.flush().map(|()| Vec::new()),
            Out::Memory(bytes) => Ok(bytes),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::File(file) => file.write(bytes),
            Out::Stream(out) => out.write(bytes),
            Out::Memory(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::File(file) => file.flush(),
            Out::Stream(out) => out.flush(),
            Out::Memory(out) => out.flush(),
        }
    }
}

/// Where the bytes of a file being written go.
pub(crate) enum Packer {
    Plain(BufWriter<Out>),
    Gzip(flate2::write::GzEncoder<Out>),
    Zstd(zstandard::Packer<Out>),
}

impl Packer {
    /// Packs nothing.
    pub fn plain(out: Out) -> Packer {
        Packer::Plain(BufWriter::with_capacity(1 << 16, out))
    }

    /// Packs as the path's extension says.
    pub fn new(path: &Path, out: Out) -> io::Result<Packer> {
        Ok(match Compression::from_path(path) {
            Compression::None => Packer::plain(out),
            Compression::Gzip => {
                Packer::Gzip(flate2::write::GzEncoder::new(out, flate2::Compression::default()))
            }
            Compression::Zstd => Packer::Zstd(zstandard::Packer::new(out)?),
        })
    }

    /// Writes what is still held back and puts a file in its place; what was written to memory comes back.
    pub fn commit(self) -> io::Result<Vec<u8>> {
        match self {
            Packer::Plain(out) => out.into_inner().map_err(io::IntoInnerError::into_error)?.commit(),
            Packer::Gzip(out) => out.finish()?.commit(),
            Packer::Zstd(out) => out.finish()?.commit(),
        }
    }
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(out) => out.write(bytes),
            Packer::Gzip(out) => out.write(bytes),
            Packer::Zstd(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::Plain(out) => out.flush(),
            Packer::Gzip(out) => out.flush(),
            Packer::Zstd(out) => out.flush(),
        }
    }
}
