//! Readers: whatever they are given, they end, name the places of errors, and what they accept can be written and read
//! again.

use pleach_formats::{Format, ReadError, Reader, Writer};
use pleach_graph::{Sentence, Text};
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

/// The bytes of one sentence, and whether they have all of it.
fn write(sentence: &Sentence, format: Format) -> Option<(Vec<u8>, bool)> {
    let out = Shared::default();
    let mut writer = Writer::to_write(Box::new(out.clone()), format);
    writer.write(sentence).ok()?;
    let losses = writer.finish().ok()?;
    let bytes = out.0.lock().expect("no other thread").clone();
    Some((bytes, losses.is_empty()))
}

fn reader(bytes: Vec<u8>, format: Option<Format>) -> Option<Reader> {
    Reader::from_read("fuzz", Box::new(Cursor::new(bytes)), format).ok()
}

/// The bytes of a whole file.
fn write_all(sentences: &[Sentence], format: Format) -> Option<Vec<u8>> {
    let out = Shared::default();
    let mut writer = Writer::to_write(Box::new(out.clone()), format);
    sentences.iter().try_for_each(|sentence| writer.write(sentence)).ok()?;
    writer.finish().ok()?;
    let bytes = out.0.lock().expect("no other thread").clone();
    Some(bytes)
}

/// Reads, checks that errors have places, writes what was read in every format, and reads it again in its own: the
/// words, the graphs and the bytes of the whole file must be the same.
pub fn read_and_write(bytes: &[u8], format: Format) {
    let Some(reader) = reader(bytes.to_vec(), Some(format)) else { return };
    let mut sentences = Vec::new();
    let mut errors = false;
    for (i, item) in reader.enumerate() {
        assert!(i <= bytes.len(), "a reader must end");
        match item {
            Ok(sentence) => sentences.push(sentence),
            Err(ReadError::Syntax { line, column, .. }) => {
                assert!(line >= 1 && column >= 1, "an error has a place");
                errors = true;
            }
            Err(_) => return,
        }
    }
    sentences.retain(|sentence| write(sentence, format).is_some());
    sentences.iter().for_each(write_everywhere);
    // Trees that share a tag are the same only together, so none of them may be missing.
    if errors && format == Format::Brackets {
        return;
    }
    let Some(written) = write_all(&sentences, format) else { return };
    let again = self::reader(written.clone(), Some(format)).expect("what was written is of its format");
    let again: Vec<Sentence> = again.map(|item| item.expect("what was written can be read")).collect();
    assert_eq!(again.len(), sentences.len(), "as many sentences");
    for (again, sentence) in again.iter().zip(&sentences) {
        assert_eq!((&again.tokens, &again.graph), (&sentence.tokens, &sentence.graph));
    }
    assert_eq!(write_all(&again, format), Some(written), "writing again changes nothing");
}

/// Writes a sentence in every format; what is written can be read, and no word is lost without being counted.
pub fn write_everywhere(sentence: &Sentence) {
    for format in Format::ALL {
        let Some((written, whole)) = write(sentence, format) else { continue };
        let mut again = reader(written, Some(format)).expect("what was written is of its format");
        let again = again.next().expect("a sentence was written").expect("what was written can be read");
        let words = |sentence: &Sentence| {
            sentence
                .tokens
                .iter()
                .filter(|token| !token.id.is_empty_node())
                .map(|token| token.form.clone())
                .collect()
        };
        let (words, found): (Vec<Text>, Vec<Text>) = (words(sentence), words(&again));
        assert!(!whole || found == words, "{format}: {found:?} for {words:?}");
    }
}

/// Reads whatever the format seems to be.
pub fn detect(bytes: &[u8]) {
    if let Some(sentences) = reader(bytes.to_vec(), None) {
        sentences.take(bytes.len() + 1).for_each(drop);
    }
}
