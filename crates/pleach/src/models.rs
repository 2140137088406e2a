//! Where models are found: built into the program, in the user's folder, or by path.
//!
//! The folder is `$PLEACH_MODELS`, else `pleach/models` below `$XDG_DATA_HOME` (`~/.local/share` when that is not set).

use pleach_model::{Model, ModelError};
use pleach_parsers::{Parser, ParserError};
use std::path::{Path, PathBuf};

/// The extension of model files.
const EXTENSION: &str = "pleach";

/// A model that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    bytes: &'static [u8],
}

impl Builtin {
    /// Opens it; nothing is copied. The checksums are compared: a damaged program must not parse.
    pub fn open(&self) -> Result<Model, ModelError> {
        let model = Model::from_static(self.name, self.bytes)?;
        model.verify()?;
        Ok(model)
    }
}

/// Bytes whose first one lies where a number of eight bytes may.
#[cfg(feature = "english")]
#[repr(C, align(8))]
struct Aligned<T: ?Sized>(T);

#[cfg(feature = "english")]
static ENGLISH: &Aligned<[u8]> = &Aligned(*include_bytes!("../models/en.pleach"));

#[cfg(feature = "english")]
static FAST_ENGLISH: &Aligned<[u8]> = &Aligned(*include_bytes!("../models/en-fast.pleach"));

/// The name of the built-in model that is made for speed.
pub const FAST: &str = "en-fast";

/// The models that this program was built with; the first one is used when none is named.
pub fn builtin() -> &'static [Builtin] {
    #[cfg(feature = "english")]
    static MODELS: [Builtin; 2] = [
        Builtin {
            name: "en",
            about: "English, from text to enhanced dependency graphs; trained on UD_English-EWT (CC BY-SA 4.0)",
            bytes: &ENGLISH.0,
        },
        Builtin {
            name: FAST,
            about: "the same, three times as fast and a little less accurate: a smaller network (CC BY-SA 4.0)",
            bytes: &FAST_ENGLISH.0,
        },
    ];
    #[cfg(not(feature = "english"))]
    static MODELS: [Builtin; 0] = [];
    &MODELS
}

/// The built-in English parser, from text to graphs.
///
/// # Errors
/// When the program was built without it (cargo feature `english`).
pub fn english() -> Result<Parser, FindError> {
    open(None)
}

/// A folder that a variable names.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The user's folder of models, if the system says where that is.
pub fn folder() -> Option<PathBuf> {
    variable("PLEACH_MODELS").or_else(|| Some(data_folder()?.join("models")))
}

/// Where Pleach keeps what belongs to a user.
pub fn data_folder() -> Option<PathBuf> {
    let data = variable("XDG_DATA_HOME").or_else(|| Some(variable("HOME")?.join(".local/share")));
    data.map(|data| data.join("pleach"))
}

/// The model files in a folder, by name, sorted.
pub fn installed(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let mut models = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION)
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            models.push((name.to_owned(), path));
        }
    }
    models.sort();
    Ok(models)
}

/// Why no model was found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// It can't be opened.
    #[error(transparent)]
    Parser(#[from] ParserError),
    /// Neither a file nor a name.
    #[error("no model '{name}': neither a file, nor in {folder}, nor built in{}", listed(.known))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        folder: String,
        /// The names that would do.
        known: Vec<String>,
    },
    /// The program was built without models.
    #[error("this program was built without a model: name one with -m")]
    None,
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; there are {}", names.join(", ")) }
}

/// Opens a parser by path or by name, as [`find`] does.
pub fn open(name: Option<&Path>) -> Result<Parser, FindError> {
    match locate(name)? {
        Place::File(path) => Ok(Parser::open(&path)?),
        Place::Built(builtin) => {
            let model = builtin.open().map_err(ParserError::from)?;
            Ok(Parser::new(builtin.name, model)?)
        }
    }
}

/// Finds a model by path or by name: a file, else one in the user's folder, else one that is built in; without a name,
/// the first built-in one.
pub fn find(name: Option<&Path>) -> Result<Model, FindError> {
    let model = match locate(name)? {
        Place::File(path) => Model::open(&path),
        Place::Built(builtin) => builtin.open(),
    };
    Ok(model.map_err(ParserError::from)?)
}

/// Where a model is.
enum Place {
    File(PathBuf),
    Built(&'static Builtin),
}

fn locate(name: Option<&Path>) -> Result<Place, FindError> {
    let Some(path) = name else {
        return Ok(Place::Built(builtin().first().ok_or(FindError::None)?));
    };
    if path.exists() || path.components().count() > 1 || path.extension().is_some() {
        return Ok(Place::File(path.to_owned()));
    }
    let folder = folder();
    let installed = folder.as_deref().map_or(Ok(Vec::new()), installed).unwrap_or_default();
    let text = path.to_string_lossy();
    if let Some((_, path)) = installed.iter().find(|(name, _)| *name == text) {
        return Ok(Place::File(path.clone()));
    }
    if let Some(found) = builtin().iter().find(|builtin| builtin.name == text) {
        return Ok(Place::Built(found));
    }
    let names = installed.into_iter().map(|(name, _)| name);
    Err(FindError::Unknown {
        name: text.into_owned(),
        folder: folder.map_or_else(|| "a model folder".into(), |folder| folder.display().to_string()),
        known: names.chain(builtin().iter().map(|builtin| builtin.name.to_owned())).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_list_their_models() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.pleach", "a.pleach", "notes.txt"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let names: Vec<String> =
            installed(folder.path()).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(installed(&folder.path().join("none")).is_err());
    }

    #[test]
    fn unknown_names_are_told() {
        let error = open(Some(Path::new("no-such-model"))).unwrap_err().to_string();
        assert!(error.starts_with("no model 'no-such-model': neither a file"), "{error}");
    }

    #[test]
    fn built_in_models_open_and_keep_what_their_treebank_keeps() {
        for model in builtin() {
            let parser = open(Some(Path::new(model.name))).unwrap();
            let guarantees = parser.guarantees();
            assert!(guarantees.rooted && guarantees.one_root && guarantees.connected, "{guarantees}");
            assert!(guarantees.nodes && guarantees.labels && !guarantees.acyclic, "{guarantees}");
        }
    }
}
