//! `pleach view` from the outside: what is written where, and exit codes.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::{Command, Output};

const SENTENCE: &str = "\
# sent_id = ID
1\tMark\tMark\tPROPN\t_\t_\t2\tnsubj\t2:nsubj\t_
2\tsleeps\tsleep\tVERB\t_\t_\t0\troot\t0:root\t_

";

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("view");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(name: &str, content: &str) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn pleach(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pleach")).args(args).env_remove("NO_COLOR").output().unwrap()
}

fn view(input: &str, args: &[&str]) -> (i32, String, String) {
    let output = pleach(&[&["view", input], args].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn sentences(count: usize) -> String {
    (1..=count).map(|number| SENTENCE.replace("ID", &format!("s{number}"))).collect()
}

#[test]
fn the_terminal_by_default_and_without_colour_in_a_pipe() {
    let path = file("terminal.conllu", &sentences(2));
    let (code, out, err) = view(path.to_str().unwrap(), &["--sent", "2"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out.lines().next(), Some("2 · s2"));
    assert!(out.contains("nsubj") && !out.contains('\x1b'), "{out}");
    let (_, tree, _) = view(path.to_str().unwrap(), &["--id", "s2", "--tree", "--color", "always"]);
    assert!(tree.contains("\x1b["), "{tree}");
}

#[test]
fn the_extension_says_what_is_written() {
    let path = file("kinds.conllu", &sentences(3));
    let input = path.to_str().unwrap();
    for (name, start) in [("v.svg", "<svg"), ("v.html", "<!DOCTYPE html>"), ("v.txt", "1 · s1")] {
        let out = folder().join(name);
        let (code, stdout, err) = view(input, &["-o", out.to_str().unwrap()]);
        assert_eq!((code, stdout.as_str(), err.as_str()), (0, "", ""));
        assert!(std::fs::read_to_string(&out).unwrap().starts_with(start), "{name}");
    }
    let (code, _, err) = view(input, &["-o", "v.png"]);
    assert_eq!(code, 2);
    assert!(err.contains(".svg, .html, .txt or .jsonl"), "{err}");
}

#[test]
fn sentences_that_are_not_there_are_data_errors() {
    let path = file("missing.conllu", &sentences(3));
    let input = path.to_str().unwrap();
    let (code, _, err) = view(input, &["--sent", "4"]);
    assert_eq!(code, 1);
    assert!(err.contains("there is no sentence 4; the file has 3"), "{err}");
    assert_eq!(view(input, &["--sent", "nobody"]).0, 1);
    assert_eq!(view(input, &["--sent", "0"]).0, 2);
}

#[test]
fn too_many_sentences_for_one_svg() {
    let path = file("many.conllu", &sentences(51));
    let (code, _, err) = view(path.to_str().unwrap(), &["--to", "svg"]);
    assert_eq!(code, 2);
    assert!(err.contains("--sent") && err.contains("-o OUT.html"), "{err}");
    assert_eq!(view(path.to_str().unwrap(), &["--to", "svg", "--sent", "2-51"]).0, 0);
}

#[test]
fn comparisons_show_differences_first_or_only() {
    let gold = file("gold.conllu", &sentences(3));
    let system =
        file("system.conllu", &sentences(3).replacen("2:nsubj", "2:obj", 2).replacen("2:obj", "2:nsubj", 1));
    let (gold, system) = (gold.to_str().unwrap(), system.to_str().unwrap());
    let headings = |which: &str| -> Vec<String> {
        let (code, out, err) = view(gold, &["--compare", system, "--differences", which]);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(which != "only" || out.contains("−nsubj, +obj"), "{out}");
        out.lines().filter(|line| line.contains(" · s")).map(|line| line[..1].to_owned()).collect()
    };
    assert_eq!(headings("all"), ["1", "2", "3"]);
    assert_eq!(headings("first"), ["2", "1", "3"]);
    assert_eq!(headings("only"), ["2"]);
    let shorter = file("shorter.conllu", &sentences(2));
    let (code, _, err) = view(gold, &["--compare", shorter.to_str().unwrap()]);
    assert_eq!(code, 1);
    assert!(err.contains("ends after 2 sentences"), "{err}");
    assert_eq!(view(gold, &["--differences", "only"]).0, 2);
}

#[test]
fn a_width_puts_long_sentences_on_several_rows() {
    let words = 40;
    let line = |n: usize| format!("{n}\tword{n}\t_\t_\t_\t_\t{}\tdep\t{}:dep\t_\n", n - 1, n - 1);
    let long: String = (1..=words).map(line).collect();
    let path = file("long.conllu", &format!("{long}\n"));
    let input = path.to_str().unwrap();
    let size = |args: &[&str]| {
        let (code, svg, err) = view(input, &[&["--to", "svg"], args].concat());
        assert_eq!((code, err.as_str()), (0, ""));
        let number = |key: &str| -> i32 {
            let start = svg.find(key).unwrap() + key.len();
            svg[start..].split('"').next().unwrap().parse().unwrap()
        };
        (number(" width=\""), number(" height=\""))
    };
    let (whole, wrapped) = (size(&[]), size(&["--width", "600"]));
    assert!(whole.0 > 1500 && wrapped.0 <= 600 && wrapped.1 > 2 * whole.1, "{whole:?} {wrapped:?}");
    let (_, page, _) = view(input, &["--to", "html", "--width", "600"]);
    assert!(page.contains("id=\"larger\"") && !page.contains(&format!("[[{},", whole.0)), "not wrapped");
}

#[test]
fn a_tree_that_is_not_there_is_told() {
    let path = file(
        "treeless.conllu",
        &sentences(2).replace("2\tnsubj\t2:", "_\t_\t2:").replace("0\troot\t0:", "_\t_\t0:"),
    );
    let (code, _, err) = view(path.to_str().unwrap(), &["--tree"]);
    assert_eq!(
        (code, err.as_str()),
        (0, "2 sentences have no basic tree (HEAD and DEPREL); without --tree the graph is drawn\n")
    );
    let (_, _, err) = view(path.to_str().unwrap(), &[]);
    assert_eq!(err, "");
}
