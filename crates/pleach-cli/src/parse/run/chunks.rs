//! The sentences of an input, chunk by chunk: cut from text, or as a format has them.

use super::{CHUNK, read_error};
use crate::failure::Failure;
use crate::input::Input;
use crate::parse::open::Bytes;
use crate::plural::count;
use crate::say::say;
use pleach::reading::{Place, TextReader};
use pleach_graph::Sentence;

/// An input that is being read.
pub struct Chunks<'p> {
    name: String,
    place: Place,
    kind: Kind<'p>,
}

enum Kind<'p> {
    Text(Box<TextReader<'p, Bytes>>),
    Sentences(Box<Input>),
}

impl<'p> Chunks<'p> {
    /// Text, from a place on that another run came to.
    pub fn text(name: &str, mut reader: TextReader<'p, Bytes>, place: Place) -> Result<Chunks<'p>, Failure> {
        reader.go_to(place).map_err(read_error(name))?;
        Ok(Chunks { name: name.to_owned(), place, kind: Kind::Text(Box::new(reader)) })
    }

    /// Sentences of a format, from a place on that another run came to.
    pub fn sentences(name: &str, mut input: Input, place: Place) -> Result<Chunks<'p>, Failure> {
        for _ in 0..place.chunks * CHUNK {
            if input.next().transpose()?.is_none() {
                break;
            }
        }
        Ok(Chunks { name: name.to_owned(), place, kind: Kind::Sentences(Box::new(input)) })
    }

    /// How messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether words were found in text.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text(_))
    }

    /// How far it was read.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The next sentences; none at the end.
    pub fn next(&mut self, pool: &rayon::ThreadPool) -> Result<Vec<Sentence>, Failure> {
        match &mut self.kind {
            Kind::Text(reader) => {
                let chunk = pool.install(|| reader.unparsed()).map_err(read_error(&self.name))?;
                // Paragraphs without a sentence are no chunk of sentences, but they were read.
                self.place = reader.place();
                Ok(chunk)
            }
            Kind::Sentences(input) => {
                let chunk: Vec<Sentence> = input.by_ref().take(CHUNK).collect::<Result<_, Failure>>()?;
                self.place.chunks += usize::from(!chunk.is_empty());
                Ok(chunk)
            }
        }
    }

    /// Says at its end what was not as it should be.
    pub fn tell(&self) {
        let name = &self.name;
        match &self.kind {
            Kind::Text(reader) => {
                if reader.damaged() > 0 {
                    say!(
                        "{name}: bytes that are not UTF-8 were replaced in {}; if the text is in another encoding, convert \
                         it first, for instance with iconv -f WINDOWS-1252 -t UTF-8",
                        count(reader.damaged(), "paragraph")
                    );
                }
                if reader.left_out() > 0 {
                    let left_out = count(reader.left_out(), "character");
                    say!("{name}: {left_out} of white space left out, more than a word can hold");
                }
            }
            Kind::Sentences(input) => input.report_skipped(),
        }
    }
}
