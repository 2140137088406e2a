//! Outputs that another run can go on with: `OUT.part` grows, and `OUT.part.json`, the journal, says how far it is right.
//!
//! After every chunk of input its output is on the disk before the journal says so. A run that goes on cuts `OUT.part`
//! back to what the journal knows and reads the input up to there without parsing it. What a chunk is depends on the
//! input alone, and packed outputs have a gzip member or a Zstandard frame for each; so the result is the same to the
//! byte, however often the run was killed. When all is written, `OUT.part` becomes `OUT` and the journal goes. The output of
//! a small file is written whole instead, so it is there or not.

use super::source::Unread;
use pleach_formats::atomic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How far a run is. Of inputs before `input` everything is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progressed {
    /// The number of the input, from 0.
    pub input: usize,
    /// Its chunks that are done.
    pub chunks: usize,
    /// The number of the last sentence that was cut from text.
    pub numbered: usize,
    /// Whether there was a sentence of this input.
    pub begun: bool,
    /// Counts for the summary.
    pub sentences: usize,
    pub words: usize,
    pub pieces: usize,
    pub records: usize,
    pub failed: usize,
    /// The bytes of `OUT.part` that are right.
    pub bytes: u64,
}

/// Why a run can't go on.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error("{file}: {source}")]
    Io { file: String, source: io::Error },
    #[error("{file}: another run is writing it")]
    Busy { file: String },
    #[error("{journal}: not a journal of an earlier run ({reason}); remove it to start anew")]
    Journal { journal: String, reason: String },
    #[error(
        "{journal}: the earlier run was another one ({what} differs); run it as it was, or remove the journal to start anew"
    )]
    Different { journal: String, what: String },
    #[error("{file}: only files can be written with --resume")]
    NoFile { file: String },
}

/// What a run with `--resume` finds.
pub enum Found {
    /// Nothing, or a run that was killed.
    Part(Box<Part>, Progressed),
    /// A finished output.
    Complete,
}

/// An output under way.
pub struct Part {
    file: File,
    target: PathBuf,
    part: PathBuf,
    journal: PathBuf,
    run: Value,
    bytes: u64,
}

impl Part {
    /// Whether no run has left anything of an output, neither a part nor the whole.
    pub fn untouched(target: &Path) -> bool {
        ![target.to_owned(), beside(target, ".part"), beside(target, ".part.json")]
            .iter()
            .any(|file| file.exists())
    }

    /// Finds an earlier run's part or begins one; `run` is what makes two runs the same.
    pub fn begin(target: &Path, run: &Value) -> Result<Found, ResumeError> {
        let at = |path: &Path| {
            let file = path.display().to_string();
            move |source| ResumeError::Io { file, source }
        };
        // A link stays a link.
        let target = match target.canonicalize() {
            Ok(found) if !found.is_file() => {
                return Err(ResumeError::NoFile { file: found.display().to_string() });
            }
            Ok(found) => found,
            Err(_) => target.to_owned(),
        };
        let (part, journal) = (beside(&target, ".part"), beside(&target, ".part.json"));
        let progressed = match fs::read(&journal) {
            Ok(bytes) => Some(read(&bytes, &journal, run)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(at(&journal)(error)),
        };
        if target.exists() && !part.exists() {
            // Killed between the last two steps, or done before.
            if progressed.is_some() {
                fs::remove_file(&journal).map_err(at(&journal))?;
            }
            return Ok(Found::Complete);
        }
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&part).map_err(at(&part))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(ResumeError::Busy { file: part.display().to_string() });
            }
            // Where files can't be locked nobody is kept out.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let long = file.metadata().map_err(at(&part))?.len();
        // A part that is shorter than its journal says can't be trusted at all.
        let progressed = progressed.filter(|progressed| progressed.bytes <= long).unwrap_or_default();
        file.set_len(progressed.bytes).map_err(at(&part))?;
        let mut part = Part { file, target, part, journal, run: run.clone(), bytes: progressed.bytes };
        let mut place = &part.file;
        io::Seek::seek(&mut place, io::SeekFrom::Start(progressed.bytes)).map_err(at(&part.part))?;
        part.note(&progressed).map_err(at(&part.journal))?;
        Ok(Found::Part(Box::new(part), progressed))
    }

    /// Writes the journal: all that was written so far is right.
    pub fn note(&mut self, progressed: &Progressed) -> io::Result<()> {
        self.file.sync_data()?;
        let progressed = Progressed { bytes: self.bytes, ..*progressed };
        let journal = json!({ "journal": 1, "run": self.run, "progressed": progressed });
        atomic::write(&self.journal, format!("{journal:#}\n").as_bytes())
    }

    /// Puts the output in its place.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.part, &self.target)?;
        fs::remove_file(&self.journal)
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn beside(target: &Path, ending: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Reads a journal that must be of the same run.
fn read(bytes: &[u8], journal: &Path, run: &Value) -> Result<Progressed, ResumeError> {
    let journal = journal.display().to_string();
    let wrong = |reason: String| ResumeError::Journal { journal: journal.clone(), reason };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    if value["journal"] != 1 {
        return Err(wrong("its version is not known".to_owned()));
    }
    if let Some(what) = difference(&value["run"], run) {
        return Err(ResumeError::Different { journal, what });
    }
    serde_json::from_value(value["progressed"].clone()).map_err(|error| wrong(error.to_string()))
}

/// The first key whose values differ.
fn difference(one: &Value, other: &Value) -> Option<String> {
    if one == other {
        return None;
    }
    let keys = |value: &Value| value.as_object().map_or(Vec::new(), |map| map.keys().cloned().collect());
    keys(other).into_iter().chain(keys(one)).find(|key| one[key] != other[key]).or(Some("everything".into()))
}

/// What is remembered of an input, so that a run doesn't go on with another.
pub fn identity(path: &Path) -> Result<Value, Unread> {
    let found = fs::metadata(path).map_err(super::source::failed(&path.display().to_string()))?;
    Ok(json!([path.display().to_string(), found.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(target: &Path, run: &Value) -> Option<(Box<Part>, Progressed)> {
        match Part::begin(target, run) {
            Ok(Found::Part(part, progressed)) => Some((part, progressed)),
            Ok(Found::Complete) => None,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_killed_run_is_cut_back_to_what_its_journal_knows() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.conllu");
        let run = json!({"model": "a"});
        let (mut first, begin) = part(&target, &run).unwrap();
        assert_eq!(begin, Progressed::default());
        first.write_all(b"right").unwrap();
        let far = Progressed { input: 1, chunks: 2, words: 3, ..Progressed::default() };
        first.note(&far).unwrap();
        first.write_all(b" and half of a sen").unwrap();
        assert!(matches!(Part::begin(&target, &run), Err(ResumeError::Busy { .. })), "one at a time");
        drop(first);
        assert!(!target.exists());
        let (mut second, again) = part(&target, &run).unwrap();
        assert_eq!(again, Progressed { bytes: 5, ..far });
        second.write_all(b" too").unwrap();
        second.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"right too");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        assert!(part(&target, &run).is_none(), "it is complete");
    }

    #[test]
    fn another_run_is_refused_and_a_lost_part_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.conllu");
        let (mut first, _) = part(&target, &json!({"model": "a", "beam": 1})).unwrap();
        first.write_all(b"12345").unwrap();
        first.note(&Progressed { words: 3, ..Progressed::default() }).unwrap();
        drop(first);
        let error = Part::begin(&target, &json!({"model": "a", "beam": 2})).err().unwrap().to_string();
        assert!(error.contains("(beam differs)"), "{error}");
        fs::write(beside(&target, ".part"), "123").unwrap();
        let (_, anew) = part(&target, &json!({"model": "a", "beam": 1})).unwrap();
        assert_eq!(anew, Progressed::default());
        fs::write(beside(&target, ".part.json"), "{").unwrap();
        assert!(matches!(Part::begin(&target, &json!({})), Err(ResumeError::Journal { .. })));
    }
}
