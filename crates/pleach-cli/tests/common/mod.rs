//! What the tests of `pleach parse` share: running the program, and small models.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "every test uses a part of it; a test that panics has failed"
)]

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program in a folder with something on its standard input.
pub fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pleach"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

/// The same with arguments in one line, which must succeed: what it printed and what it said.
pub fn fine(folder: &Path, arguments: &str) -> (String, String) {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let output = run(folder, &arguments, b"");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}");
    (String::from_utf8(output.stdout).unwrap(), said)
}

/// The exit code and the message of a run that must fail.
pub fn failure(folder: &Path, arguments: &str, input: &[u8]) -> (i32, String) {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let output = run(folder, &arguments, input);
    assert!(!output.status.success(), "{arguments:?} did not fail");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Sentences of nouns and verbs with trees and graphs: every noun hangs on the next verb, and verbs on the first one.
pub fn treebank(sentences: u32, mut seed: u32) -> String {
    let mut text = String::new();
    for number in 0..sentences {
        let mut verbs = Vec::new();
        for _ in 0..(2 + seed % 5) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            verbs.push(seed >> 30 == 0);
        }
        verbs.push(true);
        let _ = writeln!(text, "# sent_id = s{number}");
        for (i, &verb) in verbs.iter().enumerate() {
            let id = i + 1;
            let before = (0..i).find(|&place| verbs[place]).map_or(0, |place| place + 1);
            let after = (id..verbs.len()).find(|&place| verbs[place]).map_or(0, |place| place + 1);
            let (form, tag, head, label) = match (verb, before) {
                (true, 0) => ("sees", "VERB", 0, "root"),
                (true, _) => ("sees", "VERB", before, "conj"),
                (false, _) => ("dog", "NOUN", after, "subj"),
            };
            let _ = writeln!(text, "{id}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t{head}:{label}\t_");
        }
        text.push('\n');
    }
    text
}

/// A folder with `train.conllu`, `dev.conllu`, a graph model and a tree model.
pub fn lab() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("train.conllu"), treebank(40, 1)).unwrap();
    std::fs::write(folder.path().join("dev.conllu"), treebank(12, 77)).unwrap();
    for (preset, model) in [("sl-combined", "graph"), ("arc-eager", "tree")] {
        let train = "train --train train.conllu --epochs 1 --beam 1 --preset";
        fine(folder.path(), &format!("{train} {preset} -o {model}.pleach"));
    }
    folder
}
