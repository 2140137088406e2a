//! Memory for tables of megabytes, in large pages where the system has them.
//!
//! What is asked for is scattered over a table, so nearly every look is in another page, and a processor has the addresses of fewer pages
//! at hand than a table of some megabytes has: it looks most of them up in memory before it can look at the table. Pages of 2 MB are so few
//! that it knows them all. Linux gives them to memory that asks for it; elsewhere, and where there is none, the memory is what it always is.

use memmap2::MmapMut;

/// Less memory than one large page is a plain list.
const PAGE: usize = 2 << 20;

/// A list of words whose length is known from the beginning.
#[derive(Debug)]
pub(crate) enum Large {
    Pages(MmapMut),
    List(Vec<u64>),
}

impl Large {
    /// So many zeros.
    pub fn zeros(words: usize) -> Self {
        let pages = (words * 8 >= PAGE).then(|| MmapMut::map_anon(words * 8).ok()).flatten();
        let Some(pages) = pages else { return Large::List(vec![0; words]) };
        // A system that says no has no large pages; that is as it is.
        #[cfg(target_os = "linux")]
        let _ = pages.advise(memmap2::Advice::HugePage);
        Large::Pages(pages)
    }

    /// The words.
    pub fn as_slice(&self) -> &[u64] {
        match self {
            Large::Pages(pages) => bytemuck::cast_slice(pages),
            Large::List(list) => list,
        }
    }

    /// The words, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u64] {
        match self {
            Large::Pages(pages) => bytemuck::cast_slice_mut(pages),
            Large::List(list) => list,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_lists_are_zeros_until_they_are_written() {
        for words in [0, 5, PAGE / 8 - 1, PAGE / 8, PAGE / 2 + 3] {
            let mut large = Large::zeros(words);
            assert_eq!(matches!(large, Large::Pages(_)), words * 8 >= PAGE);
            assert_eq!((large.as_slice().len(), large.as_slice().iter().sum::<u64>()), (words, 0));
            large.as_mut_slice().iter_mut().enumerate().for_each(|(place, word)| *word = place as u64);
            assert!(large.as_slice().iter().enumerate().all(|(place, &word)| word == place as u64));
        }
    }
}
