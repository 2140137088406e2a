//! Penn and Chinese Treebank brackets.

use crate::reader::ReadFormat;
use crate::source::Source;
use crate::writer::WriteFormat;
use crate::{Losses, ReadError};
use pleach_graph::Sentence;

/// Reads one bracketed tree after the other.
#[derive(Default)]
pub(crate) struct BracketsReader;

impl ReadFormat for BracketsReader {
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
        Some(
            source.paragraph()?.and_then(|block| Err(block.error(block.text, "brackets cannot be read yet"))),
        )
    }
}

/// Writes the bracketed tree of a sentence.
pub(crate) struct BracketsWriter;

impl WriteFormat for BracketsWriter {
    fn write(&mut self, sentence: &Sentence, _: &mut Vec<u8>, _: &mut Losses) -> Result<(), String> {
        Err(format!("brackets of {} tokens cannot be written yet", sentence.len()))
    }
}
