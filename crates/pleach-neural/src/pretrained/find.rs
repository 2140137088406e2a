//! Where the encoder of a model is: models that were trained with one hold its hash and not its weights.
//!
//! It is looked for in the folders that the program was told of ([`look_in`]), in those that `$PLEACH_ENCODER` lists, where
//! it was when the model was trained, and in `pleach/encoders` in the user's folder of data. Each of them is an encoder or
//! has encoders in it. Nothing is downloaded.

use super::{Pretrained, PretrainedError, fingerprint_of};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use thiserror::Error;

/// An encoder was not found.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FindError {
    /// It is in none of the folders.
    #[error(
        "the model needs the encoder '{name}' with hash {hash:016x}{}; name its folder with --encoder or $PLEACH_ENCODER",
        seen(.others)
    )]
    Missing {
        /// Its name.
        name: String,
        /// Its hash.
        hash: u64,
        /// The folders with other encoders, and their hashes.
        others: Vec<(PathBuf, u64)>,
    },
    /// It can't be read.
    #[error(transparent)]
    Pretrained(#[from] PretrainedError),
}

fn seen(others: &[(PathBuf, u64)]) -> String {
    let mut text = String::new();
    for (path, hash) in others {
        let _ = write!(text, "; {} is another one, with hash {hash:016x}", path.display());
    }
    text
}

static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Encoders in use, so that the parts of a model share one.
static OPEN: Mutex<Vec<Weak<Pretrained>>> = Mutex::new(Vec::new());

/// From now on, encoders are looked for in this folder first.
///
/// # Errors
/// When it is no folder of an encoder, or of encoders.
pub fn look_in(folder: &Path) -> Result<(), PretrainedError> {
    if !is_encoder(folder) && inside(folder).is_empty() {
        let source = std::io::Error::new(std::io::ErrorKind::NotFound, "no encoder in this folder");
        return Err(PretrainedError::File { path: folder.join("config.json"), source });
    }
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder.to_owned());
    Ok(())
}

fn is_encoder(folder: &Path) -> bool {
    folder.join("config.json").is_file()
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| is_encoder(path)).collect();
    folders.sort();
    folders
}

fn places(hint: &Path) -> Vec<PathBuf> {
    let told = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let listed = std::env::var_os("PLEACH_ENCODER").unwrap_or_default();
    let listed = std::env::split_paths(&listed).filter(|path| !path.as_os_str().is_empty());
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = variable("XDG_DATA_HOME").or_else(|| Some(variable("HOME")?.join(".local/share")));
    let mut places: Vec<PathBuf> = Vec::new();
    let folders = told.into_iter().rev().chain(listed).chain([hint.to_owned()]);
    for folder in folders.chain(data.map(|data| data.join("pleach/encoders"))) {
        let own = if is_encoder(&folder) { vec![folder] } else { inside(&folder) };
        places.extend(own.into_iter().filter(|own| !places.contains(own)).collect::<Vec<_>>());
    }
    places
}

/// Finds the encoder with a hash; `hint` is where it was.
pub fn find(hash: u64, hint: &Path) -> Result<Arc<Pretrained>, FindError> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|encoder| encoder.strong_count() > 0);
    if let Some(encoder) = open.iter().filter_map(Weak::upgrade).find(|own| own.fingerprint() == hash) {
        return Ok(encoder);
    }
    let (mut others, mut failed) = (Vec::new(), None);
    for place in places(hint) {
        match fingerprint_of(&place) {
            Ok(found) if found == hash => {
                let encoder = Arc::new(Pretrained::open(&place)?);
                open.push(Arc::downgrade(&encoder));
                return Ok(encoder);
            }
            Ok(found) => others.push((place, found)),
            // An encoder with a file missing may be the one, or another one may be it.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some(error) = failed {
        return Err(error.into());
    }
    let name = hint.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Err(FindError::Missing { name, hash, others })
}
