//! What the fuzz targets check.
//!
//! Run one with `cargo +nightly fuzz run conllu` (after `cargo install cargo-fuzz`) from the repository's root.

use pleach_formats::{Format, ReadError, Reader, Writer};
use pleach_graph::Sentence;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no other thread").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write(sentence: &Sentence, format: Format) -> Option<Vec<u8>> {
    let out = Shared::default();
    let mut writer = Writer::to_write(Box::new(out.clone()), format);
    writer.write(sentence).ok()?;
    writer.finish().ok()?;
    let bytes = out.0.lock().expect("no other thread").clone();
    Some(bytes)
}

fn reader(bytes: Vec<u8>, format: Option<Format>) -> Option<Reader> {
    Reader::from_read("fuzz", Box::new(Cursor::new(bytes)), format).ok()
}

/// Reads, checks that errors have places, writes what was read in every format, and reads it again in its own:
/// the words, the graph and the bytes must be the same.
pub fn read_and_write(bytes: &[u8], format: Format) {
    let Some(sentences) = reader(bytes.to_vec(), Some(format)) else { return };
    for (i, item) in sentences.enumerate() {
        assert!(i <= bytes.len(), "a reader must end");
        let sentence = match item {
            Ok(sentence) => sentence,
            Err(ReadError::Syntax { line, column, .. }) => {
                assert!(line >= 1 && column >= 1, "an error has a place");
                continue;
            }
            Err(_) => return,
        };
        for other in Format::ALL {
            let written = write(&sentence, other);
            if let Some(written) = written.filter(|_| other == format) {
                let again = reader(written.clone(), Some(format)).and_then(|mut again| again.next());
                let again = again.expect("a sentence was written").expect("what was written can be read");
                assert_eq!((&again.tokens, &again.graph), (&sentence.tokens, &sentence.graph));
                assert_eq!(write(&again, format), Some(written), "writing again changes nothing");
            }
        }
    }
}

/// Reads whatever the format seems to be.
pub fn detect(bytes: &[u8]) {
    if let Some(sentences) = reader(bytes.to_vec(), None) {
        sentences.take(bytes.len() + 1).for_each(drop);
    }
}
