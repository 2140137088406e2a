//! Reading and writing `.pleach` files.

use super::bytes::Bytes;
use super::card::{Provenance, VERSION};
use super::section::{Section, View};
use crate::recipe::{Recipe, RecipeError};
use memmap2::Mmap;
use pleach_linear::table::Table;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// Why a model can't be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file system said no.
    #[error("{file}: {source}")]
    Io {
        /// The model's file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// Not a model, cut off, or damaged.
    #[error("{file}: not a usable Pleach model: {message}")]
    Corrupt {
        /// The model's file.
        file: String,
        /// What is wrong with it.
        message: String,
    },
    /// Made by another version.
    #[error("{file}: the model's layout has version {found}, this Pleach reads version {VERSION}")]
    Version {
        /// The model's file.
        file: String,
        /// The file's version.
        found: u32,
    },
}

/// The JSON in the file's header.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    root: Node,
}

/// A section in the header; its arrays are numbered in the order of a walk from the root, parents first.
#[derive(Debug, Serialize, Deserialize)]
struct Node {
    role: String,
    family: String,
    card: Value,
    provenance: Option<Provenance>,
    scale: f32,
    children: Vec<Node>,
}

/// A section of an open model.
#[derive(Debug)]
pub(super) struct Entry {
    pub role: String,
    pub family: String,
    pub card: Value,
    pub provenance: Option<Provenance>,
    pub children: Vec<usize>,
    scale: f32,
    slots: Range<usize>,
    entries: Range<usize>,
}

/// An open model file.
#[derive(Debug)]
pub struct Model {
    bytes: Bytes,
    /// The root first.
    sections: Vec<Entry>,
}

impl Model {
    /// Maps a model file into memory and reads its header.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let file = path.display().to_string();
        let io = |source| ModelError::Io { file: file.clone(), source };
        let handle = File::open(path).map_err(io)?;
        if handle.metadata().map_err(io)?.len() == 0 {
            return Err(ModelError::Corrupt { file, message: "the file is empty".into() });
        }
        // SAFETY: the map is read-only, and every read from it is checked; a file that another process changes
        // meanwhile gives other numbers, as any file would.
        let map = unsafe { Mmap::map(&handle) }.map_err(io)?;
        Self::read(&file, Bytes::Mapped(map))
    }

    /// Whether a file looks like a model, told from its first bytes: the length of a safetensors header that
    /// fits into the file, then JSON.
    pub fn recognise(path: &Path) -> std::io::Result<bool> {
        let mut handle = File::open(path)?;
        let size = handle.metadata()?.len();
        let mut start = [0; 9];
        match handle.read_exact(&mut start) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        let [length @ .., brace] = start;
        Ok(brace == b'{' && u64::from_le_bytes(length) <= size - 8)
    }

    /// A model from bytes in memory; `name` is for error messages.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        Self::read(name, Bytes::copy(bytes))
    }

    /// A model that is part of the program: nothing is copied if the bytes are aligned to eight.
    pub fn from_static(name: &str, bytes: &'static [u8]) -> Result<Self, ModelError> {
        match bytes.as_ptr().align_offset(8) {
            0 => Self::read(name, Bytes::Built(bytes)),
            _ => Self::from_bytes(name, bytes),
        }
    }

    fn read(file: &str, bytes: Bytes) -> Result<Self, ModelError> {
        let corrupt = |message: String| ModelError::Corrupt { file: file.to_owned(), message };
        let all = bytes.as_slice();
        let (_, metadata) = SafeTensors::read_metadata(all).map_err(|error| corrupt(error.to_string()))?;
        let header = metadata.metadata().as_ref().and_then(|map| map.get("pleach"));
        let header = header.ok_or_else(|| corrupt("no description in its header".into()))?;
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_str(header).map_err(|error| corrupt(error.to_string()))?;
        if version != VERSION {
            return Err(ModelError::Version { file: file.to_owned(), found: version });
        }
        let header: Header = serde_json::from_str(header).map_err(|error| corrupt(error.to_string()))?;
        let tensors = SafeTensors::deserialize(all).map_err(|error| corrupt(error.to_string()))?;
        let range = |name: &str, dtype: Dtype| -> Result<Range<usize>, ModelError> {
            let view = tensors.tensor(name).map_err(|error| corrupt(error.to_string()))?;
            if view.dtype() != dtype {
                return Err(corrupt(format!("'{name}' has numbers of another kind")));
            }
            let start = view.data().as_ptr() as usize - all.as_ptr() as usize;
            Ok(start..start + view.data().len())
        };
        let mut sections = Vec::new();
        let mut waiting = vec![(header.root, None)];
        while let Some((node, parent)) = waiting.pop() {
            let at = sections.len();
            let slots = range(&format!("{at}/slots"), Dtype::U64)?;
            let entries = range(&format!("{at}/entries"), Dtype::U32)?;
            if bytemuck::try_cast_slice::<u8, u64>(&all[slots.clone()]).is_err()
                || bytemuck::try_cast_slice::<u8, u32>(&all[entries.clone()]).is_err()
            {
                return Err(corrupt("its arrays are not aligned".into()));
            }
            let Node { role, family, card, provenance, scale, children } = node;
            waiting.extend(children.into_iter().rev().map(|child| (child, Some(at))));
            sections.push(Entry {
                role,
                family,
                card,
                provenance,
                children: Vec::new(),
                scale,
                slots,
                entries,
            });
            if let Some(parent) = parent {
                let parent: &mut Entry = &mut sections[parent];
                parent.children.push(at);
            }
        }
        Ok(Model { bytes, sections })
    }

    /// The section that the model is.
    pub fn root(&self) -> View<'_> {
        View { model: self, at: 0 }
    }

    /// Changes a key of the recipe, in all sections that have it and where only parsing depends on it.
    pub fn set(&mut self, key: &str, value: &toml::Value) -> Result<(), RecipeError> {
        let mut refused = None;
        let mut done = false;
        for entry in &mut self.sections {
            let Some(recipe) = entry.card.get_mut("recipe") else { continue };
            let Ok(mut changed) = serde_json::from_value::<Recipe>(recipe.clone()) else { continue };
            if let Err(error) = changed.set_for_parsing(key, value.clone()) {
                refused.get_or_insert(error);
                continue;
            }
            // A recipe of plain values always has JSON.
            *recipe = serde_json::to_value(changed).unwrap_or_default();
            done = true;
        }
        match refused {
            Some(error) if !done => Err(error),
            _ if !done => {
                Err(RecipeError::UnknownKey { file: "model".into(), key: key.to_owned(), known: Vec::new() })
            }
            _ => Ok(()),
        }
    }

    /// Puts another recipe in the place of those that learn the same.
    pub fn parse_as(&mut self, recipe: &Recipe) {
        for entry in &mut self.sections {
            let Some(old) = entry.card.get_mut("recipe") else { continue };
            let same = |old: Recipe| old.learnt() == recipe.learnt();
            if serde_json::from_value(old.clone()).is_ok_and(same) {
                // A recipe of plain values always has JSON.
                *old = serde_json::to_value(recipe).unwrap_or_default();
            }
        }
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.as_slice().len()
    }

    pub(super) fn entry(&self, at: usize) -> &Entry {
        &self.sections[at]
    }

    pub(super) fn table(&self, at: usize) -> Table<'_> {
        let (all, entry) = (self.bytes.as_slice(), self.entry(at));
        let slots = bytemuck::try_cast_slice(&all[entry.slots.clone()]).unwrap_or_default();
        let entries = bytemuck::try_cast_slice(&all[entry.entries.clone()]).unwrap_or_default();
        Table::new(slots, entries, entry.scale)
    }

    /// The bytes of a model file.
    pub fn to_bytes(root: &Section<'_>) -> Result<Vec<u8>, ModelError> {
        let corrupt = |message: String| ModelError::Corrupt { file: "new model".into(), message };
        let mut tensors: Vec<(String, TensorView<'_>)> = Vec::new();
        let mut count = 0;
        let root = describe(root, &mut |table| {
            for (name, dtype, size, data) in [
                ("slots", Dtype::U64, 8, bytemuck::cast_slice::<u64, u8>(table.slots())),
                ("entries", Dtype::U32, 4, bytemuck::cast_slice::<u32, u8>(table.entries())),
            ] {
                let view = TensorView::new(dtype, vec![data.len() / size], data);
                tensors.push((format!("{count}/{name}"), view.map_err(|error| corrupt(error.to_string()))?));
            }
            count += 1;
            Ok(())
        })?;
        let header = serde_json::to_string(&Header { version: VERSION, root });
        let header = header.map_err(|error| corrupt(error.to_string()))?;
        let metadata = HashMap::from([("pleach".to_owned(), header)]);
        safetensors::serialize(tensors, Some(metadata)).map_err(|error| corrupt(error.to_string()))
    }

    /// Writes bytes to a file: first beside it, then in its place, so that a kill leaves no half model.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
        let io = |source| ModelError::Io { file: path.display().to_string(), source };
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        std::fs::write(&beside, bytes).map_err(io)?;
        std::fs::rename(&beside, path).map_err(io)
    }
}

/// The header of a section and of all below it; `store` gets the tables, parents first.
fn describe<'a>(
    section: &Section<'a>,
    store: &mut dyn FnMut(Table<'a>) -> Result<(), ModelError>,
) -> Result<Node, ModelError> {
    store(section.table)?;
    let children: Result<Vec<Node>, ModelError> =
        section.children.iter().map(|child| describe(child, store)).collect();
    Ok(Node {
        role: section.role.clone(),
        family: section.family.clone(),
        card: section.card.clone(),
        provenance: section.provenance.clone(),
        scale: section.table.scale(),
        children: children?,
    })
}
