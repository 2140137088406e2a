//! The formats, and what it takes to add one.
//!
//! A format is one file with a [`Description`]: names, extensions, how it is recognised, read and written. Those of
//! this crate are listed in [`Format`], one line each; a program that has a format of its own gives its description
//! as [`Format::Other`]:
//!
//! ```
//! use pleach_formats::format::{Carries, Description, Likeness, ReadFormat, Source, WriteFormat};
//! use pleach_formats::{Format, Losses, ReadError, Reader, Writer};
//! use pleach_graph::Sentence;
//!
//! /// A sentence a line, words between spaces.
//! struct Words;
//!
//! impl ReadFormat for Words {
//!     fn read(&mut self, source: &mut Source) -> Option<Result<Sentence, ReadError>> {
//!         Some(source.line()?.map(|block| Sentence::from_forms(block.text.split_whitespace())))
//!     }
//! }
//!
//! impl WriteFormat for Words {
//!     fn write(&mut self, sentence: &Sentence, out: &mut Vec<u8>, losses: &mut Losses) -> Result<(), String> {
//!         Carries::NOTHING.count(sentence, losses);
//!         let words: Vec<&str> = sentence.tokens.iter().map(|token| token.form.as_str()).collect();
//!         out.extend_from_slice(words.join(" ").as_bytes());
//!         out.push(b'\n');
//!         Ok(())
//!     }
//! }
//!
//! static WORDS: Description = Description {
//!     name: "words",
//!     about: "one sentence a line",
//!     aliases: &[],
//!     extensions: &["words"],
//!     media_type: "text/x-words; charset=utf-8",
//!     likeness: |_| Likeness::No,
//!     reader: |_| Ok(Box::new(Words)),
//!     writer: || Box::new(Words),
//! };
//!
//! let text = "Hedges grow slowly\n";
//! let mut writer = Writer::to_write(Box::new(std::io::sink()), Format::Other(&WORDS));
//! for sentence in Reader::from_read("text", Box::new(text.as_bytes()), Some(Format::Other(&WORDS)))? {
//!     writer.write(&sentence?)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod description;
mod detect;

pub use crate::losses::{Carries, Comments};
pub use crate::source::{Block, Source, Take};
pub use description::{Description, ReadFormat, WriteFormat};
pub(crate) use detect::detect;
pub use detect::{Likeness, Opening};

use crate::{brackets, conll09, conllu, conllx, jsonl, mrp, parg, sdp};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use thiserror::Error;

/// Makes the list of formats: each has a name here and a description in its file.
macro_rules! formats {
    ($($(#[$about:meta])* $name:ident: $description:path,)*) => {
        /// A file format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format {
            $($(#[$about])* $name,)*
            /// A format that is not one of this crate's.
            Other(&'static Description),
        }

        impl Format {
            /// Every format of this crate.
            pub const ALL: [Format; [$(stringify!($name)),*].len()] = [$(Format::$name),*];

            /// What there is to know about it.
            pub fn description(self) -> &'static Description {
                match self {
                    $(Format::$name => &$description,)*
                    Format::Other(description) => description,
                }
            }
        }
    };
}

// Where the start of a file looks like two of them equally, the first one is taken.
formats! {
    /// CoNLL-U with DEPS and empty nodes (Universal Dependencies).
    Conllu: conllu::FORMAT,
    /// SemEval-2014 Task 8: six fixed columns, one more for each predicate.
    Sdp2014: sdp::SDP2014,
    /// SemEval-2015 Task 18: SDP 2014 with a FRAME column and a first line `#SDP 2015`.
    Sdp2015: sdp::SDP2015,
    /// SemEval-2016 Task 9: CoNLL-X rows, repeated once per head.
    Semeval16: conllx::SEMEVAL16,
    /// JSON lines of our own, with everything that a sentence has.
    Jsonl: jsonl::FORMAT,
    /// Meaning representation parsing, JSON lines, flavour 0.
    Mrp: mrp::FORMAT,
    /// CoNLL-X (2006): trees in ten columns.
    ConllX: conllx::CONLLX,
    /// CoNLL-2009: trees and semantic roles.
    Conll09: conll09::FORMAT,
    /// CCGbank word-word dependencies.
    Parg: parg::FORMAT,
    /// Penn and Chinese Treebank brackets.
    Brackets: brackets::FORMAT,
}

/// A name that is no format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format `{0}`; known are {names}", names = Format::names())]
pub struct UnknownFormat(pub String);

impl Format {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// All names, for messages.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// A line for each format, for help texts: its name, its extensions, what it is.
    pub fn legend() -> String {
        let line = |format: Format| {
            let Description { name, about, extensions, .. } = format.description();
            let extensions: Vec<String> = extensions.iter().map(|e| format!(".{e}")).collect();
            format!("  {name:<10} {:<30} {about}", extensions.join(" "))
        };
        Format::ALL.map(line).join("\n")
    }

    /// The format that a file of this name has when written; `.gz` and `.zst` are looked through.
    ///
    /// `.sdp` means SDP 2015, `.conll` SemEval-2016, as the corpora are distributed.
    pub fn from_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        let extension = name.rsplit_once('.')?.1;
        Format::ALL.into_iter().find(|format| format.description().extensions.contains(&extension))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let small = name.to_ascii_lowercase();
        let known = Format::ALL.into_iter().find(|format| {
            let Description { name, aliases, .. } = format.description();
            *name == small || aliases.contains(&small.as_str())
        });
        known.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_come_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("conll".parse::<Format>().is_err());
    }

    #[test]
    fn no_name_and_no_extension_means_two_formats() {
        let (mut names, mut extensions) = (BTreeSet::new(), BTreeSet::new());
        for format in Format::ALL {
            let description = format.description();
            assert!(names.insert(description.name), "{format}");
            assert!(description.aliases.iter().all(|alias| names.insert(alias)), "{format}");
            assert!(description.extensions.iter().all(|e| extensions.insert(e)), "{format}");
        }
    }

    #[test]
    fn extensions_look_through_compression() {
        assert_eq!(Format::from_path(Path::new("a.b/x.CONLLU.gz")), Some(Format::Conllu));
        assert_eq!(Format::from_path(Path::new("x.mrp.zst")), Some(Format::Mrp));
        assert_eq!(Format::from_path(Path::new("x.jsonl")), Some(Format::Jsonl));
        assert_eq!(Format::from_path(Path::new("x.gz")), None);
        assert_eq!(Format::from_path(Path::new("-")), None);
    }
}
