//! Checkpoints: all that a run needs to go on where it was stopped and end with the same model.

use super::course::Course;
use super::error::TrainError;
use pleach_formats::{AtomicFile, atomic};
use pleach_model::{Scores, Tensor};
use safetensors::tensor::{Metadata, SafeTensorError, SafeTensors, TensorInfo};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How far a run has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The recipe; another one can't go on from here.
    pub recipe: toml::Table,
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
    /// What the learner says of itself, apart from its arrays.
    pub learner: Value,
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
    atomic::write(path, &json).map_err(|error| failed(error.to_string()))
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

/// Writes a checkpoint in the place of the old one.
pub fn write(path: &Path, progress: &Progress, course: &dyn Course) -> Result<(), TrainError> {
    let failed = |message: String| TrainError::Checkpoint { file: path.display().to_string(), message };
    let (learner, tensors) = course.save();
    let json = serde_json::to_string(&Progress { learner, ..progress.clone() });
    let json = json.map_err(|error| failed(error.to_string()))?;
    let metadata = HashMap::from([("progress".to_owned(), json)]);
    let header = header(&tensors, metadata).map_err(|error| failed(error.to_string()))?;
    // Tensor by tensor: all of them in one piece would be what was learnt a third time in memory.
    let written = AtomicFile::create(path).and_then(|mut file| {
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        tensors.iter().try_for_each(|tensor| file.write_all(&tensor.data))?;
        file.commit()
    });
    written.map_err(|error| failed(error.to_string()))
}

/// What a file of these tensors, one after the other, begins with.
fn header(tensors: &[Tensor<'_>], metadata: HashMap<String, String>) -> Result<Vec<u8>, SafeTensorError> {
    let mut offset = 0;
    let info = |tensor: &Tensor<'_>| {
        let start = offset;
        offset += tensor.data.len();
        let (dtype, shape) = (tensor.dtype, tensor.shape.clone());
        (tensor.name.clone(), TensorInfo { dtype, shape, data_offsets: (start, offset) })
    };
    let metadata = Metadata::new(Some(metadata), tensors.iter().map(info).collect())?;
    let mut header = serde_json::to_vec(&metadata)?;
    header.resize(header.len().next_multiple_of(size_of::<u64>()), b' ');
    Ok(header)
}

/// The tensors of a checkpoint with their names.
pub type Tensors = Vec<(String, Vec<u8>)>;

/// Reads a checkpoint; `None` when there is none.
pub fn read(path: &Path) -> Result<Option<(Progress, Tensors)>, TrainError> {
    let failed = |message: String| TrainError::Checkpoint { file: path.display().to_string(), message };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|error| failed(error.to_string()))?;
    let json = metadata.metadata().as_ref().and_then(|map| map.get("progress"));
    let json = json.ok_or_else(|| failed("no progress in its header".into()))?;
    let progress: Progress = serde_json::from_str(json).map_err(|error| failed(error.to_string()))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| failed(error.to_string()))?;
    let tensors = tensors.tensors().into_iter().map(|(name, view)| (name, view.data().to_vec()));
    Ok(Some((progress, tensors.collect())))
}
