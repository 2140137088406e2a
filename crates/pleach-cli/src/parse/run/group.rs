//! Small files in a row: read one after the other, parsed together, and written at the same time where each has an output of
//! its own.
//!
//! By itself a file of a few sentences leaves most threads without work and fills no batch of a network, and a disk takes
//! longer to say that it has a file than a few sentences take to be parsed. What is written is the same.

use super::chunks::Chunks;
use super::{Place, Run, Where};
use crate::failure::Failure;
use crate::parse::open::is_packed;
use crate::parse::part::Progressed;
use crate::parse::sink::Sink;
use crate::parse::source::Source;
use pleach_formats::Losses;
use pleach_graph::Sentence;
use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A file of up to so many bytes is a small one.
const SMALL: u64 = 64 << 10;

/// A group has no more files, since all of their outputs are open at once; and no more bytes, so that little is lost when a run is
/// killed.
const MOST_FILES: usize = 256;
const MOST_BYTES: u64 = 256 << 10;

/// Threads that wait for the disk.
const WRITERS: usize = 32;

/// Files that wait for being parsed.
#[derive(Default)]
pub struct Group {
    files: Vec<Waiting>,
    bytes: u64,
}

/// A file that was read.
struct Waiting {
    number: usize,
    chunks: Vec<Chunk>,
    /// How far its output was before.
    done: Progressed,
    /// Its output, if it has one of its own.
    sink: Option<Sink>,
}

/// Some sentences, the place after them, and how far the output is with them.
struct Chunk {
    sentences: Vec<Sentence>,
    place: Place,
    after: Progressed,
}

/// The size of a file that can be read in one piece.
fn small(source: &Source) -> Option<u64> {
    let path = source.file()?;
    let found = std::fs::metadata(path).ok().filter(|found| found.is_file() && found.len() <= SMALL)?;
    // What is packed may be of any size, whatever its name is.
    let mut start = Vec::new();
    File::open(path).ok()?.take(4).read_to_end(&mut start).ok()?;
    (!is_packed(&start)).then_some(found.len())
}

impl<'a> Run<'a> {
    /// Whether a source is read now and parsed with others; gives its size.
    pub(super) fn can_wait(&self, source: &Source) -> Option<u64> {
        // An explanation stands before its graphs, and a part that was begun is gone on with.
        if self.args.explain || self.args.draw || self.done.chunks > 0 {
            return None;
        }
        small(source)
    }

    /// Whether the group has room for a file of this size.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        self.group.files.len() < MOST_FILES && self.group.bytes + bytes <= MOST_BYTES
    }

    /// Reads a small file to its end; its output was begun.
    pub(super) fn wait(
        &mut self,
        number: usize,
        mut chunks: Chunks<'a>,
        to: &Where<'_>,
        bytes: u64,
    ) -> Result<(), Failure> {
        let done = self.done;
        let mut read = Vec::new();
        loop {
            let sentences = self.next(&mut chunks)?;
            if sentences.is_empty() {
                break;
            }
            read.push(Chunk { sentences, place: chunks.place(), after: done });
        }
        chunks.tell();
        // Sentences of one output are numbered through.
        self.done.numbered = chunks.place().numbered;
        let own = matches!(to, Where::Place(_));
        let sink = if own { self.sink.take() } else { None };
        if own {
            self.done = Progressed::default();
        }
        self.group.files.push(Waiting { number, chunks: read, done, sink });
        self.group.bytes += bytes;
        Ok(())
    }

    /// Parses and writes all files that wait.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let Group { mut files, .. } = std::mem::take(&mut self.group);
        let (mut all, mut lengths): (Vec<Sentence>, Vec<usize>) = (Vec::new(), Vec::new());
        for chunk in files.iter_mut().flat_map(|file| &mut file.chunks) {
            lengths.push(chunk.sentences.len());
            all.append(&mut chunk.sentences);
        }
        self.parse(&mut all);
        let mut parsed = all.into_iter();
        for (chunk, len) in files.iter_mut().flat_map(|file| &mut file.chunks).zip(lengths) {
            chunk.sentences.extend(parsed.by_ref().take(len));
        }
        let own = files.iter().any(|file| file.sink.is_some());
        for file in &mut files {
            let numbered = self.done.numbered;
            if own {
                self.done = file.done;
            }
            for chunk in &mut file.chunks {
                self.count(&chunk.sentences);
                self.done_to(chunk.place);
                chunk.after = self.done;
            }
            self.input_done(file.number);
            match own {
                true => self.add_up(),
                false => self.done.numbered = numbered,
            }
        }
        match own {
            true => self.write_apart(files),
            false => files.iter().try_for_each(|file| match &mut self.sink {
                Some(sink) => file.put(sink),
                None => Ok(()),
            }),
        }
    }

    /// Writes outputs at the same time; of several errors the one of the first file counts.
    fn write_apart(&mut self, files: Vec<Waiting>) -> Result<(), Failure> {
        let next = AtomicUsize::new(0);
        let places: Vec<Mutex<(Waiting, Result<Losses, Failure>)>> =
            files.into_iter().map(|file| Mutex::new((file, Ok(Losses::default())))).collect();
        let work = || {
            while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
                let (file, outcome) = &mut *place;
                let Some(mut sink) = file.sink.take() else { continue };
                *outcome = file.put(&mut sink).and_then(|()| sink.finish());
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..places.len().min(WRITERS) {
                scope.spawn(work);
            }
        });
        for place in places {
            let (_, outcome) = place.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.losses.merge(&outcome?);
        }
        Ok(())
    }
}

impl Waiting {
    fn put(&self, sink: &mut Sink) -> Result<(), Failure> {
        self.chunks.iter().try_for_each(|chunk| {
            sink.put(&chunk.sentences)?;
            sink.note(&chunk.after)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packed file of a few bytes may hold more than memory does, so none is read to its end at once, whatever its name.
    #[test]
    fn what_is_packed_or_large_is_not_small() {
        let folder = tempfile::tempdir().unwrap();
        let size = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            small(&Source::File(path))
        };
        assert_eq!(size("a.txt", b"It rains."), Some(9));
        assert_eq!(size("empty.txt", b""), Some(0));
        assert_eq!(size("gzip.txt", &[0x1F, 0x8B, 8, 0, 0]), None);
        assert_eq!(size("zstd.txt", &[0x28, 0xB5, 0x2F, 0xFD, 0]), None);
        assert_eq!(size("large.txt", &vec![b'x'; SMALL as usize + 1]), None);
        assert_eq!(small(&Source::File("-".into())), None);
        assert_eq!(small(&Source::Words("It rains.".into())), None);
    }
}
