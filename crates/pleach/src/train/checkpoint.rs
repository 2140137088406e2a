//! Checkpoints: all that a run needs to go on where it was stopped and end with the same model.

use super::training::TrainError;
use crate::recipe::Recipe;
use crate::score::Scores;
use memmap2::Mmap;
use pleach_linear::learner::{Learner, Weight};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// How far a run has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The recipe; another one can't go on from here.
    pub recipe: Recipe,
    /// A hash of the training and development data.
    pub data: u64,
    /// The epoch that is under way, from 0.
    pub epoch: usize,
    /// How many batches of it are done.
    pub batches: usize,
    /// How many of its sentences were wrong so far.
    pub wrong: usize,
    /// The best development scores and the epoch that reached them, from 1.
    pub best: Option<(Scores, usize)>,
    /// The steps of the averages.
    pub steps: u64,
}

/// A path with something added to its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// Notes that a stage is done.
pub fn write_progress(path: &Path, progress: &Progress) -> Result<(), TrainError> {
    let failed = |message: String| TrainError::Checkpoint { file: path.display().to_string(), message };
    let json = serde_json::to_vec(progress).map_err(|error| failed(error.to_string()))?;
    std::fs::write(path, json).map_err(|error| failed(error.to_string()))
}

/// Reads the note of a stage that is done; `None` when there is none.
pub fn read_progress(path: &Path) -> Result<Option<Progress>, TrainError> {
    let failed = |message: String| TrainError::Checkpoint { file: path.display().to_string(), message };
    match std::fs::read(path) {
        Ok(json) => serde_json::from_slice(&json).map(Some).map_err(|error| failed(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Writes a checkpoint beside the old one, then in its place.
pub fn write(path: &Path, progress: &Progress, learner: &Learner) -> Result<(), TrainError> {
    let failed = |message: String| TrainError::Checkpoint { file: path.display().to_string(), message };
    let (_, keys, lengths, weights) = learner.save();
    fn view(
        dtype: Dtype,
        width: usize,
        bytes: &[u8],
    ) -> Result<TensorView<'_>, safetensors::SafeTensorError> {
        TensorView::new(dtype, vec![bytes.len() / width], bytes)
    }
    let weights: &[u8] = bytemuck::cast_slice(&weights);
    let tensors = [
        ("keys", view(Dtype::U64, 8, bytemuck::cast_slice(&keys))),
        ("lengths", view(Dtype::U32, 4, bytemuck::cast_slice(&lengths))),
        ("weights", view(Dtype::U64, 8, weights)),
    ];
    let mut views = Vec::new();
    for (name, view) in tensors {
        views.push((name, view.map_err(|error| failed(error.to_string()))?));
    }
    let json = serde_json::to_string(progress).map_err(|error| failed(error.to_string()))?;
    let metadata = HashMap::from([("progress".to_owned(), json)]);
    let beside = beside(path, ".part");
    safetensors::serialize_to_file(views, Some(metadata), &beside)
        .map_err(|error| failed(error.to_string()))?;
    std::fs::rename(&beside, path).map_err(|error| failed(error.to_string()))
}

/// Reads a checkpoint; `None` when there is none.
pub fn read(path: &Path, least_updates: u16) -> Result<Option<(Progress, Learner)>, TrainError> {
    let failed = |message: String| TrainError::Checkpoint { file: path.display().to_string(), message };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    // SAFETY: read-only, checked on every read, and gone at the end of this function.
    let map = unsafe { Mmap::map(&file) }.map_err(|error| failed(error.to_string()))?;
    let (_, metadata) = SafeTensors::read_metadata(&map).map_err(|error| failed(error.to_string()))?;
    let json = metadata.metadata().as_ref().and_then(|map| map.get("progress"));
    let json = json.ok_or_else(|| failed("no progress in its header".into()))?;
    let progress: Progress = serde_json::from_str(json).map_err(|error| failed(error.to_string()))?;
    let tensors = SafeTensors::deserialize(&map).map_err(|error| failed(error.to_string()))?;
    let data = |name| {
        tensors.tensor(name).map(|view| view.data().to_vec()).map_err(|error| failed(error.to_string()))
    };
    let keys: Vec<u64> = bytemuck::pod_collect_to_vec(&data("keys")?);
    let lengths: Vec<u32> = bytemuck::pod_collect_to_vec(&data("lengths")?);
    let weights: Vec<Weight> = bytemuck::pod_collect_to_vec(&data("weights")?);
    let learner = Learner::restore(least_updates, progress.steps, &keys, &lengths, &weights);
    let learner = learner.ok_or_else(|| failed("its arrays don't fit together".into()))?;
    Ok(Some((progress, learner)))
}
