//! Two runs must not train into one file: the second one is told at once.

use super::checkpoint::beside;
use super::error::TrainError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Held as long as a run goes; a killed process lets go of it.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock of a model file; this also tells whether its folder is there and can be written to.
    pub fn take(model: &Path) -> Result<Self, TrainError> {
        let path = beside(model, ".lock");
        let io = |source| TrainError::Io { file: model.display().to_string(), source };
        let mut file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut process = String::new();
                let _ = file.read_to_string(&mut process);
                return Err(TrainError::Locked { file: model.display().to_string(), process });
            }
            // A file system without locks: as good as it gets.
            Err(TryLockError::Error(_)) => {}
        }
        // For the message that the other run gives; it may be missing.
        let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Lock { path, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
