//! Where `pleach parse` gets its input: text on the command line, files, folders, globs, standard input.

use crate::failure::Failure;
use pleach_formats::Format;
use std::io;
use std::path::{Path, PathBuf};

/// One input, not opened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Text on the command line.
    Words(String),
    /// A file, or standard input as `-`.
    File(PathBuf),
    /// A file of a folder that was named.
    Within { folder: PathBuf, file: PathBuf },
}

impl Source {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Source::Words(_) => None,
            Source::File(file) | Source::Within { file, .. } => Some(file),
        }
    }

    /// What an argument means: `-`, a file, a folder, a pattern that files match, else text. A single word that looks
    /// like a path is a file that is not there. What lies in `out` is output of ours, and no input.
    pub fn all(argument: &str, out: Option<&Path>) -> Result<Vec<Source>, Failure> {
        let path = Path::new(argument);
        if argument == "-" || path.is_file() {
            return Ok(vec![Source::File(path.to_owned())]);
        }
        if path.is_dir() {
            let mut files = Vec::new();
            walk(path, out, &mut files).map_err(failed(argument))?;
            if files.is_empty() {
                return Err(Failure::Usage(format!(
                    "{argument}: no file in this folder has a name that says what it is, such as .txt, .conllu or .jsonl; \
                     name files to parse them all the same"
                )));
            }
            let within = |file| Source::Within { folder: path.to_owned(), file };
            return Ok(files.into_iter().map(within).collect());
        }
        if argument.contains(['*', '?', '['])
            && let Ok(paths) = glob::glob(argument)
        {
            let files: Vec<Source> =
                paths.filter_map(Result::ok).filter(|path| path.is_file()).map(Source::File).collect();
            if !files.is_empty() {
                return Ok(files);
            }
        }
        let word = !argument.contains(char::is_whitespace);
        let known = is_text(path) || Format::from_path(path).is_some();
        if word && (argument.contains('/') || known) {
            return Err(Failure::Usage(format!(
                "{argument}: no such file; text that looks like a path needs --text"
            )));
        }
        Ok(vec![Source::Words(argument.to_owned())])
    }
}

/// The files of a folder and of those in it whose names say what they are, in order of their names.
fn walk(folder: &Path, out: Option<&Path>, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<std::fs::DirEntry> = std::fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') || out.is_some_and(|out| same(out, &path)) {
            continue;
        }
        // Links to folders could lead in circles.
        if entry.file_type()?.is_dir() {
            walk(&path, out, files)?;
        } else if (is_text(&path) || Format::from_path(&path).is_some()) && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether two paths lead to the same place.
fn same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Whether a name says that a file is text.
pub fn is_text(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    name.ends_with(".txt") || name.ends_with(".md")
}

/// How messages name an input.
pub fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// An input whose bytes can't be had: not there, or cut, as an archive can be.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {source}")]
pub struct Unread {
    file: String,
    source: io::Error,
}

/// Makes an error say which input it is about.
pub fn failed(name: &str) -> impl Fn(io::Error) -> Unread + '_ {
    |source| Unread { file: name.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arguments_mean() {
        let all = |argument| Source::all(argument, None).ok();
        assert_eq!(all("Two words."), Some(vec![Source::Words("Two words.".into())]));
        assert_eq!(all("Pleach!"), Some(vec![Source::Words("Pleach!".into())]));
        assert_eq!(all("-"), Some(vec![Source::File("-".into())]));
        assert!(
            all("no/such/file").is_none()
                && all("missing.conllu").is_none()
                && all("missing.txt.gz").is_none()
        );
    }
    #[test]
    fn folders_are_their_files_that_have_known_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("b/out")).unwrap();
        for name in
            ["c.txt", "b/a.txt.gz", "b/x.conllu", "b/x.part", "b/notes", ".hidden.txt", "b/out/x.conllu"]
        {
            std::fs::write(at(name), "x").unwrap();
        }
        let out = at("b/out");
        let found = Source::all(&folder.path().display().to_string(), Some(&out)).ok().unwrap();
        let found: Vec<_> = found.iter().filter_map(Source::file).collect();
        assert_eq!(found, [at("b/a.txt.gz"), at("b/x.conllu"), at("c.txt")]);
        assert!(Source::all(&at("b/out").display().to_string(), Some(&out)).is_ok(), "named itself");
    }
}
