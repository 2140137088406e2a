//! Reading and writing `.pleach` files.

use crate::bytes::Bytes;
use crate::provenance::Provenance;
use crate::recipe::{Recipe, RecipeError, Shelf};
use crate::section::{Section, View};
use crate::tensor::{Dtype, Tensor, TensorView};
use memmap2::Mmap;
use pleach_formats::atomic;
use safetensors::tensor::{Metadata, SafeTensors};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The version of the layout that is written; version 2 is read too.
pub const VERSION: u32 = 3;

/// The oldest layout that can be read.
const OLDEST: u32 = 2;

/// Files from this size on are mapped, smaller ones are read. What is mapped opens in milliseconds, whatever its size,
/// and is shared by all processes; but a file that another process cuts short while it is mapped ends this one (a
/// signal of the operating system). Replace models by renaming, as this library does, and that can't happen.
pub const MAPPED_FROM: u64 = 64 << 20;

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
    #[error(
        "{file}: the model's layout has version {found}, this Pleach reads versions {OLDEST} to {VERSION}"
    )]
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

/// A section in the header. In the file its tensors are called after its number in a walk from the root, parents first:
/// `3/entries`.
#[derive(Debug, Serialize, Deserialize)]
struct Node {
    role: String,
    family: String,
    card: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    scorer: Value,
    provenance: Option<Provenance>,
    /// The names of its tensors; in version 2 all sections have `slots` and `entries`.
    #[serde(default)]
    tensors: Vec<String>,
    /// CRC-32 of its role, family and cards and of its tensors; version 2 has none.
    #[serde(default)]
    checksum: Option<u32>,
    /// Only in version 2.
    #[serde(default, skip_serializing)]
    scale: Option<f32>,
    children: Vec<Node>,
}

/// Where a tensor lies in the file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    dtype: Dtype,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// A section of an open model.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub role: String,
    pub family: String,
    pub card: Value,
    pub scorer: Value,
    pub provenance: Option<Provenance>,
    pub children: Vec<usize>,
    pub tensors: Vec<(String, Place)>,
    pub old_scale: Option<f32>,
    checksum: Option<u32>,
}

/// What an open model and all views of it share.
pub(crate) struct Inner {
    name: String,
    bytes: Arc<Bytes>,
    /// The root first.
    pub sections: Vec<Entry>,
}

impl Inner {
    pub fn tensor<'a>(&'a self, place: &'a Place) -> TensorView<'a> {
        let data = &self.bytes.as_slice()[place.range.clone()];
        TensorView { dtype: place.dtype, shape: &place.shape, data }
    }

    pub fn section(&self, at: usize) -> Section<'_> {
        let Entry { role, family, card, scorer, provenance, children, tensors, old_scale, .. } =
            &self.sections[at];
        let tensors = tensors.iter().map(|(name, place)| {
            let TensorView { dtype, shape, data } = self.tensor(place);
            Tensor { name: name.clone(), dtype, shape: shape.to_vec(), data: data.into() }
        });
        // What version 2 kept in the header is a tensor now.
        let scale = old_scale
            .filter(|_| tensors.len() > 0)
            .map(|scale| Tensor::owned("scale", Dtype::F32, vec![1], &[scale]));
        Section {
            role: role.clone(),
            family: family.clone(),
            card: card.clone(),
            scorer: scorer.clone(),
            provenance: provenance.clone(),
            tensors: tensors.chain(scale).collect(),
            children: children.iter().map(|&child| self.section(child)).collect(),
        }
    }

    /// Compares the checksums of all sections that have one.
    fn verify(&self) -> Result<(), ModelError> {
        for (at, entry) in self.sections.iter().enumerate() {
            let Some(expected) = entry.checksum else { continue };
            let tensors = entry.tensors.iter().map(|(_, place)| &self.bytes.as_slice()[place.range.clone()]);
            if checksum([&entry.role, &entry.family], [&entry.card, &entry.scorer], tensors) != expected {
                let role = if entry.role.is_empty() {
                    format!("section {at}")
                } else {
                    format!("section '{}'", entry.role)
                };
                let message = format!("its {role} ({}) is damaged: the checksum is wrong", entry.family);
                return Err(ModelError::Corrupt { file: self.name.clone(), message });
            }
        }
        Ok(())
    }
}

/// What tells a section from a damaged one.
fn checksum<'a>(names: [&str; 2], cards: [&Value; 2], tensors: impl Iterator<Item = &'a [u8]>) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    for name in names {
        sum.update(name.as_bytes());
        sum.update(b"\0");
    }
    for value in cards {
        sum.update(value.to_string().as_bytes());
    }
    tensors.for_each(|tensor| sum.update(tensor));
    sum.finalize()
}

/// An open model file; copies share it.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Inner>,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inner { name, sections, .. } = &*self.inner;
        f.debug_struct("Model").field("name", name).field("sections", &sections.len()).finish_non_exhaustive()
    }
}

impl Model {
    /// Opens a model file. One below [`MAPPED_FROM`] is read and its checksums are compared; a larger one is mapped, its
    /// header is read, and [`Model::verify`] compares the rest.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let file = path.display().to_string();
        let io = |source| ModelError::Io { file: file.clone(), source };
        let mut handle = File::open(path).map_err(io)?;
        let size = handle.metadata().map_err(io)?.len();
        if size >= MAPPED_FROM {
            // SAFETY: the map is read-only and every read from it is checked. What happens to a file that is cut short
            // meanwhile is said at `MAPPED_FROM`.
            #[allow(unsafe_code)]
            let map = unsafe { Mmap::map(&handle) }.map_err(io)?;
            return Self::read(&file, Arc::new(Bytes::Mapped(map)));
        }
        let bytes = Bytes::read(&mut handle, size).map_err(io)?;
        if bytes.as_slice().is_empty() {
            return Err(ModelError::Corrupt { file, message: "the file is empty".into() });
        }
        let model = Self::read(&file, Arc::new(bytes))?;
        model.verify()?;
        Ok(model)
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
        let model = Self::read(name, Arc::new(Bytes::copy(bytes)))?;
        model.verify()?;
        Ok(model)
    }

    /// A model that is part of the program: nothing is copied if the bytes are aligned to eight.
    pub fn from_static(name: &str, bytes: &'static [u8]) -> Result<Self, ModelError> {
        match bytes.as_ptr().align_offset(8) {
            0 => Self::read(name, Arc::new(Bytes::Built(bytes))),
            _ => Self::from_bytes(name, bytes),
        }
    }

    /// Compares the checksums of all sections; files of version 2 have none.
    pub fn verify(&self) -> Result<(), ModelError> {
        self.inner.verify()
    }

    /// Whether there are checksums to compare.
    pub fn has_checksums(&self) -> bool {
        self.inner.sections.iter().all(|entry| entry.checksum.is_some())
    }

    fn read(file: &str, bytes: Arc<Bytes>) -> Result<Self, ModelError> {
        let corrupt = |message: String| ModelError::Corrupt { file: file.to_owned(), message };
        let all = bytes.as_slice();
        let (start, metadata) =
            SafeTensors::read_metadata(all).map_err(|error| corrupt(error.to_string()))?;
        let header = metadata.metadata().as_ref().and_then(|map| map.get("pleach"));
        let header = header.ok_or_else(|| corrupt("no description in its header".into()))?;
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_str(header).map_err(|error| corrupt(error.to_string()))?;
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(ModelError::Version { file: file.to_owned(), found: version });
        }
        let header: Header = serde_json::from_str(header).map_err(|error| corrupt(error.to_string()))?;
        let place = |name: &str| {
            place(&metadata, start + 8, all.len(), name)
                .ok_or_else(|| corrupt(format!("it has no usable '{name}'")))
        };
        let mut sections = Vec::new();
        let mut waiting = vec![(header.root, None)];
        while let Some((node, parent)) = waiting.pop() {
            let at = sections.len();
            let Node { role, family, card, scorer, provenance, mut tensors, checksum, scale, children } =
                node;
            if version == 2 {
                tensors = ["slots", "entries"].map(str::to_owned).into();
            }
            let tensors: Result<Vec<_>, ModelError> =
                tensors.into_iter().map(|name| Ok((name.clone(), place(&format!("{at}/{name}"))?))).collect();
            let mut tensors = tensors?;
            if version == 2 && tensors.iter().all(|(_, place)| place.range.is_empty()) {
                tensors.clear();
            }
            waiting.extend(children.into_iter().rev().map(|child| (child, Some(at))));
            sections.push(Entry {
                role,
                family,
                card,
                scorer,
                provenance,
                children: Vec::new(),
                tensors,
                old_scale: scale,
                checksum,
            });
            if let Some(parent) = parent {
                let parent: &mut Entry = &mut sections[parent];
                parent.children.push(at);
            }
        }
        Ok(Model { inner: Arc::new(Inner { name: file.to_owned(), bytes: bytes.clone(), sections }) })
    }

    /// The section that the model is.
    pub fn root(&self) -> View {
        View { model: self.inner.clone(), at: 0 }
    }

    /// Changes a key of the recipe, in all sections that have it and where only parsing depends on it.
    pub fn set(&mut self, shelf: Shelf, key: &str, value: &toml::Value) -> Result<(), RecipeError> {
        let mut refused = None;
        let mut done = false;
        self.change_recipes(shelf, |recipe, _| match recipe.set_for_parsing(key, value.clone()) {
            Err(error) => {
                refused.get_or_insert(error);
            }
            Ok(()) => done = true,
        });
        match refused {
            Some(error) if !done => Err(error),
            _ if !done => {
                Err(RecipeError::UnknownKey { file: "model".into(), key: key.to_owned(), known: Vec::new() })
            }
            _ => Ok(()),
        }
    }

    /// Puts another recipe in the place of those that learn the same. Sections have the keys of their families and not those of scorers, so
    /// only the former are compared.
    pub fn parse_as(&mut self, recipe: &Recipe) {
        let (family, learnt) = recipe.learnt();
        self.change_recipes(recipe.shelf(), |old, stored| {
            let (name, table) = old.learnt();
            let same = |key: &String| table.get(key) == learnt.get(key);
            if name == family && stored.keys().all(same) {
                *old = recipe.clone();
            }
        });
    }

    /// Changes the recipes of all sections; those who do are also told what a section has stored of its own.
    fn change_recipes(&mut self, shelf: Shelf, mut change: impl FnMut(&mut Recipe, &toml::Table)) {
        let mut sections = self.inner.sections.clone();
        for entry in &mut sections {
            let Some(stored) = entry.card.get_mut("recipe") else { continue };
            let Ok(table) = serde_json::from_value::<toml::Table>(stored.clone()) else { continue };
            let Some((mut recipe, others)) = completed(shelf, table.clone()) else { continue };
            change(&mut recipe, &table);
            // A recipe of plain values always has JSON.
            *stored = serde_json::to_value(recipe).unwrap_or_default();
            if let Some(stored) = stored.as_object_mut() {
                stored.extend(
                    others.into_iter().filter_map(|(key, value)| {
                        serde_json::to_value(value).ok().map(|value| (key, value))
                    }),
                );
            }
            // The description is not the file's any more.
            entry.checksum = None;
        }
        let Inner { name, bytes, .. } = &*self.inner;
        self.inner = Arc::new(Inner { name: name.clone(), bytes: bytes.clone(), sections });
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.inner.bytes.as_slice().len()
    }

    /// The bytes of a model file.
    pub fn to_bytes(root: &Section<'_>) -> Result<Vec<u8>, ModelError> {
        let corrupt = |message: String| ModelError::Corrupt { file: "new model".into(), message };
        let mut tensors = Vec::new();
        let root = describe(root, &mut 0, &mut tensors);
        let views: Result<Vec<_>, _> = tensors
            .iter()
            .map(|(name, tensor)| {
                let view =
                    safetensors::tensor::TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.data);
                view.map(|view| (name.as_str(), view)).map_err(|error| corrupt(error.to_string()))
            })
            .collect();
        let header = serde_json::to_string(&Header { version: VERSION, root });
        let header = header.map_err(|error| corrupt(error.to_string()))?;
        let metadata = HashMap::from([("pleach".to_owned(), header)]);
        safetensors::serialize(views?, Some(metadata)).map_err(|error| corrupt(error.to_string()))
    }

    /// Writes bytes to a file, all or nothing.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
        atomic::write(path, bytes)
            .map_err(|source| ModelError::Io { file: path.display().to_string(), source })
    }
}

/// Where a tensor lies; `None` when it is not there or not where numbers of its kind can be read.
fn place(metadata: &Metadata, data: usize, len: usize, name: &str) -> Option<Place> {
    let info = metadata.info(name)?;
    let range = data + info.data_offsets.0..data + info.data_offsets.1;
    // A part of a number of eight bytes can't be read, wherever it begins.
    let aligned = range.start % (info.dtype.bitsize() / 8).max(1) == 0;
    (aligned && range.end <= len).then(|| Place { dtype: info.dtype, shape: info.shape.clone(), range })
}

/// The recipe of a section, and keys of it that recipes with its scorer don't have, such as the templates of a family whose
/// scorer is a network.
fn completed(shelf: Shelf, mut table: toml::Table) -> Option<(Recipe, toml::Table)> {
    let mut others = toml::Table::new();
    loop {
        match shelf.complete("model", table.clone()) {
            Ok(recipe) => return Some((recipe, others)),
            Err(RecipeError::UnknownKey { key, .. }) => {
                let value = table.remove(&key)?;
                others.insert(key, value);
            }
            Err(_) => return None,
        }
    }
}

/// The header of a section and of all below it; their tensors are collected, parents first.
fn describe<'s>(
    section: &'s Section<'_>,
    count: &mut usize,
    tensors: &mut Vec<(String, &'s Tensor<'s>)>,
) -> Node {
    let at = *count;
    *count += 1;
    tensors.extend(section.tensors.iter().map(|tensor| (format!("{at}/{}", tensor.name), tensor)));
    let data = section.tensors.iter().map(|tensor| &*tensor.data);
    Node {
        role: section.role.clone(),
        family: section.family.clone(),
        card: section.card.clone(),
        scorer: section.scorer.clone(),
        provenance: section.provenance.clone(),
        tensors: section.tensors.iter().map(|tensor| tensor.name.clone()).collect(),
        checksum: Some(checksum([&section.role, &section.family], [&section.card, &section.scorer], data)),
        scale: None,
        children: section.children.iter().map(|child| describe(child, count, tensors)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn section() -> Section<'static> {
        let part = |role: &str, numbers: &[u64]| Section {
            tensors: vec![
                Tensor::owned("a", Dtype::U64, vec![numbers.len()], numbers),
                Tensor::owned("b", Dtype::F32, vec![1], &[0.5f32]),
            ],
            scorer: json!({ "name": "x" }),
            ..Section::group("leaf", json!({ "labels": ["p", "q"] }), Vec::new()).with_role(role)
        };
        Section::group("vote", json!({ "threshold": 0.5 }), vec![part("one", &[1, 2, 3]), part("two", &[4])])
    }

    #[test]
    fn sections_come_back() {
        let bytes = Model::to_bytes(&section()).unwrap();
        let model = Model::from_bytes("m", &bytes).unwrap();
        let root = model.root();
        assert_eq!((root.family(), root.tensors().count()), ("vote", 0));
        let two = root.role_child("two").unwrap();
        assert_eq!(two.tensor("a").unwrap().numbers::<u64>(Dtype::U64), Some(&[4][..]));
        assert_eq!(two.tensor("b").unwrap().numbers::<f32>(Dtype::F32), Some(&[0.5][..]));
        assert!(two.tensor("b").unwrap().numbers::<u32>(Dtype::U32).is_none());
        assert!(two.tensor("c").is_none());
        assert_eq!(Model::to_bytes(&root.section()).unwrap(), bytes);
    }

    /// A card's checksum is that of its text: a fraction that came back as its neighbour would make a good model look damaged.
    #[test]
    fn fractions_come_back() {
        let fractions: Vec<f64> =
            (1..20_000_u64).map(|i| (i * i % 1_000_003) as f64 / 7_919.0 / i as f64).collect();
        let card = json!({ "fractions": fractions });
        let bytes = Model::to_bytes(&Section::group("leaf", card.clone(), Vec::new())).unwrap();
        let model = Model::from_bytes("m", &bytes).unwrap();
        assert_eq!(model.root().card(), &card);
    }

    /// Whatever single byte of a model is damaged: it is refused, or it says what the undamaged one says.
    #[test]
    fn damage_is_noticed() {
        let bytes = Model::to_bytes(&section()).unwrap();
        let said = |model: &Model| {
            let root = model.root();
            let of = |view: &View| {
                let tensors: Vec<_> = view.tensors().collect();
                format!("{view:?} {tensors:?} {} {}", view.card(), view.scorer())
            };
            (of(&root), root.children().map(|child| of(&child)).collect::<Vec<_>>())
        };
        let whole = said(&Model::from_bytes("m", &bytes).unwrap());
        let mut refused = 0;
        for place in 0..bytes.len() {
            for bit in [0, 3, 7] {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << bit;
                match Model::from_bytes("m", &damaged) {
                    Ok(model) => assert_eq!(said(&model), whole, "byte {place}"),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > bytes.len(), "{refused} of {}", 3 * bytes.len());
        for length in 0..bytes.len() {
            assert!(Model::from_bytes("m", &bytes[..length]).is_err(), "cut to {length}");
        }
    }
}
