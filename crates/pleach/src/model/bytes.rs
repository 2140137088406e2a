//! The bytes of a model, wherever they live.

use memmap2::Mmap;

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

    /// All bytes.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Built(bytes) => bytes,
            Bytes::Owned(words, len) => &bytemuck::cast_slice(words)[..*len],
        }
    }
}
