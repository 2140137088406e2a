//! `pleach convert` as a user runs it.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use std::path::Path;
use std::process::Output;

const UD: &str = "\
# sent_id = s1
1\tPaul\tPaul\tPROPN\t_\t_\t2\tnsubj\t2:nsubj\t_
2\tlives\tlive\tVERB\t_\t_\t0\troot\t0:root\t_
3\tin\tin\tADP\t_\t_\t4\tcase\t4:case\t_
4\tParis\tParis\tPROPN\t_\t_\t2\tobl\t2:obl:in\t_
5\tand\tand\tCCONJ\t_\t_\t6\tcc\t5.1:cc|6:cc\t_
5.1\tlives\tlive\tVERB\t_\t_\t_\t_\t2:conj:and\tCopyOf=2
6\tAnn\tAnn\tPROPN\t_\t_\t2\tconj\t5.1:nsubj\t_

";

fn pleach(arguments: &[&str], folder: &Path, input: &str) -> Output {
    common::run(folder, &[&["convert"], arguments].concat(), input.as_bytes())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn from_standard_input_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let run = pleach(&["-", "-", "--to", "conllu"], folder.path(), UD);
    assert_eq!((run.status.code(), text(&run.stdout), text(&run.stderr)), (Some(0), UD, ""));
}

#[test]
fn one_file_goes_to_standard_output_and_several_into_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.conllu", "b.conllu"] {
        std::fs::write(folder.path().join(name), UD).unwrap();
    }
    let run = pleach(&["a.conllu", "--to", "conllu"], folder.path(), "");
    assert_eq!((run.status.code(), text(&run.stdout)), (Some(0), UD));
    let run = pleach(&["a.conllu", "b.conllu", "-o", "all.conllu"], folder.path(), "");
    assert_eq!((run.status.code(), text(&run.stderr)), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(folder.path().join("all.conllu")).unwrap(), UD.repeat(2));
}

#[test]
fn a_pattern_does_not_replace_the_last_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a.conllu", "b.conllu", "c.conllu"];
    for name in names {
        std::fs::write(folder.path().join(name), UD).unwrap();
    }
    for arguments in [&names[..], &["a.conllu", "c.conllu", "--to", "mrp"]] {
        let run = pleach(arguments, folder.path(), "");
        assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
        assert!(
            text(&run.stderr).contains("`c.conllu` is there and looks like another file to read: say -o OUT")
        );
        assert_eq!(std::fs::read_to_string(folder.path().join("c.conllu")).unwrap(), UD);
    }
    // What is said to be the output, or is the only other file, is replaced.
    let run = pleach(&["a.conllu", "b.conllu", "-o", "c.conllu"], folder.path(), "");
    assert_eq!(run.status.code(), Some(0));
    assert_eq!(pleach(&["a.conllu", "c.conllu"], folder.path(), "").status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(folder.path().join("c.conllu")).unwrap(), UD);
}

#[test]
fn losses_are_said_and_summed_up() {
    let folder = tempfile::tempdir().unwrap();
    let run = pleach(&["-", "out.sdp.gz", "--json"], folder.path(), UD);
    assert_eq!(run.status.code(), Some(0));
    let lost =
        "warning: sdp2015 has no place for 1 empty node, 3 arcs of the graph, 1 basic tree, 1 MISC column\n";
    assert_eq!(text(&run.stderr), lost);
    let summary: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&summary["from"], &summary["to"]), (&"conllu".into(), &"sdp2015".into()));
    assert_eq!((&summary["sentences"], &summary["tokens"]), (&1.into(), &7.into()));
    assert_eq!(summary["losses"]["empty nodes"], 1);
    let back = pleach(&["out.sdp.gz", "-", "--to", "sdp2014"], folder.path(), "");
    assert!(text(&back.stdout).starts_with("#s1\n1\tPaul\tPaul\tPROPN\t-\t-"), "{}", text(&back.stdout));
}

#[test]
fn malformed_sentences_stop_or_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let input = format!("{UD}1\tbroken\n\n{UD}");
    let run = pleach(&["-", "out.conllu"], folder.path(), &input);
    assert_eq!(run.status.code(), Some(1));
    assert!(
        text(&run.stderr).starts_with("error: <stdin>:10:1: expected 10 columns"),
        "{}",
        text(&run.stderr)
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing half-written stays");
    let run = pleach(&["-", "out.conllu", "--on-error", "skip"], folder.path(), &input);
    assert_eq!(run.status.code(), Some(0));
    assert!(text(&run.stderr).ends_with("1 malformed sentence left out\n"), "{}", text(&run.stderr));
    assert_eq!(std::fs::read_to_string(folder.path().join("out.conllu")).unwrap(), UD.repeat(2));
}

#[test]
fn wrong_command_lines() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["-", "-"][..],
        &["-", "out.unknown"],
        &["-", "-", "--to", "nothing"],
        &["-"],
        &["a", "-", "--from", "x"],
    ] {
        assert_eq!(pleach(arguments, folder.path(), UD).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(pleach(&["missing.conllu", "out.sdp"], folder.path(), "").status.code(), Some(1));
}

#[test]
fn transforms_and_their_inverses() {
    let folder = tempfile::tempdir().unwrap();
    let there = ["-", "flat.conllu", "--collapse-empty", "--delexicalise"];
    assert_eq!(pleach(&there, folder.path(), UD).status.code(), Some(0));
    let flat = std::fs::read_to_string(folder.path().join("flat.conllu")).unwrap();
    assert!(flat.contains("2:obl:[case]") && flat.contains(">nsubj") && !flat.contains("5.1\t"), "{flat}");
    let back = ["flat.conllu", "-", "--to", "conllu", "--expand-empty", "--lexicalise"];
    assert_eq!(text(&pleach(&back, folder.path(), "").stdout), UD);
}

#[test]
fn a_tree_can_become_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let tree = "1\ta\t_\tNN\tNN\t_\t2\tsbj\t_\t_\n2\tb\t_\tVB\tVB\t_\t0\troot\t_\t_\n\n";
    let run =
        pleach(&["-", "-", "--from", "conllx", "--to", "sdp2014", "--tree-as-graph"], folder.path(), tree);
    assert_eq!(text(&run.stdout), "1\ta\t_\tNN\t-\t-\tsbj\n2\tb\t_\tVB\t+\t+\t_\n\n");
}
