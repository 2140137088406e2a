//! The bytes of a model, wherever they live.

use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read};

/// Memory that holds a whole model file.
#[derive(Debug)]
pub enum Bytes {
    /// A mapped file.
    Mapped(Mmap),
    /// A part of the program.
    Built(&'static [u8]),
    /// Built in memory; words, so that the arrays inside are aligned.
    Owned(Box<[u64]>, usize),
}

impl Bytes {
    /// Copies bytes into aligned memory.
    pub fn copy(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Bytes::Owned(words.into_boxed_slice(), bytes.len())
    }

    /// Reads a file of about `size` bytes into aligned memory.
    pub fn read(file: &mut File, size: u64) -> io::Result<Self> {
        let mut words = vec![0u64; (size as usize).div_ceil(8)];
        let mut len = 0;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        loop {
            match file.read(&mut bytes[len..]) {
                Ok(0) => break,
                Ok(more) => len += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Bytes::Owned(words.into_boxed_slice(), len))
    }

    /// All bytes.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Built(bytes) => bytes,
            Bytes::Owned(words, len) => &bytemuck::cast_slice(words)[..*len],
        }
    }
}
