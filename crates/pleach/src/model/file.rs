//! Reading and writing `.pleach` files.

use super::bytes::Bytes;
use super::card::{Card, VERSION};
use memmap2::Mmap;
use pleach_linear::table::{Frozen, Table};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
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
    components: Vec<Card>,
    /// For ensembles: how many models must have an arc, as a share; more than this.
    threshold: Option<f64>,
}

/// One parser inside a model file.
#[derive(Clone, Debug)]
pub struct Component {
    /// What it is.
    pub card: Card,
    slots: Range<usize>,
    entries: Range<usize>,
}

/// An open model file: one parser, or several that vote.
#[derive(Debug)]
pub struct Model {
    bytes: Bytes,
    components: Vec<Component>,
    threshold: Option<f64>,
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
        let mut components = Vec::new();
        for (i, card) in header.components.into_iter().enumerate() {
            let slots = range(&format!("{i}/slots"), Dtype::U64)?;
            let entries = range(&format!("{i}/entries"), Dtype::U32)?;
            if bytemuck::try_cast_slice::<u8, u64>(&all[slots.clone()]).is_err()
                || bytemuck::try_cast_slice::<u8, u32>(&all[entries.clone()]).is_err()
            {
                return Err(corrupt("its arrays are not aligned".into()));
            }
            components.push(Component { card, slots, entries });
        }
        if components.is_empty() {
            return Err(corrupt("no parser in it".into()));
        }
        Ok(Model { bytes, components, threshold: header.threshold })
    }

    /// The parsers inside.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// For an ensemble: the share of votes that an arc needs more than.
    pub fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    /// The size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.as_slice().len()
    }

    /// The weights of a component.
    pub fn table(&self, component: &Component) -> Table<'_> {
        let all = self.bytes.as_slice();
        let slots = bytemuck::try_cast_slice(&all[component.slots.clone()]).unwrap_or_default();
        let entries = bytemuck::try_cast_slice(&all[component.entries.clone()]).unwrap_or_default();
        Table::new(slots, entries, component.card.scale)
    }

    /// The bytes of a model file with one parser.
    pub fn to_bytes(card: &Card, weights: &Frozen) -> Result<Vec<u8>, ModelError> {
        let parts =
            (card.clone(), bytemuck::cast_slice(&weights.slots), bytemuck::cast_slice(&weights.entries));
        serialise(&[parts], None)
    }

    /// The bytes of one model file with all parsers of several models, which vote.
    pub fn ensemble(models: &[Model], threshold: f64) -> Result<Vec<u8>, ModelError> {
        let parts: Vec<_> = models
            .iter()
            .flat_map(|model| {
                let all = model.bytes.as_slice();
                model.components.iter().map(move |part| {
                    (part.card.clone(), &all[part.slots.clone()], &all[part.entries.clone()])
                })
            })
            .collect();
        serialise(&parts, Some(threshold))
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

/// A card with the bytes of its slots and entries.
type Part<'a> = (Card, &'a [u8], &'a [u8]);

fn serialise(parts: &[Part<'_>], threshold: Option<f64>) -> Result<Vec<u8>, ModelError> {
    let corrupt = |message: String| ModelError::Corrupt { file: "new model".into(), message };
    let mut tensors: Vec<(String, TensorView<'_>)> = Vec::new();
    let mut components = Vec::new();
    for (i, (card, slots, entries)) in parts.iter().enumerate() {
        components.push(card.clone());
        for (name, dtype, size, data) in
            [("slots", Dtype::U64, 8, slots), ("entries", Dtype::U32, 4, entries)]
        {
            let view = TensorView::new(dtype, vec![data.len() / size], data);
            tensors.push((format!("{i}/{name}"), view.map_err(|error| corrupt(error.to_string()))?));
        }
    }
    let header = serde_json::to_string(&Header { version: VERSION, components, threshold });
    let header = header.map_err(|error| corrupt(error.to_string()))?;
    let metadata = HashMap::from([("pleach".to_owned(), header)]);
    safetensors::serialize(tensors, Some(metadata)).map_err(|error| corrupt(error.to_string()))
}
