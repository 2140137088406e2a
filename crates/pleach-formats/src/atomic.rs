//! Files that are replaced whole or not at all.
//!
//! An [`AtomicFile`] gathers its bytes beside its target and takes the target's place only when
//! [`AtomicFile::commit`] is called: until then, and whenever something goes wrong, what was there before is untouched.
//! So the input of a program can be its output too. What is promised:
//!
//! - The bytes are on the disk (`fsync`) before the name points to them; a full disk, a kill or a power cut at any
//!   moment leave the old file or the new one.
//! - On Linux the bytes have no name until they are complete, so that even `kill -9` leaves nothing behind. Where the
//!   file system can't do that they lie in a hidden `.pleach-…` file in the same folder, which is removed unless the
//!   process is killed.
//! - The rights of the old file stay, and its owner where the system allows it; hard links to it keep the old content.
//!   A file that may not be written is not replaced, even if its folder would let us.
//! - A symbolic link is followed, also to a file that is not there yet: the link stays.
//! - Devices, pipes and files that are open already (`/dev/null`, `/dev/stdout`, `>(command)`) can't be replaced; they
//!   are written directly, from the first byte on, and never removed. `-` is standard output.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("page.html");
//! pleach_formats::atomic::write(&path, b"old")?;
//!
//! let mut file = pleach_formats::AtomicFile::create(&path)?;
//! std::io::Write::write_all(&mut file, b"half of a new pa")?;
//! drop(file);
//! assert_eq!(std::fs::read(&path)?, b"old");
//! # Ok::<(), std::io::Error>(())
//! ```

use crate::compression::is_standard;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What the names of temporary files begin with.
const PREFIX: &str = ".pleach-";

/// How many symbolic links are followed, as on Linux.
const MOST_LINKS: usize = 40;

/// A file that is being written; see the [module](self) for what is promised.
#[derive(Debug)]
#[must_use = "nothing is kept without `commit`"]
pub struct AtomicFile {
    target: PathBuf,
    state: State,
}

#[derive(Debug)]
enum State {
    Standard(io::Stdout),
    /// Something that can't be replaced, opened with the first byte.
    Direct(Option<File>),
    /// A file without a name.
    #[cfg(target_os = "linux")]
    Nameless(File),
    /// A file with a name of its own, removed when it is dropped.
    Named(NamedTempFile),
}

impl AtomicFile {
    /// Prepares to write a file. Its folder is tried at once, so that a long run doesn't fail at its end.
    ///
    /// # Errors
    /// When the folder is not there or can't be written, when the target is a folder, or may not be written.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        if is_standard(path) {
            return Ok(AtomicFile { target: path.to_owned(), state: State::Standard(io::stdout()) });
        }
        let (target, old) = match resolve(path)? {
            Destination::Direct(target) => {
                return Ok(AtomicFile { target, state: State::Direct(None) });
            }
            Destination::File(target, old) => (target, old),
        };
        if old.is_some() {
            // Who may not write to a file may not replace it; opening alone changes nothing.
            OpenOptions::new().write(true).open(&target)?;
        }
        let state = begin(&target, old.as_ref()).map_err(|error| {
            let folder = folder_of(&target).display();
            io::Error::new(error.kind(), format!("no file can be made in the folder {folder}: {error}"))
        })?;
        Ok(AtomicFile { target, state })
    }

    /// Puts the file in its place; only now does its content change for others.
    ///
    /// # Errors
    /// When the last bytes can't be written or the file can't be put in its place; the old one is then untouched.
    pub fn commit(self) -> io::Result<()> {
        let AtomicFile { target, state } = self;
        match state {
            State::Standard(mut out) => out.flush(),
            State::Direct(Some(mut file)) => file.flush(),
            // Who reads from a pipe waits for somebody to open it, even for nothing.
            State::Direct(None) => open_direct(&target).map(drop),
            #[cfg(target_os = "linux")]
            State::Nameless(file) => {
                // The target may have come or changed since we began.
                let old = fs::metadata(&target).ok();
                settle(&file, old.as_ref())?;
                persist(name(file, &target)?, &target)
            }
            State::Named(file) => {
                let old = fs::metadata(&target).ok();
                settle(file.as_file(), old.as_ref())?;
                persist(file, &target)
            }
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Standard(out) => out.write(bytes),
            State::Direct(Some(file)) => file.write(bytes),
            State::Direct(none) => none.insert(open_direct(&self.target)?).write(bytes),
            #[cfg(target_os = "linux")]
            State::Nameless(file) => file.write(bytes),
            State::Named(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Standard(out) => out.flush(),
            // Files of the system hold nothing back.
            _ => Ok(()),
        }
    }
}

/// Replaces a file by these bytes, or leaves it as it is.
///
/// # Errors
/// As for [`AtomicFile::create`] and [`AtomicFile::commit`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// Where a path leads to.
enum Destination {
    /// What can only be written directly.
    Direct(PathBuf),
    /// A file to be replaced, or to be made when there is none.
    File(PathBuf, Option<Metadata>),
}

/// Follows symbolic links, also to what is not there.
fn resolve(path: &Path) -> io::Result<Destination> {
    if path.file_name().is_none() {
        let message = format!("`{}` names no file", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut path = path.to_owned();
    for _ in 0..=MOST_LINKS {
        if is_open_file(&path) {
            return Ok(Destination::Direct(path));
        }
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Destination::File(path, None));
            }
            other => other?,
        };
        if found.is_symlink() {
            path = folder_of(&path).join(fs::read_link(&path)?);
        } else if found.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
        } else if found.is_file() {
            return Ok(Destination::File(path, Some(found)));
        } else {
            return Ok(Destination::Direct(path));
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether a path is the number of an open file of a process, which may have no other name.
fn is_open_file(path: &Path) -> bool {
    let Some(folder) = path.parent() else { return false };
    folder == Path::new("/dev/fd") || (folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// Opens what can't be replaced. What is behind an open file's number may be a file that somebody appends to.
fn open_direct(target: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).append(is_open_file(target)).open(target)
}

/// The folder of a file, which may be the current one.
fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the file that the bytes go to until they are complete.
fn begin(target: &Path, old: Option<&Metadata>) -> io::Result<State> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::TMPFILE.bits() as i32;
        let nameless = OpenOptions::new().read(true).write(true).custom_flags(flags).open(folder_of(target));
        // Not every file system has nameless files; for other errors the named file has the better message.
        if let Ok(file) = nameless {
            return Ok(State::Nameless(file));
        }
    }
    named(target, old).map(State::Named)
}

/// A file beside `target`, with the rights that it has or would have.
fn named(target: &Path, old: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let rights = old.map(Metadata::permissions);
        builder.permissions(rights.unwrap_or_else(|| fs::Permissions::from_mode(0o666)));
    }
    #[cfg(not(unix))]
    let _ = old;
    builder.tempfile_in(folder_of(target))
}

/// Gives a complete file the rights of the old one and waits until it is on the disk.
fn settle(file: &File, old: Option<&Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{Gid, Uid, fchown};
            use std::os::unix::fs::MetadataExt;
            // Only root may give files away; a file of ours is better than none.
            let _ = fchown(file, Some(Uid::from_raw(old.uid())), Some(Gid::from_raw(old.gid())));
        }
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

/// Gives a complete nameless file a name beside its target.
#[cfg(target_os = "linux")]
fn name(mut file: File, target: &Path) -> io::Result<NamedTempFile<()>> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::io::Seek;
    use std::os::fd::AsRawFd;
    let number = format!("/proc/self/fd/{}", file.as_raw_fd());
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    let linked = builder.make_in(folder_of(target), |path| {
        Ok(linkat(CWD, number.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    });
    if let Ok(linked) = linked {
        return Ok(linked);
    }
    // Without /proc a file can't be named any more, but it can be copied.
    let old = fs::metadata(target).ok();
    let mut copy = named(target, old.as_ref())?;
    file.rewind()?;
    io::copy(&mut file, copy.as_file_mut())?;
    settle(copy.as_file(), old.as_ref())?;
    let (_, path) = copy.into_parts();
    Ok(NamedTempFile::from_parts((), path))
}

/// Renames a complete file over its target.
fn persist<F>(file: NamedTempFile<F>, target: &Path) -> io::Result<()> {
    file.persist(target).map_err(|error| error.error)?;
    #[cfg(unix)]
    {
        // The file is in its place. A folder that can't be opened or synced is no reason to say otherwise.
        let _ = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
