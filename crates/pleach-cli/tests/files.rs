//! Outputs are replaced whole or not at all, whatever goes wrong.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SENTENCE: &str = "\
1\tMark\tMark\tPROPN\t_\t_\t2\tnsubj\t2:nsubj\t_
2\tsleeps\tsleep\tVERB\t_\t_\t0\troot\t0:root\t_

";

/// A folder of its own for every test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn pleach(args: &[&dyn AsRef<std::ffi::OsStr>]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pleach")).args(args).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// `view -o` emptied its output before it opened its input, and removed it when that failed.
#[test]
fn a_typo_in_the_input_leaves_the_old_page() {
    let folder = Folder::new();
    for name in ["page.html", "page.svg", "page.txt"] {
        let page = folder.file(name, "old");
        let (code, err) = pleach(&[&"view", &folder.path("typo.conllu"), &"-o", &page]);
        assert_eq!(code, 1);
        assert!(err.contains("typo.conllu"), "{err}");
        assert_eq!(read(&page), "old");
    }
    assert_eq!(folder.names().len(), 3);
}

#[test]
fn a_malformed_sentence_leaves_the_old_output() {
    let folder = Folder::new();
    let bad = folder.file("bad.conllu", &format!("{}1\tx\n\n", SENTENCE.repeat(2000)));
    for (verb, name) in [("view", "o.html"), ("view", "o.txt"), ("convert", "o.sdp"), ("parse", "o.conllu")] {
        let out = folder.file(name, "old");
        let (code, err) = match verb {
            "convert" => pleach(&[&verb, &bad, &out]),
            _ => pleach(&[&verb, &bad, &"-o", &out]),
        };
        assert_eq!(code, 1, "{err}");
        assert!(err.contains("bad.conllu:6001"), "{err}");
        assert_eq!(read(&out), "old");
        fs::remove_file(out).unwrap();
    }
    assert_eq!(folder.names(), ["bad.conllu"], "no temporary files");
}

/// `view -o` with the input as output made it empty and said that all was well.
#[test]
fn the_input_can_be_the_output() {
    let folder = Folder::new();
    let both = folder.file("both.txt", &SENTENCE.repeat(3));
    assert_eq!(pleach(&[&"view", &both, &"-o", &both]).0, 0);
    assert!(read(&both).contains("sleeps") && read(&both).contains("╭"), "{}", read(&both));
    let both = folder.file("both.conllu", &SENTENCE.repeat(3));
    assert_eq!(pleach(&[&"convert", &both, &both]).0, 0);
    assert_eq!(read(&both), SENTENCE.repeat(3));
    assert_eq!(pleach(&[&"parse", &both, &"-o", &both]).0, 0);
    assert_eq!(read(&both).matches("sleeps").count(), 3);
    assert_eq!(pleach(&[&"vote", &both, &both, &"-o", &both]).0, 0);
    assert_eq!(read(&both).matches("sleeps").count(), 3);
}

/// `view -o` removed symbolic links and device nodes when it failed.
#[test]
fn links_and_pipes_are_not_removed() {
    let folder = Folder::new();
    let good = folder.file("good.conllu", SENTENCE);
    let (real, link, pipe) = (folder.file("real", "old"), folder.path("link.html"), folder.path("pipe.html"));
    symlink("real", &link).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for out in [&link, &pipe] {
        assert_eq!(pleach(&[&"view", &folder.path("typo"), &"-o", out]).0, 1);
    }
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && read(&real) == "old");
    let mut reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    for out in [&link, &pipe] {
        assert_eq!(pleach(&[&"view", &good, &"-o", out]).0, 0);
    }
    let mut through = String::new();
    reader.stdout.take().unwrap().read_to_string(&mut through).unwrap();
    reader.wait().unwrap();
    assert_eq!(through, read(&real));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link is followed, not replaced");
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn a_missing_folder_is_told_before_the_work() {
    let folder = Folder::new();
    let good = folder.file("good.conllu", SENTENCE);
    for verb in ["view", "parse", "vote"] {
        let out = folder.path("missing/out.conllu");
        let (code, err) =
            pleach(&[&verb, &good, &"-o", &out, &"--to", if verb == "view" { &"html" } else { &"conllu" }]);
        assert_eq!(code, 1, "{verb}");
        assert!(err.contains("missing/out.conllu: no file can be made in the folder"), "{err}");
    }
}

/// `train && deploy` shipped what a stopped training left.
#[test]
fn a_stopped_training_does_not_look_successful() {
    let folder = Folder::new();
    let data = folder.file("data.conllu", &SENTENCE.repeat(50));
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["train", "--epochs", "1000000", "--threads", "1", "--train"])
        .arg(&data)
        .arg("-o")
        .arg(folder.path("m.pleach"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("epoch 2")), "training goes on");
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.last().unwrap().contains("stopped"), "{rest:?}");
    assert!(!rest.iter().any(|line| line.contains("wrote")), "{rest:?}");
}

#[test]
fn an_error_that_nobody_reads_is_no_panic() {
    let folder = Folder::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(["view", "missing"])
        .arg("-o")
        .arg(folder.path("x.html"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
