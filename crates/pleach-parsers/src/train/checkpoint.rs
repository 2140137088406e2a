//! Checkpoints: all that a run needs to go on where it was stopped and end with the same model.

use super::course::Course;
use super::error::TrainError;
use crate::scorer::Saved;
use pleach_formats::{AtomicFile, atomic};
use pleach_model::Scores;
use safetensors::tensor::{Metadata, SafeTensorError, TensorInfo};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
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
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
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
    let written = AtomicFile::create(path).and_then(|file| {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        for piece in tensors.into_iter().flat_map(|saved| saved.pieces) {
            file.write_all(&piece)?;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    });
    written.map_err(|error| failed(error.to_string()))
}

/// What a file of these tensors, one after the other, begins with.
fn header(tensors: &[Saved<'_>], metadata: HashMap<String, String>) -> Result<Vec<u8>, SafeTensorError> {
    let mut offset = 0;
    let info = |tensor: &Saved<'_>| {
        let start = offset;
        offset += tensor.bytes();
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
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    read_from(&mut file).map(Some).map_err(failed)
}

/// Array by array, so that the file never lies in memory as a whole beside them.
fn read_from(file: &mut File) -> Result<(Progress, Tensors), String> {
    let told = |error: io::Error| error.to_string();
    let len = file.metadata().map_err(told)?.len();
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(told)?;
    let header = u64::from_le_bytes(start);
    let short = || "it is shorter than its header says".to_owned();
    let body = len.checked_sub(8).and_then(|rest| rest.checked_sub(header)).ok_or_else(short)?;
    let json = part(file, header)?;
    let metadata: Metadata = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let progress = metadata.metadata().as_ref().and_then(|map| map.get("progress"));
    let progress = progress.ok_or("no progress in its header")?;
    let progress: Progress = serde_json::from_str(progress).map_err(|error| error.to_string())?;
    let mut tensors: Vec<(String, (usize, usize))> =
        metadata.tensors().into_iter().map(|(name, info)| (name, info.data_offsets)).collect();
    tensors.sort_by_key(|(_, place)| *place);
    // That arrays lie one behind the other is checked with the header.
    if tensors.last().map_or(0, |(_, (_, end))| *end) as u64 != body {
        return Err(short());
    }
    let tensors = tensors.into_iter().map(|(name, (from, to))| Ok((name, part(file, (to - from) as u64)?)));
    Ok((progress, tensors.collect::<Result<_, String>>()?))
}

/// The next bytes of a file.
fn part(file: &mut File, len: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(len as usize);
    file.take(len).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::course::Size;
    use pleach_model::{Dtype, Section};
    use std::borrow::Cow;

    /// Arrays that come in pieces, and one that is empty.
    struct Pieces;

    impl Course for Pieces {
        fn size(&self) -> Size {
            Size::default()
        }
        fn inputs(&self) -> usize {
            0
        }
        fn tokens(&self, _: usize) -> usize {
            0
        }
        fn batch(&self, _: usize) -> usize {
            1
        }
        fn plan(&mut self, _: usize) -> Result<(), TrainError> {
            Ok(())
        }
        fn step(&mut self, _: &[u32], _: usize, _: u64) -> Result<usize, TrainError> {
            Ok(0)
        }
        fn evaluate(&mut self) -> Option<Scores> {
            None
        }
        fn section(&self) -> Section<'_> {
            Section::group("none", Value::Null, Vec::new())
        }
        fn counts(&self) -> (usize, usize) {
            (0, 0)
        }
        fn learnt(&self) -> usize {
            0
        }
        fn save(&self) -> (Value, Vec<Saved<'_>>) {
            let saved = |name: &str, pieces: Vec<Vec<u8>>| Saved {
                name: name.to_owned(),
                dtype: Dtype::U16,
                shape: vec![pieces.iter().map(Vec::len).sum::<usize>() / 2],
                pieces: Box::new(pieces.into_iter().map(Cow::Owned)),
            };
            let pieces = vec![vec![1], vec![], vec![2, 3], vec![4]];
            (Value::from(7), vec![saved("b", pieces), saved("a", Vec::new()), saved("c", vec![vec![5, 6]])])
        }
        fn restore(&mut self, _: &Value, _: &[(String, Vec<u8>)]) -> bool {
            true
        }
    }

    #[test]
    fn arrays_come_back_and_a_damaged_file_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.checkpoint");
        let progress = Progress {
            recipe: toml::Table::new(),
            data: 1,
            epoch: 2,
            batches: 3,
            wrong: 4,
            best: None,
            learner: Value::Null,
        };
        assert!(read(&path).unwrap().is_none());
        write(&path, &progress, &Pieces).unwrap();
        let (read_again, mut tensors) = read(&path).unwrap().unwrap();
        assert_eq!(read_again, Progress { learner: Value::from(7), ..progress });
        tensors.sort();
        let expected = [("a", vec![]), ("b", vec![1, 2, 3, 4]), ("c", vec![5, 6])];
        assert_eq!(tensors, expected.map(|(name, bytes)| (name.to_owned(), bytes)));
        // Whatever is cut off or added, no panic and no run that goes on with less.
        let whole = std::fs::read(&path).unwrap();
        for len in 0..whole.len() {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert!(read(&path).is_err(), "{len} of {} bytes", whole.len());
        }
        std::fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
        assert!(read(&path).is_err());
        std::fs::write(&path, [&u64::MAX.to_le_bytes()[..], &whole[8..]].concat()).unwrap();
        assert!(read(&path).is_err());
    }
}
