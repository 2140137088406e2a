//! What there is to know about a format; each format's file has one of these.

use super::{Likeness, Opening};
use crate::{Losses, ReadError, ReadOptions, source::Source};
use pleach_graph::Sentence;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A format: its names, how it is recognised, how it is read and written. Two with the same name are the same format.
pub struct Description {
    /// The name on the command line and in messages.
    pub name: &'static str,
    /// What it is, in a few words, for help texts.
    pub about: &'static str,
    /// Other names that mean it, in small letters.
    pub aliases: &'static [&'static str],
    /// Extensions of its files in small letters, without the dot; the first is the one that help texts name.
    pub extensions: &'static [&'static str],
    /// The media type (`text/x-conllu; charset=utf-8`).
    pub media_type: &'static str,
    /// How much the start of a file looks like this format.
    pub likeness: fn(&Opening<'_>) -> Likeness,
    /// Makes what reads a file of this format.
    pub reader: fn(&ReadOptions) -> Result<Box<dyn ReadFormat>, ReadError>,
    /// Makes what writes a file of this format.
    pub writer: fn() -> Box<dyn WriteFormat>,
}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Description {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Description {}

impl PartialOrd for Description {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Description {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Description {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// How one format reads.
pub trait ReadFormat: Send {
    /// The next sentence, `None` at the end of the file. After an error the source must stand behind the offending
    /// sentence.
    fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>>;
}

/// How one format writes.
pub trait WriteFormat: Send {
    /// Appends the sentence to `out` and counts what has no place.
    ///
    /// # Errors
    /// The reason why the sentence cannot be written at all; what was appended until then is thrown away.
    fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String>;

    /// What stands before the first sentence, also in a file without any.
    fn header(&self) -> &'static str {
        ""
    }

    /// Whether there is anything to write, so that the sentence is one for a reader too: words, if nothing else is said.
    fn has_content(&self, sentence: &Sentence) -> bool {
        sentence.tokens.iter().any(|token| !token.id.is_empty_node())
    }
}
