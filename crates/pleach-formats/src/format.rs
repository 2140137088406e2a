//! The names of the formats.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use thiserror::Error;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// CoNLL-U with DEPS and empty nodes (Universal Dependencies).
    Conllu,
    /// SemEval-2014 Task 8: six fixed columns, one more for each predicate.
    Sdp2014,
    /// SemEval-2015 Task 18: SDP 2014 with a FRAME column and a first line `#SDP 2015`.
    Sdp2015,
    /// SemEval-2016 Task 9: CoNLL-X rows, repeated once per head.
    Semeval16,
    /// Meaning representation parsing, JSON lines, flavour 0.
    Mrp,
    /// CoNLL-X (2006): trees in ten columns.
    ConllX,
    /// CoNLL-2009: trees and semantic roles.
    Conll09,
    /// CCGbank word-word dependencies.
    Parg,
    /// Penn and Chinese Treebank brackets.
    Brackets,
}

/// A name that is no format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format `{0}`; known are {names}", names = Format::names())]
pub struct UnknownFormat(pub String);

impl Format {
    /// Every format.
    pub const ALL: [Format; 9] = [
        Format::Conllu,
        Format::Sdp2014,
        Format::Sdp2015,
        Format::Semeval16,
        Format::Mrp,
        Format::ConllX,
        Format::Conll09,
        Format::Parg,
        Format::Brackets,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Conllu => "conllu",
            Format::Sdp2014 => "sdp2014",
            Format::Sdp2015 => "sdp2015",
            Format::Semeval16 => "semeval16",
            Format::Mrp => "mrp",
            Format::ConllX => "conllx",
            Format::Conll09 => "conll09",
            Format::Parg => "parg",
            Format::Brackets => "brackets",
        }
    }

    /// All names, for messages.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// The format that a file of this name has when written; `.gz` and `.zst` are looked through.
    ///
    /// `.sdp` means SDP 2015, `.conll` SemEval-2016, as the corpora are distributed.
    pub fn from_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "conllu" | "connlu" => Some(Format::Conllu),
            "sdp" | "sdp2015" => Some(Format::Sdp2015),
            "sdp2014" => Some(Format::Sdp2014),
            "conll" | "semeval16" => Some(Format::Semeval16),
            "mrp" | "jsonl" => Some(Format::Mrp),
            "conllx" | "conll06" => Some(Format::ConllX),
            "conll09" => Some(Format::Conll09),
            "parg" => Some(Format::Parg),
            "mrg" | "fid" | "brackets" | "ptb" | "ctb" => Some(Format::Brackets),
            _ => None,
        }
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
        let known = match name.to_ascii_lowercase().as_str() {
            "conllu" | "conll-u" | "ud" => Format::Conllu,
            "sdp2014" | "sdp-2014" | "sdp14" => Format::Sdp2014,
            "sdp2015" | "sdp-2015" | "sdp15" | "sdp" => Format::Sdp2015,
            "semeval16" | "semeval2016" | "semeval-2016" => Format::Semeval16,
            "mrp" => Format::Mrp,
            "conllx" | "conll-x" | "conll06" | "conll2006" => Format::ConllX,
            "conll09" | "conll2009" | "conll-2009" => Format::Conll09,
            "parg" | "ccgbank" => Format::Parg,
            "brackets" | "ptb" | "ctb" | "penn" => Format::Brackets,
            _ => return Err(UnknownFormat(name.to_owned())),
        };
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("conll".parse::<Format>().is_err());
    }

    #[test]
    fn extensions_look_through_compression() {
        assert_eq!(Format::from_path(Path::new("a.b/x.CONLLU.gz")), Some(Format::Conllu));
        assert_eq!(Format::from_path(Path::new("x.mrp.zst")), Some(Format::Mrp));
        assert_eq!(Format::from_path(Path::new("x.gz")), None);
        assert_eq!(Format::from_path(Path::new("-")), None);
    }
}
