use super::*;
use std::collections::BTreeSet;

/// A folder and the names in it.
fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_old_file_stays_until_the_new_one_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "old").unwrap();
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"new").unwrap();
    file.flush().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    write(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), BTreeSet::from(["out".to_owned()]), "nothing is left behind");
}

#[test]
#[cfg(target_os = "linux")]
fn half_a_file_has_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = AtomicFile::create(&folder.path().join("out")).unwrap();
    file.write_all(b"half").unwrap();
    if matches!(file.state, State::Nameless(_)) {
        // What a kill would leave behind.
        assert_eq!(names(folder.path()), BTreeSet::new());
    }
}

#[test]
fn named_temporary_files_do_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    for (content, commit) in [("one", true), ("two", false), ("three", true)] {
        let state = State::Named(named(&path, fs::metadata(&path).ok().as_ref()).unwrap());
        let before = fs::read(&path).ok();
        let mut file = AtomicFile { target: path.clone(), state };
        file.write_all(content.as_bytes()).unwrap();
        if commit {
            file.commit().unwrap();
            assert_eq!(fs::read(&path).unwrap(), content.as_bytes());
        } else {
            drop(file);
            assert_eq!(fs::read(&path).ok(), before);
        }
        assert_eq!(names(folder.path()).len(), 1);
    }
}

#[test]
fn a_missing_folder_or_a_folder_as_target_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let missing = AtomicFile::create(&folder.path().join("missing/out")).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    assert!(missing.to_string().contains("missing"), "{missing}");
    assert!(AtomicFile::create(folder.path()).is_err());
    assert!(AtomicFile::create(Path::new("")).is_err());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn rights_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        for mode in [0o600, 0o640, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write(&path, b"new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        }
        let (fresh, usual) = (folder.path().join("fresh"), folder.path().join("usual"));
        write(&fresh, b"").unwrap();
        File::create(&usual).unwrap();
        assert_eq!(fs::metadata(&fresh).unwrap().mode(), fs::metadata(&usual).unwrap().mode());
    }

    #[test]
    fn links_are_followed_also_to_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("real"), "old").unwrap();
        symlink("inner/real", folder.path().join("link")).unwrap();
        symlink("link", folder.path().join("link-to-link")).unwrap();
        symlink("inner/none", folder.path().join("dangling")).unwrap();
        symlink("circle", folder.path().join("circle")).unwrap();
        write(&folder.path().join("link-to-link"), b"new").unwrap();
        write(&folder.path().join("dangling"), b"made").unwrap();
        assert_eq!(fs::read(inner.join("real")).unwrap(), b"new");
        assert_eq!(fs::read(inner.join("none")).unwrap(), b"made");
        for link in ["link", "link-to-link", "dangling"] {
            assert!(fs::symlink_metadata(folder.path().join(link)).unwrap().is_symlink(), "{link}");
        }
        assert!(write(&folder.path().join("circle"), b"").is_err());
    }

    #[test]
    fn devices_and_pipes_are_written_directly() {
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if !made.is_ok_and(|status| status.success()) {
            return;
        }
        let reading = path.clone();
        let reader = std::thread::spawn(move || {
            let mut found = String::new();
            File::open(reading).unwrap().read_to_string(&mut found).map(|_| found)
        });
        write(&path, b"through").unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), "through");
        assert_eq!(names(folder.path()).len(), 1, "the pipe is still there");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_device_is_an_error() {
        assert!(write(Path::new("/dev/full"), b"x").is_err());
        assert!(Path::new("/dev/full").exists());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_somebody_appends_to_is_not_cut() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "first ").unwrap();
        let open = OpenOptions::new().append(true).open(&path).unwrap();
        write(Path::new(&format!("/dev/fd/{}", open.as_raw_fd())), b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first second");
    }
}
