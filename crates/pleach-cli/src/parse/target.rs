//! What `pleach parse` writes: a format, a JSON document, a page, a picture.

use pleach_formats::Format;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What the output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Sentences in a format.
    Format(Format),
    /// One JSON document with all sentences.
    Json,
    /// A page with a picture of every sentence.
    Html,
    /// One picture with all sentences.
    Svg,
}

impl Target {
    /// What a file of this name is; `.gz` and `.zst` are looked through.
    pub fn from_path(path: &Path) -> Option<Target> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "json" => Some(Target::Json),
            "html" | "htm" => Some(Target::Html),
            "svg" => Some(Target::Svg),
            _ => Format::from_path(path).map(Target::Format),
        }
    }

    /// The extension of files of this kind.
    pub fn extension(self) -> &'static str {
        match self {
            Target::Format(format) => format.description().extensions.first().copied().unwrap_or("out"),
            Target::Json => "json",
            Target::Html => "html",
            Target::Svg => "svg",
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "json" => Ok(Target::Json),
            "html" => Ok(Target::Html),
            "svg" => Ok(Target::Svg),
            name => name.parse().map(Target::Format).map_err(|_| {
                format!("unknown format `{name}`; known are {}, json, html, svg", Format::names())
            }),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Format(format) => write!(f, "{format}"),
            other => f.write_str(other.extension()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_files_are() {
        let of = |name: &str| Target::from_path(Path::new(name));
        assert_eq!((of("x.JSON"), of("x.json.gz")), (Some(Target::Json), Some(Target::Json)));
        assert_eq!((of("a.b/x.htm"), of("x.svg")), (Some(Target::Html), Some(Target::Svg)));
        assert_eq!(of("x.jsonl.zst"), Some(Target::Format(Format::Jsonl)));
        assert_eq!((of("x.txt"), of("x"), of("-")), (None, None, None));
        for name in ["json", "html", "svg", "conllu"] {
            assert_eq!(name.parse::<Target>().unwrap().to_string(), name);
        }
    }
}
