//! Which outputs there are: one for all inputs, or one for each in a folder that has the layout of the inputs.

use super::source::Source;
use super::target::Target;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where an input's output goes below `--output-dir`, without its extension, and what it is packed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    stem: PathBuf,
    packed: &'static str,
}

impl Place {
    /// The file for a kind of output.
    pub fn file(&self, target: Target) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
        name.push(format!(".{}{}", target.extension(), self.packed));
        PathBuf::from(name)
    }
}

/// The places of inputs below a folder. Files of a named folder keep their place in it; files that are named themselves
/// keep what their paths don't share.
pub fn places(sources: &[Source], folder: &Path) -> Result<Vec<Place>, Failure> {
    let named: Vec<&Path> = sources
        .iter()
        .filter_map(|source| if let Source::File(file) = source { file.parent() } else { None })
        .collect();
    let shared = shared(&named);
    let mut places = Vec::new();
    let mut taken: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for source in sources {
        let (relative, file) = match source {
            Source::Words(_) => return Err(Failure::Usage("--output-dir is for files, not for text".into())),
            Source::File(file) if file.as_os_str() == "-" => {
                return Err(Failure::Usage("--output-dir is for files, not for standard input".into()));
            }
            Source::File(file) => (file.strip_prefix(&shared).unwrap_or(file), file),
            Source::Within { folder, file } => (file.strip_prefix(folder).unwrap_or(file), file),
        };
        let name = relative.file_name().unwrap_or_default().to_string_lossy();
        let (name, packed) = match (name.strip_suffix(".gz"), name.strip_suffix(".zst")) {
            (Some(name), _) => (name, ".gz"),
            (_, Some(name)) => (name, ".zst"),
            _ => (name.as_ref(), ""),
        };
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
        let stem = folder.join(relative.parent().unwrap_or(Path::new(""))).join(stem);
        if let Some(other) = taken.insert(stem.clone(), file) {
            let (one, two) = (other.display(), file.display());
            return Err(Failure::Usage(format!(
                "{one} and {two} would have the same output below --output-dir"
            )));
        }
        places.push(Place { stem, packed });
    }
    Ok(places)
}

/// The folder that all of these lie in.
fn shared(folders: &[&Path]) -> PathBuf {
    let Some((first, others)) = folders.split_first() else { return PathBuf::new() };
    let mut shared = first.to_path_buf();
    for other in others {
        while !other.starts_with(&shared) && shared.pop() {}
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_formats::Format;

    fn files(sources: &[Source]) -> Option<Vec<String>> {
        let places = places(sources, Path::new("out")).ok()?;
        let file = |place: &Place| place.file(Target::Format(Format::Conllu)).display().to_string();
        Some(places.iter().map(file).collect())
    }

    #[test]
    fn outputs_mirror_inputs() {
        let file = |path: &str| Source::File(path.into());
        let within = |path: &str| Source::Within { folder: "in".into(), file: path.into() };
        let found = files(&[file("a/x.txt"), file("a/y.txt.gz"), within("in/deep/z.jsonl.zst")]);
        assert_eq!(found.unwrap(), ["out/x.conllu", "out/y.conllu.gz", "out/deep/z.conllu.zst"]);
        let found = files(&[file("/c/a/x.txt"), file("/c/b/x.txt"), file("/c/b/.rc")]);
        assert_eq!(found.unwrap(), ["out/a/x.conllu", "out/b/x.conllu", "out/b/.rc.conllu"]);
        assert_eq!(files(&[file("x.v1.txt")]).unwrap(), ["out/x.v1.conllu"]);
        assert!(files(&[file("x.txt"), file("x.md")]).is_none(), "both would be x.conllu");
        assert!(files(&[file("-")]).is_none() && files(&[Source::Words("a b".into())]).is_none());
    }
}
