//! The bytes of a model, wherever they live.

use memmap2::{Mmap, MmapMut};
use std::fs::File;
use std::io::{self, Read};

/// Memory that holds a whole model file.
#[derive(Debug)]
pub enum Bytes {
    /// A mapped file.
    Mapped(Mmap),
    /// A part of the program.
    Built(&'static [u8]),
    /// Read into large pages; so many bytes of them.
    Paged(MmapMut, usize),
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

    /// Reads a file of about `size` bytes into aligned memory, which has large pages where the system has them: of a table of features
    /// nearly every look is in another page, and a processor has the addresses of a few only at hand.
    pub fn read(file: &mut File, size: u64) -> io::Result<Self> {
        let size = size as usize;
        if let Some(mut pages) = large_pages(size) {
            let len = fill(file, &mut pages)?;
            return Ok(Bytes::Paged(pages, len));
        }
        let mut words = vec![0u64; size.div_ceil(8)];
        let len = fill(file, bytemuck::cast_slice_mut(&mut words))?;
        Ok(Bytes::Owned(words.into_boxed_slice(), len))
    }

    /// All bytes.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Built(bytes) => bytes,
            Bytes::Paged(pages, len) => &pages[..*len],
            Bytes::Owned(words, len) => &bytemuck::cast_slice(words)[..*len],
        }
    }
}

/// Less memory than one large page is not worth one.
const LARGE_PAGE: usize = 2 << 20;

/// Memory in large pages, if there is enough of it.
fn large_pages(size: usize) -> Option<MmapMut> {
    let pages = (size >= LARGE_PAGE).then(|| MmapMut::map_anon(size).ok()).flatten()?;
    // A system that says no has no large pages; then they are small ones.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

/// Reads a file until its end, or until there is no more room; gives the number of bytes.
fn fill(file: &mut File, bytes: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    loop {
        match file.read(&mut bytes[len..]) {
            Ok(0) => return Ok(len),
            Ok(more) => len += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small and large files come whole, also when they are shorter than was said, and only large ones into large pages.
    #[test]
    fn files_are_read_whole() {
        for size in [0, 100, LARGE_PAGE - 1, LARGE_PAGE, LARGE_PAGE + 5] {
            let content: Vec<u8> = (0..size).map(|place| (place * 7 % 251) as u8).collect();
            let path = std::env::temp_dir().join(format!("pleach-bytes-{}-{size}", std::process::id()));
            std::fs::write(&path, &content).unwrap();
            for said in [size, size + 3] {
                let bytes = Bytes::read(&mut File::open(&path).unwrap(), said as u64).unwrap();
                assert!(bytes.as_slice() == content, "{size}");
                assert_eq!(matches!(bytes, Bytes::Paged(..)), said >= LARGE_PAGE, "{size}");
            }
            std::fs::remove_file(&path).unwrap();
        }
    }
}
